//! Verdicts: what a check says of a test on a model, and how far its word goes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The three answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// No execution within the stated scope violates the property, and the scope is not empty.
    Holds,
    /// An execution violates it.
    Violated,
    /// A limit was reached first.
    Inconclusive,
}

impl Kind {
    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "holds" => Kind::Holds,
            "violated" => Kind::Violated,
            "inconclusive" => Kind::Inconclusive,
            _ => return None,
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Holds => "holds",
            Kind::Violated => "violated",
            Kind::Inconclusive => "inconclusive",
        })
    }
}

/// Why a check could not decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time given was not enough.
    Timeout,
    /// The memory given was not enough.
    Memory,
    /// The user stopped it.
    Interrupted,
    /// There are more states than allowed.
    States {
        /// The limit.
        limit: u64,
    },
    /// A loop or a recursion needs more repetitions than allowed.
    Unroll {
        /// The loop, or the function that calls itself, as `file:line`.
        at: String,
        /// Whether it is a recursion.
        recursion: bool,
        /// The limit.
        limit: u32,
    },
    /// The program, run along all its paths, is too long.
    TooLong {
        /// Where it was when patience ended, as `file:line`.
        at: String,
        /// How many statements it may have.
        limit: usize,
    },
    /// No execution of the test completes, so there is nothing to judge.
    Vacuous(String),
    /// The specification could not be mined; why.
    Specification(String),
    /// The program does something that this engine cannot follow; what.
    Unsupported(String),
    /// An abstraction of store buffers has a violation that real ones were not seen to have; why not, and what
    /// to do.
    Abstraction(String),
    /// A way to infer fences has no answer, and another may have one; why, and what to do.
    Method(String),
    /// The tool contradicts itself: a trace that does not replay, or the like. A bug in it.
    Internal(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("the time limit was reached"),
            Reason::Memory => f.write_str("the memory limit was reached"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::States { limit } => write!(f, "there are more than {limit} states"),
            Reason::Unroll { at, recursion: false, limit } => {
                write!(f, "the loop at {at} can repeat more than {limit} times (--max-unroll)")
            }
            Reason::Unroll { at, recursion: true, limit } => {
                write!(f, "the recursion at {at} can go deeper than {limit} calls (--max-unroll)")
            }
            Reason::TooLong { at, limit } => {
                write!(f, "more than {limit} statements, with loops unrolled and calls inlined up to {at}")
            }
            Reason::Vacuous(why) => write!(f, "nothing was checked: {why}"),
            Reason::Specification(why) => write!(f, "no specification: {why}"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
            Reason::Abstraction(what) => write!(f, "a violation of the abstraction only: {what}"),
            Reason::Method(what) => f.write_str(what),
            Reason::Internal(what) => write!(f, "internal error, please report it: {what}"),
        }
    }
}
