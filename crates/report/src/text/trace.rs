//! A counterexample as text: what was observed and why that is wrong, what each thread did, in which
//! order memory saw it, and which reorderings made it possible.

use super::{BAD, BOLD, FAINT, RESET};
use crate::trace::{Access, Action, Call, End, Event, Flagged, Trace, Wrong};
use std::fmt::Write;

/// The whole counterexample, on a model.
pub(super) fn render(trace: &Trace, model: &str, out: &mut String) {
    claim(trace, out);
    execution(trace, model, false, out);
}

/// What happened, without why it is wrong; `brief` leaves out what initialisation does.
pub(super) fn execution(trace: &Trace, model: &str, brief: bool, out: &mut String) {
    threads(trace, brief, out);
    order(trace, out);
    reorderings(trace, model, out);
}

/// What is wrong, in words.
pub(super) fn claim(trace: &Trace, out: &mut String) {
    match trace.wrong {
        Wrong::Fault => fault(trace, out),
        Wrong::Observation | Wrong::Unexplained => observation(trace, out),
        Wrong::Stuck => {
            let _ = writeln!(out, "  {BAD}stuck{RESET}: nobody can go on, and that is not right here");
            trace.waiting.iter().flatten().for_each(|&thread| waits(trace, thread, out));
        }
        Wrong::Endless => {
            let _ = writeln!(
                out,
                "  {BAD}endless{RESET}: it comes to the same state again, so what happens in between can repeat for ever"
            );
            let unfinished =
                (0..trace.threads.len()).filter(|&thread| trace.threads[thread].end != End::Finished);
            unfinished.for_each(|thread| repeats(trace, thread, out));
        }
        Wrong::Flagged => trace.flagged.iter().for_each(|found| flagged(trace, found, out)),
        Wrong::Leak => _ = writeln!(out, "  {BAD}a heap object is lost before it is freed{RESET}"),
    }
}

/// Two events that break a rule of the model.
fn flagged(trace: &Trace, found: &Flagged, out: &mut String) {
    let _ = writeln!(out, "  {BAD}{}{RESET}", super::flagged(&found.rule));
    for event in found.events.iter().filter_map(|id| trace.events.iter().find(|event| event.id == *id)) {
        let _ = writeln!(
            out,
            "    {} at {}\n      {}",
            trace.threads[event.thread].name, event.short, event.text
        );
    }
    if found.rule == "data-race" {
        let _ = writeln!(
            out,
            "  They access the same memory, one of them stores, not both are atomic, and neither happens before the other."
        );
    }
}

fn fault(trace: &Trace, out: &mut String) {
    let Some(fault) = &trace.fault else { return };
    let name = &trace.threads[fault.thread].name;
    let _ = writeln!(
        out,
        "  {BAD}{}{RESET} in {name} at {}:{}\n      {}",
        fault.fault, fault.file, fault.line, fault.text
    );
    if trace.serial {
        let _ = writeln!(out, "  This is a serial execution: the operations run one after the other.");
    }
}

fn calls_of(trace: &Trace, thread: usize) -> impl Iterator<Item = &Call> {
    trace.calls.iter().filter(move |call| call.thread == thread)
}

/// What a thread waits for that goes no further.
fn waits(trace: &Trace, thread: usize, out: &mut String) {
    let name = &trace.threads[thread].name;
    let last = calls_of(trace, thread).last();
    let Some(called) = &trace.threads[thread].under_way else {
        let place = if last.is_none() { "before its first step" } else { "after its last call" };
        let _ = writeln!(out, "    {name} waits for ever {place}");
        return;
    };
    let _ = writeln!(out, "    {name} waits for ever in {called}");
    let mut looks = trace.looks_at.iter().filter(|look| look.thread == thread).peekable();
    if let (None, Some(event)) = (looks.peek(), last.and_then(|call| events_of(trace, call).last())) {
        let _ = writeln!(out, "      last seen at {}:{}: {}", event.file, event.line, event.text);
    }
    for look in looks {
        let place = look.place.clone().unwrap_or_else(|| format!("{:#x}", look.address));
        let (at, text) = (&look.short, shorten(&look.text, 44));
        let _ = writeln!(out, "      {FAINT}{at}{RESET}  {text}  reads {place} = {}", look.content);
    }
}

/// The events that a thread of an execution that never ends makes again and again.
fn repeated(trace: &Trace, thread: usize) -> Vec<&Event> {
    let all = trace.repeats.iter().flatten().map(|&id| &trace.events[id as usize]);
    all.filter(|event| event.thread == thread).collect()
}

fn repeats(trace: &Trace, thread: usize, out: &mut String) {
    let name = &trace.threads[thread].name;
    let called =
        trace.threads[thread].under_way.as_ref().map_or(String::new(), |called| format!(" in {called}"));
    let own = repeated(trace, thread);
    if own.is_empty() {
        let _ = writeln!(out, "    {name} makes no access{called}");
        return;
    }
    let _ = writeln!(out, "    {name} repeats{called}");
    rows(trace, own.into_iter(), out);
}

