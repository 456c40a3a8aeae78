//! Rooms: the addresses that belong together. Arithmetic on a pointer that leaves its room is an error.

use super::domain::{Range, Wide};
use crate::unroll::Unrolled;
use fencepost_lsl::program::address;
use fencepost_lsl::value::Value;
use std::ops::Range as Span;

/// More numbers than this are not tried one by one.
const MAX_TRIED: u64 = 4096;

/// The rooms of all objects, which are the objects with their margins, and of null; by address.
#[derive(Default)]
pub(crate) struct Rooms(Vec<Span<u64>>);

impl Rooms {
    /// Those of a program.
    pub(crate) fn new(unrolled: &Unrolled) -> Rooms {
        let room = |base: u64, size: u64| base - address::MARGIN..base + size + address::MARGIN;
        let mut rooms: Vec<Span<u64>> =
            unrolled.objects.iter().map(|object| room(object.base, object.size)).collect();
        rooms.push(0..address::NULL_END);
        rooms.sort_by_key(|room| room.start);
        Rooms(rooms)
    }

    /// The room of an address, if it is in one.
    pub(crate) fn of(&self, addr: u64) -> Option<&Span<u64>> {
        let after = self.0.partition_point(|room| room.start <= addr);
        self.0[..after].last().filter(|room| room.contains(&addr))
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Span<u64>> {
        self.0.iter()
    }

    /// What an address may be after it was checked to be in the room of another: all that the other's rooms admit.
    /// An address without a room was not checked.
    pub(super) fn near(&self, base: &Range, addr: &Range) -> Range {
        let Range::Set(bases) = base else { return addr.clone() };
        let mut rooms: Vec<&Span<u64>> = Vec::new();
        for (base, _) in bases {
            // One that is not defined is an error of its own.
            let Some(base) = base.defined() else { continue };
            match self.of(base) {
                Some(room) if !rooms.contains(&room) => rooms.push(room),
                Some(_) => {}
                None => return addr.clone(),
            }
        }
        match addr {
            Range::Set(values) => {
                let inside = |value: Value| {
                    value.defined().is_some_and(|addr| rooms.iter().any(|room| room.contains(&addr)))
                };
                Range::Set(values.iter().copied().filter(|(value, _)| inside(*value)).collect())
            }
            Range::Wide(wide) => {
                let mut range = Range::default();
                rooms.into_iter().for_each(|room| _ = range.join(&wide.within(room)));
                range
            }
        }
    }
}

impl Wide {
    /// What of it lies between two numbers.
    pub(super) fn within(self, span: &Span<u64>) -> Range {
        if span.is_empty() {
            return Range::default();
        }
        let step = 1u64.checked_shl(self.known().trailing_ones()).unwrap_or(1 << 63);
        if (span.end - span.start) / step > MAX_TRIED {
            return self.sharing_high_bits(span);
        }
        // From the first on that has the low bits which are known.
        let low = step - 1;
        let first = span.start.checked_add((self.one & low).wrapping_sub(span.start) & low);
        let places = std::iter::successors(first, |at| at.checked_add(step));
        let inside = places.take_while(|at| *at < span.end);
        Range::of(inside.map(Value::new).filter(|value| self.admits(*value)))
    }

    /// What of it has the bits in common with all numbers between two that these share.
    fn sharing_high_bits(self, span: &Span<u64>) -> Range {
        let differing = span.start ^ (span.end - 1);
        let open = u64::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0);
        let (zero, one) = (self.zero & (!span.start | open), self.one & (span.start | open));
        if zero | one | self.undef != u64::MAX {
            return Range::default();
        }
        Range::Wide(Wide { zero, one, undef: self.undef })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::value::IntTy;

    #[test]
    fn what_lies_between() {
        let spans = [0..7, 3..40, 0x100..0x111, 5..5, 0xfff0..0x1_0003, 0x8000..0xf000, 0xf..0xd001];
        let any = Wide::of(IntTy::U64);
        let all = [
            any,
            Wide { one: !3, ..any },
            Wide { one: u64::MAX, zero: !4, ..any },
            Wide { one: 0x108, ..any },
            Wide { zero: !0x109, one: 0x109, undef: 0 },
        ];
        for (span, wide) in spans.iter().flat_map(|span| all.iter().map(move |wide| (span, wide))) {
            let found = wide.within(span);
            for at in (0..0x120).chain(0x7ff0..0x8010).chain(0xcff0..0xd010).chain(0xeff0..0x1_0010) {
                let value = Value::new(at);
                let expected = span.contains(&at) && wide.admits(value);
                // Many are told apart by their bits alone.
                let exact = found.values().is_some();
                let right =
                    if exact { found.admits(value) == expected } else { found.admits(value) || !expected };
                assert!(right, "{at:#x} of {wide:?} in {span:?}");
            }
        }
    }
}
