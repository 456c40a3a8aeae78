//! All steps from a state.

use crate::code::small;
use crate::reduce::collect::collect;
use crate::reduce::memo::Change;
use crate::reduce::rename::Renaming;
use crate::reduce::symmetry::comes_later;
use crate::state::buffer::Flush;
use crate::state::{EMPTY, Phase, World};
use crate::step::machine::{Machine, Passed};
use crate::step::notice::{noticeable, private};
use crate::step::recorder::{Nothing, Recorder};
use crate::step::run::{self, Run, Stop};
use crate::step::script::Script;

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    /// The thread runs, with these choices.
    Run(Script),
    /// A store in its buffer reaches memory.
    Flush(Flush),
}

/// A step of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) thread: usize,
    pub(crate) what: Move,
}

/// A step and where it leads.
pub(crate) struct Successor {
    pub(crate) step: Step,
    pub(crate) state: u32,
    pub(crate) new: bool,
    /// Whether others may notice, or the thread is done.
    pub(crate) loud: bool,
    /// With labelled stores: what the step passed.
    pub(crate) passed: Passed,
}

/// A step that leads nowhere good.
pub(crate) struct Failure {
    pub(crate) step: Step,
    /// Why; never that it has to wait.
    pub(crate) stop: Stop,
}

/// Buffers for expansion, used over and over.
#[derive(Default)]
pub(crate) struct Expander {
    pub(crate) world: World,
    next: World,
    renaming: Renaming,
    /// Whether only one thread is left, which then goes further than otherwise.
    alone: bool,
    pub(crate) successors: Vec<Successor>,
    /// With labelled stores: what steps that fail passed. Such steps do not end the expansion.
    pub(crate) faults: Vec<Passed>,
    /// Threads that could go on to where the program ends, or the execution is ruled out.
    pub(crate) ending: Vec<usize>,
    /// Whether the program may end here, though not all threads are done: one calls `exit`.
    pub(crate) exits: bool,
}

impl Expander {
    /// Finds all steps from a state. Self-loops count.
    pub(crate) fn expand(&mut self, machine: &mut Machine, state: u32) -> Result<(), Failure> {
        self.successors.clear();
        self.faults.clear();
        self.ending.clear();
        self.exits = false;
        machine.pools.decode(state, &mut self.world);
        let switches = match machine.options.preemptions {
            Some(_) if self.world.last > 0 => self.goes_on(machine)?,
            _ => false,
        };
        let busy = |&thread: &usize| {
            machine.phase(&self.world, thread) != Phase::Finished || self.world.buffers[thread] != EMPTY
        };
        self.alone =
            machine.options.reductions.sole && (0..self.world.threads.len()).filter(busy).count() == 1;
        for thread in 0..self.world.threads.len() {
            let cost = (switches && self.world.last as usize != thread + 1) as u32;
            let allowed =
                machine.options.preemptions.is_none_or(|most| self.world.preemptions + cost <= most);
            if machine.phase(&self.world, thread) == Phase::Running
                && allowed
                && !(machine.alike.symmetric
                    && comes_later(machine.code, &machine.pools, &self.world, thread))
            {
                self.runs(machine, thread, cost)?;
            }
            if self.world.buffers[thread] != EMPTY {
                self.flushes(machine, thread)?;
            }
        }
        Ok(())
    }

    /// Whether the thread that ran last could go on and change something.
    fn goes_on(&mut self, machine: &mut Machine) -> Result<bool, Failure> {
        let thread = self.world.last as usize - 1;
        if machine.phase(&self.world, thread) != Phase::Running {
            return Ok(false);
        }
        let mut script = Script::default();
        loop {
            match run::run(machine, &self.world, &mut self.next, thread, &mut script, &mut Nothing) {
                Ok(()) => {
                    tidy(machine, &mut self.next);
                    if self.next != self.world {
                        return Ok(true);
                    }
                }
                Err(Stop::Blocked | Stop::Pruned | Stop::Exited) => {}
                Err(stop @ Stop::Limit(_)) => {
                    return Err(Failure { step: Step { thread, what: Move::Run(script) }, stop });
                }
                Err(_) => return Ok(true),
            }
            if let Err(reason) = script.poll(&machine.options.budget) {
                let step = Step { thread, what: Move::Run(script) };
                return Err(Failure { step, stop: Stop::Limit(reason) });
            }
            if !script.advance() {
                return Ok(false);
            }
        }
    }

