//! Heap objects that nobody can free any more: all threads are over, and no global leads to them.
//!
//! A word leads to an object as pointers are commonly kept: as they are, with tags in their lowest bits, with a stamp
//! in the 16 bits above or below. Garbage collection takes whatever looks like a pointer for one, since it must not
//! drop anything that is used; here fewer forms count, since what is lost must be found.

use crate::state::address;
use crate::state::{World, object_at};
use crate::step::machine::Machine;
use fencepost_lsl::program::address as regions;

/// What is lost in an execution that is over.
pub(crate) struct Lost {
    /// The addresses of objects that no global leads to.
    pub(crate) objects: Vec<u64>,
    /// Whether to some of these a word may lead that keeps pointers otherwise: across two words, or further up in one.
    pub(crate) doubtful: bool,
}

/// All that is lost in an execution that is over.
pub(crate) fn leaked(machine: &Machine, world: &World) -> Lost {
    let object = |at: usize| machine.pools.object(world.objects[at]);
    let held = reached(machine, world, |word| [word, word & (u64::MAX >> 16), word >> 16]);
    let lost = |at: &usize| object(*at).heap() && !object(*at).freed() && !held[*at];
    let lost: Vec<usize> = (0..world.slots.len()).filter(lost).collect();
    let doubtful = !lost.is_empty() && {
        // Pointers of 32 bits, across two words, or above a stamp of 32 bits.
        let may = reached(machine, world, |word| [0, 16, 32].map(|up| word >> up & (regions::END - 1)));
        lost.iter().any(|&at| may[at])
    };
    Lost { objects: lost.iter().map(|&at| object(at).base(world.slots[at])).collect(), doubtful }
}

/// The objects that globals lead to by pointers that are kept in words like these.
fn reached(machine: &Machine, world: &World, pointers: impl Fn(u64) -> [u64; 3]) -> Vec<bool> {
    let pools = &machine.pools;
    let mut reached = vec![false; world.slots.len()];
    let mut work = world.globals.clone();
    while let Some(number) = work.pop() {
        let words = pools.object(number).content().iter().flat_map(|word| pointers(*word));
        for at in words.filter_map(address::slot).filter_map(|slot| object_at(pools, world, slot)) {
            if !std::mem::replace(&mut reached[at], true) {
                work.push(world.objects[at]);
            }
        }
    }
    reached
}
