//! The search: the order in which states are visited ([`explorer`]), and from its steps back to an execution ([`trace`]).
//!
//! *Invariant:* every state that is found is expanded once, by all its threads, unless a limit or a violation ends the search;
//! then that is what it says. A violation comes with the steps that lead to it from the start, and with nothing else: the
//! trace is made by taking them again. Whether a memory model allows the trace is for others to say.

mod explorer;
pub(crate) mod trace;

pub(crate) use explorer::{End, Explorer, path_in};
