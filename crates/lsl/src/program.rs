//! LSL programs: procedures of structured statements over registers, and the memory they start with.
//!
//! The language is CheckFence's (Figure 4): constants, primitive operations, loads, stores, fences,
//! atomic blocks, calls, labelled blocks left by `break` and repeated by `continue`, assertions and
//! assumptions; to which we add allocation, nondeterministic choice and threads. Keeping blocks
//! structured keeps unrolling minimal; the explicit engine flattens them.

use crate::fault::Fault;
use crate::fence::FenceKind;
use crate::layout::{LayoutId, Layouts};
use crate::op::PrimOp;
use crate::source::{SourceMap, Span};
use crate::value::{IntTy, Value};
use std::collections::BTreeSet;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the table of its kind.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A register of a procedure.
    Reg "r"
    /// A procedure of the program.
    ProcId "p"
    /// A labelled block; labels are unique in a procedure.
    Label "L"
    /// A place where a fence could be put.
    SlotId "s"
}

/// Something to read: a register or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// The register's value.
    Reg(Reg),
    /// This value.
    Const(Value),
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<u64> for Operand {
    fn from(bits: u64) -> Operand {
        Operand::Const(Value::new(bits))
    }
}

/// The memory order an access or fence was written with, as in C11; `Plain` for ordinary variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Order {
    /// Not an atomic access.
    #[default]
    Plain,
    /// `memory_order_relaxed`.
    Relaxed,
    /// As `Acquire`, but may overtake a store in front of it that releases: LDAPR of ARMv8.3. No order of C.
    AcquirePc,
    /// `memory_order_acquire`, and `consume`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcqRel,
    /// `memory_order_seq_cst`.
    SeqCst,
    /// Of ghost state: outside of the memory model, at once, without a store buffer.
    Ghost,
}

impl Order {
    /// Whether it acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Order::AcquirePc | Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// What both orders do.
    pub fn meet(self, other: Order) -> Order {
        match (self, other) {
            _ if self == other => self,
            (Order::Plain | Order::Ghost, _) | (_, Order::Plain | Order::Ghost) => Order::Plain,
            _ => match (self.acquires() && other.acquires(), self.releases() && other.releases()) {
                (true, true) => Order::AcqRel,
                (true, false) if self == Order::AcquirePc || other == Order::AcquirePc => Order::AcquirePc,
                (true, false) => Order::Acquire,
                (false, true) => Order::Release,
                (false, false) => Order::Relaxed,
            },
        }
    }

    /// Whether it releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// What a fence keeps in order: a set of the four kinds of CheckFence's Section 3.1, or a C11 order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fence {
    /// Loads before it stay before loads after it.
    pub load_load: bool,
    /// Loads before it stay before stores after it.
    pub load_store: bool,
    /// Stores before it stay before loads after it.
    pub store_load: bool,
    /// Stores before it stay before stores after it.
    pub store_store: bool,
    /// Instructions behind it wait for the branches in front of it, as those behind ISB and isync do.
    pub instructions: bool,
    /// The order of an `atomic_thread_fence`; `Plain` for other fences.
    pub order: Order,
}

impl Fence {
    /// Orders nothing.
    pub const NONE: Fence = Fence {
        load_load: false,
        load_store: false,
        store_load: false,
        store_store: false,
        instructions: false,
        order: Order::Plain,
    };
    /// Orders everything.
    pub const FULL: Fence =
        Fence { load_load: true, load_store: true, store_load: true, store_store: true, ..Fence::NONE };

    /// The fence of a C11 order, whose meaning is the memory model's.
    pub const fn of_order(order: Order) -> Fence {
        Fence { order, ..Fence::NONE }
    }
}

/// Where an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Place {
    /// From program start to end.
    Global,
    /// A local variable whose address is taken.
    Stack,
    /// From `malloc` to `free`.
    Heap,
}

/// A set of values to choose from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// One of these.
    OneOf(Vec<Value>),
    /// Any value of the type.
    Any(IntTy),
}

