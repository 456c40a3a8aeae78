//! Tiny programs: a few shared variables, threads of a few operations, each a few instructions.

use std::fmt;

/// A register of an operation.
pub type Register = usize;

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Location {
    /// A variable.
    Variable(usize),
    /// A variable or the next one, by the lowest bit of a register: an address that depends on it.
    Indexed(usize, Register),
}

/// What a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A number.
    Constant(u64),
    /// A register.
    Register(Register),
}

/// A memory order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// None.
    Plain,
    /// C11 relaxed.
    Relaxed,
    /// C11 acquire, on loads, read-modify-writes and fences.
    Acquire,
    /// C11 release, on stores, read-modify-writes and fences.
    Release,
    /// C11 acq_rel, on read-modify-writes and fences.
    AcqRel,
    /// C11 seq_cst.
    SeqCst,
}

impl Order {
    /// What it puts behind a load.
    pub fn behind_load(self) -> Option<Fence> {
        let acquires = matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst);
        acquires.then_some(Fence { load_load: true, load_store: true, ..Fence::default() })
    }

    /// What it puts before a store.
    pub fn before_store(self) -> Option<Fence> {
        let releases = matches!(self, Order::Release | Order::AcqRel | Order::SeqCst);
        releases.then_some(Fence { load_store: true, store_store: true, ..Fence::default() })
    }

    /// What it puts behind a store.
    pub fn behind_store(self) -> Option<Fence> {
        (self == Order::SeqCst).then_some(Fence { store_load: true, ..Fence::default() })
    }

    /// What a fence of this order stands for.
    pub fn fences(self) -> impl Iterator<Item = Fence> {
        self.behind_load().into_iter().chain(self.before_store()).chain(self.behind_store())
    }
}

/// A fence that keeps some pairs in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fence {
    /// Loads before loads.
    pub load_load: bool,
    /// Loads before stores.
    pub load_store: bool,
    /// Stores before loads.
    pub store_load: bool,
    /// Stores before stores.
    pub store_store: bool,
}

impl Fence {
    /// Everything.
    pub const FULL: Fence = Fence { load_load: true, load_store: true, store_load: true, store_store: true };

    /// Whether it keeps a pair in order, given whether each is a store.
    pub fn orders(self, first_stores: bool, second_stores: bool) -> bool {
        match (first_stores, second_stores) {
            (false, false) => self.load_load,
            (false, true) => self.load_store,
            (true, false) => self.store_load,
            (true, true) => self.store_store,
        }
    }
}

/// How a read-modify-write changes its variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// To a value.
    Swap(Operand),
    /// By adding a number.
    Add(u64),
    /// To a value, if it is another.
    CompareAndSwap(u64, Operand),
}

/// When a branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// If the register is not zero.
    NotZero(Register),
    /// If the register has this value.
    Is(Register, u64),
}

impl Condition {
    /// The register it looks at.
    pub fn register(self) -> Register {
        match self {
            Condition::NotZero(register) | Condition::Is(register, _) => register,
        }
    }

    /// Whether it holds when the register has this value.
    pub fn holds(self, found: u64) -> bool {
        match self {
            Condition::NotZero(_) => found != 0,
            Condition::Is(_, value) => found == value,
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Instruction {
    /// `register = location`.
    Load(Register, Location, Order),
    /// `location = operand`.
    Store(Location, Operand, Order),
    /// `register = location`, and the location changes, at once.
    Modify(Register, Location, Change, Order),
    /// A fence given by kind.
    Fence(Fence),
    /// A C11 fence.
    OrderFence(Order),
    /// In order and uninterrupted.
    Atomic(Vec<Instruction>),
    /// `register = other ^ other + number`: a dependency without effect.
    Mix(Register, Register, u64),
    /// If the condition holds, the first, else the second.
    If(Condition, Vec<Instruction>, Vec<Instruction>),
    /// Starts a thread that has not run so far. Stands outside of branches and atomic blocks.
    Start(usize),
}

/// A program. All variables start at zero; an operation's registers do too.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// How many variables there are.
    pub variables: usize,
    /// How many registers an operation has; all are observed when it ends.
    pub registers: usize,
    /// Threads of operations of instructions. Those that another one starts wait for it.
    pub threads: Vec<Vec<Vec<Instruction>>>,
    /// Variables whose final values are observed.
    pub finals: Vec<usize>,
}

/// The final registers of all operations, thread by thread, and the final values observed.
pub type Outcome = Vec<u64>;

impl Program {
    /// The instructions outside of branches and atomic blocks.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.threads.iter().flatten().flatten()
    }

    /// Whether some thread is started by another.
    pub fn starts_threads(&self) -> bool {
        self.instructions().any(|instruction| matches!(instruction, Instruction::Start(_)))
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, thread) in self.threads.iter().enumerate() {
            writeln!(f, "thread {number}:")?;
            for operation in thread {
                writeln!(f, "  operation:")?;
                operation.iter().try_for_each(|instruction| show(f, instruction, 2))?;
            }
        }
        if !self.finals.is_empty() {
            writeln!(f, "in the end: {:?}", self.finals)?;
        }
        Ok(())
    }
}

fn show(f: &mut fmt::Formatter<'_>, instruction: &Instruction, depth: usize) -> fmt::Result {
    write!(f, "{}", "  ".repeat(depth))?;
    match instruction {
        Instruction::Atomic(block) => {
            writeln!(f, "atomic:")?;
            block.iter().try_for_each(|inner| show(f, inner, depth + 1))
        }
        Instruction::If(condition, yes, no) => {
            writeln!(f, "if {condition:?}:")?;
            yes.iter().try_for_each(|inner| show(f, inner, depth + 1))?;
            writeln!(f, "{}else:", "  ".repeat(depth))?;
            no.iter().try_for_each(|inner| show(f, inner, depth + 1))
        }
        other => writeln!(f, "{other:?}"),
    }
}
