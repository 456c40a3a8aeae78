//! Threads of a client that make the same calls, twins, start in one order: that of their numbers.
//!
//! # Soundness
//!
//! Take any execution and let twins change places so that they make their first visible actions in order. What
//! results is an execution as well: twins run the same code, and nothing tells a program which thread it is in but
//! the addresses of what threads allocate, which lie in regions of their own; these change places with the threads,
//! and no operation tells the difference, or the exploration begins anew ([`crate::reduce::alike`]). It is as wrong as the
//! one before: no monitor may ask more of one twin than of another. So it is enough to explore executions in
//! which a thread makes its first step, which has its first visible action, after its twins before it have.
//!
//! Which actions are visible must not depend on which twin is which, so whatever one does counts in the
//! [`crate::reduce::footprint`] as done by all. Without that, a thread whose accesses are not known to compete could run on
//! before its twin may start, and what they compete for would not be learned.

use crate::code::Code;
use crate::state::threads::{self, ThreadSet};
use crate::state::{Pools, World};

/// Whether a thread has to let a twin start first.
#[inline]
pub(crate) fn comes_later(code: &Code, pools: &Pools, world: &World, thread: usize) -> bool {
    let Some(&Some((twin, driver))) = code.twins.get(thread) else { return false };
    pools.position(world.threads[twin]) == code.procs[driver as usize].entry
}

/// For each thread, itself and its twins, from the last twin before each. None if there are more than there is room
/// for: then they are never started.
pub(crate) fn sets(twins: &[Option<(usize, u32)>]) -> Vec<ThreadSet> {
    if threads::room(0, twins.len()).is_err() {
        return Vec::new();
    }
    let mut sets: Vec<ThreadSet> = (0..twins.len()).map(ThreadSet::of).collect();
    for (thread, twin) in twins.iter().enumerate() {
        if let Some((before, _)) = twin {
            let all = sets[*before].with(sets[thread]);
            for member in (0..=thread).filter(|member| all.holds(ThreadSet::of(*member))) {
                sets[member] = all;
            }
        }
    }
    sets
}
