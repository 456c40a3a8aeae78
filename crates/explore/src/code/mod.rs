//! What is executed. Bytecode: LSL with its blocks flattened to jumps, all procedures in one array of instructions.
//!
//! A thread's state is then a stack of positions with the registers that are live there. Procedures are
//! called, not inlined, so that recursion needs no bound. Each thread starts in a *driver*, a procedure of
//! ours that makes the calls of a client or test one after the other ([`driver`]).
//!
//! *Invariant:* code is made once ([`compile`]) and never changes; what holds of every execution, whatever the machine, is
//! written beside it: which registers matter where ([`live`]), which objects stay with their thread ([`confine`]). It knows
//! nothing of states or memory models.

pub(crate) mod compile;
pub(crate) mod confine;
pub(crate) mod driver;
pub(crate) mod live;
pub(crate) mod registers;

use fencepost_harness::client::FixedCall;
use fencepost_harness::operation::OpId;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::layout::LayoutId;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Choice, Fence, Order, Place, ProcId, Unmet};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};

/// A register of the procedure under way, or, if negative, the constant with the complement as number.
pub(crate) type Src = i32;

/// A register as an operand.
pub(crate) fn register(number: u32) -> Src {
    // A number that is cut would name a constant.
    i32::try_from(number).expect("a procedure has fewer registers")
}

/// A count as one of 32 bits.
#[inline]
pub(crate) fn small(count: usize) -> u32 {
    // A number that is cut would stand for something else; who adds to a set first asks whether it is nearly full.
    u32::try_from(count).expect("sets that are nearly full are not added to")
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instr {
    /// `dst = op(a, b)`; operations of one argument ignore `b`.
    Op { dst: u32, op: PrimOp, a: Src, b: Src },
    /// `dst = *addr`.
    Load { dst: u32, addr: Src, ty: IntTy, order: Order, failing: Option<Order> },
    /// `*addr = value`.
    Store { addr: Src, value: Src, ty: IntTy, order: Order },
    /// A fence.
    Fence(Fence),
    /// The start of an atomic block.
    Enter,
    /// The end of one.
    Leave,
    /// `results = proc(args)`.
    Call { proc: u32, args: Box<[Src]>, results: Box<[u32]> },
    /// The end of a procedure.
    Return,
    /// Goes on elsewhere, leaving some atomic blocks.
    Jump { to: u32, leave: u32 },
    /// The same if a condition holds. Compare-and-swaps jump like this where a machine has no branch.
    JumpIf { cond: Src, to: u32, leave: u32, predicated: bool },
    /// Gives up the whole execution if a condition holds: a primed operation would retry.
    Prune { cond: Option<Src> },
    /// A fault, by number, unless a condition holds.
    Assert { cond: Src, fault: u32 },
    /// Goes no further unless a condition holds.
    Assume { cond: Src, unmet: Unmet },
    /// A fault if a pointer was moved from the first address, away from its object, to the second.
    Within { base: Src, result: Src },
    /// `dst =` address of a new object of an allocation site.
    Alloc { dst: u32, size: Src, site: u32 },
    /// The end of an object.
    Free { addr: Src },
    /// `dst =` one of a numbered set of choices.
    Choose { dst: u32, from: u32 },
    /// A call of the test begins; by number.
    Begin { call: u32 },
    /// It ends.
    End { call: u32 },
    /// Starts a thread in a driver.
    Spawn { driver: u32, args: Box<[Src]> },
    /// Starts the threads of the test, each in its driver.
    Launch { drivers: Box<[u32]> },
    /// A place where a fence could be put, by number.
    Slot(u32),
    /// The end of a thread.
    Exit,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(crate) struct ProcCode {
    /// The procedure it is made from; none for a driver.
    pub(crate) proc: Option<ProcId>,
    /// Its first instruction.
    pub(crate) entry: u32,
    /// Behind its last instruction.
    pub(crate) end: u32,
    /// How many registers it has.
    pub(crate) regs: u32,
    /// Registers that receive the arguments.
    pub(crate) params: Vec<u32>,
    /// Registers whose final values are returned.
    pub(crate) results: Vec<u32>,
}

/// Where objects are allocated.
#[derive(Clone, Debug)]
pub(crate) struct AllocSite {
    pub(crate) align: u64,
    pub(crate) zeroed: bool,
    pub(crate) place: Place,
    pub(crate) layout: Option<LayoutId>,
    /// Whether no address of its objects is ever stored to memory or given to another thread.
    pub(crate) confined: bool,
}

/// A call that a driver makes.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    /// The operation, and its number in the test.
    pub(crate) op: Option<(OpId, usize)>,
    /// What is called.
    pub(crate) proc: ProcId,
    /// The driver's registers or constants that are its arguments.
    pub(crate) args: Vec<Src>,
    /// The driver's registers that receive its results.
    pub(crate) results: Vec<u32>,
    /// The call as a monitor sees it; none if it watches nothing of it.
    pub(crate) watched: Option<FixedCall>,
}

/// A compiled subject.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instrs: Vec<Instr>,
    /// For each instruction, the statement it is made from.
    pub(crate) spans: Vec<Span>,
    /// For each instruction, whether it may run inside of an atomic block.
    pub(crate) atomic: Vec<bool>,
    /// For each instruction, the registers that matter before it; for a call, those that matter while it
    /// is under way.
    pub(crate) live: Vec<Box<[u32]>>,
    pub(crate) procs: Vec<ProcCode>,
    pub(crate) consts: Vec<Value>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) sites: Vec<AllocSite>,
    pub(crate) calls: Vec<CallSite>,
    /// The driver that runs first.
    pub(crate) first: u32,
    /// Threads and calls whose values make up an observation, in the order of the test.
    pub(crate) observed: Vec<(u32, u32)>,
    /// Which of these values are pointers.
    pub(crate) pointers: Vec<bool>,
    /// Initial calls of a client, for its monitor.
    pub(crate) initial: Vec<u32>,
    /// For each thread of a client that is watched, the last one before it that makes the same calls, and the
    /// driver of that one.
    pub(crate) twins: Vec<Option<(usize, u32)>>,
}

