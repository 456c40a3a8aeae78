//! Results and diagnostics, for people as text and for programs as JSON.
//!
//! Text carries ANSI styles; whoever prints it strips them where they do not belong.
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
//! Begin with [`text`], a result in one line and in many; [`json`] has the same as `docs/json.md` describes it.
//!
//! Deliberately absent: printing, and any decision about what is right or wrong.

pub mod diagnostics;
pub mod fences;
pub mod json;
pub mod sweep;
pub mod text;
mod trace;
mod values;
