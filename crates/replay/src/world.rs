//! Runs the threads of a trace: the program must make just the accesses that the trace lists.

use crate::poll::Poll;
use crate::{Refusal, names};
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Action, Call, Event, EventId, Start, Status, Trace};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp::{Access, Deps, Halt, NewObject, Site, Stop, Thread, Word, World};
use fencepost_lsl::memory::{self, Object};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Exchange, Fence, Order, Place, ProcId, Program, address};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a value depends on, and how a person would write it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Trail {
    /// The loads it was computed from.
    pub(crate) loads: Rc<BTreeSet<EventId>>,
    /// For a pointer: what it was read from.
    pub(crate) origin: Option<Origin>,
    /// For the control dependencies of a thread: all that was added to them so far.
    pub(crate) branches: Option<Rc<Branches>>,
}

/// Control dependencies, last ones first. They only grow, and events share what they have in common.
#[derive(Debug)]
pub(crate) struct Branches {
    /// The loads that a branch depends on.
    pub(crate) loads: Rc<BTreeSet<EventId>>,
    /// Those of the branches before.
    pub(crate) before: Option<Rc<Branches>>,
}

impl Drop for Branches {
    /// One by one: a long thread has more branches than our own stack has room for.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut branches) = next.and_then(Rc::into_inner) {
            next = branches.before.take();
        }
    }
}

impl Deps for Trail {
    fn combine(_: PrimOp, args: &[&Trail]) -> Trail {
        let mut origins = args.iter().filter_map(|arg| arg.origin.clone());
        let origin = origins.next().filter(|_| origins.next().is_none());
        let loads = match args {
            [only] => only.loads.clone(),
            _ => {
                let all: BTreeSet<EventId> = args.iter().flat_map(|arg| arg.loads.iter().copied()).collect();
                Rc::new(all)
            }
        };
        Trail { loads, origin, branches: None }
    }

    fn control(&mut self, other: &Trail) {
        let known = self.branches.as_ref().is_some_and(|last| Rc::ptr_eq(&last.loads, &other.loads));
        if !other.loads.is_empty() && !known {
            let before = self.branches.take();
            self.branches = Some(Rc::new(Branches { loads: other.loads.clone(), before }));
        }
    }
}

/// Where a pointer was read.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// As the program wrote it, such as `q.tail`.
    pub(crate) text: Rc<str>,
    /// The address that it held.
    pub(crate) points: u64,
}

/// What running the threads told about an event.
#[derive(Clone, Default, Debug)]
pub(crate) struct Run {
    /// Loads its address depends on.
    pub(crate) addr: Rc<BTreeSet<EventId>>,
    /// Loads its value depends on, if it is a store.
    pub(crate) data: Rc<BTreeSet<EventId>>,
    /// Loads on which branches before it depend.
    pub(crate) ctrl: Option<Rc<Branches>>,
    /// What the atomic block is that it is part of.
    pub(crate) exchange: Exchange,
    /// The order of a load whose compare-and-swap does not swap, if it is another.
    pub(crate) failing: Option<Order>,
    /// Whether it is part of an atomic block that its thread does not come out of: the block has not
    /// happened, and what it stores is for itself alone.
    pub(crate) unfinished: bool,
    /// The location, by object: `q.tail`, `node_t#2.next`.
    pub(crate) place: String,
    /// The location, by the way the program got there: `q.tail->next`.
    pub(crate) via: Option<String>,
}

/// An object of the trace, with a name.
pub(crate) struct Named {
    pub(crate) base: u64,
    pub(crate) size: u64,
    constant: bool,
    pub(crate) heap: bool,
    pub(crate) name: String,
    pub(crate) layout: Option<fencepost_lsl::layout::LayoutId>,
}

/// Objects by address. None overlaps another.
#[derive(Default)]
pub(crate) struct Objects(BTreeMap<u64, Named>);

