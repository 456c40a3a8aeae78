//! Ways to tamper with a trace, each with what the referee may say to it.

use fencepost_harness::trace::{Action, Event, EventId, Source, Start, Status, Trace};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::program::Fence;
use fencepost_lsl::value::Value;

/// A way to tamper.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// All traces that come out of one, none of which is an execution.
    pub(crate) tamper: fn(&Trace) -> Vec<Trace>,
    /// What the referee says; each of these to some trace.
    pub(crate) reasons: &'static [&'static str],
    /// What it may say as well.
    pub(crate) also: &'static [&'static str],
}

/// What shows where a thread does something else than it did.
const OTHERWISE: &[&str] = &[
    "the program makes",
    "a call returned",
    "its source holds",
    "makes the events",
    "returns, against",
    "ends early",
    "ends with",
    "ends before all",
    "in the atomic block it claims",
    "no such object",
    "was not started",
    "does not cover it",
];

/// Each check of the referee, by the tampering that it answers to.
pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "a load reads another value",
        tamper: another_value,
        reasons: &["the program makes", "a call returned", "its source holds"],
        also: OTHERWISE,
    },
    Kind {
        name: "a load reads more than its width",
        tamper: too_wide,
        reasons: &["more than its width"],
        also: &[],
    },
    Kind {
        name: "a load reads from elsewhere",
        tamper: elsewhere,
        reasons: &["does not cover it"],
        also: &[],
    },
    Kind { name: "a load has gaps", tamper: gaps, reasons: &["have gaps", "do not cover it"], also: &[] },
    Kind {
        name: "a load reads what was overwritten",
        tamper: overwritten,
        reasons: &["is broken at event", "overwritten before there was a second thread"],
        also: &[],
    },
    Kind {
        name: "stores change places in coherence",
        tamper: swapped_stores,
        reasons: &["is broken at event", "which came before"],
        also: &[],
    },
    Kind {
        name: "a store is not listed once",
        tamper: unlisted,
        reasons: &["does not list each store once"],
        also: &[],
    },
    Kind {
        name: "an event is missing",
        tamper: missing,
        reasons: &["the program makes", "in the atomic block it claims"],
        also: OTHERWISE,
    },
    Kind { name: "an event is there twice", tamper: twice, reasons: &["the program makes"], also: OTHERWISE },
    Kind {
        name: "an access is another",
        tamper: another_access,
        reasons: &["makes a load", "makes a store"],
        also: &[],
    },
    Kind { name: "a fence is another", tamper: another_fence, reasons: &["makes a fence"], also: &[] },
    Kind {
        name: "a choice is none of those",
        tamper: another_choice,
        reasons: &["makes another choice"],
        also: &[],
    },
    Kind {
        name: "a block is split",
        tamper: split_block,
        reasons: &["in the atomic block it claims"],
        also: &[],
    },
    Kind {
        name: "the status is another",
        tamper: another_status,
        reasons: &["ends with", "fails elsewhere"],
        also: &[],
    },
    Kind {
        name: "a call returns something else",
        tamper: another_result,
        reasons: &["a call returned"],
        also: &[],
    },
    Kind { name: "a call has other events", tamper: other_events, reasons: &["makes the events"], also: &[] },
    Kind {
        name: "a call is another",
        tamper: another_call,
        reasons: &["is not what it is said to be"],
        also: &[],
    },
    Kind {
        name: "a thread was not started so",
        tamper: another_start,
        reasons: &["was not started", "does not run what it was started with"],
        also: &["otherwise than the trace says"],
    },
    Kind {
        name: "nothing is said of a life",
        tamper: no_life,
        reasons: &["does not say whether its object is alive"],
        also: &[],
    },
    Kind {
        name: "a life comes from elsewhere",
        tamper: wrong_life,
        reasons: &["does not come from there"],
        also: &[],
    },
    Kind { name: "a freed object is alive", tamper: dead_alive, reasons: &["is broken at event"], also: &[] },
    Kind {
        name: "a live object is freed",
        tamper: alive_dead,
        reasons: &["is broken at event", "which comes later"],
        also: &[],
    },
    Kind {
        name: "memory is taken that is in use",
        tamper: taken_alive,
        reasons: &["while it is in use"],
        also: &[],
    },
    Kind {
        name: "an object is where another is",
        tamper: misplaced,
        reasons: &["where it cannot be", "no such object"],
        also: &[],
    },
    Kind {
        name: "others see a block that has not happened",
        tamper: half_a_block,
        reasons: &["of an atomic block that has not happened"],
        also: &[],
    },
    Kind {
        name: "a block does not see its own stores",
        tamper: forgetful_block,
        reasons: &["does not see what its own atomic block stored"],
        also: &[],
    },
];