/// A statement and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The source text it was made from.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `dst = op(args)`.
    Assign {
        /// Receives the result.
        dst: Reg,
        /// The operation.
        op: PrimOp,
        /// Its arguments, as many as it takes.
        args: Vec<Operand>,
    },
    /// `dst = *addr`.
    Load {
        /// Receives the value, extended as `ty` says.
        dst: Reg,
        /// The address.
        addr: Operand,
        /// Width and sign of what is read.
        ty: IntTy,
        /// The memory order.
        order: Order,
        /// The memory order where the compare-and-swap that it is part of does not swap, if that is another.
        failing: Option<Order>,
    },
    /// `*addr = value`.
    Store {
        /// The address.
        addr: Operand,
        /// The value; its low bits are written.
        value: Operand,
        /// Width of what is written.
        ty: IntTy,
        /// The memory order.
        order: Order,
    },
    /// A fence.
    Fence(Fence),
    /// A place where a fence could be put. It means nothing, except to those who look for such places.
    Slot(SlotId),
    /// Executes in order and uninterrupted.
    Atomic(Vec<Stmt>),
    /// `results = proc(args)`.
    Call {
        /// The callee.
        proc: ProcId,
        /// One for each parameter.
        args: Vec<Operand>,
        /// Receive the callee's results; may be fewer than it has.
        results: Vec<Reg>,
    },
    /// `label: { body }`.
    Block {
        /// Its name.
        label: Label,
        /// What stands in it.
        body: Vec<Stmt>,
        /// Whether it is a loop that starts over an attempt (`while (true)`, a loop around a CAS):
        /// the loops that a primed operation runs once. Meaningless for blocks never continued.
        retry: bool,
    },
    /// `if (when) break label`: goes on behind the block.
    Break {
        /// The block to leave.
        label: Label,
        /// The condition; none means always.
        when: Option<Operand>,
        /// The jump stands for a conditional instruction, not a branch: it makes no control dependency.
        /// Compare-and-swap is written with such jumps, since in hardware it has none.
        predicated: bool,
    },
    /// `if (when) continue label`: starts the block over.
    Continue {
        /// The block to repeat.
        label: Label,
        /// The condition; none means always.
        when: Option<Operand>,
    },
    /// A fault unless `cond` holds.
    Assert {
        /// What must not be zero.
        cond: Operand,
        /// The fault if it is.
        fault: Fault,
    },
    /// Only executions in which `cond` holds go on; what becomes of others, [`Program::unmet`] says. A branch: control dependencies go out from it.
    Assume {
        /// What must not be zero.
        cond: Operand,
    },
    /// A fault if `base` belongs to an object and `result` does not belong to the same one; see
    /// [`address::MARGIN`]. Stands behind arithmetic on pointers.
    Within {
        /// The pointer that was moved.
        base: Operand,
        /// Where it was moved to.
        result: Operand,
    },
    /// `dst =` address of a new object.
    Alloc {
        /// Receives the address.
        dst: Reg,
        /// Size in bytes.
        size: Operand,
        /// What the address is a multiple of, a power of two; never a multiple of twice that.
        align: u64,
        /// Whether the object starts as zeros instead of undefined.
        zeroed: bool,
        /// Where it lives.
        place: Place,
        /// How to name its parts for people.
        layout: Option<LayoutId>,
    },
    /// Ends the life of the heap object at `addr`; the null pointer is ignored.
    Free {
        /// What `malloc` returned.
        addr: Operand,
    },
    /// `dst =` any of the choices.
    Choose {
        /// Receives the value.
        dst: Reg,
        /// What there is to choose from.
        from: Choice,
    },
    /// Starts a thread that runs `proc(args)`.
    Spawn {
        /// What the thread runs.
        proc: ProcId,
        /// Its arguments.
        args: Vec<Operand>,
    },
}

/// A register's name in the source, where it has one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RegInfo {
    /// The C variable it holds.
    pub name: Option<String>,
}

/// A procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    /// The C function's name.
    pub name: String,
    /// Registers that receive the arguments.
    pub params: Vec<Reg>,
    /// Registers whose final values are returned.
    pub results: Vec<Reg>,
    /// All registers.
    pub regs: Vec<RegInfo>,
    /// The body.
    pub body: Vec<Stmt>,
    /// The function's header.
    pub span: Span,
}

