//! From a solution back to an execution: the trace that replay checks and the report prints.

use crate::encode::{Encoding, PartId};
use crate::range::{LIFE, Part, What};
use crate::unroll::{EventKind, Start, Stop, StopKind};
use fencepost_harness::trace::{
    Action, Call, Event, EventId, ReadFrom, Source, Start as TraceStart, Status, Trace, TraceThread,
};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::memory;
use fencepost_lsl::program::{Place, address};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

/// The execution of the solution just found, and which of its events are which of the program.
pub(crate) fn decode(encoding: &mut Encoding) -> (Trace, FxHashMap<usize, EventId>) {
    let executed: Vec<usize> = (0..encoding.unrolled.events.len())
        .filter(|&event| encoding.circuit.solver.value(encoding.exec[event]))
        .collect();
    let number: FxHashMap<usize, EventId> =
        executed.iter().enumerate().map(|(id, &event)| (event, EventId(id as u32))).collect();
    let mut decoder = Decoder { encoding, number, solo: FxHashMap::default(), own: FxHashMap::default() };
    let events = executed.iter().map(|&event| decoder.event(event)).collect();
    let threads = (0..decoder.encoding.unrolled.threads.len()).map(|thread| decoder.thread(thread)).collect();
    let trace = Trace { threads, events, stores: decoder.stores(&executed) };
    (trace, decoder.number)
}

struct Decoder<'e, 'a> {
    encoding: &'e mut Encoding<'a>,
    /// Executed events and their place in the trace.
    number: FxHashMap<usize, EventId>,
    /// Last store to each byte while one thread was alone.
    solo: FxHashMap<u64, EventId>,
    /// Last store to each byte by each thread since.
    own: FxHashMap<(usize, u64), EventId>,
}

impl Decoder<'_, '_> {
    fn value(&mut self, id: crate::ssa::ValId) -> Value {
        let word = self.encoding.word(id);
        self.encoding.read(&word)
    }

    fn address(&mut self, id: crate::ssa::ValId) -> u64 {
        self.value(id).bits()
    }

    fn event(&mut self, event: usize) -> Event {
        let unrolled = self.encoding.unrolled.events[event].clone();
        // Before it is noted itself.
        let life = self.life(event);
        let action = match unrolled.kind {
            EventKind::Load { addr, ty, order, value, .. } => {
                let addr = self.address(addr);
                let from = self.sources(event, addr, ty.bytes());
                Action::Load { addr, ty, order, value: self.value(value), from }
            }
            EventKind::Store { addr, ty, order, value } => {
                let addr = self.address(addr);
                self.wrote(event, addr, ty.bytes());
                Action::Store { addr, ty, order, value: self.value(value).wrap(ty) }
            }
            EventKind::Fence(fence) => Action::Fence(fence),
            EventKind::Alloc { object: index, addr } => {
                let addr = self.address(addr);
                if !self.targets(event).is_empty() {
                    self.wrote(event, addr, self.encoding.unrolled.objects[index].size);
                    self.wrote(event, addr | LIFE, 1);
                }
                let object = &self.encoding.unrolled.objects[index];
                Action::Alloc {
                    addr,
                    size: object.size,
                    zeroed: object.zeroed,
                    place: object.place,
                    layout: object.layout,
                }
            }
            EventKind::Free { addr } => {
                let addr = self.address(addr);
                self.wrote(event, addr | LIFE, 1);
                Action::Free { addr }
            }
            EventKind::Choose { value } => Action::Choose { value: self.value(value) },
            EventKind::Spawn(thread) => Action::Spawn { thread },
        };
        Event {
            thread: unrolled.thread,
            action,
            span: unrolled.span,
            stack: self.encoding.unrolled.frames(unrolled.stack),
            atomic: unrolled.atomic,
            life,
        }
    }

    /// Notes who wrote some bytes last.
    fn wrote(&mut self, event: usize, addr: u64, bytes: u64) {
        let (id, writer) = (self.number[&event], &self.encoding.unrolled.events[event]);
        for byte in addr..addr + bytes {
            if writer.solo {
                self.solo.insert(byte, id);
            } else {
                self.own.insert((writer.thread, byte), id);
            }
        }
    }

    /// The target an access goes to; none for an allocation that gets memory of its own.
    fn targets(&mut self, event: usize) -> Vec<usize> {
        let solver = &mut self.encoding.circuit.solver;
        let at = &self.encoding.at[event];
        (0..at.len()).filter(|&target| solver.value(at[target])).collect()
    }

    /// What last began or ended the life of the object that an event accesses, if it may be freed.
    fn life(&mut self, event: usize) -> Option<Source> {
        let ranges = self.encoding.ranges.clone();
        let reads = &ranges.plans[event].reads;
        let index = reads.iter().position(|part| part.what == What::Life)?;
        let cell = self.targets(event).into_iter().find_map(|target| reads[index].cells[target])?;
        Some(self.source((event, index), ranges.cells[cell].addr))
    }

    /// Where a read part reads a byte from.
    fn source(&mut self, read: PartId, byte: u64) -> Source {
        let before = self.solo.get(&byte).map_or(Source::Initial, |id| Source::Event(*id));
        let thread = self.encoding.unrolled.events[read.0].thread;
        match self.encoding.memory.sources.get(&read) {
            None => self.own.get(&(thread, byte)).map_or(before, |id| Source::Event(*id)),
            Some(sources) => {
                let solver = &mut self.encoding.circuit.solver;
                match sources.iter().find(|source| solver.value(source.lit)).and_then(|source| source.write) {
                    Some((writer, _)) => Source::Event(self.number[&writer]),
                    None => before,
                }
            }
        }
    }

