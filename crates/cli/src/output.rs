//! Printing that can fail: what nobody reads any more ends the program quietly, and what cannot be written is an error.
//!
//! `println!` panics in both cases. Results are printed from many places, most of which have nothing else that can go
//! wrong, so a failure ends the program here.

use fencepost_report::{Outcome, Report, json, text};
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Exit code when the reader has gone: no verdict was told, so none may be taken from the code.
const NOBODY_READS: u8 = 3;

/// Prints to the standard output, with a line break.
macro_rules! outln {
    ($($arg:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Prints to the standard output.
macro_rules! out {
    ($($arg:tt)*) => { $crate::output::print(format_args!($($arg)*)) };
}

/// Prints to the standard error with a line break. That nobody reads it is no reason to stop.
macro_rules! errln {
    ($($arg:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(anstream::stderr(), $($arg)*);
    }};
}

pub(crate) use {errln, out, outln};

/// Prints, or ends the program.
pub(crate) fn print(text: Arguments) {
    let mut stdout = anstream::stdout().lock();
    if let Err(error) = stdout.write_fmt(text) {
        std::process::exit(failed(&error).into());
    }
}

/// The way out for all results, in the form that is asked for.
pub(crate) struct Results {
    json: bool,
    /// What is told in the end.
    report: Report,
}

impl Results {
    /// None yet.
    pub(crate) fn new(json: bool) -> Results {
        Results { json, report: Report::default() }
    }

    /// Takes a result. Text is printed at once, with whole counterexamples and scopes if these are asked for.
    pub(crate) fn tell(&mut self, outcome: Outcome, detail: bool) {
        match self.json {
            true => self.report.results.push(outcome),
            false => outln!("{}", text::render(&outcome, detail)),
        }
    }

    /// Prints what has to wait for the last result.
    pub(crate) fn end(self) {
        if self.json {
            outln!("{}", json::render(&self.report));
        }
    }
}

/// Writes what is still buffered; the exit code to end with if that fails.
pub(crate) fn flush() -> Result<(), u8> {
    std::io::stdout().flush().map_err(|error| failed(&error))
}

/// Says that the output cannot be written, unless nobody wants it; the exit code to end with.
pub(crate) fn failed(error: &std::io::Error) -> u8 {
    if error.kind() == ErrorKind::BrokenPipe {
        return NOBODY_READS;
    }
    errln!("error: cannot write the output: {error}");
    2
}
