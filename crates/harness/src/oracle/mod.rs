//! Oracles: sequential specifications that say which results a call may have in which state (COLLECT,
//! Section 2.1).
//!
//! The paper's oracle is a sequential object with a method `isAccepting(stuck)`. Ours is the same as an
//! automaton: a call leads from a state to some next states with results, or to none; and it may be right
//! that a call never returns. What judges histories ([`crate::consistency`]) knows only the trait
//! [`Oracle`], which speaks of the calls of a C file; the collections of this module speak of roles
//! (`enqueue`, `contains`), and [`binding`] says which operation plays which.
//!
//! A specification written as sequential C, [`mod@reference`], needs no roles.

use crate::client::FixedCall;
use crate::observation::keeps;
use fencepost_lsl::value::Value;
use std::fmt::Debug;
use std::hash::Hash;

pub mod binding;
pub mod collection;
pub mod declaration;
mod map;
mod priority_queue;
pub mod reference;
pub mod role;
mod sequence;
mod set;
mod shape;

/// One way in which a call may return.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Outcome<S> {
    /// One value for each of the operation's outputs. An undefined bit promises nothing: either matches.
    pub results: Vec<Value>,
    /// The state after it.
    pub next: S,
}

/// A sequential specification.
pub trait Oracle {
    /// What calls depend on; small, and equal if and only if all further calls may go the same way.
    type State: Clone + Eq + Hash + Ord + Debug;

    /// The state before any call.
    fn initial(&self) -> Self::State;

    /// All ways in which a call may return; none if it cannot.
    fn outcomes(&self, state: &Self::State, call: &FixedCall) -> Vec<Outcome<Self::State>>;

    /// Whether it is right that a call, the last of a sequential trace, never returns.
    ///
    /// This is not the same as having no outcome: an `enqueue` of a synchronous queue may return because a
    /// `dequeue` follows, or wait for one for ever.
    fn blocks(&self, state: &Self::State, call: &FixedCall) -> bool {
        self.outcomes(state, call).is_empty()
    }

    /// Whether calls that could return one after the other may not all wait, even if each alone may. Not so where a call may
    /// wait although it could return by itself: to wait is then one of its choices, whatever others do.
    fn serves(&self) -> bool {
        true
    }

    /// Whether a sequential trace may end here with all calls done.
    fn accepts(&self, _state: &Self::State) -> bool {
        true
    }
}

/// Whether results are what an outcome promises.
pub fn agrees(promised: &[Value], results: &[Value]) -> bool {
    promised.len() == results.len()
        && promised.iter().zip(results).all(|(&promise, &value)| keeps(promise, value))
}

/// What kind of collection an oracle specifies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Elements without order or repetition.
    Set,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// Both ends add and remove.
    Deque,
    /// Removes an item of the least score.
    PriorityQueue,
    /// Values by key.
    Map,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Set, Kind::Queue, Kind::Stack, Kind::Deque, Kind::PriorityQueue, Kind::Map];

    /// The name that people use for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Set => "set",
            Kind::Queue => "queue",
            Kind::Stack => "stack",
            Kind::Deque => "deque",
            Kind::PriorityQueue => "priority queue",
            Kind::Map => "map",
        }
    }

    /// The kind of this name, as people or COLLECT's option `-kind` write it.
    pub fn named(name: &str) -> Option<Kind> {
        let name = if name == "pqueue" { "priority queue".into() } else { name.replace(['-', '_'], " ") };
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// When calls wait for each other: COLLECT's synchronization protocols (Figure 1), and one more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Protocol {
    /// Every call returns; one that finds nothing says so.
    NonBlocking,
    /// Every call returns; one that finds this many items adds nothing and says so.
    Limited(usize),
    /// A call that finds this many items, or none, waits.
    Bounded(usize),
    /// A call that adds and one that removes wait for each other.
    Synchronous,
}

impl Protocol {
    /// The name that people use for it.
    pub fn name(self) -> String {
        match self {
            Protocol::NonBlocking => "nonblocking".into(),
            Protocol::Limited(capacity) => format!("limited({capacity})"),
            Protocol::Bounded(capacity) => format!("bounded({capacity})"),
            Protocol::Synchronous => "synchronous".into(),
        }
    }

    /// The protocol of this name: `nonblocking`, `synchronous`, `bounded(2)`, `limited(2)`.
    pub fn named(name: &str) -> Option<Protocol> {
        let (word, capacity) = match name.split_once('(') {
            Some((word, rest)) => (word, Some(rest.strip_suffix(')')?.trim().parse().ok()?)),
            None => (name, None),
        };
        match (word.trim(), capacity) {
            ("nonblocking", None) => Some(Protocol::NonBlocking),
            ("synchronous", None) => Some(Protocol::Synchronous),
            ("bounded", Some(capacity)) => Some(Protocol::Bounded(capacity)),
            ("limited", Some(capacity)) => Some(Protocol::Limited(capacity)),
            _ => None,
        }
    }

    /// Whether a collection of this kind can follow it. Nothing in a set or a map is worth waiting for.
    pub fn suits(self, kind: Kind) -> bool {
        self == Protocol::NonBlocking || !matches!(kind, Kind::Set | Kind::Map)
    }
}