    /// Where a load reads from, equal neighbours joined.
    fn sources(&mut self, load: usize, addr: u64, bytes: u64) -> Vec<ReadFrom> {
        let mut from: Vec<ReadFrom> = Vec::new();
        let ranges = self.encoding.ranges.clone();
        let reads = &ranges.plans[load].reads;
        for offset in 0..bytes {
            let covers = |part: &Part| match part.what {
                What::Bytes { offset: start, bytes } => (start..start + bytes).contains(&offset),
                What::Life => false,
            };
            let index = reads.iter().position(covers).unwrap_or(0);
            let source = self.source((load, index), addr + offset);
            match from.last_mut() {
                Some(last) if last.source == source => last.bytes += 1,
                _ => from.push(ReadFrom { offset, bytes: 1, source }),
            }
        }
        from
    }

    fn thread(&mut self, thread: usize) -> TraceThread {
        let code = self.encoding.unrolled.threads[thread].clone();
        let start = match code.start {
            Start::Begin => TraceStart::Begin,
            Start::AfterFirst => TraceStart::AfterFirst,
            Start::Spawn(event) => match self.number.get(&event) {
                Some(id) => TraceStart::Spawn(*id),
                // Never started; where it would have been makes no difference.
                None => TraceStart::AfterFirst,
            },
        };
        let solver = &mut self.encoding.circuit.solver;
        let finished = solver.value(self.encoding.finished[thread]);
        let fired = (0..code.stops.len()).find(|&stop| solver.value(self.encoding.fired[thread][stop]));
        let status = match fired {
            _ if finished => Status::Finished,
            Some(stop) => self.status(&code.stops[stop]),
            None => Status::Stopped,
        };
        // A thread that neither finished nor was stopped at one of its own stops never started.
        let last_call = match fired {
            _ if finished => code.calls.len(),
            Some(stop) => code.stops[stop].call + 1,
            None => 0,
        };
        let mut calls = Vec::new();
        for (index, call) in code.calls[..last_call].iter().enumerate() {
            let returned = finished || index + 1 < last_call;
            let first = call.events.clone().find_map(|event| self.number.get(&event));
            let count = call.events.clone().filter(|event| self.number.contains_key(event)).count();
            let first = first.map_or(0, |id| id.index());
            calls.push(Call {
                op: call.op,
                proc: call.proc,
                args: call.args.iter().map(|&arg| self.value(arg)).collect(),
                results: returned.then(|| call.results.iter().map(|&result| self.value(result)).collect()),
                events: first..first + count,
            });
        }
        TraceThread { start, calls, status }
    }

    fn status(&mut self, stop: &Stop) -> Status {
        let fault = match &stop.kind {
            StopKind::Undefined(_, what) => Fault::Undefined(*what),
            StopKind::Assert(_, fault) | StopKind::Below(_, _, fault) => fault.clone(),
            StopKind::Within(..) => Fault::Strayed,
            StopKind::Address(event) => self.bad_address(*event),
            StopKind::Assume(_) | StopKind::Spin(_) | StopKind::Bound(_) | StopKind::Restricted => {
                return Status::Stopped;
            }
        };
        Status::Faulted { fault, span: stop.span, stack: self.encoding.unrolled.frames(stop.stack) }
    }

    fn bad_address(&mut self, event: usize) -> Fault {
        let kind = self.encoding.unrolled.events[event].kind.clone();
        let (addr, bytes, store) = match kind {
            EventKind::Load { addr, ty, .. } => (addr, ty.bytes(), false),
            EventKind::Store { addr, ty, .. } => (addr, ty.bytes(), true),
            _ => return Fault::BadFree,
        };
        let addr = self.address(addr);
        if addr < address::NULL_END {
            return Fault::Null;
        }
        let objects = &self.encoding.unrolled.objects;
        let holds = objects.iter().any(|object| {
            object.place == Place::Global && memory::covers((object.base, object.size), (addr, bytes))
        });
        if holds && store { Fault::ReadOnly } else { Fault::OutOfBounds }
    }

    /// Executed stores, sorted so that coherence holds.
    fn stores(&mut self, executed: &[usize]) -> Vec<EventId> {
        let mut stores = Vec::new();
        for &event in executed {
            let writes = !self.encoding.ranges.plans[event].writes.is_empty();
            if writes && !self.targets(event).is_empty() {
                stores.push(event);
            }
        }
        let mut after: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut waiting: FxHashMap<usize, usize> = stores.iter().map(|&store| (store, 0)).collect();
        let pairs: Vec<((usize, usize), crate::circuit::Lit)> =
            self.encoding.memory.co.iter().map(|(&pair, &lit)| (pair, lit)).collect();
        for ((first, second), lit) in pairs {
            if self.encoding.circuit.solver.value(lit)
                && waiting.contains_key(&first)
                && let Some(count) = waiting.get_mut(&second)
            {
                *count += 1;
                after.entry(first).or_default().push(second);
            }
        }
        let mut sorted = Vec::new();
        let mut rest = stores;
        while let Some(at) = rest.iter().position(|store| waiting[store] == 0) {
            let store = rest.remove(at);
            for next in after.remove(&store).unwrap_or_default() {
                *waiting.entry(next).or_default() -= 1;
            }
            sorted.push(self.number[&store]);
        }
        // Left over only if coherence had a cycle, which replay then reports.
        sorted.extend(rest.iter().map(|store| self.number[store]));
        sorted
    }
}
