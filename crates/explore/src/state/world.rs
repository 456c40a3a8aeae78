//! States: a short sequence of numbers of interned parts.
//!
//! A step changes one thread and at most a few objects, so a state shares most of its parts with others.
//! Each part (a thread's positions and registers, a store buffer, an object) is interned on its own, and a
//! state is the sequence of their numbers: a shape (how many threads, which slots hold objects), the
//! monitor, the threads with their buffers, the globals, the objects by slot.

use crate::code::small;
use crate::state::address;
use crate::state::buffer::{self, Buffer, Rules};
use crate::state::intern::{Interner, MOST_POSITIONS};
use crate::state::object::{self, Object};

/// A state taken apart, to be changed by a step.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) struct World {
    /// The monitor's state.
    pub(crate) monitor: u32,
    /// With a bound on preemptions: the thread that ran last plus one, and the preemptions so far.
    pub(crate) last: u32,
    pub(crate) preemptions: u32,
    /// Per thread, number of its positions and registers.
    pub(crate) threads: Vec<u32>,
    /// Per thread, number of its store buffer.
    pub(crate) buffers: Vec<u32>,
    /// Per global, number of its object.
    pub(crate) globals: Vec<u32>,
    /// First slots of all other objects, ascending, and their numbers.
    pub(crate) slots: Vec<u32>,
    pub(crate) objects: Vec<u32>,
    /// The number of its shape; [`UNKNOWN`] after threads or slots changed.
    pub(crate) shape: u32,
}

/// No number of a shape.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl World {
    /// Adds an object in slots that are free.
    pub(crate) fn insert(&mut self, slot: u32, number: u32) {
        let at = self.slots.partition_point(|other| *other < slot);
        self.slots.insert(at, slot);
        self.objects.insert(at, number);
        self.shape = UNKNOWN;
    }

    /// Becomes a copy of another.
    pub(crate) fn copy(&mut self, other: &World) {
        (self.monitor, self.last, self.preemptions) = (other.monitor, other.last, other.preemptions);
        self.threads.clone_from(&other.threads);
        self.buffers.clone_from(&other.buffers);
        self.globals.clone_from(&other.globals);
        self.slots.clone_from(&other.slots);
        self.objects.clone_from(&other.objects);
        self.shape = other.shape;
    }
}

/// The position of the object that a slot belongs to.
#[inline]
pub(crate) fn object_at(pools: &Pools, world: &World, slot: u32) -> Option<usize> {
    let at = world.slots.iter().rposition(|first| *first <= slot)?;
    let inside = world.slots[at] == slot || slot - world.slots[at] < pools.object(world.objects[at]).slots();
    inside.then_some(at)
}

/// How far a thread is, as far as its number tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// It waits for stores of the one that started it to reach memory.
    Waiting,
    /// It has something to do.
    Running,
    /// It is at its end.
    Finished,
}

/// The position of an address of which some bits are undefined.
pub(crate) const PARTIAL: u32 = u32::MAX;

/// Interned parts of one kind, with the slots that each refers to.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) words: Interner<u64>,
    /// Slots that a part may refer to, in whatever form, ascending.
    references: Vec<u32>,
    ends: Vec<u32>,
    /// Positions of words that are addresses, and their slots.
    pointers: Vec<(u32, u32)>,
    pointer_ends: Vec<u32>,
}

impl Parts {
    /// The number of a part. `held` are those of its words that may be pointers, in whatever form; `values`
    /// are positions of those that hold a value, and the value's undefined bits.
    #[inline]
    pub(crate) fn intern(
        &mut self,
        words: &[u64],
        held: impl FnOnce(&mut dyn FnMut(u64)),
        values: impl FnOnce(&mut dyn FnMut(usize, u64)),
    ) -> u32 {
        let (found, new) = self.words.intern(words);
        if new {
            let start = self.references.len();
            let references = &mut self.references;
            held(&mut |word| address::references(word, |slot| references.push(slot)));
            references[start..].sort_unstable();
            let mut kept = start;
            for at in start..references.len() {
                if at == start || references[at] != references[kept - 1] {
                    references[kept] = references[at];
                    kept += 1;
                }
            }
            references.truncate(kept);
            self.ends.push(small(self.references.len()));
            let pointers = &mut self.pointers;
            values(&mut |position, undefined| {
                if let Some(slot) =
                    address::slot(words[position]).filter(|_| address::is_object(words[position]))
                {
                    pointers.push((if undefined == 0 { small(position) } else { PARTIAL }, slot));
                }
            });
            self.pointer_ends.push(small(self.pointers.len()));
        }
        found
    }

