//! Litmus tests as the herd tools write them: read, run on memory models, and told as herd tells them.
//!
//! ```
//! let text = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
//!             exists (0:EAX=0 /\\ 1:EAX=0)";
//! let litmus = fencepost_litmus::read("SB.litmus", text).map_err(|bad| bad.diagnostics).unwrap();
//! let found = litmus.run(&fencepost_models::sc(), &Default::default()).unwrap();
//! assert_eq!((found.positive, found.negative), (0, 3));
//! ```
//!
//! A test becomes an LSL program, each thread a procedure, and its final states what the bounded engine observes of all its
//! executions. Begin with [`read`] in `read.rs`, then `asm/mod.rs` and `c.rs`, which make the procedures, and `run.rs`.
//!
//! Deliberately absent: the preprocessor, loops, and input and output.

mod arch;
mod asm;
pub mod batch;
mod build;
mod c;
pub mod condition;
mod read;
mod run;
pub mod show;
mod text;

pub use arch::Arch;
pub use read::{Litmus, Unread, read};
pub use run::{Found, Verdict};
