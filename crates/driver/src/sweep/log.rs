//! The log of a sweep, as JSON Lines: what is swept in the first line, then one line for each schedule.
//!
//! A line is written at once when its schedule is done, in whatever order that happens. If a run dies, its last
//! line may be cut off; reading leaves such a line out, and going on overwrites it. Whatever else is not as it was
//! written is an error: each line ends with a checksum, which for all but the first also depends on the first, so
//! that lines of other logs are noticed. While a log is written, it is locked.

use fencepost_harness::sweep::{Head, Record};
use fencepost_harness::verdict::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The form of logs that is written, and the only one that is read.
pub(super) const VERSION: u64 = 1;

/// Why a log cannot be used.
#[derive(Debug)]
pub enum LogError {
    /// It cannot be read or written.
    Io(io::Error),
    /// Somebody writes it.
    Busy,
    /// It is there already.
    Exists,
    /// It has another form, or none that is known.
    Version(Option<u64>),
    /// It is of another sweep: what differs, and how it is there and here.
    Other(String, String, String),
    /// A line of it, counted from one, cannot be right; why.
    Wrong(usize, String),
    /// Two of them say different things of a schedule.
    Contradiction(u64),
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> LogError {
        LogError::Io(error)
    }
}

impl From<TryLockError> for LogError {
    fn from(error: TryLockError) -> LogError {
        match error {
            TryLockError::WouldBlock => LogError::Busy,
            TryLockError::Error(error) => LogError::Io(error),
        }
    }
}

impl std::fmt::Display for LogError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LogError::Io(error) => write!(f, "{error}"),
            LogError::Busy => write!(f, "another process is writing it"),
            LogError::Exists => write!(f, "it exists"),
            LogError::Version(None) => {
                write!(f, "line 1 does not say that it is a log of this program")
            }
            LogError::Version(Some(found)) => {
                write!(f, "it has version {found} of the form of logs, and this program reads {VERSION}")
            }
            LogError::Other(what, there, here) => {
                write!(f, "it is of another sweep: `{what}` is {there} there and {here} here")
            }
            LogError::Wrong(line, why) => write!(f, "line {line} {why}"),
            LogError::Contradiction(number) => {
                write!(f, "it contradicts another log in what it says of schedule {number}")
            }
        }
    }
}

/// A share of the schedules of a sweep, as in `2/4`; none is all of them.
pub(crate) type Shard = Option<(u64, u64)>;

/// A share as people write it.
pub fn show_shard(shard: Shard) -> Option<String> {
    shard.map(|(index, count)| format!("{}/{count}", index + 1))
}

fn read_shard(text: &str) -> Option<(u64, u64)> {
    let (index, count) = text.split_once('/')?;
    let (index, count): (u64, u64) = (index.parse().ok()?, count.parse().ok()?);
    (1..=count).contains(&index).then_some((index - 1, count))
}

/// What a log says.
#[derive(Debug, Default)]
pub struct Contents {
    /// What is swept; none if not even that was written.
    pub head: Option<Head>,
    /// The schedules that were decided.
    pub records: BTreeMap<u64, Record>,
    /// The share that it is of.
    pub shard: Shard,
    /// How many bytes of it are whole lines.
    whole: u64,
    /// The checksum of the first line.
    seal: String,
}

impl Contents {
    /// Reads a log that nobody writes.
    pub fn read(path: &Path) -> Result<Contents, LogError> {
        let mut file = File::open(path)?;
        file.try_lock_shared()?;
        parse(&mut file)
    }

    /// Reads a log of the sweep `head`, which nobody writes.
    pub fn of(path: &Path, head: &Head) -> Result<Contents, LogError> {
        Contents::read(path)?.checked(head)
    }

    /// If it is of the sweep `head`. One that was cut off in its first line is of any.
    fn checked(self, head: &Head) -> Result<Contents, LogError> {
        self.head.as_ref().map_or(Ok(()), |known| same(known, head))?;
        Ok(self)
    }
}

/// A log that is written. It stays locked until it is dropped.
pub struct Log {
    file: File,
    /// The checksum of the first line.
    seal: String,
}

