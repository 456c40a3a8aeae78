//! From the steps of a search back to an execution: they are made once more, with every event noted.
//!
//! Nothing is dropped this time, so that every object of the trace has an address of its own.

use crate::code::registers::Frame;
use crate::code::small;
use crate::code::{Code, Instr};
use crate::options::{Options, Reductions};
use crate::reduce::footprint::Footprint;
use crate::state::Phase;
use crate::step::expand::{Step, take};
use crate::step::machine::Machine;
use crate::step::recorder::{At, Goal, Note, Recorder};
use crate::step::run::Stop;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{
    Action, Call, Event, EventId, ReadFrom, Source, Start, Status, Trace, TraceThread,
};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp;
use fencepost_lsl::program::Place;
use fencepost_lsl::source::Span;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

fn internal(why: &str) -> Reason {
    Reason::Internal(why.into())
}

/// The execution that some steps make, from the start. If it `rests` then, threads that have not ended count as being in the
/// calls that they would make next: what they did in these was taken back, since others could not notice it.
pub(crate) fn record(
    code: &Code,
    harness: &Harness,
    options: &Options,
    footprint: &Footprint,
    steps: &[Step],
    rests: bool,
) -> Result<Trace, Reason> {
    make(code, harness, options, footprint, steps, steps.len(), rests).map(|(trace, _)| trace)
}

/// As [`record`], with the events that happen from step number `stem` on.
pub(crate) fn record_circle(
    code: &Code,
    harness: &Harness,
    options: &Options,
    footprint: &Footprint,
    steps: &[Step],
    stem: usize,
) -> Result<(Trace, Vec<EventId>), Reason> {
    make(code, harness, options, footprint, steps, stem, false)
}

