//! Silent turns of loops: a thread that comes around a loop and finds everything as it left it has waited, and
//! waits once more. Such turns are cut: the thread stops there, as one that waits for ever.
//!
//! A *turn* leads from the loop's turning point once around to the same point. It is silent if it stored nothing
//! and left every register that is live at that point (see [`fencepost_lsl::liveness`] and, for ways whose branches
//! contradict each other, [`fencepost_lsl::ways`]) as it was: the same node,
//! whatever selects it, so that it also depends on the same loads; or a constant of which a load has brought the like.
//! One kind of store is let pass: what an atomic block stores back as it found it, as an exchange does with a lock
//! that is held.
//!
//! # Soundness
//!
//! *An execution with a silent turn stays one when the events of that turn are left out*, and goes on as before:
//! it stands at the same statement with the same live registers, and what it does from there depends on nothing
//! else. Its results, faults, and what others read stay as they are. So every finding has an execution without
//! silent turns, except for turns of threads that do not come out of their loop any more; those are stopped after
//! the first, which leaves the other threads alone.
//!
//! That the model allows what is left: no event reads from those left out (stores: see below), so `rf`, `co` and
//! `fr` between the others are as they were, as are program order and dependencies, which come through registers:
//! live ones are the same nodes or were constants, and what branches of the turn added to control dependencies is gone.
//! Fences of the turn are gone as well. A model that only ever forbids is content with less; one that does not
//! ([`fences_only_forbid`](crate::switched::fences_only_forbid)) has all turns unrolled.
//!
//! *Stores that change nothing.* Let the block read from S and store the same value, W. Who read from W reads from
//! S instead, which is next to W in coherence order, so that `fr` stays what it was. S comes before W in memory
//! order, by reads-from or coherence, so readers in other threads that came after W come after S. A reader in the
//! thread itself need not have come after W where a thread may read its own store before others see it: then it
//! could read the value before S is there. Unless the model rules that out for blocks, such stores are let pass only
//! where no such reader is: the block is executed in every turn, at the same address, before the turn reads anything.
//! So the next turn has such a block, which comes after W in memory order and hides it from all that follows.
//!
//! Not recognised: waiting that stores and stores back later (polling under a mutex), since others can see what
//! is stored in between; and turns that store to variables of the thread's own in memory.

use super::walk::Env;
use super::{EventKind, Stillness, Unrolled};
use crate::guard::Guard;
use crate::ssa::{Node, ValId, Values};
use fencepost_lsl::liveness::{Liveness, RegSet, written};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Label, Operand, Proc, Stmt, StmtKind, continues};
use fencepost_lsl::ways::may_read;

/// A thread at the turning point of a loop.
pub(super) struct Visit {
    /// Under which branch decisions it is there, ways that were cut aside.
    pub(super) guard: Guard,
    /// Its registers.
    pub(super) env: Env,
    /// How many events of all threads were made before.
    pub(super) events: usize,
    /// How many values.
    pub(super) values: usize,
}

/// When a turn is silent.
pub(super) struct Silence {
    /// Under which branch decisions.
    pub(super) when: Guard,
    /// What else must be.
    pub(super) provided: Stillness,
}

/// From where to look at a loop.
pub(super) struct Turn {
    /// The position in its body.
    pub(super) position: usize,
    /// What is live there, as far as a way can be taken that reads it.
    pub(super) live: RegSet,
}

/// Positions for which more than the text is asked.
const ASKED: usize = 8;

impl Turn {
    /// Of a loop, the first position that all repetitions pass and at which each live register that the loop
    /// writes can be the same again. `v = flag; while (!v) v = flag;` is silent seen from behind its test, where `v` is
    /// about to be written, not from its head. If there is none, the head.
    ///
    /// Any position would do; a bad one only makes fewer turns silent.
    pub(super) fn of(proc: &Proc, liveness: &Liveness, label: Label, body: &[Stmt]) -> Turn {
        let mut renewed = RegSet::default();
        surely_renewed(body, true, &mut renewed);
        let passed_by_all = (0..body.len()).take_while(|&position| !continues(&body[..position], label));
        let mut asked = 0;
        let hopeful = |&position: &usize| {
            let live = liveness.before(label, position);
            let open: RegSet = live.iter().filter(|reg| renewed.contains(*reg)).collect();
            open.is_empty() || {
                asked += 1;
                asked <= ASKED && may_read(proc, liveness, (label, position), &open).is_empty()
            }
        };
        let position = passed_by_all.into_iter().find(hopeful).unwrap_or(0);
        let live = may_read(proc, liveness, (label, position), liveness.before(label, position));
        Turn { position, live }
    }
}

/// Registers that every repetition writes, and not with a constant.
fn surely_renewed(body: &[Stmt], outermost: bool, found: &mut RegSet) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign { op: PrimOp::Copy, args, .. } if matches!(args[..], [Operand::Const(_)]) => {}
            StmtKind::Atomic(body) | StmtKind::Block { body, .. } => surely_renewed(body, false, found),
            // A jump out of the loop ends no repetition; others may go past what follows.
            StmtKind::Break { .. } | StmtKind::Continue { .. } if !outermost => return,
            kind => written(kind).for_each(|reg| found.insert(reg)),
        }
    }
}

