//! Which threads access which cells, as learned by exploring.
//!
//! A cell is a word of a global, or of all objects of one allocation site. A load of a cell that no other
//! thread writes, and a store to one that no other thread accesses, need no scheduling point: the keys of
//! a list and the pointer to its head are read only, once there are threads. What is not known before is
//! learned: an exploration assumes that only what was seen so far happens, notes what else it sees, and if
//! there was anything, begins anew.
//!
//! # Soundness
//!
//! Let an exploration end without seeing anything new. Assume that some execution has an access that the
//! footprint lacks, and take the first such access of it. All steps before it respect the footprint, so
//! each access there that was treated as local commutes with all steps of other threads up to that point,
//! and moving it to the front leads along explored states. Every state that is stored is expanded by all
//! its threads, and a thread that runs locally for long is cut by a stored state, so no step is put off for
//! ever. Hence the exploration met the access, against the assumption. The same argument, with the
//! footprint now known to hold for all executions, carries over every reachable fault, observation, and
//! state in which nothing can go on.

use crate::state::threads::ThreadSet;

/// Threads that read and threads that write a cell.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Cell {
    reads: ThreadSet,
    writes: ThreadSet,
}

/// What an exploration takes for granted until it sees otherwise. Like the footprint itself: the first execution that
/// does otherwise leads along explored states up to there, so an exploration that saw nothing of the kind missed
/// nothing, and any other begins anew without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trust {
    /// Addresses are kept only in forms in which they are recognised; see [`crate::reduce::forms`].
    pub(crate) plain: bool,
    /// No ghost tells others of an object of its thread while stores to it may be in the buffer; see
    /// [`crate::step::access`].
    pub(crate) ordered: bool,
}

/// What is known and what is seen.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    /// What was known when the exploration began, and stays so until the next, so that steps mean the same
    /// all along. By class and word; words far inside share the last cell.
    known: Vec<[Cell; WORDS as usize]>,
    /// What is known by now.
    seen: Vec<[Cell; WORDS as usize]>,
    /// For each thread, those that can do whatever it does. Others are alone.
    twins: Vec<ThreadSet>,
    /// What this exploration takes for granted.
    given: Trust,
    /// What of that has not turned out wrong yet.
    left: Trust,
    /// Whether something was learned.
    pub(crate) grew: bool,
}

const WORDS: u64 = 64;

impl Footprint {
    /// Cells of `classes` classes, with no accesses known.
    pub(crate) fn new(classes: usize, twins: Vec<ThreadSet>) -> Footprint {
        let cells = vec![[Cell::default(); WORDS as usize]; classes];
        let given = Trust { plain: true, ordered: true };
        Footprint { known: cells.clone(), seen: cells, twins, given, left: given, grew: false }
    }

    /// The footprint for the next exploration.
    pub(crate) fn renewed(&self) -> Footprint {
        Footprint {
            known: self.seen.clone(),
            seen: self.seen.clone(),
            twins: self.twins.clone(),
            given: self.left,
            left: self.left,
            grew: false,
        }
    }

    /// What is taken for granted.
    #[inline]
    pub(crate) fn trust(&self) -> Trust {
        self.given
    }

    /// Whether something that was taken for granted turned out wrong: states may have been merged that differ, so
    /// what was found does not count.
    #[inline]
    pub(crate) fn betrayed(&self) -> bool {
        self.given != self.left
    }

    /// An address is kept in a form in which it is not recognised.
    pub(crate) fn disguised(&mut self) {
        self.left.plain = false;
        self.grew |= self.betrayed();
    }

    /// A ghost tells others of an object that was its thread's own.
    pub(crate) fn told(&mut self) {
        self.left.ordered = false;
        self.grew |= self.betrayed();
    }

    #[inline]
    fn range(offset: u64, bytes: u64) -> std::ops::RangeInclusive<usize> {
        let word = |at: u64| (at / 8).min(WORDS - 1) as usize;
        word(offset)..=word(offset + bytes - 1)
    }

    /// Whether no other thread writes what a thread reads.
    #[inline]
    pub(crate) fn reads_alone(&self, class: u32, offset: u64, bytes: u64, thread: usize) -> bool {
        let cells = &self.known[class as usize][Self::range(offset, bytes)];
        !cells.iter().any(|cell| cell.writes.others(thread))
    }

    /// Whether no other thread accesses what a thread writes.
    #[inline]
    pub(crate) fn writes_alone(&self, class: u32, offset: u64, bytes: u64, thread: usize) -> bool {
        let cells = &self.known[class as usize][Self::range(offset, bytes)];
        !cells.iter().any(|cell| cell.reads.with(cell.writes).others(thread))
    }

    #[inline]
    fn with_twins(&self, thread: usize) -> ThreadSet {
        self.twins.get(thread).map_or(ThreadSet::default(), |twins| *twins).with(ThreadSet::of(thread))
    }

    /// A thread reads.
    #[inline]
    pub(crate) fn read(&mut self, class: u32, offset: u64, bytes: u64, thread: usize) {
        let threads = self.with_twins(thread);
        for cell in &mut self.seen[class as usize][Self::range(offset, bytes)] {
            self.grew |= !cell.reads.holds(threads);
            cell.reads = cell.reads.with(threads);
        }
    }

    /// A thread writes.
    #[inline]
    pub(crate) fn write(&mut self, class: u32, offset: u64, bytes: u64, thread: usize) {
        let threads = self.with_twins(thread);
        for cell in &mut self.seen[class as usize][Self::range(offset, bytes)] {
            self.grew |= !cell.writes.holds(threads);
            cell.writes = cell.writes.with(threads);
        }
    }

    /// A thread ends the life of an object: for everybody who looks at it, a write.
    pub(crate) fn free(&mut self, class: u32, thread: usize) {
        self.write(class, 0, 8 * WORDS, thread);
    }
}
