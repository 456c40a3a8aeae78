//! Whether a program keeps addresses of objects only in forms in which they are recognised.
//!
//! Objects that nothing refers to are dropped and their addresses used again ([`crate::reduce::collect`]), and an object whose
//! address was never stored where others look is its thread's own ([`crate::step::access`]). Both go by
//! [`address::references`]: it finds an address as it is, with tags, and shifted to the left inside of a word, but not
//! one that was complemented, combined with another, or of which some bits are gone. So every operation, load and
//! store is looked at when it is made. Where one makes something of an address that is not recognised, the exploration
//! begins anew and trusts neither: nothing is dropped, and only what [`crate::code::confine`] says is a thread's own.
//!
//! # Soundness
//!
//! Call the bits of an address that say which object it belongs to a *copy* of the object, and say that a word is
//! derived from an object if it has been computed from a copy, comparisons for equality aside. Claim: while nothing
//! was found, each word of a state that is derived from an object has copies of it, each at one of the positions
//! `shifts`, is recognised by each of them, and depends on the object by way of them alone. A new address is a copy at
//! position zero. An operation on a word with a copy either does not depend on the bits of the copy, or its result has
//! the copy at the place where the operation puts it; otherwise it is found. Loads, stores, and what is left of a word
//! of which a part was overwritten likewise. So an object that no word refers to is one from which nothing in the
//! state is derived, and to use its address again, or to take it for unreachable, changes no step.
//!
//! Equality holds between addresses of objects that are both there, so it tells nothing of those that are gone; order
//! would tell where they lay, and is found unless it is the same for all objects. A number that happens to look like
//! an address in the range of an object that is there counts as derived from it: that costs time, nothing else. That
//! a program makes such a number out of nothing and follows it is not considered, here as everywhere.

use crate::options::{Options, Reductions};
use crate::reduce::alike::{Lay, Part};
use crate::reduce::footprint::Footprint;
use crate::state::address::{self, SHIFT, is_object};
use crate::state::buffer::Buffer;
use crate::state::buffer::exact::Kind;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::address as regions;
use fencepost_lsl::value::{IntTy, Value};

/// Bits of an address that say which object it belongs to.
const COPY: u64 = (regions::END - 1) & !((1 << SHIFT) - 1);

/// Positions at which copies were met, as a set of bits; the first is always there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Positions(u64);

impl Default for Positions {
    fn default() -> Positions {
        Positions(1)
    }
}

/// What becomes of a copy in an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// The result does not depend on it.
    Gone,
    /// The result has it at this position.
    At(u32),
    /// Neither.
    Lost,
}

/// The object that a word refers to at a position.
#[inline]
fn object(lay: &Lay, word: u64, shift: u32) -> Option<usize> {
    slot(word, shift).and_then(|slot| lay.object_at(slot))
}

/// The slot that a word refers to at a position.
#[inline]
fn slot(word: u64, shift: u32) -> Option<u32> {
    let seen = match word < regions::END {
        true => shift == 0,
        false => shift < address::POSITIONS,
    };
    address::slot(word >> shift.min(63) & (regions::END - 1)).filter(|_| seen)
}

impl Positions {
    /// Calls `see` with the position and the object of each copy in a word.
    #[inline]
    fn copies(self, lay: &Lay, word: u64, mut see: impl FnMut(u32, usize)) {
        if word < regions::STACK {
            return;
        }
        let mut left = if word < regions::END { 1 } else { self.0 };
        while left != 0 {
            let shift = left.trailing_zeros();
            left &= left - 1;
            if let Some(at) = object(lay, word, shift) {
                see(shift, at);
            }
        }
    }

    /// Takes note that a copy, of an object in a slot, is at a position of a word. False if it is not recognised there.
    fn put(&mut self, lay: &Lay, word: u64, shift: u32, (from, at): (Option<u32>, usize)) -> bool {
        // In another slot, the object's size decides.
        if slot(word, shift) != from {
            lay.sure.set(false);
        }
        let there = object(lay, word, shift) == Some(at);
        if there {
            self.0 |= 1 << shift;
        }
        there
    }

