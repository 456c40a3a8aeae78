//! The greatest fixed point: avoid formulas of all states from which an error can be reached.
//!
//! An error's formula is `false`; that of another state is the conjunction, over its edges, of what prevents
//! the edge or avoids errors behind it. States are taken component by component, successors first, so that
//! all but the states of circles are computed once; a circle is iterated from `true` until nothing changes.

use super::bdd::{Bdd, Formula};
use super::graph::{Adjacency, Graph};
use std::fmt;

/// The diagrams took more nodes than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge {
    /// The number of nodes that was allowed.
    pub nodes: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "avoid formulas need more than {} nodes", self.nodes)
    }
}

impl std::error::Error for TooLarge {}

/// The conjunction of the initial states' avoid formulas: satisfied by the sets of constraints that keep all
/// errors out of reach. `false` if none does. Gives up when `bdd` has more nodes than `limit`.
pub(crate) fn avoid(graph: &Graph, bdd: &mut Bdd, limit: usize) -> Result<Formula, TooLarge> {
    let backward =
        Adjacency::new(graph.states, graph.edges.iter().map(|edge| (edge.to, edge.from, edge.prevent)));
    let doomed = reaching(graph, &backward);
    // Edges out of errors do not matter: executions that come there are wrong already.
    let kept = graph
        .edges
        .iter()
        .filter(|edge| doomed[edge.from as usize] == Doom::Reaches && doomed[edge.to as usize] != Doom::Safe);
    let forward = Adjacency::new(graph.states, kept.map(|edge| (edge.from, edge.to, edge.prevent)));
    let sets: Vec<Formula> = graph.sets.iter().map(|set| bdd.any(set)).collect();
    let mut solver = Solver { forward, backward, doomed, sets, formulas: vec![Formula::TRUE; graph.states] };
    for error in &graph.errors {
        solver.formulas[*error as usize] = Formula::FALSE;
    }
    let mut waiting = vec![false; graph.states];
    let components = solver.components();
    let mut number = vec![u32::MAX; graph.states];
    for (component, states) in components.iter().enumerate() {
        states.iter().for_each(|state| number[*state as usize] = component as u32);
    }
    for component in &components {
        solver.settle(component, &number, &mut waiting, bdd, limit)?;
    }
    Ok(graph.initial.iter().fold(Formula::TRUE, |all, state| bdd.and(all, solver.formulas[*state as usize])))
}

/// What becomes of executions from a state on, if nothing is prevented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doom {
    /// None is wrong.
    Safe,
    /// Some reach an error.
    Reaches,
    /// It is an error.
    Error,
}

fn reaching(graph: &Graph, backward: &Adjacency) -> Vec<Doom> {
    let mut doomed = vec![Doom::Safe; graph.states];
    let mut work = graph.errors.clone();
    graph.errors.iter().for_each(|error| doomed[*error as usize] = Doom::Error);
    while let Some(state) = work.pop() {
        for &(before, _) in backward.of(state) {
            if doomed[before as usize] == Doom::Safe {
                doomed[before as usize] = Doom::Reaches;
                work.push(before);
            }
        }
    }
    doomed
}

struct Solver {
    /// Edges that matter, by where they begin.
    forward: Adjacency,
    /// All edges, by where they lead.
    backward: Adjacency,
    doomed: Vec<Doom>,
    /// For each set of constraints, that any of them is enforced.
    sets: Vec<Formula>,
    /// For each state; from above, towards the greatest fixed point.
    formulas: Vec<Formula>,
}

/// A state on the way of the depth-first search, and the next edge to look at.
type Visit = (u32, usize);

