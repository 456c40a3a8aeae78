//! The machine: what all steps share, and threads as words.

use crate::code::small;
use crate::code::{Code, Instr};
use crate::options::{Model, Options};
use crate::reduce::alike;
use crate::reduce::footprint::Footprint;
use crate::reduce::forms::Positions;
use crate::reduce::memo::{self, Key, Look, Memo, Waiting};
use crate::reduce::rename::{self, Renaming};
use crate::state::buffer::{Abstraction, Buffer, Rules};
use crate::state::object::Object;
use crate::state::{EMPTY, Phase, Pools, UNKNOWN, World, object_at};
use crate::state::{address, object};
use crate::step::expand::Passed;
use crate::step::recorder::Frame;
use fencepost_harness::monitor::Monitor;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::memory;
use fencepost_lsl::program::{Program, address as regions};
use fencepost_lsl::value::Value;

/// A global, and where its content is.
struct Global {
    addr: u64,
    size: u64,
    /// The content of a constant one.
    constant: Option<u32>,
    /// Its number among the others.
    index: usize,
}

/// Where an address lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a constant global: the number of its object.
    Constant(u32),
    /// In a global.
    Global(usize),
    /// In another object.
    Dynamic(usize),
}

/// A part of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) place: Place,
    /// The number of the object.
    pub(crate) object: u32,
    pub(crate) offset: u64,
}

/// What all steps share.
pub(crate) struct Machine<'a> {
    pub(crate) code: &'a Code,
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) pools: Pools,
    pub(crate) footprint: Footprint,
    pub(crate) monitor: Option<&'a mut dyn Monitor>,
    globals: Vec<Global>,
    /// Registers and procedures of the thread that runs.
    pub(crate) regs: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) scratch: Vec<u64>,
    /// Steps made before.
    /// How many bytes states held when memory was asked for last.
    asked: u64,
    /// States in which threads wait.
    pub(crate) waiting: Waiting,
    pub(crate) memo: Memo,
    /// What the step under way looked at, and whether it looked at nothing else.
    pub(crate) looks: Vec<Look>,
    pub(crate) pure: bool,
    /// Slots of objects that it made.
    pub(crate) made: Vec<u32>,
    /// Whether objects are renamed, whether one order of twins stands for all, and whether all operations so far
    /// treat addresses alike, as both of that needs.
    pub(crate) renames: bool,
    pub(crate) symmetric: bool,
    pub(crate) alike: bool,
    pub(crate) renaming: Renaming,
    /// Where in words addresses were met.
    pub(crate) positions: Positions,
    /// Whether a ghost is what writes.
    pub(crate) ghost: bool,
    /// Whether a thread had to wait because its buffer was full.
    pub(crate) waited: bool,
    /// Whether an assertion was looked at.
    pub(crate) asserted: bool,
    /// With labelled stores: accesses of the step under way, and the stores that each passed.
    pub(crate) passed: Passed,
}

