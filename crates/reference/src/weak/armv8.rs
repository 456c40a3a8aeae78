//! ARMv8, the multi-copy atomic model of the architecture's manual, as Pulte, Flur, Deacon, French, Sarkar and Sewell have it
//! in "Simplifying ARM Concurrency", POPL 2018, with the rule of the manual about read-modify-writes of one instruction
//! that both acquire and release: they are barriers to what stands around them.

use super::events::{Barrier, acquires, releases};
use super::execution::Execution;
use super::relation::{Relation, Set};

pub(super) fn allows(execution: &Execution) -> bool {
    let obs = execution.external(execution.com());
    // The paper has only what this adds to dependencies and releases. Without atomic blocks that makes no difference.
    let local_write_successor = execution.po_loc().to(execution.writes());
    let ordered = dependency_ordered(execution) | atomic_ordered(execution) | barrier_ordered(execution);
    let ob = obs | local_write_successor | ordered | execution.start;
    execution.is_atomic() && execution.uninterrupted(execution.com()) && execution.uninterrupted(ob)
}

/// Reads that acquire, and writes that release.
fn acquire_release(execution: &Execution) -> (Set, Set) {
    let acquire = execution.set(|event| acquires(event.order)) & execution.reads();
    let release = execution.set(|event| releases(event.order)) & execution.writes();
    (acquire, release)
}

fn dependency_ordered(execution: &Execution) -> Relation {
    let Execution { po, addr, data, ctrl, .. } = *execution;
    let writes = execution.writes();
    let rfi = execution.internal(execution.rf);
    addr | data | ctrl.to(writes) | addr.then(po).to(writes) | (addr | data).then(rfi)
}

fn atomic_ordered(execution: &Execution) -> Relation {
    let (acquire, _) = acquire_release(execution);
    let stored = execution.set(|event| event.modify) & execution.writes();
    execution.rmw | execution.internal(execution.rf).from(stored).to(acquire)
}

fn barrier_ordered(execution: &Execution) -> Relation {
    let (reads, writes) = (execution.reads(), execution.writes());
    let (acquire, release) = acquire_release(execution);
    let po = execution.po.from(reads | writes).to(reads | writes);
    let both = execution.rmw.from(acquire).to(release);
    execution.around(Barrier::DmbSy)
        | po.then(both).then(po)
        | po.from(release).to(acquire)
        | execution.around(Barrier::DmbLd).from(reads)
        | po.from(acquire)
        | execution.around(Barrier::DmbSt).from(writes).to(writes)
        | po.to(release)
}
