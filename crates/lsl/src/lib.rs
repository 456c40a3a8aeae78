//! The load-store language (LSL): the one program form between front ends and engines.
//!
//! A front end lowers its language to a [`program::Program`]; the engines read nothing else. The language
//! is CheckFence's (PLDI 2007, Figure 4). This crate also gives it its sequential meaning
//! ([`interp`]), which every engine is judged by, and the positions ([`source`]) and messages
//! ([`diagnostic`]) that lead back to the user's text.
//!
//! Deliberately absent: C, memory models, tests, and any input or output.

pub mod diagnostic;
pub mod fault;
pub mod interp;
pub mod layout;
pub mod liveness;
pub mod memory;
pub mod op;
pub mod program;
pub mod source;
pub mod value;
pub mod ways;

mod print;