/// A piece of a global's initial value; what no piece covers is zero.
#[derive(Clone, PartialEq, Debug)]
pub struct InitPart {
    /// Offset in the object.
    pub offset: u64,
    /// Width of the piece.
    pub ty: IntTy,
    /// Its value.
    pub value: Value,
}

/// An object that exists from the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// The C variable's name, or a made-up one for literals.
    pub name: String,
    /// Its fixed address.
    pub addr: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its initial value.
    pub init: Vec<InitPart>,
    /// Whether stores to it are faults.
    pub constant: bool,
    /// How to name its parts for people.
    pub layout: Option<LayoutId>,
}

/// A place between statements of the source where a fence could be put; one for all copies of its text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// Where the text of a fence would be inserted: an empty span in a file of the user's.
    pub at: Span,
    /// The lone body of an `if` or a loop in front of or behind which the place is: with a fence, it needs
    /// braces. None where a list of statements goes on.
    pub alone: Option<Span>,
    /// The function around it.
    pub function: String,
    /// How many loops are around it, in the function and where that is called.
    pub loop_depth: u32,
}

/// What decides whether a fence of a kind at a slot is there, in all copies of the slot alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Switch {
    /// The slot.
    pub slot: SlotId,
    /// What kind of fence.
    pub kind: FenceKind,
}

/// A placement of fences: the switches that are on.
pub type Placement = BTreeSet<Switch>;

/// A whole program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// Procedures, indexed by [`ProcId`].
    pub procs: Vec<Proc>,
    /// Objects that exist from the start, by ascending address, not overlapping.
    pub globals: Vec<Global>,
    /// Where fences could be put, indexed by [`SlotId`]; empty unless the front end was asked for it.
    pub slots: Vec<Slot>,
    /// How to name parts of objects.
    pub layouts: Layouts,
    /// The text it was made from.
    pub sources: SourceMap,
}

impl Program {
    /// The procedure with this id.
    pub fn proc(&self, id: ProcId) -> &Proc {
        &self.procs[id.index()]
    }

    /// What it means that an assumption at some place does not hold. Model headers wait by assumptions, and `exit` is one
    /// that never holds.
    pub fn unmet(&self, cond: Operand, span: Span) -> Unmet {
        match cond {
            _ if self.sources.is_user(span) => Unmet::RulesOut,
            Operand::Const(Value::ZERO) => Unmet::Exits,
            _ => Unmet::Waits,
        }
    }

    /// The procedure with this name.
    pub fn find(&self, name: &str) -> Option<ProcId> {
        self.procs.iter().position(|proc| proc.name == name).map(|i| ProcId(i as u32))
    }
}

/// What it means that an assumption does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmet {
    /// The user's: the execution does not count.
    RulesOut,
    /// The program ends there.
    Exits,
    /// The thread waits until it holds.
    Waits,
}

/// Whether a `continue` to `label` stands anywhere in `body`.
pub fn continues(body: &[Stmt], label: Label) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue { label: target, .. } => *target == label,
        StmtKind::Block { body, .. } | StmtKind::Atomic(body) => continues(body, label),
        _ => false,
    })
}

/// Whether an atomic block is a compare-and-swap: whether it stores is decided without a branch.
fn compares_and_swaps(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break { predicated, .. } => *predicated,
        StmtKind::Block { body, .. } => compares_and_swaps(body),
        _ => false,
    })
}

/// What the atomic blocks are that an access stands in, by what stands in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    /// Whether the innermost is a compare-and-swap.
    pub compares: bool,
    /// Whether the innermost is one read-modify-write of C: an atomic load and an atomic store of the same location.
    pub modifies: bool,
    /// Whether one of them is more than that.
    pub larger: bool,
}

impl Exchange {
    /// What accesses of a block stand in, which stands in others itself.
    pub fn within(self, block: &[Stmt]) -> Exchange {
        let modifies = reads_modifies_writes(block);
        Exchange { compares: compares_and_swaps(block), modifies, larger: self.larger || !modifies }
    }
}

