//! Partial-coherence abstractions of store buffers (BLENDER: Kuperstein, Vechev and Yahav, PLDI 2011), and
//! verification with them.
//!
//! A program that has finitely many states on sc may have infinitely many on tso and pso, since buffers grow.
//! Here buffers are represented in bounded form (`state::buffer::loose`), so that the search ends; it finds every
//! violation, and maybe some that are none. What it finds is tried on real buffers before it is reported
//! (`concrete`).
//!
//! Deliberately absent: widening of values. A program whose variables take unboundedly many values is
//! explored until a limit is reached.

mod antichain;
mod concrete;
mod search;
mod system;
mod verify;

pub use crate::state::buffer::Abstraction;
pub use system::{Pass, System, Transition, system};
pub use verify::{Approach, Proof, Unbounded, Verification, verify};
