//! All states that can be reached, with the steps between them.
//!
//! A state is the numbers of its threads and objects, each of which is kept once: states are exact.

use super::Overtaking;
use super::execute::Step;
use super::machine::{Machine, Stop};
use super::rules::Effect;
use super::state::{Thread, What, World};
use super::{Labels, Transitions};
use crate::code::{Code, register, small};
use crate::state::intern::Interner;
use fencepost_harness::observation::{self, Observation, ObservationSet};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::memory::Object;
use fencepost_lsl::program::Place;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// Values, each of which is kept once and has a number.
struct Pool<T> {
    all: Vec<Rc<T>>,
    known: FxHashMap<Rc<T>, u32>,
}

impl<T: Eq + Hash> Pool<T> {
    fn new() -> Pool<T> {
        Pool { all: Vec::new(), known: FxHashMap::default() }
    }

    fn number(&mut self, value: &Rc<T>) -> u32 {
        if let Some(known) = self.known.get(value) {
            return *known;
        }
        self.all.push(value.clone());
        let number = small(self.all.len()) - 1;
        self.known.insert(value.clone(), number);
        number
    }
}

pub(super) struct Search<'m, 'a> {
    machine: &'m Machine<'a>,
    threads: Pool<Thread>,
    objects: Pool<Object>,
    states: Interner<u32>,
    specification: Option<&'m ObservationSet>,
    /// Whether to go on behind the first error, and to remember all steps.
    all: bool,
    labels: &'m Labels,
    sets: FxHashMap<Box<[Overtaking]>, u32>,
    pub(super) found: Reached,
}

/// What was found.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) observations: ObservationSet,
    pub(super) transitions: Transitions,
    pub(super) steps: u64,
    pub(super) complete: u64,
    /// A complete execution in which a thread had to wait with fetching.
    pub(super) held: bool,
    /// Whether something is wrong with an execution.
    pub(super) violated: bool,
}

impl<'m, 'a> Search<'m, 'a> {
    pub(super) fn new(
        machine: &'m Machine<'a>,
        specification: Option<&'m ObservationSet>,
        labels: &'m Labels,
    ) -> Search<'m, 'a> {
        let all = machine.options.transitions;
        let mut found = Reached::default();
        found.transitions.sets.push(Box::default());
        Search {
            machine,
            threads: Pool::new(),
            objects: Pool::new(),
            states: Interner::default(),
            specification,
            all,
            labels,
            sets: FxHashMap::from_iter([(Box::default(), 0)]),
            found,
        }
    }

    pub(super) fn states(&self) -> u64 {
        self.states.len() as u64
    }

    /// Visits all states, or all up to the first error. `Some` if it could not.
    pub(super) fn run(&mut self) -> Result<(), End> {
        let mut first = Vec::new();
        self.machine.advance(self.machine.start(), 0, &mut first)?;
        let mut open = Vec::new();
        for world in first {
            let (state, new) = self.intern(&world);
            if new {
                self.found.transitions.initial.push(state);
                open.push(state);
            }
        }
        for visited in 0u64.. {
            let Some(state) = open.pop() else { break };
            if visited.is_multiple_of(64) {
                self.limits()?;
            }
            if self.machine.footprint.borrow().wrong {
                return Err(End::Again);
            }
            let world = self.world(state);
            if self.is_wrong(&world)? {
                self.found.transitions.errors.push(state);
                self.found.violated = true;
                if !self.all {
                    return Ok(());
                }
                continue;
            }
            for step in self.machine.steps(&world) {
                self.step(&world, state, step, &mut open)?;
            }
            if self.machine.rules.speculates && self.machine.options.lazy {
                self.speculate(&world, state, &mut open)?;
            }
        }
        match self.machine.footprint.borrow().wrong {
            true => Err(End::Again),
            false => Ok(()),
        }
    }