/// What was observed, and why that is wrong.
fn observation(trace: &Trace, out: &mut String) {
    let Some(observed) = &trace.observed else { return };
    let _ = writeln!(out, "  {BOLD}Observed{RESET}");
    calls(trace, observed, out);
    match trace.nearest_serial.first() {
        None => _ = writeln!(out, "  No serial execution exists."),
        Some(nearest) => {
            let what = if trace.differs == 1 { "one value" } else { &format!("{} values", trace.differs) };
            let _ = writeln!(out, "  No serial execution observes this. The nearest differs in {what}:");
            calls(trace, nearest, out);
        }
    }
}

/// The calls of an observation, by thread: each of them was made.
fn calls(trace: &Trace, calls: &[String], out: &mut String) {
    let mut rest = calls;
    for thread in 0..trace.threads.len() {
        let made = calls_of(trace, thread).filter(|call| call.operation.is_some()).count();
        let (head, tail) = rest.split_at(made.min(rest.len()));
        rest = tail;
        if !head.is_empty() {
            let name = if thread == 0 { "before" } else { &trace.threads[thread].name };
            let _ = writeln!(out, "      {name:<11}{}", head.join("; "));
        }
    }
}

fn threads(trace: &Trace, brief: bool, out: &mut String) {
    for (index, thread) in trace.threads.iter().enumerate() {
        // What initialisation does is rarely the point; its stores show up as sources.
        let quiet = !trace.closed && index == 0 && thread.end == End::Finished;
        let silent = brief || calls_of(trace, index).all(|call| call.operation.is_none());
        if quiet && silent || calls_of(trace, index).next().is_none() {
            continue;
        }
        let started = thread.started_by.map(|by| format!(", started by {}", trace.threads[by].name));
        let name = thread.name[..1].to_uppercase() + &thread.name[1..];
        let _ = writeln!(out, "\n  {BOLD}{name}{RESET}{}", started.unwrap_or_default());
        for call in calls_of(trace, index).filter(|call| call.operation.is_some() || trace.closed) {
            let _ = writeln!(out, "    {}", call.text);
            rows(trace, events_of(trace, call), out);
        }
        if thread.end == End::Stopped {
            let end =
                if repeated(trace, index).is_empty() { "goes no further" } else { "and so on for ever" };
            let _ = writeln!(out, "      {FAINT}{end}{RESET}");
        }
    }
}

fn events_of<'t>(trace: &'t Trace, call: &Call) -> impl Iterator<Item = &'t Event> + use<'t> {
    trace.events[call.events[0]..call.events[1]].iter()
}

/// Events, a line each, beside the statements that make them.
fn rows<'t>(trace: &Trace, events: impl Iterator<Item = &'t Event>, out: &mut String) {
    // What the wrapper of an operation does is not the user's code.
    let own = events.filter(|event| !event.text.starts_with("#pragma"));
    let rows: Vec<(&str, &str, String)> = own
        .filter_map(|event| Some((event.short.as_str(), event.text.as_str(), describe(trace, event)?)))
        .collect();
    let width = |texts: &mut dyn Iterator<Item = &str>, most: usize| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0).min(most)
    };
    let first = width(&mut rows.iter().map(|row| row.0), 40);
    let second = width(&mut rows.iter().map(|row| row.1), 44);
    let mut last = "";
    for (place, text, action) in &rows {
        // A line that makes several accesses is quoted once.
        let (shown_place, shown_text) = if *place == last { ("", "") } else { (*place, *text) };
        let text = shorten(shown_text, second);
        let _ = writeln!(out, "      {FAINT}{shown_place:<first$}{RESET}  {text:<second$}  {action}");
        last = place;
    }
}

/// What an event did, in one line; none for what is not worth one.
fn describe(trace: &Trace, event: &Event) -> Option<String> {
    let atomic = if event.atomic.is_some() { "atomic " } else { "" };
    if let Some(free) = event.freed_by {
        let free = &trace.events[free as usize];
        let freed = format!("freed by {}, {}", trace.threads[free.thread].name, free.within);
        let what = match &event.action {
            Action::Alloc { place, .. } => return Some(format!("new   {place}, in memory {freed}")),
            Action::Load { access, .. } => format!("load  {}", location(access)),
            Action::Store(access) => format!("store {}", location(access)),
            Action::Free { place, .. } => format!("free  {place}"),
            // These find no object, dead or alive.
            Action::Fence { .. } | Action::Choose { .. } | Action::Spawn { .. } => return None,
        };
        return Some(format!("{BAD}{atomic}{what}{RESET}, {freed}"));
    }
    Some(match &event.action {
        Action::Load { access, from } => {
            let from: Vec<String> = from.iter().map(|from| source(trace, event, *from)).collect();
            let (order, place, from) = (ordered(access), location(access), from.join(" and "));
            format!("{atomic}load{order}  {place} = {}  {FAINT}{from}{RESET}", access.content)
        }
        Action::Store(access) => {
            format!("{atomic}store{} {} = {}", ordered(access), location(access), access.content)
        }
        Action::Fence { fence } => format!("{FAINT}fence {fence}{RESET}"),
        Action::Alloc { local: true, .. } => return None,
        Action::Alloc { place, .. } => format!("new   {place}"),
        Action::Free { place, .. } => format!("free  {place}"),
        Action::Choose { value } => format!("choose {value}"),
        Action::Spawn { started } => format!("start {}", trace.threads[*started].name),
    })
}

