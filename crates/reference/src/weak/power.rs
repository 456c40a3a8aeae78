//! Power, from Alglave, Maranget and Tautschnig, "Herding Cats", TOPLAS 2014. The order that a thread preserves follows from
//! when the parts of instructions are initiated (`i`) and committed (`c`): `ic` relates the first of one to the second of another.
//! Atomic blocks are the transactions of Chong, Sorensen and Wickerson, PLDI 2018.

use super::events::Barrier;
use super::execution::Execution;
use super::relation::Relation;

pub(super) fn allows(execution: &Execution) -> bool {
    let Execution { co, rf, fr, start, block, po, .. } = *execution;
    let (reads, writes) = (execution.reads(), execution.writes());
    let rfe = execution.external(rf);
    let fre = execution.external(fr);
    let strong = execution.around(Barrier::Sync) | start.from(reads | writes).to(reads | writes);
    let lwsync = execution.around(Barrier::Lwsync);
    let eieio = execution.around(Barrier::Eieio).from(writes).to(writes);
    let fence = strong | (lwsync - lwsync.from(writes).to(reads)) | eieio;
    let order = ppo(execution) | fence | po & block;
    // How one block comes to be before another, and that all see the writes of a block together, and what it has read before.
    let overtaken = (fre | execution.external(co)).star();
    let between = (rfe | overtaken.then(order)).star().then(overtaken).then(rfe.optional());
    let prop_block = rfe.then(block).to(writes) | block.then(rfe);

    let hb = order | rfe | execution.weaklift(between);
    let prop_base = rfe.optional().then(fence).then(hb.star());
    let strong_prop = execution.com().star().then(prop_base.star()).then(strong).then(hb.star());
    let prop = prop_base.from(writes).to(writes) | strong_prop | prop_block;

    let no_thin_air = execution.uninterrupted(hb);
    let observation = fre.then(prop).then(hb.star()).is_irreflexive();
    let propagation = execution.uninterrupted(co | prop);
    let isolation = execution.uninterrupted(execution.com());
    execution.is_atomic() && isolation && no_thin_air && observation && propagation
}

/// Preserved program order: the least solution of the equations.
fn ppo(execution: &Execution) -> Relation {
    let Execution { po, rf, co, fr, addr, data, ctrl, .. } = *execution;
    let (reads, writes) = (execution.reads(), execution.writes());
    let [rfe, coe, fre] = [rf, co, fr].map(|relation| execution.external(relation));
    let rfi = execution.internal(rf);
    let po = po.from(reads | writes).to(reads | writes);
    let po_loc = execution.po_loc();
    let rdw = po_loc & fre.then(rfe);
    let detour = po_loc & coe.then(rfe);
    let isync = execution.barriers(Barrier::Isync);
    let ctrl_isync = ctrl.to(isync).then(execution.po.to(reads | writes));
    let ctrl = ctrl.to(reads | writes);

    let (ii0, ci0, cc0) =
        (addr | data | rfi | rdw, ctrl_isync | detour, addr | data | po_loc | ctrl | addr.then(po));
    let (mut ii, mut ic, mut ci, mut cc) = (ii0, Relation::empty(execution.events.len()), ci0, cc0);
    loop {
        let next = (
            ii0 | ci | ic.then(ci) | ii.then(ii),
            ii | cc | ic.then(cc) | ii.then(ic),
            ci0 | ci.then(ii) | cc.then(ci),
            cc0 | ci | ci.then(ic) | cc.then(cc),
        );
        let grown = [next.0 - ii, next.1 - ic, next.2 - ci, next.3 - cc];
        if grown.iter().all(Relation::is_empty) {
            break;
        }
        // What was found is kept: each step only adds to it.
        (ii, ic, ci, cc) = (ii | next.0, ic | next.1, ci | next.2, cc | next.3);
    }
    ii.from(reads).to(reads) | ic.from(reads).to(writes)
}
