//! From a violation of an abstraction to one with real store buffers.
//!
//! The threads run in the same order as they do abstractly, and all ways in which stores can reach memory in
//! between are tried. If the same steps fail on real buffers, the violation is real; if they do not, it may
//! still be: another order of the threads may show it.

use crate::code::{Code, small};
use crate::options::Options;
use crate::reduce::footprint::Footprint;
use crate::search::path_in;
use crate::state::{EMPTY, Phase, World};
use crate::step::expand::{Move, Step, take};
use crate::step::machine::Machine;
use crate::step::recorder::Nothing;
use crate::step::run::{self, Stop};
use crate::step::script::Script;
use fencepost_lsl::program::Program;
use rustc_hash::FxHashSet;

/// Pairs of a position and a state after which to give up.
const LIMIT: usize = 30_000;

/// A state on the way.
struct Node {
    world: World,
    /// How many of the threads' steps were made.
    made: usize,
}

/// Steps on real buffers that run threads in the order of the given ones and fail.
pub(crate) fn concretize(
    code: &Code,
    program: &Program,
    options: &Options,
    footprint: &Footprint,
    steps: &[Step],
) -> Option<Vec<Step>> {
    let order: Vec<usize> =
        steps.iter().filter(|step| matches!(step.what, Move::Run(_))).map(|step| step.thread).collect();
    let mut machine = Machine::new(code, program, options, footprint.clone(), None);
    let world = machine.start();
    let mut seen: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut nodes = vec![Node { world, made: 0 }];
    // How each was reached.
    let mut parents = vec![None];
    let mut next = World::default();
    // The newest first: real violations are mostly found on the first try.
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        for step in moves(&machine, &nodes[at], &order) {
            let runs = matches!(step.what, Move::Run(_));
            let mut script = Script::default();
            loop {
                let (world, thread) = (&nodes[at].world, step.thread);
                let result = match runs {
                    true => run::run(&mut machine, world, &mut next, thread, &mut script, &mut Nothing),
                    false => take(&mut machine, world, &mut next, &step, &mut Nothing),
                };
                let step = match runs {
                    true => Step { thread, what: Move::Run(script.clone()) },
                    false => step.clone(),
                };
                match result {
                    Ok(()) => {
                        let made = nodes[at].made + runs as usize;
                        let (state, _) = machine.pools.encode(&next);
                        if seen.insert((made, state)) {
                            open.push(nodes.len());
                            nodes.push(Node { world: next.clone(), made });
                            parents.push(Some((small(at), step)));
                        }
                    }
                    Err(Stop::Fault(_)) => return Some(path_in(&parents, small(at), Some(step))),
                    Err(_) => {}
                }
                if !runs || !script.advance() {
                    break;
                }
            }
        }
        if nodes.len() > LIMIT {
            return None;
        }
    }
    None
}

/// What may happen next: a store reaches memory, or the thread runs whose turn it is. The last is tried first.
fn moves(machine: &Machine, node: &Node, order: &[usize]) -> Vec<Step> {
    let mut moves = Vec::new();
    for thread in 0..node.world.threads.len() {
        if node.world.buffers[thread] == EMPTY {
            continue;
        }
        let buffer = machine.buffer(&node.world, thread);
        let flushes = buffer.flushes(machine.one_queue());
        moves.extend(flushes.map(|flush| Step { thread, what: Move::Flush(flush) }));
    }
    if let Some(&thread) = order.get(node.made)
        && thread < node.world.threads.len()
        && machine.phase(&node.world, thread) == Phase::Running
    {
        moves.push(Step { thread, what: Move::Run(Script::default()) });
    }
    moves
}
