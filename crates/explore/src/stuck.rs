//! Stuck states: every thread that is not done waits for ever.
//!
//! A thread waits if it cannot run, or if however long it runs alone it neither ends nor changes anything
//! that others can see: it spins. No instrumentation is needed, and no notion of a lock. If all threads that
//! are not done wait so, none ever gives another a reason to stop waiting.

use crate::expand::tidy;
use crate::machine::Machine;
use crate::recorder::Nothing;
use crate::run::{self, Stop};
use crate::script::Script;
use crate::state::{EMPTY, Phase, World};
use fencepost_harness::verdict::Reason;
use rustc_hash::FxHashSet;

/// Runs of a thread after which limits are looked at.
const POLLED: usize = 16;

/// States of a thread that was found to wait: whatever it does, it stays among them.
#[derive(Default)]
pub(crate) struct Waiting(Vec<FxHashSet<World>>);

impl Waiting {
    fn knows(&self, world: &World, thread: usize) -> bool {
        self.0.get(thread).is_some_and(|states| states.contains(world))
    }

    /// Of each thread, those found last: a circle is asked about from each of its states.
    fn keep(&mut self, states: FxHashSet<World>, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize_with(thread + 1, FxHashSet::default);
        }
        self.0[thread] = states;
    }
}

/// The threads that are not done, if all of these wait for ever.
pub(crate) fn stuck(machine: &mut Machine, world: &World) -> Result<Option<Vec<usize>>, Reason> {
    if world.buffers.iter().any(|buffer| *buffer != EMPTY) {
        return Ok(None);
    }
    let threads = 0..world.threads.len();
    let live: Vec<usize> = threads.filter(|&t| machine.phase(world, t) != Phase::Finished).collect();
    for &thread in &live {
        if !waits(machine, world, thread)? {
            return Ok(None);
        }
    }
    Ok((!live.is_empty()).then_some(live))
}

/// Whether a thread, running alone, changes nothing for ever.
fn waits(machine: &mut Machine, world: &World, thread: usize) -> Result<bool, Reason> {
    if machine.waiting.knows(world, thread) {
        return Ok(true);
    }
    let mut seen: FxHashSet<World> = FxHashSet::default();
    let mut work = vec![world.clone()];
    let mut next = World::default();
    let mut runs = 0;
    while let Some(from) = work.pop() {
        let mut script = Script::default();
        loop {
            match run::run(machine, &from, &mut next, thread, &mut script, &mut Nothing) {
                Ok(()) => {
                    tidy(machine, &mut next);
                    let done = machine.phase(&next, thread) == Phase::Finished;
                    if done || noticeable(machine, world, &next, thread) {
                        return Ok(false);
                    }
                    if seen.insert(next.clone()) {
                        work.push(next.clone());
                    }
                }
                Err(Stop::Blocked) => {}
                // Fails, or is ruled out: no execution in which it waits.
                Err(_) => return Ok(false),
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
    machine.waiting.keep(seen, thread);
    Ok(true)
}

/// Whether two states differ in more than what only one thread can see.
pub(crate) fn noticeable(machine: &Machine, a: &World, b: &World, thread: usize) -> bool {
    let others = |world: &World| {
        let mut threads = world.threads.clone();
        threads[thread] = 0;
        threads
    };
    let shared = |world: &World| -> Vec<(u32, u32)> {
        let pairs = world.slots.iter().copied().zip(world.objects.iter().copied());
        pairs.filter(|(_, object)| !private(machine, *object, thread)).collect()
    };
    a.monitor != b.monitor
        || a.threads.len() != b.threads.len()
        || others(a) != others(b)
        || a.buffers != b.buffers
        || a.globals != b.globals
        || shared(a) != shared(b)
}

/// Whether only one thread can see an object.
pub(crate) fn private(machine: &Machine, object: u32, thread: usize) -> bool {
    let object = machine.pools.object(object);
    let site = (object.class() as usize).checked_sub(machine.program.globals.len());
    object.owner() == Some(thread) || site.is_some_and(|site| machine.code.sites[site].confined)
}