impl Objects {
    /// The object that holds some bytes. Given none of them, one without any bytes has its own address.
    pub(crate) fn holding(&self, addr: u64, bytes: u64) -> Option<&Named> {
        let (_, object) = self.0.range(..=addr).next_back()?;
        memory::covers((object.base, object.size), (addr, bytes)).then_some(object)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Named> {
        self.0.values()
    }

    /// Whether an object would overlap another, or leave no room for the margins of both.
    fn crowds(&self, addr: u64, size: u64) -> bool {
        let gap = 2 * address::MARGIN;
        let end = addr.saturating_add(size.saturating_add(gap));
        let before = self.0.range(..end).next_back();
        before.is_some_and(|(_, object)| object.base + object.size + gap > addr)
    }

    /// The object that an address belongs to: it lies there, or in the margin before or behind.
    fn near(&self, addr: u64) -> Option<&Named> {
        let (_, object) = self.0.range(..=addr.saturating_add(address::MARGIN)).next_back()?;
        (object.base + object.size + address::MARGIN > addr).then_some(object)
    }
}

struct Tape<'t> {
    program: &'t Program,
    objects: &'t Objects,
    poll: &'t Poll<'t>,
    /// The thread's events.
    events: &'t [Event],
    first: usize,
    /// Events consumed.
    next: usize,
    runs: Vec<Run>,
    /// The atomic block it is in, and where among the thread's events that began.
    block: Option<usize>,
    /// Numbers of atomic blocks so far, of all threads.
    blocks: FxHashSet<u32>,
    /// Arguments of threads started, by thread.
    spawned: Vec<Spawned>,
    /// Whether the trace says that the call under way does not return.
    cut_short: bool,
    /// Turns left.
    turns: u32,
    /// Turns left behind the last event of a call that does not return.
    onward: u32,
}

/// Turns of loops and calls that a thread may make. The engine followed them all to make the trace, so there can be
/// many.
pub(crate) const MAX_TURNS: u32 = 100_000_000;

/// Turns that a thread may make where the trace leaves it: nothing is claimed about them.
const ONWARD: u32 = 1_000_000;

/// A thread that was started.
struct Spawned {
    thread: usize,
    proc: ProcId,
    args: Vec<Value>,
    by: EventId,
}

/// What running the threads told.
pub(crate) struct Replayed {
    /// Event by event.
    pub(crate) runs: Vec<Run>,
    /// All objects.
    pub(crate) objects: Objects,
}

