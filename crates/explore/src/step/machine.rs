//! The machine: what all steps share.

use crate::code::Code;
use crate::code::registers::Registers;
use crate::options::Options;
use crate::reduce::alike::{self, Alike, Lay};
use crate::reduce::footprint::Footprint;
use crate::reduce::forms::Forms;
use crate::reduce::memo::{Looks, Memo};
use crate::reduce::rename;
use crate::state::buffer::{Abstraction, Buffer, Rules};
use crate::state::{EMPTY, Phase, Pools, UNKNOWN, World};
use crate::step::memory::Global;
use fencepost_harness::monitor::Monitor;
use fencepost_lsl::program::Program;
use fencepost_lsl::value::Value;
use fencepost_models::Buffering;

/// What all steps share.
pub(crate) struct Machine<'a> {
    pub(crate) code: &'a Code,
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) monitor: Option<&'a mut dyn Monitor>,
    pub(crate) globals: Vec<Global>,
    pub(crate) pools: Pools,
    /// The thread that runs, taken apart.
    pub(crate) thread: Registers<Value>,
    /// What the step under way depends on, and steps made before.
    pub(crate) looks: Looks,
    pub(crate) memo: Memo,
    /// What is taken for granted, and what is known of it: of cells, of operations on addresses, of forms of addresses.
    pub(crate) footprint: Footprint,
    pub(crate) alike: Alike,
    pub(crate) forms: Forms,
    pub(crate) notes: Notes,
}

/// What a search is told of steps, beside where they lead.
#[derive(Default)]
pub(crate) struct Notes {
    /// Whether a thread had to wait because its buffer was full.
    pub(crate) waited: bool,
    /// Whether an assertion was looked at.
    pub(crate) asserted: bool,
    /// With labelled stores: what the step under way passed.
    pub(crate) passed: Passed,
}

/// Accesses by label, each with the labels of the stores that were in the buffer when it was made.
pub(crate) type Passed = Vec<(u32, Vec<u32>)>;

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a Code,
        program: &'a Program,
        options: &'a Options,
        footprint: Footprint,
        monitor: Option<&'a mut dyn Monitor>,
    ) -> Machine<'a> {
        let exact = options.abstraction == Abstraction::Exact || options.buffering == Buffering::Sc;
        let one_queue = options.buffering == Buffering::Tso;
        let (abstraction, apart) = (options.abstraction, options.labelled);
        let rules = (!exact).then_some(Rules { abstraction, one_queue, apart });
        let mut pools = Pools::new(options.buffering != Buffering::Sc, options.preemptions.is_some(), rules);
        let symmetric = options.reductions.symmetry && code.twins.iter().any(Option::is_some);
        Machine {
            code,
            program,
            options,
            monitor,
            globals: Global::all(program, &mut pools),
            pools,
            thread: Registers::default(),
            looks: Looks::default(),
            memo: Memo::default(),
            forms: Forms::new(options, &footprint),
            footprint,
            alike: Alike { renames: rename::possible(options), symmetric, holds: true },
            notes: Notes::default(),
        }
    }

    /// The classes that cells belong to: globals, then allocation sites.
    pub(crate) fn classes(program: &Program, code: &Code) -> usize {
        program.globals.len() + code.sites.len()
    }

    /// The state before the first step.
    pub(crate) fn start(&mut self) -> World {
        let globals = Global::initial(self.program, &mut self.pools);
        let mut world = World { globals, shape: UNKNOWN, ..World::default() };
        if self.alike.matters() && !alike::constants_differ(self.code, self.program, &self.pools, &world) {
            (self.alike.renames, self.alike.symmetric) = (false, false);
        }
        let first = self.code.first;
        self.add_thread(&mut world, first, &[], false);
        world
    }

    /// Adds a thread that is about to run a driver.
    pub(crate) fn add_thread(&mut self, world: &mut World, driver: u32, args: &[Value], waits: bool) {
        let thread = Registers::of_driver(self.code, driver, args);
        world.threads.push(self.pools.intern_thread(self.code, &thread, waits));
        world.buffers.push(EMPTY);
        world.shape = UNKNOWN;
    }

    /// Takes a thread apart.
    pub(crate) fn load_thread(&mut self, number: u32) {
        self.pools.load_thread(self.code, number, &mut self.thread);
    }

    /// Lets a thread start that waited.
    pub(crate) fn release(&mut self, world: &mut World, thread: usize) {
        if let Some(number) = self.pools.released(self.code, world.threads[thread]) {
            self.looks.pure = false;
            world.threads[thread] = number;
        }
    }

    pub(crate) fn phase(&self, world: &World, thread: usize) -> Phase {
        self.pools.phases[world.threads[thread] as usize]
    }

    /// Whether all other threads are done, and all they wrote is seen.
    pub(crate) fn alone(&self, world: &World, thread: usize) -> bool {
        (0..world.threads.len()).all(|other| {
            other == thread || self.phase(world, other) == Phase::Finished && world.buffers[other] == EMPTY
        })
    }

    /// The buffer of a thread.
    #[inline]
    pub(crate) fn buffer(&self, world: &World, thread: usize) -> Buffer {
        self.pools.buffer(world.buffers[thread])
    }

    /// Whether stores of a thread reach memory in order.
    #[inline]
    pub(crate) fn one_queue(&self) -> bool {
        self.options.buffering == Buffering::Tso
    }

    /// Whether too much memory is held, asked again whenever states have grown by a part of the limit.
    #[inline]
    pub(crate) fn is_full(&mut self) -> bool {
        let budget = &self.options.budget;
        let Some(limit) = budget.memory else { return false };
        self.pools.grown(limit / 32).is_some_and(|held| budget.full(held))
    }

    /// Lets something be looked at that happens to addresses: whether they stay recognisable is the answer.
    #[inline]
    pub(crate) fn watch(&mut self, world: &World, look: impl FnOnce(&mut Alike, &mut Forms, &Lay) -> bool) {
        let lay = Lay::new(&self.pools, world);
        let recognised = look(&mut self.alike, &mut self.forms, &lay);
        self.looks.pure &= lay.sure.get();
        if !recognised {
            self.footprint.disguised();
        }
    }
}
