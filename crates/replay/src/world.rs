//! Runs the threads of a trace: the program must make just the accesses that the trace lists.

use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Action, Event, EventId, Source, Status, Trace};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp::{Access, Deps, Halt, NewObject, Site, Stop, Thread, Word, World};
use fencepost_lsl::memory::{self, Object};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Fence, Place, ProcId, Program, address};
use fencepost_lsl::value::Value;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a value depends on, and how a person would write it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Trail {
    /// The loads it was computed from.
    pub(crate) loads: Rc<BTreeSet<EventId>>,
    /// For a pointer: the expression it was read from, such as `q.tail`.
    pub(crate) origin: Option<Rc<str>>,
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
        Trail { loads, origin }
    }

    fn control(&mut self, other: &Trail) {
        if !other.loads.is_subset(&self.loads) {
            Rc::make_mut(&mut self.loads).extend(other.loads.iter());
        }
    }
}

/// What running the threads told about an event.
#[derive(Clone, Default, Debug)]
pub(crate) struct Run {
    /// Loads its address depends on.
    pub(crate) addr: Rc<BTreeSet<EventId>>,
    /// Loads its value depends on, if it is a store.
    pub(crate) data: Rc<BTreeSet<EventId>>,
    /// Loads on which branches before it depend.
    pub(crate) ctrl: Rc<BTreeSet<EventId>>,
    /// Whether it is part of a compare-and-swap.
    pub(crate) cas: bool,
    /// The location, by object: `q.tail`, `node_t#2.next`.
    pub(crate) place: String,
    /// The location, by the way the program got there: `q.tail->next`.
    pub(crate) via: Option<String>,
}

/// An object of the trace, with a name.
struct Named {
    base: u64,
    size: u64,
    constant: bool,
    heap: bool,
    name: String,
    layout: Option<fencepost_lsl::layout::LayoutId>,
}

struct Tape<'t> {
    program: &'t Program,
    trace: &'t Trace,
    objects: &'t [Named],
    /// The thread's events.
    events: &'t [Event],
    first: usize,
    /// Events consumed.
    next: usize,
    runs: Vec<Run>,
    atomic: bool,
    /// Arguments of threads started, by thread.
    spawned: Vec<(usize, ProcId, Vec<Value>)>,
    fuel: u32,
}

/// What running the threads told.
pub(crate) struct Replayed {
    /// Event by event.
    pub(crate) runs: Vec<Run>,
    /// Names of objects, by address and size.
    pub(crate) objects: Vec<(u64, u64, String)>,
}

/// Runs every thread.
pub(crate) fn run(harness: &Harness, trace: &Trace) -> Result<Replayed, String> {
    let program = &harness.program;
    let objects = name_objects(program, trace)?;
    let mut runs = Vec::new();
    let mut spawned: Vec<(usize, ProcId, Vec<Value>)> = Vec::new();
    for (index, thread) in trace.threads.iter().enumerate() {
        let first = runs.len();
        let count = trace.events[first..].iter().take_while(|event| event.thread == index).count();
        let tape = Tape {
            program,
            trace,
            objects: &objects,
            events: &trace.events[first..first + count],
            first,
            next: 0,
            runs: Vec::new(),
            atomic: false,
            spawned: std::mem::take(&mut spawned),
            fuel: 1_000_000,
        };
        let mut interpreter = Thread::new(program, tape);
        let mut end: Result<(), Halt> = Ok(());
        for (number, call) in thread.calls.iter().enumerate() {
            if call.op.is_none()
                && let Some((_, proc, args)) = interpreter.world.spawned.iter().find(|s| s.0 == index)
                && (*proc != call.proc || *args != call.args)
            {
                return Err(format!("thread {index} does not run what it was started with"));
            }
            let args = call.args.iter().map(|&value| Word { value, deps: Trail::default() }).collect();
            match interpreter.call(call.proc, args) {
                Ok(results) => {
                    let results: Vec<Value> = results.iter().map(|word| word.value).collect();
                    match &call.results {
                        Some(claimed) if *claimed == results => {}
                        Some(claimed) => {
                            return Err(format!("a call returned {results:?}, the trace says {claimed:?}"));
                        }
                        None => {
                            return Err(format!(
                                "call {number} of thread {index} returns, against the trace"
                            ));
                        }
                    }
                }
                Err(halt) => {
                    if number + 1 < thread.calls.len() || call.results.is_some() {
                        return Err(format!("call {number} of thread {index} ends early: {:?}", halt.stop));
                    }
                    end = Err(halt);
                }
            }
        }
        let tape = interpreter.world;
        if tape.next < tape.events.len() {
            return Err(format!("thread {index} ends before all of its events happened"));
        }
        compare_end(index, &thread.status, end)?;
        runs.extend(tape.runs);
        spawned = tape.spawned;
    }
    if runs.len() < trace.events.len() {
        return Err("the trace has events of no thread".into());
    }
    let objects = objects.into_iter().map(|object| (object.base, object.size, object.name)).collect();
    Ok(Replayed { runs, objects })
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
            Ok(()) | Err(Halt { stop: Stop::Blocked | Stop::Exhausted | Stop::Fault(_), .. }),
        ) => Ok(()),
        (status, end) => {
            let end = end.map_err(|halt| halt.stop);
            Err(format!("thread {index} ends with {end:?}, the trace says {status:?}"))
        }
    }
}

