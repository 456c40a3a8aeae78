//! Runtime errors: what a program may do that no correct program does.

use std::fmt;

/// What an undefined value was used for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Use {
    /// An operand of arithmetic or of a comparison.
    Arithmetic,
    /// The condition of a branch, an assertion or an assumption.
    Condition,
    /// The address of an access, of `free`, or a size.
    Address,
    /// The result of an operation that its caller observes.
    Result,
}

/// A runtime error. Reaching one is a violation, whatever the test observes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// An assertion failed; its text.
    Assertion(String),
    /// An undefined value was used.
    Undefined(Use),
    /// An access through the null pointer, or near it.
    Null,
    /// An access to no object, or across the end of one.
    OutOfBounds,
    /// A pointer moved away from its object.
    Strayed,
    /// An index outside of an array of declared length.
    Index,
    /// An access to an object after `free`.
    UseAfterFree,
    /// A store to a constant object.
    ReadOnly,
    /// `free` of something already freed.
    DoubleFree,
    /// `free` of something that `malloc` did not return.
    BadFree,
    /// Division or remainder by zero.
    DivisionByZero,
    /// The quotient of a division does not fit its type: the least value divided by -1.
    DivisionOverflow,
    /// A shift by a negative count or by the width or more.
    ShiftCount,
    /// An object that nothing frees.
    Leak,
    /// A call through a pointer to no function of the fitting type.
    BadCall,
    /// The end of a function whose result is used, without a `return`; or a statement marked unreachable.
    Unreachable,
    /// A function of the standard library was called as it must not be; what happened.
    Misuse(String),
    /// `abort`, or `exit` with a failure code.
    Abort,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Assertion(text) => write!(f, "assertion failed: {text}"),
            Fault::Undefined(Use::Arithmetic) => f.write_str("undefined value used in arithmetic"),
            Fault::Undefined(Use::Condition) => f.write_str("undefined value used as a condition"),
            Fault::Undefined(Use::Address) => f.write_str("undefined value used as an address"),
            Fault::Undefined(Use::Result) => f.write_str("undefined value returned"),
            Fault::Null => f.write_str("access through a null pointer"),
            Fault::OutOfBounds => f.write_str("access outside of any object"),
            Fault::Strayed => f.write_str("pointer arithmetic leaves its object"),
            Fault::Index => f.write_str("index outside of the array"),
            Fault::UseAfterFree => f.write_str("access to freed memory"),
            Fault::ReadOnly => f.write_str("store to a constant object"),
            Fault::DoubleFree => f.write_str("memory freed twice"),
            Fault::BadFree => f.write_str("free of a pointer that malloc did not return"),
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::DivisionOverflow => f.write_str("division overflow: the least value divided by -1"),
            Fault::Misuse(what) => f.write_str(what),
            Fault::ShiftCount => f.write_str("shift count outside of the type's width"),
            Fault::Leak => f.write_str("memory never freed"),
            Fault::BadCall => f.write_str("call through a pointer to no fitting function"),
            Fault::Unreachable => f.write_str("reached a point marked unreachable"),
            Fault::Abort => f.write_str("abort called"),
        }
    }
}
