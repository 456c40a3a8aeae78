//! Reductions: which steps need not be told apart, and which states need not be kept.
//!
//! *Invariant:* a reduction changes how many states there are and how long a step takes, never a verdict; each says why under
//! *Soundness*. Each can be switched off ([`crate::Reductions`]). What an exploration takes for granted it also watches, and
//! begins anew without it once it was wrong: [`footprint`] for cells and objects, [`alike`] and [`forms`] for addresses.

pub(crate) mod alike;
pub(crate) mod collect;
pub(crate) mod footprint;
pub(crate) mod forms;
pub(crate) mod memo;
pub(crate) mod rename;
pub(crate) mod symmetry;