/// All objects of the trace with their names: variables by their own, others by their type and a number.
fn name_objects(program: &Program, trace: &Trace) -> Result<Vec<Named>, String> {
    let mut objects: Vec<Named> = Vec::new();
    for global in &program.globals {
        let Object { base, constant, layout, .. } = Object::of_global(global);
        let name = global.name.clone();
        objects.push(Named { base, size: global.size, constant, heap: false, name, layout });
    }
    let mut count = 0;
    for (index, event) in trace.events.iter().enumerate() {
        let Action::Alloc { addr, size, place, layout, .. } = event.action else { continue };
        if trace.stores.contains(&EventId(index as u32)) {
            // Takes freed memory; that it is free by then is for the model to say.
            let freed = |other: &Event| matches!(other.action, Action::Free { addr: freed } if freed == addr);
            if !trace.events.iter().any(freed) {
                return Err(format!("memory at {addr:#x} is taken again but never freed"));
            }
            continue;
        }
        let overlaps = |object: &Named| object.base < addr + size.max(1) && addr < object.base + object.size;
        let region = if place == Place::Stack { address::STACK } else { address::HEAP };
        if objects.iter().any(overlaps) || addr < region || addr % 8 != 0 {
            return Err(format!("an object is allocated at {addr:#x}, where it cannot be"));
        }
        let name = match place {
            Place::Stack => program.sources.text(event.span).to_owned(),
            _ => {
                count += 1;
                let kind = layout.map_or("object".to_string(), |id| program.layouts.get(id).name.clone());
                format!("{kind}#{count}")
            }
        };
        objects.push(Named { base: addr, size, constant: false, heap: place == Place::Heap, name, layout });
    }
    Ok(objects)
}

