//! Silent turns of loops: a thread that comes around a loop and finds everything as it left it has waited, and
//! waits once more. Such turns are cut: the thread stops there, as one that waits for ever.
//!
//! A *turn* leads from the loop's turning point once around to the same point. It is silent if it left every register
//! that is live at that point (see [`fencepost_lsl::liveness`] and, for ways whose branches contradict each other,
//! [`fencepost_lsl::ways`]) as it was: the same node, so that it also depends on the same loads; or, where it was a
//! constant or the model knows no dependencies, a value computed from loads that turns out to be equal; and if it
//! stored nothing, or left memory as it found it: what an exchange stores to a lock that is held, or a mutex that was
//! locked, to look at what it guards, and unlocked.
//!
//! # Soundness
//!
//! *An execution with a silent turn stays one when the events of that turn are left out*, and goes on as before:
//! it stands at the same statement with the same live registers, and what it does from there depends on nothing
//! else. Its results, faults, and what others read stay as they are. So every finding has an execution without
//! silent turns, except for turns of threads that do not come out of their loop any more; those are stopped after
//! the first, which leaves the other threads alone: run to that point behind all that others do, a turn that leaves
//! memory as it was does so unseen.
//!
//! That the model allows what is left: no event reads from those left out (stores: see below), so `rf`, `co` and
//! `fr` between the others are as they were, as are program order and dependencies, which come through registers:
//! live ones are the same nodes or were constants, unless dependencies do not matter, and what branches of the turn added to control dependencies is gone.
//! Fences of the turn are gone as well. A model that only ever forbids is content with less; one that does not
//! ([`fences_only_forbid`](crate::switched::fences_only_forbid)) has all turns unrolled.
//!
//! *Findings in the turn itself.* An access of the turn may find its object freed, and the `free` may come from what the
//! thread does behind the loop, if the model lets that overtake the access ([`Leeway`]). Stopped behind
//! the turn, the thread would not do it. One such access is enough for a verdict, so silent turns may be left in that have a chosen
//! one in common ([`Stillness::optional`]), such as those of a loop and of one around it; bounds are asked with them.
//!
//! *Stores that leave memory as it was.* Let the turn's stores to one address be W1 … Wn, n ≥ 1. W1 stands in an atomic block
//! that reads from S and stores nothing before; Wn stores the value of S; no other store comes between two of them in coherence
//! order, and nothing outside of the turn reads from any but the last. (Both are asked of the solution, and where they
//! do not hold the thread goes on.) Who read from Wn reads from S instead. S is next to W1 in coherence order, since the
//! block is atomic, so that `fr` stays what it was. S comes before Wn in memory
//! order, by reads-from or coherence, so readers in other threads that came after Wn come after S. A reader in the
//! thread itself need not have come after Wn where a thread may read its own store before others see it: then it
//! could read the value before S is there. So:
//! - n = 1. Where a thread may read what its own block stored before others do ([`Leeway::own_early`]), there must be no such
//!   reader: the block is executed in every turn, at the same address, before the turn reads anything, and accesses nothing else.
//!   The next turn has such a block, which comes after Wn in memory order and hides it from all that follows; or the
//!   thread ends in that block, whose load then precedes nothing and can be as late as what it reads allows, S included.
//! - n > 1 is only for models that keep loads in order ([`Leeway::unordered_loads`]): a reader comes after the block's load, and so after S.
//!
//! Who reads from S instead of Wn may depend on more by that: S may store what it computed from loads, and Wn a constant. Where the
//! model looks at such dependencies, S must not, or the reader must hand on nothing: use the value for branches only ([`Restored::traced`];
//! asked of the solution, too).
//!
//! Whether a turn is noticed (n > 1) must not depend on what its thread does behind it, for bounds are asked of threads that are cut there. Who
//! reads from W1 comes before Wn in memory order. If Wn comes before all stores that its thread makes behind the turn, and loads
//! keep their order, no such reader comes after a load that read one of these. That is so on models that keep stores in order, where a
//! fence follows Wn in the turn (a full one, if the program has ghosts, which wait for no other), and where every turn begins with a block that loads from that
//! address, past which no store comes. Where turns are noticed only by each other, none is in the prefix up to the first notice in memory
//! order, and those before it can be left out there.
//!
//! Not recognised: turns that store to variables of the thread's own in memory.

use super::walk::Env;
use super::{EventKind, Leeway, Restored, Stillness, Stored, Unrolled};
use crate::guard::Guard;
use crate::ssa::{Node, ValId, Values};
use fencepost_lsl::liveness::{Liveness, RegSet, written};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Fence, Label, Operand, Order, Place, Proc, Stmt, StmtKind, continues};
use fencepost_lsl::ways::may_read;
use rustc_hash::FxHashSet;

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

