//! Whether a program treats all addresses of objects alike, as far as the exploration shows.
//!
//! [`crate::reduce::rename`] gives objects new addresses, and so does [`crate::reduce::symmetry`], where threads change places. That is right only if
//! no program can notice, so each operation on an address is looked at when it is made: copies, equality, tags in the low bits and offsets inside of
//! an object pass. An order of two objects, a hash, an address that is packed with something else or that is observed as a number does not; then the
//! exploration begins anew, without either.
//!
//! # Soundness
//!
//! A word is taken for an address if it is a number in the range of objects. Such words come only from
//! allocations: no constant lies in that range, and an operation, load or store that makes one from anything
//! but an address of the same object does not pass. So in a state that is reached by operations which pass,
//! the addresses are known exactly. An operation that passes commutes with renaming: it yields the same
//! offset in the same object, or a number that depends on no bits but those below [`address::SHIFT`], which
//! renaming keeps. Assume that some execution has an operation that does not pass, and take its first one.
//! Up to there, a renamed execution leads along explored states and makes the same operation, so the
//! exploration met it. If an exploration meets none, then no execution has any.

use crate::code::Code;
use crate::state::address::{self, SHIFT, is_object};
use crate::state::buffer::exact::{Entry, Kind};
use crate::state::{Pools, World, object_at};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Choice, Program, address as regions};
use fencepost_lsl::value::{IntTy, Value};
use std::cell::Cell;

/// Whether no constant could be taken for an address.
pub(crate) fn constants_differ(code: &Code, program: &Program, pools: &Pools, start: &World) -> bool {
    let number = |value: &Value| !is_object(value.bits());
    let choices = code.choices.iter().all(|choice| match choice {
        Choice::OneOf(values) => values.iter().all(number),
        Choice::Any(_) => true,
    });
    let arguments = code.calls.iter().flat_map(|call| &call.watched).flat_map(|call| &call.args);
    let contents = start.globals.iter().flat_map(|global| pools.object(*global).content());
    choices
        && code.consts.iter().all(number)
        && arguments.into_iter().all(number)
        && contents.into_iter().all(|word| !is_object(*word))
        && program.globals.iter().all(|global| !is_object(global.addr + global.size))
}

/// Where objects are in a state, for a step to ask, and whether the answers are `sure`: the same in every state that
/// agrees in the thread and the objects it accesses. A step with other answers is not remembered.
pub(crate) struct Lay<'a> {
    pub(crate) pools: &'a Pools,
    pub(crate) world: &'a World,
    pub(crate) sure: Cell<bool>,
}

impl<'a> Lay<'a> {
    pub(crate) fn new(pools: &'a Pools, world: &'a World) -> Lay<'a> {
        Lay { pools, world, sure: Cell::new(true) }
    }

    /// The position of the object that a slot belongs to. The answer that there is none is not sure: in another state
    /// an object may be there.
    #[inline]
    pub(crate) fn object_at(&self, slot: u32) -> Option<usize> {
        let found = object_at(self.pools, self.world, slot);
        if found.is_none() {
            self.sure.set(false);
        }
        found
    }

    /// Whether two addresses are of the same object. Of two slots, how large objects are decides.
    pub(crate) fn same(&self, a: u64, b: u64) -> bool {
        let (Some(a), Some(b)) = (address::slot(a), address::slot(b)) else { return false };
        if a == b {
            return true;
        }
        self.sure.set(false);
        self.object_at(a).is_some_and(|at| self.object_at(b) == Some(at))
    }
}

