//! Primitive operations on words, and what they compute.
//!
//! Operations carry the C type they work in: arguments are words that already hold values of that type
//! (see [`crate::value`]), and so is the result. Undefined bits move through copies, conversions, masks,
//! shifts and bit-field access unharmed; arithmetic and comparisons on them are faults.

use crate::fault::{Fault, Use};
use crate::value::{IntTy, Value};
use std::fmt;

/// An arithmetic operator of C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinOp {
    /// `+`, wrapping.
    Add,
    /// `-`, wrapping.
    Sub,
    /// `*`, wrapping.
    Mul,
    /// `/`, towards zero. The least value by -1 is a fault, here and for `%`.
    Div,
    /// `%`, with the dividend's sign.
    Rem,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<<`.
    Shl,
    /// `>>`; copies the sign of a signed type.
    Shr,
}

/// A comparison. Greater-than is less-than with its arguments exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CmpOp {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
}

/// A primitive operation; `f` in CheckFence's Figure 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PrimOp {
    /// The argument itself.
    Copy,
    /// Two-operand arithmetic in a type.
    Bin(BinOp, IntTy),
    /// Unary minus in a type.
    Neg(IntTy),
    /// `~` in a type.
    BitNot(IntTy),
    /// Comparison of two words as signed (true) or unsigned numbers.
    Cmp(CmpOp, bool),
    /// `!`: one if the word is zero.
    Not,
    /// One if the word is not zero: conversion to `_Bool`, and of any scalar to a condition.
    Truth,
    /// Conversion to a type.
    Convert(IntTy),
    /// Field of the given type that starts at a bit of the word.
    Extract {
        /// Lowest bit of the field.
        low: u8,
        /// Width and sign of the field.
        ty: IntTy,
    },
    /// First argument with a field replaced by the low bits of the second.
    Insert {
        /// Lowest bit of the field.
        low: u8,
        /// Width of the field.
        bits: u8,
    },
}

impl PrimOp {
    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            PrimOp::Bin(..) | PrimOp::Cmp(..) | PrimOp::Insert { .. } => 2,
            _ => 1,
        }
    }

    /// Whether its arguments must be defined: all but data movement and bit masks.
    pub fn needs_defined(self) -> bool {
        !matches!(
            self,
            PrimOp::Copy
                | PrimOp::Convert(_)
                | PrimOp::Extract { .. }
                | PrimOp::Insert { .. }
                | PrimOp::BitNot(_)
                | PrimOp::Bin(BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr, _)
        )
    }

    /// What it computes from these arguments, of which there are [`PrimOp::arity`].
    pub fn eval(self, args: &[Value]) -> Result<Value, Fault> {
        debug_assert_eq!(args.len(), self.arity());
        if self.needs_defined() && args.iter().any(|arg| arg.undef() != 0) {
            return Err(Fault::Undefined(Use::Arithmetic));
        }
        let a = args[0];
        Ok(match self {
            PrimOp::Copy => a,
            PrimOp::Bin(op, ty) => return eval_bin(op, ty, a, args[1]),
            PrimOp::Neg(ty) => Value::new(ty.wrap(a.bits().wrapping_neg())),
            PrimOp::BitNot(ty) => Value::partial(!a.bits(), a.undef()).wrap(ty),
            PrimOp::Cmp(op, signed) => Value::from_bool(compare(op, signed, a.bits(), args[1].bits())),
            PrimOp::Not => Value::from_bool(a.bits() == 0),
            PrimOp::Truth => Value::from_bool(a.bits() != 0),
            PrimOp::Convert(ty) => a.wrap(ty),
            PrimOp::Extract { low, ty } => Value::partial(a.bits() >> low, a.undef() >> low).wrap(ty),
            PrimOp::Insert { low, bits } => {
                let field = IntTy::unsigned(bits).mask();
                let put = |word: u64, part: u64| word & !(field << low) | (part & field) << low;
                Value::partial(put(a.bits(), args[1].bits()), put(a.undef(), args[1].undef()))
            }
        })
    }
}

fn eval_bin(op: BinOp, ty: IntTy, a: Value, b: Value) -> Result<Value, Fault> {
    let (x, y) = (a.bits(), b.bits());
    if matches!(op, BinOp::Shl | BinOp::Shr) {
        let count = b.defined().ok_or(Fault::Undefined(Use::Arithmetic))?;
        if count >= ty.bits as u64 {
            return Err(Fault::ShiftCount);
        }
        let shift = |word: u64| match op {
            BinOp::Shl => word << count,
            _ if ty.signed => ((word as i64) >> count) as u64,
            _ => word >> count,
        };
        return Ok(Value::partial(shift(x), shift(a.undef())).wrap(ty));
    }
    if matches!(op, BinOp::Div | BinOp::Rem) && y == 0 {
        return Err(Fault::DivisionByZero);
    }
    if matches!(op, BinOp::Div | BinOp::Rem) && ty.signed && x == ty.least() && y == u64::MAX {
        return Err(Fault::DivisionOverflow);
    }
    let either = a.undef() | b.undef();
    let (bits, undef) = match op {
        BinOp::Add => (x.wrapping_add(y), 0),
        BinOp::Sub => (x.wrapping_sub(y), 0),
        BinOp::Mul => (x.wrapping_mul(y), 0),
        BinOp::Div if ty.signed => ((x as i64 / y as i64) as u64, 0),
        BinOp::Div => (x / y, 0),
        BinOp::Rem if ty.signed => ((x as i64 % y as i64) as u64, 0),
        BinOp::Rem => (x % y, 0),
        // A defined zero (for `&`) or one (for `|`) decides the bit whatever the other side is.
        BinOp::And => (x & y, either & (x | a.undef()) & (y | b.undef())),
        BinOp::Or => (x | y, either & !x & !y),
        BinOp::Xor => (x ^ y, either),
        BinOp::Shl | BinOp::Shr => unreachable!("shifts are handled above"),
    };
    Ok(Value::partial(bits, undef).wrap(ty))
}

/// The comparison of two words.
pub fn compare(op: CmpOp, signed: bool, a: u64, b: u64) -> bool {
    match (op, signed) {
        (CmpOp::Eq, _) => a == b,
        (CmpOp::Ne, _) => a != b,
        (CmpOp::Lt, false) => a < b,
        (CmpOp::Lt, true) => (a as i64) < b as i64,
        (CmpOp::Le, false) => a <= b,
        (CmpOp::Le, true) => a as i64 <= b as i64,
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinOp::Add => "add",
            BinOp::Sub => "sub",
            BinOp::Mul => "mul",
            BinOp::Div => "div",
            BinOp::Rem => "rem",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            BinOp::Shl => "shl",
            BinOp::Shr => "shr",
        })
    }
}

impl fmt::Display for PrimOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrimOp::Copy => f.write_str("copy"),
            PrimOp::Bin(op, ty) => write!(f, "{op}.{ty}"),
            PrimOp::Neg(ty) => write!(f, "neg.{ty}"),
            PrimOp::BitNot(ty) => write!(f, "bitnot.{ty}"),
            PrimOp::Cmp(op, signed) => {
                let name = match op {
                    CmpOp::Eq => return f.write_str("eq"),
                    CmpOp::Ne => return f.write_str("ne"),
                    CmpOp::Lt => "lt",
                    CmpOp::Le => "le",
                };
                write!(f, "{name}.{}", if *signed { "i64" } else { "u64" })
            }
            PrimOp::Not => f.write_str("not"),
            PrimOp::Truth => f.write_str("truth"),
            PrimOp::Convert(ty) => write!(f, "convert.{ty}"),
            PrimOp::Extract { low, ty } => write!(f, "extract.{ty}@{low}"),
            PrimOp::Insert { low, bits } => write!(f, "insert.{bits}@{low}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(op: PrimOp, args: &[u64]) -> Result<u64, Fault> {
        let args: Vec<Value> = args.iter().map(|&bits| Value::new(bits)).collect();
        op.eval(&args).map(Value::bits)
    }

    #[test]
    fn arithmetic_wraps_and_extends() {
        let i8 = IntTy::signed(8);
        assert_eq!(eval(PrimOp::Bin(BinOp::Add, i8), &[127, 1]), Ok(i8.wrap(0x80)));
        assert_eq!(eval(PrimOp::Bin(BinOp::Sub, IntTy::U32), &[0, 1]), Ok(0xffff_ffff));
        let min = IntTy::I32.wrap(0x8000_0000);
        assert_eq!(eval(PrimOp::Bin(BinOp::Div, IntTy::I32), &[min + 1, u64::MAX]), Ok(0x7fff_ffff));
        assert_eq!(eval(PrimOp::Bin(BinOp::Div, IntTy::I64), &[min, u64::MAX]), Ok(0x8000_0000));
        assert_eq!(eval(PrimOp::Bin(BinOp::Rem, IntTy::I64), &[(-7i64) as u64, 2]), Ok(u64::MAX));
        assert_eq!(eval(PrimOp::Bin(BinOp::Shr, IntTy::I32), &[(-8i64) as u64, 1]), Ok((-4i64) as u64));
        assert_eq!(eval(PrimOp::Cmp(CmpOp::Lt, true), &[u64::MAX, 0]), Ok(1));
        assert_eq!(eval(PrimOp::Cmp(CmpOp::Lt, false), &[u64::MAX, 0]), Ok(0));
    }

    #[test]
    fn faults() {
        assert_eq!(eval(PrimOp::Bin(BinOp::Div, IntTy::U32), &[1, 0]), Err(Fault::DivisionByZero));
        for ty in [IntTy::I32, IntTy::I64] {
            for op in [BinOp::Div, BinOp::Rem] {
                assert_eq!(eval(PrimOp::Bin(op, ty), &[ty.least(), u64::MAX]), Err(Fault::DivisionOverflow));
            }
        }
        assert_eq!(eval(PrimOp::Bin(BinOp::Shl, IntTy::U32), &[1, 32]), Err(Fault::ShiftCount));
        let undefined = PrimOp::Bin(BinOp::Add, IntTy::U64).eval(&[Value::UNDEFINED, Value::ONE]);
        assert_eq!(undefined, Err(Fault::Undefined(Use::Arithmetic)));
    }

    #[test]
    fn bit_fields_keep_their_neighbours_undefined() {
        let word = PrimOp::Insert { low: 4, bits: 4 }.eval(&[Value::UNDEFINED, Value::new(0xa)]).unwrap();
        assert_eq!(word.undef(), !0xf0);
        let field = PrimOp::Extract { low: 4, ty: IntTy::unsigned(4) }.eval(&[word]).unwrap();
        assert_eq!(field, Value::new(0xa));
        let sign = PrimOp::Extract { low: 4, ty: IntTy::signed(4) }.eval(&[word]).unwrap();
        assert_eq!(sign, Value::new((-6i64) as u64));
    }

    #[test]
    fn masks_decide_undefined_bits() {
        let and = PrimOp::Bin(BinOp::And, IntTy::U64).eval(&[Value::UNDEFINED, Value::new(0xff)]).unwrap();
        assert_eq!(and.undef(), 0xff);
        let or = PrimOp::Bin(BinOp::Or, IntTy::U64).eval(&[Value::UNDEFINED, Value::new(0xff)]).unwrap();
        assert_eq!((or.undef(), or.bits()), (!0xff, 0xff));
    }
}
