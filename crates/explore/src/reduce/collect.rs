//! Dropping of objects that nothing refers to.

use crate::state::{Pools, UNKNOWN, World};

/// Drops objects that nothing refers to. With `keep`, heap objects stay until they are freed.
///
/// # Soundness
///
/// See [`address::references`]: no word of the state leads to a dropped object, so no step accesses it or
/// compares with its address.
pub(crate) fn collect(pools: &Pools, world: &mut World, keep: bool) {
    let count = world.slots.len();
    if count == 0 {
        return;
    }
    let mut marks = Marks { few: 0, many: vec![false; if count > 64 { count } else { 0 }], count: 0 };
    let mut work = Work { few: 0, many: Vec::new() };
    let (slots, objects) = (&world.slots, &world.objects);
    let mut mark = |references: &[u32], work: &mut Work| {
        for slot in references {
            let Some(at) = slots.partition_point(|other| other <= slot).checked_sub(1) else { continue };
            let inside = || slots[at] == *slot || slot - slots[at] < pools.object(objects[at]).slots();
            if !marks.has(at) && inside() {
                marks.set(at);
                work.push(at, count);
            }
        }
        marks.count == count
    };
    let roots = world.threads.iter().any(|thread| mark(pools.threads.references(*thread), &mut work))
        || world.buffers.iter().any(|buffer| mark(pools.buffers.references(*buffer), &mut work))
        || world.globals.iter().any(|global| mark(pools.objects.references(*global), &mut work));
    if roots {
        return;
    }
    if keep {
        for (at, object) in world.objects.iter().enumerate() {
            if pools.object(*object).heap() && !pools.object(*object).freed() {
                mark(&[slots[at]], &mut work);
            }
        }
    }
    while let Some(at) = work.pop() {
        if mark(pools.objects.references(objects[at]), &mut work) {
            return;
        }
    }
    world.shape = UNKNOWN;
    let mut at = 0;
    world.objects.retain(|_| {
        at += 1;
        marks.has(at - 1)
    });
    at = 0;
    world.slots.retain(|_| {
        at += 1;
        marks.has(at - 1)
    });
}

/// Objects reached: a word of bits while there are few.
struct Marks {
    few: u64,
    many: Vec<bool>,
    count: usize,
}

impl Marks {
    #[inline]
    fn has(&self, at: usize) -> bool {
        if self.many.is_empty() { self.few >> at & 1 != 0 } else { self.many[at] }
    }

    #[inline]
    fn set(&mut self, at: usize) {
        self.count += 1;
        if self.many.is_empty() { self.few |= 1 << at } else { self.many[at] = true }
    }
}

/// Objects whose references are still to be followed.
struct Work {
    few: u64,
    many: Vec<usize>,
}

impl Work {
    #[inline]
    fn push(&mut self, at: usize, count: usize) {
        if count <= 64 { self.few |= 1 << at } else { self.many.push(at) }
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.few == 0 {
            return self.many.pop();
        }
        let at = self.few.trailing_zeros() as usize;
        self.few &= self.few - 1;
        Some(at)
    }
}
