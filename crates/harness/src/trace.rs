//! Traces: one execution, access by access, in the form that both engines produce, replay checks and
//! the report prints.
//!
//! A trace claims: these threads made these accesses with these values; each load read from there; and
//! memory saw the stores to each location in this order. Nothing in it is derived; what can be worked out
//! (an order of all accesses, names of addresses, reorderings) is left to replay.

use crate::observation::{NewObjects, Observation, Seen, observe};
use crate::operation::{Harness, OpId, ValueTy};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp::Frame;
use fencepost_lsl::layout::LayoutId;
use fencepost_lsl::program::{Fence, Order, Place, ProcId};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};
use std::ops::Range;

/// Index of an event in [`Trace::events`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EventId(pub u32);

impl EventId {
    /// As an index into [`Trace::events`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the bytes of a load come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// No store came before: the object's initial content.
    Initial,
    /// A store, or the allocation or release of the object.
    Event(EventId),
}

/// The source of some bytes of a load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReadFrom {
    /// Offset of the bytes in the access.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
    /// Who wrote them.
    pub source: Source,
}

/// What an event did.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// A load.
    Load {
        /// The address.
        addr: u64,
        /// Width and sign.
        ty: IntTy,
        /// The memory order.
        order: Order,
        /// What it read.
        value: Value,
        /// Where from; covers all bytes.
        from: Vec<ReadFrom>,
    },
    /// A store.
    Store {
        /// The address.
        addr: u64,
        /// Width.
        ty: IntTy,
        /// The memory order.
        order: Order,
        /// What it wrote.
        value: Value,
    },
    /// A fence.
    Fence(Fence),
    /// A new object.
    Alloc {
        /// Its address.
        addr: u64,
        /// Its size.
        size: u64,
        /// Whether it starts as zeros.
        zeroed: bool,
        /// Where it lives.
        place: Place,
        /// How to name its parts.
        layout: Option<LayoutId>,
    },
    /// The end of a heap object.
    Free {
        /// Its address.
        addr: u64,
    },
    /// A nondeterministic choice.
    Choose {
        /// What was chosen.
        value: Value,
    },
    /// The start of another thread.
    Spawn {
        /// Index of that thread in [`Trace::threads`].
        thread: usize,
    },
}

impl Action {
    /// The address and size in memory, if it is a load or store.
    pub fn access(&self) -> Option<(u64, u64)> {
        match *self {
            Action::Load { addr, ty, .. } | Action::Store { addr, ty, .. } => Some((addr, ty.bytes())),
            _ => None,
        }
    }
}

/// One step of one thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Index of its thread in [`Trace::threads`].
    pub thread: usize,
    /// What it did.
    pub action: Action,
    /// The statement.
    pub span: Span,
    /// Calls under way, outermost first.
    pub stack: Vec<Frame>,
    /// The atomic block it is part of: equal numbers, same block.
    pub atomic: Option<u32>,
    /// For an access to an object that the trace frees: what last began or ended the object's life when it
    /// was accessed. If that is a `free`, the access is an error, though not one that ends its thread:
    /// nothing traps, memory still holds what it held, and the thread goes on with that.
    pub life: Option<Source>,
}

/// A call that a thread made on behalf of the test.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The operation, and its number in the test; none for initialisation and for `main`.
    pub op: Option<(OpId, usize)>,
    /// What was called.
    pub proc: ProcId,
    /// The arguments.
    pub args: Vec<Value>,
    /// What came back; none if it did not.
    pub results: Option<Vec<Value>>,
    /// Its events, by index.
    pub events: Range<usize>,
}

/// How far a thread came.
#[derive(Clone, PartialEq, Debug)]
pub enum Status {
    /// To its end.
    Finished,
    /// To a runtime error that ends it. Accesses to freed memory do not: [`Trace::finds_freed`].
    Faulted {
        /// The error.
        fault: Fault,
        /// The statement.
        span: Span,
        /// Calls under way, outermost first.
        stack: Vec<Frame>,
    },
    /// To a point where it waits for others, or where the trace has no more to say of it.
    Stopped,
}

/// What starts a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The beginning of the execution.
    Begin,
    /// The end of the first thread, which runs initialisation.
    AfterFirst,
    /// A spawn.
    Spawn(EventId),
}

/// A thread of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceThread {
    /// What starts it.
    pub start: Start,
    /// Its calls in order.
    pub calls: Vec<Call>,
    /// How far it came.
    pub status: Status,
}

/// One execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The threads. In a test, the first runs the initialisation.
    pub threads: Vec<TraceThread>,
    /// All events, thread by thread, in program order.
    pub events: Vec<Event>,
    /// Stores, frees, and allocations that take freed memory; those to one location in the order in which
    /// memory saw them.
    pub stores: Vec<EventId>,
}

