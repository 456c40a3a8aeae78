//! Executions that never end: circles among the states, found after all states are known.
//!
//! A strongly connected set of states holds a fair circle just if every process (a thread, or a thread's
//! buffer) that can go on in all of its states does so in one of its steps: the circle that goes through all
//! of the set. If some process can always go on and never does, no circle in the set is fair. Sets of stuck
//! states are left out; whether a subject may get stuck is judged apart.
//!
//! The reductions keep this: what a step runs along with its visible action ends, and neither disables nor
//! enables others, so threads go round together in the reduced graph just if they do in the full one.

use crate::expand::{Expander, Step};
use crate::machine::Machine;
use crate::stuck::stuck;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Steps of an execution that goes round for ever.
pub(crate) struct Lasso {
    pub(crate) steps: Vec<Step>,
    /// Steps before the circle.
    pub(crate) stem: usize,
}

/// An edge: where it leads, and which process it is a step of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edge {
    to: u32,
    process: u32,
}

fn process(step: &Step) -> u32 {
    let flush = matches!(step.what, crate::expand::Move::Flush(_));
    2 * step.thread as u32 + flush as u32
}

struct Graph {
    edges: Vec<Edge>,
    ends: Vec<u32>,
}

impl Graph {
    fn from(&self, state: u32) -> &[Edge] {
        let start = if state == 0 { 0 } else { self.ends[state as usize - 1] };
        &self.edges[start as usize..self.ends[state as usize] as usize]
    }

    /// States on the shortest way from one state to another, both included, among those for which `inside`
    /// holds.
    fn way(&self, from: u32, to: u32, inside: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
        let mut parents: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        parents.insert(from, from);
        while let Some(state) = queue.pop_front() {
            if state == to {
                let mut way = vec![to];
                let mut at = to;
                while at != from {
                    at = parents[&at];
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            for edge in self.from(state) {
                if inside(edge.to) && !parents.contains_key(&edge.to) {
                    parents.insert(edge.to, state);
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}

/// An execution that never ends, if there is one; if `fair`, one that starves no process. All states must
/// have been explored.
pub(crate) fn endless(machine: &mut Machine, fair: bool) -> Option<Lasso> {
    let mut expander = Expander::default();
    let mut graph = Graph { edges: Vec::new(), ends: Vec::new() };
    for state in 0..machine.pools.states.len() as u32 {
        // None of them fails, or the search would have ended there.
        if expander.expand(machine, state).is_ok() {
            let edge = |s: &crate::expand::Successor| Edge { to: s.state, process: process(&s.step) };
            graph.edges.extend(expander.successors.iter().map(edge));
        }
        graph.ends.push(graph.edges.len() as u32);
    }
    let component = components(&graph);
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (state, number) in component.iter().enumerate() {
        members.entry(*number).or_default().push(state as u32);
    }
    let mut sets: Vec<Vec<u32>> = members.into_values().collect();
    sets.sort();
    for set in sets {
        let inside = |state: u32| component[state as usize] == component[set[0] as usize];
        let circles = set.iter().any(|state| graph.from(*state).iter().any(|edge| inside(edge.to)));
        if !circles {
            continue;
        }
        let Some(mut goals) = goals(&graph, &set, &inside, fair) else { continue };
        machine.pools.decode(set[0], &mut expander.world);
        if stuck(machine, &expander.world).is_some() {
            continue;
        }
        goals.push((set[0], None));
        return lasso(machine, &mut expander, &graph, set[0], &goals, &inside);
    }
    None
}

/// What a circle in a set must pass to be fair: states, and edges from them. None if none is.
fn goals(
    graph: &Graph,
    set: &[u32],
    inside: &dyn Fn(u32) -> bool,
    fair: bool,
) -> Option<Vec<(u32, Option<Edge>)>> {
    let edges = || set.iter().flat_map(|state| graph.from(*state).iter().map(move |edge| (*state, *edge)));
    let steps = || edges().filter(|(_, edge)| inside(edge.to));
    if !fair {
        let own = steps().find(|(state, edge)| edge.to == *state).or_else(|| steps().next());
        return own.map(|(state, edge)| vec![(state, Some(edge))]);
    }
    let mut processes: Vec<u32> = edges().map(|(_, edge)| edge.process).collect();
    processes.sort_unstable();
    processes.dedup();
    let mut goals = Vec::new();
    for process in processes {
        if let Some((state, edge)) = steps().find(|(_, edge)| edge.process == process) {
            goals.push((state, Some(edge)));
            continue;
        }
        let waits = |state: &&u32| graph.from(**state).iter().all(|edge| edge.process != process);
        goals.push((*set.iter().find(waits)?, None));
    }
    Some(goals)
}

/// Walks from the start to a state, then in a circle past all goals.
fn lasso(
    machine: &mut Machine,
    expander: &mut Expander,
    graph: &Graph,
    root: u32,
    goals: &[(u32, Option<Edge>)],
    inside: &dyn Fn(u32) -> bool,
) -> Option<Lasso> {
    let mut steps = Vec::new();
    let mut walk = |way: &[u32], process: Option<u32>| -> Option<Vec<Step>> {
        let mut taken = Vec::new();
        for pair in way.windows(2) {
            expander.expand(machine, pair[0]).ok()?;
            let fits = |s: &&crate::expand::Successor| {
                s.state == pair[1] && process.is_none_or(|wanted| self::process(&s.step) == wanted)
            };
            taken.push(expander.successors.iter().find(fits)?.step.clone());
        }
        Some(taken)
    };
    steps.extend(walk(&graph.way(0, root, &|_| true)?, None)?);
    let stem = steps.len();
    let mut at = root;
    for (state, edge) in goals {
        steps.extend(walk(&graph.way(at, *state, inside)?, None)?);
        at = *state;
        if let Some(edge) = edge {
            steps.extend(walk(&[at, edge.to], Some(edge.process))?);
            at = edge.to;
        }
    }
    Some(Lasso { steps, stem })
}

/// The strongly connected component of each state (Tarjan 1972, without recursion).
fn components(graph: &Graph) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = graph.ends.len();
    let (mut index, mut low) = (vec![NONE; count], vec![NONE; count]);
    let mut component = vec![NONE; count];
    let mut open: Vec<u32> = Vec::new();
    let (mut next, mut found) = (0, 0);
    for root in 0..count as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        let mut work: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((state, at)) = work.last_mut() {
            let here = *state as usize;
            if *at == 0 {
                (index[here], low[here]) = (next, next);
                next += 1;
                open.push(*state);
            }
            if let Some(edge) = graph.from(*state).get(*at) {
                *at += 1;
                let to = edge.to as usize;
                if index[to] == NONE {
                    work.push((edge.to, 0));
                } else if component[to] == NONE {
                    low[here] = low[here].min(index[to]);
                }
                continue;
            }
            if low[here] == index[here] {
                while let Some(member) = open.pop() {
                    component[member as usize] = found;
                    if member as usize == here {
                        break;
                    }
                }
                found += 1;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[here]);
            }
        }
    }
    component
}
