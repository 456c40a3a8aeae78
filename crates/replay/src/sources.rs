//! Checks that every access finds, byte by byte, what its source left there: loads the bytes they read, and
//! accesses to memory that is freed whether it is alive.
//!
//! What the first thread does before there are others is checked here once and for all: each of its reads
//! must find what it wrote last, and whoever comes later must not read what it has overwritten. The model is
//! then evaluated on the others alone.
//!
//! # Soundness
//!
//! Between events of the first thread before all others, reads-from, coherence and from-reads lead forward in
//! program order if each read finds the latest write; all other relations of a thread do so anyway. Nothing
//! leads back to them: their writes come first in coherence, and none is read that a later one of them
//! overwrites. So no cycle passes them. A model that would let others miss what was done before they
//! started is not one of those this tool is for; docs/models.md says so.

use crate::Refusal;
use crate::poll::Poll;
use crate::world::Replayed;
use fencepost_harness::trace::{Action, EventId, Source, Start, Trace};
use fencepost_lsl::memory::Object;
use fencepost_lsl::program::Program;
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the first thread, alone, leaves to the others.
pub(crate) struct Sequel {
    /// How many events come before there is a second thread.
    pub(crate) alone: usize,
    /// For each event, what it reads, and where from; none for what was there when the second thread
    /// started.
    pub(crate) reads: Vec<Vec<(Range<u64>, Option<usize>)>>,
    /// For each event, what it writes.
    pub(crate) writes: Vec<Vec<Range<u64>>>,
}

/// Where the life of an object is kept: beyond all addresses.
pub(crate) const LIFE: u64 = 1 << 40;

/// The location that holds whether the object at an address is alive.
pub(crate) fn life_of(base: u64) -> Range<u64> {
    base | LIFE..(base | LIFE) + 1
}

/// Checks the sources of all accesses, and that each store is listed once in coherence.
pub(crate) fn check(
    program: &Program,
    trace: &Trace,
    replayed: &Replayed,
    poll: &Poll,
) -> Result<Sequel, Refusal> {
    let listed: FxHashSet<EventId> = trace.stores.iter().copied().collect();
    let writes = |(index, action): (usize, &Action)| match action {
        Action::Store { .. } | Action::Free { .. } => true,
        // Only those that take freed memory.
        Action::Alloc { .. } => listed.contains(&EventId(index as u32)),
        _ => false,
    };
    let count =
        trace.events.iter().map(|event| &event.action).enumerate().filter(|event| writes(*event)).count();
    let known = |id: &EventId| trace.events.get(id.index()).is_some_and(|e| writes((id.index(), &e.action)));
    if listed.len() != trace.stores.len() || count != listed.len() || !trace.stores.iter().all(known) {
        return Err(String::from("the order of stores does not list each store once").into());
    }
    let contents = Contents::new(program, trace);
    for index in 0..trace.events.len() {
        poll.ask()?;
        contents.check_load(index)?;
    }
    let alone = alone(trace);
    let freed: FxHashSet<u64> = trace
        .events
        .iter()
        .filter_map(|event| match event.action {
            Action::Free { addr } => Some(addr),
            _ => None,
        })
        .collect();
    let mut sequel = Sequel { alone, reads: Vec::new(), writes: Vec::new() };
    for index in 0..trace.events.len() {
        poll.ask()?;
        let life = check_life(trace, replayed, &freed, &listed, index)?;
        sequel.writes.push(written(trace, &listed, index));
        sequel.reads.push(read(trace, life, index));
    }
    check_blocks(trace, replayed, &sequel)?;
    check_alone(trace, &mut sequel, poll)?;
    Ok(sequel)
}

/// What the events of an execution read and write that has not been looked at.
pub(crate) fn unchecked(trace: &Trace) -> Sequel {
    let listed: FxHashSet<EventId> = trace.stores.iter().copied().collect();
    let events = 0..trace.events.len();
    Sequel {
        alone: 0,
        reads: events.clone().map(|index| read(trace, None, index)).collect(),
        writes: events.map(|index| written(trace, &listed, index)).collect(),
    }
}

/// How many events the first thread makes before there is a second.
fn alone(trace: &Trace) -> usize {
    let own = trace.events.iter().take_while(|event| event.thread == 0);
    let after_first = trace.threads.iter().any(|thread| thread.start == Start::AfterFirst);
    let spawns = |event: &&fencepost_harness::trace::Event| matches!(event.action, Action::Spawn { .. });
    // Threads that never start are also said to come after the first.
    match own.clone().position(|event| spawns(&event)) {
        Some(spawn) => spawn,
        None if after_first || own.clone().count() == trace.events.len() => own.count(),
        None => 0,
    }
}

/// What objects hold.
pub(crate) struct Contents<'t> {
    trace: &'t Trace,
    /// The events that memory has seen in some order.
    listed: FxHashSet<EventId>,
    /// When they come to be, by address.
    initial: BTreeMap<u64, Object>,
}

