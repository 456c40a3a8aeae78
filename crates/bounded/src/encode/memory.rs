//! What accesses may read: reads-from, coherence and from-reads as literals.
//!
//! A read part has a literal for each write part it may read from and one for the initial content; at least one holds
//! if the read is executed, and it forces equal locations and equal values. Two writes to the same location are
//! ordered one way or the other. An access that reads from a write comes before every write that comes after that
//! one. That a read has no second source follows from the model: one of the two would be overwritten by the other,
//! which its constraints forbid.
//!
//! Whether an object is alive is a location of its own: `free` reads and clears it, and every access to an object
//! that may be freed reads it, at the moment of the access. Two accesses that only look at it do not count as
//! accesses to a common location.
//!
//! An atomic block in which its thread ends has not happened: what it stores is read by the block alone, and
//! precedes nothing that others read. Its stores keep a place in coherence, so that the block reads the
//! latest of its own; being at the end of all that is executed, the block can have that place.
//!
//! Assumed of every model: an access never reads from one that its own thread makes later, and writes of
//! a thread to one location reach memory in program order.

use super::{Encoding, Shortcuts};
use crate::circuit::Lit;
use crate::range::{Ranges, What};
use crate::unroll::{EventKind, Restored, Unrolled};
use crate::word::Word;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A part of an event, by index among its reads or its writes.
pub(crate) type PartId = (usize, usize);

/// A source of a read part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The write part; none for the initial content.
    pub write: Option<PartId>,
    /// When it is read from.
    pub lit: Lit,
}

/// Accesses and how they communicate.
#[derive(Default)]
pub(crate) struct Memory {
    /// For each cell, the write parts that may go there, in the order of events.
    writers: Vec<Vec<PartId>>,
    /// For each cell, the events that may touch it, in order.
    touching: Vec<Vec<usize>>,
    /// For each event, for each of its reads, whether only its own thread's writes can reach it.
    local: Vec<Vec<bool>>,
    /// For each event with reads that are not local, the sources of those.
    pub sources: FxHashMap<PartId, Vec<Source>>,
    /// When one event's writes come before another's, both executed and to the same location.
    pub co: FxHashMap<(usize, usize), Lit>,
    /// When an event comes before a write because it reads from an earlier one.
    pub fr: FxHashMap<(usize, usize), Lit>,
    same: FxHashMap<(usize, usize), Lit>,
}

impl Memory {
    /// Who may touch what.
    pub(super) fn classify(unrolled: &Unrolled, ranges: &Ranges, shortcuts: Shortcuts) -> Memory {
        let none = ranges.cells.len();
        let mut memory =
            Memory { writers: vec![Vec::new(); none], touching: vec![Vec::new(); none], ..Memory::default() };
        for (event, plan) in ranges.plans.iter().enumerate() {
            for &cell in plan.reads.iter().chain(&plan.writes).flat_map(|part| &part.cells).flatten() {
                if memory.touching[cell].last() != Some(&event) {
                    memory.touching[cell].push(event);
                }
            }
            for (index, part) in plan.writes.iter().enumerate() {
                for &cell in part.cells.iter().flatten() {
                    if memory.writers[cell].last() != Some(&(event, index)) {
                        memory.writers[cell].push((event, index));
                    }
                }
            }
        }
        for (event, plan) in ranges.plans.iter().enumerate() {
            let reader = &unrolled.events[event];
            let foreign = |(writer, _): &PartId| {
                let writer = &unrolled.events[*writer];
                !writer.solo && (writer.thread != reader.thread || !shortcuts.resolve_local)
            };
            let reached = |cell: &usize| memory.writers[*cell].iter().any(foreign);
            let local =
                plan.reads.iter().map(|part| reader.solo || !part.cells.iter().flatten().any(reached));
            memory.local.push(local.collect());
        }
        memory
    }

    /// Whether a read can only be reached by its own thread's writes.
    pub(crate) fn is_local(&self, (event, index): PartId) -> bool {
        self.local[event][index]
    }

    /// Whether all that a load reads, life aside, is local.
    pub(super) fn is_local_load(&self, event: usize, ranges: &Ranges) -> bool {
        let reads = ranges.plans[event].reads.iter().zip(&self.local[event]);
        reads.filter(|(part, _)| part.what != What::Life).all(|(_, local)| *local)
    }

