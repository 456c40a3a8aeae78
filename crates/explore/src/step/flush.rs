//! Stores on their way: into the buffer of a thread, in order there, and out of it to memory.

use crate::code::small;
use crate::state::buffer::exact::{Entry, Kind};
use crate::state::buffer::loose::Item;
use crate::state::buffer::{Buffer, Flush};
use crate::step::recorder::Recorder;
use crate::step::run::{Run, Stop};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::value::{IntTy, Value};
use fencepost_models::Buffering;

impl<R: Recorder> Run<'_, '_, R> {
    /// Whether a fence lets its thread wait until the buffer is empty: a loose one has no marks for it.
    pub(crate) fn drains(&self, stores: bool, loads: bool) -> bool {
        self.buffer.is_loose() && !self.buffer.is_empty() && loads && (stores || self.machine.one_queue())
    }

    /// A fence, or the order of a store: marks for accesses behind it.
    pub(crate) fn fence(&mut self, stores: bool, loads: bool) {
        if self.buffer.is_empty() {
            return;
        }
        if stores && self.machine.options.buffering == Buffering::Pso {
            self.buffer.order_stores();
        }
        if loads {
            self.buffer.order_loads();
        }
        self.buffer_changed = true;
    }

    /// What a load sees, given what memory holds.
    pub(crate) fn see(&mut self, addr: u64, ty: IntTy, memory: Value) -> Result<Value, Stop> {
        let seen = match &self.buffer {
            Buffer::Exact(buffer) => return Ok(buffer.forward(addr, ty, memory)),
            Buffer::Loose(rules, buffer) => buffer.load(*rules, addr, ty, memory),
        };
        match seen.as_deref() {
            Some([only]) => Ok(*only),
            Some(several) => {
                self.machine.looks.pure = false;
                Ok(several[self.script.take(small(several.len())) as usize])
            }
            None => Err(mixed()),
        }
    }

    /// Puts a store in the buffer.
    pub(crate) fn put(&mut self, addr: u64, ty: IntTy, value: Value) -> Result<(), Stop> {
        self.buffer_changed = true;
        match &mut self.buffer {
            Buffer::Exact(buffer) => {
                buffer.push(Entry { kind: Kind::Store, addr, ty, value: value.wrap(ty), barrier: false });
            }
            Buffer::Loose(rules, buffer) => {
                let label = if self.machine.options.labelled { self.machine.thread.pc() } else { 0 };
                if !buffer.store(*rules, Item::new(addr, ty, value, label)) {
                    return Err(mixed());
                }
            }
        }
        Ok(())
    }

    /// Takes note of the stores that an access passes while they are in the buffer. Only accesses that begin a
    /// step count: to prevent another would not prevent what the step did before it.
    pub(crate) fn pass(&mut self) {
        if self.machine.options.labelled
            && let Buffer::Loose(_, buffer) = &self.buffer
            && !buffer.is_empty()
        {
            let mut labels: Vec<u32> = buffer.items().map(|item| item.label).collect();
            labels.sort_unstable();
            labels.dedup();
            self.machine.notes.passed.push((self.machine.thread.pc(), labels));
        }
    }

    /// Lets the whole buffer reach memory; of a loose one, the last store to each address is left.
    pub(crate) fn drain(&mut self) -> Result<(), Stop> {
        if let Buffer::Loose(_, buffer) = &mut self.buffer {
            for item in std::mem::take(buffer).last {
                self.buffer_changed = true;
                self.arrive(item.addr, item.ty(), item.value)?;
            }
        }
        while !self.buffer.is_empty() {
            self.flush(&Flush::Entry(0))?;
        }
        Ok(())
    }

    /// Lets a store in the buffer reach memory.
    pub(crate) fn flush(&mut self, flush: &Flush) -> Result<(), Stop> {
        self.buffer_changed = true;
        let entry = match (flush, &mut self.buffer) {
            (Flush::Entry(index), Buffer::Exact(buffer)) => {
                self.recorder.flush(self.thread, *index);
                buffer.remove(*index)
            }
            (Flush::Loose(flush), Buffer::Loose(_, buffer)) => {
                buffer.flush(flush);
                return self.arrive(flush.item.addr, flush.item.ty(), flush.item.value);
            }
            _ => unreachable!("buffers of an exploration are of one form"),
        };
        match entry.kind {
            Kind::Start => self.machine.release(self.world, entry.addr as usize),
            Kind::Store => self.arrive(entry.addr, entry.ty, entry.value)?,
            Kind::Free => {
                let spot = self.machine.locate(self.world, entry.addr, 0)?;
                if self.object(spot).freed() {
                    return Err(Fault::DoubleFree.into());
                }
                self.end_life(spot, false);
            }
        }
        Ok(())
    }

    /// A store reaches memory.
    fn arrive(&mut self, addr: u64, ty: IntTy, value: Value) -> Result<(), Stop> {
        let spot = self.machine.locate(self.world, addr, ty.bytes())?;
        if self.object(spot).freed() {
            return Err(Fault::UseAfterFree.into());
        }
        self.write(spot, ty, value, false);
        Ok(())
    }

    /// Lets entries reach memory at once that nobody else can notice: starts of threads that wait for no
    /// store any more, and stores to cells without competition.
    pub(crate) fn settle(&mut self) {
        let one_queue = self.machine.one_queue();
        let mut index = 0;
        while let Buffer::Exact(buffer) = &self.buffer
            && let Some(&entry) = buffer.entries.get(index)
        {
            let unnoticed = match entry.kind {
                Kind::Start => true,
                Kind::Free => false,
                Kind::Store => match self.machine.locate(self.world, entry.addr, entry.ty.bytes()) {
                    Ok(spot) => !self.object(spot).freed() && self.writes_unnoticed(spot, entry.ty.bytes()),
                    Err(_) => false,
                },
            };
            let flush = Flush::Entry(index);
            if unnoticed && buffer.ready(index, one_queue) && self.flush(&flush).is_ok() {
                index = 0;
            } else {
                index += 1;
            }
        }
    }
}

fn mixed() -> Stop {
    let what =
        "accesses of different sizes to the same memory, with abstract store buffers; try --abstraction none";
    Stop::Unsupported(what.into())
}
