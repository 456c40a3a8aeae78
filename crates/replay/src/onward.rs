//! What a thread that a trace leaves before its end would read next: what it waits for.
//!
//! The thread runs once more, on what the trace says that it read, and then goes on alone, in memory as it is in the
//! end, for as long as it changes nothing that others could notice.

use crate::explain::innermost_user;
use crate::sources::Contents;
use crate::world::Run;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Action, Event, Look, Status, Trace};
use fencepost_lsl::interp::{Access, NewObject, Site, Stop, Thread, Word, World};
use fencepost_lsl::program::{Choice, Fence, ProcId, address};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashMap;

/// For each thread that has not ended, the loads it makes next.
pub(crate) fn looks(harness: &Harness, trace: &Trace, runs: &[Run]) -> Vec<Vec<Look>> {
    let contents = Contents::new(&harness.program, trace);
    let mut first = 0;
    let mut looks = Vec::new();
    for (index, thread) in trace.threads.iter().enumerate() {
        let count = trace.events[first..].iter().take_while(|event| event.thread == index).count();
        let events = &trace.events[first..first + count];
        first += count;
        if thread.status != Status::Stopped {
            looks.push(Vec::new());
            continue;
        }
        let onward = Onward {
            harness,
            contents: &contents,
            runs,
            events,
            looks: Vec::new(),
            own: FxHashMap::default(),
            fuel: 100_000,
        };
        let mut interpreter = Thread::new(&harness.program, onward);
        for call in &thread.calls {
            let args = call.args.iter().map(|&value| Word { value, deps: () }).collect();
            if interpreter.call(call.proc, args).is_err() {
                break;
            }
        }
        looks.push(interpreter.world.looks.into_iter().map(|(_, look)| look).collect());
    }
    looks
}

struct Onward<'t> {
    harness: &'t Harness,
    contents: &'t Contents<'t>,
    runs: &'t [Run],
    /// The thread's events that are still to come.
    events: &'t [Event],
    /// Loads after these, with their statements.
    looks: Vec<(Span, Look)>,
    /// What the thread has written to its own variables since, byte by byte.
    own: FxHashMap<u64, Value>,
    fuel: u32,
}

impl<'t> Onward<'t> {
    fn take(&mut self) -> Option<&'t Action> {
        let (event, rest) = self.events.split_first()?;
        self.events = rest;
        Some(&event.action)
    }

    /// What memory holds for the thread.
    fn finds(&self, addr: u64, ty: IntTy) -> Option<Value> {
        let value = self.contents.last(addr, ty, |id| !self.runs[id.index()].unfinished)?;
        let (mut bits, mut undef) = (value.bits(), value.undef());
        for offset in 0..ty.bytes() {
            if let Some(byte) = self.own.get(&(addr + offset)) {
                let mask = 0xff << (8 * offset);
                bits = bits & !mask | (byte.bits() & 0xff) << (8 * offset);
                undef = undef & !mask | (byte.undef() & 0xff) << (8 * offset);
            }
        }
        Some(Value::partial(bits, undef).wrap(ty))
    }

    fn is_private(addr: u64) -> bool {
        (address::STACK..address::HEAP).contains(&addr)
    }
}

impl World for Onward<'_> {
    type Deps = ();
    type Content = ();

    fn load(&mut self, site: &Site<()>, access: Access) -> Result<Word<()>, Stop> {
        match self.take() {
            Some(Action::Load { value, .. }) => return Ok(Word { value: *value, deps: () }),
            Some(_) => return Err(Stop::Exhausted),
            None => {}
        }
        let Access { addr, ty, .. } = access;
        let value = self.finds(addr, ty).ok_or(Stop::Exhausted)?;
        if Onward::is_private(addr) {
            return Ok(Word { value, deps: () });
        }
        let span = innermost_user(self.harness, site.span, site.stack);
        if let Some(again) = self.looks.iter().position(|(at, look)| (*at, look.addr) == (site.span, addr)) {
            // It goes round: what came before is not part of that.
            self.looks.drain(..again);
            return Err(Stop::Exhausted);
        }
        self.looks.push((site.span, Look { addr, bytes: ty.bytes(), value, span }));
        Ok(Word { value, deps: () })
    }

    fn store(&mut self, _: &Site<()>, access: Access, word: &Word<()>) -> Result<(), Stop> {
        match self.take() {
            Some(Action::Store { .. }) => return Ok(()),
            Some(_) => return Err(Stop::Exhausted),
            None => {}
        }
        let Access { addr, ty, .. } = access;
        if Onward::is_private(addr) {
            let byte = |offset: u64| {
                Value::partial(word.value.bits() >> (8 * offset), word.value.undef() >> (8 * offset))
            };
            self.own.extend((0..ty.bytes()).map(|offset| (addr + offset, byte(offset))));
            return Ok(());
        }
        // What changes nothing goes unnoticed, as when a lock is taken that is taken.
        match self.finds(addr, ty) == Some(word.value.wrap(ty)) {
            true => Ok(()),
            false => Err(Stop::Exhausted),
        }
    }

    fn fence(&mut self, _: &Site<()>, _: Fence) -> Result<(), Stop> {
        self.take();
        Ok(())
    }

    fn atomic(&mut self, _: bool) -> Result<(), Stop> {
        Ok(())
    }

    fn alloc(&mut self, _: &Site<()>, _: NewObject) -> Result<Word<()>, Stop> {
        match self.take() {
            Some(Action::Alloc { addr, .. }) => Ok(Word { value: Value::new(*addr), deps: () }),
            _ => Err(Stop::Exhausted),
        }
    }

    fn within(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn free(&mut self, _: &Site<()>, _: u64) -> Result<(), Stop> {
        self.take().map(|_| ()).ok_or(Stop::Exhausted)
    }

    fn choose(&mut self, _: &Site<()>, _: &Choice) -> Result<Value, Stop> {
        match self.take() {
            Some(Action::Choose { value }) => Ok(*value),
            _ => Err(Stop::Exhausted),
        }
    }

    fn spawn(&mut self, _: &Site<()>, _: ProcId, _: Vec<Word<()>>) -> Result<(), Stop> {
        self.take().map(|_| ()).ok_or(Stop::Exhausted)
    }

    fn tick(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Exhausted)?;
        Ok(())
    }

    fn content(&self) -> Option<()> {
        None
    }
}
