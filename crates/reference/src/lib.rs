//! Brute force, written for obviousness: a language of tiny concurrent programs, all their executions by
//! trying, and their translation to LSL, so that the engines can be compared with it.
//!
//! Three independent semantics are tried: [`axioms`], the definitions of CheckFence's Section 2.3.2 by
//! placing accesses one after the other into a memory order, [`buffers`], store buffers as hardware
//! has them, and [`weak`], graphs of executions for C11 and for machines with definitions of their own. None
//! reads the model files. [`litmus`] reads programs from tables that say what is allowed.
//!
//! ```
//! use fencepost_reference::{axioms, buffers, litmus};
//!
//! let table = "models tso\nSB x=1; r1=y | y=1; r2=x ? r1=0 r2=0 : yes";
//! let row = &litmus::parse(table).unwrap()[0];
//! let by_axioms = axioms::outcomes(&row.program, axioms::Model::Tso, &row.guesses());
//! assert_eq!(by_axioms, buffers::outcomes(&row.program, buffers::Machine::Tso));
//! assert!(by_axioms.iter().any(|outcome| row.matches(outcome)));
//! ```
//!
//! Begin with [`program`], the language, and [`buffers`]. [`structured`] has the same for programs with the control
//! flow of C.
//!
//! Deliberately absent: anything that the engines use, but for the form of programs that they are asked about.

pub mod axioms;
pub mod buffers;
pub mod cycles;
pub mod generate;
pub mod litmus;
pub mod lower;
pub mod program;
pub mod random;
mod runs;
pub mod structured;
pub mod weak;
