//! Executions that never end: circles among the states, found after all states are known.
//!
//! A process is a thread; or a queue of stores, of which on tso each thread has one and on pso one for each address. A
//! strongly connected set of states holds a weakly fair circle just if every process that can go on in all of its
//! states does so in one of its steps: the circle that goes through all of the set. If some process can always go on
//! and never does, no circle in the set is fair. A strongly fair circle must also let go on every process that can in
//! one of its states; where the set has no step of such a process, a circle must avoid the states in which it can go
//! on, so what is left without them is looked at again (Emerson and Lei 1987). Sets of stuck states are left out;
//! whether a subject may get stuck is judged apart. A thread that could go on to the end of the program, or to where an
//! assumption of the user's rules the execution out, can go on, though in no circle: its step leads to an extra state
//! that nothing leaves.
//!
//! The reductions keep this: what a step runs along with its visible action ends, and neither disables nor
//! enables others, so threads go round together in the reduced graph just if they do in the full one.

use crate::code::small;
use crate::judge::stuck::{Rest, rest};
use crate::state::World;
use crate::step::expand::{Expander, Move, Step, Successor};
use crate::step::machine::Machine;
use fencepost_harness::verdict::Reason;
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

/// Which circles are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fairness {
    /// All.
    None,
    /// Those in which no process is left out that could always go on.
    Weak,
    /// Those in which no process is left out that could go on again and again.
    Strong,
}

/// Processes by number.
#[derive(Default)]
struct Processes {
    /// Threads, and the addresses of their queues; on tso, where a thread has one, zero.
    numbers: FxHashMap<(usize, Option<u64>), u32>,
}

impl Processes {
    fn number(&mut self, machine: &Machine, world: &World, step: &Step) -> Result<u32, Reason> {
        let queue = match &step.what {
            Move::Run(_) => None,
            _ if machine.one_queue() => Some(0),
            Move::Flush(flush) => {
                let to = machine.buffer(world, step.thread).target(flush);
                Some(to.ok_or_else(|| internal("a store that is in no buffer reaches memory"))?)
            }
        };
        self.of(step.thread, queue)
    }

    /// A thread, or its queue.
    fn of(&mut self, thread: usize, queue: Option<u64>) -> Result<u32, Reason> {
        let next = u32::try_from(self.numbers.len()).map_err(|_| Reason::Memory)?;
        Ok(*self.numbers.entry((thread, queue)).or_insert(next))
    }
}

fn internal(why: &str) -> Reason {
    Reason::Internal(why.into())
}

#[derive(Default)]
struct Graph {
    edges: Vec<Edge>,
    ends: Vec<usize>,
    /// Numbers of processes.
    processes: Processes,
}

