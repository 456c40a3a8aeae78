//! RC11, from Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017, under the names it has there (`mo` is coherence, `rb`
//! from-reads), with transactions as C++ has them in Chong, Sorensen and Wickerson, PLDI 2018.

use super::events::{Barrier, Event, Kind, acquires, releases};
use super::execution::Execution;
use super::relation::{Relation, Set};
use crate::program::Order;

/// An execution with its happens-before.
pub(super) struct Orders<'a> {
    execution: &'a Execution,
    hb: Relation,
}

/// The order of an access or fence.
fn order(event: &Event) -> Order {
    match event.kind {
        Kind::Barrier(Barrier::C11(order)) => order,
        _ => event.order,
    }
}

fn is_fence(event: &Event) -> bool {
    matches!(event.kind, Kind::Barrier(_))
}

impl<'a> Orders<'a> {
    pub(super) fn new(execution: &'a Execution) -> Orders<'a> {
        let Execution { po: sb, rf, start, .. } = *execution;
        // By plain accesses alone: atomic ones do what their orders say.
        let plain = execution.set(|event| !is_fence(event) && event.order == Order::Plain);
        let tsw = execution.weaklift(execution.com().from(plain).to(plain));
        Orders { execution, hb: (sb | synchronizes_with(execution, rf) | start | tsw).plus() }
    }

    /// Whether the execution is RC11-consistent.
    pub(super) fn are_consistent(&self) -> bool {
        let Execution { po: sb, rf, co: mo, fr: rb, rmw, .. } = *self.execution;
        let eco = self.execution.com().plus();
        let coherence = self.hb.then(eco.optional()).is_irreflexive();
        let atomicity = (rmw & rb.then(mo)).is_empty();
        let no_thin_air = (sb | rf).is_acyclic();
        let isolation = self.execution.uninterrupted(self.execution.com());
        coherence && atomicity && no_thin_air && isolation && self.psc(eco).is_acyclic()
    }

    /// The partial order of everything seq_cst.
    fn psc(&self, eco: Relation) -> Relation {
        let Execution { po: sb, co: mo, fr: rb, loc, .. } = *self.execution;
        let hb = self.hb;
        let sc = self.execution.set(|event| order(event) == Order::SeqCst);
        let fences = self.execution.set(|event| is_fence(event) && order(event) == Order::SeqCst);
        let sb_other = sb - loc;
        let scb = sb | sb_other.then(hb).then(sb_other) | (hb & loc) | mo | rb;
        let from = |relation: Relation| relation.from(sc) | hb.optional().from(fences).then(relation);
        let to = |relation: Relation| relation.to(sc) | relation.then(hb.optional().to(fences));
        let psc_base = to(from(scb));
        let psc_f = (hb | hb.then(eco).then(hb)).from(fences).to(fences);
        psc_base | psc_f
    }

    /// Whether the execution has a data race.
    pub(super) fn race(&self) -> bool {
        let Execution { ref events, loc, int, .. } = *self.execution;
        let ordered = self.hb | self.hb.inverse();
        let pairs = Relation::of(events.len(), |a, b| {
            let writes = [a, b].iter().any(|&e| events[e].kind == Kind::Write);
            let plain = [a, b].iter().any(|&e| events[e].order == Order::Plain);
            writes && plain
        });
        !((pairs & loc) - int - ordered).is_empty()
    }
}

/// Release sequences, and who acquires from whom, also by fences.
fn synchronizes_with(execution: &Execution, rf: Relation) -> Relation {
    let (sb, writes, reads) = (execution.po, execution.writes(), execution.reads());
    let atomic = execution.set(|event| !is_fence(event) && event.order != Order::Plain);
    let fences: Set = execution.set(is_fence);
    let rel = execution.set(|event| releases(order(event)));
    let acq = execution.set(|event| acquires(order(event)));
    let same = execution.po_loc().optional().from(writes).to(writes & atomic);
    let rs = same.then(rf.then(execution.rmw).star());
    let released = sb.from(fences).to(writes) | Relation::empty(execution.events.len()).optional();
    let acquired = sb.from(reads).to(fences) | Relation::empty(execution.events.len()).optional();
    released.from(rel).then(rs).then(rf.to(reads & atomic)).then(acquired.to(acq))
}
