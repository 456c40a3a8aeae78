//! Statements.

use crate::ast::{Declaration, Expr, Function, Name, StaticAssert};
use fencepost_lsl::source::Span;

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is.
    pub span: Span,
}

/// Statements between braces.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Stmt>,
    /// With the braces.
    pub span: Span,
}

/// What a statement is.
///
/// Labels are statements of their own, before the one they mark; where only one statement may stand, as
/// behind `if`, a block holds both.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `expression;`
    Expr(Expr),
    /// A declaration.
    Declaration(Declaration),
    /// `{ … }`
    Block(Block),
    /// `if (condition) then else otherwise`
    If {
        /// What decides.
        condition: Expr,
        /// Done if it is not zero.
        then: Box<Stmt>,
        /// Done if it is zero.
        otherwise: Option<Box<Stmt>>,
    },
    /// `while (condition) body`
    While {
        /// What keeps it going.
        condition: Expr,
        /// What is repeated.
        body: Box<Stmt>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// What is repeated.
        body: Box<Stmt>,
        /// What keeps it going.
        condition: Expr,
    },
    /// `for (start; condition; step) body`
    For {
        /// An expression or declaration statement.
        start: Option<Box<Stmt>>,
        /// What keeps it going; always, if absent.
        condition: Option<Expr>,
        /// Done behind each round.
        step: Option<Expr>,
        /// What is repeated.
        body: Box<Stmt>,
    },
    /// `switch (value) body`
    Switch {
        /// What decides.
        value: Expr,
        /// Where the cases are.
        body: Box<Stmt>,
    },
    /// `name:`
    Label(Name),
    /// `case low:` or GNU's `case low ... high:`
    Case {
        /// The value, or the least one.
        low: Expr,
        /// The greatest value of a range.
        high: Option<Expr>,
    },
    /// `default:`
    Default,
    /// `goto name;`
    Goto(Name),
    /// `goto *address;`
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
    /// `asm("…" : … );`
    Asm(Asm),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// A function inside a function.
    NestedFunction(Box<Function>),
    /// `__label__ name, name;`
    LocalLabels(Vec<Name>),
    /// `__fencepost_atomic { … }`: nothing else happens meanwhile.
    Atomic(Block),
    /// `__fencepost_ghost { … }`: the same, outside of the memory model.
    Ghost(Block),
}

/// Assembler text in a function or at file level.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The instructions, escapes undone.
    pub template: Vec<u8>,
    /// Whether it is `volatile`.
    pub is_volatile: bool,
    /// What it writes.
    pub outputs: Vec<AsmOperand>,
    /// What it reads.
    pub inputs: Vec<AsmOperand>,
    /// What else it changes: `"memory"`, `"cc"`, registers.
    pub clobbers: Vec<Vec<u8>>,
    /// Where it may jump to.
    pub labels: Vec<Name>,
    /// From `asm` to the closing parenthesis.
    pub span: Span,
}

/// `[name] "constraint" (value)`.
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// The name the template uses.
    pub name: Option<Name>,
    /// Where the value may lie.
    pub constraint: Vec<u8>,
    /// The value, or for an output the place.
    pub value: Expr,
}
