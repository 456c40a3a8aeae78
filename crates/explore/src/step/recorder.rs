//! What can be noted while threads run. Exploring notes nothing and pays nothing for it; a counterexample is
//! run once more to note its events.

use crate::code::registers::Frame;
use fencepost_lsl::program::{Fence, Order};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};

/// Where something happens.
pub(crate) struct At<'a> {
    pub(crate) thread: usize,
    pub(crate) pc: u32,
    pub(crate) frames: &'a [Frame],
}

/// Something that happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    /// A load, also of dead memory.
    Load { addr: u64, ty: IntTy, order: Order, value: Value },
    /// A store.
    Store { addr: u64, ty: IntTy, order: Order, value: Value, to: Goal },
    /// A fence.
    Fence(Fence),
    /// A new object.
    Alloc { addr: u64, size: u64, site: u32, reused: bool },
    /// The end of one.
    Free { addr: u64, to: Goal },
    /// A choice.
    Choose(Value),
    /// A thread is started.
    Spawn(usize),
}

/// Where a store goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    Memory,
    Buffer,
    /// Its object is dead. It comes after what is under way.
    Dead,
}

impl Goal {
    pub(crate) fn new(direct: bool) -> Goal {
        if direct { Goal::Memory } else { Goal::Buffer }
    }
}

/// Takes note of what happens.
pub(crate) trait Recorder {
    fn note(&mut self, _at: At, _note: Note) {}
    /// The start or end of an outermost atomic block.
    fn atomic(&mut self, _starts: bool) {}
    /// The start of a thread is put in a thread's buffer, behind its stores.
    fn queue_start(&mut self, _thread: usize) {}
    /// An entry of a thread's buffer reaches memory.
    fn flush(&mut self, _thread: usize, _index: usize) {}
    /// A call of the subject begins.
    fn begin(&mut self, _thread: usize, _call: u32, _args: Vec<Value>) {}
    /// It ends.
    fn end(&mut self, _thread: usize, _results: Vec<Value>) {}
    /// A thread fails.
    fn fail(&mut self, _at: At, _fault: &fencepost_lsl::fault::Fault, _span: Span) {}
    /// Whether it wants to know of calls; spares the values.
    fn listens(&self) -> bool {
        false
    }
}

/// Takes no note.
pub(crate) struct Nothing;

impl Recorder for Nothing {}