impl Graph {
    fn from(&self, state: u32) -> &[Edge] {
        let start = if state == 0 { 0 } else { self.ends[state as usize - 1] };
        &self.edges[start..self.ends[state as usize]]
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

    /// Strongly connected sets of those states for which `keep` holds, if they have a circle; the first come first.
    fn sets(&self, keep: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let component = components(self, keep);
        let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (state, number) in (0u32..).zip(&component).filter(|(_, number)| **number != NONE) {
            members.entry(*number).or_default().push(state);
        }
        let circles = |set: &Vec<u32>| {
            let number = component[set[0] as usize];
            let inside = |edge: &Edge| component[edge.to as usize] == number;
            set.iter().any(|state| self.from(*state).iter().any(inside))
        };
        let mut sets: Vec<Vec<u32>> = members.into_values().filter(circles).collect();
        sets.sort();
        sets
    }
}

/// An execution that never ends, if there is one that is as fair as is asked for. All states must have been explored.
pub(crate) fn endless(machine: &mut Machine, fairness: Fairness) -> Result<Option<Lasso>, Reason> {
    let mut expander = Expander::default();
    let mut graph = Graph::default();
    let count = u32::try_from(machine.pools.states.len()).map_err(|_| Reason::Memory)?;
    for state in 0..count {
        if state % 1024 == 0 {
            machine.options.budget.spent()?;
        }
        if expander.expand(machine, state).is_err() {
            // The search would have ended there.
            return Err(internal("a step fails that did not"));
        }
        for successor in &expander.successors {
            let process = graph.processes.number(machine, &expander.world, &successor.step)?;
            graph.edges.push(Edge { to: successor.state, process });
        }
        for &thread in &expander.ending {
            let process = graph.processes.of(thread, None)?;
            graph.edges.push(Edge { to: count, process });
        }
        graph.ends.push(graph.edges.len());
    }
    // Nothing follows the end of a program, or what is ruled out.
    graph.ends.push(graph.edges.len());
    if machine.pools.states.len() != count as usize {
        return Err(internal("states turn up that were not explored"));
    }
    let mut open = graph.sets(&|_| true);
    open.reverse();
    while let Some(set) = open.pop() {
        machine.options.budget.spent()?;
        let inside = |state: u32| set.binary_search(&state).is_ok();
        let mut goals = match goals(&graph, &set, &inside, fairness) {
            Circle::Goals(goals) => goals,
            Circle::None => continue,
            Circle::Within(keep) => {
                let mut smaller = graph.sets(&|state| keep.binary_search(&state).is_ok());
                smaller.reverse();
                open.extend(smaller);
                continue;
            }
        };
        machine.pools.decode(set[0], &mut expander.world);
        if matches!(rest(machine, &expander.world)?, Rest::Stuck(_)) {
            continue;
        }
        goals.push((set[0], None));
        let lasso = lasso(machine, &mut expander, &graph, set[0], &goals, &inside);
        return lasso.map(Some).ok_or_else(|| internal("a circle cannot be walked"));
    }
    Ok(None)
}

/// What is known of circles in a set.
enum Circle {
    /// States, and edges from them, that a circle must pass to be fair.
    Goals(Vec<(u32, Option<Edge>)>),
    /// None is fair.
    None,
    /// Those that are fair keep to these states.
    Within(Vec<u32>),
}

fn goals(graph: &Graph, set: &[u32], inside: &dyn Fn(u32) -> bool, fairness: Fairness) -> Circle {
    let edges = || set.iter().flat_map(|state| graph.from(*state).iter().map(move |edge| (*state, *edge)));
    let steps = || edges().filter(|(_, edge)| inside(edge.to));
    if fairness == Fairness::None {
        let own = steps().find(|(state, edge)| edge.to == *state).or_else(|| steps().next());
        return own.map_or(Circle::None, |(state, edge)| Circle::Goals(vec![(state, Some(edge))]));
    }
    let mut processes: Vec<u32> = edges().map(|(_, edge)| edge.process).collect();
    processes.sort_unstable();
    processes.dedup();
    let waits = |state: u32, process: u32| graph.from(state).iter().all(|edge| edge.process != process);
    let mut goals = Vec::new();
    let mut left_out = Vec::new();
    for process in processes {
        if let Some((state, edge)) = steps().find(|(_, edge)| edge.process == process) {
            goals.push((state, Some(edge)));
            continue;
        }
        match set.iter().find(|state| waits(**state, process)) {
            Some(state) => goals.push((*state, None)),
            None => return Circle::None,
        }
        left_out.push(process);
    }
    if fairness == Fairness::Strong && !left_out.is_empty() {
        let keeps = |state: &u32| left_out.iter().all(|process| waits(*state, *process));
        return Circle::Within(set.iter().copied().filter(keeps).collect());
    }
    Circle::Goals(goals)
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
            let edges = graph.from(pair[0]);
            let fits = |(_, edge): &(&Successor, &Edge)| {
                edge.to == pair[1] && process.is_none_or(|wanted| edge.process == wanted)
            };
            taken.push(expander.successors.iter().zip(edges).find(fits)?.0.step.clone());
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

/// The number of no component.
const NONE: u32 = u32::MAX;

/// The strongly connected component of each state for which `keep` holds (Tarjan 1972, without recursion).
fn components(graph: &Graph, keep: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let count = graph.ends.len();
    let (mut index, mut low) = (vec![NONE; count], vec![NONE; count]);
    let mut component = vec![NONE; count];
    let mut open: Vec<u32> = Vec::new();
    let (mut next, mut found) = (0, 0);
    for root in 0..small(count) {
        if index[root as usize] != NONE || !keep(root) {
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
                if !keep(edge.to) {
                    continue;
                }
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
