//! Cells: the pieces of memory that accesses tell apart.
//!
//! An access that overlaps others only partly (a word read whole and written by halves) is split into
//! parts, so that each part touches exactly one cell wherever it goes. Where to cut is found by trying:
//! an overlap adds cuts, and the analysis starts over with them.

use super::domain::Range;
use fencepost_lsl::value::IntTy;
use std::collections::{BTreeMap, BTreeSet};

/// A piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its address.
    pub addr: u64,
    /// Its size, 1 to 8.
    pub bytes: u64,
    /// Index of its object.
    pub object: usize,
    /// What it may hold when the second thread starts.
    pub initial: Range,
    /// What it may hold at any time from then on.
    pub range: Range,
}

impl Cell {
    /// The type in which its content is kept.
    pub(crate) fn ty(&self) -> IntTy {
        IntTy::unsigned(8 * self.bytes as u8)
    }
}

/// All cells, by address, and where memory must be cut.
#[derive(Default)]
pub(super) struct Cells {
    map: BTreeMap<u64, Cell>,
    cuts: BTreeSet<u64>,
    /// Whether a cut was added that the cells do not respect.
    pub(super) stale: bool,
}

impl Cells {
    /// No cells, but the cuts found so far.
    pub(super) fn restart(self) -> Cells {
        Cells { cuts: self.cuts, ..Cells::default() }
    }

    /// Requires a boundary at an address.
    pub(super) fn cut(&mut self, addr: u64) {
        let inside =
            self.map.range(..addr).next_back().is_some_and(|(start, cell)| addr < start + cell.bytes);
        if self.cuts.insert(addr) && inside {
            self.stale = true;
        }
    }

    /// The cells of a range of memory, made where they are missing. With a stale result the caller must
    /// start over; until then it may go on with whatever is returned.
    pub(super) fn cover(&mut self, addr: u64, bytes: u64, make: impl Fn(u64, u64) -> Cell) -> Vec<u64> {
        let end = addr + bytes;
        let inner: Vec<u64> = self.cuts.range(addr + 1..end).copied().collect();
        let edges: Vec<u64> = std::iter::once(addr).chain(inner).chain([end]).collect();
        for piece in edges.windows(2) {
            let (start, stop) = (piece[0], piece[1]);
            let near = self.map.range(start.saturating_sub(8)..stop);
            let clash: Vec<(u64, u64)> = near
                .map(|(at, cell)| (*at, at + cell.bytes))
                .filter(|(at, to)| *to > start && (*at, *to) != (start, stop))
                .collect();
            if !clash.is_empty() {
                self.stale = true;
                self.cuts.extend([start, stop]);
                self.cuts.extend(clash.iter().flat_map(|(at, to)| [*at, *to]));
            }
            self.map.entry(start).or_insert_with(|| make(start, stop - start));
        }
        edges[..edges.len() - 1].to_vec()
    }

    pub(super) fn get(&self, addr: u64) -> &Cell {
        &self.map[&addr]
    }

    pub(super) fn get_mut(&mut self, addr: u64) -> &mut Cell {
        self.map.get_mut(&addr).expect("cells are made before they are used")
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.map.values_mut()
    }

    /// Cuts inside of a range, as offsets.
    pub(super) fn cuts_in(&self, addr: u64, bytes: u64) -> impl Iterator<Item = u64> + '_ {
        self.cuts.range(addr + 1..addr + bytes).map(move |cut| cut - addr)
    }

    pub(super) fn into_sorted(self) -> Vec<Cell> {
        self.map.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(addr: u64, bytes: u64) -> Cell {
        Cell { addr, bytes, object: 0, initial: Range::default(), range: Range::default() }
    }

    #[test]
    fn overlaps_cut_memory() {
        let mut cells = Cells::default();
        assert_eq!(cells.cover(0x100, 8, make), [0x100]);
        assert!(!cells.stale);
        cells.cover(0x104, 4, make);
        assert!(cells.stale);
        let mut cells = cells.restart();
        assert_eq!(cells.cover(0x100, 8, make), [0x100, 0x104]);
        assert_eq!(cells.cover(0x104, 4, make), [0x104]);
        assert!(!cells.stale);
        assert_eq!(cells.cuts_in(0x100, 8).collect::<Vec<_>>(), [4]);
    }
}
