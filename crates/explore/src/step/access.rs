//! Accesses to memory: what they touch, whether others can notice, and when they must wait.
//!
//! On sc, stores go to memory. On tso and pso they go to the thread's buffer, which nobody else sees, so
//! that only loads, atomic blocks and entries that reach memory are visible actions. An atomic block goes
//! to memory itself and first waits: on tso until the buffer is empty, on pso until it holds none of the
//! bytes that the block accesses. Fences hold up accesses behind them, see [`crate::state::buffer`].
//!
//! # Soundness
//!
//! *Private memory.* An object whose address was never stored where others can find it is accessed by its thread alone. On sc
//! and tso its stores go to memory at once. On tso that changes nothing: others can reach the object only through a store
//! that its thread makes later, and stores reach memory in order. On pso the later store may overtake, so there only objects
//! that stay private for ever count, see [`crate::code::confine`]. The same goes for tso once a ghost was seen to tell others
//! of such an object, since ghosts overtake all stores, and everywhere once an address was seen in a form that is not
//! recognised, see [`crate::reduce::forms`]; either way the exploration begins anew. Up to the first such ghost all is as
//! said, so the exploration meets it.
//!
//! *Cells without competition*: see [`crate::reduce::footprint`]. A buffered store to such a cell reaches memory as
//! soon as it may, since nobody but its thread looks, and that one sees its own stores anyway.
//!
//! *Ghost accesses* stand in blocks, go to memory themselves, and wait only for stores that a fence keeps before
//! loads, and to write what is still in the buffer.
//!
//! *Loose buffers.* The machine that is abstracted is this one, reduced. Stores to cells that no other thread looks at go to
//! memory at once: their thread sees them either way, and whether they wait in a buffer changes nothing for anybody else.
//!
//! *A thread alone* needs neither scheduling points nor a buffer.

use crate::code::small;
use crate::reduce::alike::Part;
use crate::state::address;
use crate::state::buffer::Buffer;
use crate::state::buffer::exact::{Entry, Kind};
use crate::state::object::{self, Object};
use crate::step::memory::{Place, Spot};
use crate::step::recorder::{Goal, Note, Recorder};
use crate::step::run::{Run, Stop};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::program::{self, Order};
use fencepost_lsl::value::{IntTy, Value};
use fencepost_models::Buffering;

/// Bytes that an object may have.
const MOST_BYTES: u64 = 1 << 24;

