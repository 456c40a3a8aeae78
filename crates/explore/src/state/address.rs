//! Where new objects lie. Each gets slots of its own, so that an address names its object by its upper bits,
//! and starts some way into its first slot, so that pointers just outside of it still do.
//!
//! Each thread takes the first free slots of its own region. Addresses then do not depend on how threads
//! interleave, and an object that is gone leaves its address to the next: a loop that makes an object and
//! drops it comes back to the same state.

use crate::state::threads;
use fencepost_lsl::program::{Place, address};

/// Bytes of a slot, as a power of two.
pub(crate) const SHIFT: u32 = 12;

/// Where in its first slot an object starts at the earliest.
const START: u64 = 0x400;

/// Threads that have regions.
pub(crate) const THREADS: usize = threads::MOST;

/// Behind the last slot of the last region. Above lie numbers that programs like, such as the largest `int`.
const TAKEN_END: u64 = {
    let share = ((address::END - address::HEAP) >> SHIFT) / (THREADS as u64 + 1);
    address::HEAP + (((THREADS as u64 + 1) * share) << SHIFT)
};

/// Whether a word is an address of an object, or just outside of one, if it is any address at all.
#[inline]
pub(crate) fn is_object(word: u64) -> bool {
    (address::STACK..TAKEN_END).contains(&word)
}

/// Slots left free in front of each region for local variables. Without them, a pointer to the heap shifted
/// by a bit looks like one to a local variable, and [`references`] has to take it for one.
const STAGGER: u32 = 84;

/// The slot that an address lies in, if it is no global's.
#[inline]
pub(crate) fn slot(addr: u64) -> Option<u32> {
    (address::STACK..address::END).contains(&addr).then(|| ((addr - address::STACK) >> SHIFT) as u32)
}

/// The address of an object of some alignment that starts in a slot.
#[inline]
pub(crate) fn base(slot: u32, align: u64) -> u64 {
    address::STACK + ((slot as u64) << SHIFT) + start(align)
}

/// Where in its first slot an object starts: at a multiple of its alignment, but not of twice that, as long as
/// slots allow.
#[inline]
fn start(align: u64) -> u64 {
    (START + align).next_multiple_of(2 * align) - align
}

/// How many slots an object takes, with its margins.
pub(crate) fn slots(size: u64, align: u64) -> u32 {
    let end = size.saturating_add(start(align) + address::MARGIN);
    end.div_ceil(1 << SHIFT).min(u64::from(u32::MAX)) as u32
}

/// The slots that a thread has for objects of a place. Behind that of the last thread is a region that belongs to
/// none.
pub(crate) fn region(place: Place, thread: usize) -> std::ops::Range<u32> {
    let (start, end) = match place {
        Place::Stack => (0, (address::HEAP - address::STACK) >> SHIFT),
        _ => ((address::HEAP - address::STACK) >> SHIFT, (address::END - address::STACK) >> SHIFT),
    };
    let share = ((end - start) / (THREADS as u64 + 1)) as u32;
    let first = start as u32 + thread as u32 * share;
    match place {
        Place::Stack => first + STAGGER..first + share,
        _ => first..first + share,
    }
}

/// Positions in a word at which addresses are recognised.
pub(crate) const POSITIONS: u32 = 36;

/// Calls `see` with each slot that a word may refer to.
///
/// # Soundness
///
/// An object that no word refers to is taken to be garbage. Words are searched at every bit position, so
/// that tagged, shifted and packed pointers count; a number that looks like a pointer only keeps an object
/// alive. A program that keeps addresses in other forms, with their lowest bits shifted out or as the difference
/// of two, is noticed in [`crate::reduce::forms`].
#[inline]
pub(crate) fn references(word: u64, mut see: impl FnMut(u32)) {
    if word < address::STACK {
        return;
    }
    if word < address::END {
        return see(((word - address::STACK) >> SHIFT) as u32);
    }
    for shift in 0..POSITIONS {
        if let Some(slot) = slot(word >> shift & 0x7fff_ffff) {
            see(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(word: u64) -> Vec<u32> {
        let mut found = Vec::new();
        references(word, |slot| found.push(slot));
        found
    }

    #[test]
    fn packed_and_tagged_pointers_refer() {
        let slot = region(Place::Heap, 3).start + 5;
        let pointer = base(slot, 16);
        for word in
            [pointer, pointer | 1, pointer << 32 | 7, pointer << 16 | 3, 0xff << 32 | pointer, pointer - 8]
        {
            assert!(seen(word).contains(&slot), "{word:#x}");
        }
        assert!(seen(42).is_empty());
        assert_eq!(super::slot(pointer + 3000), Some(slot));
    }

    /// A pointer beside another word in memory does not look like one to another object.
    #[test]
    fn pointers_refer_to_one_object() {
        let threads = || (1..7).chain([THREADS]);
        let first = |place: Place| threads().flat_map(move |thread| region(place, thread).take(12));
        let taken: Vec<u32> = first(Place::Stack).chain(first(Place::Heap)).collect();
        for slot in &taken {
            let others = seen(base(*slot, 16) << 32).into_iter().filter(|other| other != slot);
            assert_eq!(others.filter(|other| taken.contains(other)).count(), 0, "{slot}");
        }
    }

    #[test]
    fn regions_do_not_overlap() {
        for place in [Place::Stack, Place::Heap] {
            for thread in 1..=THREADS {
                assert!(region(place, thread - 1).end <= region(place, thread).start);
            }
            assert!(base(region(place, THREADS).end, 16) <= address::END + (1 << SHIFT));
        }
        assert!(!is_object(i32::MAX as u64) && is_object(base(region(Place::Heap, THREADS).end - 1, 16)));
        assert!(!is_object(base(region(Place::Heap, THREADS).end, 16)));
        assert!(region(Place::Stack, THREADS).end <= region(Place::Heap, 0).start);
    }

    #[test]
    fn objects_are_no_better_aligned_than_asked_for() {
        let slot = region(Place::Stack, 0).start;
        for align in (0..12).map(|log| 1 << log) {
            assert_eq!(base(slot, align) % (2 * align), align);
            assert!(base(slot, align) - address::MARGIN >= base(slot, 16) - START);
        }
        assert_eq!(base(slot, address::MAX_ALIGN) % address::MAX_ALIGN, 0);
    }
}
