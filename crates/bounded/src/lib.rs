//! The bounded engine.

pub mod guard;
pub mod range;
pub mod ssa;
pub mod unroll;