impl Solver {
    /// Strongly connected components of the states that matter, successors first (Tarjan's algorithm, with its
    /// own stack, since paths are as long as executions).
    fn components(&self) -> Vec<Vec<u32>> {
        let states = self.doomed.len();
        let (mut index, mut low) = (vec![u32::MAX; states], vec![0u32; states]);
        let mut open = vec![false; states];
        let (mut stack, mut components): (Vec<u32>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        let mut next = 0;
        for root in (0..states as u32).filter(|state| self.doomed[*state as usize] == Doom::Reaches) {
            if index[root as usize] != u32::MAX {
                continue;
            }
            let mut visits: Vec<Visit> = Vec::new();
            let mut entering = Some(root);
            loop {
                if let Some(state) = entering.take() {
                    (index[state as usize], low[state as usize]) = (next, next);
                    next += 1;
                    open[state as usize] = true;
                    stack.push(state);
                    visits.push((state, 0));
                }
                let Some((state, at)) = visits.last_mut() else { break };
                let here = *state as usize;
                match self.forward.of(*state).get(*at) {
                    Some(&(to, _)) => {
                        *at += 1;
                        if index[to as usize] == u32::MAX && self.doomed[to as usize] == Doom::Reaches {
                            entering = Some(to);
                        } else if open[to as usize] {
                            low[here] = low[here].min(index[to as usize]);
                        }
                    }
                    None => {
                        visits.pop();
                        if let Some((parent, _)) = visits.last() {
                            low[*parent as usize] = low[*parent as usize].min(low[here]);
                        }
                        if low[here] == index[here] {
                            let from = stack.iter().rposition(|state| *state as usize == here);
                            let component = stack.split_off(from.unwrap_or(0));
                            component.iter().for_each(|state| open[*state as usize] = false);
                            components.push(component);
                        }
                    }
                }
            }
        }
        components
    }

    /// Computes the formulas of a component; those behind it are final. `number` tells components apart;
    /// `waiting`, which states are to be computed again, is nowhere set before and after.
    fn settle(
        &mut self,
        component: &[u32],
        number: &[u32],
        waiting: &mut [bool],
        bdd: &mut Bdd,
        limit: usize,
    ) -> Result<(), TooLarge> {
        // The last to be entered are deepest: they settle first.
        let mut work: Vec<u32> = component.to_vec();
        component.iter().for_each(|state| waiting[*state as usize] = true);
        while let Some(state) = work.pop() {
            waiting[state as usize] = false;
            let mut formula = self.formulas[state as usize];
            for &(to, set) in self.forward.of(state) {
                let edge = bdd.or(self.formulas[to as usize], self.sets[set as usize]);
                formula = bdd.and(formula, edge);
            }
            if bdd.len() > limit {
                return Err(TooLarge { nodes: limit });
            }
            if formula == self.formulas[state as usize] {
                continue;
            }
            self.formulas[state as usize] = formula;
            for &(before, _) in self.backward.of(state) {
                // Predecessors outside of the component have their turn later; a state alone is done, since an
                // edge to itself adds nothing to its formula.
                let (here, there) = (number[state as usize], number[before as usize]);
                if here == there && before != state && !waiting[before as usize] {
                    waiting[before as usize] = true;
                    work.push(before);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of small numbers; constants of Knuth's MMIX.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % bound
        }
    }

    /// Whether an error can be reached when some constraints are enforced.
    fn reaches(graph: &Graph, enforced: u32) -> bool {
        let mut seen = vec![false; graph.states];
        let mut work = graph.initial.clone();
        while let Some(state) = work.pop() {
            if std::mem::replace(&mut seen[state as usize], true) {
                continue;
            }
            for edge in graph.edges.iter().filter(|edge| edge.from == state) {
                if !graph.sets[edge.prevent as usize].iter().any(|var| enforced >> var & 1 == 1) {
                    work.push(edge.to);
                }
            }
        }
        graph.errors.iter().any(|error| seen[*error as usize])
    }

    #[test]
    fn formulas_agree_with_reachability_for_every_set() {
        const VARS: u32 = 6;
        let mut interesting = 0;
        for seed in 0..3000 {
            let mut random = Random(seed);
            let states = 2 + random.below(12) as u32;
            let mut graph = Graph::new(states as usize);
            for _ in 0..random.below(30) {
                let (from, to) = (random.below(states as u64) as u32, random.below(states as u64) as u32);
                let prevent: Vec<u32> =
                    (0..random.below(3)).map(|_| random.below(VARS as u64) as u32).collect();
                graph.edge(from, to, &prevent);
            }
            graph.initial = (0..1 + random.below(2)).map(|_| random.below(states as u64) as u32).collect();
            graph.errors = (0..random.below(3)).map(|_| random.below(states as u64) as u32).collect();
            let mut bdd = Bdd::default();
            let formula = avoid(&graph, &mut bdd, usize::MAX).unwrap();
            interesting += (formula > Formula::TRUE) as u32;
            let mut minimal = Vec::new();
            for set in 0..1u32 << VARS {
                let good = !reaches(&graph, set);
                assert_eq!(
                    bdd.satisfied(formula, |var| set >> var & 1 == 1),
                    good,
                    "seed {seed}, set {set:b}"
                );
                let fewer = (0..VARS).filter(|var| set >> var & 1 == 1).map(|var| set & !(1 << var));
                if good && fewer.into_iter().all(|fewer| reaches(&graph, fewer)) {
                    minimal.push(set);
                }
            }
            let mut found: Vec<u32> = super::super::Minimal::of(&bdd, formula)
                .sets(usize::MAX)
                .iter()
                .map(|set| set.iter().fold(0, |bits, var| bits | 1 << var))
                .collect();
            found.sort_unstable();
            assert_eq!(found, minimal, "seed {seed}");
            let weight = |var: u32| [3, 1, 4, 1, 5, 2][var as usize];
            let cost = |set: u32| (0..VARS).filter(|var| set >> var & 1 == 1).map(weight).sum::<u64>();
            let best = super::super::cheapest(&bdd, formula, weight).map(|(cost, _)| cost);
            assert_eq!(best, minimal.iter().map(|set| cost(*set)).min(), "seed {seed}");
        }
        // The generator must make systems whose errors can be avoided, but not without constraints.
        assert!(interesting > 300, "{interesting}");
    }

    #[test]
    fn a_long_execution_needs_no_deep_stack_and_a_limit_is_kept() {
        let mut graph = Graph::new(0);
        for state in 0..200_000 {
            graph.edge(state, state + 1, &[state % 7]);
        }
        graph.initial = vec![0];
        graph.errors = vec![200_000];
        let mut bdd = Bdd::default();
        let formula = avoid(&graph, &mut bdd, usize::MAX).unwrap();
        assert_eq!(formula, bdd.any(&[0, 1, 2, 3, 4, 5, 6]));
        assert_eq!(avoid(&graph, &mut Bdd::default(), 10), Err(TooLarge { nodes: 10 }));
    }
}
