//! Small programs with the control flow of C: loops that wait and loops that count, values that live on behind them,
//! `break` and `continue` out of nested branches, `switch` with and without `break`, atomic blocks that may not end.
//!
//! The programs of [`crate::program`] are straight lines with branches; what an engine does about loops and
//! registers is not seen there. [`explore()`] knows all outcomes by brute force, [`random`] makes programs up, and
//! [`text`] writes them as C data types whose operations return their registers.

mod explore;
mod flat;
pub mod random;
pub mod text;

pub use explore::{Outcomes, explore};

/// Shared variables: `x`, `y`, `z`.
pub const VARIABLES: usize = 3;

/// Registers of a thread: `a`, `b`, `c`. All start as zero.
pub const REGISTERS: usize = 3;

/// What a register gets or a store writes: a number below three.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Const(u8),
    /// A register.
    Reg(usize),
    /// A register plus one, modulo three.
    Next(usize),
    /// The other lowest bit of a register.
    Flip(usize),
}

/// A condition on registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cond {
    /// Not zero.
    Set(usize),
    /// Zero.
    Clear(usize),
    /// Two registers are equal.
    Same(usize, usize),
    /// A register has a value.
    Is(usize, u8),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// A register gets a variable's value.
    Load(usize, usize),
    /// A variable gets a value.
    Store(usize, Expr),
    /// A register gets a value.
    Set(usize, Expr),
    /// A register gets a variable's value, which becomes another, at once.
    Swap(usize, usize, Expr),
    /// If a variable has a value it becomes another, at once; a register says whether.
    Cas(usize, usize, u8, u8),
    /// A full fence.
    Fence,
    /// The thread goes on only if the condition holds.
    Assume(Cond),
    /// An error unless the condition holds.
    Assert(Cond),
    /// A branch.
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    /// `while (cond) { … }`.
    While(Cond, Vec<Stmt>),
    /// `while (!variable) { … }`.
    Wait(usize, Vec<Stmt>),
    /// `do { … } while (cond);`.
    DoWhile(Vec<Stmt>, Cond),
    /// A loop that runs so many times.
    For(u8, Vec<Stmt>),
    /// `switch` on a register: cases 0, 1, … with whether each ends in `break`, and the default.
    Switch(usize, Vec<(Vec<Stmt>, bool)>, Option<Vec<Stmt>>),
    /// All at once, or not at all.
    Atomic(Vec<Stmt>),
    /// Leaves the innermost loop or `switch`.
    Break,
    /// Goes on with the innermost loop.
    Continue,
}

/// A store-buffer machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// None: stores reach memory at once.
    Sc,
    /// One buffer for each thread.
    Tso,
    /// One for each thread and variable.
    Pso,
}
