//! Which object lies where. States that differ in nothing but the addresses of their objects are made one: those that
//! several threads may reach move to a region that belongs to no thread, in the order in which they are reached from
//! the globals, then from the threads. What is private to a thread stays in its region, where its place does not
//! depend on others.
//!
//! Where a thread makes an object depends on which thread it is, so lists that two threads filled in either
//! order are the same list only after this.
//!
//! # Soundness
//!
//! Renaming is a bijection of objects, carried out on every word that holds an address; which these are,
//! and why no step tells the two states apart, is said in [`crate::reduce::alike`]. States that became one are thus
//! isomorphic: they have the same steps, by thread, choice and entry of its buffer, into isomorphic states,
//! and the same faults, observations and ends. A counterexample is a list of such steps, and is made again
//! from the start without any renaming. Where a word cannot be understood, a state stays as it is.
//!
//! Addresses mean something to some options, which switch it off: `reuse` chooses among freed objects by
//! address, `leaks` reports addresses, a bound on preemptions asks whether a step changes anything, and on pso fairness
//! tells queues of stores by their addresses.

use crate::code::Code;
use crate::code::small;
use crate::options::Options;
use crate::state::address;
use crate::state::{PARTIAL, Parts, Pools, UNKNOWN, World, object_at};
use fencepost_lsl::program::Place;
use fencepost_models::Buffering;

/// Whether these options leave room for it.
pub(crate) fn possible(options: &Options) -> bool {
    let queues = options.buffering == Buffering::Pso && options.termination.wants().is_some();
    options.reductions.rename && !options.reuse && !options.leaks && !queues && options.preemptions.is_none()
}

/// Where each object goes; used over and over.
#[derive(Default)]
pub(crate) struct Renaming {
    /// By position of an object: its new first slot.
    to: Vec<u32>,
    /// How many objects have no place yet.
    missing: usize,
    /// Positions of objects that are reached, those from `followed` on still to be followed.
    reached: Vec<u32>,
    followed: usize,
    next_stack: u32,
    next_heap: u32,
    words: Vec<u64>,
}

const UNREACHED: u32 = u32::MAX;

impl Renaming {
    /// Gives an object its place, unless it has one.
    #[inline]
    fn reach(&mut self, pools: &Pools, world: &World, at: usize) {
        if self.to[at] != UNREACHED {
            return;
        }
        let object = pools.object(world.objects[at]);
        let next = if object.heap() { &mut self.next_heap } else { &mut self.next_stack };
        self.to[at] = *next;
        *next += object.slots();
        self.missing -= 1;
        self.reached.push(small(at));
    }

    /// Reaches all that a part refers to.
    #[inline]
    fn follow(&mut self, pools: &Pools, world: &World, parts: &Parts, number: u32) {
        for (_, slot) in parts.pointers(number) {
            if let Some(at) = object_at(pools, world, *slot) {
                self.reach(pools, world, at);
            }
        }
    }

    /// Reaches all that reached objects refer to.
    fn spread(&mut self, pools: &Pools, world: &World) {
        while let Some(at) = self.reached.get(self.followed) {
            self.follow(pools, world, &pools.objects, world.objects[*at as usize]);
            self.followed += 1;
        }
    }

