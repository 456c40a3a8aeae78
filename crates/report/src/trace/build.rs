//! Traces for a report, from what an engine found and the referee explained: values and places by their names in C.

use super::{Access, Action, Call, End, Event, Fault, Flagged, Look, Reordering, Thread, Trace};
use crate::values;
use fencepost_harness::client::FixedCall;
use fencepost_harness::observation::{self, Observation};
use fencepost_harness::operation::{Harness, ValueTy};
use fencepost_harness::result::Wrong;
use fencepost_harness::test::Test;
use fencepost_harness::trace::{self, EventId, Explanation, Source, Start, Status};
use fencepost_lsl::program::{Place, address};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Serial executions that are shown beside a wrong one, at most.
const NEAREST: usize = 3;

/// An execution that is wrong.
pub(crate) struct Execution<'a> {
    pub(crate) harness: &'a Harness,
    /// None for a closed program.
    pub(crate) test: Option<&'a Test>,
    pub(crate) wrong: &'a Wrong,
    pub(crate) trace: &'a trace::Trace,
    pub(crate) explanation: &'a Explanation,
}

impl Execution<'_> {
    /// What was observed, if all calls of the test returned.
    fn observed(&self) -> Option<Observation> {
        let slots = |test: &Test| -> usize {
            let ops = test.invocations().map(|call| self.harness.op(call.op));
            ops.map(|op| op.inputs.len() + op.outputs.len()).sum()
        };
        let observed = self.trace.observation(self.harness)?;
        self.test.is_some_and(|test| slots(test) == observed.len()).then_some(observed)
    }

    /// All there is to say about it. `nearest` are serial observations with the slots that differ.
    pub(crate) fn describe(&self, nearest: &[(Observation, Vec<usize>)], serial: bool) -> Trace {
        let shown = |values: &Observation, serial: bool| {
            self.test.map(|test| observation::show(self.harness, test, values, serial))
        };
        let numbers = |ids: &[EventId]| ids.iter().map(|id| id.0).collect();
        let pairs = self.explanation.reorderings.iter();
        let calls = self.trace.threads.iter().enumerate();
        Trace {
            replayed: true,
            wrong: self.wrong.into(),
            waiting: if let Wrong::Stuck(threads) = self.wrong { Some(threads.clone()) } else { None },
            looks_at: self.looks(),
            flagged: if let Wrong::Flagged { rule, events: (first, second) } = self.wrong {
                Some(Flagged { rule: rule.clone(), events: [first.0, second.0] })
            } else {
                None
            },
            repeats: if let Wrong::Endless { repeats, .. } = self.wrong {
                Some(numbers(repeats))
            } else {
                None
            },
            serial,
            fault: self.fault(),
            observed: self.observed().and_then(|observed| shown(&observed, false)),
            nearest_serial: nearest.iter().take(NEAREST).filter_map(|(near, _)| shown(near, true)).collect(),
            calls: calls
                .flat_map(|(index, run)| run.calls.iter().map(move |call| self.call(index, call)))
                .collect(),
            events: self.events(),
            memory_order: numbers(&self.explanation.order),
            reorderings: pairs
                .map(|pair| Reordering { first: pair.first.0, overtaken_by: pair.overtook.0 })
                .collect(),
            possible_on_sc: self.explanation.on_sc,
            threads: (0..self.trace.threads.len()).map(|thread| self.thread(thread)).collect(),
            closed: self.test.is_none(),
            differs: nearest.first().map_or(0, |(_, slots)| slots.len()),
        }
    }

    fn fault(&self) -> Option<Fault> {
        let sources = &self.harness.program.sources;
        self.trace.fault().map(|(thread, fault, span)| {
            let at = sources.position(span);
            let text = sources.line(span).to_owned();
            Fault { thread, fault: fault.to_string(), file: at.file, line: at.line, text }
        })
    }

    fn looks(&self) -> Vec<Look> {
        let (sources, files) = (&self.harness.program.sources, self.user_files());
        let Wrong::Stuck(threads) = self.wrong else { return Vec::new() };
        let all = threads
            .iter()
            .flat_map(|&thread| self.explanation.looks[thread].iter().map(move |look| (thread, look)));
        let look = |(thread, look): (usize, &trace::Look)| {
            let at = sources.position(look.span);
            Look {
                thread,
                short: format!("{}:{}", self.file(look.span, &files), at.line),
                file: at.file,
                line: at.line,
                address: look.addr,
                bytes: look.bytes,
                place: values::part(look.addr, look.bytes, self.harness, self.explanation),
                value: look.value.to_string(),
                text: sources.line(look.span).to_owned(),
                content: self.content(look.addr, look.bytes, look.value),
            }
        };
        all.map(look).collect()
    }

    fn thread(&self, index: usize) -> Thread {
        let thread = &self.trace.threads[index];
        let name = match (index, self.test) {
            (0, Some(_)) => "initialisation".into(),
            (0, None) => "the main thread".into(),
            (index, _) => format!("thread {index}"),
        };
        let end = match thread.status {
            Status::Finished => End::Finished,
            Status::Faulted { .. } => End::Faulted,
            Status::Stopped => End::Stopped,
        };
        let started_by =
            if let Start::Spawn(spawn) = thread.start { Some(self.trace.event(spawn).thread) } else { None };
        Thread { name, started_by, end, under_way: self.under_way(index) }
    }

    fn under_way(&self, thread: usize) -> Option<String> {
        let calls = &self.trace.threads[thread].calls;
        if let Some(call) = calls.last().filter(|call| call.results.is_none()) {
            return Some(match call.op {
                Some((op, _)) => FixedCall { op, args: call.args.clone() }.show(self.harness),
                None => self.harness.program.proc(call.proc).name.clone(),
            });
        }
        let test = self.test?;
        let next = match thread.checked_sub(1) {
            Some(thread) => test.threads.get(thread)?.get(calls.len())?,
            None => {
                let initial = calls.len().checked_sub(usize::from(self.harness.init.is_some()));
                let Some(initial) = initial else { return Some("the initialisation".into()) };
                test.initial.get(initial)?
            }
        };
        Some(format!("a call of {}", self.harness.op(next.op).name))
    }

    fn call(&self, thread: usize, call: &trace::Call) -> Call {
        let function = self.harness.program.proc(call.proc).name.clone();
        let show = |ty: ValueTy, value: Value| match ty {
            ValueTy::Pointer if value.bits() != 0 => values::show(value, self.harness, self.explanation),
            _ => ty.show(value),
        };
        let text =
            |op| observation::show_call_with(self.harness, op, &call.args, call.results.as_deref(), &show);
        let plain = |values: &Vec<Value>| values.iter().map(ToString::to_string).collect();
        Call {
            thread,
            operation: call.op.map(|(op, _)| self.harness.op(op).name.clone()),
            text: call.op.map_or_else(|| function.clone(), |(op, _)| text(op)),
            function,
            arguments: plain(&call.args),
            results: call.results.as_ref().map(plain),
            events: [call.events.start, call.events.end],
        }
    }

    fn events(&self) -> Vec<Event> {
        let (shared, files) = (self.shared_locals(), self.user_files());
        let ids = (0..self.trace.events.len() as u32).map(EventId);
        let event = |id: EventId| {
            let event = self.trace.event(id);
            let span = self.explanation.spans[id.index()];
            let sources = &self.harness.program.sources;
            let at = sources.position(span);
            let short = format!("{}:{}", self.file(span, &files), at.line);
            let alone = sources.is_user(span) && files.iter().all(|file| *file == span.file);
            Event {
                id: id.0,
                thread: event.thread,
                file: at.file,
                line: at.line,
                text: sources.line(span).to_owned(),
                atomic: event.atomic,
                action: self.action(id),
                freed_by: self.freed_by(event),
                within: if alone { format!("line {}", at.line) } else { short.clone() },
                short,
                private: self.local(event).is_some_and(|local| !shared.contains(&local)),
            }
        };
        ids.map(event).collect()
    }

    fn action(&self, id: EventId) -> Action {
        let event = self.trace.event(id);
        let freed = self.freed_by(event).is_some();
        let object =
            |addr| values::at(addr, self.harness, self.explanation).unwrap_or_else(|| format!("{addr:#x}"));
        match &event.action {
            trace::Action::Load { addr, ty, order, value, from } => {
                let mut access = self.access(id, *addr, ty.bytes(), *value, order.to_string());
                let source = |part: &trace::ReadFrom| match part.source {
                    Source::Initial => None,
                    Source::Event(id) => Some(id.0),
                };
                let mut from = from.iter().map(source).collect();
                if freed {
                    // What freed memory holds is no value that anybody stored.
                    (access.value, access.bit_fields, from) = (None, None, Vec::new());
                }
                Action::Load { access, from }
            }
            trace::Action::Store { addr, ty, order, value } => {
                Action::Store(self.access(id, *addr, ty.bytes(), *value, order.to_string()))
            }
            trace::Action::Fence(fence) => Action::Fence { fence: fence.to_string() },
            trace::Action::Alloc { addr, size, place, .. } => Action::Alloc {
                address: *addr,
                bytes: *size,
                // Where objects came and went, an address has had several names.
                place: match freed {
                    true => object(*addr),
                    false => self.explanation.places[id.index()].trim_start_matches('&').to_owned(),
                },
                local: *place == Place::Stack,
            },
            trace::Action::Free { addr } => Action::Free { address: *addr, place: object(*addr) },
            trace::Action::Choose { value } => Action::Choose { value: value.to_string() },
            trace::Action::Spawn { thread } => Action::Spawn { started: *thread },
        }
    }

    fn access(&self, id: EventId, address: u64, bytes: u64, value: Value, order: String) -> Access {
        let fields = values::bit_fields(address, bytes, value, self.harness, self.explanation);
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_string()));
        Access {
            place: self.explanation.places[id.index()].clone(),
            expression: self.explanation.ways[id.index()].clone(),
            address,
            bytes,
            order,
            value: Some(value.to_string()),
            // The value is that of the bytes; these are what it says.
            bit_fields: Some(fields.collect())
                .filter(|fields: &std::collections::BTreeMap<_, _>| !fields.is_empty()),
            content: self.content(address, bytes, value),
        }
    }

    /// The `free` after which an event finds the object.
    fn freed_by(&self, event: &trace::Event) -> Option<u32> {
        let Some(Source::Event(free)) = event.life else { return None };
        matches!(self.trace.event(free).action, trace::Action::Free { .. }).then_some(free.0)
    }

    /// What some bytes hold.
    fn content(&self, addr: u64, bytes: u64, value: Value) -> String {
        values::content(addr, bytes, value, self.harness, self.explanation)
    }

    /// The user's files that the execution runs through.
    fn user_files(&self) -> BTreeSet<FileId> {
        let spans = self.explanation.spans.iter();
        spans.filter(|span| self.harness.program.sources.is_user(**span)).map(|span| span.file).collect()
    }

    /// The name of a file, without its folder unless another one of `files` has the same name.
    fn file(&self, span: Span, files: &BTreeSet<FileId>) -> String {
        let name = |file: FileId| &self.harness.program.sources.file(file).name;
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let whole = name(span.file);
        let clash = |file: &FileId| name(*file) != whole && base(name(*file)) == base(whole);
        if files.iter().any(clash) { whole.clone() } else { base(whole) }
    }

    /// The local variable that an event accesses, by its address.
    fn local(&self, event: &trace::Event) -> Option<u64> {
        let (addr, _) = event.action.access()?;
        let locals = address::STACK..address::HEAP;
        let object = values::object(addr, self.explanation).map_or(addr, |object| object.base);
        locals.contains(&addr).then_some(object)
    }

    /// Local variables that several threads access.
    fn shared_locals(&self) -> FxHashSet<u64> {
        let mut owners: FxHashMap<u64, usize> = FxHashMap::default();
        let mut shared = FxHashSet::default();
        for event in &self.trace.events {
            if let Some(local) = self.local(event)
                && *owners.entry(local).or_insert(event.thread) != event.thread
            {
                shared.insert(local);
            }
        }
        shared
    }
}
