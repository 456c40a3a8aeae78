//! Results for people and for programs: a [`Report`] is what a command ends with, as plain data; renderers beside it make
//! text of it, or JSON.
//!
//! Text carries ANSI styles; whoever prints it strips them where they do not belong. What fields are named in JSON,
//! docs/json.md says; fields that are for people alone are not in it, and every renderer has them.
//!
//! ```
//! use fencepost_lsl::diagnostic::Diagnostic;
//! use fencepost_lsl::source::{Origin, SourceMap, Span};
//! use fencepost_report::diagnostics::render;
//!
//! let mut sources = SourceMap::default();
//! let file = sources.add("queue.c", "int x;\nint y = z;\n", Origin::User);
//! let mistake = Diagnostic::error(Span::new(file, 15, 16), "unknown name `z`");
//! let text = render(&mistake, &sources);
//! assert!(text.contains("queue.c:2:9") && text.contains("int y = z;"));
//! ```
//!
//! Begin with [`check::Check`], the result of a check, and [`trace::Trace`], its counterexample.
//!
//! Deliberately absent: printing, and any decision about what is right or wrong.

pub mod check;
pub mod diagnostics;
pub mod fences;
pub mod json;
pub mod sweep;
pub mod text;
pub mod trace;
mod values;

use fencepost_lsl::source;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The version of the form that reports have as JSON.
const FORMAT: u32 = 1;

/// What a command ends with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Report of fencepost")]
pub struct Report {
    /// The version of its form, which changes if a field changes its meaning.
    pub format: u32,
    /// Who wrote it.
    pub tool: &'static str,
    /// The version of the tool.
    pub version: &'static str,
    /// One for each check.
    pub results: Vec<Outcome>,
}

impl Default for Report {
    fn default() -> Report {
        let version = env!("CARGO_PKG_VERSION");
        Report { format: FORMAT, tool: "fencepost", version, results: Vec::new() }
    }
}

/// What became of one thing that was asked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// Of `check` or `verify`.
    Check(Box<check::Check>),
    /// Of `fences`.
    Fences(Box<fences::Fences>),
    /// Of `sweep`.
    Sweep(Box<sweep::Sweep>),
    /// Of `sweep --dry-run`.
    Plan(sweep::Plan),
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct Position {
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
}

impl From<source::Position> for Position {
    fn from(source::Position { file, line, column }: source::Position) -> Position {
        Position { file, line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Position {
    /// The place without its folder: `queue.c:12`.
    pub(crate) fn short(&self) -> String {
        format!("{}:{}", self.file.rsplit('/').next().unwrap_or(&self.file), self.line)
    }
}
