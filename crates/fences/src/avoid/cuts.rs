//! The avoid formula of the whole system, clause by clause: each clause is a minimal set of constraints of which
//! every repair has one.
//!
//! The greatest fixed point computes a formula for every state, most of which nobody asks for; on systems with
//! large circles it computes them many times. Here only the formula of the whole system is built. A set of
//! constraints that satisfies all clauses so far is a repair, or an error can still be reached; then the
//! constraints along a way to it, made as few as can be, are a new clause. What is left in the end is the
//! conjunction of all minimal clauses that matter, whose minimal sets are all repairs.
//!
//! # Soundness
//!
//! A clause is the complement of a set that does not repair the system. A repair that missed the clause would
//! be a part of that set, and no part of what does not repair repairs. So the formula is implied by every
//! repair; and it is returned only when each of its minimal sets was seen to be one.

use super::bdd::{Bdd, Formula};
use super::graph::{Adjacency, Graph};
use super::minimal::Minimal;
use super::{Constraint, TooLarge};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Satisfied by the sets of constraints that keep all errors out of reach, as [`super::avoid`] is. Gives up
/// when there are more than `limit` minimal ones on the way.
pub(crate) fn cuts(graph: &Graph, bdd: &mut Bdd, limit: usize) -> Result<Formula, TooLarge> {
    let mut search = Search::new(graph);
    let mut formula = Formula::TRUE;
    let mut repairs: FxHashSet<Vec<Constraint>> = FxHashSet::default();
    loop {
        let sets = Minimal::of(bdd, formula).sets(limit);
        if sets.len() >= limit {
            return Err(TooLarge { nodes: limit });
        }
        let mut clauses = Vec::new();
        for set in sets {
            if repairs.contains(&set) {
                continue;
            }
            match search.clause(&set) {
                None => _ = repairs.insert(set),
                Some(clause) if clause.is_empty() => return Ok(Formula::FALSE),
                Some(clause) => {
                    clauses.push(clause);
                    // Other sets may fail for the same reason; a few reasons at a time are enough.
                    if clauses.len() >= AT_A_TIME {
                        break;
                    }
                }
            }
        }
        if clauses.is_empty() {
            return Ok(formula);
        }
        for clause in clauses {
            let clause = bdd.any(&clause);
            formula = bdd.and(formula, clause);
        }
    }
}

/// Clauses after which sets are made anew.
const AT_A_TIME: usize = 4;

struct Search<'a> {
    graph: &'a Graph,
    /// Edges by where they begin: the other end, and the set.
    forward: Adjacency,
    error: Vec<bool>,
    /// All constraints, and how many there can be.
    all: Vec<Constraint>,
    /// For each set of constraints, whether one of it is enforced.
    blocked: Vec<bool>,
    /// How each state was reached: the one before and the set of the edge. Of the search under way if its
    /// round is.
    reached: Vec<(u32, u32, u32)>,
    round: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Search<'a> {
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, edge.prevent));
        let mut error = vec![false; graph.states];
        graph.errors.iter().for_each(|state| error[*state as usize] = true);
        let mut all: Vec<Constraint> = graph.sets.iter().flat_map(|set| set.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        Search {
            graph,
            forward: Adjacency::new(graph.states, edges),
            error,
            all,
            blocked: vec![false; graph.sets.len()],
            reached: vec![(0, 0, 0); graph.states],
            round: 0,
        }
    }

    /// A minimal clause that a set misses; none if the set is a repair.
    fn clause(&mut self, set: &[Constraint]) -> Option<Vec<Constraint>> {
        let enforced: FxHashSet<Constraint> = set.iter().copied().collect();
        let mut clause = self.way(&enforced)?;
        // All others may be enforced. Enforce those of the clause, too, as long as errors stay in reach.
        let mut others: FxHashSet<Constraint> =
            self.all.iter().copied().filter(|constraint| !clause.contains(constraint)).collect();
        let mut needed = Vec::new();
        while let Some(constraint) = clause.pop() {
            others.insert(constraint);
            match self.way(&others) {
                // What the new way does without need not be tried.
                Some(used) => clause.retain(|constraint| used.contains(constraint)),
                None => {
                    others.remove(&constraint);
                    needed.push(constraint);
                    continue;
                }
            }
            others = self.all.iter().copied().collect();
            clause.iter().chain(&needed).for_each(|constraint| _ = others.remove(constraint));
        }
        needed.sort_unstable();
        Some(needed)
    }

    /// The constraints that would prevent steps of a way to an error, if one is left. Ways with few steps
    /// that could be prevented come first.
    fn way(&mut self, enforced: &FxHashSet<Constraint>) -> Option<Vec<Constraint>> {
        for (number, set) in self.graph.sets.iter().enumerate() {
            self.blocked[number] = set.iter().any(|constraint| enforced.contains(constraint));
        }
        self.round += 1;
        let mut open: VecDeque<u32> = VecDeque::new();
        for &state in &self.graph.initial {
            self.reached[state as usize] = (state, 0, self.round);
            open.push_back(state);
        }
        while let Some(state) = open.pop_front() {
            if self.error[state as usize] {
                return Some(self.used(state));
            }
            for &(to, set) in self.forward.of(state) {
                if self.blocked[set as usize] || self.reached[to as usize].2 == self.round {
                    continue;
                }
                self.reached[to as usize] = (state, set, self.round);
                // The first set is empty.
                match set {
                    0 => open.push_front(to),
                    _ => open.push_back(to),
                }
            }
        }
        None
    }

    fn used(&self, mut state: u32) -> Vec<Constraint> {
        let mut used = Vec::new();
        loop {
            let (before, set, _) = self.reached[state as usize];
            used.extend_from_slice(&self.graph.sets[set as usize]);
            if before == state {
                break;
            }
            state = before;
        }
        used.sort_unstable();
        used.dedup();
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avoid::avoid;

    /// On random systems both ways give the same formula.
    #[test]
    fn both_ways_agree() {
        let mut seed = 7u64;
        let mut below = |bound: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % bound
        };
        let (mut open, mut closed) = (0, 0);
        for round in 0..2000 {
            let states = 3 + below(12);
            let mut graph = Graph::new(states as usize);
            graph.initial.push(0);
            graph.errors.push(states as u32 - 1);
            for _ in 0..2 * states + below(10) {
                let set: Vec<Constraint> = (0..below(4)).map(|_| below(7) as u32).collect();
                graph.edge(below(states) as u32, below(states) as u32, &set);
            }
            let mut bdd = Bdd::default();
            let one = avoid(&graph, &mut bdd, usize::MAX).expect("no limit");
            let other = cuts(&graph, &mut bdd, usize::MAX).expect("no limit");
            assert_eq!(one, other, "round {round}: {graph:?}");
            open += (one == Formula::TRUE) as u32;
            closed += (one == Formula::FALSE) as u32;
        }
        assert!(open + closed < 1500 && open > 0 && closed > 0, "{open} and {closed} of 2000 say nothing");
    }
}