    /// Events that may touch a location that this one may touch, itself among them, in order.
    pub(super) fn neighbours(&self, event: usize, ranges: &Ranges) -> Vec<usize> {
        let plan = &ranges.plans[event];
        let parts = plan.reads.iter().chain(&plan.writes);
        let cells: BTreeSet<usize> = parts.flat_map(|part| &part.cells).flatten().copied().collect();
        let mut found: Vec<usize> = cells.iter().flat_map(|&cell| &self.touching[cell]).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Write parts that may go to a cell.
    pub(super) fn writers(&self, cell: usize) -> Vec<PartId> {
        self.writers[cell].clone()
    }
}

impl Encoding<'_> {
    /// Makes reads-from, coherence and from-reads.
    pub(super) fn encode_memory(&mut self) {
        let ranges = self.ranges.clone();
        let concurrent: Vec<usize> = (0..self.unrolled.events.len())
            .filter(|&event| !self.unrolled.events[event].solo && self.exec[event] != Lit::FALSE)
            .collect();
        let writers: BTreeSet<usize> =
            concurrent.iter().copied().filter(|&event| !ranges.plans[event].writes.is_empty()).collect();
        for &first in &writers {
            for second in self.memory.neighbours(first, &ranges) {
                if self.tired() {
                    return;
                }
                if second > first && writers.contains(&second) {
                    self.order_writes(first, second);
                }
            }
        }
        for event in concurrent {
            if self.tired() {
                return;
            }
            let mut open = Vec::new();
            for index in 0..ranges.plans[event].reads.len() {
                let skip = match ranges.plans[event].reads[index].what {
                    What::Life => self.memory.is_local((event, index)),
                    What::Bytes { .. } => self.memory.is_local_load(event, &ranges),
                };
                if !skip {
                    self.read_from((event, index));
                    open.push(index);
                }
            }
            if !open.is_empty() {
                self.precede_later_writes(event, &open);
            }
        }
    }

    /// Fills in when others notice that a turn of a loop stored something: an event outside of the turn reads from a
    /// store that is not the last, or another write comes between two.
    pub(super) fn encode_seen(&mut self) {
        let pending = std::mem::take(&mut self.seen);
        if pending.is_empty() {
            return;
        }
        let mut readers: FxHashMap<usize, Vec<(usize, Lit)>> = FxHashMap::default();
        for (&(reader, _), sources) in &self.memory.sources {
            for source in sources {
                if let Some((writer, _)) = source.write {
                    readers.entry(writer).or_default().push((reader, source.lit));
                }
            }
        }
        let passed_on = self.passed_on();
        for (restored, seen) in pending {
            if self.tired() {
                return;
            }
            let notices = self.notices(&restored, &readers, &passed_on);
            for &lit in &notices {
                self.circuit.implies(lit, seen);
            }
            let clause: Vec<Lit> = std::iter::once(!seen).chain(notices).collect();
            self.circuit.clause(&clause);
        }
    }

    fn notices(
        &mut self,
        restored: &Restored,
        readers: &FxHashMap<usize, Vec<(usize, Lit)>>,
        passed_on: &FxHashSet<usize>,
    ) -> Vec<Lit> {
        let stores: Vec<usize> = restored.stores.iter().map(|stored| stored.store).collect();
        // Events of one thread are numbered one after the other.
        let in_turn = |event: &usize| (restored.turn..=stores[stores.len() - 1]).contains(event);
        let mut notices = Vec::new();
        for (index, &store) in stores.iter().enumerate() {
            let outside: Vec<Lit> = readers
                .get(&store)
                .into_iter()
                .flatten()
                .filter(|(reader, _)| !in_turn(reader))
                .map(|(_, lit)| *lit)
                .collect();
            let ends = self.is_last(restored, index);
            for lit in outside {
                notices.push(self.circuit.and(lit, !ends));
            }
        }
        let ranges = self.ranges.clone();
        for (index, &first) in stores.iter().enumerate() {
            for other in self.memory.neighbours(first, &ranges) {
                if stores.contains(&other) || ranges.plans[other].writes.is_empty() {
                    continue;
                }
                let after = self.comes_before(first, other);
                for &second in &stores[index + 1..] {
                    let before = self.comes_before(other, second);
                    notices.push(self.circuit.and(after, before));
                }
            }
        }
        if restored.traced {
            let found: Vec<usize> = restored.stores.iter().filter_map(|stored| stored.found).collect();
            let computed: Vec<Lit> = found.into_iter().flat_map(|load| self.computed_sources(load)).collect();
            let computed = self.circuit.or_all(&computed);
            // Who reads what only this thread accesses is not in the list.
            let ranges = self.ranges.clone();
            if restored
                .stores
                .iter()
                .any(|stored| stored.found.is_some_and(|load| self.memory.is_local_load(load, &ranges)))
            {
                notices.push(computed);
            }
            for &store in &stores {
                for &(reader, lit) in readers.get(&store).into_iter().flatten() {
                    if passed_on.contains(&reader) && !in_turn(&reader) {
                        notices.push(self.circuit.and(computed, lit));
                    }
                }
            }
        }
        notices.retain(|&lit| lit != Lit::FALSE);
        notices
    }

