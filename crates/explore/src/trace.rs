//! From the steps of a search back to an execution: they are made once more, with every event noted.
//!
//! Nothing is dropped this time, so that every object of the trace has an address of its own.

use crate::code::Code;
use crate::expand::{Move, Step, take};
use crate::footprint::Footprint;
use crate::intern::small;
use crate::machine::Machine;
use crate::options::{Options, Reductions};
use crate::recorder::{At, Frame, Note, Recorder};
use crate::run::Stop;
use crate::state::Phase;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{
    Action, Call, Event, EventId, ReadFrom, Source, Start, Status, Trace, TraceThread,
};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp;
use fencepost_lsl::source::Span;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

fn internal(why: &str) -> Reason {
    Reason::Internal(why.into())
}

/// A thread ends with its fault in a trace, so this cannot be told.
const LATE_STORE: &str =
    "to tell of a store that reaches freed memory after others saw what its thread did later";

/// The execution that some steps make, from the start.
pub(crate) fn record(
    code: &Code,
    harness: &Harness,
    options: &Options,
    footprint: &Footprint,
    steps: &[Step],
) -> Result<Trace, Reason> {
    let reductions = Reductions { collect: false, rename: false, ..options.reductions };
    let options = Options { reductions, ..options.clone() };
    let mut machine = Machine::new(code, &harness.program, &options, footprint.clone(), None);
    let mut world = machine.start();
    let mut next = world.clone();
    let mut tracer = Tracer::new(code);
    tracer.thread(Start::Begin);
    for (number, step) in steps.iter().enumerate() {
        let before = world.threads.len();
        match take(&mut machine, &world, &mut next, step, &mut tracer) {
            Ok(()) => std::mem::swap(&mut world, &mut next),
            Err(Stop::Fault(fault)) if number + 1 == steps.len() => {
                // A store that comes too late, by itself or because the thread waits for its buffer to drain.
                if matches!(step.what, Move::Flush(_)) || tracer.threads[step.thread].faulted.is_none() {
                    tracer.truncate(step.thread, fault)?;
                }
            }
            Err(stop) => {
                let why = format!("step {number} of an execution cannot be made again: {stop:?}");
                return Err(Reason::Internal(why));
            }
        }
        for _ in before.max(tracer.threads.len())..world.threads.len() {
            tracer.thread(Start::AfterFirst);
        }
    }
    for thread in 0..world.threads.len() {
        if machine.phase(&world, thread) == Phase::Finished && tracer.threads[thread].faulted.is_none() {
            tracer.threads[thread].finished = true;
        }
    }
    Ok(tracer.finish())
}

/// A thread under recording.
struct Thread {
    start: Start,
    /// Its events, as positions in the order in which they happened.
    events: Vec<usize>,
    calls: Vec<Call>,
    finished: bool,
    faulted: Option<Status>,
    /// Its events that memory has not seen: the event, or none for the start of a thread.
    buffer: Vec<Option<usize>>,
}

struct Tracer<'a> {
    code: &'a Code,
    threads: Vec<Thread>,
    /// Events in the order in which they happened; ids in them are such positions.
    events: Vec<Event>,
    stores: Vec<usize>,
    /// Who wrote each byte of memory last.
    writers: FxHashMap<u64, usize>,
    /// Objects that were made, and which event freed them.
    objects: Vec<(u64, u64, Option<usize>)>,
    atomic: Option<u32>,
    blocks: u32,
    /// The event that reached memory last.
    flushed: Option<usize>,
}

