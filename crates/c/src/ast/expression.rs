//! Expressions.

use crate::ast::{
    Block, CharacterLiteral, Designator, InitializerList, IntegerLiteral, Name, StringLiteral, Symbol,
    TypeName,
};
use fencepost_lsl::source::Span;

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is, with the parentheses around it.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `42u`
    Integer(IntegerLiteral),
    /// `1.5`, by its spelling.
    Float(Symbol),
    /// `'a'`
    Character(CharacterLiteral),
    /// `"a" "b"`, joined.
    String(StringLiteral),
    /// A variable, function or enumeration constant.
    Name(Symbol),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands that only computes.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `target = value`, or with an operator `target += value`.
    Assign {
        /// The operator before `=`.
        op: Option<BinaryOp>,
        /// What is written to.
        target: Box<Expr>,
        /// The right side.
        value: Box<Expr>,
    },
    /// `condition ? then : otherwise`; GNU's `condition ?: otherwise` has no `then`.
    Conditional {
        /// What decides.
        condition: Box<Expr>,
        /// The value if it is not zero; the condition's own if absent.
        then: Option<Box<Expr>>,
        /// The value if it is zero.
        otherwise: Box<Expr>,
    },
    /// `left, right`
    Comma(Box<Expr>, Box<Expr>),
    /// `callee(arguments)`
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `array[index]`
    Index {
        /// What stands before the brackets.
        array: Box<Expr>,
        /// What stands between them.
        index: Box<Expr>,
    },
    /// `object.field`, or `object->field`.
    Member {
        /// The object, or with `arrow` a pointer to it.
        object: Box<Expr>,
        /// The field.
        field: Name,
        /// Whether `->` was written.
        arrow: bool,
    },
    /// `(type) operand`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type) { … }`
    CompoundLiteral(Box<TypeName>, InitializerList),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `sizeof operand`
    SizeofExpr(Box<Expr>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// `_Alignof operand`
    AlignofExpr(Box<Expr>),
    /// `_Generic(operand, type: value, default: value)`
    Generic {
        /// Whose type decides.
        operand: Box<Expr>,
        /// The choices; the one without type is the default.
        choices: Vec<(Option<TypeName>, Expr)>,
    },
    /// `({ … })`: the value of its last statement.
    Statements(Block),
    /// `__builtin_offsetof(type, field.field[index])`
    OffsetOf {
        /// The record.
        record: Box<TypeName>,
        /// The way to the part; starts with a field.
        path: Vec<Designator>,
    },
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_types_compatible_p(left, right)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `&&label`
    LabelAddress(Name),
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+x`
    Plus,
    /// `-x`
    Minus,
    /// `!x`
    Not,
    /// `~x`
    BitNot,
    /// `*x`
    Dereference,
    /// `&x`
    AddressOf,
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
    /// `__real__ x`
    Real,
    /// `__imag__ x`
    Imaginary,
}

impl UnaryOp {
    /// The operator as C writes it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
            UnaryOp::Dereference => "*",
            UnaryOp::AddressOf => "&",
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
            UnaryOp::Real => "__real__",
            UnaryOp::Imaginary => "__imag__",
        }
    }
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

impl BinaryOp {
    /// The operator as C writes it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }
}