    /// When the writes of one event come before those of another, to the same location.
    fn comes_before(&mut self, first: usize, second: usize) -> Lit {
        if let Some(&lit) = self.memory.co.get(&(first, second)) {
            return lit;
        }
        // Before there is a second thread, there is only program order.
        if !self.unrolled.program_order(first, second) {
            return Lit::FALSE;
        }
        let same = self.same_writes(first, second);
        self.circuit.and_all(&[same, self.exec[first], self.exec[second]])
    }

    /// Loads from which addresses or stored values are computed: others are read to decide branches, at most.
    fn passed_on(&self) -> FxHashSet<usize> {
        let mut values = Vec::new();
        for event in &self.unrolled.events {
            match event.kind {
                EventKind::Load { addr, .. } | EventKind::Free { addr } | EventKind::Alloc { addr, .. } => {
                    values.push(addr);
                }
                EventKind::Store { addr, value, .. } => values.extend([addr, value]),
                _ => {}
            }
        }
        self.unrolled.values.loads(values)
    }

    /// When a load reads from a store that was computed from loads, or whose address was.
    fn computed_sources(&mut self, load: usize) -> Vec<Lit> {
        let mut sources: Vec<(usize, Lit)> =
            self.local_sources(load).into_iter().map(|(writer, _, lit)| (writer, lit)).collect();
        for index in 0..self.ranges.plans[load].reads.len() {
            let known = self.memory.sources.get(&(load, index)).into_iter().flatten();
            sources.extend(known.filter_map(|source| Some((source.write?.0, source.lit))));
        }
        let values = &self.unrolled.values;
        let computed = |&(writer, _): &(usize, Lit)| match self.unrolled.events[writer].kind {
            EventKind::Store { addr, value, .. } => !values.loads(vec![addr, value]).is_empty(),
            EventKind::Free { addr } | EventKind::Alloc { addr, .. } => !values.loads(vec![addr]).is_empty(),
            _ => true,
        };
        sources.into_iter().filter(computed).map(|(_, lit)| lit).collect()
    }

    /// Where a part goes: cells, each with when.
    pub(super) fn hits(&self, event: usize, cells: &[Option<usize>]) -> Vec<(usize, Lit)> {
        let at = &self.at[event];
        cells.iter().zip(at).filter_map(|(cell, &lit)| cell.map(|cell| (cell, lit))).collect()
    }

    /// When two parts touch the same cell.
    fn meet_parts(&mut self, a: (usize, &[Option<usize>]), b: (usize, &[Option<usize>])) -> Lit {
        let (a, b) = (self.hits(a.0, a.1), self.hits(b.0, b.1));
        let mut meets = Vec::new();
        for (cell, x) in &a {
            for (other, y) in &b {
                if cell == other {
                    meets.push(self.circuit.and(*x, *y));
                }
            }
        }
        self.circuit.or_all(&meets)
    }

