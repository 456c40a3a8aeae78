//! What others can notice of a step.

use crate::state::World;
use crate::step::machine::Machine;

/// Whether two states differ in more than what only one thread can see.
pub(crate) fn noticeable(machine: &Machine, a: &World, b: &World, thread: usize) -> bool {
    let others = |world: &World| {
        let mut threads = world.threads.clone();
        threads[thread] = 0;
        threads
    };
    let shared = |world: &World| -> Vec<(u32, u32)> {
        let pairs = world.slots.iter().copied().zip(world.objects.iter().copied());
        pairs.filter(|(_, object)| !private(machine, *object, thread)).collect()
    };
    a.monitor != b.monitor
        || a.threads.len() != b.threads.len()
        || others(a) != others(b)
        || a.buffers != b.buffers
        || a.globals != b.globals
        || shared(a) != shared(b)
}

/// Whether only one thread can see an object.
pub(crate) fn private(machine: &Machine, object: u32, thread: usize) -> bool {
    let object = machine.pools.object(object);
    let site = (object.class() as usize).checked_sub(machine.program.globals.len());
    object.owner() == Some(thread) || site.is_some_and(|site| machine.code.sites[site].confined)
}