    /// Steps that need guesses: loads behind branches that are not decided.
    fn speculate(&mut self, world: &World, state: u32, open: &mut Vec<u32>) -> Result<(), End> {
        for thread in 0..world.threads.len() {
            if self.machine.alone(world, thread) {
                continue;
            }
            let held = world.threads[thread].held;
            // Worlds with guesses, and from where on their instructions are new.
            let mut guessed: Vec<(World, usize)> = vec![(world.clone(), usize::MAX)];
            while let Some((world, known)) = guessed.pop() {
                let pending = &world.threads[thread].pending;
                for at in known..pending.len() {
                    self.step(&world, state, Step { thread, at }, open)?;
                }
                if known != usize::MAX && world.threads[thread].held && !held {
                    // It is not known what would be behind. That matters only if the guesses are right: see
                    // whether they are.
                    self.reach(&[world], state, 0, open);
                    continue;
                }
                let known = pending.len();
                guessed.extend(self.machine.speculate(&world, thread)?.into_iter().map(|w| (w, known)));
            }
        }
        Ok(())
    }

    fn step(&mut self, world: &World, state: u32, step: Step, open: &mut Vec<u32>) -> Result<(), End> {
        let mut after = world.clone();
        let done = match self.machine.execute(&mut after, step) {
            Ok(Some(done)) => done,
            Ok(None) | Err(Stop::Dead | Stop::Stuck) => return Ok(()),
            Err(stop) => return Err(stop.into()),
        };
        let mut worlds = Vec::new();
        self.machine.advance(after, step.thread, &mut worlds)?;
        self.keep_seen(world, step.thread, &mut worlds);
        // Threads that were started fetch too.
        for thread in world.threads.len().. {
            let Some(first) = worlds.first() else { break };
            if thread >= first.threads.len() {
                break;
            }
            for world in std::mem::take(&mut worlds) {
                self.machine.advance(world, thread, &mut worlds)?;
            }
        }
        let pc = world.threads[step.thread].pending[step.at].pc;
        let overtaken: Vec<u32> = self.machine.overtaken(world, step).collect();
        let prevent = self.prevent(pc, done, &overtaken);
        self.reach(&worlds, state, prevent, open);
        Ok(())
    }

    /// Of worlds in which the thread that made a step is stuck, keeps those in which others can notice what it
    /// did; in the others they can do no more than before the step. One that fails gets stuck as well, so that
    /// what the others do is seen.
    fn keep_seen(&self, before: &World, thread: usize, worlds: &mut Vec<World>) {
        let changed = |world: &World| {
            let same = |object: &Rc<Object>| world.objects.iter().any(|other| Rc::ptr_eq(object, other));
            world.threads.len() != before.threads.len() || !before.objects.iter().all(same)
        };
        worlds.retain(|world| !world.threads[thread].stuck || changed(world));
        if self.all && self.machine.options.alone {
            let fails = |world: &World| {
                let last = world.threads[thread].pending.last();
                last.is_some_and(|pending| matches!(pending.what, What::Fault(_)))
            };
            let failed: Vec<World> =
                worlds.iter().filter(|world| fails(world) && changed(world)).cloned().collect();
            worlds.extend(failed.into_iter().map(|mut world| {
                world.thread(thread).give_up();
                world
            }));
        }
    }

    /// Takes note of steps from a state to these worlds.
    fn reach(&mut self, worlds: &[World], state: u32, prevent: u32, open: &mut Vec<u32>) {
        for world in worlds {
            let (to, new) = self.intern(world);
            self.found.steps += 1;
            if self.all {
                self.found.transitions.edges.push((state, to, prevent));
            }
            if new {
                open.push(to);
            }
        }
    }

    /// The number of the set of orderings that would prevent a step that did this.
    fn prevent(&mut self, pc: u32, done: Effect, overtaken: &[u32]) -> u32 {
        let Some(after) = self.labels.of(pc) else { return 0 };
        let idle = self.labels.all[after as usize].effect.stores && !done.stores;
        let pair = |pc: &u32| Some(Overtaking { before: self.labels.of(*pc)?, after, idle });
        let mut pairs: Vec<Overtaking> = overtaken.iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let sets = &mut self.found.transitions.sets;
        *self.sets.entry(pairs.into_boxed_slice()).or_insert_with_key(|pairs| {
            sets.push(pairs.clone());
            small(sets.len()) - 1
        })
    }

