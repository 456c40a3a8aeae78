//! Reductions: which steps need not be told apart, and which states need not be kept.
//!
//! *Invariant:* a reduction changes how many states there are and how long a step takes, never a verdict; each says why under
//! *Soundness*. Each can be switched off ([`crate::Reductions`]). What an exploration takes for granted it also watches, and
//! begins anew without it once it was wrong: [`footprint`] for cells and objects, [`alike`] and [`forms`] for addresses.
//! Reductions know code and states, not the machine that makes steps.

pub(crate) mod alike;
pub(crate) mod collect;
pub(crate) mod footprint;
pub(crate) mod forms;
pub(crate) mod memo;
pub(crate) mod rename;
pub(crate) mod symmetry;

/// For tests: two objects of a slot, and one of three between them.
#[cfg(test)]
fn three_objects(slots: [u32; 3]) -> (crate::state::Pools, crate::state::World) {
    use crate::state::{Pools, World, object};
    let (mut pools, mut world) = (Pools::new(false, false, None), World::default());
    for (slot, size) in slots.into_iter().zip([24, 9000, 24]) {
        let shape = object::Shape { size, align: 16, class: 0, heap: true, zeroed: true };
        world.insert(slot, pools.intern_object(&object::new(shape, None)));
    }
    (pools, world)
}
