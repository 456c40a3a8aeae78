//! RVWMO, from the RISC-V Instruction Set Manual, volume I: the thirteen rules of preserved program order, and a global
//! memory order that respects them.
//!
//! An `amo` is one operation of memory there, a load and a store at once; here its two events are kept together.

use super::events::{Barrier, Kind, acquires, releases};
use super::execution::{Execution, lift};
use super::relation::Relation;
use crate::program::Order;

pub(super) fn allows(execution: &Execution) -> bool {
    let Execution { po, rf, co, fr, rmw, start, block, .. } = *execution;
    let memory = ppo(execution) | start | execution.external(rf) | co | fr;
    // Blocks, and the two events of an amo, are one operation.
    let whole = (block | rmw | rmw.inverse()).plus();
    let order = lift(memory, whole) | (memory | po) & whole;
    execution.uninterrupted(execution.com()) && order.is_acyclic()
}

/// Preserved program order, rule by rule.
fn ppo(execution: &Execution) -> Relation {
    let Execution { ref events, po, rf, addr, data, ctrl, rmw, .. } = *execution;
    let (reads, writes) = (execution.reads(), execution.writes());
    let modify = execution.set(|event| event.modify);
    let po = po.from(reads | writes).to(reads | writes);
    let po_loc = execution.po_loc();
    let rfi = execution.internal(rf);
    let aq = execution.set(|event| acquires(event.order)) & reads & modify;
    // Seq_cst sets both bits; a compare-and-swap that fails is then an `lr.aqrl`.
    let sc = execution.set(|event| event.order == Order::SeqCst);
    let rl = modify & (writes & execution.set(|event| releases(event.order)) | sc & reads);
    let sources = rf.inverse();
    let same_source = Relation::of(events.len(), |a, b| sources.row(a) == sources.row(b));
    let no_write_between = po_loc - po_loc.to(writes).then(po_loc);

    let r1 = po_loc.to(writes);
    let r2 = no_write_between.from(reads).to(reads) - same_source;
    let r3 = rfi.from(modify);
    let r4 = fences(execution);
    let r5 = po.from(aq);
    let r6 = po.to(rl);
    let r7 = po.from(aq | rl).to(aq | rl);
    let r8 = rmw;
    let r9 = addr;
    let r10 = data;
    let r11 = ctrl.to(writes);
    let r12 = (addr | data).then(rfi);
    let r13 = addr.then(po).to(writes);
    r1 | r2 | r3 | r4 | r5 | r6 | r7 | r8 | r9 | r10 | r11 | r12 | r13
}

fn fences(execution: &Execution) -> Relation {
    let Execution { ref events, po, .. } = *execution;
    let mut kept = Relation::empty(events.len());
    for (fence, event) in events.iter().enumerate() {
        let Kind::Barrier(Barrier::Pairs(pairs)) = event.kind else { continue };
        let is_access = |event: usize| !matches!(events[event].kind, Kind::Barrier(_));
        let stores = |event: usize| events[event].kind == Kind::Write;
        kept = kept
            | Relation::of(events.len(), |a, b| {
                let around = po.has(a, fence) && po.has(fence, b) && is_access(a) && is_access(b);
                around && pairs.orders(stores(a), stores(b))
            });
    }
    kept
}
