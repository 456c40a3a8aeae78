//! States of the machine: threads with their execution buffers, and memory.
//!
//! A thread *fetches* its instructions in program order into its buffer and goes on without waiting for them.
//! What a pending instruction is going to compute is referred to by its position; when it is executed, its
//! results replace the references. Registers are thereby renamed: only true dependencies are left.

use super::info::Way;
use super::rules::{Class, Effect, Kinds};
use crate::code::registers::Registers;
use crate::code::{Instr, Src, small};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::memory::Object;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::value::{IntTy, Value};
use std::rc::Rc;

/// A value that is known, or will be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Opd {
    /// This one.
    Known(Value),
    /// A result of the pending instruction at a position; which one.
    Of(u32, u32),
}

impl Opd {
    pub(super) const UNDEFINED: Opd = Opd::Known(Value::UNDEFINED);

    pub(super) fn known(self) -> Option<Value> {
        match self {
            Opd::Known(value) => Some(value),
            Opd::Of(..) => None,
        }
    }
}

impl From<Value> for Opd {
    fn from(value: Value) -> Opd {
        Opd::Known(value)
    }
}

/// Bytes that an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Spot {
    pub(super) addr: u64,
    pub(super) bytes: u64,
    pub(super) stores: bool,
}

impl Spot {
    /// Whether the order of two accesses matters to what they read or leave behind.
    pub(super) fn conflicts(&self, other: &Spot) -> bool {
        let apart = |a: &Spot, b: &Spot| a.addr.saturating_add(a.bytes) <= b.addr;
        (self.stores || other.stores) && !apart(self, other) && !apart(other, self)
    }
}

/// An instruction in an execution buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pending {
    /// Where it was fetched.
    pub(super) pc: u32,
    /// Whether it is known what it is going to access, and that no younger instruction accessed the same before that
    /// was known.
    pub(super) placed: bool,
    pub(super) what: What,
}

/// What a pending instruction does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum What {
    /// Computes; the second operand repeats the first where there is one only.
    Op { op: PrimOp, a: Opd, b: Opd },
    /// A load.
    Load { addr: Opd, ty: IntTy },
    /// A store.
    Store { addr: Opd, value: Opd, ty: IntTy },
    /// An atomic block: the registers it needs, in the order of its static description, how it was foretold to go, and
    /// whether that says if it stores.
    Block { inputs: Box<[Opd]>, way: Way, strict: bool },
    /// A fence.
    Fence(Kinds),
    /// A branch whose outcome was guessed.
    Branch { cond: Opd, taken: bool },
    /// An assertion.
    Assert { cond: Opd, fault: u32 },
    /// A pointer was moved.
    Within { base: Opd, result: Opd },
    /// Executions in which the condition is not as wanted are left out.
    Assume { cond: Opd, want: bool },
    /// Starts a thread.
    Spawn { driver: u32, args: Box<[Opd]> },
    /// Starts the threads of the test.
    Launch,
    /// A loop starts over.
    Round,
    /// Was executed, with what fences inside of it order; kept while older instructions may turn out to have been in conflict
    /// with it.
    Done { class: Class, spots: Box<[Spot]>, through: Kinds },
    /// A runtime error. Nothing is behind it; it happens when nothing is in front of it.
    Fault(Fault),
}

impl What {
    /// What an instruction does that only computes or checks, given its operands.
    pub(super) fn of(instr: &Instr, value: impl Fn(Src) -> Opd) -> Option<What> {
        Some(match instr {
            Instr::Op { op, a, b, .. } => {
                What::Op { op: *op, a: value(*a), b: value(if op.arity() == 1 { *a } else { *b }) }
            }
            Instr::Assert { cond, fault } => What::Assert { cond: value(*cond), fault: *fault },
            Instr::Assume { cond, .. } => What::Assume { cond: value(*cond), want: true },
            Instr::Prune { cond } => {
                What::Assume { cond: cond.map_or(Opd::Known(Value::ONE), value), want: false }
            }
            Instr::Within { base, result } => What::Within { base: value(*base), result: value(*result) },
            _ => return None,
        })
    }
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Thread {
    /// Where it fetches. Registers that do not matter any more are undefined.
    pub(super) regs: Registers<Opd>,
    /// The execution buffer, oldest first.
    pub(super) pending: Vec<Pending>,
    /// Where its next local and its next heap object go.
    pub(super) next: [u64; 2],
    /// Objects that stay with it, and where they end: their content is `private`.
    pub(super) confined: Vec<(u64, u64)>,
    /// What it has written to them.
    pub(super) private: Vec<(u64, IntTy, Opd)>,
    /// Whether the round of a loop that is being fetched may change anything.
    pub(super) changed: bool,
    /// Whether fetching ever waited because too many rounds of loops were under way.
    pub(super) held: bool,
    /// Whether it waits for ever; nothing else of it matters then.
    pub(super) stuck: bool,
}

impl Thread {
    /// Waits for ever from now on.
    pub(super) fn give_up(&mut self) {
        self.end();
        self.regs.goto(0);
        self.pending.clear();
        self.confined.clear();
        self.private.clear();
        (self.changed, self.held, self.stuck) = (false, false, true);
    }