/// Whether an operation of which an argument or the result may be an address passes.
fn passes(lay: &Lay, op: PrimOp, x: Value, y: Value, result: Value) -> bool {
    const LOW: u64 = (1 << SHIFT) - 1;
    const HIGH: u64 = (regions::END - 1) & !LOW;
    let same = |a: u64, b: u64| lay.same(a, b);
    let of = |value: Value| is_object(value.bits());
    if op == PrimOp::Copy {
        return true;
    }
    let (x_is, y_is) = (of(x), op.arity() == 2 && of(y));
    if !x_is && !y_is {
        return !of(result);
    }
    if x.undef() != 0 || op.arity() == 2 && y.undef() != 0 {
        return false;
    }
    // One address and one number, which come in either order.
    let one = match (x_is, y_is) {
        (true, false) => Some((x.bits(), y.bits())),
        (false, true) => Some((y.bits(), x.bits())),
        _ => None,
    };
    let (x, y, result) = (x.bits(), y.bits(), result.bits());
    match op {
        PrimOp::Copy | PrimOp::Not | PrimOp::Truth | PrimOp::Cmp(CmpOp::Eq | CmpOp::Ne, _) => true,
        // Every address is on the same side of a number outside of their range.
        PrimOp::Cmp(..) => one.is_some() || same(x, y),
        PrimOp::Convert(ty) => result == x || u32::from(ty.bits) <= SHIFT,
        PrimOp::Bin(BinOp::Add, _) => one.is_some_and(|(address, _)| same(address, result)),
        PrimOp::Bin(BinOp::Sub, _) => match one {
            None => same(x, y) && !is_object(result),
            Some(_) => x_is && same(x, result),
        },
        PrimOp::Bin(BinOp::And, _) => {
            one.is_some_and(|(address, mask)| mask <= LOW || mask & HIGH == HIGH && same(address, result))
        }
        PrimOp::Bin(BinOp::Or | BinOp::Xor, _) => {
            one.is_some_and(|(address, tag)| tag <= LOW && same(address, result))
        }
        PrimOp::Bin(BinOp::Rem, _) => x_is && !y_is && y.is_power_of_two() && y <= LOW + 1,
        PrimOp::Extract { low, ty } => result == x || u32::from(low) + u32::from(ty.bits) <= SHIFT,
        PrimOp::Insert { low, bits } => x_is && u32::from(low) + u32::from(bits) <= SHIFT,
        PrimOp::Bin(..) | PrimOp::Neg(_) | PrimOp::BitNot(_) => false,
    }
}

/// What is known of a program's operations on addresses.
pub(crate) struct Alike {
    /// Whether objects are renamed, and whether one order of twins stands for all.
    pub(crate) renames: bool,
    pub(crate) symmetric: bool,
    /// Whether all operations so far treat addresses alike, which both need.
    pub(crate) holds: bool,
}

impl Alike {
    /// Whether it matters how operations treat addresses.
    #[inline]
    pub(crate) fn matters(&self) -> bool {
        self.renames || self.symmetric
    }

    /// Looks at an operation that was just made.
    #[inline(always)]
    pub(crate) fn op(&mut self, lay: &Lay, op: PrimOp, x: Value, y: Value, result: Value) {
        let any = || is_object(x.bits()) || is_object(y.bits()) || is_object(result.bits());
        if self.matters() && any() {
            self.holds &= passes(lay, op, x, y, result);
        }
    }

    /// Looks at values that are observed.
    pub(crate) fn observed(&mut self, values: impl IntoIterator<Item = Value>) {
        if self.matters() {
            self.holds &= !values.into_iter().any(|value| is_object(value.bits()));
        }
    }

    /// Looks at a write to memory: an address is stored whole, and none is left in pieces. Given are the contents of the
    /// object before and after it.
    pub(crate) fn write(&mut self, before: &[u64], after: &[u64], offset: u64, ty: IntTy, value: u64) {
        if !self.matters() {
            return;
        }
        let aligned = offset.is_multiple_of(8);
        for word in offset as usize / 8..=(offset + ty.bytes() - 1) as usize / 8 {
            let (old, new) = (before[word], after[word]);
            self.holds &= match (is_object(old), is_object(new)) {
                (_, true) if aligned && new == value => true,
                (true, true) => !is_object(value) && address::slot(old) == address::slot(new),
                (true, false) => aligned && ty.bytes() >= 4,
                (false, true) => false,
                (false, false) => !is_object(value),
            };
        }
    }

    /// Looks at a value that a store is about to write.
    pub(crate) fn stored(&mut self, value: Value, ty: IntTy) {
        let (whole, kept) = (value.bits(), value.wrap(ty).bits());
        if self.matters() && (is_object(whole) || is_object(kept)) {
            self.holds &= whole == kept;
        }
    }

