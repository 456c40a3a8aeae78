//! States: what there is at one moment of an execution, as numbers of interned parts.
//!
//! *Invariant:* equal parts have equal numbers and no others do ([`intern`]), so two states are the same just if their
//! sequences of numbers are; none is ever a fingerprint. A number stands for its part until the exploration ends, and no part
//! is changed in place. Nothing here knows how a state comes about, nor which machine it belongs to: what fills a store
//! buffer and when it is emptied is decided elsewhere.

pub(crate) mod address;
pub(crate) mod buffer;
pub(crate) mod intern;
pub(crate) mod object;
mod thread;
pub(crate) mod threads;
mod world;

pub(crate) use world::{EMPTY, PARTIAL, Parts, Phase, Pools, UNKNOWN, World, object_at};
