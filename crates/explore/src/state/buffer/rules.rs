//! The abstractions of store buffers, by name.

use std::fmt;

/// How store buffers are represented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Abstraction {
    /// As they are.
    #[default]
    Exact,
    /// As sets, without order and without what was stored last (the paper's Set).
    Set,
    /// Fully disjunctive, FD: the oldest of this number in order, a set, and the last of each address.
    FullyDisjunctive(usize),
    /// Partially disjunctive, PD: the same, but a set stands for all its subsets as well.
    PartiallyDisjunctive(usize),
}

impl Abstraction {
    /// How many of the oldest stores stay in order: the paper's k.
    pub fn head(self) -> usize {
        match self {
            Abstraction::Exact | Abstraction::Set => 0,
            Abstraction::FullyDisjunctive(k) | Abstraction::PartiallyDisjunctive(k) => k,
        }
    }

    /// The abstraction that is written so: `none`, `set`, `fd:1`, `pd:0`.
    pub fn named(name: &str) -> Option<Abstraction> {
        let number = |rest: &str| rest.parse().ok().filter(|k| *k <= MOST_HEAD);
        Some(match name {
            "none" => Abstraction::Exact,
            "set" => Abstraction::Set,
            _ => match name.split_once(':')? {
                ("fd", rest) => Abstraction::FullyDisjunctive(number(rest)?),
                ("pd", rest) => Abstraction::PartiallyDisjunctive(number(rest)?),
                _ => return None,
            },
        })
    }
}

/// The longest head that can be asked for.
const MOST_HEAD: usize = 64;

impl fmt::Display for Abstraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Abstraction::Exact => f.write_str("none"),
            Abstraction::Set => f.write_str("set"),
            Abstraction::FullyDisjunctive(k) => write!(f, "fd:{k}"),
            Abstraction::PartiallyDisjunctive(k) => write!(f, "pd:{k}"),
        }
    }
}

/// What the rules for abstract buffers depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub(crate) abstraction: Abstraction,
    /// Whether all addresses share a queue, as on tso.
    pub(crate) one_queue: bool,
    /// Whether fully disjunctive queues stay apart, unless they are the same: for the inference of fences, which
    /// would otherwise have to prevent what only the less known one does. That one may be there only because of
    /// steps that fences prevent.
    pub(crate) apart: bool,
}
