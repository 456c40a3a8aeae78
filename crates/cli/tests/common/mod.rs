//! Runs of the program: what each is given, and what it came to.
#![allow(dead_code)] // Each test uses a part of this.

use fencepost_driver::session::Session;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

/// How long a run may take. None should take as long; one that hangs ends as a failure.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Something in the corpus.
pub(crate) fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path)
}

/// A folder with these files, which is there as long as the value is.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// A program, loaded.
pub(crate) fn session(text: &str) -> Session {
    match Session::load(&folder(&[("a.c", text)]).path().join("a.c"), &[], None) {
        Ok(session) => session,
        Err(rejected) => panic!("{:?}\n{text}", rejected.diagnostics),
    }
}

/// A run with these arguments.
pub(crate) fn fencepost<A: AsRef<OsStr>>(arguments: &[A]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(arguments).env_remove("FENCEPOST_LOG").stdout(Stdio::piped()).stderr(Stdio::piped());
    Run { command, folder: None, signal: ("-KILL", PATIENCE) }
}

/// What a run is given.
pub(crate) struct Run {
    command: Command,
    /// Where its files lie, if it has any.
    folder: Option<TempDir>,
    /// What it is sent if it takes so long.
    signal: (&'static str, Duration),
}

impl Run {
    /// More arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: &[A]) -> Run {
        self.command.args(arguments);
        self
    }

    /// A file beside it: it runs in a folder of its own, which has these.
    pub(crate) fn file(mut self, name: &str, text: impl AsRef<[u8]>) -> Run {
        let folder = self.folder.get_or_insert_with(|| folder(&[]));
        std::fs::write(folder.path().join(name), text).expect("written");
        self.command.current_dir(folder.path());
        self
    }

    /// The folder in which it runs.
    pub(crate) fn within(mut self, folder: &(impl AsRef<Path> + ?Sized)) -> Run {
        self.command.current_dir(folder);
        self
    }

    /// An environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Run {
        self.command.env(name, value);
        self
    }

    /// Where it prints to.
    pub(crate) fn stdout(mut self, to: impl Into<Stdio>) -> Run {
        self.command.stdout(to);
        self
    }

    /// It is interrupted after this time.
    pub(crate) fn interrupted_after(mut self, time: Duration) -> Run {
        self.signal = ("-INT", time);
        self
    }

    /// Runs it.
    pub(crate) fn run(mut self) -> Ran {
        let child = self.command.spawn().expect("the program runs");
        let (id, (signal, time)) = (child.id().to_string(), self.signal);
        let (ended, end) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if end.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                Command::new("kill").args([signal, &id]).status().expect("kill runs");
            }
        });
        let output = child.wait_with_output().expect("it ends");
        drop(ended);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        Ran { code: output.status.code().expect("it ends by itself"), out, err }
    }
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its exit code.
    pub(crate) code: i32,
    /// What it printed to the standard output.
    pub(crate) out: String,
    /// What it printed to the standard error stream.
    pub(crate) err: String,
}

impl Ran {
    /// Demands an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{}", self.said());
        self
    }

    /// Demands that something is said.
    #[track_caller]
    pub(crate) fn says(self, what: &str) -> Ran {
        assert!(self.said().contains(what), "no \"{what}\" in\n{}", self.said());
        self
    }

    /// All that it printed.
    pub(crate) fn said(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// All that it printed and its exit code, without times and blanks at the ends of lines.
    pub(crate) fn shown(&self) -> String {
        let parts = [self.timeless(), self.err.trim_end().to_owned(), format!("exit code {}", self.code)];
        parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n")
    }

    /// What it printed to the standard output, without times and blanks at the ends of lines.
    pub(crate) fn timeless(&self) -> String {
        self.out.trim_end().lines().map(hide_time).collect::<Vec<_>>().join("\n")
    }

    /// The document that it printed.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.said()))
    }

    /// The first result of the document that it printed.
    #[track_caller]
    pub(crate) fn result(&self) -> Value {
        self.json()["results"][0].clone()
    }
}

/// A time stands in the first line of each result, and at the end of the last line.
fn hide_time(line: &str) -> String {
    let line = line.trim_end();
    let end = line.find(" s  ").or(line.ends_with(" s").then(|| line.len() - 2));
    match end {
        Some(end) if line[..end].ends_with(|c: char| c.is_ascii_digit()) => {
            let start = line[..end].rfind(' ').unwrap_or(0);
            let rest = if end + 2 == line.len() { "" } else { &line[end..] };
            format!("{} _{rest}", line[..start].trim_end())
        }
        _ => line.to_owned(),
    }
}