    /// Whether an operation leaves copies recognisable.
    fn keeps(&mut self, lay: &Lay, op: PrimOp, args: [u64; 2], result: u64) -> bool {
        let related = op.arity() == 2 && lay.same(args[0], args[1]);
        let (known, mut kept) = (*self, true);
        for second in [false, true].into_iter().take(op.arity()) {
            let (word, other) = if second { (args[1], args[0]) } else { (args[0], args[1]) };
            known.copies(lay, word, |shift, at| {
                let copy = Copy { shift, second, word, other, related };
                kept &= match copy.fate(op) {
                    Fate::Gone => true,
                    Fate::At(to) => self.put(lay, result, to, (slot(word, shift), at)),
                    Fate::Lost => false,
                };
            });
        }
        kept
    }
}

/// A copy in an argument of an operation.
struct Copy {
    shift: u32,
    /// Whether the argument is the second one.
    second: bool,
    word: u64,
    other: u64,
    /// Whether both arguments are addresses of the same object.
    related: bool,
}

impl Copy {
    fn fate(&self, op: PrimOp) -> Fate {
        let Copy { shift, second, word, other, related } = *self;
        let bits = COPY << shift;
        let stays = |bits: u64, to: Option<u32>| match to {
            _ if bits == 0 => Fate::Gone,
            Some(to) => Fate::At(to),
            None => Fate::Lost,
        };
        match op {
            PrimOp::Copy => Fate::At(shift),
            PrimOp::Not | PrimOp::Truth | PrimOp::Cmp(CmpOp::Eq | CmpOp::Ne, _) => Fate::Gone,
            // All addresses are on the same side of a number outside of their range.
            PrimOp::Cmp(..) if related || word < regions::END && !is_object(other) => Fate::Gone,
            PrimOp::Convert(ty) => stays(bits & ty.mask(), Some(shift)),
            PrimOp::Extract { low, ty } => stays(bits >> low & ty.mask(), shift.checked_sub(u32::from(low))),
            PrimOp::Insert { low, bits: width } => {
                let field = IntTy::unsigned(width).mask();
                match second {
                    false => stays(bits & !(field << low), Some(shift)),
                    true => stays(bits & field, Some(shift + u32::from(low))),
                }
            }
            PrimOp::Bin(BinOp::And, _) => stays(bits & other, Some(shift)),
            PrimOp::Bin(BinOp::Or, _) => stays(bits & !other, Some(shift)),
            PrimOp::Bin(BinOp::Sub, _) if related => Fate::Gone,
            PrimOp::Bin(BinOp::Add | BinOp::Xor, _) => Fate::At(shift),
            PrimOp::Bin(BinOp::Sub, _) if !second => Fate::At(shift),
            PrimOp::Bin(BinOp::Shl, ty) if !second => match u32::try_from(other) {
                Ok(count) if count < 64 => stays(bits << count & ty.mask(), Some(shift + count)),
                _ => Fate::Lost,
            },
            PrimOp::Bin(BinOp::Shr, _) if !second => match u32::try_from(other) {
                Ok(count) if count < 64 => stays(bits >> count, shift.checked_sub(count)),
                _ => Fate::Lost,
            },
            // What is left of a division depends on the sign, too.
            PrimOp::Bin(BinOp::Rem, ty) if !second && other.is_power_of_two() => {
                let sign = if ty.signed { 1 << (ty.bits - 1) } else { 0 };
                stays(bits & ((other - 1) | sign), None)
            }
            _ => Fate::Lost,
        }
    }
}

/// What is known of the forms in which a program keeps addresses. Whoever looks for it says whether all are recognised.
pub(crate) struct Forms {
    positions: Positions,
    /// Whether it matters.
    matters: bool,
}

impl Forms {
    pub(crate) fn new(options: &Options, footprint: &Footprint) -> Forms {
        let Reductions { collect, private, .. } = options.reductions;
        let matters = footprint.trust().plain && (collect || private || options.leaks);
        Forms { positions: Positions::default(), matters }
    }

    /// Looks at an operation that was just made.
    #[inline(always)]
    pub(crate) fn op(&mut self, lay: &Lay, op: PrimOp, x: Value, y: Value, result: Value) -> bool {
        let numbers = x.bits() < regions::STACK && y.bits() < regions::STACK;
        numbers
            || op == PrimOp::Copy
            || !self.matters
            || self.positions.keeps(lay, op, [x.bits(), y.bits()], result.bits())
    }

    /// Looks at values that leave memory: to a monitor, which keeps them.
    pub(crate) fn told(&self, lay: &Lay, values: &[Value]) -> bool {
        let mut any = false;
        for value in values.iter().filter(|_| self.matters) {
            self.positions.copies(lay, value.bits(), |_, _| any = true);
        }
        !any
    }

