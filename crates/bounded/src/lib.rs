//! The bounded engine.

pub mod check;
pub mod circuit;
pub mod decode;
pub mod encode;
pub mod guard;
pub mod range;
pub mod solver;
pub mod ssa;
pub mod switched;
pub mod unroll;
pub mod word;
