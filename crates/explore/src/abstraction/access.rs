//! Accesses on abstract buffers: what differs from [`crate::step::access`] when a buffer is not exact.
//!
//! # Soundness
//!
//! The machine that is abstracted is the reduced one of this crate. Stores to cells that no other thread
//! looks at go to memory at once: their thread sees them either way, and whether they wait in a buffer
//! changes nothing for anybody else. A new thread starts without waiting for stores of the one that starts it,
//! which only adds executions.

use super::Abstraction;
use super::buffer::{Flush, Item};
use crate::code::small;
use crate::options::Model;
use crate::step::machine::Spot;
use crate::step::recorder::Recorder;
use crate::step::run::{Run, Stop};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::value::{IntTy, Value};

impl<R: Recorder> Run<'_, '_, R> {
    /// Whether the thread's abstract buffer is empty; so it is if buffers are exact.
    pub(crate) fn settled(&self) -> bool {
        self.machine.rules.is_none() || self.loose.is_empty()
    }

    /// Whether loads wait for a store in the abstract buffer.
    pub(crate) fn loose_due(&self) -> bool {
        self.machine.rules.is_some_and(|rules| self.loose.due(rules))
    }

    /// Whether an access of an atomic block waits for stores in the abstract buffer.
    pub(crate) fn loose_bars(&self, addr: u64, bytes: u64, store: bool) -> bool {
        let Some(rules) = self.machine.rules else { return false };
        !self.loose.is_empty()
            && (rules.one_queue
                || self.loose.covers(addr, bytes)
                || if store { self.loose.barred(rules) } else { self.loose.due(rules) })
    }

    /// Whether a fence lets its thread wait until the abstract buffer is empty.
    pub(crate) fn drains(&self, stores: bool, loads: bool) -> bool {
        let both = stores || self.machine.options.model == Model::Tso;
        !self.settled() && loads && both
    }

    /// A fence, or the order of a store: marks for those it does not wait for.
    pub(crate) fn loose_fence(&mut self, stores: bool, loads: bool) {
        if self.settled() {
            return;
        }
        if stores && self.machine.options.model == Model::Pso {
            self.loose.order_stores();
            self.buffer_changed = true;
        }
        if loads {
            self.loose.order_loads();
            self.buffer_changed = true;
        }
    }

    /// What a load sees, given what memory holds.
    pub(crate) fn loose_load(&mut self, addr: u64, ty: IntTy, memory: Value) -> Result<Value, Stop> {
        let Some(rules) = self.machine.rules.filter(|_| !self.loose.is_empty()) else { return Ok(memory) };
        match self.loose.load(rules, addr, ty, memory).as_deref() {
            Some([only]) => Ok(*only),
            Some(several) => {
                self.machine.pure = false;
                Ok(several[self.script.take(small(several.len())) as usize])
            }
            None => Err(mixed()),
        }
    }

    /// Puts a store in the abstract buffer.
    pub(crate) fn loose_store(&mut self, addr: u64, ty: IntTy, value: Value) -> Result<(), Stop> {
        let Some(rules) = self.machine.rules else { return Ok(()) };
        let frames = &self.machine.frames;
        let label = if self.machine.options.labelled { frames[frames.len() - 1].pc } else { 0 };
        self.buffer_changed = true;
        match self.loose.store(rules, Item::new(addr, ty, value, label)) {
            true => Ok(()),
            false => Err(mixed()),
        }
    }

    /// The thread's own view of a whole word, for what refers to objects.
    pub(crate) fn loose_word(&self, start: u64, memory: Value) -> Value {
        let Some(rules) = self.machine.rules else { return memory };
        let seen = self.loose.load(rules, start, IntTy::U64, memory);
        seen.and_then(|seen| seen.first().copied()).unwrap_or(memory)
    }

    /// Whether a thread that is left alone can have its buffer drained: what is last is known.
    pub(crate) fn drainable(&self) -> bool {
        self.settled() || self.machine.rules.is_some_and(|rules| rules.abstraction != Abstraction::Set)
    }

    /// Lets the whole abstract buffer reach memory, of which the last store to each address is left.
    pub(crate) fn loose_drain(&mut self) -> Result<(), Stop> {
        for item in std::mem::take(&mut self.loose).last {
            self.buffer_changed = true;
            self.loose_write(&item)?;
        }
        Ok(())
    }

    /// Lets one store of the abstract buffer reach memory.
    pub(crate) fn loose_flush(&mut self, flush: &Flush) -> Result<(), Stop> {
        self.loose.flush(flush);
        self.buffer_changed = true;
        self.loose_write(&flush.item)
    }

    fn loose_write(&mut self, item: &Item) -> Result<(), Stop> {
        let spot: Spot = self.machine.locate(self.world, item.addr, item.bytes as u64)?;
        if self.machine.pools.object(spot.object).freed() {
            return Err(Fault::UseAfterFree.into());
        }
        self.write(spot, item.ty(), item.value, false);
        Ok(())
    }

    /// Takes note of the stores that an access passes while they are in the buffer. Only accesses that begin a
    /// step count: to prevent another would not prevent what the step did before it.
    pub(crate) fn pass(&mut self) {
        if self.machine.options.labelled && !self.settled() {
            let frames = &self.machine.frames;
            let pc = frames[frames.len() - 1].pc;
            let mut labels: Vec<u32> = self.loose.items().map(|item| item.label).collect();
            labels.sort_unstable();
            labels.dedup();
            self.machine.passed.push((pc, labels));
        }
    }
}

fn mixed() -> Stop {
    let what =
        "accesses of different sizes to the same memory, with abstract store buffers; try --abstraction none";
    Stop::Unsupported(what.into())
}
