//! Serial executions: calls that run one after the other on one memory, with recorded choices.

use crate::budget::Poll;
use crate::operation::OpId;
use crate::trace::{Action, Call, Event, EventId, ReadFrom, Source, Start, Status, Trace, TraceThread};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::interp::{Access, Halt, NewObject, Site, Stop, Thread, Word, World, too_deep};
use fencepost_lsl::memory::Memory;
use fencepost_lsl::program::{Choice, Fence, Place, ProcId, Program};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

/// How the nondeterministic choices of a call go: which alternative of how many, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Script {
    taken: Vec<(u32, u32)>,
    /// Choices consumed so far.
    at: usize,
}

impl Script {
    /// The alternative to take next, of `count`.
    fn take(&mut self, count: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push((0, count));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// The script after this one in the order of all scripts; none after the last.
    pub fn next(&self) -> Option<Script> {
        let mut taken = self.taken.clone();
        while let Some((alternative, count)) = taken.pop() {
            if alternative + 1 < count {
                taken.push((alternative + 1, count));
                return Some(Script { taken, at: 0 });
            }
        }
        None
    }

    /// The same script, from its start.
    pub(crate) fn rewound(mut self) -> Script {
        self.at = 0;
        self
    }
}

/// Loop repetitions and calls after which a call is run no further.
const FUEL: u32 = 1_000_000;

/// Values of a type small enough to try all of.
const ENUMERABLE_BITS: u8 = 8;

/// A memory that one thread has to itself.
pub struct SerialWorld<'a> {
    /// The memory.
    pub memory: Memory,
    /// The choices made.
    pub script: Script,
    /// Region from which it allocates.
    region: u32,
    fuel: u32,
    /// Choices so far: the next may come out differently.
    choices: u64,
    recorder: Option<Recorder>,
    /// Asked with every access, choice, call and repetition.
    poll: &'a Poll<'a>,
}

/// Why a call did not come to its end although it does not wait, is not ruled out and makes no error: to go behind the name of
/// what was called.
pub fn unfinished(halt: &Halt) -> String {
    match &halt.stop {
        Stop::Refused(why) => format!("cannot be run alone: {why}"),
        Stop::Cut => "was stopped before it ended".into(),
        Stop::TooDeep => format!("cannot be run alone: {}", too_deep()),
        _ => format!("does not end within {FUEL} calls and turns of loops when it runs alone"),
    }
}

impl<'a> SerialWorld<'a> {
    /// A world that starts with this memory and these choices.
    pub fn new(memory: Memory, region: u32, script: Script, poll: &'a Poll<'a>) -> SerialWorld<'a> {
        SerialWorld { memory, script, region, fuel: FUEL, choices: 0, recorder: None, poll }
    }

    fn record(&mut self, site: &Site<()>, action: Action) -> Option<EventId> {
        self.recorder.as_mut().map(|recorder| recorder.push(site, action))
    }
}