    /// Slots that a part refers to.
    #[inline]
    pub(crate) fn references(&self, number: u32) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.references[start as usize..self.ends[number as usize] as usize]
    }

    /// Positions and slots of a part's words that are addresses; [`PARTIAL`] positions are not understood.
    #[inline]
    pub(crate) fn pointers(&self, number: u32) -> &[(u32, u32)] {
        let start = if number == 0 { 0 } else { self.pointer_ends[number as usize - 1] };
        &self.pointers[start as usize..self.pointer_ends[number as usize] as usize]
    }

    /// Whether two parts refer to the same slots in the same order.
    pub(crate) fn alike(&self, a: u32, b: u32) -> bool {
        let slots = |number: u32| self.pointers(number).iter().map(|(_, slot)| *slot);
        a == b || slots(a).eq(slots(b))
    }

    fn bytes(&self) -> u64 {
        let references = self.references.capacity() + self.ends.capacity();
        let pointers = 2 * self.pointers.capacity() + self.pointer_ends.capacity();
        self.words.bytes() + 4 * (references + pointers) as u64
    }
}

/// All parts and states seen.
pub(crate) struct Pools {
    pub(crate) threads: Parts,
    pub(crate) phases: Vec<Phase>,
    pub(crate) buffers: Parts,
    pub(crate) objects: Parts,
    shapes: Interner<u32>,
    pub(crate) states: Interner<u32>,
    /// Whether states have buffers, and whether they count preemptions.
    buffered: bool,
    bounded: bool,
    /// How buffers are represented, unless as they are.
    pub(crate) rules: Option<Rules>,
    scratch: Vec<u32>,
    pub(super) words: Vec<u64>,
    /// How many bytes were held when that was asked last.
    asked: u64,
}

/// The number of the empty buffer.
pub(crate) const EMPTY: u32 = 0;

