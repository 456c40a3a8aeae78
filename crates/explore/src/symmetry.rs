//! Threads of a client that make the same calls, twins, start in one order: that of their numbers.
//!
//! # Soundness
//!
//! Take any execution and let twins change places so that they make their first steps in order. What results
//! is an execution as well: twins run the same code, and nothing tells a program which thread it is in but the
//! addresses of what threads allocate, which lie in regions of their own; these change places with the
//! threads, and no operation tells the difference, or the exploration begins anew ([`crate::alike`]). It is as wrong as the one
//! before: no monitor may ask more of one twin than of another. So it is enough to explore executions in which a
//! thread starts after its twins before it. That a thread has started stays so, and no other step depends on it, so that
//! the other reductions see nothing but a thread that waits for another.

use crate::machine::Machine;
use crate::state::World;

/// Whether a thread has to let a twin start first.
#[inline]
pub(crate) fn comes_later(machine: &Machine, world: &World, thread: usize) -> bool {
    if !machine.symmetric {
        return false;
    }
    let Some(&Some((twin, driver))) = machine.code.twins.get(thread) else { return false };
    machine.position(world, twin) == machine.code.procs[driver as usize].entry
}