    /// When two loads read what they have in common from the same stores. What only its own thread writes is read
    /// from the latest store in front, which is the same for two loads unless a store is in between.
    pub(super) fn siblings(&mut self, a: usize, b: usize) -> Lit {
        let ranges = self.ranges.clone();
        let bytes = |event: usize| {
            let parts = ranges.plans[event].reads.iter().enumerate();
            parts.filter(|(_, part)| part.what != What::Life).map(|(index, _)| index).collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for x in bytes(a) {
            for y in bytes(b) {
                let cells = |event: usize, index: usize| &ranges.plans[event].reads[index].cells;
                let meet = self.meet_parts((a, cells(a, x)), (b, cells(b, y)));
                let known = (self.memory.sources.get(&(a, x)), self.memory.sources.get(&(b, y)));
                let (Some(first), Some(second)) = known else { continue };
                let (first, second) = (first.clone(), second.clone());
                let mut same = vec![!meet];
                for source in &first {
                    for other in second.iter().filter(|other| other.write == source.write) {
                        same.push(self.circuit.and(source.lit, other.lit));
                    }
                }
                all.push(self.circuit.or_all(&same));
            }
        }
        self.circuit.and_all(&all)
    }

    /// When two events touch the same location with any of their parts.
    pub(super) fn same(&mut self, a: usize, b: usize) -> Lit {
        let key = (a.min(b), a.max(b));
        if let Some(&lit) = self.memory.same.get(&key) {
            return lit;
        }
        let ranges = self.ranges.clone();
        let parts = |event: usize| {
            let plan = &ranges.plans[event];
            // Looking whether an object is alive is part of an access to another location.
            let looks = plan.reads.iter().map(|part| (part, part.what == What::Life));
            looks.chain(plan.writes.iter().map(|part| (part, false)))
        };
        let mut meets = Vec::new();
        for (x, x_looks) in parts(key.0) {
            for (y, y_looks) in parts(key.1) {
                if x_looks && y_looks {
                    continue;
                }
                meets.push(self.meet_parts((key.0, &x.cells), (key.1, &y.cells)));
            }
        }
        let lit = self.circuit.or_all(&meets);
        self.memory.same.insert(key, lit);
        lit
    }

    /// When the writes of two events touch the same location.
    fn same_writes(&mut self, a: usize, b: usize) -> Lit {
        let ranges = self.ranges.clone();
        let mut meets = Vec::new();
        for x in &ranges.plans[a].writes {
            for y in &ranges.plans[b].writes {
                meets.push(self.meet_parts((a, &x.cells), (b, &y.cells)));
            }
        }
        self.circuit.or_all(&meets)
    }

    fn order_writes(&mut self, first: usize, second: usize) {
        let same = self.same_writes(first, second);
        if same == Lit::FALSE {
            return;
        }
        let (x, y) = (self.exec[first], self.exec[second]);
        if self.unrolled.program_order(first, second) {
            let meet = self.circuit.and_all(&[same, x, y]);
            self.memory.co.insert((first, second), meet);
            return;
        }
        let (forth, back) = (self.circuit.var(), self.circuit.var());
        self.circuit.clause(&[!forth, !back]);
        self.circuit.clause(&[!x, !y, !same, forth, back]);
        for lit in [forth, back] {
            for implied in [x, y, same] {
                self.circuit.implies(lit, implied);
            }
        }
        self.memory.co.insert((first, second), forth);
        self.memory.co.insert((second, first), back);
    }

    fn read_from(&mut self, read: PartId) {
        let ranges = self.ranges.clone();
        let (event, index) = read;
        let part = &ranges.plans[event].reads[index];
        let exec = self.exec[event];
        let value = self.read_word(read);
        let mut sources = Vec::new();
        let hits = self.hits(event, &part.cells);
        if !self.hidden(read, None) {
            let lit = self.circuit.var();
            self.circuit.implies(lit, exec);
            for &(cell, at) in &hits {
                let content = self.initial(cell);
                let when = self.circuit.and(lit, at);
                Word::require_equal(&mut self.circuit, when, &value, &content);
            }
            sources.push(Source { write: None, lit });
        }
        let mut writers: Vec<PartId> = hits.iter().flat_map(|(cell, _)| self.memory.writers(*cell)).collect();
        writers.sort();
        writers.dedup();
        for write in writers {
            if self.tired() || !self.may_read(read, write) {
                continue;
            }
            let cells = &ranges.plans[write.0].writes[write.1].cells;
            let same = self.meet_parts((event, &part.cells), (write.0, cells));
            if same == Lit::FALSE {
                continue;
            }
            let lit = self.circuit.var();
            let shown = !self.withheld(write.0, event);
            for implied in [exec, self.exec[write.0], shown, same] {
                self.circuit.implies(lit, implied);
            }
            let written = self.written_word(write);
            Word::require_equal(&mut self.circuit, lit, &value, &written);
            sources.push(Source { write: Some(write), lit });
        }
        let mut some: Vec<Lit> = sources.iter().map(|source| source.lit).collect();
        // Where it touches no cell there is nothing to read: an object that nobody frees.
        let touched: Vec<Lit> = hits.iter().map(|(_, at)| *at).collect();
        let touched = if hits.len() < part.cells.len() { self.circuit.or_all(&touched) } else { Lit::TRUE };
        some.extend([!exec, !touched]);
        self.circuit.clause(&some);
        self.memory.sources.insert(read, sources);
    }

    /// Whether a read may read from a write at all.
    fn may_read(&mut self, read: PartId, write: PartId) -> bool {
        let event = &self.unrolled.events[write.0];
        let possible = !event.solo && self.exec[write.0] != Lit::FALSE && write.0 != read.0;
        possible && !self.unrolled.program_order(read.0, write.0) && !self.hidden(read, Some(write))
    }

    /// Whether a write, or the initial content, is surely overwritten by the reader's own thread before
    /// the read: between the two stands a store that is executed whenever the read is, to where it reads.
    fn hidden(&mut self, (event, index): PartId, write: Option<PartId>) -> bool {
        let ranges = self.ranges.clone();
        let part = &ranges.plans[event].reads[index];
        let ([Some(cell)], true) = (part.cells.as_slice(), self.shortcuts.hide_overwritten) else {
            return false;
        };
        let thread = self.unrolled.events[event].thread;
        let first = match write {
            Some((writer, _)) if self.unrolled.events[writer].thread != thread => return false,
            Some((writer, _)) => writer + 1,
            None => self.unrolled.threads[thread].events.start,
        };
        for between in first..event {
            let candidate = &self.unrolled.events[between];
            let (guard, reader_guard) = (candidate.guard, self.unrolled.events[event].guard);
            let covers = matches!(candidate.kind, EventKind::Store { .. })
                && !candidate.solo
                && ranges.plans[between].writes.iter().any(|other| other.cells == [Some(*cell)]);
            if covers && self.unrolled.values.guards.implies(reader_guard, guard) {
                return true;
            }
        }
        false
    }

    /// An event that reads from somewhere comes before all later writes to that location.
    fn precede_later_writes(&mut self, event: usize, reads: &[usize]) {
        let ranges = self.ranges.clone();
        let plan = &ranges.plans[event];
        let mut later: Vec<usize> = Vec::new();
        for &index in reads {
            for &cell in plan.reads[index].cells.iter().flatten() {
                later.extend(self.memory.writers(cell).iter().map(|(writer, _)| *writer));
            }
        }
        later.sort();
        later.dedup();
        later.retain(|&writer| {
            writer != event && !self.unrolled.events[writer].solo && self.exec[writer] != Lit::FALSE
        });
        for writer in later {
            if self.tired() {
                return;
            }
            let fr = self.circuit.var();
            let (executed, withheld) = (self.exec[writer], self.withheld(writer, event));
            let mut possible = false;
            for &index in reads {
                let mut touches = Vec::new();
                for write in &ranges.plans[writer].writes {
                    touches.push(self.meet_parts((event, &plan.reads[index].cells), (writer, &write.cells)));
                }
                let touches = self.circuit.or_all(&touches);
                if touches == Lit::FALSE {
                    continue;
                }
                let single = ranges.plans[writer].writes.len() == 1;
                for source in self.memory.sources[&(event, index)].clone() {
                    let Some((before, _)) = source.write else {
                        possible = true;
                        self.circuit.clause(&[!source.lit, !executed, withheld, !touches, fr]);
                        continue;
                    };
                    let Some(&co) = self.memory.co.get(&(before, writer)) else { continue };
                    possible = true;
                    // With single parts all around, being ordered means touching what is read.
                    if single && ranges.plans[before].writes.len() == 1 {
                        self.circuit.clause(&[!source.lit, !co, withheld, fr]);
                    } else {
                        self.circuit.clause(&[!source.lit, !co, withheld, !touches, fr]);
                    }
                }
            }
            if possible {
                self.memory.fr.insert((event, writer), fr);
            }
        }
    }
}