    /// Looks at copies in a part of a word that is moved: those that have a bit among `moved` must be found in `to`,
    /// `up` bits further up.
    fn moved(&mut self, lay: &Lay, word: u64, moved: u64, to: u64, up: i64) -> bool {
        let (mut kept, known) = (true, self.positions);
        known.copies(lay, word, |shift, at| {
            if COPY << shift & moved != 0 {
                let place = u32::try_from(i64::from(shift) + up).ok();
                let from = (slot(word, shift), at);
                kept &= place.is_some_and(|place| self.positions.put(lay, to, place, from));
            }
        });
        kept
    }

    /// Looks at a value that a store is about to write: no part of a copy is cut off.
    pub(crate) fn stored(&mut self, lay: &Lay, value: Value, ty: IntTy) -> bool {
        let (whole, kept) = (value.bits(), value.wrap(ty).bits());
        !self.matters || whole < regions::STACK || self.moved(lay, whole, width(ty.bytes()), kept, 0)
    }

    /// Looks at a write to memory: what is written is recognised there, and so is what is left around it. Given are the
    /// contents of the object before and after it.
    pub(crate) fn write(
        &mut self,
        lay: &Lay,
        before: &[u64],
        after: &[u64],
        offset: u64,
        ty: IntTy,
        value: u64,
    ) -> bool {
        if !self.matters {
            return true;
        }
        let mut kept = true;
        let (first, last) = (offset / 8, (offset + ty.bytes() - 1) / 8);
        if value >= regions::STACK {
            // In its word, or across two.
            let (word, across) = (after[first as usize], first != last);
            let (to, up) = match across {
                false => (word, 8 * (offset % 8) as i64),
                true => (word >> 32 | after[last as usize] << 32, 8 * (offset % 8) as i64 - 32),
            };
            kept &= self.moved(lay, value, width(ty.bytes()), to, up);
        }
        for (start, old) in views(before, offset, ty.bytes()) {
            let left = !covered(start, offset, ty.bytes());
            kept &= self.moved(lay, old, left, view(after, start), 0);
        }
        kept
    }

    /// Looks at a load: every copy that it loads a part of is recognised in its value. Given is the content of the object.
    pub(crate) fn load(
        &mut self,
        lay: &Lay,
        content: &[u64],
        buffer: &Buffer,
        part: Part,
        value: Value,
    ) -> bool {
        if !self.matters {
            return true;
        }
        let (Part { addr, offset, ty }, value) = (part, value.bits());
        let bytes = ty.bytes();
        // Bytes that no newer store was seen to cover.
        let (mut left, mut kept) = (width(bytes), true);
        let mut check = |start: u64, word: u64, whole: u64, left: &mut u64| {
            // Bits of the word that are seen, and how far up they go.
            let (seen, up) = match start >= addr {
                true => {
                    let up = 8 * (start - addr);
                    (if up < 64 { *left >> up } else { 0 }, up as i64)
                }
                false => {
                    let down = 8 * (addr - start);
                    (if down < 64 { *left << down } else { 0 }, -(down as i64))
                }
            };
            kept &= word < regions::STACK || self.moved(lay, word, seen & whole, value, up);
            let gone = match start >= addr {
                true if up < 64 => whole << up,
                false if up > -64 => whole >> -up,
                _ => 0,
            };
            *left &= !gone;
        };
        for entry in buffer.entries().iter().rev().filter(|entry| entry.kind == Kind::Store) {
            check(entry.addr, entry.value.bits(), width(entry.ty.bytes()), &mut left);
        }
        if let Buffer::Loose(_, buffer) = buffer {
            for item in &buffer.last {
                check(item.addr, item.value.bits(), width(u64::from(item.bytes)), &mut left);
            }
            // The abstraction to a set has no last stores; what is loaded is one of the set as it is, or memory.
            if buffer.last.is_empty() && buffer.covers(addr, bytes) {
                left = 0;
            }
        }
        if left != 0 && !content.is_empty() {
            for (start, word) in views(content, offset, bytes) {
                check(addr - offset + start, word, u64::MAX, &mut { left });
            }
        }
        kept
    }
}

/// The lowest bits of a word.
fn width(bytes: u64) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