    /// Looks at a load: an address is loaded whole. Given are the content of the object, and the stores under way.
    pub(crate) fn load(&mut self, content: &[u64], stores: &[Entry], part: Part, value: Value) {
        if !self.matters() {
            return;
        }
        let (value, Part { addr, offset, ty }) = (value.bits(), part);
        let words = &content[offset as usize / 8..=(offset + ty.bytes() - 1) as usize / 8];
        let end = addr + ty.bytes();
        let meets = |entry: &&Entry| {
            entry.kind == Kind::Store && entry.addr < end && addr < entry.addr + entry.ty.bytes()
        };
        let whole = |source: u64, aligned: bool| match is_object(source) {
            true => aligned && value == source,
            false => !is_object(value),
        };
        self.holds &= match stores.iter().rev().find(meets) {
            None if words.len() == 1 => whole(words[0], offset.is_multiple_of(8)),
            Some(last) if last.addr <= addr && end <= last.addr + last.ty.bytes() => {
                whole(last.value.bits(), last.addr == addr)
            }
            // Put together from several sources: none may be an address.
            _ => {
                !is_object(value)
                    && !words.iter().any(|word| is_object(*word))
                    && !stores.iter().filter(meets).any(|entry| is_object(entry.value.bits()))
            }
        };
    }
}

/// A part of an object that is loaded: where, and where in the object.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) addr: u64,
    pub(crate) offset: u64,
    pub(crate) ty: IntTy,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::three_objects;
    use fencepost_lsl::program::Place;

    /// Operations that pass commute with renaming, for all pairs of addresses and numbers.
    #[test]
    fn what_passes_commutes_with_renaming() {
        let first = address::region(Place::Heap, 0).start;
        let (before, after) = ([first, first + 2, first + 8], [first + 40, first + 3, first + 20]);
        let (pools, world) = three_objects(before);
        let renamed = |word: u64| match address::slot(word).and_then(|s| object_at(&pools, &world, s)) {
            Some(at) => word + address::base(after[at], 16) - address::base(before[at], 16),
            None => word,
        };
        let mut words = vec![0, 1, 3, 7, 8, 12, 31, 4095, 4096, 0x7fff_ffff, 1 << 40, u64::MAX, !1, !4095];
        for slot in before {
            let base = address::base(slot, 16);
            words.extend([base, base + 1, base + 8, base - 8]);
        }
        words.push(address::base(before[1], 16) + 5000);
        let (u8, u32, u64) = (IntTy::U8, IntTy::U32, IntTy::U64);
        let bins = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem];
        let bits = [BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Shl, BinOp::Shr];
        let mut ops = vec![PrimOp::Copy, PrimOp::Not, PrimOp::Truth, PrimOp::Insert { low: 0, bits: 3 }];
        for ty in [u8, u32, u64, IntTy::I32, IntTy::I64, IntTy::unsigned(16)] {
            ops.extend(bins.into_iter().chain(bits).map(|op| PrimOp::Bin(op, ty)));
            ops.extend([PrimOp::Neg(ty), PrimOp::BitNot(ty), PrimOp::Convert(ty)]);
            ops.extend([0, 1, 4, 12].map(|low| PrimOp::Extract { low, ty }));
        }
        ops.extend([(0, 12), (8, 8), (16, 16), (0, 32)].map(|(low, bits)| PrimOp::Insert { low, bits }));
        for signed in [false, true] {
            ops.extend([CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le].map(|op| PrimOp::Cmp(op, signed)));
        }
        let mut passed = 0;
        for op in ops {
            for (x, y) in words.iter().flat_map(|x| words.iter().map(move |y| (*x, *y))) {
                let eval = |x: u64, y: u64| op.eval(&[Value::new(x), Value::new(y)][..op.arity()]);
                let Ok(result) = eval(x, y) else { continue };
                if passes(&Lay::new(&pools, &world), op, Value::new(x), Value::new(y), result) {
                    passed += is_object(x) as u32;
                    let other = eval(renamed(x), renamed(y)).expect("it passed");
                    assert_eq!(renamed(result.bits()), other.bits(), "{op} {x:#x} {y:#x}");
                }
            }
        }
        assert!(passed > 1000, "{passed}");
    }
}