impl<'t> Contents<'t> {
    pub(crate) fn new(program: &Program, trace: &'t Trace) -> Contents<'t> {
        let listed: FxHashSet<EventId> = trace.stores.iter().copied().collect();
        let mut initial: BTreeMap<u64, Object> =
            program.globals.iter().map(Object::of_global).map(|object| (object.base, object)).collect();
        for (index, event) in trace.events.iter().enumerate() {
            if let Action::Alloc { addr, size, zeroed, place, layout } = event.action
                && !listed.contains(&EventId(index as u32))
            {
                initial.insert(addr, Object::new(addr, size, place, zeroed, layout));
            }
        }
        Contents { trace, listed, initial }
    }

    fn check_load(&self, index: usize) -> Result<(), String> {
        let Action::Load { addr, ty, value, ref from, .. } = self.trace.events[index].action else {
            return Ok(());
        };
        let mut covered = 0;
        for part in from {
            if part.offset != covered || part.bytes == 0 {
                return Err(format!("the sources of load {index} have gaps"));
            }
            covered += part.bytes;
            if covered > ty.bytes() {
                break;
            }
            for offset in part.offset..part.offset + part.bytes {
                let byte = byte_of(value, offset);
                let content = self
                    .at(part.source, addr + offset)
                    .ok_or_else(|| format!("the source of load {index} does not cover it"))?;
                if content != byte {
                    return Err(format!("load {index} reads {byte}, its source holds {content}"));
                }
            }
        }
        if covered != ty.bytes() {
            return Err(format!("the sources of load {index} do not cover it"));
        }
        // The rest of the register must be the extension of what was read.
        if value != value.wrap(ty) {
            return Err(format!("load {index} reads more than its width"));
        }
        Ok(())
    }

    /// What memory holds in the end, as far as it is seen.
    pub(crate) fn last(&self, at: u64, ty: IntTy, seen: impl Fn(EventId) -> bool) -> Option<Value> {
        let (mut bits, mut undef) = (0, 0);
        for offset in 0..ty.bytes() {
            let at = at + offset;
            let writes = |id: &&EventId| seen(**id) && self.at(Source::Event(**id), at).is_some();
            let last =
                self.trace.stores.iter().rfind(writes).map_or(Source::Initial, |id| Source::Event(*id));
            let byte = self.at(last, at)?;
            bits |= byte.bits() << (8 * offset);
            undef |= (byte.undef() & 0xff) << (8 * offset);
        }
        Some(Value::partial(bits, undef).wrap(ty))
    }

    /// The byte that a source holds at an address.
    fn at(&self, source: Source, at: u64) -> Option<Value> {
        match source {
            Source::Event(id) => match self.trace.events.get(id.index())?.action {
                Action::Store { addr, ty, value, .. } if (addr..addr + ty.bytes()).contains(&at) => {
                    Some(byte_of(value, at - addr))
                }
                Action::Alloc { addr, size, zeroed, .. }
                    if (addr..addr + size).contains(&at) && self.listed.contains(&id) =>
                {
                    Some(if zeroed { Value::ZERO } else { Value::UNDEFINED.wrap(IntTy::U8) })
                }
                _ => None,
            },
            Source::Initial => {
                let (_, object) = self.initial.range(..=at).next_back()?;
                object.holds(at, 1).then(|| object.read(at - object.base, IntTy::U8))
            }
        }
    }
}

fn byte_of(value: Value, offset: u64) -> Value {
    Value::partial(value.bits() >> (8 * offset), value.undef() >> (8 * offset)).wrap(IntTy::U8)
}

fn source(source: Source) -> Option<usize> {
    match source {
        Source::Initial => None,
        Source::Event(id) => Some(id.index()),
    }
}

/// Checks what an access says about the life of its object. Returns the object and the source, if it has to
/// say something.
fn check_life(
    trace: &Trace,
    replayed: &Replayed,
    freed: &FxHashSet<u64>,
    listed: &FxHashSet<EventId>,
    index: usize,
) -> Result<Option<(u64, Source)>, String> {
    let event = &trace.events[index];
    let (addr, bytes, takes) = match event.action {
        Action::Load { addr, ty, .. } | Action::Store { addr, ty, .. } => (addr, ty.bytes(), false),
        Action::Free { addr } => (addr, 0, false),
        Action::Alloc { addr, .. } if listed.contains(&EventId(index as u32)) => (addr, 0, true),
        _ => return Ok(None),
    };
    let object = replayed.objects.holding(addr, bytes).filter(|object| object.heap);
    let Some(base) = object.map(|object| object.base).filter(|base| freed.contains(base)) else {
        return match takes {
            true => Err(format!("memory at {addr:#x} is taken again but never freed")),
            false => Ok(None),
        };
    };
    let Some(life) = event.life else {
        return Err(format!("event {index} does not say whether its object is alive"));
    };
    let began = match life {
        Source::Initial => true,
        Source::Event(id) => match trace.events.get(id.index()).map(|event| &event.action) {
            Some(Action::Free { addr }) if *addr == base => false,
            Some(Action::Alloc { addr, .. }) if *addr == base && listed.contains(&id) => true,
            _ => return Err(format!("the life of what event {index} accesses does not come from there")),
        },
    };
    if takes && began {
        return Err(format!("memory at {addr:#x} is taken again while it is in use"));
    }
    Ok(Some((base, life)))
}

fn written(trace: &Trace, listed: &FxHashSet<EventId>, index: usize) -> Vec<Range<u64>> {
    match trace.events[index].action {
        Action::Store { addr, ty, .. } => std::iter::once(addr..addr + ty.bytes()).collect(),
        Action::Free { addr } => std::iter::once(life_of(addr)).collect(),
        Action::Alloc { addr, size, .. } if listed.contains(&EventId(index as u32)) => {
            vec![addr..addr + size, life_of(addr)]
        }
        _ => Vec::new(),
    }
}

fn read(trace: &Trace, life: Option<(u64, Source)>, index: usize) -> Vec<(Range<u64>, Option<usize>)> {
    let mut reads = Vec::new();
    if let Action::Load { addr, from, .. } = &trace.events[index].action {
        let range = |offset: u64, bytes: u64| addr + offset..addr + offset + bytes;
        reads.extend(from.iter().map(|part| (range(part.offset, part.bytes), source(part.source))));
    }
    reads.extend(life.map(|(base, life)| (life_of(base), source(life))));
    reads
}

/// An atomic block that its thread does not come out of has not happened: nobody else reads from it, and it
/// reads what it stored itself.
fn check_blocks(trace: &Trace, replayed: &Replayed, sequel: &Sequel) -> Result<(), String> {
    let open = |event: usize| replayed.runs[event].unfinished;
    let together = |a: usize, b: usize| trace.events[a].atomic == trace.events[b].atomic;
    // Last writes of unfinished blocks so far. Each thread has one such block at most, and it is its last.
    let mut own: FxHashMap<(usize, u64), usize> = FxHashMap::default();
    for (index, reads) in sequel.reads.iter().enumerate() {
        let thread = trace.events[index].thread;
        for (range, source) in reads {
            if let Some(source) = source.filter(|&source| open(source) && !together(source, index)) {
                return Err(format!(
                    "event {index} sees event {source} of an atomic block that has not happened"
                ));
            }
            if !open(index) {
                continue;
            }
            let stored = |byte: u64| own.get(&(thread, byte)).copied();
            if range.clone().any(|byte| stored(byte).is_some_and(|store| Some(store) != *source)) {
                return Err(format!("event {index} does not see what its own atomic block stored"));
            }
        }
        if open(index) {
            let bytes = sequel.writes[index].iter().cloned().flatten();
            own.extend(bytes.map(|byte| ((thread, byte), index)));
        }
    }
    Ok(())
}

/// What the first thread does alone happens in its order, and the others find what it left.
fn check_alone(trace: &Trace, sequel: &mut Sequel, poll: &Poll) -> Result<(), Refusal> {
    let alone = sequel.alone;
    let mut last: FxHashMap<u64, usize> = FxHashMap::default();
    for index in 0..trace.events.len() {
        poll.ask()?;
        for (range, source) in &mut sequel.reads[index] {
            let own = |source: usize| trace.events[source].thread == trace.events[index].thread;
            if let Some(later) = source.filter(|&source| source >= index && own(source)) {
                return Err(format!("event {index} reads from event {later}, which comes later").into());
            }
            let before = index < alone || source.is_none_or(|source| source < alone);
            if before && range.clone().any(|byte| last.get(&byte) != source.as_ref()) {
                let why = match *source {
                    Some(later) if later >= alone => {
                        format!("event {index} reads from event {later}, before there is a second thread")
                    }
                    _ => format!("event {index} reads what was overwritten before there was a second thread"),
                };
                return Err(why.into());
            }
            source.take_if(|source| *source < alone);
        }
        if index < alone {
            last.extend(sequel.writes[index].iter().cloned().flatten().map(|byte| (byte, index)));
        }
    }
    // In coherence, too, they come first, and in program order.
    let order: FxHashMap<usize, usize> =
        trace.stores.iter().enumerate().map(|(at, id)| (id.index(), at)).collect();
    let mut place: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for index in 0..trace.events.len() {
        poll.ask()?;
        let Some(&at) = order.get(&index) else { continue };
        for byte in sequel.writes[index].iter().cloned().flatten() {
            match place.get(&byte) {
                Some(&(before, latest)) if before > at => {
                    let why = format!(
                        "event {index} is said to be overwritten by event {latest}, which came before"
                    );
                    return Err(why.into());
                }
                _ if index < alone => _ = place.insert(byte, (at, index)),
                _ => {}
            }
        }
    }
    Ok(())
}