impl Pools {
    pub(crate) fn new(buffered: bool, bounded: bool, rules: Option<Rules>) -> Pools {
        let mut pools = Pools {
            threads: Parts::default(),
            phases: Vec::new(),
            buffers: Parts::default(),
            objects: Parts::default(),
            shapes: Interner::default(),
            states: Interner::default(),
            buffered,
            bounded,
            rules,
            scratch: Vec::new(),
            words: Vec::new(),
            asked: 0,
        };
        let empty = pools.buffers.intern(&[], |_| {}, |_| {});
        debug_assert_eq!(empty, EMPTY);
        pools
    }

    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.threads.bytes() + self.buffers.bytes() + self.objects.bytes();
        parts + self.shapes.bytes() + self.states.bytes() + self.phases.capacity() as u64
    }

    /// How many bytes are held, if that are more by some number than when it was told last.
    #[inline]
    pub(crate) fn grown(&mut self, by: u64) -> Option<u64> {
        let held = self.bytes();
        (held > self.asked + by).then(|| {
            self.asked = held;
            held
        })
    }

    /// Whether numbers or positions are about to need more than 32 bits. Asked after each state that is expanded, which
    /// leaves room for what one expansion can add.
    #[inline]
    pub(crate) fn nearly_full(&self) -> bool {
        let parts = |parts: &Parts| {
            parts.words.nearly_full()
                || parts.references.len() > MOST_POSITIONS
                || parts.pointers.len() > MOST_POSITIONS
        };
        self.states.nearly_full()
            || self.shapes.nearly_full()
            || parts(&self.threads)
            || parts(&self.buffers)
            || parts(&self.objects)
    }

    pub(crate) fn object(&self, number: u32) -> Object<'_> {
        Object(self.objects.words.get(number))
    }

    /// The number of an object.
    pub(crate) fn intern_object(&mut self, words: &[u64]) -> u32 {
        let object = Object(words);
        let content = object.content();
        let held = |see: &mut dyn FnMut(u64)| {
            content.iter().for_each(|word| see(*word));
            // Pointers of packed structures may lie across two words.
            content.windows(2).for_each(|pair| see(pair[0] >> 32 | pair[1] << 32));
        };
        let values = |see: &mut dyn FnMut(usize, u64)| {
            (0..content.len()).for_each(|at| see(object::HEADER + at, object.undefined(at)));
        };
        self.objects.intern(words, held, values)
    }

    /// The buffer with a number.
    #[inline]
    pub(crate) fn buffer(&self, number: u32) -> Buffer {
        Buffer::decode(self.rules, self.buffers.words.get(number))
    }

    /// The number of a buffer.
    pub(crate) fn intern_buffer(&mut self, buffer: &Buffer) -> u32 {
        let mut words = std::mem::take(&mut self.words);
        buffer.encode(&mut words);
        let number = self.intern_buffer_words(&words);
        self.words = words;
        number
    }

    /// The number of a buffer's words.
    pub(crate) fn intern_buffer_words(&mut self, words: &[u64]) -> u32 {
        let rules = self.rules;
        let values = |see: &mut dyn FnMut(usize, u64)| buffer::values(rules, words, see);
        self.buffers.intern(words, |see| values(&mut |at, _| see(words[at])), values)
    }

    /// The number of a world's shape.
    pub(crate) fn shape(&mut self, world: &World) -> u32 {
        if world.shape != UNKNOWN {
            return world.shape;
        }
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.push(small(world.threads.len()));
        words.extend_from_slice(&world.slots);
        let shape = self.shapes.intern(&words).0;
        self.scratch = words;
        shape
    }

    /// The most threads of any state.
    pub(crate) fn most_threads(&self) -> usize {
        (0..small(self.shapes.len())).map(|shape| self.shapes.get(shape)[0] as usize).max().unwrap_or(0)
    }

    /// The number of a state, and whether it is new.
    pub(crate) fn encode(&mut self, world: &World) -> (u32, bool) {
        let shape = self.shape(world);
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.extend([shape, world.monitor]);
        if self.bounded {
            words.extend([world.last, world.preemptions]);
        }
        words.extend_from_slice(&world.threads);
        if self.buffered {
            words.extend_from_slice(&world.buffers);
        }
        words.extend_from_slice(&world.globals);
        words.extend_from_slice(&world.objects);
        let found = self.states.intern(&words);
        self.scratch = words;
        found
    }

    /// The words of a state, and where among them the numbers of its buffers are.
    pub(crate) fn buffers_of(&self, state: u32) -> (&[u32], std::ops::Range<usize>) {
        let words = self.states.get(state);
        let threads = self.shapes.get(words[0])[0] as usize;
        let first = 2 + 2 * self.bounded as usize + threads;
        (words, first..first + if self.buffered { threads } else { 0 })
    }

    /// Takes a state apart.
    pub(crate) fn decode(&self, state: u32, world: &mut World) {
        let words = self.states.get(state);
        let shape = self.shapes.get(words[0]);
        world.shape = words[0];
        world.monitor = words[1];
        let mut rest = &words[2..];
        if self.bounded {
            (world.last, world.preemptions) = (rest[0], rest[1]);
            rest = &rest[2..];
        }
        let (threads, slots) = (shape[0] as usize, &shape[1..]);
        let mut take = |to: &mut Vec<u32>, count: usize| {
            let (head, tail) = rest.split_at(count);
            to.clear();
            to.extend_from_slice(head);
            rest = tail;
        };
        take(&mut world.threads, threads);
        match self.buffered {
            true => take(&mut world.buffers, threads),
            false => {
                world.buffers.clear();
                world.buffers.resize(threads, EMPTY);
            }
        }
        let globals = words.len()
            - 2
            - 2 * self.bounded as usize
            - threads * (1 + self.buffered as usize)
            - slots.len();
        take(&mut world.globals, globals);
        take(&mut world.objects, slots.len());
        world.slots.clear();
        world.slots.extend_from_slice(slots);
    }
}