impl World for SerialWorld<'_> {
    type Deps = ();

    fn load(&mut self, site: &Site<()>, access: Access) -> Result<Word<()>, Stop> {
        self.poll.ask().map_err(|_| Stop::Cut)?;
        let Access { addr, ty, order, .. } = access;
        let value = self.memory.load(addr, ty);
        if let Some(recorder) = &mut self.recorder {
            let from = recorder.sources(addr, ty.bytes());
            let action = |value| Action::Load { addr, ty, order, value, from };
            match &value {
                Ok(value) => _ = recorder.access(site, addr, &self.memory, action(*value)),
                Err(Fault::UseAfterFree) => {
                    let content = self.memory.find(addr).map(|object| object.read(addr - object.base, ty));
                    let action = action(content.unwrap_or(Value::UNDEFINED));
                    recorder.access(site, addr, &self.memory, action);
                }
                Err(_) => {}
            }
        }
        Ok(Word { value: value?, deps: () })
    }

    fn store(&mut self, site: &Site<()>, access: Access, word: &Word<()>) -> Result<(), Stop> {
        self.poll.ask().map_err(|_| Stop::Cut)?;
        let Access { addr, ty, order, .. } = access;
        let stored = self.memory.store(addr, ty, word.value);
        if let Some(recorder) = &mut self.recorder {
            let action = Action::Store { addr, ty, order, value: word.value.wrap(ty) };
            if let Ok(()) | Err(Fault::UseAfterFree) = stored {
                let id = recorder.access(site, addr, &self.memory, action);
                recorder.stores.push(id);
                recorder.writers.extend((addr..addr + ty.bytes()).map(|byte| (byte, id)));
            }
        }
        Ok(stored?)
    }

    fn fence(&mut self, site: &Site<()>, fence: Fence) -> Result<(), Stop> {
        self.record(site, Action::Fence(fence));
        Ok(())
    }

    fn atomic(&mut self, starts: bool) -> Result<(), Stop> {
        if let Some(recorder) = &mut self.recorder {
            recorder.atomic_count += starts as u32;
            recorder.atomic = starts.then_some(recorder.atomic_count);
        }
        Ok(())
    }

    fn alloc(&mut self, site: &Site<()>, object: NewObject) -> Result<Word<()>, Stop> {
        let NewObject { size, zeroed, place, layout, .. } = object;
        let full = || Stop::Refused("it allocates more memory than there is".into());
        let addr = self.memory.alloc(self.region, object).ok_or_else(full)?;
        self.record(site, Action::Alloc { addr, size, zeroed, place, layout });
        Ok(Word { value: Value::new(addr), deps: () })
    }

    fn within(&mut self, base: u64, result: u64) -> Result<(), Stop> {
        Ok(self.memory.within(base, result)?)
    }

    fn free(&mut self, site: &Site<()>, addr: u64) -> Result<(), Stop> {
        let freed = self.memory.free(addr);
        if let (Some(recorder), Ok(()) | Err(Fault::DoubleFree)) = (&mut self.recorder, &freed) {
            let id = recorder.access(site, addr, &self.memory, Action::Free { addr });
            recorder.stores.push(id);
            recorder.freed.insert(addr, id);
        }
        Ok(freed?)
    }

    fn choose(&mut self, site: &Site<()>, from: &Choice) -> Result<Value, Stop> {
        self.poll.ask().map_err(|_| Stop::Cut)?;
        self.choices += 1;
        let value = match from {
            Choice::OneOf(values) => {
                let taken = self.script.take(values.len() as u32);
                *values.get(taken as usize).ok_or(Stop::RuledOut)?
            }
            Choice::Any(ty) if ty.bits <= ENUMERABLE_BITS => {
                Value::new(ty.wrap(self.script.take(1 << ty.bits) as u64))
            }
            Choice::Any(ty) => {
                return Err(Stop::Refused(format!(
                    "it chooses among all {} values of a type",
                    1u128 << ty.bits
                )));
            }
        };
        self.record(site, Action::Choose { value });
        Ok(value)
    }

    fn spawn(&mut self, _: &Site<()>, _: ProcId, _: Vec<Word<()>>) -> Result<(), Stop> {
        Err(Stop::Refused("it starts a thread".into()))
    }

    fn tick(&mut self) -> Result<(), Stop> {
        self.poll.ask().map_err(|_| Stop::Cut)?;
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Exhausted)?;
        Ok(())
    }

    type Content = (Memory, u64);

    fn content(&self) -> Option<(Memory, u64)> {
        Some((self.memory.clone(), self.choices))
    }
}

/// Keeps the events of a serial execution.
#[derive(Default)]
struct Recorder {
    thread: usize,
    events: Vec<Event>,
    stores: Vec<EventId>,
    /// The last store to each byte.
    writers: FxHashMap<u64, EventId>,
    /// Objects that were freed, by address.
    freed: FxHashMap<u64, EventId>,
    atomic: Option<u32>,
    atomic_count: u32,
}

impl Recorder {
    fn push(&mut self, site: &Site<()>, action: Action) -> EventId {
        let Site { span, stack, .. } = *site;
        self.events.push(Event {
            thread: self.thread,
            action,
            span,
            stack: stack.to_vec(),
            atomic: self.atomic,
            life: None,
        });
        EventId(self.events.len() as u32 - 1)
    }

    /// Keeps an access, with what ended the life of its object. One that finds it dead is the last: serial
    /// executions end with their first error, whatever it is.
    fn access(&mut self, site: &Site<()>, addr: u64, memory: &Memory, action: Action) -> EventId {
        // An object without bytes can be freed, but not be found by an address in it.
        let base = match action {
            Action::Free { addr } => Some(addr),
            _ => memory.find(addr).filter(|object| object.place == Place::Heap).map(|object| object.base),
        };
        let id = self.push(site, action);
        if let Some(base) = base {
            let free = self.freed.get(&base);
            self.events[id.index()].life = Some(free.map_or(Source::Initial, |free| Source::Event(*free)));
        }
        id
    }