/// When the turn from one visit to the next, with these registers, is silent. `own_early` says whether a thread may
/// read what its own atomic block stored before others see it.
pub(super) fn silence(
    out: &mut Unrolled,
    live: &RegSet,
    before: &Visit,
    (guard, env): (Guard, &Env),
    own_early: bool,
) -> Option<Silence> {
    let mut when = guard;
    let mut provided = Stillness::default();
    for reg in live.iter() {
        let (old, new) = (before.env[reg.index()], env[reg.index()]);
        if out.values.constant(old).is_some() && depends_on_loads(&out.values, new, &mut { SELECTIONS }) {
            provided.equal.push((old, new));
            continue;
        }
        let same = same(&mut out.values, old, new, &mut { SELECTIONS });
        when = out.values.guards.and(when, same);
        if when == Guard::FALSE {
            return None;
        }
    }
    for event in before.events..out.events.len() {
        let executed = out.events[event].guard;
        match out.events[event].kind {
            EventKind::Load { .. } | EventKind::Fence(_) | EventKind::Choose { .. } => continue,
            _ if out.values.guards.and(executed, when) == Guard::FALSE => continue,
            EventKind::Store { .. } => {
                if let Some(load) = stores_back(out, before, event, own_early) {
                    provided.quiet.push((load, event));
                    continue;
                }
            }
            EventKind::Alloc { .. } | EventKind::Free { .. } | EventKind::Spawn(_) => {}
        }
        when = out.values.guards.and_not(when, executed);
        if when == Guard::FALSE {
            return None;
        }
    }
    Some(Silence { when, provided })
}

/// Selections to look through before two values are taken to differ.
const SELECTIONS: u32 = 64;

/// Whether a value is computed from loads, as far as it is looked into.
fn depends_on_loads(values: &Values, id: ValId, left: &mut u32) -> bool {
    *left = left.saturating_sub(1);
    *left > 0
        && match values.node(id) {
            Node::Load(_) => true,
            Node::Const(_) | Node::Choice(_) => false,
            Node::Checked(_, inner) => depends_on_loads(values, *inner, left),
            Node::Op(_, args) => args.iter().any(|&arg| depends_on_loads(values, arg, left)),
            Node::Select(_, yes, no) => {
                depends_on_loads(values, *yes, left) || depends_on_loads(values, *no, left)
            }
        }
}

/// When two values are the same node, looking through selections. Nodes that differ may still have equal values, but
/// depend on different loads, so that one cannot stand for the other on models with dependencies.
fn same(values: &mut Values, a: ValId, b: ValId, left: &mut u32) -> Guard {
    let (a, b) = (values.unchecked(a), values.unchecked(b));
    if a == b {
        return Guard::TRUE;
    }
    *left = left.saturating_sub(1);
    if *left == 0 {
        return Guard::FALSE;
    }
    let (guard, yes, no) = match (values.node(a), values.node(b)) {
        (_, &Node::Select(guard, yes, no)) => (guard, (a, yes), (a, no)),
        (&Node::Select(guard, yes, no), _) => (guard, (yes, b), (no, b)),
        _ => return Guard::FALSE,
    };
    let (yes, no) = (same(values, yes.0, yes.1, left), same(values, no.0, no.1, left));
    values.guards.ite(guard, yes, no)
}

/// The load of the same atomic block that a store may be storing back: it is executed whenever the store is, and
/// nothing is stored in between.
fn stores_back(out: &mut Unrolled, before: &Visit, store: usize, own_early: bool) -> Option<usize> {
    let event = &out.events[store];
    let (executed, atomic) = (event.guard, event.atomic);
    let EventKind::Store { addr, ty, .. } = event.kind else { return None };
    if atomic.is_none() || event.is_ghost() {
        return None;
    }
    let reads = |load: &usize| {
        let event = &out.events[*load];
        event.atomic == atomic
            && matches!(event.kind, EventKind::Load { addr: a, ty: t, .. } if a == addr && t.bits == ty.bits)
    };
    let load = (before.events..store).rev().find(reads)?;
    // A store in between to who knows where would come between the two.
    let clean = (load..store).all(|e| !matches!(out.events[e].kind, EventKind::Store { .. }));
    let loaded = out.events[load].guard;
    if !clean || out.events[load].is_ghost() || !out.values.guards.implies(executed, loaded) {
        return None;
    }
    if own_early {
        let first = (before.events..load)
            .all(|e| matches!(out.events[e].kind, EventKind::Fence(_) | EventKind::Choose { .. }));
        if !first || executed != before.guard || !is_fixed(&out.values, addr, before.values) {
            return None;
        }
    }
    Some(load)
}

/// Whether a value is made only of values that were there before a turn, so that the next turn has it again.
fn is_fixed(values: &Values, id: ValId, there: usize) -> bool {
    id.index() < there
        || match values.node(id) {
            Node::Const(_) => true,
            Node::Checked(_, inner) => is_fixed(values, *inner, there),
            Node::Op(_, args) => args.iter().all(|&arg| is_fixed(values, arg, there)),
            Node::Select(..) | Node::Load(_) | Node::Choice(_) => false,
        }
}
