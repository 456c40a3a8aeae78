//! Steps: how a state leads to others. One thread runs up to the next action that others can notice, or a store leaves a buffer.
//!
//! *Invariant:* a step is a function of the state before it and of its [`script`], so that it can be made again, to note its
//! events ([`recorder`]) or to go on from there; [`expand`] finds all steps of a state. What must wait is taken back as a whole:
//! no step ends inside of an atomic block. Whether an execution is right is not asked here, beyond runtime errors.

pub(crate) mod access;
pub(crate) mod calls;
pub(crate) mod expand;
pub(crate) mod flush;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod notice;
pub(crate) mod recorder;
pub(crate) mod run;
pub(crate) mod script;
