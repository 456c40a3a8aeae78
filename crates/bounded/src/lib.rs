//! The bounded engine: asks a SAT solver for an execution that is wrong.
//!
//! `unroll` makes a program of loops a graph of values and accesses (`ssa`); `range` finds out which values and
//! places there can be; `encode` makes the formula, the text of the model included; [`check`] asks it, raises
//! bounds that are reached, and has `decode` read a trace from what the solver found.
//!
//! ```
//! use fencepost_bounded::check::{Options, observations};
//! use fencepost_harness::question::Question;
//! use fencepost_models::Buffering;
//!
//! let table = "models tso\nSB x=1; r1=y | y=1; r2=x ? r1=0 r2=0 : yes";
//! let rows = fencepost_reference::litmus::parse(table).unwrap();
//! let (harness, test) = fencepost_reference::lower::lower(&rows[0].program);
//! for (model, outcomes) in [(Buffering::Sc.model(), 3), (Buffering::Tso.model(), 4)] {
//!     let found = observations(&harness, &Question::Test(test.clone()), &model, &Options::default());
//!     assert_eq!(found.unwrap().len(), outcomes);
//! }
//! ```
//!
//! Begin with [`check::check`], then `unroll/mod.rs` and `encode/mod.rs`.
//!
//! Deliberately absent: C, the names of models, and judging of its own counterexamples.

pub mod check;
mod circuit;
mod decode;
mod encode;
mod finals;
mod guard;
#[cfg(test)]
mod impossible;
mod range;
mod solver;
mod ssa;
pub mod switched;
mod unroll;
mod word;

pub use encode::Shortcuts;
pub use finals::Location;
pub use range::Precision;
pub use solver::OrderEncoding;
pub use unroll::{Leeway, Unrolling};