impl<R: Recorder> Run<'_, '_, R> {
    pub(crate) fn object(&self, spot: Spot) -> Object<'_> {
        self.machine.pools.object(spot.object)
    }

    /// A load; none if it is a scheduling point.
    #[inline]
    pub(crate) fn load(&mut self, addr: u64, ty: IntTy, order: Order) -> Result<Option<Value>, Stop> {
        let spot = self.machine.locate(self.world, addr, ty.bytes())?;
        let (owner, class) = (self.object(spot).owner(), self.object(spot).class());
        let own = owner == Some(self.thread) || matches!(spot.place, Place::Constant(_));
        let footprint = self.machine.options.reductions.footprint;
        let (offset, bytes) = (spot.offset, ty.bytes());
        if order == Order::Ghost {
            self.wait_for_due()?;
        } else if self.depth > 0 {
            self.wait_in_block(addr, bytes, false)?;
            self.pass();
        } else {
            let alone = footprint && self.machine.footprint.reads_alone(class, offset, bytes, self.thread);
            let local = own || alone || self.sole;
            // On pso, even a load that nobody notices keeps what is due before stores behind it. A monitor notices when calls
            // return.
            let due = self.buffer.due();
            let noticed = self.machine.options.buffering == Buffering::Pso || self.machine.code.is_watched();
            if due && (!local || noticed) {
                return if self.may_wait() { Err(Stop::Blocked) } else { Ok(None) };
            }
            if !local {
                if !self.spend() {
                    return Ok(None);
                }
                self.pass();
            }
        }
        if !own && self.depth == 0 && !self.reads() {
            return Ok(None);
        }
        if self.object(spot).freed() || self.buffer.frees(addr) {
            let memory = self.object(spot).read(offset, ty);
            let value = self.buffer.view(addr, ty, memory);
            self.note(Note::Load { addr, ty, order, value });
            return Err(Fault::UseAfterFree.into());
        }
        if footprint && !own && self.counts() {
            self.machine.footprint.read(class, offset, bytes, self.thread);
        }
        let mut value = self.object(spot).read(offset, ty);
        if !self.buffer.is_empty() {
            value = self.see(addr, ty, value)?;
        }
        let buffer = &self.buffer;
        self.machine.watch(self.world, |alike, forms, lay| {
            let (content, part) = (lay.pools.object(spot.object).content(), Part { addr, offset, ty });
            alike.load(content, buffer.entries(), part, value);
            forms.load(lay, content, buffer, part, value)
        });
        self.note(Note::Load { addr, ty, order, value });
        Ok(Some(value))
    }

    /// Whether the footprint takes note of what this thread does. What the first thread does before there
    /// are others competes with nothing. What a thread does after all others does: that it comes so late
    /// may be owed to steps that were taken early.
    fn counts(&self) -> bool {
        self.world.threads.len() > 1
    }

    /// Ghosts wait for stores that fences keep before loads.
    fn wait_for_due(&self) -> Result<(), Stop> {
        if self.buffer.due() { Err(Stop::Blocked) } else { Ok(()) }
    }

    /// Accesses of an atomic block wait for stores before it.
    fn wait_in_block(&self, addr: u64, bytes: u64, store: bool) -> Result<(), Stop> {
        let waits = !self.buffer.is_empty()
            && (self.machine.one_queue()
                || self.buffer.covers(addr, bytes)
                || if store { self.buffer.barred() } else { self.buffer.due() });
        if waits { Err(Stop::Blocked) } else { Ok(()) }
    }

    /// A store; false if it is a scheduling point.
    pub(crate) fn store(&mut self, addr: u64, value: Value, ty: IntTy, order: Order) -> Result<bool, Stop> {
        let spot = self.machine.locate(self.world, addr, ty.bytes())?;
        if matches!(spot.place, Place::Constant(_)) {
            return Err(Fault::ReadOnly.into());
        }
        let own = self.object(spot).owner() == Some(self.thread);
        let model = self.machine.options.buffering;
        if order.releases() {
            self.fence(true, false);
        }
        let loose = self.buffer.is_loose();
        // In exact buffers such stores wait until they may settle.
        let unnoticed =
            loose && self.writes_unnoticed(spot, ty.bytes()) && !self.buffer.covers(addr, ty.bytes());
        let direct = self.depth > 0 || own || self.sole || model == Buffering::Sc || unnoticed;
        if order == Order::Ghost {
            self.wait_for_due()?;
            if self.buffer.covers(addr, ty.bytes()) {
                return Err(Stop::Blocked);
            }
        } else if self.depth > 0 {
            self.wait_in_block(addr, ty.bytes(), true)?;
        } else if !own && !self.sole && model == Buffering::Sc && !self.writes_unnoticed(spot, ty.bytes()) {
            if !self.spend() {
                return Ok(false);
            }
        } else if !direct && self.machine.options.labelled && !self.spend() {
            return Ok(false);
        } else if !direct && self.full()? {
            return if self.may_wait() { Err(Stop::Blocked) } else { Ok(false) };
        }
        if !own && !unnoticed && order != Order::Ghost {
            self.pass();
        }
        if self.object(spot).freed() || self.buffer.frees(addr) {
            self.note(Note::Store { addr, ty, order, value: value.wrap(ty), to: Goal::Dead });
            return Err(Fault::UseAfterFree.into());
        }
        self.note(Note::Store { addr, ty, order, value: value.wrap(ty), to: Goal::new(direct) });
        self.machine.watch(self.world, |alike, forms, lay| {
            alike.stored(value, ty);
            forms.stored(lay, value, ty)
        });
        if direct {
            let tells = self.write(spot, ty, value, own);
            // Of what is its thread's own or was, and is known by a store that is still under way.
            if tells && order == Order::Ghost && model != Buffering::Sc {
                self.machine.footprint.told();
            }
        } else {
            self.machine.share_word(self.world, value.bits());
            let word = spot.offset / 8;
            let memory = Value::new(self.object(spot).content()[word as usize]);
            self.put(addr, ty, value)?;
            if ty.bytes() < 8 || loose {
                // The last piece of a pointer that is copied in pieces.
                let start = addr - spot.offset + 8 * word;
                let whole = self.buffer.view(start, IntTy::U64, memory);
                self.machine.share_word(self.world, whole.bits());
            }
        }
        if !own && !self.sole {
            self.commit();
        }
        if order == Order::SeqCst {
            self.fence(false, true);
        }
        Ok(true)
    }

    /// Whether the buffer is full, and the thread has to wait before it stores anything else.
    fn full(&mut self) -> Result<bool, Stop> {
        let most = self.machine.options.buffer;
        if self.buffer.entries().len() < most {
            return Ok(false);
        }
        if self.may_as_well_wait() {
            return Ok(true);
        }
        if self.machine.options.waits_when_full {
            self.machine.notes.waited = true;
            return Ok(true);
        }
        Err(Stop::Unsupported(format!("more than {most} stores of a thread under way")))
    }

    /// Whether nobody can tell if the thread waits for its oldest store to reach memory before it stores anything
    /// else. What it does before that are stores that cannot reach memory earlier, since on tso they are behind and
    /// on pso a barrier is between, and no loads that others could notice, since those wait for stores that are due.
    /// Monitors would notice that a call returns.
    fn may_as_well_wait(&self) -> bool {
        let behind = self.machine.one_queue() || self.buffer.barred();
        self.buffer.due() && behind && self.machine.monitor.is_none()
    }

    /// Whether no other thread competes for what a store writes.
    pub(crate) fn writes_unnoticed(&self, spot: Spot, bytes: u64) -> bool {
        let class = self.object(spot).class();
        self.machine.options.reductions.footprint
            && self.machine.footprint.writes_alone(class, spot.offset, bytes, self.thread)
    }

    /// Writes to memory. Whether there are objects that everybody can reach by it.
    pub(crate) fn write(&mut self, spot: Spot, ty: IntTy, value: Value, own: bool) -> bool {
        let mut words = self.object(spot).0.to_vec();
        if self.machine.options.reductions.footprint && !own && self.counts() {
            self.machine.footprint.write(Object(&words).class(), spot.offset, ty.bytes(), self.thread);
        }
        object::write(&mut words, spot.offset, ty, value);
        let (kept, after) = (value.wrap(ty).bits(), Object(&words).content());
        self.machine.watch(self.world, |alike, forms, lay| {
            let before = lay.pools.object(spot.object).content();
            alike.write(before, after, spot.offset, ty, kept);
            forms.write(lay, before, after, spot.offset, ty, kept)
        });
        self.machine.replace(self.world, spot.place, &words)
    }

    /// A new object; none if it is a scheduling point.
    pub(crate) fn alloc(&mut self, size: u64, site: u32) -> Result<Option<u64>, Stop> {
        let code = self.machine.code;
        let options = self.machine.options;
        let made = &code.sites[site as usize];
        if size > MOST_BYTES {
            return Err(Stop::Unsupported(format!("an object of more than {MOST_BYTES} bytes")));
        }
        let class = small(self.machine.program.globals.len()) + site;
        let heap = made.place == program::Place::Heap;
        let shape = object::Shape { size, align: made.align, class, heap, zeroed: made.zeroed };
        let trust = self.machine.footprint.trust();
        let ordered = trust.plain
            && (options.buffering == Buffering::Sc || options.buffering == Buffering::Tso && trust.ordered);
        let private = options.reductions.private && (made.confined || ordered);
        let owner = private.then_some(self.thread);
        if options.reuse && heap {
            if !self.sole && self.depth == 0 && !self.spend() {
                return Ok(None);
            }
            self.machine.looks.pure = false;
            let dead: Vec<usize> = (0..self.world.slots.len())
                .filter(|&at| {
                    let object = self.machine.pools.object(self.world.objects[at]);
                    object.freed() && object.size() == size && object.align() == made.align
                })
                .collect();
            let taken = if dead.is_empty() { 0 } else { self.script.take(small(dead.len()) + 1) as usize };
            if taken > 0 {
                let at = dead[taken - 1];
                let class_before = self.machine.pools.object(self.world.objects[at]).class();
                self.machine.footprint.free(class_before, self.thread);
                self.machine.footprint.free(class, self.thread);
                let addr = address::base(self.world.slots[at], made.align);
                self.note(Note::Alloc { addr, size, site, reused: true });
                let words = object::new(shape, None);
                self.machine.replace(self.world, Place::Dynamic(at), &words);
                self.commit();
                return Ok(Some(addr));
            }
        }
        let region = address::region(made.place, self.thread);
        let needed = address::slots(size, made.align);
        let (mut slot, mut free) = (region.start, 0);
        while free < needed && slot + needed <= region.end {
            match self.machine.looks.room(&self.machine.pools, self.world, slot + free) {
                0 => free += 1,
                taken => (slot, free) = (slot + free + taken, 0),
            }
        }
        if slot + needed > region.end {
            return Err(Stop::Unsupported("a thread with more objects than there is room for".into()));
        }
        let words = object::new(shape, owner);
        let number = self.machine.pools.intern_object(&words);
        self.world.insert(slot, number);
        self.machine.looks.make(slot);
        let addr = address::base(slot, made.align);
        self.note(Note::Alloc { addr, size, site, reused: false });
        Ok(Some(addr))
    }

    /// The end of an object; false if it is a scheduling point.
    pub(crate) fn free(&mut self, addr: u64) -> Result<bool, Stop> {
        let spot = self.machine.locate(self.world, addr, 0).map_err(|_| Fault::BadFree)?;
        let object = self.object(spot);
        if !object.heap() || spot.offset != 0 {
            return Err(Fault::BadFree.into());
        }
        let own = object.owner() == Some(self.thread);
        let (size, model) = (object.size(), self.machine.options.buffering);
        let direct = self.depth > 0 || own || self.sole || model == Buffering::Sc;
        if self.depth > 0 {
            self.wait_in_block(addr, size, true)?;
        } else if direct && !own && !self.sole && !self.spend() {
            return Ok(false);
        } else if !direct && !self.buffer.is_loose() && self.full()? {
            return if self.may_wait() { Err(Stop::Blocked) } else { Ok(false) };
        }
        if self.object(spot).freed() || self.buffer.frees(addr) {
            self.note(Note::Free { addr, to: Goal::Dead });
            return Err(Fault::DoubleFree.into());
        }
        self.note(Note::Free { addr, to: Goal::new(direct) });
        match &mut self.buffer {
            _ if direct => self.end_life(spot, own),
            Buffer::Exact(buffer) => {
                let (kind, ty, value) = (Kind::Free, IntTy::U8, Value::new(size));
                buffer.push(Entry { kind, addr, ty, value, barrier: false });
                self.buffer_changed = true;
            }
            Buffer::Loose(..) => {
                return Err(Stop::Unsupported("`free` of shared memory, with abstract store buffers".into()));
            }
        }
        if !own && !self.sole {
            self.commit();
        }
        Ok(true)
    }

    pub(crate) fn end_life(&mut self, spot: Spot, own: bool) {
        let mut words = self.object(spot).0.to_vec();
        if !own && self.counts() {
            self.machine.footprint.free(Object(&words).class(), self.thread);
        }
        object::free(&mut words);
        self.machine.replace(self.world, spot.place, &words);
    }
}