    /// Finds where all objects go.
    fn plan(&mut self, pools: &Pools, world: &World) {
        self.to.clear();
        self.reached.clear();
        (self.missing, self.followed) = (0, 0);
        self.next_stack = address::region(Place::Stack, address::THREADS).start;
        self.next_heap = address::region(Place::Heap, address::THREADS).start;
        for (slot, object) in world.slots.iter().zip(&world.objects) {
            // What is private stays in the region of its thread.
            let private = pools.object(*object).owner().is_some();
            self.to.push(if private { *slot } else { UNREACHED });
            self.missing += !private as usize;
        }
        if self.missing > 0 {
            for global in &world.globals {
                self.follow(pools, world, &pools.objects, *global);
            }
            self.spread(pools, world);
        }
        if self.missing > 0 {
            for (thread, buffer) in world.threads.iter().zip(&world.buffers) {
                self.follow(pools, world, &pools.threads, *thread);
                self.follow(pools, world, &pools.buffers, *buffer);
            }
            for object in &world.objects {
                if pools.object(*object).owner().is_some() {
                    self.follow(pools, world, &pools.objects, *object);
                }
            }
            self.spread(pools, world);
        }
        // What only looks reached keeps its order; such states are merged less often, not wrongly.
        for at in 0..world.slots.len() {
            if self.missing > 0 {
                self.reach(pools, world, at);
                self.spread(pools, world);
            }
        }
    }

    /// Whether there is room, and every address in a world is understood.
    fn fits(&self, pools: &Pools, world: &World) -> bool {
        let known = |parts: &Parts, numbers: &[u32]| {
            let mut pointers = numbers.iter().flat_map(|number| parts.pointers(*number));
            pointers.all(|(at, slot)| *at != PARTIAL && object_at(pools, world, *slot).is_some())
        };
        self.next_stack <= address::region(Place::Stack, address::THREADS).end
            && self.next_heap <= address::region(Place::Heap, address::THREADS).end
            && known(&pools.threads, &world.threads)
            && known(&pools.buffers, &world.buffers)
            && known(&pools.objects, &world.globals)
            && known(&pools.objects, &world.objects)
    }

    /// Puts a part's words, renamed, into `words`. False if they stay the same.
    fn renamed(&mut self, pools: &Pools, world: &World, parts: &Parts, number: u32) -> bool {
        let mut changed = false;
        for (position, slot) in parts.pointers(number) {
            let Some(at) = object_at(pools, world, *slot) else { continue };
            let (from, to) = (world.slots[at], self.to[at]);
            if from != to {
                if !changed {
                    self.words.clear();
                    self.words.extend_from_slice(parts.words.get(number));
                    changed = true;
                }
                let word = &mut self.words[*position as usize];
                *word = *word + address::base(to, 1) - address::base(from, 1);
            }
        }
        changed
    }

    /// Moves all objects of a world to where they belong.
    pub(crate) fn rename(&mut self, code: &Code, pools: &mut Pools, world: &mut World) {
        if world.slots.is_empty() {
            return;
        }
        self.plan(pools, world);
        if self.to != world.slots && self.fits(pools, world) {
            self.carry_out(code, pools, world);
        }
    }

    fn carry_out(&mut self, code: &Code, pools: &mut Pools, world: &mut World) {
        let mut objects = Vec::with_capacity(world.objects.len());
        for number in &world.objects {
            objects.push(match self.renamed(pools, world, &pools.objects, *number) {
                true => pools.intern_object(&self.words),
                false => *number,
            });
        }
        for at in 0..world.globals.len() {
            if self.renamed(pools, world, &pools.objects, world.globals[at]) {
                world.globals[at] = pools.intern_object(&self.words);
            }
        }
        for at in 0..world.threads.len() {
            if self.renamed(pools, world, &pools.threads, world.threads[at]) {
                let phase = pools.phases[world.threads[at] as usize];
                world.threads[at] = pools.intern_thread_words(code, &self.words, phase);
            }
            if self.renamed(pools, world, &pools.buffers, world.buffers[at]) {
                world.buffers[at] = pools.intern_buffer_words(&self.words);
            }
        }
        // As many objects as before, in the order of their new slots.
        let mut sorted: Vec<(u32, u32)> = self.to.iter().copied().zip(objects).collect();
        sorted.sort_unstable();
        for (at, (slot, number)) in sorted.into_iter().enumerate() {
            (world.slots[at], world.objects[at]) = (slot, number);
        }
        world.shape = UNKNOWN;
        world.shape = pools.shape(world);
    }
}
