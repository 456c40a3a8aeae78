//! What exact, loose and execution buffers have in common: how stores are written as words, and what a load finds
//! where stores overlap it.

use fencepost_lsl::value::{IntTy, Value};

/// Bit of a store's first word: undefined bits follow.
const UNDEFINED: u64 = 1 << 16;

/// Adds a store. Of the flags, bit 16 is taken.
pub(crate) fn push(words: &mut Vec<u64>, flags: u64, addr: u64, value: Value) {
    match value.undef() {
        0 => words.extend([flags, addr, value.bits()]),
        undef => words.extend([flags | UNDEFINED, addr, value.bits(), undef]),
    }
}

/// The stores that follow the first word of a buffer: where each begins, its flags, address and value.
pub(crate) fn stores(words: &[u64]) -> impl Iterator<Item = (usize, u64, u64, Value)> {
    let mut at = 1;
    std::iter::from_fn(move || {
        let [flags, addr, bits, rest @ ..] = words.get(at..)? else { return None };
        let (from, undefined) = (at, flags & UNDEFINED != 0);
        at += 3 + undefined as usize;
        Some((from, *flags, *addr, Value::partial(*bits, if undefined { rest[0] } else { 0 })))
    })
}

/// Puts what a store writes, of some bytes at some address, over a value at another; whether any of it is there.
pub(crate) fn overlay(value: &mut Value, addr: u64, ty: IntTy, to: u64, bytes: u64, stored: Value) -> bool {
    let mut any = false;
    for byte in 0..bytes {
        let at = (to + byte).wrapping_sub(addr);
        if at < ty.bytes() {
            let put =
                |word: u64, part: u64| word & !(0xff << (8 * at)) | (part >> (8 * byte) & 0xff) << (8 * at);
            *value = Value::partial(put(value.bits(), stored.bits()), put(value.undef(), stored.undef()));
            any = true;
        }
    }
    any
}
