//! The C front end: from a C file to a program and the tests it asks for.
//!
//! `preprocess` runs the system's preprocessor against the model headers of [`headers`]; `lex` turns
//! what it printed into tokens whose spans point into the files people wrote; [`parse`] makes those the
//! tree of [`ast`]; `lower` checks types and makes LSL. Each stage reports as many mistakes as it can
//! find; the next one runs only if there were none.
//!
//! ```
//! use fencepost_lsl::source::SourceMap;
//!
//! let text = "int x;\nvoid set(int to) { x = to; }\n\
//!             #pragma fencepost op s = set(any(0, 1))\n#pragma fencepost test T = ( s | s )\n";
//! let preprocessed = format!("# 1 \"a.c\"\n{text}");
//! let mut load = |_: &str| Some(text.to_owned());
//! let (harness, warnings) = fencepost_c::compile(&preprocessed, SourceMap::default(), &mut load).unwrap();
//! assert_eq!(harness.tests[0].show(&harness), "( s | s )");
//! assert!(harness.program.find("set").is_some() && warnings.is_empty());
//!
//! let rejected = fencepost_c::compile("int main(void) { return y; }", SourceMap::default(), &mut load);
//! assert_eq!(rejected.unwrap_err().diagnostics.len(), 1);
//! ```
//!
//! Begin with [`load`], the whole way in a few lines, then [`ast`] and `lower/mod.rs`.
//!
//! Deliberately absent: anything about memory models or engines, and printing.

pub mod ast;
pub mod headers;
pub mod parse;
pub mod token;

mod explain;
mod lex;
mod line_map;
mod lower;
mod positions;
mod preprocess;
mod scan;
mod symbol;
mod types;

use fencepost_harness::operation::Harness;
use fencepost_lsl::diagnostic::{Diagnostic, Severity};
use fencepost_lsl::source::SourceMap;
use std::path::Path;

/// What is wrong with a file, and the texts that the positions point into.
#[derive(Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: SourceMap,
    /// The mistakes.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the program is to have besides what the file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether the places where fences could be put are marked.
    pub slots: bool,
}

/// Reads a C file: its program, its tests, and warnings. `arguments` go to the preprocessor.
pub fn load(path: &Path, arguments: &[String]) -> Result<(Harness, Vec<Diagnostic>), Rejected> {
    load_with(path, arguments, Options::default())
}

/// As [`load`], with options.
pub fn load_with(
    path: &Path,
    arguments: &[String],
    options: Options,
) -> Result<(Harness, Vec<Diagnostic>), Rejected> {
    let mut sources = SourceMap::default();
    let text = match preprocess::preprocess(path, arguments, &mut sources) {
        Ok(text) => text,
        Err(preprocess::Error::Mistakes(diagnostics)) => return Err(Rejected { sources, diagnostics }),
        Err(error) => {
            let help = "Fencepost needs a C compiler for preprocessing; set `CC` if it is not called `cc`";
            let diagnostics = vec![Diagnostic::general(error.to_string()).help(help)];
            return Err(Rejected { sources, diagnostics });
        }
    };
    compile_with(&text, sources, &mut preprocess::quotable, options)
}

/// Compiles preprocessed text. `load` gives the text of a file that its line markers name.
pub fn compile(
    text: &str,
    sources: SourceMap,
    load: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<(Harness, Vec<Diagnostic>), Rejected> {
    compile_with(text, sources, load, Options::default())
}

/// As [`compile`], with options.
pub(crate) fn compile_with(
    text: &str,
    mut sources: SourceMap,
    load: &mut dyn FnMut(&str) -> Option<String>,
    options: Options,
) -> Result<(Harness, Vec<Diagnostic>), Rejected> {
    let mut read = |name: &str| headers::shipped(name).map(str::to_owned).or_else(|| load(name));
    let (unit, diagnostics) = parse::parse(text, &mut sources, &mut read);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Rejected { sources, diagnostics });
    }
    match lower::lower(&unit, sources, options) {
        Ok((harness, warnings)) => Ok((harness, [diagnostics, warnings].concat())),
        Err((sources, more)) => Err(Rejected { sources, diagnostics: [diagnostics, more].concat() }),
    }
}
