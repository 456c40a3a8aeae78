//! Brute force, written for obviousness: a language of tiny concurrent programs, all their executions by
//! trying, and their translation to LSL, so that the engines can be compared with it.
//!
//! Two independent semantics are tried: [`axioms`], the definitions of CheckFence's Section 2.3.2 by
//! placing accesses one after the other into a memory order, and [`buffers`], store buffers as hardware
//! has them. Neither reads the model files. [`litmus`] reads programs from tables that say what is allowed.

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