/// Runs every thread.
pub(crate) fn run(harness: &Harness, trace: &Trace, poll: &Poll) -> Result<Replayed, Refusal> {
    let program = &harness.program;
    let objects = name_objects(program, trace)?;
    let mut runs: Vec<Run> = Vec::new();
    let (mut spawned, mut blocks) = (Vec::new(), FxHashSet::default());
    let mut numbers = FxHashSet::default();
    for (index, thread) in trace.threads.iter().enumerate() {
        let first = runs.len();
        let count = trace.events[first..].iter().take_while(|event| event.thread == index).count();
        compare_start(trace, index, count, &spawned, &runs)?;
        let tape = Tape {
            program,
            objects: &objects,
            poll,
            events: &trace.events[first..first + count],
            first,
            next: 0,
            runs: Vec::new(),
            block: None,
            blocks,
            spawned,
            cut_short: false,
            turns: MAX_TURNS,
            onward: ONWARD,
        };
        let mut interpreter = Thread::new(program, tape);
        let mut end: Result<(), Halt> = Ok(());
        for (number, call) in thread.calls.iter().enumerate() {
            if let Some((op, slot)) = call.op
                && (harness.op(op).proc != call.proc || !numbers.insert(slot))
            {
                return Err(format!("call {number} of thread {index} is not what it is said to be").into());
            }
            let before = interpreter.world.next;
            let last = number + 1 == thread.calls.len();
            interpreter.world.cut_short = last && thread.status == Status::Stopped;
            let args = call.args.iter().map(|&value| Word { value, deps: Trail::default() }).collect();
            let made = interpreter.call(call.proc, args);
            poll.told()?;
            if let Err(Halt { stop: Stop::Refused(why), .. }) = made {
                return Err(format!("call {number} of thread {index}: {why}").into());
            }
            compare_call(call, first + before..first + interpreter.world.next)
                .map_err(|why| format!("call {number} of thread {index} {why}"))?;
            match made {
                Ok(results) => {
                    let results: Vec<Value> = results.iter().map(|word| word.value).collect();
                    match &call.results {
                        Some(claimed) if *claimed == results => {}
                        Some(claimed) => {
                            let why = format!("a call returned {results:?}, the trace says {claimed:?}");
                            return Err(why.into());
                        }
                        // A trace may end with its error, though the thread would go on without a trap.
                        None if number + 1 == thread.calls.len() && ends_with_error(trace, index) => {}
                        None => {
                            let why = format!("call {number} of thread {index} returns, against the trace");
                            return Err(why.into());
                        }
                    }
                }
                Err(halt) => {
                    if number + 1 < thread.calls.len() || call.results.is_some() {
                        let why = format!("call {number} of thread {index} ends early: {:?}", halt.stop);
                        return Err(why.into());
                    }
                    end = Err(halt);
                }
            }
        }
        let mut tape = interpreter.world;
        if tape.next < tape.events.len() {
            return Err(format!("thread {index} ends before all of its events happened").into());
        }
        compare_end(index, &thread.status, end)?;
        if let Some(start) = tape.block {
            tape.runs[start..].iter_mut().for_each(|run| run.unfinished = true);
        }
        runs.extend(tape.runs);
        (spawned, blocks) = (tape.spawned, tape.blocks);
    }
    if runs.len() < trace.events.len() {
        return Err(String::from("the trace has events of no thread").into());
    }
    Ok(Replayed { runs, objects })
}

/// A thread that does anything has been started, and runs what it was started with.
fn compare_start(
    trace: &Trace,
    index: usize,
    events: usize,
    spawned: &[Spawned],
    runs: &[Run],
) -> Result<(), String> {
    let thread = &trace.threads[index];
    let start = spawned.iter().find(|start| start.thread == index);
    let silent = thread.calls.is_empty() && events == 0 && thread.status == Status::Stopped;
    let claimed = match thread.start {
        Start::Begin => index == 0,
        Start::AfterFirst => {
            let ready = index > 0 && trace.threads[0].status == Status::Finished;
            ready && thread.calls.iter().all(|call| call.op.is_some())
        }
        Start::Spawn(id) => start.is_some_and(|start| start.by == id),
    };
    if !silent && !claimed {
        return Err(format!("thread {index} was not started"));
    }
    let Some(start) = start else { return Ok(()) };
    if !silent && thread.start != Start::Spawn(start.by) {
        return Err(format!("thread {index} was started otherwise than the trace says"));
    }
    if !silent && runs[start.by.index()].unfinished {
        return Err(format!("thread {index} was started by an atomic block that has not happened"));
    }
    let runs = |call: &Call| call.op.is_none() && call.proc == start.proc && call.args == start.args;
    if thread.calls.len() > 1 || !thread.calls.iter().all(runs) {
        return Err(format!("thread {index} does not run what it was started with"));
    }
    Ok(())
}

/// Whether the trace says no more of a thread after an access that finds its object freed.
fn ends_with_error(trace: &Trace, index: usize) -> bool {
    let last = trace.events.iter().rfind(|event| event.thread == index);
    trace.threads[index].status == Status::Stopped
        && last.is_some_and(|last| trace.finds_freed(last).is_some())
}

/// The events that a call made are those it is said to have made.
fn compare_call(call: &Call, made: std::ops::Range<usize>) -> Result<(), String> {
    match call.events == made || call.events.is_empty() && made.is_empty() {
        true => Ok(()),
        false => Err(format!("makes the events {made:?}, the trace says {:?}", call.events)),
    }
}

