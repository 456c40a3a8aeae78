//! The log of a sweep, as JSON Lines: what is swept in the first line, then one line for each schedule.
//!
//! A line is written at once when its schedule is done, in whatever order that happens. If a run dies, its last
//! line may be cut off; reading leaves such a line out, and going on overwrites it.

use fencepost_harness::sweep::{Record, Tally};
use fencepost_harness::verdict::Kind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Why a log cannot be used.
#[derive(Debug)]
pub enum LogError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is of another sweep: what differs, and how it is there and here.
    Other(String, String, String),
    /// It is no log.
    Malformed(usize),
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> LogError {
        LogError::Io(error)
    }
}

impl std::fmt::Display for LogError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LogError::Io(error) => write!(f, "{error}"),
            LogError::Other(what, there, here) => {
                write!(f, "it is of another sweep: `{what}` is {there} there and {here} here")
            }
            LogError::Malformed(line) => write!(f, "line {line} is not that of a sweep"),
        }
    }
}

/// A log that is written.
pub struct Log {
    file: File,
}

impl Log {
    /// Starts a log with what is swept and what is known already.
    pub fn create(path: &Path, head: &Value, known: &BTreeMap<u64, Record>) -> Result<Log, LogError> {
        let mut log = Log { file: File::create(path)? };
        log.line(head)?;
        for record in known.values() {
            log.write(record)?;
        }
        Ok(log)
    }

    /// Reads a log of the sweep `head`: its conclusive records, and how many bytes of it are whole lines.
    pub fn read(path: &Path, head: &Value) -> Result<(BTreeMap<u64, Record>, u64), LogError> {
        let bytes = std::fs::read(path)?;
        let mut records = BTreeMap::new();
        let mut whole = 0;
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if !line.ends_with(b"\n") {
                break;
            }
            let malformed = LogError::Malformed(number + 1);
            let Ok(value) = serde_json::from_slice::<Value>(line) else { return Err(malformed) };
            if number == 0 {
                same(&value, head)?;
            } else {
                let record = read(&value).ok_or(malformed)?;
                // What was not decided is tried again.
                if record.verdict != Kind::Inconclusive {
                    records.insert(record.number, record);
                }
            }
            whole += line.len() as u64;
        }
        Ok((records, whole))
    }

    /// Goes on with a log of which `whole` bytes count.
    pub fn resume(path: &Path, head: &Value, whole: u64) -> Result<Log, LogError> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        let mut log = Log { file };
        if whole == 0 {
            log.line(head)?;
        }
        Ok(log)
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record) -> Result<(), LogError> {
        self.line(&document(record))
    }

    fn line(&mut self, value: &Value) -> Result<(), LogError> {
        // In one piece and past all buffers of ours: the system has it even if we are killed now.
        self.file.write_all(format!("{value}\n").as_bytes())?;
        Ok(())
    }
}

/// A record as a document.
pub fn document(record: &Record) -> Value {
    json!({
        "schedule": record.number,
        "notation": record.notation,
        "verdict": record.verdict.to_string(),
        "reason": record.reason,
        "states": record.tally.states,
        "transitions": record.tally.transitions,
        "complete": record.tally.complete,
        "stuck": record.tally.stuck,
        "seconds": record.seconds,
    })
}

fn read(value: &Value) -> Option<Record> {
    let figure = |name: &str| value[name].as_u64();
    Some(Record {
        number: figure("schedule")?,
        notation: value["notation"].as_str()?.to_owned(),
        verdict: Kind::named(value["verdict"].as_str()?)?,
        reason: value["reason"].as_str().map(str::to_owned),
        tally: Tally {
            schedules: 1,
            states: figure("states")?,
            transitions: figure("transitions")?,
            complete: figure("complete")?,
            stuck: figure("stuck")?,
        },
        seconds: value["seconds"].as_f64()?,
    })
}

/// Whether a log is of the sweep at hand.
fn same(there: &Value, here: &Value) -> Result<(), LogError> {
    let Some(fields) = here.as_object() else { return Ok(()) };
    for (name, value) in fields {
        if there[name] != *value {
            return Err(LogError::Other(name.clone(), there[name].to_string(), value.to_string()));
        }
    }
    Ok(())
}