/// Values of a type small enough to try all of.
const ENUMERABLE_BITS: u8 = 8;

impl Code {
    /// Whether a monitor is to see calls begin and end.
    pub(crate) fn is_watched(&self) -> bool {
        self.calls.iter().any(|call| call.watched.is_some())
    }

    /// The procedure that an instruction belongs to.
    pub(crate) fn proc_at(&self, pc: u32) -> &ProcCode {
        let after = self.procs.partition_point(|proc| proc.entry <= pc);
        &self.procs[after - 1]
    }

    /// How many alternatives a choice has; else, what cannot be tried.
    pub(crate) fn alternatives(&self, choice: u32) -> Result<u32, String> {
        match &self.choices[choice as usize] {
            Choice::OneOf(values) => Ok(small(values.len())),
            Choice::Any(ty) if ty.bits <= ENUMERABLE_BITS => Ok(1 << ty.bits),
            Choice::Any(ty) => Err(format!("a choice among all {} values of a type", 1u128 << ty.bits)),
        }
    }

    /// One of them.
    pub(crate) fn alternative(&self, choice: u32, which: u32) -> Value {
        match &self.choices[choice as usize] {
            Choice::OneOf(values) => values[which as usize],
            Choice::Any(ty) => Value::new(ty.wrap(which as u64)),
        }
    }

    /// A constant as an operand.
    pub(crate) fn constant(&mut self, value: Value) -> Src {
        let number = self.consts.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.consts.push(value);
            self.consts.len() - 1
        });
        !i32::try_from(number).expect("a program has fewer constants")
    }
}

impl Instr {
    /// Operands it reads.
    pub(crate) fn reads(&self, mut see: impl FnMut(Src)) {
        match self {
            Instr::Op { op, a, b, .. } => {
                see(*a);
                if op.arity() == 2 {
                    see(*b);
                }
            }
            Instr::Load { addr, .. } | Instr::Free { addr } => see(*addr),
            Instr::Store { addr, value, .. } => [*addr, *value].into_iter().for_each(see),
            Instr::Call { args, .. } | Instr::Spawn { args, .. } => args.iter().copied().for_each(see),
            Instr::JumpIf { cond, .. } | Instr::Assert { cond, .. } | Instr::Assume { cond, .. } => {
                see(*cond)
            }
            Instr::Prune { cond } => cond.iter().copied().for_each(see),
            Instr::Within { base, result } => [*base, *result].into_iter().for_each(see),
            Instr::Alloc { size, .. } => see(*size),
            _ => {}
        }
    }

    /// Registers it writes.
    pub(crate) fn writes(&self, mut see: impl FnMut(u32)) {
        match self {
            Instr::Op { dst, .. }
            | Instr::Load { dst, .. }
            | Instr::Alloc { dst, .. }
            | Instr::Choose { dst, .. } => see(*dst),
            Instr::Call { results, .. } => results.iter().copied().for_each(see),
            _ => {}
        }
    }
}

/// A point of a thread's code, with calls inlined, to who looks for places for fences.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlowPoint {
    /// The access that happens here.
    pub label: Option<u32>,
    /// The place right in front of it, where a fence may be put.
    pub place: Option<u32>,
    /// Points that may follow.
    pub next: Vec<u32>,
}