/// The traces that `change` makes of one, event by event, if it says that it changed it.
fn each(trace: &Trace, change: impl Fn(&Trace, usize, &mut Trace) -> bool) -> Vec<Trace> {
    let changed = |at| {
        let mut bad = trace.clone();
        change(trace, at, &mut bad).then_some(bad)
    };
    (0..trace.events.len()).filter_map(changed).collect()
}

fn another_value(trace: &Trace) -> Vec<Trace> {
    each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { value, .. } => {
            *value = Value::partial(value.bits() ^ 1, value.undef());
            true
        }
        _ => false,
    })
}

fn too_wide(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| match &mut bad.events[at].action {
        // The last load of its thread, so that nobody notices otherwise.
        Action::Load { value, ty, .. } if ty.bits < 64 => {
            *value = Value::partial(value.bits() ^ 1 << 63, value.undef());
            let rest = &good.events[at + 1..];
            rest.iter().all(|event| event.thread != good.events[at].thread)
                && good.threads[good.events[at].thread].status == Status::Stopped
        }
        _ => false,
    })
}

fn elsewhere(trace: &Trace) -> Vec<Trace> {
    let others = |addr: u64, bytes: u64| {
        trace.events.iter().position(move |event| match event.action {
            Action::Store { addr: other, ty, .. } => other + ty.bytes() <= addr || addr + bytes <= other,
            _ => false,
        })
    };
    each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { addr, ty, from, .. } => match others(*addr, ty.bytes()) {
            Some(other) => {
                from[0].source = Source::Event(EventId(other as u32));
                true
            }
            None => false,
        },
        _ => false,
    })
}

fn gaps(trace: &Trace) -> Vec<Trace> {
    let shorter = each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { from, .. } => from.pop().is_some(),
        _ => false,
    });
    let later = each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { from, .. } => {
            from[0].offset += 1;
            true
        }
        _ => false,
    });
    [shorter, later].concat()
}

/// Loads that read one source whole: another source that holds the same, or held it before.
fn overwritten(trace: &Trace) -> Vec<Trace> {
    let place = |event: usize| trace.stores.iter().position(|id| id.index() == event);
    each(trace, |good, at, bad| {
        let (addr, ty, value) = match good.events[at].action {
            Action::Load { addr, ty, value, ref from, .. } if from.len() == 1 => (addr, ty, value),
            _ => return false,
        };
        // An older store of the same value in the same thread, with another store of that thread between.
        let Action::Load { from, .. } = &mut bad.events[at].action else { return false };
        let Source::Event(now) = from[0].source else { return false };
        let same = |event: &Event| {
            matches!(event.action, Action::Store { addr: a, ty: t, value: v, .. }
                if a == addr && t == ty && v.wrap(ty) == value)
        };
        let writer = good.events[now.index()].thread;
        let older = (0..now.index()).find(|&older| {
            same(&good.events[older])
                && good.events[older].thread == writer
                && place(older) < place(now.index())
        });
        match older {
            Some(older) if writer == good.events[at].thread && now.index() < at => {
                from[0].source = Source::Event(EventId(older as u32));
                true
            }
            _ => false,
        }
    })
}

fn swapped_stores(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for first in 0..trace.stores.len() {
        for second in first + 1..trace.stores.len() {
            let (a, b) = (trace.event(trace.stores[first]), trace.event(trace.stores[second]));
            if a.thread == b.thread && a.action.access().is_some() && a.action.access() == b.action.access() {
                let mut bad = trace.clone();
                bad.stores.swap(first, second);
                found.push(bad);
            }
        }
    }
    found
}