impl<'a> Tracer<'a> {
    fn new(code: &'a Code) -> Tracer<'a> {
        Tracer {
            code,
            threads: Vec::new(),
            events: Vec::new(),
            stores: Vec::new(),
            writers: FxHashMap::default(),
            objects: Vec::new(),
            atomic: None,
            blocks: 0,
            flushed: None,
        }
    }

    fn thread(&mut self, start: Start) {
        let (events, calls, buffer) = (Vec::new(), Vec::new(), Vec::new());
        self.threads.push(Thread { start, events, calls, finished: false, faulted: None, buffer });
    }

    fn stack(&self, frames: &[Frame]) -> Vec<interp::Frame> {
        let mut stack = Vec::new();
        for pair in frames.windows(2) {
            let Some(proc) = self.code.proc_at(pair[1].pc).proc else { continue };
            let call = (!stack.is_empty()).then(|| self.code.spans[pair[0].pc as usize]);
            stack.push(interp::Frame { proc, call });
        }
        stack
    }

    fn push(&mut self, at: &At, action: Action, life: Option<Source>) -> usize {
        let span = self.code.spans[at.pc as usize];
        let stack = self.stack(at.frames);
        let event = Event { thread: at.thread, action, span, stack, atomic: self.atomic, life };
        self.events.push(event);
        self.threads[at.thread].events.push(self.events.len() - 1);
        self.events.len() - 1
    }

    /// A store or free reaches memory.
    fn seen(&mut self, event: usize) {
        self.stores.push(event);
        match self.events[event].action {
            Action::Store { addr, ty, .. } => {
                self.writers.extend((addr..addr + ty.bytes()).map(|byte| (byte, event)));
            }
            Action::Free { addr } => {
                if let Some(object) = self.objects.iter_mut().find(|object| object.0 == addr) {
                    object.2 = Some(event);
                }
            }
            _ => {}
        }
    }

    /// Where a thread reads some bytes from, equal neighbours joined.
    fn sources(&self, thread: usize, addr: u64, bytes: u64) -> Vec<ReadFrom> {
        let mut from: Vec<ReadFrom> = Vec::new();
        for offset in 0..bytes {
            let byte = addr + offset;
            let writes = |event: &&usize| match self.events[**event].action {
                Action::Store { addr, ty, .. } => (addr..addr + ty.bytes()).contains(&byte),
                _ => false,
            };
            let own = self.threads[thread].buffer.iter().flatten().rev().find(writes);
            let event = own.or_else(|| self.writers.get(&byte));
            let source = event.map_or(Source::Initial, |event| Source::Event(EventId(small(*event))));
            match from.last_mut() {
                Some(last) if last.source == source => last.bytes += 1,
                _ => from.push(ReadFrom { offset, bytes: 1, source }),
            }
        }
        from
    }

    /// The event that ended the life of an object, for the thread that looks.
    fn death(&self, thread: usize, addr: u64) -> Option<Source> {
        let object =
            self.objects.iter().find(|object| (object.0..object.0 + object.1.max(1)).contains(&addr))?;
        let frees =
            |event: &&usize| matches!(self.events[**event].action, Action::Free { addr } if addr == object.0);
        let own = self.threads[thread].buffer.iter().flatten().find(frees).copied();
        own.or(object.2).map(|event| Source::Event(EventId(small(event))))
    }

    /// The store that reached memory last found its object dead: its thread ends there.
    fn truncate(&mut self, thread: usize, fault: Fault) -> Result<(), Reason> {
        let event = self.flushed.ok_or_else(|| internal("a fault of no store"))?;
        self.stores.retain(|store| *store != event);
        let addr = match self.events[event].action {
            Action::Store { addr, .. } | Action::Free { addr } => addr,
            _ => return Err(internal("a fault of no store")),
        };
        self.events[event].life = self.death(thread, addr);
        let Event { span, ref stack, .. } = self.events[event];
        let status = Status::Faulted { fault, span, stack: stack.clone() };
        let owner = &mut self.threads[thread];
        let place = owner
            .events
            .iter()
            .position(|other| *other == event)
            .ok_or_else(|| internal("an event of no thread"))?;
        let gone = owner.events.split_off(place + 1);
        owner.buffer.retain(|entry| entry.is_none_or(|entry| !gone.contains(&entry)));
        owner.calls.retain(|call| call.events.start <= place);
        if let Some(last) = owner.calls.last_mut() {
            last.results = None;
        }
        owner.faulted = Some(status);
        let reads = |event: &Event| match &event.action {
            Action::Load { from, .. } => {
                from.iter().any(|part| matches!(part.source, Source::Event(id) if gone.contains(&id.index())))
            }
            _ => false,
        };
        let kept = self.threads.iter().flat_map(|thread| &thread.events);
        if kept.clone().any(|event| reads(&self.events[*event]))
            || self.stores.iter().any(|s| gone.contains(s))
        {
            return Err(Reason::Unsupported(LATE_STORE.into()));
        }
        Ok(())
    }

    /// The trace, with events sorted thread by thread.
    fn finish(mut self) -> Trace {
        // What is still under way reaches memory in the end.
        for thread in 0..self.threads.len() {
            for event in std::mem::take(&mut self.threads[thread].buffer).into_iter().flatten() {
                self.stores.push(event);
            }
        }
        let sorted: Vec<usize> = self.threads.iter().flat_map(|thread| thread.events.clone()).collect();
        let mut place = vec![EventId(0); self.events.len()];
        for (new, &old) in sorted.iter().enumerate() {
            place[old] = EventId(small(new));
        }
        let moved = |source: &mut Source| {
            if let Source::Event(id) = source {
                *id = place[id.index()];
            }
        };
        let mut events = Vec::new();
        for &old in &sorted {
            let mut event = self.events[old].clone();
            event.life.iter_mut().for_each(moved);
            if let Action::Load { from, .. } = &mut event.action {
                from.iter_mut().for_each(|part| moved(&mut part.source));
            }
            events.push(event);
        }
        let mut threads = Vec::new();
        let mut first = 0;
        for thread in self.threads {
            let Thread { start, events, mut calls, finished, faulted, .. } = thread;
            let count = events.len();
            for call in &mut calls {
                // Up to the next call, or the end.
                call.events = first + call.events.start..first + call.events.end.min(count);
            }
            first += count;
            let start = match start {
                Start::Spawn(id) => Start::Spawn(place[id.index()]),
                start => start,
            };
            let status = if finished { Status::Finished } else { faulted.unwrap_or(Status::Stopped) };
            threads.push(TraceThread { start, calls, status });
        }
        Trace { threads, events, stores: self.stores.iter().map(|store| place[*store]).collect() }
    }
}

impl Recorder for Tracer<'_> {
    fn note(&mut self, at: At, note: Note) {
        match note {
            Note::Load { addr, ty, order, value } => {
                let from = self.sources(at.thread, addr, ty.bytes());
                self.push(&at, Action::Load { addr, ty, order, value, from }, None);
            }
            Note::Store { addr, ty, order, value, direct } => {
                let event = self.push(&at, Action::Store { addr, ty, order, value }, None);
                match direct {
                    true => self.seen(event),
                    false => self.threads[at.thread].buffer.push(Some(event)),
                }
            }
            Note::Fence(fence) => _ = self.push(&at, Action::Fence(fence), None),
            Note::Alloc { addr, size, site, reused } => {
                let site = &self.code.sites[site as usize];
                let (zeroed, place, layout) = (site.zeroed, site.place, site.layout);
                let life = if reused { self.death(at.thread, addr) } else { None };
                let event = self.push(&at, Action::Alloc { addr, size, zeroed, place, layout }, life);
                if reused {
                    self.stores.push(event);
                    self.writers.extend((addr..addr + size).map(|byte| (byte, event)));
                    self.objects.retain(|object| object.0 != addr);
                }
                self.objects.push((addr, size, None));
            }
            Note::Free { addr, direct } => {
                let event = self.push(&at, Action::Free { addr }, None);
                match direct {
                    true => self.seen(event),
                    false => self.threads[at.thread].buffer.push(Some(event)),
                }
            }
            Note::Choose(value) => _ = self.push(&at, Action::Choose { value }, None),
            Note::Spawn(thread) => {
                let event = self.push(&at, Action::Spawn { thread }, None);
                self.thread(Start::Spawn(EventId(small(event))));
            }
            Note::DeadLoad { addr, ty, order } => {
                let (life, from) = (self.death(at.thread, addr), self.sources(at.thread, addr, ty.bytes()));
                self.push(&at, Action::Load { addr, ty, order, value: Value::ZERO, from }, life);
            }
            Note::DeadStore { addr, ty, order, value } => {
                let life = self.death(at.thread, addr);
                self.push(&at, Action::Store { addr, ty, order, value }, life);
            }
            Note::DeadFree { addr } => {
                let life = self.death(at.thread, addr);
                self.push(&at, Action::Free { addr }, life);
            }
        }
    }