fn compare_end(index: usize, status: &Status, end: Result<(), Halt>) -> Result<(), String> {
    match (status, end) {
        (Status::Finished, Ok(())) => Ok(()),
        (Status::Faulted { fault, span, .. }, Err(halt)) if halt.stop == Stop::Fault(fault.clone()) => {
            if *span == halt.span {
                Ok(())
            } else {
                Err(format!("thread {index} fails elsewhere"))
            }
        }
        // Waiting, cut at a bound, or not started: the trace claims nothing about what would come next,
        // be it an error.
        (
            Status::Stopped,
            Ok(())
            | Err(Halt {
                stop:
                    Stop::Blocked
                    | Stop::RuledOut
                    | Stop::Exited
                    | Stop::Exhausted
                    | Stop::TooDeep
                    | Stop::Fault(_),
                ..
            }),
        ) => Ok(()),
        (status, end) => {
            let end = end.map_err(|halt| halt.stop);
            Err(format!("thread {index} ends with {end:?}, the trace says {status:?}"))
        }
    }
}

/// All objects of the trace with their names: variables by their own, others by their type and a number.
fn name_objects(program: &Program, trace: &Trace) -> Result<Objects, String> {
    let mut objects = Objects::default();
    for global in &program.globals {
        let Object { base, constant, layout, .. } = Object::of_global(global);
        let name = global.name.clone();
        objects.0.insert(base, Named { base, size: global.size, constant, heap: false, name, layout });
    }
    let stores: FxHashSet<EventId> = trace.stores.iter().copied().collect();
    let mut count = 0;
    for (index, event) in trace.events.iter().enumerate() {
        let Action::Alloc { addr, size, place, layout, .. } = event.action else { continue };
        // Those that take freed memory are looked at when all objects are known.
        if stores.contains(&EventId(index as u32)) {
            continue;
        }
        let region = if place == Place::Stack { address::STACK } else { address::HEAP };
        if objects.crowds(addr, size) || addr < region {
            return Err(format!("an object is allocated at {addr:#x}, where it cannot be"));
        }
        let name = match place {
            Place::Stack => program.sources.text(event.span).to_owned(),
            _ => {
                count += 1;
                let kind = layout.map_or("object", |id| program.layouts.element_name(id));
                format!("{kind}#{count}")
            }
        };
        let heap = place == Place::Heap;
        objects.0.insert(addr, Named { base: addr, size, constant: false, heap, name, layout });
    }
    for id in &trace.stores {
        let Some(Action::Alloc { addr, size, place, .. }) = trace.events.get(id.index()).map(|e| &e.action)
        else {
            continue;
        };
        let fits = |object: &Named| object.heap && (object.base, object.size) == (*addr, *size);
        if *place != Place::Heap || !objects.0.get(addr).is_some_and(fits) {
            return Err(format!("memory at {addr:#x} is taken again where there was no such object"));
        }
    }
    Ok(objects)
}

impl<'t> Tape<'t> {
    /// The next event of the trace; none at its end.
    fn take(&mut self, site: &Site<Trail>) -> Result<Option<(&'t Event, EventId)>, Stop> {
        self.ask()?;
        let Some(event) = self.events.get(self.next) else { return Ok(None) };
        let id = EventId((self.first + self.next) as u32);
        match (self.block, event.atomic) {
            (None, None) => {}
            // The first of its block gives it a number, the others have the same.
            (Some(start), Some(block)) if start == self.next && self.blocks.insert(block) => {}
            (Some(start), Some(_)) if start < self.next && self.events[start].atomic == event.atomic => {}
            _ => return Err(Stop::Refused(format!("event {} is not in the atomic block it claims", id.0))),
        }
        self.next += 1;
        self.runs.push(Run {
            ctrl: site.ctrl.branches.clone(),
            addr: site.addr.loads.clone(),
            exchange: site.exchange,
            ..Run::default()
        });
        Ok(Some((event, id)))
    }

    fn ask(&self) -> Result<(), Stop> {
        // Why to stop is asked of the poll by who ran the thread.
        self.poll.ask().map_err(|_| Stop::Refused("cut".into()))
    }