    fn runs(&mut self, machine: &mut Machine, thread: usize, cost: u32) -> Result<(), Failure> {
        let mut script = Script::default();
        if !self.alone
            && let Some(known) = machine.memo.find(&machine.pools, &self.world, thread)
        {
            if let Some(change) = known {
                self.next.copy(&self.world);
                change.apply(&mut self.next, thread);
                let (leaves, moves, loud) = (change.leaves, change.moves, change.loud);
                self.count(machine, thread, cost);
                self.found(machine, Step { thread, what: Move::Run(script) }, leaves, moves, loud);
            }
            return Ok(());
        }
        loop {
            let stop =
                run::run(machine, &self.world, &mut self.next, thread, &mut script, &mut Nothing).err();
            let step = |script: Script| Step { thread, what: Move::Run(script) };
            match stop {
                None => {
                    let (mut leaves, mut moves, mut loud) = (true, true, true);
                    if machine.looks.pure {
                        let pools = &machine.pools;
                        let looks = &machine.looks.seen;
                        let own = |object| private(machine, object, thread);
                        let mut change = Change::between(pools, &self.world, &self.next, thread, looks, own);
                        change.loud |= machine.phase(&self.next, thread) == Phase::Finished;
                        (leaves, moves, loud) = (change.leaves, change.moves, change.loud);
                        machine.memo.keep(&self.world, thread, looks, Some(change));
                    }
                    if !machine.looks.pure {
                        // What was made and dropped at once is seen by nobody.
                        tidy(machine, &mut self.next);
                        leaves = false;
                        let done = machine.phase(&self.next, thread) == Phase::Finished;
                        loud = done || noticeable(machine, &self.world, &self.next, thread);
                    }
                    self.count(machine, thread, cost);
                    self.found(machine, step(script.clone()), leaves, moves, loud);
                }
                Some(Stop::Blocked) if machine.looks.pure => {
                    machine.memo.keep(&self.world, thread, &machine.looks.seen, None);
                }
                Some(Stop::Blocked) => {}
                Some(stop @ (Stop::Pruned | Stop::Exited)) => {
                    self.ending.push(thread);
                    self.exits |= stop == Stop::Exited;
                }
                Some(Stop::Fault(_)) if machine.options.labelled => {
                    self.faults.push(std::mem::take(&mut machine.notes.passed));
                }
                Some(stop) => return Err(Failure { step: step(script.clone()), stop }),
            }
            if let Err(reason) = script.poll(&machine.options.budget) {
                return Err(Failure { step: step(script), stop: Stop::Limit(reason) });
            }
            if !script.advance() {
                return Ok(());
            }
        }
    }

    fn flushes(&mut self, machine: &mut Machine, thread: usize) -> Result<(), Failure> {
        let buffer = machine.buffer(&self.world, thread);
        for flush in buffer.flushes(machine.one_queue()) {
            self.flushed(machine, Step { thread, what: Move::Flush(flush) })?;
        }
        Ok(())
    }

    fn flushed(&mut self, machine: &mut Machine, step: Step) -> Result<(), Failure> {
        machine.notes.passed.clear();
        if let Err(stop) = take(machine, &self.world, &mut self.next, &step, &mut Nothing) {
            return Err(Failure { step, stop });
        }
        self.found(machine, step, true, true, true);
        Ok(())
    }

    /// Counts a preemption.
    fn count(&mut self, machine: &Machine, thread: usize, cost: u32) {
        if machine.options.preemptions.is_some() {
            self.next.last = small(thread) + 1;
            self.next.preemptions += cost;
        }
    }

    fn found(&mut self, machine: &mut Machine, step: Step, leaves: bool, moves: bool, loud: bool) {
        if leaves {
            tidy(machine, &mut self.next);
        }
        if moves && machine.alike.renames {
            self.renaming.rename(machine.code, &mut machine.pools, &mut self.next);
        }
        let (state, new) = machine.pools.encode(&self.next);
        let passed = std::mem::take(&mut machine.notes.passed);
        self.successors.push(Successor { step, state, new, loud, passed });
    }
}

/// Drops what nothing refers to.
pub(crate) fn tidy(machine: &mut Machine, world: &mut World) {
    let options = machine.options;
    if options.reductions.collect && !options.reuse && machine.footprint.trust().plain {
        collect(&machine.pools, world, options.leaks);
    }
    world.shape = machine.pools.shape(world);
}

/// Makes a step from one world to another.
pub(crate) fn take<R: Recorder>(
    machine: &mut Machine,
    before: &World,
    world: &mut World,
    step: &Step,
    recorder: &mut R,
) -> Result<(), Stop> {
    match &step.what {
        Move::Run(script) => run::run(machine, before, world, step.thread, &mut script.clone(), recorder),
        Move::Flush(flush) => {
            world.copy(before);
            let mut script = Script::default();
            let mut run = Run::flushing(machine, world, step.thread, &mut script, recorder);
            run.flush(flush)?;
            run.settle();
            let buffer = run.buffer;
            world.buffers[step.thread] = machine.pools.intern_buffer(&buffer);
            Ok(())
        }
    }
}
