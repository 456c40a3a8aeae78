//! Tiny programs: a few shared variables, threads of a few operations, each a few instructions.

use std::fmt;

/// A register of an operation.
pub type Register = usize;

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// A variable.
    Variable(usize),
    /// Variable 0 or 1, by the lowest bit of a register: an address that depends on it.
    Indexed(Register),
}

/// What a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A number.
    Constant(u64),
    /// A register.
    Register(Register),
}

/// A memory order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// None.
    Plain,
    /// C11 acquire, on loads and read-modify-writes.
    Acquire,
    /// C11 release, on stores and read-modify-writes.
    Release,
    /// C11 seq_cst.
    SeqCst,
}

/// A fence that keeps some pairs in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// To a value.
    Swap(Operand),
    /// By adding a number.
    Add(u64),
    /// To a value, if it is another.
    CompareAndSwap(u64, Operand),
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// `register = location`.
    Load(Register, Location, Order),
    /// `location = operand`.
    Store(Location, Operand, Order),
    /// `register = location`, and the location changes, at once.
    Modify(Register, Location, Change, Order),
    /// A fence.
    Fence(Fence),
    /// `register = other ^ other + number`: a dependency without effect.
    Mix(Register, Register, u64),
    /// If the register is not zero, the first, else the second.
    If(Register, Vec<Instruction>, Vec<Instruction>),
}

/// A program. All variables start at zero; an operation's registers do too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// How many variables there are.
    pub variables: usize,
    /// How many registers an operation has; all are observed when it ends.
    pub registers: usize,
    /// Threads of operations of instructions.
    pub threads: Vec<Vec<Vec<Instruction>>>,
}

/// The final registers of all operations, thread by thread.
pub type Outcome = Vec<u64>;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, thread) in self.threads.iter().enumerate() {
            writeln!(f, "thread {number}:")?;
            for operation in thread {
                writeln!(f, "  operation:")?;
                operation.iter().try_for_each(|instruction| show(f, instruction, 2))?;
            }
        }
        Ok(())
    }
}

fn show(f: &mut fmt::Formatter<'_>, instruction: &Instruction, depth: usize) -> fmt::Result {
    write!(f, "{}", "  ".repeat(depth))?;
    match instruction {
        Instruction::If(register, yes, no) => {
            writeln!(f, "if r{register}:")?;
            yes.iter().try_for_each(|inner| show(f, inner, depth + 1))?;
            writeln!(f, "{}else:", "  ".repeat(depth))?;
            no.iter().try_for_each(|inner| show(f, inner, depth + 1))
        }
        other => writeln!(f, "{other:?}"),
    }
}
