//! Avoid formulas: all the ways to keep a transition system from its error states.
//!
//! Each edge of the system may name *constraints*, any one of which would prevent it. The avoid formula of a
//! state says which sets of constraints keep every error out of reach from there; that of the initial states
//! is satisfied by exactly the sets that repair the program. Formulas are monotone and held as decision
//! diagrams (*Automatic Inference of Memory Fences*, Section 2.1). The paper walks forward, from what makes a
//! state unreachable; we walk backward, from what makes errors unreachable from it. Both give the same formula
//! in the end: a set satisfies it if each path from an initial state to an error has an edge that the set
//! prevents. Backward, states from which no error can be reached are `true` without any work.

mod bdd;
mod cuts;
mod graph;
mod minimal;
mod solve;

pub(crate) use bdd::{Bdd, Formula};
pub(crate) use cuts::cuts;
pub(crate) use graph::Graph;
pub(crate) use minimal::{Minimal, cheapest};
pub(crate) use solve::{TooLarge, avoid};

/// A constraint's number. Diagrams are ordered by it, so related constraints should have near numbers.
pub(crate) type Constraint = u32;