    fn intern(&mut self, world: &World) -> (u32, bool) {
        let mut numbers = Vec::with_capacity(1 + world.threads.len() + world.objects.len());
        numbers.push(small(world.threads.len()));
        numbers.extend(world.threads.iter().map(|thread| self.threads.number(thread)));
        numbers.extend(world.objects.iter().map(|object| self.objects.number(object)));
        self.states.intern(&numbers)
    }

    fn world(&self, state: u32) -> World {
        let numbers = self.states.get(state);
        let (threads, objects) = numbers[1..].split_at(numbers[0] as usize);
        World {
            threads: threads.iter().map(|number| self.threads.all[*number as usize].clone()).collect(),
            objects: objects.iter().map(|number| self.objects.all[*number as usize].clone()).collect(),
        }
    }

    /// Whether something is wrong with a state. Takes note of what complete executions observe.
    fn is_wrong(&mut self, world: &World) -> Result<bool, End> {
        let fails = |thread: &Rc<Thread>| {
            thread.pending.first().is_some_and(|first| matches!(first.what, What::Fault(_)))
        };
        if world.threads.iter().any(fails) {
            return Ok(true);
        }
        if !world.threads.iter().all(|thread| self.machine.is_finished(thread)) {
            return Ok(false);
        }
        self.found.complete += 1;
        self.found.held |= world.threads.iter().any(|thread| thread.held);
        let observation = observe(self.machine.code, world)
            .ok_or(Stop::Internal("a value is not known in the end, and is observed"))?;
        let bad = self.specification.is_some_and(|admitted| !admitted.admits(&observation));
        self.found.observations.insert(observation);
        Ok(bad)
    }

    fn limits(&self) -> Result<(), End> {
        let budget = &self.machine.options.budget;
        let reason = if let Err(reason) = budget.spent() {
            reason.into()
        } else if let Some(limit) = budget.states.filter(|limit| self.states.len() as u64 > *limit) {
            Reason::States { limit }
        } else if self.states.nearly_full() || budget.full(self.bytes()) {
            Reason::Memory
        } else {
            return Ok(());
        };
        Err(End::Stopped(reason))
    }

    /// Bytes held, about: threads and objects are counted with a typical size.
    fn bytes(&self) -> u64 {
        let parts = 2048 * self.threads.all.len() + 256 * self.objects.all.len();
        let edges = 12 * self.found.transitions.edges.len();
        self.states.bytes() + (parts + edges) as u64
    }
}

/// Why a search did not come to its end.
pub(super) enum End {
    Stopped(Reason),
    /// It has to be made again without keeping objects out of memory.
    NotPrivate,
    /// It has to be made again, since an access was taken to be without competition that is not.
    Again,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            Stop::NotPrivate => End::NotPrivate,
            Stop::Unsupported(what) => End::Stopped(Reason::Unsupported(what)),
            Stop::Internal(why) => End::Stopped(Reason::Internal(why.into())),
            Stop::Dead | Stop::Stuck => {
                End::Stopped(Reason::Internal("an execution that is none was followed".into()))
            }
        }
    }
}

/// What a test observes when all threads are done; none if that is not known.
fn observe(code: &Code, world: &World) -> Option<Observation> {
    let mut values = Vec::new();
    for (thread, call) in &code.observed {
        let site = &code.calls[*call as usize];
        let regs = &world.threads[*thread as usize].regs;
        let results = site.results.iter().map(|reg| register(*reg));
        for src in site.args.iter().copied().chain(results) {
            values.push(regs.get(code, src).known()?);
        }
    }
    let new = world.objects.iter().filter(|object| object.place != Place::Global);
    let confined = world.threads.iter().flat_map(|thread| &thread.confined);
    let objects =
        new.map(|object| (object.base, object.size())).chain(confined.map(|(base, end)| (*base, end - base)));
    Some(observation::observe(&code.pointers, &values, &objects.collect()))
}
