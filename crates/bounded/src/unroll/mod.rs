//! From a test and its program to straight-line threads: calls inlined, loops unrolled to the bounds that
//! are known so far, values in single-assignment form, every access under a guard (CheckFence, Sections
//! 3.2 and 3.3).
//!
//! A thread becomes a list of events in program order and a list of *stops*: points at which it may end
//! early, by a runtime error, an assumption, or a loop bound. Stops are kept apart from guards: the guard
//! behind a loop is the guard before it, even though the path that exceeds the bound ends there. An event
//! is executed if its guard holds and no earlier stop of its thread fired.

mod fold;
mod spin;
mod walk;

use crate::guard::Guard;
use crate::ssa::{ValId, Values};
use fencepost_harness::budget::{Budget, Exhausted};
use fencepost_harness::operation::{Harness, OpId};
use fencepost_harness::question::Question;
use fencepost_lsl::fault::{Fault, Use};
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::interp::Frame;
use fencepost_lsl::layout::LayoutId;
use fencepost_lsl::program::{Exchange, Fence, Order, Place, Placement, ProcId, Switch};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The way from a thread's first statement to a loop or call, as statement positions and repetitions:
/// the identity of a loop instance from one round to the next.
pub(crate) type InstancePath = Vec<u32>;

/// How often each loop instance may repeat; those not listed, once.
pub(crate) type Bounds = FxHashMap<InstancePath, u32>;

/// What unrolling may do.
#[derive(Clone)]
pub struct Unrolling {
    /// Cut silent turns of loops.
    pub reduce_spins: bool,
    /// What the model allows.
    pub leeway: Leeway,
    /// Statements after which to give up.
    pub max_statements: usize,
    /// Whether `malloc` may return what was freed before.
    pub reuse: bool,
    /// Fences to put at every slot, each with a switch; none for slots that mean nothing.
    pub fences: Vec<FenceKind>,
    /// The switches that are on, if that is known: their fences are put in, others left out. The identity of
    /// loop instances does not depend on it.
    pub placed: Option<Placement>,
    /// When to stop.
    pub budget: Budget,
}

/// What a model allows that matters to loops that wait. By default everything, which is always right and cuts less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leeway {
    /// A thread may read what its own atomic block stored before others see it.
    pub own_early: bool,
    /// A load may overtake a load, or an atomic block, in front of it.
    pub unordered_loads: bool,
    /// Dependencies matter: accesses that depend on a load are kept behind it, or values must not come out of thin
    /// air.
    pub dependencies: bool,
    /// A load may come after a later store of its thread.
    pub late_loads: bool,
    /// A read-modify-write is two accesses, so that the load of one can be early though its store is not.
    pub pairs: bool,
    /// Accesses that nothing orders can be an error, whichever comes first.
    pub races: bool,
    /// A store may come after a later store of its thread.
    pub late_stores: bool,
    /// The same with a fence in between that keeps stores in order.
    pub late_past_fences: bool,
    /// The same past an atomic block that loads what the first stored.
    pub late_blocks: bool,
    /// A store may come after a later ghost store of its thread.
    pub late_ghosts: bool,
    /// The same with a full fence in between.
    pub late_ghosts_past_fences: bool,
    /// What a load reads from may matter in other ways than memory order, addresses and data.
    pub chains: bool,
}

impl Default for Leeway {
    fn default() -> Leeway {
        Leeway {
            own_early: true,
            unordered_loads: true,
            dependencies: true,
            late_loads: true,
            pairs: true,
            races: true,
            late_stores: true,
            late_past_fences: true,
            late_blocks: true,
            late_ghosts: true,
            late_ghosts_past_fences: true,
            chains: true,
        }
    }
}

