//! Steps that were made before. A step depends on its thread and on the few objects that it looks at, and
//! these combine to far fewer cases than there are states; so each case is run once and then looked up.
//!
//! A case is found by asking: the thread and its buffer decide which object a step looks at first, that
//! object's content which it looks at next, and so on to the result.
//!
//! # Soundness
//!
//! A step is a function of what it looks at, in the order in which it does. Steps that look at anything
//! else are not kept: choices, monitors, threads that start, a thread that is left alone or is not joined by others yet. What a
//! step reports (what it shares, which forms of addresses it makes, its footprint) is a part of that function: see
//! [`crate::reduce::alike::Lay`].

use crate::code::small;
use crate::state::{Parts, Pools, World, object_at};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place that holds an object: a global by number, any other by its first slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key(u32);

const DYNAMIC: u32 = 1 << 31;

/// The number of no object.
const ABSENT: u32 = u32::MAX;

impl Key {
    pub(crate) fn global(index: usize) -> Key {
        Key(small(index))
    }

    pub(crate) fn slot(slot: u32) -> Key {
        Key(slot | DYNAMIC)
    }

    /// The number of its object.
    #[inline]
    fn number(self, world: &World) -> u32 {
        match self.0 & DYNAMIC {
            0 => world.globals[self.0 as usize],
            _ => {
                let at = world.slots.iter().position(|slot| *slot == self.0 & !DYNAMIC);
                at.map_or(ABSENT, |at| world.objects[at])
            }
        }
    }
}

/// What a step may look at. The answer is a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    /// Which object is at a place.
    Object(Key),
    /// How many slots the object takes that starts in a slot; zero if none does.
    Room(u32),
    /// The size of the object that starts in a slot, and its alignment; zero if none does.
    Size(u32),
    /// Where the object starts that a slot belongs to, counted from one; zero if it belongs to none.
    Cover(u32),
}

impl Ask {
    #[inline(always)]
    fn answer(self, pools: &Pools, world: &World) -> u32 {
        let object = |slot: u32| {
            let at = world.slots.iter().position(|first| *first == slot);
            at.map(|at| pools.object(world.objects[at]))
        };
        match self {
            Ask::Object(key) => key.number(world),
            Ask::Room(slot) => object(slot).map_or(0, |object| object.slots()),
            // Sizes are below 2^24, see `step/access.rs`.
            Ask::Size(slot) => object(slot)
                .map_or(0, |object| (object.size() as u32) << 5 | (1 + object.align().trailing_zeros())),
            Ask::Cover(slot) => object_at(pools, world, slot).map_or(0, |at| world.slots[at] + 1),
        }
    }
}

/// A question and its answer.
pub(crate) type Look = (Ask, u32);

/// What the step under way looked at.
#[derive(Default)]
pub(crate) struct Looks {
    /// In order, each once.
    pub(crate) seen: Vec<Look>,
    /// Slots of objects that it made itself; looking at those does not count.
    made: Vec<u32>,
    /// Whether it looked at nothing else.
    pub(crate) pure: bool,
}

/// Things to look at after which a step is not worth remembering.
const MOST_LOOKS: usize = 64;

impl Looks {
    /// A step begins.
    pub(crate) fn begin(&mut self, pure: bool) {
        self.seen.clear();
        self.made.clear();
        self.pure = pure;
    }

    /// The step makes an object in a slot.
    pub(crate) fn make(&mut self, slot: u32) {
        self.made.push(slot);
    }

    /// At an object.
    #[inline]
    pub(crate) fn object(&mut self, key: Key, number: u32) {
        let ask = Ask::Object(key);
        if !self.knows(ask) && !self.made.iter().any(|slot| Key::slot(*slot) == key) {
            self.seen.push((ask, number));
        }
    }

    /// At which object a slot belongs to.
    #[inline]
    pub(crate) fn cover(&mut self, pools: &Pools, world: &World, slot: u32) {
        let ask = Ask::Cover(slot);
        if !self.knows(ask) {
            let cover = ask.answer(pools, world);
            if !self.made.iter().any(|made| made + 1 == cover) {
                self.seen.push((ask, cover));
            }
        }
    }

