//! Transition systems as the solver wants them: numbered states, and edges that constraints would prevent.

use super::Constraint;
use rustc_hash::FxHashMap;

/// A step from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// Where it begins.
    pub from: u32,
    /// Where it leads.
    pub to: u32,
    /// The number of the set of constraints any of which would prevent it.
    pub prevent: u32,
}

/// A transition system.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// How many states there are; they are numbered from zero.
    pub states: usize,
    /// Where executions begin.
    pub initial: Vec<u32>,
    /// Which states must not be reached.
    pub errors: Vec<u32>,
    /// All steps.
    pub edges: Vec<Edge>,
    /// Sets of constraints, sorted and without repetition. The first is empty: nothing prevents the step.
    pub sets: Vec<Box<[Constraint]>>,
    /// Their numbers.
    known: FxHashMap<Box<[Constraint]>, u32>,
}

impl Graph {
    /// A system with this many states and no steps.
    pub(crate) fn new(states: usize) -> Graph {
        let empty: Box<[Constraint]> = Box::default();
        Graph {
            states,
            initial: Vec::new(),
            errors: Vec::new(),
            edges: Vec::new(),
            sets: vec![empty.clone()],
            known: FxHashMap::from_iter([(empty, 0)]),
        }
    }

    /// Adds a step, and the states it joins if they have larger numbers than all before.
    pub(crate) fn edge(&mut self, from: u32, to: u32, prevent: &[Constraint]) {
        let prevent = self.set(prevent);
        self.states = self.states.max(from.max(to) as usize + 1);
        self.edges.push(Edge { from, to, prevent });
    }

    /// The number of a set of constraints.
    pub(crate) fn set(&mut self, constraints: &[Constraint]) -> u32 {
        if let Some(known) = self.known.get(constraints) {
            return *known;
        }
        let mut sorted = constraints.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let sorted = sorted.into_boxed_slice();
        let next = self.sets.len() as u32;
        let number = *self.known.entry(sorted.clone()).or_insert(next);
        if number == next {
            self.sets.push(sorted);
        }
        number
    }
}

/// Edges by the state they lead from, or to.
pub(super) struct Adjacency {
    /// Where each state's edges begin in `edges`; one more entry for the end.
    begin: Vec<u32>,
    /// Other end and set.
    edges: Vec<(u32, u32)>,
}

impl Adjacency {
    /// Groups edges by the first component: a state, its neighbour, a set.
    pub(super) fn new(states: usize, edges: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Adjacency {
        let mut begin = vec![0; states + 1];
        for (at, _, _) in edges.clone() {
            begin[at as usize + 1] += 1;
        }
        for state in 0..states {
            begin[state + 1] += begin[state];
        }
        let mut next = begin.clone();
        let mut grouped = vec![(0, 0); begin[states] as usize];
        for (at, other, set) in edges {
            grouped[next[at as usize] as usize] = (other, set);
            next[at as usize] += 1;
        }
        Adjacency { begin, edges: grouped }
    }

    pub(super) fn of(&self, state: u32) -> &[(u32, u32)] {
        let state = state as usize;
        &self.edges[self.begin[state] as usize..self.begin[state + 1] as usize]
    }
}