fn unlisted(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for at in 0..trace.stores.len() {
        let mut without = trace.clone();
        // An allocation that is not listed takes memory of its own, which is another matter.
        let removed = without.stores.remove(at);
        if !matches!(trace.event(removed).action, Action::Alloc { .. }) {
            found.push(without);
        }
        let mut again = trace.clone();
        again.stores.push(trace.stores[at]);
        found.push(again);
    }
    if let Some(load) = trace.events.iter().position(|event| matches!(event.action, Action::Load { .. })) {
        let mut more = trace.clone();
        more.stores.push(EventId(load as u32));
        found.push(more);
    }
    found
}

/// Gives all events other numbers.
fn renumber(trace: &mut Trace, number: impl Fn(usize) -> usize) {
    let id = |id: &mut EventId| *id = EventId(number(id.index()) as u32);
    let source = |source: &mut Source| {
        if let Source::Event(event) = source {
            id(event);
        }
    };
    for event in &mut trace.events {
        event.life.iter_mut().for_each(source);
        if let Action::Load { from, .. } = &mut event.action {
            from.iter_mut().for_each(|part| source(&mut part.source));
        }
    }
    trace.stores.iter_mut().for_each(id);
    for thread in &mut trace.threads {
        if let Start::Spawn(spawn) = &mut thread.start {
            id(spawn);
        }
        for call in &mut thread.calls {
            call.events = number(call.events.start)..number(call.events.end);
        }
    }
}

fn missing(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        let removed = bad.events.remove(at);
        bad.stores.retain(|id| id.index() != at);
        renumber(bad, |event| if event > at { event - 1 } else { event });
        // A thread that is cut shorter is still one.
        let last = good.events[at + 1..].iter().all(|event| event.thread != removed.thread);
        let cut = good.threads[removed.thread].status == Status::Stopped;
        !(last && cut || matches!(removed.action, Action::Spawn { .. }))
    })
}

fn twice(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        renumber(bad, |event| if event > at { event + 1 } else { event });
        bad.events.insert(at, bad.events[at].clone());
        let id = EventId(at as u32);
        if let Some(place) = bad.stores.iter().position(|store| *store == id) {
            bad.stores.insert(place + 1, EventId(at as u32 + 1));
        }
        // Threads and memory are counted elsewhere.
        !matches!(good.events[at].action, Action::Spawn { .. } | Action::Alloc { .. } | Action::Free { .. })
    })
}

fn another_access(trace: &Trace) -> Vec<Trace> {
    let address = each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { addr, .. } | Action::Store { addr, .. } => {
            *addr += 64;
            true
        }
        _ => false,
    });
    let value = each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Store { value, .. } => {
            *value = Value::partial(value.bits() ^ 2, value.undef());
            true
        }
        _ => false,
    });
    let order = each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { order, .. } | Action::Store { order, .. } => {
            use fencepost_lsl::program::Order;
            *order = if *order == Order::SeqCst { Order::Relaxed } else { Order::SeqCst };
            true
        }
        _ => false,
    });
    [address, value, order].concat()
}

fn another_fence(trace: &Trace) -> Vec<Trace> {
    each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Fence(fence) => {
            *fence = Fence::NONE;
            true
        }
        _ => false,
    })
}

fn another_choice(trace: &Trace) -> Vec<Trace> {
    each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Choose { value } => {
            *value = Value::new(99);
            true
        }
        _ => false,
    })
}

fn split_block(trace: &Trace) -> Vec<Trace> {
    let out = each(trace, |_, at, bad| bad.events[at].atomic.take().is_some());
    let other = each(trace, |good, at, bad| {
        bad.events[at].atomic = Some(1000);
        // One of its own is as good as another number if it is the only one of its block.
        let block = good.events[at].atomic;
        let mates = |event: &Event| {
            block.is_none() || event.atomic == block && event.thread == good.events[at].thread
        };
        good.events.iter().filter(|event| mates(event)).count() > 1
    });
    // Two blocks with one number.
    let joined = each(trace, |good, at, bad| {
        let Some(block) = good.events[at].atomic else { return false };
        let Some(other) = good.events.iter().filter_map(|event| event.atomic).find(|other| *other != block)
        else {
            return false;
        };
        bad.events
            .iter_mut()
            .filter(|event| event.atomic == Some(block))
            .for_each(|event| event.atomic = Some(other));
        true
    });
    [out, other, joined].concat()
}

