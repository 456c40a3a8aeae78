//! Values: 64-bit words in which each bit may be undefined, and the C integer types they stand for.
//!
//! A register holds the value of a C object of integer or pointer type, extended to 64 bits as its type
//! says (zeros for unsigned types and pointers, copies of the sign for signed ones). A pointer is its
//! address: casts to `uintptr_t`, tag bits and pointers packed into words with counters need no rule of
//! their own. What CheckFence calls `undefined` (Section 3.1) is kept per bit, so that a bit-field
//! written into fresh memory does not make its neighbours look defined, nor itself undefined.

use std::fmt;

/// A C integer type, as far as arithmetic is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct IntTy {
    /// Width, 1 to 64.
    pub bits: u8,
    /// Whether the top bit is a sign.
    pub signed: bool,
}

impl IntTy {
    /// `uint8_t`, also the type in which a `_Bool` lies in memory.
    pub const U8: IntTy = IntTy::unsigned(8);
    /// `uint32_t`.
    pub const U32: IntTy = IntTy::unsigned(32);
    /// `int32_t`.
    pub const I32: IntTy = IntTy::signed(32);
    /// `uint64_t`, and every pointer.
    pub const U64: IntTy = IntTy::unsigned(64);
    /// `int64_t`.
    pub const I64: IntTy = IntTy::signed(64);

    /// The unsigned type of this width.
    pub const fn unsigned(bits: u8) -> IntTy {
        IntTy { bits, signed: false }
    }

    /// The signed type of this width.
    pub const fn signed(bits: u8) -> IntTy {
        IntTy { bits, signed: true }
    }

    /// Size in bytes of an object of this type.
    pub const fn bytes(self) -> u64 {
        (self.bits as u64).div_ceil(8)
    }

    /// Ones in the bits that the type has.
    pub const fn mask(self) -> u64 {
        if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }

    /// The least value that the type has.
    pub const fn least(self) -> u64 {
        if self.signed { self.wrap(1 << (self.bits - 1)) } else { 0 }
    }

    /// `bits` cut to the type's width and extended as its sign says.
    pub const fn wrap(self, bits: u64) -> u64 {
        let spare = 64 - self.bits as u32;
        if self.signed { (((bits << spare) as i64) >> spare) as u64 } else { bits & self.mask() }
    }
}

impl fmt::Display for IntTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

/// A 64-bit word with a mask of the bits that nothing has ever defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// The defined bits; zero wherever `undef` is one.
    bits: u64,
    /// Ones where the word is undefined.
    undef: u64,
}

impl Value {
    /// Nothing is known of this word: fresh memory, a local before its first assignment.
    pub const UNDEFINED: Value = Value { bits: 0, undef: u64::MAX };
    /// Zero, false, the null pointer.
    pub const ZERO: Value = Value::new(0);
    /// One, true.
    pub const ONE: Value = Value::new(1);

    /// A fully defined word.
    pub const fn new(bits: u64) -> Value {
        Value { bits, undef: 0 }
    }

    /// A word whose bits under `undef` are undefined.
    pub const fn partial(bits: u64, undef: u64) -> Value {
        Value { bits: bits & !undef, undef }
    }

    /// One or zero.
    pub const fn from_bool(b: bool) -> Value {
        Value::new(b as u64)
    }

    /// The defined bits, with zeros for the others.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Ones where the word is undefined.
    pub const fn undef(self) -> u64 {
        self.undef
    }

    /// The word, if all of it is defined.
    pub const fn defined(self) -> Option<u64> {
        if self.undef == 0 { Some(self.bits) } else { None }
    }

    /// The word as a value of this type: cut to its width, then extended; an undefined sign extends too.
    pub const fn wrap(self, ty: IntTy) -> Value {
        Value::partial(ty.wrap(self.bits), ty.wrap(self.undef))
    }
}

impl From<u64> for Value {
    fn from(bits: u64) -> Value {
        Value::new(bits)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.undef, self.bits) {
            (0, bits) if (bits as i64) < 0 && (bits as i64) > -0x1_0000 => write!(f, "{}", bits as i64),
            (0, bits) if bits < 0x1000 => write!(f, "{bits}"),
            (0, bits) => write!(f, "{bits:#x}"),
            (undef, 0) if undef.trailing_zeros() == 0 => write!(f, "undefined"),
            (undef, bits) => write!(f, "{bits:#x} (undefined bits {undef:#x})"),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_follows_the_sign() {
        assert_eq!(IntTy::signed(8).wrap(0x80), 0xffff_ffff_ffff_ff80);
        assert_eq!(IntTy::U8.wrap(0x1ff), 0xff);
        assert_eq!(IntTy::I64.wrap(u64::MAX), u64::MAX);
        let half = Value::partial(0, 0x80);
        assert_eq!(half.wrap(IntTy::signed(8)).undef(), 0xffff_ffff_ffff_ff80);
        assert_eq!(half.wrap(IntTy::U8).undef(), 0x80);
    }

    #[test]
    fn undefined_bits_hold_no_value() {
        assert_eq!(Value::partial(0xff, 0x0f), Value::partial(0xf0, 0x0f));
    }
}