impl Trace {
    /// The error of an access that finds its object freed. Its thread may have gone on.
    pub fn finds_freed(&self, event: &Event) -> Option<Fault> {
        let fault = match event.action {
            Action::Load { .. } | Action::Store { .. } => Fault::UseAfterFree,
            Action::Free { .. } => Fault::DoubleFree,
            // An allocation is welcome to what was freed.
            _ => return None,
        };
        match event.life {
            Some(Source::Event(id)) if matches!(self.event(id).action, Action::Free { .. }) => Some(fault),
            _ => None,
        }
    }

    /// The event with this id.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// Its runtime error, and whose it is. An access to freed memory comes first: others may follow from it.
    pub fn fault(&self) -> Option<(usize, Fault, Span)> {
        let mut events = self.events.iter();
        let freed = events.find_map(|event| Some((event.thread, self.finds_freed(event)?, event.span)));
        let ends = |(thread, run): (usize, &TraceThread)| match &run.status {
            Status::Faulted { fault, span, .. } => Some((thread, fault.clone(), *span)),
            _ => None,
        };
        freed.or_else(|| self.threads.iter().enumerate().find_map(ends))
    }

    /// What the test observes; none unless every call returned.
    pub fn observation(&self, harness: &Harness) -> Option<Observation> {
        let (values, pointers) = self.observed_values(harness)?;
        Some(observe(&pointers, &values, &self.new_objects()))
    }

    /// The objects of its observation that lie where others lay before: of their addresses, nobody can tell which of
    /// them is meant.
    pub fn reused_objects(&self, harness: &Harness) -> Vec<u32> {
        let (Some((values, _)), Some(seen)) = (self.observed_values(harness), self.observation(harness))
        else {
            return Vec::new();
        };
        let made = |base: u64| {
            let at = |event: &&Event| matches!(event.action, Action::Alloc { addr, .. } if addr == base);
            self.events.iter().filter(at).count()
        };
        let reused = values.iter().zip(seen).filter_map(|(value, seen)| match seen {
            Seen::New { object, offset } if made(value.bits() - offset) > 1 => Some(object),
            _ => None,
        });
        reused.collect()
    }

    /// The objects that it made.
    pub fn new_objects(&self) -> NewObjects {
        let made = self.events.iter().filter_map(|event| match event.action {
            Action::Alloc { addr, size, .. } => Some((addr, size)),
            _ => None,
        });
        made.collect()
    }

    /// The values observed by the test, in the order of its slots, and which of them are pointers.
    fn observed_values(&self, harness: &Harness) -> Option<(Vec<Value>, Vec<bool>)> {
        let mut calls: Vec<(usize, &Call)> = self
            .threads
            .iter()
            .flat_map(|thread| &thread.calls)
            .filter_map(|call| call.op.map(|(_, number)| (number, call)))
            .collect();
        calls.sort_by_key(|(number, _)| *number);
        let (mut values, mut pointers) = (Vec::new(), Vec::new());
        for (_, call) in calls {
            values.extend(&call.args);
            values.extend(call.results.as_ref()?);
            let op = call.op.map(|(op, _)| harness.op(op))?;
            let tys = op.inputs.iter().map(|input| input.ty).chain(op.outputs.iter().map(|output| output.ty));
            pointers.extend(tys.map(|ty| ty == ValueTy::Pointer));
        }
        Some((values, pointers))
    }
}

/// An access that memory saw before one that its thread makes earlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reordering {
    /// The access that the thread makes first.
    pub first: EventId,
    /// The access that overtook it.
    pub overtook: EventId,
}

/// What replay worked out about a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// What reads or writes memory, `free` included, in an order in which memory can have seen it: each of the
    /// reorderings shows in it, and apart from them it is near to program order.
    pub order: Vec<EventId>,
    /// Pairs that the model would have to keep in order to forbid the execution; no fewer of them would do.
    pub reorderings: Vec<Reordering>,
    /// Whether the execution is possible without any reordering: sc allows it.
    pub on_sc: bool,
    /// For each event, the location by object, such as `node_t#2.next`.
    pub places: Vec<String>,
    /// For each event, the location as the program wrote it, such as `q.tail->next`, if that differs.
    pub ways: Vec<Option<String>>,
    /// For each event, its place in the user's own text.
    pub spans: Vec<Span>,
    /// The objects.
    pub objects: Vec<NamedObject>,
    /// For each thread that the trace leaves before its end: what it reads next, if memory stays as it is in the end.
    /// Of a thread that waits for ever, one round of what it looks at.
    pub looks: Vec<Vec<Look>>,
}

/// An object with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedObject {
    /// Its address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its name, such as `q` or `node_t#2`.
    pub name: String,
    /// How to name its parts.
    pub layout: Option<LayoutId>,
}

/// A load that a thread would make next.
#[derive(Clone, PartialEq, Debug)]
pub struct Look {
    /// The address.
    pub addr: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What it would read.
    pub value: Value,
    /// Its place in the user's own text.
    pub span: Span,
}