    fn atomic(&mut self, starts: bool) {
        self.blocks += u32::from(starts);
        self.atomic = starts.then_some(self.blocks);
    }

    fn queue_start(&mut self, thread: usize) {
        self.threads[thread].buffer.push(None);
    }

    fn flush(&mut self, thread: usize, index: usize) {
        if let Some(event) = self.threads[thread].buffer.remove(index) {
            self.flushed = Some(event);
            self.seen(event);
        }
    }

    fn begin(&mut self, thread: usize, call: u32, args: Vec<Value>) {
        let site = &self.code.calls[call as usize];
        let start = self.threads[thread].events.len();
        let events = start..usize::MAX;
        self.threads[thread].calls.push(Call { op: site.op, proc: site.proc, args, results: None, events });
    }

    fn end(&mut self, thread: usize, results: Vec<Value>) {
        let count = self.threads[thread].events.len();
        if let Some(call) = self.threads[thread].calls.last_mut() {
            call.results = Some(results);
            call.events.end = count;
        }
    }

    fn fail(&mut self, at: At, fault: &Fault, span: Span) {
        let status = Status::Faulted { fault: fault.clone(), span, stack: self.stack(at.frames) };
        self.threads[at.thread].faulted = Some(status);
    }

    fn listens(&self) -> bool {
        true
    }
}
