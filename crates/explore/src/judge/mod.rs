//! Judging: whether executions may end as they do ([`end`], [`leak`]), wait for ever ([`stuck`]) or run for ever ([`cycles`]).
//!
//! *Invariant:* a judgement is a function of a state, or of the graph of all states, and leaves both as they are. It knows
//! nothing of the order in which states are found. What cannot be told is unknown, never good.

pub(crate) mod cycles;
mod end;
mod leak;
pub(crate) mod stuck;

pub(crate) use end::{Judge, Judgement};