/// Bit of a thread's first word: it waits to be started.
const WAITING: u64 = 1 << 63;
/// Bit of a frame's word: undefined bits follow.
const UNDEFINED: u64 = 1 << 62;

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a Code,
        program: &'a Program,
        options: &'a Options,
        footprint: Footprint,
        monitor: Option<&'a mut dyn Monitor>,
    ) -> Machine<'a> {
        let exact = options.abstraction == Abstraction::Exact || options.model == Model::Sc;
        let one_queue = options.model == Model::Tso;
        let (abstraction, apart) = (options.abstraction, options.labelled);
        let rules = (!exact).then_some(Rules { abstraction, one_queue, apart });
        let mut pools = Pools::new(options.model != Model::Sc, options.preemptions.is_some(), rules);
        let mut globals = Vec::new();
        let mut index = 0;
        for (class, global) in program.globals.iter().enumerate() {
            let constant = global.constant.then(|| {
                let words = global_words(global, small(class));
                pools.intern_object(&words)
            });
            globals.push(Global { addr: global.addr, size: global.size, constant, index });
            index += constant.is_none() as usize;
        }
        Machine {
            code,
            program,
            options,
            pools,
            footprint,
            monitor,
            globals,
            regs: Vec::new(),
            frames: Vec::new(),
            scratch: Vec::new(),
            memo: Memo::default(),
            asked: 0,
            waiting: Waiting::default(),
            looks: Vec::new(),
            pure: true,
            made: Vec::new(),
            renames: rename::possible(options),
            symmetric: options.reductions.symmetry && code.twins.iter().any(Option::is_some),
            alike: true,
            renaming: Renaming::default(),
            positions: Positions::default(),
            ghost: false,
            waited: false,
            asserted: false,
            passed: Vec::new(),
        }
    }

    /// The classes that cells belong to: globals, then allocation sites.
    pub(crate) fn classes(program: &Program, code: &Code) -> usize {
        program.globals.len() + code.sites.len()
    }

    /// The state before the first step.
    pub(crate) fn start(&mut self) -> World {
        let mut world = World { shape: UNKNOWN, ..World::default() };
        for (class, global) in self.program.globals.iter().enumerate() {
            if !global.constant {
                let number = self.pools.intern_object(&global_words(global, small(class)));
                world.globals.push(number);
            }
        }
        if self.weighs() && !alike::constants_differ(self.code, self.program, &self.pools, &world) {
            (self.renames, self.symmetric) = (false, false);
        }
        let first = self.code.first;
        self.add_thread(&mut world, first, &[], false);
        world
    }

    /// Whether it matters how operations treat addresses.
    #[inline]
    pub(crate) fn weighs(&self) -> bool {
        self.renames || self.symmetric
    }

    /// Adds a thread that is about to run a driver.
    pub(crate) fn add_thread(&mut self, world: &mut World, driver: u32, args: &[Value], waits: bool) {
        let proc = &self.code.procs[driver as usize];
        let mut regs = vec![Value::UNDEFINED; proc.regs as usize];
        for (param, arg) in proc.params.iter().zip(args) {
            regs[*param as usize] = *arg;
        }
        let frames = [Frame { pc: proc.entry, base: 0 }];
        let number = self.intern_thread(&frames, &regs, waits);
        world.threads.push(number);
        world.buffers.push(EMPTY);
        world.shape = UNKNOWN;
    }

    /// The number of a thread's positions and live registers.
    pub(crate) fn intern_thread(&mut self, frames: &[Frame], regs: &[Value], waits: bool) -> u32 {
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        for frame in frames {
            let head = words.len();
            words.push(frame.pc as u64);
            let live = &self.code.live[frame.pc as usize];
            let values = live.iter().map(|reg| regs[frame.base as usize + *reg as usize]);
            let mut undefined = 0;
            for value in values.clone() {
                words.push(value.bits());
                undefined |= value.undef();
            }
            if undefined != 0 {
                words[head] |= UNDEFINED;
                words.extend(values.map(Value::undef));
            }
        }
        if waits {
            words[0] |= WAITING;
        }
        let last = frames.last().map(|frame| &self.code.instrs[frame.pc as usize]);
        let phase = match last {
            _ if waits => Phase::Waiting,
            Some(Instr::Exit) => Phase::Finished,
            _ => Phase::Running,
        };
        let number = self.intern_words(&words, phase);
        self.scratch = words;
        number
    }

    /// The number of a thread's words.
    pub(crate) fn intern_words(&mut self, words: &[u64], phase: Phase) -> u32 {
        // Positions are small numbers; taking their flags for a pointer at worst keeps an object alive.
        let held = |see: &mut dyn FnMut(u64)| words.iter().for_each(|word| see(*word));
        let code = self.code;
        let number = self.pools.threads.intern(words, held, |see| values(code, words, see));
        if number as usize == self.pools.phases.len() {
            self.pools.phases.push(phase);
        }
        number
    }

    /// Where the driver of a thread is.
    pub(crate) fn position(&self, world: &World, thread: usize) -> u32 {
        self.pools.threads.words.get(world.threads[thread])[0] as u32
    }

    /// Takes a thread apart, into `frames` and `regs`.
    pub(crate) fn load_thread(&mut self, number: u32) {
        let mut words = self.pools.threads.words.get(number);
        self.frames.clear();
        let mut base = 0;
        while let Some((head, rest)) = words.split_first() {
            let pc = *head as u32;
            let live = &self.code.live[pc as usize];
            let regs = self.code.proc_at(pc).regs as usize;
            if self.regs.len() < base + regs {
                self.regs.resize(base + regs, Value::UNDEFINED);
            }
            let (bits, mut rest) = rest.split_at(live.len());
            if *head & UNDEFINED != 0 {
                let (undef, behind) = rest.split_at(live.len());
                rest = behind;
                for (at, reg) in live.iter().enumerate() {
                    self.regs[base + *reg as usize] = Value::partial(bits[at], undef[at]);
                }
            } else {
                for (at, reg) in live.iter().enumerate() {
                    self.regs[base + *reg as usize] = Value::new(bits[at]);
                }
            }
            self.frames.push(Frame { pc, base: small(base) });
            base += regs;
            words = rest;
        }
    }

    /// Lets a thread start that waited.
    pub(crate) fn release(&mut self, world: &mut World, thread: usize) {
        let number = world.threads[thread];
        if self.pools.phases[number as usize] == Phase::Waiting {
            self.pure = false;
            let mut words = self.pools.threads.words.get(number).to_vec();
            words[0] &= !WAITING;
            world.threads[thread] = self.intern_words(&words, Phase::Running);
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

    /// Sets the buffer of a thread.
    pub(crate) fn set_buffer(&mut self, world: &mut World, thread: usize, buffer: &Buffer) {
        let mut words = std::mem::take(&mut self.scratch);
        buffer.encode(&mut words);
        world.buffers[thread] = self.pools.intern_buffer(&words);
        self.scratch = words;
    }

    /// Whether stores of a thread reach memory in order.
    #[inline]
    pub(crate) fn one_queue(&self) -> bool {
        self.options.model == Model::Tso
    }

    /// Whether too much memory is held, asked again whenever states have grown by a part of the limit.
    #[inline]
    pub(crate) fn is_full(&mut self) -> bool {
        let Some(limit) = self.options.budget.memory else { return false };
        let held = self.pools.bytes();
        held > self.asked + limit / 32 && {
            self.asked = held;
            self.options.budget.full(held)
        }
    }

    /// Notes that a step looks at an object, unless it did so before.
    #[inline]
    pub(crate) fn look(&mut self, key: Key, number: u32) {
        let known = |look: &Look| matches!(look, Look::Object(other, _) if *other == key);
        if !self.looks.iter().any(known) && !self.made.iter().any(|slot| Key::slot(*slot) == key) {
            self.looks.push(Look::Object(key, number));
        }
    }

    /// Notes that a step asks which object a slot belongs to, unless it is one that the step made.
    fn look_for_cover(&mut self, world: &World, slot: u32) {
        if self.looks.iter().any(|look| matches!(look, Look::Cover(other, _) if *other == slot)) {
            return;
        }
        let cover = memo::cover(&self.pools, world, slot);
        if !self.made.iter().any(|made| made + 1 == cover) {
            self.looks.push(Look::Cover(slot, cover));
        }
    }

    /// Finds what an access touches, or why it is a fault whatever other threads do.
    #[inline]
    pub(crate) fn locate(&mut self, world: &World, addr: u64, bytes: u64) -> Result<Spot, Fault> {
        let spot = self.find(world, addr)?;
        match spot.place {
            Place::Constant(_) => {}
            Place::Global(index) => self.look(Key::global(index), spot.object),
            Place::Dynamic(at) => self.look(Key::slot(world.slots[at]), spot.object),
        }
        if spot.offset + bytes > self.pools.object(spot.object).size() {
            return Err(Fault::OutOfBounds);
        }
        Ok(spot)
    }

    fn find(&self, world: &World, addr: u64) -> Result<Spot, Fault> {
        if addr < regions::NULL_END {
            return Err(Fault::Null);
        }
        if let Some(slot) = address::slot(addr) {
            let at = world.slots.iter().rposition(|first| *first <= slot).ok_or(Fault::OutOfBounds)?;
            let base = self.pools.object(world.objects[at]).base(world.slots[at]);
            let offset = addr.checked_sub(base).ok_or(Fault::OutOfBounds)?;
            return Ok(Spot { place: Place::Dynamic(at), object: world.objects[at], offset });
        }
        let at = self.globals.partition_point(|global| global.addr <= addr);
        let global = at.checked_sub(1).map(|at| &self.globals[at]).ok_or(Fault::OutOfBounds)?;
        let offset = addr - global.addr;
        if offset >= global.size {
            return Err(Fault::OutOfBounds);
        }
        Ok(match global.constant {
            Some(object) => Spot { place: Place::Constant(object), object, offset },
            None => Spot { place: Place::Global(global.index), object: world.globals[global.index], offset },
        })
    }

    /// Whether a pointer may be moved from one address to another: not away from the object it belongs to,
    /// nor from null to anything else. Of objects only the size is looked at, which stays the same.
    pub(crate) fn within(&mut self, world: &World, base: u64, result: u64) -> Result<(), Fault> {
        let stays = match self.room(world, base) {
            Some(room) => regions::belongs(room, result),
            None => base >= regions::NULL_END || result < regions::NULL_END,
        };
        if stays { Ok(()) } else { Err(Fault::Strayed) }
    }

    /// Address and size of the object that an address belongs to.
    fn room(&mut self, world: &World, addr: u64) -> Option<(u64, u64)> {
        let Some(slot) = address::slot(addr) else {
            let at =
                self.globals.partition_point(|global| global.addr <= addr.saturating_add(regions::MARGIN));
            let global = &self.globals[at.checked_sub(1)?];
            return Some((global.addr, global.size)).filter(|room| regions::belongs(*room, addr));
        };
        let at = world.slots.iter().rposition(|first| *first <= slot);
        // What lies in a slot where no object starts depends on more than that slot.
        let Some(at) = at.filter(|at| world.slots[*at] == slot) else {
            self.pure = false;
            let object = self.pools.object(world.objects[at?]);
            let room = (object.base(world.slots[at?]), object.size());
            return Some(room).filter(|room| regions::belongs(*room, addr));
        };
        let object = self.pools.object(world.objects[at]);
        let room = (object.base(slot), object.size());
        let look = Look::Size(slot, memo::size(&self.pools, world, slot));
        if !self.made.contains(&slot) && !self.looks.contains(&look) {
            self.looks.push(look);
        }
        Some(room).filter(|room| regions::belongs(*room, addr))
    }

    /// Puts an object in the place of another.
    pub(crate) fn replace(&mut self, world: &mut World, place: Place, words: &[u64]) {
        let number = self.pools.intern_object(words);
        match place {
            Place::Global(at) => world.globals[at] = number,
            Place::Dynamic(at) => world.objects[at] = number,
            Place::Constant(_) => unreachable!("stores to constants are faults"),
        }
        if Object(words).owner().is_none() {
            let reached = self.pools.objects.references(number).to_vec();
            self.share(world, reached);
        }
    }

    /// Lets everybody reach the objects in some slots, and what they refer to.
    pub(crate) fn share(&mut self, world: &mut World, mut slots: Vec<u32>) {
        while let Some(slot) = slots.pop() {
            self.look_for_cover(world, slot);
            let Some(at) = object_at(&self.pools, world, slot) else { continue };
            self.look(Key::slot(world.slots[at]), world.objects[at]);
            // Whether it is its thread's own or was, and is known by a store that is still under way.
            if self.ghost && self.options.model != Model::Sc {
                self.footprint.told();
            }
            let object = self.pools.object(world.objects[at]);
            if object.owner().is_none() {
                continue;
            }
            let mut words = object.0.to_vec();
            object::share(&mut words);
            world.objects[at] = self.pools.intern_object(&words);
            slots.extend_from_slice(self.pools.objects.references(world.objects[at]));
        }
    }

    /// Shares what a word refers to.
    pub(crate) fn share_word(&mut self, world: &mut World, word: u64) {
        if word >= regions::STACK {
            let mut slots = Vec::new();
            address::references(word, |slot| slots.push(slot));
            self.share(world, slots);
        }
    }
}

/// Calls `see` with the positions of those of a thread's words that hold registers, and their undefined bits.
fn values(code: &Code, words: &[u64], see: &mut dyn FnMut(usize, u64)) {
    let mut at = 0;
    while at < words.len() {
        let count = code.live[words[at] as u32 as usize].len();
        let undefined = words[at] & UNDEFINED != 0;
        for value in at + 1..=at + count {
            see(value, if undefined { words[value + count] } else { 0 });
        }
        at += 1 + count + if undefined { count } else { 0 };
    }
}

fn global_words(global: &fencepost_lsl::program::Global, class: u32) -> Vec<u64> {
    let initial = memory::Object::of_global(global);
    let shape = object::Shape { size: global.size, align: 1, class, heap: false, zeroed: true };
    let mut words = object::new(shape, None);
    for offset in 0..global.size {
        let ty = fencepost_lsl::value::IntTy::U8;
        object::write(&mut words, offset, ty, initial.read(offset, ty));
    }
    words
}