    /// At the size of the object that starts in a slot.
    pub(crate) fn size(&mut self, pools: &Pools, world: &World, slot: u32) {
        self.start(pools, world, slot, Ask::Size(slot));
    }

    /// At how many slots the object takes that starts in a slot.
    pub(crate) fn room(&mut self, pools: &Pools, world: &World, slot: u32) -> u32 {
        let taken = self.start(pools, world, slot, Ask::Room(slot));
        self.pure &= self.seen.len() < MOST_LOOKS;
        taken
    }

    /// At an object that starts in a slot.
    fn start(&mut self, pools: &Pools, world: &World, slot: u32, ask: Ask) -> u32 {
        let look = (ask, ask.answer(pools, world));
        if !self.made.contains(&slot) && !self.seen.contains(&look) {
            self.seen.push(look);
        }
        look.1
    }

    #[inline]
    fn knows(&self, ask: Ask) -> bool {
        self.seen.iter().any(|(other, _)| *other == ask)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Ask(Ask),
    Result(u32),
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) thread: u32,
    pub(crate) buffer: u32,
    /// Objects that change.
    written: Vec<(Key, u32)>,
    /// Objects that are made: slots and numbers.
    made: Vec<(u32, u32)>,
    /// Whether something may be left that nothing refers to.
    pub(crate) leaves: bool,
    /// Whether the order in which objects are reached may change.
    pub(crate) moves: bool,
    /// Whether others may notice it.
    pub(crate) loud: bool,
}

/// What is known of a step: what it does, or none if it cannot be made.
pub(crate) type Known = Option<Change>;

#[derive(Default)]
pub(crate) struct Memo {
    /// First questions, by thread, its state and its buffer.
    roots: FxHashMap<(u32, u32, u32), u32>,
    nodes: Vec<Node>,
    /// Where answers lead.
    answers: FxHashMap<(u32, u32), u32>,
    results: Vec<Known>,
    /// States in which threads wait.
    pub(crate) waiting: Waiting,
}

impl Memo {
    /// Bytes of memory held, about.
    pub(crate) fn bytes(&self) -> u64 {
        let entries = 2 * (self.roots.capacity() * 16 + self.answers.capacity() * 12);
        let kept =
            self.nodes.capacity() * size_of::<Node>() + self.results.capacity() * (size_of::<Known>() + 32);
        (entries + kept) as u64
    }

    /// What is known of the step of a thread.
    #[inline]
    pub(crate) fn find(&self, pools: &Pools, world: &World, thread: usize) -> Option<&Known> {
        let root = (world.threads[thread], small(thread), world.buffers[thread]);
        let mut node = *self.roots.get(&root)?;
        loop {
            let answer = match self.nodes[node as usize] {
                Node::Ask(ask) => ask.answer(pools, world),
                Node::Result(number) => return Some(&self.results[number as usize]),
            };
            node = *self.answers.get(&(node, answer))?;
        }
    }

    /// Keeps what a step does. `looks` must be all that it looked at, in order.
    pub(crate) fn keep(&mut self, before: &World, thread: usize, looks: &[Look], known: Known) {
        let kinds = looks.iter().map(|(ask, answer)| (Node::Ask(*ask), *answer));
        let root = (before.threads[thread], small(thread), before.buffers[thread]);
        let mut from: Option<(u32, u32)> = None;
        let last = (Node::Result(small(self.results.len())), 0);
        for (kind, answer) in kinds.chain([last]) {
            let next = small(self.nodes.len());
            let node = match from {
                None => *self.roots.entry(root).or_insert(next),
                Some(from) => *self.answers.entry(from).or_insert(next),
            };
            if node == next {
                self.nodes.push(kind);
            }
            debug_assert!(self.nodes[node as usize] == kind || matches!(kind, Node::Result(_)));
            from = Some((node, answer));
        }
        self.results.push(known);
    }
}