    /// Sources of `size` bytes at `addr`, equal neighbours joined.
    fn sources(&self, addr: u64, size: u64) -> Vec<ReadFrom> {
        let mut from: Vec<ReadFrom> = Vec::new();
        for offset in 0..size {
            let source = self.writers.get(&(addr + offset)).map_or(Source::Initial, |id| Source::Event(*id));
            match from.last_mut() {
                Some(last) if last.source == source => last.bytes += 1,
                _ => from.push(ReadFrom { offset, bytes: 1, source }),
            }
        }
        from
    }
}

/// A serial execution under recording.
pub struct Outcome<'p> {
    program: &'p Program,
    memory: Memory,
    recorder: Recorder,
    threads: Vec<TraceThread>,
    /// Calls that each thread has to make.
    planned: Vec<usize>,
}

impl<'p> Outcome<'p> {
    /// An execution before its first call. `calls` says how many each thread has to make, beginning with
    /// the initial one.
    pub fn new(program: &'p Program, calls: Vec<usize>) -> Outcome<'p> {
        let thread = |start| TraceThread { start, calls: Vec::new(), status: Status::Finished };
        Outcome {
            program,
            memory: Memory::initial(program),
            recorder: Recorder::default(),
            threads: std::iter::once(Start::Begin)
                .chain(std::iter::repeat_n(Start::AfterFirst, calls.len() - 1))
                .map(thread)
                .collect(),
            planned: calls,
        }
    }

    /// Makes a call. After a stop, the execution is over.
    pub fn run(
        &mut self,
        thread: usize,
        op: Option<(OpId, usize)>,
        proc: ProcId,
        args: &[Value],
        script: Script,
    ) {
        let start = self.recorder.events.len();
        self.recorder.thread = thread;
        // It ended before, and does so again.
        let poll = Poll::never();
        let mut world = SerialWorld::new(self.memory.clone(), thread as u32, script.rewound(), &poll);
        world.recorder = Some(std::mem::take(&mut self.recorder));
        let mut interpreter = Thread::new(self.program, world);
        let words = args.iter().map(|&value| Word { value, deps: () }).collect();
        let result = interpreter.call(proc, words);
        self.memory = interpreter.world.memory;
        self.recorder = interpreter.world.recorder.take().unwrap_or_default();
        let results = match result {
            Ok(words) => Some(words.iter().map(|word| word.value).collect()),
            Err(halt) => {
                self.threads[thread].status = match halt.stop {
                    // These are told by their events.
                    Stop::Fault(Fault::UseAfterFree | Fault::DoubleFree) => Status::Stopped,
                    Stop::Fault(fault) => Status::Faulted { fault, span: halt.span, stack: halt.stack },
                    _ => Status::Stopped,
                };
                None
            }
        };
        let events = start..self.recorder.events.len();
        self.threads[thread].calls.push(Call { op, proc, args: args.to_vec(), results, events });
    }

    /// The trace, with events sorted thread by thread.
    pub(crate) fn into_trace(self) -> Trace {
        let Recorder { events, stores, .. } = self.recorder;
        let mut sorted: Vec<usize> = (0..events.len()).collect();
        sorted.sort_by_key(|&i| events[i].thread);
        let mut place = vec![EventId(0); events.len()];
        for (new, &old) in sorted.iter().enumerate() {
            place[old] = EventId(new as u32);
        }
        let mut slots: Vec<Option<Event>> = events.into_iter().map(Some).collect();
        let events = sorted.iter().filter_map(|&old| slots[old].take()).map(|mut event| {
            let mut sources: Vec<&mut Source> = event.life.iter_mut().collect();
            if let Action::Load { from, .. } = &mut event.action {
                sources.extend(from.iter_mut().map(|part| &mut part.source));
            }
            for source in sources {
                if let Source::Event(id) = source {
                    *id = place[id.index()];
                }
            }
            event
        });
        let events: Vec<Event> = events.collect();
        let mut threads = self.threads;
        for call in threads.iter_mut().flat_map(|thread| &mut thread.calls) {
            let start = call.events.clone().map(|old| place[old].index()).min().unwrap_or(0);
            call.events = start..start + call.events.len();
        }
        for (thread, planned) in threads.iter_mut().zip(self.planned) {
            if thread.status == Status::Finished && thread.calls.len() < planned {
                thread.status = Status::Stopped;
            }
        }
        Trace { threads, events, stores: stores.iter().map(|id| place[id.index()]).collect() }
    }
}