/// Which bits of the word at `start` some bytes cover.
fn covered(start: u64, offset: u64, bytes: u64) -> u64 {
    match offset >= start {
        true if offset - start < 8 => width(bytes) << (8 * (offset - start)),
        false if start - offset < bytes => width(bytes - (start - offset)),
        _ => 0,
    }
}

/// The word at an offset that is a multiple of four, as [`address::references`] is asked for it.
fn view(content: &[u64], start: u64) -> u64 {
    let word = (start / 8) as usize;
    match start % 8 {
        0 => content[word],
        _ => content[word] >> 32 | content.get(word + 1).map_or(0, |next| next << 32),
    }
}

/// Words of an object in which copies are recognised and that some bytes touch, with their offsets.
fn views(content: &[u64], offset: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let (first, last) = (offset / 8, (offset + bytes - 1) / 8);
    // Two words at most, and three across.
    let mut found = [(0, 0); 5];
    let mut count = 0;
    for word in first..=last {
        found[count] = (8 * word, content[word as usize]);
        count += 1;
    }
    for word in first.saturating_sub(1)..=last {
        let start = 8 * word + 4;
        if start < offset + bytes && offset < start + 8 && ((word + 1) as usize) < content.len() {
            found[count] = (start, view(content, start));
            count += 1;
        }
    }
    // Numbers that are no addresses have no copies.
    found.into_iter().take(count).filter(|(_, word)| *word >= regions::STACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::three_objects;
    use crate::state::{Pools, World, object_at};
    use fencepost_lsl::program::Place;

    /// Two objects of a slot, and one of three between them.
    fn world() -> (Pools, World, [u64; 3]) {
        let first = address::region(Place::Heap, 1).start;
        let slots = [first + 1, first + 2, first + 8];
        let (pools, world) = three_objects(slots);
        (pools, world, slots.map(|slot| address::base(slot, 16)))
    }

    fn eval(op: PrimOp, x: u64, y: u64) -> Option<u64> {
        op.eval(&[Value::new(x), Value::new(y)][..op.arity()]).ok().map(Value::bits)
    }

    fn kept(op: PrimOp, x: u64, y: u64) -> bool {
        let (pools, world, _) = world();
        let mut positions = Positions(u64::MAX >> (64 - address::POSITIONS));
        positions.keeps(&Lay::new(&pools, &world), op, [x, y], eval(op, x, y).expect("it has a value"))
    }

    #[test]
    fn common_forms_are_recognised() {
        let (_, _, [p, q, _]) = world();
        let bin = |op: BinOp| PrimOp::Bin(op, IntTy::U64);
        let stamped = p | 7 << 48;
        for (op, x, y) in [
            (bin(BinOp::Or), p, 1),
            (bin(BinOp::Xor), p, 1),
            (bin(BinOp::And), p | 3, !7),
            (bin(BinOp::And), p, 7),
            (bin(BinOp::Add), p, 16),
            (bin(BinOp::Sub), p + 16, 16),
            (bin(BinOp::Sub), q + 5000, q),
            (bin(BinOp::Add), q, 8000),
            (bin(BinOp::Or), p, 7 << 48),
            (bin(BinOp::Add), stamped, 1 << 48),
            (bin(BinOp::Shr), stamped, 48),
            (bin(BinOp::Shl), stamped, 16),
            (bin(BinOp::Shr), p << 16 | 5, 16),
            (bin(BinOp::Rem), p, 16),
            (PrimOp::Cmp(CmpOp::Eq, false), p, q),
            (PrimOp::Cmp(CmpOp::Lt, false), q, q + 8),
            (PrimOp::Cmp(CmpOp::Le, true), p, 0),
            (PrimOp::Convert(IntTy::U32), p, 0),
            (PrimOp::Extract { low: 48, ty: IntTy::unsigned(16) }, stamped, 0),
            (PrimOp::Insert { low: 32, bits: 32 }, 9, p),
        ] {
            assert!(kept(op, x, y), "{op} {x:#x} {y:#x}");
        }
    }

    #[test]
    fn disguises_are_found() {
        let (_, _, [p, q, r]) = world();
        let bin = |op: BinOp| PrimOp::Bin(op, IntTy::U64);
        for (op, x, y) in [
            (bin(BinOp::Xor), p, q),
            (bin(BinOp::Xor), p, 0x5a5a_5a5a),
            (bin(BinOp::Shr), p, 3),
            (bin(BinOp::Sub), p, q),
            (bin(BinOp::Sub), 0, p),
            (bin(BinOp::Add), p, q),
            (bin(BinOp::Add), p, 1 << 20),
            (bin(BinOp::Mul), p, 31),
            (bin(BinOp::Rem), p, 1 << 16),
            (bin(BinOp::Rem), p, 17),
            (bin(BinOp::And), p, 0xffff),
            (bin(BinOp::Shl), p, 40),
            (bin(BinOp::Shl), 1, r & 0xffff),
            (PrimOp::BitNot(IntTy::U64), p, 0),
            (PrimOp::Neg(IntTy::U64), p, 0),
            (PrimOp::Cmp(CmpOp::Lt, false), p, q),
            (PrimOp::Cmp(CmpOp::Lt, false), p, 0x2345_6789),
            (PrimOp::Convert(IntTy::unsigned(16)), p, 0),
            (PrimOp::Extract { low: 8, ty: IntTy::U8 }, p, 0),
            (PrimOp::Insert { low: 16, bits: 8 }, p, 1),
            // One of two copies is spoilt.
            (bin(BinOp::Xor), p << 32 | p, 0x1234_0000 << 32),
        ] {
            if eval(op, x, y).is_some() {
                assert!(!kept(op, x, y), "{op} {x:#x} {y:#x}");
            }
        }
    }

    /// What is kept with bits outside of all copies changed, for all objects: where nothing is found, the result has
    /// the copies, or is the same for every object at the same offset.
    #[test]
    fn what_depends_on_an_object_refers_to_it() {
        let (pools, world, objects) = world();
        let numbers =
            [0, 1, 3, 8, 12, 16, 31, 4095, 4096, 1 << 31, 1 << 48, u64::MAX, !7, !4095, 0xffff_0000_0000];
        let mut words: Vec<(u64, usize)> = Vec::new();
        for (number, base) in objects.iter().enumerate() {
            let forms = [*base, base + 8, base | 3 << 48, base << 16 | 9, base << 32, base << 32 | 77];
            words.extend(forms.map(|word| (word, number)));
        }
        let types = [IntTy::U8, IntTy::U32, IntTy::U64, IntTy::I32, IntTy::I64, IntTy::unsigned(16)];
        let all = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem];
        let bits = [BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Shl, BinOp::Shr];
        let mut ops = vec![PrimOp::Not, PrimOp::Truth];
        for ty in types {
            ops.extend(all.into_iter().chain(bits).map(|op| PrimOp::Bin(op, ty)));
            ops.extend([PrimOp::Neg(ty), PrimOp::BitNot(ty), PrimOp::Convert(ty)]);
            ops.extend([0, 4, 12, 16, 32, 48].map(|low| PrimOp::Extract { low, ty }));
        }
        ops.extend(
            [(0, 12), (8, 8), (16, 16), (32, 32), (48, 16)].map(|(low, bits)| PrimOp::Insert { low, bits }),
        );
        let refers = |word: u64, object: usize| {
            let mut found = false;
            address::references(word, |slot| found |= object_at(&pools, &world, slot) == Some(object));
            found
        };
        let (mut same_for_all, mut referring) = (0, 0);
        for op in ops {
            for (word, number) in &words {
                for (y, swapped) in numbers.iter().flat_map(|y| [(*y, false), (*y, true)]) {
                    let moved = |other: usize| {
                        let by = objects[other].wrapping_sub(objects[*number]);
                        let shift =
                            [0, 16, 32].into_iter().find(|s| word >> s & COPY == objects[*number] & COPY);
                        word.wrapping_add(by << shift.expect("it has a copy"))
                    };
                    let value = |word: u64| if swapped { eval(op, y, word) } else { eval(op, word, y) };
                    let Some(result) = value(*word) else { continue };
                    let args = if swapped { [y, *word] } else { [*word, y] };
                    let mut positions = Positions(u64::MAX >> (64 - address::POSITIONS));
                    if !positions.keeps(&Lay::new(&pools, &world), op, args, result) {
                        continue;
                    }
                    if (0..3).all(|other| value(moved(other)) == Some(result)) {
                        same_for_all += 1;
                    } else {
                        assert!(refers(result, *number), "{op} {args:x?} {result:#x}");
                        referring += 1;
                    }
                }
            }
        }
        assert!(same_for_all > 500 && referring > 500, "{same_for_all} {referring}");
    }
}