fn another_status(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for (index, thread) in trace.threads.iter().enumerate() {
        let (span, stack) = match trace.events.iter().find(|event| event.thread == index) {
            Some(event) => (event.span, event.stack.clone()),
            None => continue,
        };
        let fault = |fault| Status::Faulted { fault, span, stack: stack.clone() };
        let mut claims = vec![fault(Fault::DivisionByZero), fault(Fault::UseAfterFree)];
        match &thread.status {
            Status::Finished => {}
            Status::Stopped => claims.push(Status::Finished),
            Status::Faulted { fault: real, .. } => {
                claims.push(Status::Finished);
                claims.push(fault(real.clone()));
            }
        }
        // That a thread which ends with an access to freed memory goes no further is not claimed.
        for status in claims {
            let mut bad = trace.clone();
            bad.threads[index].status = status;
            found.push(bad);
        }
    }
    found
}

fn another_result(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for (thread, run) in trace.threads.iter().enumerate() {
        for (number, call) in run.calls.iter().enumerate() {
            if call.results.as_ref().is_some_and(|results| !results.is_empty()) {
                let mut bad = trace.clone();
                let results = bad.threads[thread].calls[number].results.as_mut().expect("it has some");
                results[0] = Value::new(results[0].bits() ^ 64);
                found.push(bad);
            }
        }
    }
    found
}

fn other_events(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for (thread, run) in trace.threads.iter().enumerate() {
        for (number, call) in run.calls.iter().enumerate() {
            if !call.events.is_empty() {
                let mut bad = trace.clone();
                bad.threads[thread].calls[number].events.end -= 1;
                found.push(bad);
            }
        }
    }
    found
}

fn another_call(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    let procs: Vec<_> = trace.threads.iter().flat_map(|thread| &thread.calls).map(|call| call.proc).collect();
    for (thread, run) in trace.threads.iter().enumerate() {
        for (number, call) in run.calls.iter().enumerate().filter(|(_, call)| call.op.is_some()) {
            if let Some(other) = procs.iter().find(|proc| **proc != call.proc) {
                let mut bad = trace.clone();
                bad.threads[thread].calls[number].proc = *other;
                found.push(bad);
            }
            if let Some((op, slot)) = call.op
                && slot > 0
            {
                let mut bad = trace.clone();
                bad.threads[thread].calls[number].op = Some((op, slot - 1));
                found.push(bad);
            }
        }
    }
    found
}

fn another_start(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for (thread, run) in trace.threads.iter().enumerate().filter(|(_, run)| !run.calls.is_empty()) {
        let mut change = |change: &dyn Fn(&mut fencepost_harness::trace::TraceThread)| {
            let mut bad = trace.clone();
            change(&mut bad.threads[thread]);
            found.push(bad);
        };
        match run.start {
            Start::Begin => change(&|run| run.start = Start::AfterFirst),
            Start::AfterFirst => change(&|run| run.start = Start::Begin),
            Start::Spawn(by) => {
                change(&|run| run.start = Start::AfterFirst);
                change(&|run| run.start = Start::Spawn(EventId(by.0 - 1)));
                if !run.calls[0].args.is_empty() {
                    change(&|run| run.calls[0].args[0] = Value::new(0x77));
                }
            }
        }
    }
    found
}

fn frees(trace: &Trace, source: Option<Source>) -> Option<EventId> {
    match source {
        Some(Source::Event(id)) if matches!(trace.event(id).action, Action::Free { .. }) => Some(id),
        _ => None,
    }
}

/// Whether the trace frees what an event accesses.
fn is_freed(trace: &Trace, at: usize) -> bool {
    let Some((addr, _)) = trace.events[at].action.access() else { return false };
    let size = |base: u64| {
        trace.events.iter().find_map(|event| match event.action {
            Action::Alloc { addr, size, .. } if addr == base => Some(size),
            _ => None,
        })
    };
    trace.events.iter().any(|event| match event.action {
        Action::Free { addr: base } => (base..base + size(base).unwrap_or(0)).contains(&addr),
        _ => false,
    })
}

