//! The C front end.
//!
//! [`lex`] turns what `cc -E` printed into tokens whose spans point into the files people wrote, and
//! [`parse`] turns those into the tree of [`ast`], with as many diagnostics as it can find in one run.
//!
//! Deliberately absent: reading files (callers hand over text) and printing.

pub mod ast;
pub mod lex;
pub mod parse;
pub mod symbol;
pub mod token;

mod explain;
mod line_map;
mod positions;
mod scan;
