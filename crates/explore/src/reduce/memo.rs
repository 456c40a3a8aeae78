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

/// How many slots the object takes that starts in a slot; zero if none does.
fn room(pools: &Pools, world: &World, slot: u32) -> u32 {
    let at = world.slots.iter().position(|first| *first == slot);
    at.map_or(0, |at| pools.object(world.objects[at]).slots())
}

/// A number that tells the size of the object that starts in a slot, and its alignment; zero if none does.
fn size(pools: &Pools, world: &World, slot: u32) -> u32 {
    let at = world.slots.iter().position(|first| *first == slot);
    // Sizes are below 2^24, see `step/access.rs`.
    at.map_or(0, |at| {
        let object = pools.object(world.objects[at]);
        (object.size() as u32) << 5 | (1 + object.align().trailing_zeros())
    })
}

/// Where the object starts that a slot belongs to, counted from one; zero if it belongs to none.
fn cover(pools: &Pools, world: &World, slot: u32) -> u32 {
    object_at(pools, world, slot).map_or(0, |at| world.slots[at] + 1)
}

/// What a step looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// The object at a place, and what it is.
    Object(Key, u32),
    /// How many slots the object takes that starts in a slot; zero if none does.
    Room(u32, u32),
    /// The [`size`] of the object that starts in a slot.
    Size(u32, u32),
    /// The [`cover`] of a slot.
    Cover(u32, u32),
}

/// What the step under way looked at.
#[derive(Default)]
pub(crate) struct Looks {
    /// In order, each once.
    pub(crate) seen: Vec<Look>,
    /// Slots of objects that it made, which are none of that.
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
        let known = |look: &Look| matches!(look, Look::Object(other, _) if *other == key);
        if !self.seen.iter().any(known) && !self.made.iter().any(|slot| Key::slot(*slot) == key) {
            self.seen.push(Look::Object(key, number));
        }
    }

    /// At which object a slot belongs to.
    pub(crate) fn cover(&mut self, pools: &Pools, world: &World, slot: u32) {
        if self.seen.iter().any(|look| matches!(look, Look::Cover(other, _) if *other == slot)) {
            return;
        }
        let cover = cover(pools, world, slot);
        if !self.made.iter().any(|made| made + 1 == cover) {
            self.seen.push(Look::Cover(slot, cover));
        }
    }

    /// At the size of the object that starts in a slot.
    pub(crate) fn size(&mut self, pools: &Pools, world: &World, slot: u32) {
        self.look_once(slot, Look::Size(slot, size(pools, world, slot)));
    }

    /// At how many slots the object takes that starts in a slot.
    pub(crate) fn room(&mut self, pools: &Pools, world: &World, slot: u32) -> u32 {
        let taken = room(pools, world, slot);
        if self.look_once(slot, Look::Room(slot, taken)) {
            self.pure &= self.seen.len() < MOST_LOOKS;
        }
        taken
    }

    fn look_once(&mut self, slot: u32, look: Look) -> bool {
        let new = !self.made.contains(&slot) && !self.seen.contains(&look);
        if new {
            self.seen.push(look);
        }
        new
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Object(Key),
    Room(u32),
    Size(u32),
    Cover(u32),
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
                Node::Object(key) => key.number(world),
                Node::Room(slot) => room(pools, world, slot),
                Node::Size(slot) => size(pools, world, slot),
                Node::Cover(slot) => cover(pools, world, slot),
                Node::Result(number) => return Some(&self.results[number as usize]),
            };
            node = *self.answers.get(&(node, answer))?;
        }
    }

    /// Keeps what a step does. `looks` must be all that it looked at, in order.
    pub(crate) fn keep(&mut self, before: &World, thread: usize, looks: &[Look], known: Known) {
        let kinds = looks.iter().map(|look| match look {
            Look::Object(key, number) => (Node::Object(*key), *number),
            Look::Room(slot, taken) => (Node::Room(*slot), *taken),
            Look::Size(slot, size) => (Node::Size(*slot), *size),
            Look::Cover(slot, cover) => (Node::Cover(*slot), *cover),
        });
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
            if let Look::Object(key, number) = look
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
        let overwritten = looks.iter().filter_map(|look| match look {
            Look::Object(key, number) if written.iter().any(|(other, _)| other == key) => Some(*number),
            _ => None,
        });
        let mut dropped = overwritten.flat_map(|number| pools.objects.references(number).iter());
        let leaves = !pools.threads.references(thread.0).iter().all(refers)
            || !pools.buffers.references(buffer.0).iter().all(refers)
            || !dropped.all(refers)
            || !made.iter().all(|(slot, _)| refers(slot));
        let mut rewritten = looks.iter().filter_map(|look| match look {
            Look::Object(key, number) => Some((*number, written.iter().find(|(other, _)| other == key)?.1)),
            Look::Room(..) | Look::Size(..) | Look::Cover(..) => None,
        });
        let owner = |number: u32| pools.object(number).owner();
        let moves = leaves
            || made.iter().any(|(_, number)| owner(*number).is_none())
            || !pools.threads.alike(thread.0, thread.1)
            || !pools.buffers.alike(buffer.0, buffer.1)
            || !rewritten
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