    /// Goes no further: nothing of what it was about to do matters.
    pub(super) fn end(&mut self) {
        self.regs.frames.truncate(1);
        self.regs.values.clear();
    }

    /// Calls `see` with every operand.
    pub(super) fn operands(&mut self, see: &mut impl FnMut(&mut Opd)) {
        self.regs.values.iter_mut().for_each(&mut *see);
        self.private.iter_mut().for_each(|(_, _, opd)| see(opd));
        for pending in &mut self.pending {
            match &mut pending.what {
                What::Op { a, b, .. } | What::Within { base: a, result: b } => {
                    [a, b].into_iter().for_each(&mut *see)
                }
                What::Load { addr, .. } => see(addr),
                What::Store { addr, value, .. } => [addr, value].into_iter().for_each(&mut *see),
                What::Block { inputs: opds, .. } | What::Spawn { args: opds, .. } => {
                    opds.iter_mut().for_each(&mut *see)
                }
                What::Branch { cond, .. } | What::Assert { cond, .. } | What::Assume { cond, .. } => {
                    see(cond)
                }
                What::Fence(_) | What::Launch | What::Round | What::Done { .. } | What::Fault(_) => {}
            }
        }
    }

    /// The results of the instruction at a position are known.
    pub(super) fn resolve(&mut self, at: usize, results: &[Value]) {
        self.operands(&mut |opd| {
            if let Opd::Of(position, which) = *opd
                && position as usize == at
            {
                *opd = Opd::Known(results[which as usize]);
            }
        });
    }

    /// Takes an instruction out of the buffer to which nothing refers.
    pub(super) fn remove(&mut self, at: usize) {
        self.pending.remove(at);
        self.operands(&mut |opd| {
            if let Opd::Of(position, _) = opd
                && *position as usize > at
            {
                *position -= 1;
            }
        });
    }

    /// Adds an instruction; what it computes is referred to by the result.
    pub(super) fn push(&mut self, pc: u32, what: What) -> u32 {
        self.pending.push(Pending { pc, placed: false, what });
        small(self.pending.len()) - 1
    }

    /// Whether an address belongs to an object that stays with the thread.
    pub(super) fn is_confined(&self, addr: u64) -> bool {
        self.confined.iter().any(|&(base, end)| (base..end).contains(&addr))
    }
}

/// A whole state. Threads and objects are shared between states.
#[derive(Clone)]
pub(super) struct World {
    pub(super) threads: Vec<Rc<Thread>>,
    /// Objects by ascending address; constant ones are not part of the state.
    pub(super) objects: Vec<Rc<Object>>,
}

impl World {
    /// The object that an address lies in.
    pub(super) fn find(&self, addr: u64) -> Option<usize> {
        let after = self.objects.partition_point(|object| object.base <= addr);
        let at = after.checked_sub(1)?;
        self.objects[at].holds(addr, 1).then_some(at)
    }

    pub(super) fn insert(&mut self, object: Object) {
        let at = self.objects.partition_point(|other| other.base < object.base);
        self.objects.insert(at, Rc::new(object));
    }

    pub(super) fn thread(&mut self, thread: usize) -> &mut Thread {
        Rc::make_mut(&mut self.threads[thread])
    }
}

/// The class of a pending instruction, if it accesses memory.
pub(super) fn class(what: &What) -> Option<Class> {
    match what {
        What::Load { .. } => Some(Class::Load),
        What::Store { .. } => Some(Class::Store),
        What::Block { .. } => Some(Class::Block),
        _ => None,
    }
}

/// What loads and stores do.
pub(super) fn simple_effect(class: Class) -> Effect {
    match class {
        Class::Load => Effect::LOAD,
        Class::Store => Effect::STORE,
        Class::Block => Effect { loads: true, stores: true },
    }
}
