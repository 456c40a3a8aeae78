//! Numbers of threads, and sets of them.
//!
//! Threads are counted from zero. Memory is divided among them and sets of them are words of bits, so there are at
//! most [`MOST`]; whoever adds some asks [`room`] first, and an exploration that needs more is inconclusive.

/// Threads that an execution may have, ended ones included.
pub(crate) const MOST: usize = fencepost_lsl::interp::MAX_THREADS;

/// Whether there is room for more threads beside those that are there; else, what the program would need.
pub(crate) fn room(there: usize, more: usize) -> Result<(), String> {
    match there.checked_add(more) {
        Some(all) if all <= MOST => Ok(()),
        _ => Err(format!("more than {MOST} threads")),
    }
}

/// A set of threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct ThreadSet(u64);

impl ThreadSet {
    /// The set of one thread.
    #[inline]
    pub(crate) fn of(thread: usize) -> ThreadSet {
        // A shift by more would name another thread.
        assert!(thread < MOST, "room was asked for before threads were added");
        ThreadSet(1 << thread)
    }

    #[inline]
    pub(crate) fn with(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 | other.0)
    }

    /// Whether it holds all of another.
    #[inline]
    pub(crate) fn holds(self, other: ThreadSet) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether it holds any thread but one.
    #[inline]
    pub(crate) fn others(self, thread: usize) -> bool {
        !ThreadSet::of(thread).holds(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_up_to_the_limit() {
        assert_eq!(room(1, MOST - 1), Ok(()));
        assert_eq!(room(MOST - 1, 1), Ok(()));
        assert_eq!(room(1, MOST), Err("more than 64 threads".into()));
        assert_eq!(room(MOST, 1), Err("more than 64 threads".into()));
        assert!(room(1, usize::MAX).is_err());
    }

    #[test]
    fn every_thread_is_told_apart() {
        for thread in 0..MOST {
            let only = ThreadSet::of(thread);
            assert!(only.holds(only) && !only.others(thread) && !ThreadSet::default().others(thread));
            for other in (0..MOST).filter(|other| *other != thread) {
                assert!(only.others(other) && !only.holds(ThreadSet::of(other)));
                let both = only.with(ThreadSet::of(other));
                assert!(both.holds(only) && both.others(thread));
            }
        }
    }

    #[test]
    #[should_panic(expected = "room was asked for")]
    fn one_past_the_limit_is_no_other_thread() {
        ThreadSet::of(MOST);
    }
}
