//! Relations between the events of one execution, as rows of bits, with the operators of the formulas in papers.

use std::ops::{BitAnd, BitOr, Sub};

/// How many events an execution can have.
pub(super) const LIMIT: usize = 64;

/// A set of events: bit `e` for event `e`.
pub(super) type Set = u64;

/// The events of a set, in order.
fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let event = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (event < LIMIT).then_some(event)
    })
}

/// A binary relation.
#[derive(Clone, Copy)]
pub(super) struct Relation {
    /// For each event, those that it is related to.
    rows: [Set; LIMIT],
    /// How many events there are; rows from there on are empty.
    size: usize,
}

impl Relation {
    /// The pairs of events, of so many, that a condition holds of.
    pub(super) fn of(size: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut rows = [0; LIMIT];
        for (from, row) in rows.iter_mut().enumerate().take(size) {
            *row = (0..size).filter(|&to| holds(from, to)).fold(0, |row, to| row | 1 << to);
        }
        Relation { rows, size }
    }

    /// The one of no pairs.
    pub(super) fn empty(size: usize) -> Relation {
        Relation { rows: [0; LIMIT], size }
    }

    pub(super) fn add(&mut self, from: usize, to: usize) {
        self.rows[from] |= 1 << to;
    }

    pub(super) fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from] >> to & 1 != 0
    }

    /// What an event is related to.
    pub(super) fn row(&self, from: usize) -> Set {
        self.rows[from]
    }

    fn map(mut self, row: impl Fn(usize, Set) -> Set) -> Relation {
        for from in 0..self.size {
            self.rows[from] = row(from, self.rows[from]);
        }
        self
    }

    /// `[set] ; self`.
    pub(super) fn from(self, set: Set) -> Relation {
        self.map(|from, row| if set >> from & 1 != 0 { row } else { 0 })
    }

    /// `self ; [set]`.
    pub(super) fn to(self, set: Set) -> Relation {
        self.map(|_, row| row & set)
    }

    /// `self ; other`.
    pub(super) fn then(self, other: Relation) -> Relation {
        self.map(|_, row| members(row).fold(0, |all, middle| all | other.rows[middle]))
    }

    /// `self⁻¹`.
    pub(super) fn inverse(self) -> Relation {
        Relation::of(self.size, |from, to| self.has(to, from))
    }

    /// `self?`.
    pub(super) fn optional(self) -> Relation {
        self.map(|from, row| row | 1 << from)
    }

    /// `self⁺`.
    pub(super) fn plus(mut self) -> Relation {
        for middle in 0..self.size {
            let onward = self.rows[middle];
            self = self.map(|_, row| if row >> middle & 1 != 0 { row | onward } else { row });
        }
        self
    }

    /// `self*`.
    pub(super) fn star(self) -> Relation {
        self.plus().optional()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| *row == 0)
    }

    pub(super) fn is_irreflexive(&self) -> bool {
        (0..self.size).all(|event| !self.has(event, event))
    }

    pub(super) fn is_acyclic(&self) -> bool {
        self.plus().is_irreflexive()
    }
}

impl BitOr for Relation {
    type Output = Relation;

    fn bitor(self, other: Relation) -> Relation {
        self.map(|from, row| row | other.rows[from])
    }
}

impl BitAnd for Relation {
    type Output = Relation;

    fn bitand(self, other: Relation) -> Relation {
        self.map(|from, row| row & other.rows[from])
    }
}

impl Sub for Relation {
    type Output = Relation;

    fn sub(self, other: Relation) -> Relation {
        self.map(|from, row| row & !other.rows[from])
    }
}
