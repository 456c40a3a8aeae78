//! Results and diagnostics, for people as text and for programs as JSON.
//!
//! Text carries ANSI styles; whoever prints it strips them where they do not belong.
//!
//! Deliberately absent: printing, and any decision about what is right or wrong.

pub mod diagnostics;
pub mod fences;
pub mod json;
pub mod sweep;
pub mod text;
mod trace;
mod values;
