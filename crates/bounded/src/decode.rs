//! From a solution back to an execution: the trace that replay checks and the report prints.

use crate::encode::Encoding;
use crate::unroll::{EventKind, Start, Stop, StopKind};
use fencepost_harness::trace::{
    Action, Call, Event, EventId, ReadFrom, Source, Start as TraceStart, Status, Trace, TraceThread,
};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::program::{Place, address};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

/// The execution of the solution just found.
pub fn decode(encoding: &mut Encoding) -> Trace {
    let executed: Vec<usize> = (0..encoding.unrolled.events.len())
        .filter(|&event| encoding.circuit.solver.value(encoding.exec[event]))
        .collect();
    let number: FxHashMap<usize, EventId> =
        executed.iter().enumerate().map(|(id, &event)| (event, EventId(id as u32))).collect();
    let mut decoder = Decoder { encoding, number, solo: FxHashMap::default(), own: FxHashMap::default() };
    let events = executed.iter().map(|&event| decoder.event(event)).collect();
    let threads = (0..decoder.encoding.unrolled.threads.len()).map(|thread| decoder.thread(thread)).collect();
    Trace { threads, events, stores: decoder.stores(&executed) }
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
        let id = self.number[&event];
        let unrolled = self.encoding.unrolled.events[event].clone();
        let action = match unrolled.kind {
            EventKind::Load { addr, ty, order, value } => {
                let addr = self.address(addr);
                let from = self.sources(event, addr, ty.bytes());
                Action::Load { addr, ty, order, value: self.value(value), from }
            }
            EventKind::Store { addr, ty, order, value } => {
                let addr = self.address(addr);
                for byte in addr..addr + ty.bytes() {
                    if unrolled.solo {
                        self.solo.insert(byte, id);
                    } else {
                        self.own.insert((unrolled.thread, byte), id);
                    }
                }
                Action::Store { addr, ty, order, value: self.value(value).wrap(ty) }
            }
            EventKind::Fence(fence) => Action::Fence(fence),
            EventKind::Alloc(index) => {
                let object = &self.encoding.unrolled.objects[index];
                Action::Alloc {
                    addr: object.base,
                    size: object.size,
                    zeroed: object.zeroed,
                    place: object.place,
                    layout: object.layout,
                }
            }
            EventKind::Free { addr } => Action::Free { addr: self.address(addr) },
            EventKind::Choose { value } => Action::Choose { value: self.value(value) },
            EventKind::Spawn(thread) => Action::Spawn { thread },
        };
        Event {
            thread: unrolled.thread,
            action,
            span: unrolled.span,
            stack: self.encoding.unrolled.frames(unrolled.stack),
            atomic: unrolled.atomic,
        }
    }

    /// Where a load reads from, equal neighbours joined.
    fn sources(&mut self, load: usize, addr: u64, bytes: u64) -> Vec<ReadFrom> {
        let chosen = self.encoding.memory.sources.get(&load).cloned();
        let mut from: Vec<ReadFrom> = Vec::new();
        let thread = self.encoding.unrolled.events[load].thread;
        for offset in 0..bytes {
            let byte = addr + offset;
            let before = self.solo.get(&byte).map_or(Source::Initial, |id| Source::Event(*id));
            let source = match &chosen {
                None => self.own.get(&(thread, byte)).map_or(before, |id| Source::Event(*id)),
                Some(parts) => {
                    let plan = &self.encoding.ranges.plans[load];
                    let covers =
                        |part: &crate::range::Part| (part.offset..part.offset + part.bytes).contains(&offset);
                    let part = plan.parts.iter().position(covers).unwrap_or(0);
                    let solver = &mut self.encoding.circuit.solver;
                    let taken = parts[part].iter().find(|source| solver.value(source.lit));
                    match taken.and_then(|source| source.store) {
                        Some((store, _)) => Source::Event(self.number[&store]),
                        None => before,
                    }
                }
            };
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
            StopKind::Address(event) => self.bad_address(*event),
            StopKind::Assume(_) | StopKind::Spin { .. } | StopKind::Bound(_) | StopKind::Restricted => {
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
            object.place == Place::Global && object.base <= addr && addr + bytes <= object.base + object.size
        });
        if holds && store { Fault::ReadOnly } else { Fault::OutOfBounds }
    }

    /// Executed stores, sorted so that coherence holds.
    fn stores(&mut self, executed: &[usize]) -> Vec<EventId> {
        let is_store = |event: &&usize| {
            matches!(
                self.encoding.unrolled.events[**event].kind,
                EventKind::Store { .. } | EventKind::Free { .. }
            )
        };
        let stores: Vec<usize> = executed.iter().filter(is_store).copied().collect();
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