impl<'t> Tape<'t> {
    /// The next event of the trace; none at its end.
    fn take(&mut self, site: &Site<Trail>) -> Option<(&'t Event, EventId)> {
        let event = self.events.get(self.next)?;
        let id = EventId((self.first + self.next) as u32);
        self.next += 1;
        self.runs.push(Run {
            ctrl: site.ctrl.loads.clone(),
            addr: site.addr.loads.clone(),
            cas: site.cas,
            ..Run::default()
        });
        Some((event, id))
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

    fn object(&self, addr: u64, bytes: u64) -> Option<&Named> {
        self.objects.iter().find(|object| memory::covers((object.base, object.size), (addr, bytes)))
    }

    /// Names the location of an access.
    fn locate(&mut self, access: Access, trail: &Trail) {
        let Some(object) = self.object(access.addr, access.ty.bytes()) else { return };
        let offset = access.addr - object.base;
        let path = match object.layout {
            Some(layout) => self.program.layouts.path(layout, offset, access.ty.bytes()).0,
            None if offset == 0 => String::new(),
            None => format!("+{offset}"),
        };
        let place = format!("{}{path}", object.name);
        let via = trail.origin.as_ref().map(|origin| match path.strip_prefix('.') {
            Some(field) => format!("{origin}->{field}"),
            None if path.is_empty() => format!("*{origin}"),
            None => format!("(*{origin}){path}"),
        });
        if let Some(run) = self.runs.last_mut() {
            (run.place, run.via) = (place, via);
        }
    }

    /// An access to an object that a `free` has ended is a fault.
    fn alive(&self, event: &Event, fault: Fault) -> Result<(), Stop> {
        match event.life {
            Some(Source::Event(id)) if matches!(self.trace.event(id).action, Action::Free { .. }) => {
                Err(fault.into())
            }
            _ => Ok(()),
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
        let Some((event, id)) = self.take(site) else { return Err(self.bad_address(access, false)) };
        let Action::Load { addr, ty, order, value, .. } = event.action else {
            return self.refuse("a load");
        };
        if (addr, ty, order) != (access.addr, access.ty, access.order) {
            return self.refuse(&format!("a load of {:#x}", access.addr));
        }
        self.locate(access, site.addr);
        self.alive(event, Fault::UseAfterFree)?;
        let origin = Some(self.place());
        Ok(Word { value, deps: Trail { loads: Rc::new(BTreeSet::from([id])), origin } })
    }

    fn store(&mut self, site: &Site<Trail>, access: Access, word: &Word<Trail>) -> Result<(), Stop> {
        let Some((event, _)) = self.take(site) else { return Err(self.bad_address(access, true)) };
        let Action::Store { addr, ty, order, value } = event.action else { return self.refuse("a store") };
        if (addr, ty, order) != (access.addr, access.ty, access.order) || value != word.value.wrap(ty) {
            return self.refuse(&format!("a store of {} to {:#x}", word.value, access.addr));
        }
        if self.object(addr, ty.bytes()).is_none_or(|object| object.constant) {
            return self.refuse("a store to no object");
        }
        self.locate(access, site.addr);
        self.alive(event, Fault::UseAfterFree)?;
        if let Some(run) = self.runs.last_mut() {
            run.data = word.deps.loads.clone();
        }
        Ok(())
    }

    fn fence(&mut self, site: &Site<Trail>, fence: Fence) -> Result<(), Stop> {
        match self.take(site).map(|(event, _)| event.action.clone()) {
            None => Err(Stop::Exhausted),
            Some(Action::Fence(claimed)) if claimed == fence => Ok(()),
            Some(_) => self.refuse("a fence"),
        }
    }

    fn atomic(&mut self, starts: bool) -> Result<(), Stop> {
        self.atomic = starts;
        Ok(())
    }

    fn alloc(&mut self, site: &Site<Trail>, object: NewObject) -> Result<Word<Trail>, Stop> {
        let Some((event, _)) = self.take(site) else { return Err(Stop::Exhausted) };
        let Action::Alloc { addr, size, zeroed, place, .. } = event.action else {
            return self.refuse("an allocation");
        };
        if (size, zeroed, place) != (object.size, object.zeroed, object.place) {
            return self.refuse("an allocation");
        }
        let name = self.object(addr, size).map_or("?".to_string(), |named| format!("&{}", named.name));
        if let Some(run) = self.runs.last_mut() {
            run.place = name;
        }
        Ok(Word { value: Value::new(addr), deps: Trail::default() })
    }

    fn free(&mut self, site: &Site<Trail>, addr: u64) -> Result<(), Stop> {
        match self.take(site) {
            None => match self.object(addr, 1) {
                Some(object) if object.base == addr && object.heap => Err(Stop::Exhausted),
                _ => Err(Fault::BadFree.into()),
            },
            Some((event, _)) if event.action == (Action::Free { addr }) => {
                self.alive(event, Fault::DoubleFree)
            }
            Some(_) => self.refuse("a free"),
        }
    }

    fn choose(&mut self, site: &Site<Trail>, from: &Choice) -> Result<Value, Stop> {
        match self.take(site).map(|(event, _)| event.action.clone()) {
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
        match self.take(site).map(|(event, _)| event.action.clone()) {
            None => Err(Stop::Exhausted),
            Some(Action::Spawn { thread }) => {
                self.spawned.push((thread, proc, args.iter().map(|word| word.value).collect()));
                Ok(())
            }
            Some(_) => self.refuse("a new thread"),
        }
    }

    fn tick(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Exhausted)?;
        Ok(())
    }

    type Content = ();

    fn content(&self) -> Option<()> {
        // What others do is not known here; the trace says how long to go on.
        None
    }
}