    fn refuse<T>(&self, did: &str) -> Result<T, Stop> {
        let expected = self.events.get(self.next.wrapping_sub(1)).map(|event| &event.action);
        Err(Stop::Refused(format!("the program makes {did} where the trace has {expected:?}")))
    }

    /// What is wrong with an address that the program uses where its trace ends.
    fn bad_address(&self, access: Access, store: bool) -> Stop {
        if access.addr < address::NULL_END {
            return Fault::Null.into();
        }
        match self.object(access.addr, access.ty.bytes()) {
            None => Fault::OutOfBounds.into(),
            Some(object) if store && object.constant => Fault::ReadOnly.into(),
            // Nothing: the trace just ends here.
            Some(_) => Stop::Exhausted,
        }
    }

    fn object(&self, addr: u64, bytes: u64) -> Option<&'t Named> {
        self.objects.holding(addr, bytes)
    }

    /// Names the location of an access.
    fn locate(&mut self, access: Access, trail: &Trail) {
        let Some(object) = self.object(access.addr, access.ty.bytes()) else { return };
        let offset = access.addr - object.base;
        let path = match object.layout {
            Some(layout) => self.program.layouts.path_within(layout, object.size, offset, access.ty.bytes()),
            None if offset == 0 => String::new(),
            None => format!("+{offset}"),
        };
        let place = format!("{}{path}", object.name);
        let via = trail.origin.as_ref().and_then(|origin| {
            let start = origin.points.checked_sub(object.base).filter(|start| *start < object.size.max(1))?;
            // Tag bits are not part of the address.
            [start, start & !7].into_iter().find_map(|start| {
                let start = match object.layout {
                    Some(layout) => self.program.layouts.start_within(layout, object.size, start),
                    None if start == offset => path.clone(),
                    None => return None,
                };
                names::via(&origin.text, path.strip_prefix(start.as_str())?)
            })
        });
        if let Some(run) = self.runs.last_mut() {
            (run.place, run.via) = (place, via);
        }
    }

    fn place(&self) -> Rc<str> {
        let Some(run) = self.runs.last() else { return "?".into() };
        run.via.as_deref().unwrap_or(&run.place).into()
    }
}

