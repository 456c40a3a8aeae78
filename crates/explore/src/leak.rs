//! Heap objects that nobody can free any more: all threads are over, and no global leads to them.
//!
//! A word leads to an object as pointers are commonly kept: as they are, with tags in their lowest bits, with a
//! stamp in the 16 bits above or below. Other than garbage collection, which must not drop anything that is used
//! and takes whatever looks like a pointer for one, this must find what is lost.

use crate::address;
use crate::machine::Machine;
use crate::state::World;

/// Addresses of all that is lost in an execution that is over.
pub(crate) fn leaked(machine: &Machine, world: &World) -> Vec<u64> {
    let object = |at: usize| machine.pools.object(world.objects[at]);
    let mut held = vec![false; world.slots.len()];
    let mut work: Vec<usize> = Vec::new();
    let follow = |words: &[u64], held: &mut Vec<bool>, work: &mut Vec<usize>| {
        let slots = words.iter().flat_map(|&word| [word, word & (u64::MAX >> 16), word >> 16]);
        for slot in slots.filter_map(address::slot) {
            let Some(at) = world.slots.partition_point(|other| *other <= slot).checked_sub(1) else {
                continue;
            };
            let inside = slot - world.slots[at] < object(at).slots();
            if inside && !std::mem::replace(&mut held[at], true) {
                work.push(at);
            }
        }
    };
    for global in &world.globals {
        follow(machine.pools.object(*global).content(), &mut held, &mut work);
    }
    while let Some(at) = work.pop() {
        follow(object(at).content(), &mut held, &mut work);
    }
    let lost = |at: &usize| object(*at).heap() && !object(*at).freed() && !held[*at];
    (0..world.slots.len()).filter(lost).map(|at| object(at).base(world.slots[at])).collect()
}
