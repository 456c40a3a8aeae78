//! x86, after the axioms of x86-TSO in Owens, Sarkar and Sewell, TPHOLs 2009, in the form of Herding Cats: the writes reach
//! memory in one order with all that is fenced, and a read may run before writes in front of it, seeing them at once.

use super::events::{Barrier, Kind};
use super::execution::Execution;
use crate::program::Order;

pub(super) fn allows(execution: &Execution) -> bool {
    let Execution { po, rf, co, fr, start, .. } = *execution;
    let (reads, writes) = (execution.reads(), execution.writes());
    // Read-modify-writes and atomic blocks are locked, also where they only read; a seq_cst store is an exchange.
    let locked = execution.set(|event| {
        event.modify || event.block.is_some() || event.kind == Kind::Write && event.order == Order::SeqCst
    });
    let accesses = po.from(reads | writes).to(reads | writes);
    let ppo = accesses - accesses.from(writes & !locked).to(reads & !locked);
    let fence = execution.around(Barrier::Mfence);
    execution.is_atomic() && execution.uninterrupted(ppo | fence | start | execution.external(rf) | co | fr)
}