impl World for Tape<'_> {
    type Deps = Trail;

    fn load(&mut self, site: &Site<Trail>, access: Access) -> Result<Word<Trail>, Stop> {
        let Some((event, id)) = self.take(site)? else { return Err(self.bad_address(access, false)) };
        let Action::Load { addr, ty, order, value, .. } = event.action else {
            return self.refuse("a load");
        };
        if (addr, ty, order) != (access.addr, access.ty, access.order) {
            return self.refuse(&format!("a load of {:#x}", access.addr));
        }
        self.locate(access, site.addr);
        if let Some(run) = self.runs.last_mut() {
            run.failing = access.failing;
        }
        let origin = value.defined().map(|points| Origin { text: self.place(), points });
        Ok(Word { value, deps: Trail { loads: Rc::new(BTreeSet::from([id])), origin, branches: None } })
    }

    fn store(&mut self, site: &Site<Trail>, access: Access, word: &Word<Trail>) -> Result<(), Stop> {
        let Some((event, _)) = self.take(site)? else { return Err(self.bad_address(access, true)) };
        let Action::Store { addr, ty, order, value } = event.action else { return self.refuse("a store") };
        if (addr, ty, order) != (access.addr, access.ty, access.order) || value != word.value.wrap(ty) {
            return self.refuse(&format!("a store of {} to {:#x}", word.value, access.addr));
        }
        if self.object(addr, ty.bytes()).is_none_or(|object| object.constant) {
            return self.refuse("a store to no object");
        }
        self.locate(access, site.addr);
        if let Some(run) = self.runs.last_mut() {
            run.data = word.deps.loads.clone();
        }
        Ok(())
    }

    fn fence(&mut self, site: &Site<Trail>, fence: Fence) -> Result<(), Stop> {
        match self.take(site)?.map(|(event, _)| event.action.clone()) {
            None => Err(Stop::Exhausted),
            Some(Action::Fence(claimed)) if claimed == fence => Ok(()),
            Some(_) => self.refuse("a fence"),
        }
    }

    fn atomic(&mut self, starts: bool) -> Result<(), Stop> {
        self.block = starts.then_some(self.next);
        Ok(())
    }

    fn alloc(&mut self, site: &Site<Trail>, object: NewObject) -> Result<Word<Trail>, Stop> {
        let Some((event, _)) = self.take(site)? else { return Err(Stop::Exhausted) };
        let Action::Alloc { addr, size, zeroed, place, .. } = event.action else {
            return self.refuse("an allocation");
        };
        if (size, zeroed, place) != (object.size, object.zeroed, object.place) {
            return self.refuse("an allocation");
        }
        if addr % (2 * object.align) != object.align {
            return self.refuse(&format!("an allocation aligned to {} bytes", object.align));
        }
        let name = self.object(addr, size).map_or("?".to_string(), |named| format!("&{}", named.name));
        if let Some(run) = self.runs.last_mut() {
            run.place = name;
        }
        Ok(Word { value: Value::new(addr), deps: Trail::default() })
    }

    fn within(&mut self, base: u64, result: u64) -> Result<(), Stop> {
        // Objects of the trace are further apart than their margins: an address belongs to one at most.
        let stays = match self.objects.near(base) {
            None if base < address::NULL_END => result < address::NULL_END,
            None => true,
            Some(object) => self.objects.near(result).is_some_and(|other| other.base == object.base),
        };
        if stays { Ok(()) } else { Err(Fault::Strayed.into()) }
    }

    fn free(&mut self, site: &Site<Trail>, addr: u64) -> Result<(), Stop> {
        match self.take(site)? {
            None => match self.object(addr, 0) {
                Some(object) if object.base == addr && object.heap => Err(Stop::Exhausted),
                _ => Err(Fault::BadFree.into()),
            },
            Some((event, _)) if event.action == (Action::Free { addr }) => match self.object(addr, 0) {
                Some(object) if object.base == addr && object.heap => Ok(()),
                _ => self.refuse("a free of no heap object"),
            },
            Some(_) => self.refuse("a free"),
        }
    }

    fn choose(&mut self, site: &Site<Trail>, from: &Choice) -> Result<Value, Stop> {
        match self.take(site)?.map(|(event, _)| event.action.clone()) {
            None => Err(Stop::Exhausted),
            Some(Action::Choose { value }) => {
                let fits = match from {
                    Choice::OneOf(values) => values.contains(&value),
                    Choice::Any(ty) => value.undef() == 0 && value.wrap(*ty) == value,
                };
                if fits { Ok(value) } else { self.refuse("another choice") }
            }
            Some(_) => self.refuse("a choice"),
        }
    }

    fn spawn(&mut self, site: &Site<Trail>, proc: ProcId, args: Vec<Word<Trail>>) -> Result<(), Stop> {
        match self.take(site)?.map(|(event, _)| event.action.clone()) {
            None => Err(Stop::Exhausted),
            Some(Action::Spawn { thread }) => {
                if self.spawned.iter().any(|start| start.thread == thread) {
                    return self.refuse("a new thread");
                }
                let by = EventId((self.first + self.next - 1) as u32);
                let args = args.iter().map(|word| word.value).collect();
                self.spawned.push(Spawned { thread, proc, args, by });
                Ok(())
            }
            Some(_) => self.refuse("a new thread"),
        }
    }

    fn tick(&mut self) -> Result<(), Stop> {
        if self.cut_short && self.next == self.events.len() {
            self.onward = self.onward.checked_sub(1).ok_or(Stop::Exhausted)?;
        }
        match self.turns.checked_sub(1) {
            Some(turns) => self.turns = turns,
            None => self.poll.give_up(),
        }
        self.ask()
    }

    type Content = ();

    fn content(&self) -> Option<()> {
        // What others do is not known here; the trace says how long to go on.
        None
    }
}
