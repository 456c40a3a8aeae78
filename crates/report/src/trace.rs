//! A counterexample as text: what was observed and why that is wrong, what each thread did, in which
//! order memory saw it, and which reorderings made it possible.

use crate::text::{BAD, BOLD, FAINT, RESET};
use crate::values;
use fencepost_harness::client::FixedCall;
use fencepost_harness::observation;
use fencepost_harness::operation::{Harness, ValueTy};
use fencepost_harness::result::{Counterexample, Wrong};
use fencepost_harness::test::Test;
use fencepost_harness::trace::{Action, Call, EventId, Source, Start, Status};
use fencepost_lsl::program::{Order, Place, ProcId, address};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Renders counterexamples of one test.
pub(crate) struct Renderer<'a> {
    pub(crate) harness: &'a Harness,
    pub(crate) test: Option<&'a Test>,
    pub(crate) example: &'a Counterexample,
    pub(crate) model: &'a str,
    /// Whether to leave out what initialisation does.
    pub(crate) brief: bool,
}

impl Renderer<'_> {
    /// The whole counterexample.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        self.claim(&mut out);
        self.execution(&mut out);
        out
    }

    /// What happened, without why it is wrong.
    pub(crate) fn execution(&self, out: &mut String) {
        self.threads(out);
        self.order(out);
        self.reorderings(out);
    }

    /// What is wrong, in words.
    pub(crate) fn claim(&self, out: &mut String) {
        let trace = &self.example.trace;
        match &self.example.wrong {
            Wrong::Fault => self.fault(out),
            Wrong::Observation | Wrong::Unexplained => self.observation(out),
            Wrong::Stuck(threads) => {
                let _ = writeln!(out, "  {BAD}stuck{RESET}: nobody can go on, and that is not right here");
                for &thread in threads {
                    self.waits(out, thread);
                }
            }
            Wrong::Endless { repeats, .. } => {
                let _ = writeln!(
                    out,
                    "  {BAD}endless{RESET}: it comes to the same state again, so what happens in between can repeat for ever"
                );
                let threads = trace.threads.iter().enumerate();
                for (thread, _) in threads.filter(|(_, run)| run.status != Status::Finished) {
                    self.repeats(out, thread, repeats);
                }
            }
            Wrong::Flagged { rule, events } => self.flagged(out, rule, *events),
            Wrong::Leak(_) => _ = writeln!(out, "  {BAD}a heap object is lost before it is freed{RESET}"),
        }
    }

    /// Two events that break a rule of the model.
    fn flagged(&self, out: &mut String, rule: &str, (first, second): (EventId, EventId)) {
        let _ = writeln!(out, "  {BAD}{}{RESET}", crate::text::flagged(rule));
        for id in [first, second] {
            let event = self.example.trace.event(id);
            let sources = &self.harness.program.sources;
            let (at, line) = (sources.position(event.span), sources.line(event.span));
            let _ = writeln!(out, "    {} at {at}\n      {line}", self.thread_name(event.thread));
        }
        if rule == "data-race" {
            let _ = writeln!(
                out,
                "  They access the same memory, one of them stores, not both are atomic, and neither happens before the other."
            );
        }
    }

    fn fault(&self, out: &mut String) {
        let Some((thread, fault, span)) = self.example.trace.fault() else { return };
        let sources = &self.harness.program.sources;
        let (at, line) = (sources.position(span), sources.line(span));
        let _ = writeln!(out, "  {BAD}{fault}{RESET} in {} at {at}\n      {line}", self.thread_name(thread));
        if self.example.serial {
            let _ = writeln!(out, "  This is a serial execution: the operations run one after the other.");
        }
    }

    /// The call that a thread is in. If it has done nothing of it that is seen, the one that comes next.
    fn under_way(&self, thread: usize) -> Option<String> {
        let calls = &self.example.trace.threads[thread].calls;
        match calls.last() {
            Some(call) if call.results.is_none() => Some(match call.op {
                Some((op, _)) => FixedCall { op, args: call.args.clone() }.show(self.harness),
                None => self.proc_name(call.proc),
            }),
            _ => {
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
        }
    }

    /// What a thread waits for that goes no further.
    fn waits(&self, out: &mut String, thread: usize) {
        let sources = &self.harness.program.sources;
        let name = self.thread_name(thread);
        let Some(called) = self.under_way(thread) else {
            let none = self.example.trace.threads[thread].calls.is_empty();
            let place = if none { "before its first step" } else { "after its last call" };
            let _ = writeln!(out, "    {name} waits for ever {place}");
            return;
        };
        let _ = writeln!(out, "    {name} waits for ever in {called}");
        let looks = &self.example.explanation.looks[thread];
        for look in looks {
            let (addr, bytes) = (look.addr, look.bytes);
            let (place, value) = (self.part(addr, bytes), self.content(addr, bytes, look.value));
            let at = format!("{}:{}", self.file(look.span), sources.position(look.span).line);
            let text = shorten(sources.line(look.span), 44);
            let _ = writeln!(out, "      {FAINT}{at}{RESET}  {text}  reads {place} = {value}");
        }
        let last = self.example.trace.threads[thread].calls.last().and_then(|c| c.events.clone().next_back());
        if let (true, Some(event)) = (looks.is_empty(), last) {
            let span = self.example.explanation.spans[event];
            let _ = writeln!(out, "      last seen at {}: {}", sources.position(span), sources.line(span));
        }
    }

    /// What a thread of an execution that never ends does again and again.
    fn repeats(&self, out: &mut String, thread: usize, repeats: &[EventId]) {
        let name = self.thread_name(thread);
        let called = self.under_way(thread).map_or(String::new(), |called| format!(" in {called}"));
        let own: Vec<EventId> =
            repeats.iter().copied().filter(|id| self.example.trace.event(*id).thread == thread).collect();
        if own.is_empty() {
            let _ = writeln!(out, "    {name} makes no access{called}");
            return;
        }
        let _ = writeln!(out, "    {name} repeats{called}");
        self.rows(out, own.into_iter());
    }

    /// What was observed, and why that is wrong.
    fn observation(&self, out: &mut String) {
        let trace = &self.example.trace;
        let (Some(test), Some(observed)) = (self.test, trace.observation(self.harness)) else { return };
        let calls = observation::show(self.harness, test, &observed, false);
        let _ = writeln!(out, "  {BOLD}Observed{RESET}");
        self.calls(out, test, &calls);
        let nearest = &self.example.nearest;
        match nearest.first() {
            None => _ = writeln!(out, "  No serial execution exists."),
            Some((closest, slots)) => {
                let what = if slots.len() == 1 { "one value" } else { &format!("{} values", slots.len()) };
                let _ = writeln!(out, "  No serial execution observes this. The nearest differs in {what}:");
                self.calls(out, test, &observation::show(self.harness, test, closest, true));
            }
        }
    }

    fn calls(&self, out: &mut String, test: &Test, calls: &[String]) {
        let mut rest = calls;
        let mut line = |name: String, count: usize| {
            let (head, tail) = rest.split_at(count.min(rest.len()));
            rest = tail;
            if !head.is_empty() {
                let _ = writeln!(out, "      {name:<11}{}", head.join("; "));
            }
        };
        line("before".into(), test.initial.len());
        for (thread, calls) in test.threads.iter().enumerate() {
            line(format!("thread {}", thread + 1), calls.len());
        }
    }

    pub(crate) fn thread_name(&self, thread: usize) -> String {
        match (thread, self.test) {
            (0, Some(_)) => "initialisation".into(),
            (0, None) => "the main thread".into(),
            (thread, _) => format!("thread {thread}"),
        }
    }

    fn call_name(&self, call: &Call) -> String {
        match call.op {
            Some((op, _)) => {
                let show = |ty: ValueTy, value: Value| match ty {
                    ValueTy::Pointer if value.bits() != 0 => {
                        values::show(value, self.harness, &self.example.explanation)
                    }
                    _ => ty.show(value),
                };
                observation::show_call_with(self.harness, op, &call.args, call.results.as_deref(), &show)
            }
            None => self.proc_name(call.proc),
        }
    }

    fn proc_name(&self, proc: ProcId) -> String {
        self.harness.program.proc(proc).name.clone()
    }

    fn threads(&self, out: &mut String) {
        let trace = &self.example.trace;
        for (index, thread) in trace.threads.iter().enumerate() {
            // What initialisation does is rarely the point; its stores show up as sources.
            let quiet = self.test.is_some() && index == 0 && thread.status == Status::Finished;
            let silent = self.brief || thread.calls.iter().all(|call| call.op.is_none());
            if quiet && silent || thread.calls.is_empty() {
                continue;
            }
            let _ = writeln!(out);
            let started = match thread.start {
                Start::Spawn(spawn) => {
                    format!(", started by {}", self.thread_name(trace.event(spawn).thread))
                }
                _ => String::new(),
            };
            let name = self.thread_name(index);
            let name = name[..1].to_uppercase() + &name[1..];
            let _ = writeln!(out, "  {BOLD}{name}{RESET}{started}");
            for call in &thread.calls {
                if call.op.is_some() || self.test.is_none() {
                    let _ = writeln!(out, "    {}", self.call_name(call));
                    self.events(out, call);
                }
            }
            if thread.status == Status::Stopped {
                let repeats = |id: &EventId| trace.event(*id).thread == index;
                let end = match &self.example.wrong {
                    Wrong::Endless { repeats: ids, .. } if ids.iter().any(repeats) => "and so on for ever",
                    _ => "goes no further",
                };
                let _ = writeln!(out, "      {FAINT}{end}{RESET}");
            }
        }
    }

    fn events(&self, out: &mut String, call: &Call) {
        self.rows(out, call.events.clone().map(|event| EventId(event as u32)));
    }

    /// Events, a line each, beside the statements that make them.
    fn rows(&self, out: &mut String, events: impl Iterator<Item = EventId>) {
        let sources = &self.harness.program.sources;
        let rows: Vec<(String, String, String)> = events
            .filter_map(|id| {
                let span = self.example.explanation.spans[id.index()];
                let line = sources.line(span);
                // What the wrapper of an operation does is not the user's code.
                let place = format!("{}:{}", self.file(span), sources.position(span).line);
                let row = (place, line.to_owned(), self.describe(id)?);
                (!line.starts_with("#pragma")).then_some(row)
            })
            .collect();
        let width = |f: fn(&(String, String, String)) -> &str, most: usize| {
            rows.iter().map(|row| f(row).chars().count()).max().unwrap_or(0).min(most)
        };
        let (first, second) = (width(|row| &row.0, 40), width(|row| &row.1, 44));
        let mut last = "";
        for (place, text, action) in &rows {
            // A line that makes several accesses is quoted once.
            let same = *place == last;
            let (shown_place, shown_text) = if same { ("", "") } else { (place.as_str(), text.as_str()) };
            let text = shorten(shown_text, second);
            let _ = writeln!(out, "      {FAINT}{shown_place:<first$}{RESET}  {text:<second$}  {action}");
            last = place;
        }
    }

    /// What an event did, in one line; none for what is not worth one.
    fn describe(&self, id: EventId) -> Option<String> {
        let explanation = &self.example.explanation;
        let event = self.example.trace.event(id);
        let atomic = if event.atomic.is_some() { "atomic " } else { "" };
        if let Some(freed) = self.freed(id) {
            let what = match event.action {
                Action::Alloc { .. } => {
                    return Some(format!("new   {}, in memory freed by {freed}", self.place(id)));
                }
                Action::Load { .. } => "load ",
                Action::Store { .. } => "store",
                Action::Free { .. } => "free ",
                // These find no object, dead or alive.
                Action::Fence(_) | Action::Choose { .. } | Action::Spawn { .. } => return None,
            };
            return Some(format!("{BAD}{atomic}{what} {}{RESET}, freed by {freed}", self.place(id)));
        }
        Some(match &event.action {
            Action::Load { addr, ty, order, value, from } => {
                let from: Vec<String> = from.iter().map(|part| self.source(id, part.source)).collect();
                let order = shown_order(*order);
                let place = self.place(id);
                format!(
                    "{atomic}load{order}  {place} = {}  {FAINT}{}{RESET}",
                    self.content(*addr, ty.bytes(), *value),
                    from.join(" and ")
                )
            }
            Action::Store { addr, ty, order, value } => {
                let content = self.content(*addr, ty.bytes(), *value);
                format!("{atomic}store{} {} = {content}", shown_order(*order), self.place(id))
            }
            Action::Fence(fence) => format!("{FAINT}fence {fence}{RESET}"),
            Action::Alloc { place: Place::Stack, .. } => return None,
            Action::Alloc { .. } => {
                format!("new   {}", explanation.places[id.index()].trim_start_matches('&'))
            }
            Action::Free { .. } => format!("free  {}", self.place(id)),
            Action::Choose { value } => format!("choose {value}"),
            Action::Spawn { thread } => format!("start {}", self.thread_name(*thread)),
        })
    }

    /// Who freed the object that an access finds dead.
    fn freed(&self, id: EventId) -> Option<String> {
        let Some(Source::Event(free)) = self.example.trace.event(id).life else { return None };
        let event = self.example.trace.event(free);
        let dead = matches!(event.action, Action::Free { .. });
        dead.then(|| format!("{}, {}", self.thread_name(event.thread), self.line(free)))
    }

    /// The location of an access: as the program wrote it, and by object where that tells more.
    fn place(&self, id: EventId) -> String {
        if let Action::Free { addr } | Action::Alloc { addr, .. } = self.example.trace.event(id).action {
            let name = values::at(addr, self.harness, &self.example.explanation);
            return name.unwrap_or_else(|| format!("{addr:#x}"));
        }
        let place = &self.example.explanation.places[id.index()];
        match &self.example.explanation.ways[id.index()] {
            Some(way) => format!("{way} {FAINT}[{place}]{RESET}"),
            None => place.clone(),
        }
    }

    fn source(&self, load: EventId, source: Source) -> String {
        let trace = &self.example.trace;
        match source {
            Source::Initial => "the initial content".into(),
            Source::Event(id) => {
                let line = self.line(id);
                let (writer, reader) = (trace.event(id).thread, trace.event(load).thread);
                match writer {
                    writer if writer == reader => format!("from {line}"),
                    0 if self.test.is_some() => "from initialisation".into(),
                    writer => format!("from {}, {line}", self.thread_name(writer)),
                }
            }
        }
    }

    /// The statement of an event: `line 12`, with its file if there are several, or if it is a model's.
    fn line(&self, id: EventId) -> String {
        let sources = &self.harness.program.sources;
        let span = self.example.explanation.spans[id.index()];
        let line = sources.position(span).line;
        let others = self.user_files().any(|file| file != span.file);
        match sources.is_user(span) && !others {
            true => format!("line {line}"),
            false => format!("{}:{line}", self.file(span)),
        }
    }

    /// The user's files that the execution runs through.
    fn user_files(&self) -> impl Iterator<Item = FileId> {
        let spans = self.example.explanation.spans.iter();
        spans.filter(|span| self.harness.program.sources.is_user(**span)).map(|span| span.file)
    }

    /// The name of a file, without its folder unless another one has the same name.
    fn file(&self, span: Span) -> String {
        let sources = &self.harness.program.sources;
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let whole = &sources.file(span.file).name;
        let clash = |file: FileId| {
            let name = &sources.file(file).name;
            name != whole && base(name) == base(whole)
        };
        if self.user_files().any(clash) { whole.clone() } else { base(whole) }
    }

    fn order(&self, out: &mut String) {
        let trace = &self.example.trace;
        let shared = self.shared_locals();
        let shown: Vec<EventId> = self
            .example
            .explanation
            .order
            .iter()
            .copied()
            .filter(|id| self.test.is_none() || trace.event(*id).thread != 0)
            .filter(|id| self.local(*id).is_none_or(|local| shared.contains(&local)))
            .collect();
        if shown.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n  {BOLD}Memory order{RESET}");
        for (number, id) in shown.iter().enumerate() {
            let event = trace.event(*id);
            let place = &self.example.explanation.places[id.index()];
            let what = match &event.action {
                Action::Load { .. } if self.freed(*id).is_some() => format!("load {place}"),
                Action::Load { addr, ty, value, .. } => {
                    format!("load {place} = {}", self.content(*addr, ty.bytes(), *value))
                }
                Action::Store { addr, ty, value, .. } => {
                    format!("store {place} = {}", self.content(*addr, ty.bytes(), *value))
                }
                Action::Free { .. } => format!("free {}", self.place(*id)),
                Action::Alloc { .. } => format!("new {}", self.place(*id)),
                Action::Fence(_) | Action::Choose { .. } | Action::Spawn { .. } => continue,
            };
            let freed = match (self.freed(*id), &event.action) {
                (None, _) => "",
                (Some(_), Action::Alloc { .. }) => ", in freed memory",
                (Some(_), _) => ", freed memory",
            };
            let name = self.thread_name(event.thread);
            let _ = writeln!(out, "    {:>3}  {name}, {}: {what}{freed}", number + 1, self.line(*id));
        }
    }

    /// The local variable that an access is to, by its address.
    fn local(&self, id: EventId) -> Option<u64> {
        let (addr, _) = self.example.trace.event(id).action.access()?;
        let locals = address::STACK..address::HEAP;
        let object = values::object(addr, &self.example.explanation).map_or(addr, |object| object.base);
        locals.contains(&addr).then_some(object)
    }

    /// Local variables that several threads access.
    fn shared_locals(&self) -> FxHashSet<u64> {
        let mut owners: FxHashMap<u64, usize> = FxHashMap::default();
        let mut shared = FxHashSet::default();
        for (index, event) in self.example.trace.events.iter().enumerate() {
            if let Some(local) = self.local(EventId(index as u32))
                && *owners.entry(local).or_insert(event.thread) != event.thread
            {
                shared.insert(local);
            }
        }
        shared
    }

    /// What some bytes hold.
    fn content(&self, addr: u64, bytes: u64, value: Value) -> String {
        values::content(addr, bytes, value, self.harness, &self.example.explanation)
    }

    /// What some bytes are.
    fn part(&self, addr: u64, bytes: u64) -> String {
        let name = values::part(addr, bytes, self.harness, &self.example.explanation);
        name.unwrap_or_else(|| format!("{addr:#x}"))
    }

    fn reorderings(&self, out: &mut String) {
        if self.example.explanation.on_sc {
            let _ = writeln!(out, "\n  It needs no reordering: this interleaving alone is wrong.");
            return;
        }
        let found = self.overtakings();
        if found.is_empty() {
            // Not on a model that ships: with program order kept, each of them is sc.
            let _ = writeln!(
                out,
                "\n  sc forbids this execution, but not because {} reorders accesses of one thread.",
                self.model
            );
            return;
        }
        let _ = writeln!(out, "\n  {BOLD}What {} allows here{RESET}", self.model);
        for line in found {
            let _ = writeln!(out, "    {line}");
        }
    }

    /// The reorderings that made it possible, a line each.
    pub(crate) fn overtakings(&self) -> Vec<String> {
        let line = |pair: &fencepost_harness::trace::Reordering| {
            let (first, second) = (self.access(pair.first), self.access(pair.overtook));
            let thread = self.thread_name(self.example.trace.event(pair.first).thread);
            format!("in {thread}, {second} overtook {first}")
        };
        self.example.explanation.reorderings.iter().map(line).collect()
    }

    /// An access in a few words: `store q.tail (line 45)`.
    fn access(&self, id: EventId) -> String {
        let explanation = &self.example.explanation;
        let kind = match self.example.trace.event(id).action {
            Action::Load { .. } => "load",
            Action::Free { .. } => return format!("free {} ({})", self.place(id), self.line(id)),
            Action::Alloc { .. } => return format!("new {} ({})", self.place(id), self.line(id)),
            Action::Store { .. } => "store",
            Action::Fence(_) => "fence",
            Action::Choose { .. } => "choice",
            Action::Spawn { .. } => "start",
        };
        let place = &explanation.places[id.index()];
        let way = explanation.ways[id.index()].as_ref().unwrap_or(place);
        // The same words can lead to several places.
        let ways = explanation.ways.iter().zip(&explanation.places);
        let ambiguous =
            ways.filter(|(other, _)| other.as_ref() == Some(way)).any(|(_, other)| other != place);
        let place = if ambiguous { format!(" [{place}]") } else { String::new() };
        format!("{kind} {way}{place} ({})", self.line(id))
    }
}

fn shown_order(order: Order) -> String {
    match order {
        Order::Plain => String::new(),
        order => format!("({order})"),
    }
}

fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