fn no_life(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| is_freed(good, at) && bad.events[at].life.take().is_some())
}

fn wrong_life(trace: &Trace) -> Vec<Trace> {
    let store = trace.events.iter().position(|event| matches!(event.action, Action::Store { .. }));
    each(trace, |good, at, bad| match store {
        Some(store) if is_freed(good, at) => {
            bad.events[at].life = Some(Source::Event(EventId(store as u32)));
            true
        }
        _ => false,
    })
}

fn dead_alive(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        let Some(free) = good.finds_freed(&good.events[at]).and(frees(good, good.events[at].life)) else {
            return false;
        };
        bad.events[at].life = Some(Source::Initial);
        // What nothing keeps behind the release may as well come before.
        good.event(free).thread == good.events[at].thread
    })
}

/// Accesses that the thread which frees makes before it does, and those that another releases before.
fn alive_dead(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        let event = &good.events[at];
        let releases =
            |later: &Event| matches!(later.action, Action::Store { order, .. } if order.releases());
        let mut rest = good.events[at + 1..].iter();
        let released = rest.any(|later| later.thread == event.thread && releases(later));
        let ordered = |(later, free): &(usize, &Event)| {
            matches!(free.action, Action::Free { .. })
                && if free.thread == event.thread { *later > at } else { released && event.thread > 0 }
        };
        match good.events.iter().enumerate().find(ordered) {
            Some((free, _)) if is_freed(good, at) && good.fault().is_none() => {
                bad.events[at].life = Some(Source::Event(EventId(free as u32)));
                true
            }
            _ => false,
        }
    })
}

fn taken_alive(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        let taken = matches!(good.events[at].action, Action::Alloc { .. });
        let listed = good.stores.contains(&EventId(at as u32));
        bad.events[at].life = Some(Source::Initial);
        taken && listed
    })
}

fn misplaced(trace: &Trace) -> Vec<Trace> {
    each(trace, |good, at, bad| {
        let listed = good.stores.contains(&EventId(at as u32));
        match &mut bad.events[at].action {
            Action::Alloc { addr, .. } => {
                // On top of a variable, or where nothing was.
                *addr = if listed { *addr + (1 << 16) } else { 0x1000 };
                true
            }
            _ => false,
        }
    })
}

/// The events of blocks that their threads do not come out of.
fn half(trace: &Trace) -> Vec<usize> {
    let open = |&at: &usize| {
        let event = &trace.events[at];
        let last = trace.events.iter().rfind(|other| other.thread == event.thread);
        event.atomic.is_some()
            && trace.threads[event.thread].status == Status::Stopped
            && last.is_some_and(|last| last.atomic == event.atomic)
    };
    (0..trace.events.len()).filter(open).collect()
}

/// A load of another thread reads from such a block; that it read something else before shows elsewhere unless
/// it reads the same.
fn half_a_block(trace: &Trace) -> Vec<Trace> {
    let mut found = Vec::new();
    for store in half(trace) {
        let Action::Store { addr, ty, value, .. } = trace.events[store].action else { continue };
        for (at, event) in trace.events.iter().enumerate() {
            let reads = |a: u64, t, v: Value| a == addr && t == ty && v == value.wrap(ty);
            if let Action::Load { addr, ty, value, .. } = event.action
                && event.thread != trace.events[store].thread
                && reads(addr, ty, value)
            {
                let mut bad = trace.clone();
                let Action::Load { from, .. } = &mut bad.events[at].action else { continue };
                from.truncate(1);
                (from[0].bytes, from[0].source) = (ty.bytes(), Source::Event(EventId(store as u32)));
                found.push(bad);
            }
        }
    }
    found
}

/// A load of such a block does not read what the block stored, but the same from elsewhere.
fn forgetful_block(trace: &Trace) -> Vec<Trace> {
    let half = half(trace);
    each(trace, |_, at, bad| match &mut bad.events[at].action {
        Action::Load { from, value: Value::ZERO, .. } if half.contains(&at) => match from[0].source {
            Source::Event(id) if half.contains(&id.index()) => {
                from[0].source = Source::Initial;
                true
            }
            _ => false,
        },
        _ => false,
    })
}