/// What an event does.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum EventKind {
    /// A load of `value`.
    Load {
        /// The address.
        addr: ValId,
        /// Width and sign.
        ty: IntTy,
        /// The memory order.
        order: Order,
        /// That where the compare-and-swap that it is part of does not swap, if it is another.
        failing: Option<Order>,
        /// What it reads.
        value: ValId,
    },
    /// A store of `value`.
    Store {
        /// The address.
        addr: ValId,
        /// Width.
        ty: IntTy,
        /// The memory order.
        order: Order,
        /// What it writes.
        value: ValId,
    },
    /// A fence.
    Fence(Fence),
    /// A new object.
    Alloc {
        /// Its index in [`Unrolled::objects`].
        object: usize,
        /// The address it gets: its own, or that of an object that was freed.
        addr: ValId,
    },
    /// The end of the object at an address.
    Free {
        /// The address.
        addr: ValId,
    },
    /// A choice.
    Choose {
        /// What was chosen.
        value: ValId,
    },
    /// The start of a thread, by index.
    Spawn(usize),
}

/// A step of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Index of its thread.
    pub thread: usize,
    /// What it does.
    pub kind: EventKind,
    /// Under which branch decisions.
    pub guard: Guard,
    /// How many of its thread's stops come before it.
    pub stops: usize,
    /// How many of its thread's branches come before it.
    pub branches: usize,
    /// Index of the call in its thread.
    pub call: usize,
    /// The atomic block it is part of.
    pub atomic: Option<u32>,
    /// What the atomic block is that it is part of.
    pub exchange: Exchange,
    /// The statement.
    pub span: Span,
    /// Calls under way.
    pub stack: StackId,
    /// Whether it happens before any second thread exists.
    pub solo: bool,
    /// What must be on for it to happen, beside its guard.
    pub switch: Option<Switch>,
}

impl EventKind {
    /// The memory order of an access or fence; allocating and freeing is plain.
    pub(crate) fn order(&self) -> Order {
        match self {
            EventKind::Load { order, .. } | EventKind::Store { order, .. } => *order,
            EventKind::Fence(fence) => fence.order,
            _ => Order::Plain,
        }
    }
}

impl Event {
    /// Whether it is a load.
    pub(crate) fn is_load(&self) -> bool {
        matches!(self.kind, EventKind::Load { .. })
    }

    /// Whether it is a store.
    pub(crate) fn is_store(&self) -> bool {
        matches!(self.kind, EventKind::Store { .. })
    }

    /// Whether it is a ghost access.
    pub(crate) fn is_ghost(&self) -> bool {
        matches!(
            self.kind,
            EventKind::Load { order: Order::Ghost, .. } | EventKind::Store { order: Order::Ghost, .. }
        )
    }
}

/// What makes a turn of a loop silent, beside the branch decisions.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Stillness {
    /// Values that must be equal, undefined bits included.
    pub equal: Vec<(ValId, ValId)>,
    /// Stores that must leave memory as it was.
    pub restored: Vec<Restored>,
    /// Accesses of the turn that may find their object freed because of what their thread does later. If one of them is the chosen one
    /// of an execution, the turn may go on all the same.
    pub optional: Vec<usize>,
}

/// The stores of a turn to one address.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Restored {
    /// The address.
    pub addr: ValId,
    /// Their size.
    pub bits: u8,
    /// The first event of the turn.
    pub turn: usize,
    /// Whether what they found must not have been computed from loads.
    pub traced: bool,
    /// The stores, in program order.
    pub stores: Vec<Stored>,
}

/// A store of a turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Stored {
    /// The event.
    pub store: usize,
    /// The load with which its atomic block found what was there before.
    pub found: Option<usize>,
}

/// Why a thread may end.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StopKind {
    /// A value is used that may be undefined.
    Undefined(ValId, Use),
    /// A value must not be zero, or it is this fault.
    Assert(ValId, Fault),
    /// A value must be less than a number, or it is this fault.
    Below(ValId, u64, Fault),
    /// The event's address must be that of an object it may access. Whether that is alive is no matter here.
    Address(usize),
    /// A pointer must not have been moved from the first address, away from its object, to the second.
    Within(ValId, ValId),
    /// A value must not be zero for the thread to go on.
    Assume(ValId),
    /// A turn of a loop was silent, if these conditions hold, and the loop repeats.
    Spin(Stillness),
    /// A loop instance would exceed its bound.
    Bound(InstancePath),
    /// A retry loop of a primed operation would repeat.
    Restricted,
}

