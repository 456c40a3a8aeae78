//! Objects as words: two of header, the content, and, if anything in it is undefined, the undefined bits.

use crate::state::address;
use fencepost_lsl::value::{IntTy, Value};

/// Freed.
const FREED: u64 = 1;
/// Words of undefined bits follow the content.
const UNDEFINED: u64 = 2;
/// From `malloc`, not a local variable.
const HEAP: u64 = 4;
/// Where the alignment is, as a power of two.
const ALIGN: u32 = 3;
const OWNER: u32 = 8;
/// Words of header.
pub(crate) const HEADER: usize = 2;

/// A view of an object's words.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a>(pub(crate) &'a [u64]);

/// What a new object is like.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) size: u64,
    /// A power of two; of no meaning for globals.
    pub(crate) align: u64,
    /// The global or allocation site that it belongs to.
    pub(crate) class: u32,
    pub(crate) heap: bool,
    pub(crate) zeroed: bool,
}

/// The words of a new object.
pub(crate) fn new(shape: Shape, owner: Option<usize>) -> Vec<u64> {
    let Shape { size, align, class, heap, zeroed } = shape;
    // Both share a word.
    assert!(size <= u64::from(u32::MAX), "sizes are checked before objects are made");
    let words = size.div_ceil(8) as usize;
    let flags = if heap { HEAP } else { 0 }
        | u64::from(align.trailing_zeros()) << ALIGN
        | (owner.map_or(0, |thread| thread as u64 + 1)) << OWNER;
    let mut made = vec![size | u64::from(class) << 32, flags];
    made.resize(2 + words, 0);
    if !zeroed && words > 0 {
        made[1] |= UNDEFINED;
        made.resize(2 + 2 * words, u64::MAX);
        mask_tail(&mut made, size);
    }
    made
}

/// Undefined bits past the end are none, so that equal objects are equal words.
fn mask_tail(words: &mut [u64], size: u64) {
    let rest = size % 8;
    if rest != 0
        && let Some(last) = words.last_mut()
    {
        *last &= (1 << (8 * rest)) - 1;
    }
}

impl<'a> Object<'a> {
    pub(crate) fn size(self) -> u64 {
        self.0[0] & 0xffff_ffff
    }

    pub(crate) fn class(self) -> u32 {
        (self.0[0] >> 32) as u32
    }

    /// What its address is a multiple of.
    pub(crate) fn align(self) -> u64 {
        1 << (self.0[1] >> ALIGN & 31)
    }

    /// Its address, if it starts in a slot.
    pub(crate) fn base(self, slot: u32) -> u64 {
        address::base(slot, self.align())
    }

    /// How many slots it takes.
    pub(crate) fn slots(self) -> u32 {
        address::slots(self.size(), self.align())
    }

    pub(crate) fn freed(self) -> bool {
        self.0[1] & FREED != 0
    }

    pub(crate) fn heap(self) -> bool {
        self.0[1] & HEAP != 0
    }

    /// The thread that alone can reach it.
    pub(crate) fn owner(self) -> Option<usize> {
        ((self.0[1] >> OWNER) as usize).checked_sub(1)
    }

    fn count(self) -> usize {
        self.size().div_ceil(8) as usize
    }

    /// Words of content, without their undefined bits.
    pub(crate) fn content(self) -> &'a [u64] {
        &self.0[2..2 + self.count()]
    }

    /// The undefined bits of a word of content.
    pub(crate) fn undefined(self, at: usize) -> u64 {
        if self.0[1] & UNDEFINED == 0 { 0 } else { self.0[HEADER + self.count() + at] }
    }

    /// The value at an offset, which must be inside.
    #[inline]
    pub(crate) fn read(self, offset: u64, ty: IntTy) -> Value {
        let bits = take(self.content(), offset, ty.bytes());
        if self.0[1] & UNDEFINED == 0 {
            return Value::new(bits).wrap(ty);
        }
        let undef = take(&self.0[2 + self.count()..], offset, ty.bytes());
        Value::partial(bits, undef).wrap(ty)
    }
}

#[inline]
fn take(words: &[u64], offset: u64, bytes: u64) -> u64 {
    let (at, shift) = (offset as usize / 8, 8 * (offset as u32 % 8));
    let low = words[at] >> shift;
    if shift + 8 * bytes as u32 <= 64 { low } else { low | words[at + 1] << (64 - shift) }
}

fn put(words: &mut [u64], offset: u64, bytes: u64, value: u64) {
    let (at, shift) = (offset as usize / 8, 8 * (offset as u32 % 8));
    let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
    words[at] = words[at] & !(mask << shift) | (value & mask) << shift;
    if shift + 8 * bytes as u32 > 64 {
        let high = 64 - shift;
        words[at + 1] = words[at + 1] & !(mask >> high) | (value & mask) >> high;
    }
}

/// Writes a value at an offset, which must be inside.
pub(crate) fn write(words: &mut Vec<u64>, offset: u64, ty: IntTy, value: Value) {
    let count = (words[0] & 0xffff_ffff).div_ceil(8) as usize;
    put(&mut words[2..2 + count], offset, ty.bytes(), value.bits());
    if words[1] & UNDEFINED == 0 {
        let mask = if ty.bytes() == 8 { u64::MAX } else { (1 << (8 * ty.bytes())) - 1 };
        if value.undef() & mask == 0 {
            return;
        }
        words[1] |= UNDEFINED;
        words.resize(2 + 2 * count, 0);
    }
    put(&mut words[2 + count..], offset, ty.bytes(), value.undef());
    if words[2 + count..].iter().all(|word| *word == 0) {
        words.truncate(2 + count);
        words[1] &= !UNDEFINED;
    }
}

/// Ends an object's life.
pub(crate) fn free(words: &mut [u64]) {
    words[1] |= FREED;
}

/// Lets everybody reach an object.
pub(crate) fn share(words: &mut [u64]) {
    words[1] &= (1 << OWNER) - 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::memory;
    use fencepost_lsl::program::Place;

    /// Reads and writes at all offsets and widths, compared with the interpreter's memory.
    #[test]
    fn agrees_with_the_interpreter() {
        for size in [8u64, 12, 16, 20] {
            let shape = Shape { size, align: 16, class: 3, heap: true, zeroed: false };
            let mut words = new(shape, Some(1));
            let mut plain = memory::Object::new(0, size, Place::Heap, false, None);
            let mut seed = 1u64;
            for step in 0..2000 {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(11);
                let ty = [IntTy::U8, IntTy::U32, IntTy::U64, IntTy::signed(16), IntTy::I32]
                    [(seed >> 33) as usize % 5];
                let offset = (seed >> 20) % (size - ty.bytes() + 1);
                let undef = if step % 3 == 0 { seed.rotate_left(7) & seed } else { 0 };
                let value = Value::partial(seed.rotate_left(23), undef);
                write(&mut words, offset, ty, value);
                plain.write(offset, ty, value);
                for at in 0..size - 7 {
                    assert_eq!(Object(&words).read(at, IntTy::U64), plain.read(at, IntTy::U64));
                }
                assert_eq!(Object(&words).read(offset, ty), plain.read(offset, ty));
            }
            assert_eq!((Object(&words).owner(), Object(&words).class()), (Some(1), 3));
            assert_eq!(Object(&words).align(), 16);
        }
    }
}