fn make(
    code: &Code,
    harness: &Harness,
    options: &Options,
    footprint: &Footprint,
    steps: &[Step],
    stem: usize,
    rests: bool,
) -> Result<(Trace, Vec<EventId>), Reason> {
    let reductions = Reductions { collect: false, rename: false, ..options.reductions };
    let options = Options { reductions, ..options.clone() };
    let mut machine = Machine::new(code, &harness.program, &options, footprint.clone(), None);
    let mut world = machine.start();
    let mut next = world.clone();
    let mut tracer = Tracer::new(code);
    tracer.thread(Start::Begin);
    let mut repeats_from = usize::MAX;
    for (number, step) in steps.iter().enumerate() {
        if number == stem {
            repeats_from = tracer.events.len();
        }
        let before = world.threads.len();
        match take(&mut machine, &world, &mut next, step, &mut tracer) {
            Ok(()) => std::mem::swap(&mut world, &mut next),
            Err(Stop::Fault(fault)) if number + 1 == steps.len() => {
                // Its thread may have gone on if it is a store that comes too late, by itself or because the
                // thread waits for its buffer to drain.
                if !tracer.told && tracer.threads[step.thread].faulted.is_none() {
                    return Err(internal(&format!("nothing tells of a fault: {fault}")));
                }
            }
            Err(Stop::Limit(reason)) => return Err(reason),
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
        if rests && let Some((call, args)) = about_to_call(&mut machine, world.threads[thread]) {
            tracer.begin(thread, call, args);
        }
    }
    Ok(tracer.finish(repeats_from))
}

/// The call of the subject, by number, that a thread is about to make, with its arguments.
fn about_to_call(machine: &mut Machine, thread: u32) -> Option<(u32, Vec<Value>)> {
    machine.load_thread(thread);
    let (code, thread) = (machine.code, &machine.thread);
    let Instr::Begin { call } = code.instrs[thread.pc() as usize] else { return None };
    Some((call, code.calls[call as usize].args.iter().map(|src| thread.get(code, *src)).collect()))
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
    /// Heap objects that were made, and what ended or began their life since.
    objects: BTreeMap<u64, (u64, Source)>,
    atomic: Option<u32>,
    blocks: u32,
    /// Whether an access found its object freed.
    told: bool,
}

impl<'a> Tracer<'a> {
    fn new(code: &'a Code) -> Tracer<'a> {
        Tracer {
            code,
            threads: Vec::new(),
            events: Vec::new(),
            stores: Vec::new(),
            writers: FxHashMap::default(),
            objects: BTreeMap::new(),
            atomic: None,
            blocks: 0,
            told: false,
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

    fn push(&mut self, at: &At, action: Action) -> usize {
        let span = self.code.spans[at.pc as usize];
        let stack = self.stack(at.frames);
        let event = Event { thread: at.thread, action, span, stack, atomic: self.atomic, life: None };
        self.events.push(event);
        self.threads[at.thread].events.push(self.events.len() - 1);
        self.events.len() - 1
    }

    /// A store or free reaches memory.
    fn seen(&mut self, event: usize) {
        self.stores.push(event);
        self.look(event);
        match self.events[event].action {
            Action::Store { addr, ty, .. } => {
                self.writers.extend((addr..addr + ty.bytes()).map(|byte| (byte, event)));
            }
            Action::Free { addr } => {
                if let Some((_, life)) = self.objects.get_mut(&addr) {
                    *life = Source::Event(EventId(event as u32));
                }
            }
            _ => {}
        }
    }

    /// A store or free goes where it goes.
    fn send(&mut self, event: usize, to: Goal) {
        match to {
            Goal::Memory => self.seen(event),
            Goal::Buffer | Goal::Dead => self.threads[self.events[event].thread].buffer.push(Some(event)),
        }
        self.told |= matches!(to, Goal::Dead);
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

    /// What last began or ended the life of an object, for the event that looks.
    fn life(&self, looks: usize, addr: u64) -> Option<Source> {
        let (&base, &(size, life)) = self.objects.range(..=addr).next_back()?;
        if !(base..base + size.max(1)).contains(&addr) {
            return None;
        }
        let frees =
            |event: &&usize| matches!(self.events[**event].action, Action::Free { addr } if addr == base);
        // Its own thread's releases that are still under way, unless it is a store that was made before.
        let buffer = &self.threads[self.events[looks].thread].buffer;
        let own = buffer.iter().flatten().filter(|event| **event < looks).rev().find(frees);
        Some(own.map_or(life, |event| Source::Event(EventId(small(*event)))))
    }

    /// An access looks whether its object is alive: a load when it is made, a store when memory sees it.
    fn look(&mut self, event: usize) {
        let addr = match self.events[event].action {
            Action::Load { addr, .. } | Action::Store { addr, .. } => addr,
            Action::Free { addr } | Action::Alloc { addr, .. } => addr,
            _ => return,
        };
        let life = self.life(event, addr);
        self.events[event].life = life;
        let takes = matches!(self.events[event].action, Action::Alloc { .. });
        if let (Some(Source::Event(id)), false) = (life, takes) {
            self.told |= matches!(self.events[id.index()].action, Action::Free { .. });
        }
    }

    /// The trace, with events sorted thread by thread, and the ids of those that happened from some event on.
    fn finish(mut self, from: usize) -> (Trace, Vec<EventId>) {
        // What is still under way reaches memory in the end.
        for thread in 0..self.threads.len() {
            for event in std::mem::take(&mut self.threads[thread].buffer).into_iter().flatten() {
                self.seen(event);
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
        let stores = self.stores.iter().map(|store| place[*store]).collect();
        let later = sorted.iter().filter(|old| **old >= from).map(|old| place[*old]).collect();
        (Trace { threads, events, stores }, later)
    }
}

impl Recorder for Tracer<'_> {
    fn note(&mut self, at: At, note: Note) {
        match note {
            Note::Load { addr, ty, order, value } => {
                let from = self.sources(at.thread, addr, ty.bytes());
                let event = self.push(&at, Action::Load { addr, ty, order, value, from });
                self.look(event);
            }
            Note::Store { addr, ty, order, value, to } => {
                let event = self.push(&at, Action::Store { addr, ty, order, value });
                self.send(event, to);
            }
            Note::Fence(fence) => _ = self.push(&at, Action::Fence(fence)),
            Note::Alloc { addr, size, site, reused } => {
                let site = &self.code.sites[site as usize];
                let (zeroed, place, layout) = (site.zeroed, site.place, site.layout);
                let event = self.push(&at, Action::Alloc { addr, size, zeroed, place, layout });
                let mut life = Source::Initial;
                if reused {
                    self.look(event);
                    self.stores.push(event);
                    self.writers.extend((addr..addr + size).map(|byte| (byte, event)));
                    life = Source::Event(EventId(event as u32));
                }
                if place == Place::Heap {
                    self.objects.insert(addr, (size, life));
                }
            }
            Note::Free { addr, to } => {
                let event = self.push(&at, Action::Free { addr });
                self.send(event, to);
            }
            Note::Choose(value) => _ = self.push(&at, Action::Choose { value }),
            Note::Spawn(thread) => {
                let event = self.push(&at, Action::Spawn { thread });
                self.thread(Start::Spawn(EventId(small(event))));
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
        // These are told by their events; the thread goes no further only because the search does not.
        if self.told && matches!(fault, Fault::UseAfterFree | Fault::DoubleFree) {
            return;
        }
        let status = Status::Faulted { fault: fault.clone(), span, stack: self.stack(at.frames) };
        self.threads[at.thread].faulted = Some(status);
    }

    fn listens(&self) -> bool {
        true
    }
}
