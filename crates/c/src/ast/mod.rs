//! The syntax tree of a C translation unit.
//!
//! It says what was written, in a form that is easy to give types to: base types are resolved to one
//! value, declarators are lists that start at the declared name, labels are statements of their own, and
//! parentheses are gone. What needs a symbol table (what a name means, constants, types) is left open.
//! Every node knows its place in the original file.

mod declaration;
mod dump;
mod expression;
mod statement;

pub use crate::lex::Pragma;
pub use crate::parse::FileScope;
pub use crate::symbol::{Interner, Symbol};
pub use crate::token::{CharacterLiteral, Encoding, IntegerLength, IntegerLiteral, StringLiteral};
pub use declaration::*;
pub use dump::{dump, dump_expression};
pub use expression::*;
pub use statement::*;

use fencepost_lsl::source::Span;

/// A parsed file with all it includes.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its declarations and functions in order.
    pub items: Vec<Item>,
    /// Its `#pragma fencepost` directives in order.
    pub pragmas: Vec<Pragma>,
    /// The names used in all of them.
    pub names: Interner,
    /// What the names mean at the end of the file, for parsing the expressions in pragmas.
    pub file_scope: FileScope,
}

/// Something that stands at file level.
#[derive(Clone, Debug)]
pub enum Item {
    /// A function with its body.
    Function(Function),
    /// Variables, prototypes, types.
    Declaration(Declaration),
    /// `_Static_assert(condition, "message");`
    StaticAssert(StaticAssert),
    /// `asm("…");`
    Asm(Asm),
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The return type's base and the storage class.
    pub specifiers: Specifiers,
    /// Its name; the first derivation is [`Derivation::Function`].
    pub declarator: Declarator,
    /// The types of old-style parameters: `int f(a) int a; { … }`.
    pub old_style_parameters: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// From the specifiers to the closing brace.
    pub span: Span,
}

/// A name where it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub symbol: Symbol,
    /// The place.
    pub span: Span,
}