impl Log {
    /// Starts a log with what is swept and what is known already. One that has something in it stays as it is,
    /// unless it may be overwritten.
    pub fn create(
        path: &Path,
        head: &Head,
        known: &BTreeMap<u64, Record>,
        overwrite: bool,
    ) -> Result<Log, LogError> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        let about = file.metadata()?;
        // Devices and pipes have nothing to lock or to lose.
        if about.is_file() {
            file.try_lock()?;
            if about.len() > 0 && !overwrite {
                return Err(LogError::Exists);
            }
            file.set_len(0)?;
        }
        let seal = write(&mut file, "", head)?;
        let mut log = Log { file, seal };
        for record in known.values() {
            log.write(record)?;
        }
        Ok(log)
    }

    /// Goes on with a log of the sweep `head`.
    pub fn resume(path: &Path, head: &Head) -> Result<(Log, Contents), LogError> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        file.try_lock()?;
        let contents = parse(&mut file)?.checked(head)?;
        file.set_len(contents.whole)?;
        file.seek(SeekFrom::End(0))?;
        let seal = match contents.whole {
            0 => write(&mut file, "", head)?,
            _ => contents.seal.clone(),
        };
        Ok((Log { file, seal }, contents))
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record) -> Result<(), LogError> {
        write(&mut self.file, &self.seal, record).map(|_| ())
    }
}

/// Writes a line after a first line with the checksum `seal`, and returns its own.
fn write(file: &mut File, seal: &str, line: &impl Serialize) -> Result<String, LogError> {
    let text = serde_json::to_string(line).map_err(io::Error::from)?;
    let (open, sum) = (text.strip_suffix('}').unwrap_or(&text), checksum(seal, &text));
    // In one piece and past all buffers of ours: the system has it even if we are killed now.
    file.write_all(format!("{open},\"sum\":\"{sum}\"}}\n").as_bytes())?;
    Ok(sum)
}

/// The checksum of a line after a first line with the checksum `seal` (FNV-1a). It finds accidents, not forgeries.
fn checksum(seal: &str, text: &str) -> String {
    let hash = seal.bytes().chain(text.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// What a line says, if it is as it was written, and its checksum.
fn unsealed<'l>(seal: &str, line: &'l str) -> Option<(String, &'l str)> {
    let (open, sum) = line.strip_suffix("\"}\n")?.rsplit_once(",\"sum\":\"")?;
    let text = format!("{open}}}");
    (checksum(seal, &text) == sum).then_some((text, sum))
}

/// As much of a first line as every form of logs has.
#[derive(Deserialize)]
struct Versioned {
    log: u64,
}

fn parse(file: &mut File) -> Result<Contents, LogError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut contents = Contents::default();
    let mut schedules = 0;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        let wrong = |why: &str| LogError::Wrong(number + 1, why.to_owned());
        let text = std::str::from_utf8(line).map_err(|_| wrong("is no text"))?;
        if number == 0 {
            let version = serde_json::from_str::<Versioned>(text).ok().map(|head| head.log);
            if version != Some(VERSION) {
                return Err(LogError::Version(version));
            }
        }
        let (text, sum) = unsealed(&contents.seal, text).ok_or_else(|| wrong("is not as it was written"))?;
        if number == 0 {
            let head: Head = serde_json::from_str(&text).map_err(|_| wrong("is not that of a sweep"))?;
            schedules = head.schedules.ok_or_else(|| wrong("does not say how many schedules"))?;
            let share = |text: &String| read_shard(text).ok_or_else(|| wrong("has no such share"));
            contents.shard = head.shard.as_ref().map(share).transpose()?;
            (contents.head, contents.seal) = (Some(head), sum.to_owned());
        } else {
            let record: Record =
                serde_json::from_str(&text).map_err(|_| wrong("is not that of a schedule"))?;
            if record.number >= schedules {
                return Err(wrong(&format!(
                    "is of schedule {}, and the sweep has {schedules}: 0 to {}",
                    record.number,
                    schedules.saturating_sub(1)
                )));
            }
            if contents.shard.is_some_and(|(index, count)| record.number % count != index) {
                return Err(wrong(&format!("is of schedule {}, which is of another share", record.number)));
            }
            // What was not decided is tried again.
            if record.verdict != Kind::Inconclusive {
                let other = contents.records.get(&record.number).is_some_and(|old| !agree(old, &record));
                if other {
                    return Err(wrong(&format!("contradicts an earlier one of schedule {}", record.number)));
                }
                contents.records.insert(record.number, record);
            }
        }
        contents.whole += line.len() as u64;
    }
    Ok(contents)
}

/// Whether two records say the same of a schedule.
pub(super) fn agree(one: &Record, other: &Record) -> bool {
    (one.verdict, &one.notation) == (other.verdict, &other.notation)
}

/// Whether a log is of the sweep at hand; if not, what differs first.
pub(super) fn same(there: &Head, here: &Head) -> Result<(), LogError> {
    let fields = |head: &Head| serde_json::to_value(head).map_err(|error| LogError::Io(error.into()));
    let (there, here) = (fields(there)?, fields(here)?);
    for name in here.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if there[name] != here[name] {
            return Err(LogError::Other(name.clone(), there[name].to_string(), here[name].to_string()));
        }
    }
    Ok(())
}