/// What a program does that turns have to mind.
#[derive(Clone, Copy)]
pub(super) struct Uses {
    /// It frees memory.
    pub(super) frees: bool,
    /// It stores to ghosts.
    pub(super) ghosts: bool,
}

impl Uses {
    /// What stands anywhere in some procedures.
    pub(super) fn of(procs: &[Proc]) -> Uses {
        fn any(body: &[Stmt], wanted: &impl Fn(&StmtKind) -> bool) -> bool {
            body.iter().any(|stmt| match &stmt.kind {
                StmtKind::Block { body, .. } | StmtKind::Atomic(body) => any(body, wanted),
                kind => wanted(kind),
            })
        }
        let has = |wanted: &dyn Fn(&StmtKind) -> bool| procs.iter().any(|proc| any(&proc.body, &wanted));
        Uses {
            frees: has(&|kind| matches!(kind, StmtKind::Free { .. })),
            ghosts: has(&|kind| matches!(kind, StmtKind::Store { order: Order::Ghost, .. })),
        }
    }
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

/// Stores to one address in a turn beyond which it is not looked whether they leave memory as it was.
const STORES: usize = 8;

/// When the turn from one visit to the next, with these registers, is silent.
pub(super) fn silence(
    out: &mut Unrolled,
    live: &RegSet,
    before: &Visit,
    (guard, env): (Guard, &Env),
    (leeway, uses): (Leeway, Uses),
) -> Option<Silence> {
    let mut when = guard;
    let mut provided = Stillness::default();
    for reg in live.iter() {
        let (old, new) = (before.env[reg.index()], env[reg.index()]);
        let same = same(&mut out.values, old, new, &mut { SELECTIONS });
        let exchangeable = !leeway.dependencies || out.values.constant(old).is_some();
        if exchangeable
            && !out.values.guards.implies(when, same)
            && depends_on_loads(&out.values, new, &mut { SELECTIONS })
        {
            provided.equal.push((old, new));
            continue;
        }
        when = out.values.guards.and(when, same);
        if when == Guard::FALSE {
            return None;
        }
    }
    let turn = before.events..out.events.len();
    for event in turn.clone() {
        let executed = out.events[event].guard;
        if out.values.guards.and(executed, when) == Guard::FALSE {
            continue;
        }
        let leaves = match out.events[event].kind {
            EventKind::Fence(_) | EventKind::Choose { .. } => true,
            EventKind::Load { addr, .. } => {
                if leeway.races || leeway.late_loads && uses.frees && may_be_freed(out, addr) {
                    provided.optional.push(event);
                }
                true
            }
            EventKind::Store { addr, .. } => {
                let late = leeway.late_stores || leeway.late_ghosts && uses.ghosts;
                if late && uses.frees && may_be_freed(out, addr) {
                    provided.optional.push(event);
                }
                restore(out, before, event, leeway.dependencies, &mut provided.restored)
            }
            EventKind::Alloc { .. } | EventKind::Free { .. } | EventKind::Spawn(_) => false,
        };
        if !leaves {
            when = out.values.guards.and_not(when, executed);
            if when == Guard::FALSE {
                return None;
            }
        }
    }
    // Where it is not known that stores leave memory as it was, a turn is silent only if it does not make them.
    for restored in std::mem::take(&mut provided.restored) {
        if restored.stores.len() <= STORES && can_be_left_out(out, before, &restored, (leeway, uses)) {
            provided.restored.push(restored);
            continue;
        }
        for stored in &restored.stores {
            when = out.values.guards.and_not(when, out.events[stored.store].guard);
        }
    }
    if when == Guard::FALSE {
        return None;
    }
    Some(Silence { when, provided })
}

/// Whether an access to this address may find its object freed, as far as the address tells.
fn may_be_freed(out: &Unrolled, addr: ValId) -> bool {
    let Some(addr) = out.values.constant(addr) else { return true };
    let holds = |base: u64, size: u64| base <= addr.bits() && addr.bits() - base < size;
    !out.objects.iter().any(|object| object.place != Place::Heap && holds(object.base, object.size))
}

/// Adds a store to those of its turn to the same address; false if such a store cannot leave memory as it was.
fn restore(
    out: &mut Unrolled,
    before: &Visit,
    store: usize,
    traced: bool,
    restored: &mut Vec<Restored>,
) -> bool {
    let EventKind::Store { addr, ty, .. } = out.events[store].kind else { return false };
    if out.events[store].is_ghost() {
        return false;
    }
    let found = found(out, before, store);
    let there = restored.iter_mut().find(|restored| restored.addr == addr && restored.bits == ty.bits);
    match (there, found) {
        (Some(there), found) => there.stores.push(Stored { store, found }),
        (None, None) => return false,
        (None, found) => restored.push(Restored {
            addr,
            bits: ty.bits,
            turn: before.events,
            traced,
            stores: vec![Stored { store, found }],
        }),
    }
    true
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

/// The load of the same atomic block and address in front of a store: it is executed whenever the store is, and
/// the block stores nothing before that.
fn found(out: &mut Unrolled, before: &Visit, store: usize) -> Option<usize> {
    let event = &out.events[store];
    let (executed, atomic) = (event.guard, event.atomic);
    let EventKind::Store { addr, ty, .. } = event.kind else { return None };
    atomic?;
    let reads = |load: &usize| {
        let event = &out.events[*load];
        event.atomic == atomic
            && matches!(event.kind, EventKind::Load { addr: a, ty: t, .. } if a == addr && t.bits == ty.bits)
    };
    let load = (before.events..store).rev().find(reads)?;
    // A store in the block to who knows where would come between the two.
    let stores =
        |event: &&super::Event| matches!(event.kind, EventKind::Store { .. }) && event.atomic == atomic;
    let clean = !out.events[before.events..store].iter().any(|event| stores(&event));
    let loaded = out.events[load].guard;
    (clean && !out.events[load].is_ghost() && out.values.guards.implies(executed, loaded)).then_some(load)
}

/// Whether readers of the last of these stores can do without them, and nobody notices them because of what the thread does
/// behind the turn.
fn can_be_left_out(
    out: &mut Unrolled,
    before: &Visit,
    restored: &Restored,
    (leeway, uses): (Leeway, Uses),
) -> bool {
    // What follows takes a block for one event of the order.
    if leeway.chains || leeway.pairs {
        return false;
    }
    if restored.stores.len() == 1 {
        return !leeway.own_early || is_first(out, before, restored);
    }
    let ghosts = uses.ghosts && leeway.late_ghosts;
    let in_order = !leeway.late_stores && !ghosts
        || !(leeway.late_past_fences || ghosts && leeway.late_ghosts_past_fences)
            && is_fenced(out, restored, |fence| {
                (fence.store_store || fence.order.releases()) && (fence.store_load || !ghosts)
            });
    !leeway.unordered_loads && (in_order || !leeway.late_blocks && begins_with_block(out, before, restored))
}

/// Whether every turn begins with a block that loads from the address of these stores.
fn begins_with_block(out: &Unrolled, before: &Visit, restored: &Restored) -> bool {
    let passes = |kind: &EventKind| matches!(kind, EventKind::Fence(_) | EventKind::Choose { .. });
    let first = out.events[before.events..].iter().find(|event| !passes(&event.kind));
    first.is_some_and(|event| {
        matches!(event.kind, EventKind::Load { addr, ty, .. } if addr == restored.addr && ty.bits == restored.bits)
            && event.atomic.is_some()
            && !event.is_ghost()
            && event.guard == before.guard
            && is_fixed(&out.values, restored.addr, before.values)
    })
}

/// Whether such a fence follows these stores.
fn is_fenced(out: &mut Unrolled, restored: &Restored, holds_up: impl Fn(Fence) -> bool) -> bool {
    let Unrolled { events, values, .. } = out;
    let last = restored.stores[restored.stores.len() - 1].store;
    restored.stores.iter().all(|stored| {
        events[last..].iter().any(|event| {
            matches!(event.kind, EventKind::Fence(fence) if holds_up(fence))
                && event.switch.is_none()
                && values.guards.implies(events[stored.store].guard, event.guard)
        })
    })
}

/// Whether every turn begins with the block that makes the first of these stores, which accesses nothing else.
fn is_first(out: &Unrolled, before: &Visit, restored: &Restored) -> bool {
    let Stored { store, found: Some(load) } = restored.stores[0] else { return false };
    let block = out.events[store].atomic;
    let accesses =
        |event: usize| !matches!(out.events[event].kind, EventKind::Fence(_) | EventKind::Choose { .. });
    let mut others =
        (before.events..out.events.len()).filter(|&event| event != load && event != store && accesses(event));
    out.events[store].guard == before.guard
        && is_fixed(&out.values, restored.addr, before.values)
        && !others.any(|event| event < load || out.events[event].atomic == block)
}

/// Whether a value is made only of values that were there before a turn, so that the next turn has it again.
fn is_fixed(values: &Values, id: ValId, there: usize) -> bool {
    let (mut work, mut seen) = (vec![id], FxHashSet::default());
    while let Some(id) = work.pop() {
        if id.index() < there || !seen.insert(id) {
            continue;
        }
        match values.node(id) {
            Node::Const(_) => {}
            Node::Checked(_, inner) => work.push(*inner),
            Node::Op(_, args) => work.extend(args),
            Node::Select(..) | Node::Load(_) | Node::Choice(_) => return false,
        }
    }
    true
}