fn reads_modifies_writes(block: &[Stmt]) -> bool {
    let mut all = Vec::new();
    flatten(block, &mut all);
    // A block around a read-modify-write is more than that.
    if all.iter().any(|kind| matches!(kind, StmtKind::Atomic(_))) {
        return false;
    }
    let atomic = |order: &Order| !matches!(order, Order::Plain | Order::Ghost);
    let accesses: Vec<&StmtKind> = all.iter().copied().filter(|kind| !is_local(kind)).collect();
    let [
        StmtKind::Load { addr: from, ty: read, order: loads, .. },
        StmtKind::Store { addr: to, ty: written, order: stores, .. },
    ] = accesses.as_slice()
    else {
        return false;
    };
    let same = computed(&all, *from, 0).is_some_and(|from| computed(&all, *to, 0) == Some(from));
    same && read.bytes() == written.bytes() && atomic(loads) && atomic(stores)
}

/// How an operand is computed in a block from what was there before it; none if that cannot be told.
fn computed(block: &[&StmtKind], operand: Operand, depth: u32) -> Option<String> {
    let Operand::Reg(reg) = operand else { return Some(format!("{operand:?}")) };
    let assigns = |kind: &&&StmtKind| match kind {
        StmtKind::Assign { dst, .. } | StmtKind::Load { dst, .. } | StmtKind::Choose { dst, .. } => {
            *dst == reg
        }
        _ => false,
    };
    let mut assigned = block.iter().filter(assigns);
    match (assigned.next(), assigned.next()) {
        (None, _) => Some(format!("{reg}")),
        (Some(StmtKind::Assign { op, args, .. }), None) if depth < 8 => {
            let args: Option<Vec<String>> = args.iter().map(|arg| computed(block, *arg, depth + 1)).collect();
            match (op, args?.as_slice()) {
                (PrimOp::Copy, [from]) => Some(from.clone()),
                (op, args) => Some(format!("{op:?}({})", args.join(", "))),
            }
        }
        _ => None,
    }
}

/// Whether a statement is about registers alone.
fn is_local(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Assign { .. }
            | StmtKind::Break { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume { .. }
            | StmtKind::Within { .. }
    )
}

/// The statements of a block and of the labelled blocks in it.
fn flatten<'b>(block: &'b [Stmt], all: &mut Vec<&'b StmtKind>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Block { body, .. } => flatten(body, all),
            kind => all.push(kind),
        }
    }
}

/// Address ranges. All lie below 2³¹, so that C code that squeezes pointers into `unsigned` (as the
/// published pseudocode does) loses nothing.
pub mod address {
    /// Addresses below this are null pointers with an offset.
    pub const NULL_END: u64 = 0x1000;
    /// Functions: address of the procedure with id `i` is `FUNCTIONS + 16 i`.
    pub const FUNCTIONS: u64 = 0x1000;
    /// Globals.
    pub const GLOBALS: u64 = 0x10_0000;
    /// Locals whose address is taken.
    pub const STACK: u64 = 0x1000_0000;
    /// The heap.
    pub const HEAP: u64 = 0x2000_0000;
    /// Behind the heap.
    pub const END: u64 = 0x8000_0000;

    /// The alignment that `malloc` promises on common machines.
    pub const HEAP_ALIGN: u64 = 16;
    /// The largest alignment of an object.
    pub const MAX_ALIGN: u64 = 4096;

    /// Bytes in front of an object and behind it that belong to it: pointers may be moved there, though not
    /// followed. Objects are at least two margins apart.
    pub const MARGIN: u64 = 256;

    /// Whether an address belongs to an object: lies in it or in one of its margins.
    ///
    /// # Soundness
    ///
    /// Addresses do not say which object they were made from, so an index far out of bounds could land in
    /// another object and look good there. It cannot: margins do not overlap, every result of arithmetic on
    /// a pointer is checked to stay with the object of the pointer, and in a margin every access is a fault.
    /// What goes unchecked moves a pointer by less than a margin and is followed at once, which from a
    /// margin's outer end leads to the next object's at most. Arithmetic on integers is not checked.
    pub fn belongs((base, size): (u64, u64), addr: u64) -> bool {
        let start = base.saturating_sub(MARGIN);
        (start..base.saturating_add(size).saturating_add(MARGIN)).contains(&addr)
    }

    /// The first address behind `start` that leaves room for a margin and is a multiple of `align`, but not
    /// of twice that.
    pub fn place(start: u64, align: u64) -> u64 {
        (start + MARGIN + align).next_multiple_of(2 * align) - align
    }
}
