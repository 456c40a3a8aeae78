//! Stuck states: every thread that is not done waits for ever.
//!
//! A thread waits if it cannot run, or if however long it runs alone it neither ends nor changes anything
//! that others can see: it spins. No instrumentation is needed, and no notion of a lock. If all threads that
//! are not done wait so, none ever gives another a reason to stop waiting. A thread that can only go on to where the
//! program ends does not wait, and where it can only go on to where the user's assumptions rule the execution out, there is
//! no execution to judge.

use crate::state::{EMPTY, Phase, World};
use crate::step::expand::tidy;
use crate::step::machine::Machine;
use crate::step::notice::noticeable;
use crate::step::recorder::Nothing;
use crate::step::run::{self, Stop};
use crate::step::script::Script;
use fencepost_harness::verdict::Reason;
use rustc_hash::FxHashMap;

/// Runs of a thread after which limits are looked at.
const POLLED: usize = 16;

/// How a state goes on if every thread runs alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    /// Some thread does something.
    Going,
    /// These threads are not done, and wait for ever.
    Stuck(Vec<usize>),
    /// All that are not done wait, but for some that can only go on to the end of the program, or to where an assumption of the
    /// user's rules the execution out.
    Over,
}

/// What becomes of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Going,
    Waits,
    Over,
}

/// What becomes of a state.
pub(crate) fn rest(machine: &mut Machine, world: &World) -> Result<Rest, Reason> {
    if world.buffers.iter().any(|buffer| *buffer != EMPTY) {
        return Ok(Rest::Going);
    }
    let threads = 0..world.threads.len();
    let live: Vec<usize> = threads.filter(|&t| machine.phase(world, t) != Phase::Finished).collect();
    let mut over = live.is_empty();
    for &thread in &live {
        match fate(machine, world, thread)? {
            Fate::Going => return Ok(Rest::Going),
            Fate::Waits => {}
            Fate::Over => over = true,
        }
    }
    Ok(if over { Rest::Over } else { Rest::Stuck(live) })
}

/// What a thread does that runs alone: whether it changes nothing for ever in one of the ways that its choices may go.
fn fate(machine: &mut Machine, world: &World, thread: usize) -> Result<Fate, Reason> {
    if machine.memo.waiting.knows(world, thread) {
        return Ok(Fate::Waits);
    }
    let mut seen: FxHashMap<World, usize> = FxHashMap::default();
    // Where each state leads.
    let mut edges: Vec<Vec<usize>> = vec![Vec::new()];
    let mut work = vec![(0, world.clone())];
    seen.insert(world.clone(), 0);
    let mut waits = false;
    let mut next = World::default();
    let mut runs = 0;
    while let Some((number, from)) = work.pop() {
        let mut script = Script::default();
        loop {
            match run::run(machine, &from, &mut next, thread, &mut script, &mut Nothing) {
                Ok(()) => {
                    tidy(machine, &mut next);
                    let done = machine.phase(&next, thread) == Phase::Finished;
                    if done || noticeable(machine, world, &next, thread) {
                        return Ok(Fate::Going);
                    }
                    let fresh = edges.len();
                    let to = *seen.entry(next.clone()).or_insert(fresh);
                    if to == fresh {
                        edges.push(Vec::new());
                        work.push((to, next.clone()));
                    }
                    edges[number].push(to);
                }
                Err(Stop::Blocked) => waits = true,
                Err(Stop::Pruned | Stop::Exited) => {}
                Err(Stop::Limit(reason)) => return Err(reason),
                // Fails: no execution in which it waits.
                Err(_) => return Ok(Fate::Going),
            }
            script.poll(&machine.options.budget)?;
            runs += 1;
            if runs % POLLED == 0 {
                machine.options.budget.spent()?;
            }
            if runs % (64 * POLLED) == 0 && machine.options.budget.full(machine.pools.bytes()) {
                return Err(Reason::Memory);
            }
            if !script.advance() {
                break;
            }
        }
    }
    // With no way out, the thread waits from each of these states on.
    let stays = edges.iter().all(|to| !to.is_empty());
    if stays {
        machine.memo.waiting.keep(seen.into_keys().collect(), thread);
    }
    Ok(if waits || circles(&edges) { Fate::Waits } else { Fate::Over })
}

/// Whether one can go round for ever.
fn circles(edges: &[Vec<usize>]) -> bool {
    // Those from which all ways end are taken out, last ones first.
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
        into[to].push(from);
    }
    let mut left: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut ends: Vec<usize> = (0..edges.len()).filter(|&at| left[at] == 0).collect();
    let mut taken = 0;
    while let Some(at) = ends.pop() {
        taken += 1;
        for &from in &into[at] {
            left[from] -= 1;
            if left[from] == 0 {
                ends.push(from);
            }
        }
    }
    taken < edges.len()
}