impl Change {
    /// What changes from one world to another, given what was looked at.
    pub(crate) fn between(
        pools: &Pools,
        before: &World,
        after: &World,
        thread: usize,
        looks: &[Look],
        own: impl Fn(u32) -> bool,
    ) -> Change {
        let mut written = Vec::new();
        for look in looks {
            if let (Ask::Object(key), number) = look
                && *number != ABSENT
                && key.number(after) != *number
            {
                written.push((*key, key.number(after)));
            }
        }
        let made: Vec<(u32, u32)> = after
            .slots
            .iter()
            .zip(&after.objects)
            .filter(|(slot, _)| after.slots.len() > before.slots.len() && !before.slots.contains(slot))
            .map(|(slot, number)| (*slot, *number))
            .collect();
        let (thread, buffer) = (
            (before.threads[thread], after.threads[thread]),
            (before.buffers[thread], after.buffers[thread]),
        );
        let refers = |slot: &u32| {
            let within = |parts: &Parts, number: u32| parts.references(number).binary_search(slot).is_ok();
            within(&pools.threads, thread.1)
                || within(&pools.buffers, buffer.1)
                || written.iter().any(|(_, number)| within(&pools.objects, *number))
                || made.iter().any(|(_, number)| within(&pools.objects, *number))
        };
        // What was at a place before, and is after.
        let rewritten = || {
            looks.iter().filter_map(|look| match look {
                (Ask::Object(key), old) => Some((*old, written.iter().find(|(other, _)| other == key)?.1)),
                _ => None,
            })
        };
        let mut dropped = rewritten().flat_map(|(old, _)| pools.objects.references(old).iter());
        let leaves = !pools.threads.references(thread.0).iter().all(refers)
            || !pools.buffers.references(buffer.0).iter().all(refers)
            || !dropped.all(refers)
            || !made.iter().all(|(slot, _)| refers(slot));
        let owner = |number: u32| pools.object(number).owner();
        let moves = leaves
            || made.iter().any(|(_, number)| owner(*number).is_none())
            || !pools.threads.alike(thread.0, thread.1)
            || !pools.buffers.alike(buffer.0, buffer.1)
            || !rewritten()
                .all(|(before, after)| pools.objects.alike(before, after) && owner(before) == owner(after));
        // What is made and dropped at once is seen by nobody.
        let kept = made.iter().filter(|(slot, _)| refers(slot));
        let changed = written.iter().map(|(_, number)| *number).chain(kept.map(|(_, number)| *number));
        let loud = buffer.0 != buffer.1 || !changed.into_iter().all(own);
        Change { thread: thread.1, buffer: buffer.1, written, made, leaves, moves, loud }
    }

    /// Makes the change.
    #[inline]
    pub(crate) fn apply(&self, world: &mut World, thread: usize) {
        world.threads[thread] = self.thread;
        world.buffers[thread] = self.buffer;
        for (key, number) in &self.written {
            match key.0 & DYNAMIC {
                0 => world.globals[key.0 as usize] = *number,
                _ => {
                    let at = world.slots.iter().position(|slot| *slot == key.0 & !DYNAMIC);
                    world.objects[at.expect("the step looked at this object")] = *number;
                }
            }
        }
        for (slot, number) in &self.made {
            world.insert(*slot, *number);
        }
    }
}

/// States of a thread that was found to wait: whatever it does, it stays among them.
#[derive(Default)]
pub(crate) struct Waiting(Vec<FxHashSet<World>>);

impl Waiting {
    pub(crate) fn knows(&self, world: &World, thread: usize) -> bool {
        self.0.get(thread).is_some_and(|states| states.contains(world))
    }

    /// Of each thread, those found last: a circle is asked about from each of its states.
    pub(crate) fn keep(&mut self, states: FxHashSet<World>, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize_with(thread + 1, FxHashSet::default);
        }
        self.0[thread] = states;
    }
}
