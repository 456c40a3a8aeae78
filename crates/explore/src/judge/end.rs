//! Whether an execution may end as it does.

use crate::code::{Instr, register};
use crate::judge::leak::leaked;
use crate::state::address;
use crate::state::{EMPTY, Phase, World};
use crate::step::machine::Machine;
use fencepost_harness::monitor::MonitorState;
use fencepost_harness::observation::{self, Observation, ObservationSet};
use fencepost_harness::result::Wrong;
use fencepost_harness::verdict::Reason;
use rustc_hash::FxHashSet;

/// What is said of an end.
pub(crate) enum Judgement {
    /// As it should be.
    Good,
    /// Neither wrong nor worth anything.
    Neither,
    /// Wrong.
    Bad(Wrong),
    /// It cannot be told.
    Unknown(Reason),
}

pub(crate) struct Judge<'a> {
    /// Whether a closed program is judged.
    pub(crate) closed: bool,
    specification: Option<&'a ObservationSet>,
    /// Observations of complete executions.
    pub(crate) observations: ObservationSet,
    seen: FxHashSet<Observation>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(closed: bool, specification: Option<&'a ObservationSet>) -> Judge<'a> {
        Judge { closed, specification, observations: ObservationSet::default(), seen: FxHashSet::default() }
    }

    /// Whether all threads are done and all they wrote is seen.
    pub(crate) fn complete(&self, machine: &Machine, world: &World) -> bool {
        (0..world.threads.len())
            .all(|thread| machine.phase(world, thread) == Phase::Finished && world.buffers[thread] == EMPTY)
    }

    pub(crate) fn judge_complete(&mut self, machine: &mut Machine, world: &World) -> Judgement {
        if machine.options.leaks {
            let leaked = leaked(machine, world);
            if leaked.doubtful || !leaked.objects.is_empty() && !machine.footprint.trust().plain {
                let what =
                    "to find leaks of a program that keeps addresses in forms that cannot be recognised";
                return Judgement::Unknown(Reason::Unsupported(what.into()));
            }
            if !leaked.objects.is_empty() {
                return Judgement::Bad(Wrong::Leak(leaked.objects));
            }
        }
        if let Some(monitor) = machine.monitor.as_deref_mut() {
            return match monitor.accepts(MonitorState(world.monitor)) {
                true => Judgement::Good,
                false => Judgement::Bad(Wrong::Unexplained),
            };
        }
        if !machine.code.observed.is_empty() {
            let observation = observe(machine, world);
            // Which new object is seen, and where in it, does not depend on addresses.
            machine.alike.observed(observation.iter().filter_map(|seen| seen.word()));
            if self.seen.insert(observation.clone()) {
                let bad = self.specification.is_some_and(|admitted| !admitted.admits(&observation));
                self.observations.insert(observation);
                if bad {
                    return Judgement::Bad(Wrong::Observation);
                }
            }
        } else if self.specification.is_some_and(|admitted| !admitted.admits(&Vec::new())) {
            return Judgement::Bad(Wrong::Observation);
        }
        Judgement::Good
    }

    pub(crate) fn judge_stuck(
        &mut self,
        machine: &mut Machine,
        world: &World,
        threads: &[usize],
    ) -> Judgement {
        if machine.monitor.is_some() {
            // The first thread waits in initialisation or in a call before the others start: no history says anything
            // of that. Where the oracle may wait there too, the client is of no use, but not wrong.
            if threads.contains(&0) {
                return match may_wait_initially(machine) {
                    true => Judgement::Neither,
                    false => Judgement::Bad(Wrong::Stuck(threads.to_vec())),
                };
            }
            return match accepts_stuck(machine, world, threads) {
                true => Judgement::Good,
                false => Judgement::Bad(Wrong::Stuck(threads.to_vec())),
            };
        }
        match machine.options.stuck {
            true => Judgement::Bad(Wrong::Stuck(threads.to_vec())),
            false => Judgement::Neither,
        }
    }
}

/// What a test observes in a state in which all threads are done.
fn observe(machine: &mut Machine, world: &World) -> Observation {
    let code = machine.code;
    let mut values = Vec::new();
    let mut loaded = None;
    for (thread, call) in &code.observed {
        if loaded != Some(*thread) {
            machine.load_thread(world.threads[*thread as usize]);
            loaded = Some(*thread);
        }
        let site = &code.calls[*call as usize];
        let results = site.results.iter().map(|reg| register(*reg));
        values.extend(site.args.iter().copied().chain(results).map(|src| machine.thread.get(code, src)));
    }
    let places = world.slots.iter().zip(&world.objects);
    let objects = places.map(|(slot, object)| {
        let object = machine.pools.object(*object);
        (address::base(*slot, object.align()), object.size())
    });
    observation::observe(&code.pointers, &values, &objects.collect())
}

/// Whether the monitor accepts that threads are stuck, each in its pending call. A thread that could not
/// even make the first step of its call has not told the monitor of it.
fn accepts_stuck(machine: &mut Machine, world: &World, threads: &[usize]) -> bool {
    let mut state = MonitorState(world.monitor);
    for &thread in threads {
        let waiting = pending(machine, world.threads[thread]);
        let Some(monitor) = machine.monitor.as_deref_mut() else { return false };
        if let Some(call) = waiting {
            match monitor.invoke(state, thread - 1, &call) {
                Some(next) => state = next,
                None => return false,
            }
        }
    }
    let stuck: Vec<usize> = threads.iter().map(|thread| thread - 1).collect();
    machine.monitor.as_deref_mut().is_some_and(|monitor| monitor.accepts_stuck(state, &stuck))
}

/// Whether the oracle may wait at one of the calls before the threads start.
fn may_wait_initially(machine: &mut Machine) -> bool {
    let calls = machine.code.initial.iter();
    let calls: Vec<_> = calls.filter_map(|call| machine.code.calls[*call as usize].watched.clone()).collect();
    machine.monitor.as_deref_mut().is_some_and(|monitor| monitor.waits_initially(&calls))
}

/// The call that a thread is about to make.
fn pending(machine: &Machine, thread: u32) -> Option<fencepost_harness::client::FixedCall> {
    let words = machine.pools.threads.words.get(thread);
    match &machine.code.instrs[words[0] as u32 as usize] {
        Instr::Begin { call } => machine.code.calls[*call as usize].watched.clone(),
        _ => None,
    }
}