/// The location of an access: as the program wrote it, and by object where that tells more.
fn location(access: &Access) -> String {
    match &access.expression {
        Some(expression) => format!("{expression} {FAINT}[{}]{RESET}", access.place),
        None => access.place.clone(),
    }
}

fn source(trace: &Trace, load: &Event, from: Option<u32>) -> String {
    let Some(writer) = from.map(|id| &trace.events[id as usize]) else { return "the initial content".into() };
    match writer.thread {
        thread if thread == load.thread => format!("from {}", writer.within),
        0 if !trace.closed => "from initialisation".into(),
        thread => format!("from {}, {}", trace.threads[thread].name, writer.within),
    }
}

fn order(trace: &Trace, out: &mut String) {
    let all = trace.memory_order.iter().map(|&id| &trace.events[id as usize]);
    let shown: Vec<&Event> =
        all.filter(|event| (trace.closed || event.thread != 0) && !event.private).collect();
    if shown.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {BOLD}Memory order{RESET}");
    for (number, event) in shown.into_iter().enumerate() {
        let freed = event.freed_by.map_or("", |_| ", freed memory");
        let what = match &event.action {
            Action::Load { access, .. } if event.freed_by.is_some() => {
                format!("load {}{freed}", access.place)
            }
            Action::Load { access, .. } => format!("load {} = {}", access.place, access.content),
            Action::Store(access) => format!("store {} = {}{freed}", access.place, access.content),
            Action::Free { place, .. } => format!("free {place}{freed}"),
            Action::Alloc { place, .. } => {
                format!("new {place}{}", event.freed_by.map_or("", |_| ", in freed memory"))
            }
            Action::Fence { .. } | Action::Choose { .. } | Action::Spawn { .. } => continue,
        };
        let name = &trace.threads[event.thread].name;
        let _ = writeln!(out, "    {:>3}  {name}, {}: {what}", number + 1, event.within);
    }
}

fn reorderings(trace: &Trace, model: &str, out: &mut String) {
    if trace.possible_on_sc {
        let _ = writeln!(out, "\n  It needs no reordering: this interleaving alone is wrong.");
        return;
    }
    let found = overtakings(trace);
    if found.is_empty() {
        // A model of a language, or of a machine on which some see a store before others do.
        let _ = writeln!(
            out,
            "\n  No interleaving of the threads does this: sc forbids the execution, and {model} allows it."
        );
        return;
    }
    let _ = writeln!(out, "\n  {BOLD}What {model} allows here{RESET}");
    for line in found {
        let _ = writeln!(out, "    {line}");
    }
}

/// The reorderings that made it possible, a line each.
pub(super) fn overtakings(trace: &Trace) -> Vec<String> {
    let pairs = trace.reorderings.iter();
    let pairs =
        pairs.map(|pair| (&trace.events[pair.first as usize], &trace.events[pair.overtaken_by as usize]));
    let line = |(first, second): (&Event, &Event)| {
        let thread = &trace.threads[first.thread].name;
        format!("in {thread}, {} overtook {}", access(trace, second), access(trace, first))
    };
    pairs.map(line).collect()
}

/// An access in a few words: `store q.tail (line 45)`.
fn access(trace: &Trace, event: &Event) -> String {
    let what = match &event.action {
        Action::Load { access, .. } => format!("load {}", unambiguous(trace, access)),
        Action::Store(access) => format!("store {}", unambiguous(trace, access)),
        Action::Free { place, .. } => format!("free {place}"),
        Action::Alloc { place, .. } => format!("new {place}"),
        Action::Fence { .. } => "fence".into(),
        Action::Choose { .. } => "choice".into(),
        Action::Spawn { .. } => "start".into(),
    };
    format!("{what} ({})", event.within)
}

/// The location of an access as the program wrote it; the same words can lead to several places.
fn unambiguous(trace: &Trace, access: &Access) -> String {
    let words = access.expression.as_ref().unwrap_or(&access.place);
    let others = trace.events.iter().filter_map(|event| match &event.action {
        Action::Load { access, .. } | Action::Store(access) => Some(access),
        _ => None,
    });
    let mut alike = others.filter(|other| other.expression.as_ref() == Some(words));
    match alike.any(|other| other.place != access.place) {
        true => format!("{words} [{}]", access.place),
        false => words.clone(),
    }
}

fn ordered(access: &Access) -> String {
    if access.order == "plain" { String::new() } else { format!("({})", access.order) }
}

fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