/// A point at which a thread may end.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// Under which branch decisions the point is reached.
    pub guard: Guard,
    /// Why the thread may end there.
    pub kind: StopKind,
    /// The statement.
    pub span: Span,
    /// Calls under way.
    pub stack: StackId,
    /// Index of the call in its thread.
    pub call: usize,
    /// The atomic block it is part of.
    pub atomic: Option<u32>,
}

/// A branch, for control dependencies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    /// When it is reached.
    pub guard: Guard,
    /// What it tests.
    pub cond: ValId,
}

/// A call under way: the innermost one, and how it was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StackId(pub u32);

/// A call made by the test, by initialisation, or of `main`.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    /// The operation, and its number in the test.
    pub op: Option<(OpId, usize)>,
    /// What is called.
    pub proc: ProcId,
    /// Its arguments.
    pub args: Vec<ValId>,
    /// Its results.
    pub results: Vec<ValId>,
    /// Its events.
    pub events: Range<usize>,
}

/// What starts a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// The beginning of the execution.
    Begin,
    /// The end of the first thread.
    AfterFirst,
    /// A spawn event.
    Spawn(usize),
}

/// An unrolled thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadCode {
    /// What starts it.
    pub start: Start,
    /// Its events, a contiguous range of [`Unrolled::events`] in program order.
    pub events: Range<usize>,
    /// Where it may end early, in program order.
    pub stops: Vec<Stop>,
    /// Its branches, in program order.
    pub branches: Vec<Branch>,
    /// Its calls, in order.
    pub calls: Vec<CallRecord>,
}

/// An object of the unrolled program.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Its address.
    pub base: u64,
    /// Its size.
    pub size: u64,
    /// What an address must be a multiple of to serve for it.
    pub align: u64,
    /// Where it lives.
    pub place: Place,
    /// Whether it starts as zeros.
    pub zeroed: bool,
    /// How to name its parts.
    pub layout: Option<LayoutId>,
    /// Index among the program's globals, if it is one.
    pub global: Option<usize>,
}

/// An unrolled loop, for the record.
#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    /// Its identity.
    pub instance: InstancePath,
    /// Its place in the source.
    pub span: Span,
    /// Repetitions unrolled, not counting those that no branch decides.
    pub bound: u32,
    /// Whether it repeats only silently, if no bound is exceeded.
    pub spin: bool,
    /// Whether the solver had to be asked that no execution exceeds a bound.
    pub bounded: bool,
    /// Whether it is a recursion.
    pub recursion: bool,
}

/// A program in straight lines.
pub(crate) struct Unrolled {
    /// Values and guards.
    pub values: Values,
    /// The threads. In a test, the first is initialisation.
    pub threads: Vec<ThreadCode>,
    /// All events, thread by thread.
    pub events: Vec<Event>,
    /// All objects.
    pub objects: Vec<Object>,
    /// Calls under way, each with the index of the one around it.
    pub stacks: Vec<(Option<StackId>, Frame)>,
    /// Loops that branches decide.
    pub loops: Vec<LoopInfo>,
    /// Statements unrolled.
    pub statements: usize,
}

impl Unrolled {
    /// The calls under way at a point, outermost first.
    pub(crate) fn frames(&self, stack: StackId) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = Some(stack);
        while let Some(id) = at {
            let (outer, frame) = self.stacks[id.0 as usize];
            frames.push(frame);
            at = outer;
        }
        frames.reverse();
        frames
    }

    /// Whether an event of one thread comes before another of the same in program order.
    pub(crate) fn program_order(&self, a: usize, b: usize) -> bool {
        self.events[a].thread == self.events[b].thread && a < b
    }
}

/// Why unrolling failed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Failure {
    /// Too many statements; where it was then.
    TooLong(Span),
    /// Something that only a run could decide.
    Unsupported(String, Span),
    /// The budget is used up.
    Exhausted(Exhausted),
}

/// Unrolls what is asked about.
pub(crate) fn unroll(
    harness: &Harness,
    question: &Question,
    bounds: &Bounds,
    options: &Unrolling,
) -> Result<Unrolled, Failure> {
    let _span = tracing::info_span!("unroll", raised = bounds.len()).entered();
    walk::Walker::new(harness, bounds, options).run(question)
}
