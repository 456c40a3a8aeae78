//! The relations that models are built from, on one execution.
//!
//! For each byte, the nodes that touch it are kept as a set, so that relations between accesses to one location are
//! made in whole rows.

use crate::evaluate::Execution;
use crate::relation::{Bits, Matrix, insert, join};
use crate::sources::LIFE;
use crate::world::Branches;
use fencepost_harness::trace::{Action, EventId, Start};
use fencepost_models::cat::BaseRelation;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Who touches a byte.
#[derive(Default)]
struct Touched {
    /// Writers, in the order of coherence.
    writers: Vec<usize>,
    /// Readers, by what they read from; none for what was there when the second thread started.
    readers: FxHashMap<Option<usize>, Vec<usize>>,
}

impl Execution<'_> {
    /// A relation by its name.
    pub(crate) fn base(&self, base: BaseRelation) -> Matrix {
        match base {
            BaseRelation::Po => self.program_order(),
            BaseRelation::PoLoc => self.program_order().combine(&self.same_location(), |a, b| a & b),
            BaseRelation::Loc => self.same_location(),
            BaseRelation::Int => self.groups(|node| Some(self.event(node).thread)),
            BaseRelation::Ext => {
                let internal = self.groups(|node| Some(self.event(node).thread));
                self.groups(|_| Some(())).combine(&internal, |a, b| a & !b)
            }
            BaseRelation::Id => {
                let mut result = Matrix::new(self.size());
                (0..self.size()).for_each(|x| result.set(x, x));
                result
            }
            BaseRelation::Rf => self.reads_from(),
            BaseRelation::Co => self.coherence_and_from_reads().0,
            BaseRelation::Fr => self.coherence_and_from_reads().1,
            BaseRelation::Addr => {
                // What the size of a new object was computed from is no address.
                let is_alloc = |event: usize| matches!(self.trace.events[event].action, Action::Alloc { .. });
                self.depends(|event| (!is_alloc(event)).then_some(&self.runs[event].addr))
            }
            BaseRelation::Data => {
                let is_store = |event: usize| matches!(self.trace.events[event].action, Action::Store { .. });
                self.depends(|event| is_store(event).then_some(&self.runs[event].data))
            }
            BaseRelation::Ctrl => self.controls(),
            BaseRelation::Atom => self.groups(|node| self.event(node).atomic),
            BaseRelation::Rmw => self.modifications(),
            BaseRelation::Siblings => self.siblings(),
            BaseRelation::Op => {
                let call = |node| self.calls[self.sequel.alone + node];
                self.groups(|node| Some((self.event(node).thread, call(node))))
            }
            BaseRelation::Start => self.starts(),
        }
    }

    /// Loads that read all that they have in common from the same stores.
    fn siblings(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        let is_load = |&node: &usize| matches!(self.event(node).action, Action::Load { .. });
        let loads: Vec<usize> = (0..self.size()).filter(is_load).collect();
        let bytes = |node: usize| {
            let parts = self.reads(node).iter();
            let of = parts.flat_map(|(range, source)| range.clone().map(move |byte| (byte, *source)));
            of.filter(|(byte, _)| byte & LIFE == 0).collect::<FxHashMap<u64, Option<usize>>>()
        };
        let read: Vec<FxHashMap<u64, Option<usize>>> = loads.iter().map(|&load| bytes(load)).collect();
        for (x, first) in loads.iter().zip(&read) {
            for (y, second) in loads.iter().zip(&read) {
                if first.iter().all(|(byte, source)| second.get(byte).is_none_or(|other| other == source)) {
                    result.set(*x, *y);
                }
            }
        }
        result
    }

    /// The loads of read-modify-writes, each to the store behind it.
    fn modifications(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        let modifies = |node: usize| self.runs[self.sequel.alone + node].exchange.modifies;
        for store in (1..self.size()).filter(|&node| modifies(node)) {
            let is_store = matches!(self.event(store).action, Action::Store { .. });
            let block = |&load: &usize| self.event(load).atomic == self.event(store).atomic;
            let is_load = |&load: &usize| matches!(self.event(load).action, Action::Load { .. });
            if is_store && let Some(load) = (0..store).rev().take_while(block).find(is_load) {
                result.set(load, store);
            }
        }
        result
    }

    fn node(&self, event: usize) -> Option<usize> {
        event.checked_sub(self.sequel.alone)
    }

    fn reads(&self, node: usize) -> &[(Range<u64>, Option<usize>)] {
        &self.sequel.reads[self.sequel.alone + node]
    }

    fn writes(&self, node: usize) -> &[Range<u64>] {
        &self.sequel.writes[self.sequel.alone + node]
    }

    /// Whether a node is part of an atomic block that has not happened.
    fn unfinished(&self, node: usize) -> bool {
        self.runs[self.sequel.alone + node].unfinished
    }

    /// All pairs of nodes with the same key.
    fn groups<K: std::hash::Hash + Eq>(&self, key: impl Fn(usize) -> Option<K>) -> Matrix {
        let mut result = Matrix::new(self.size());
        let mut members: FxHashMap<K, Bits> = FxHashMap::default();
        for node in 0..self.size() {
            if let Some(key) = key(node) {
                insert(members.entry(key).or_insert_with(|| result.none()), node);
            }
        }
        for node in 0..self.size() {
            if let Some(key) = key(node) {
                result.row_mut(node).copy_from_slice(&members[&key]);
            }
        }
        result
    }

    /// Events are sorted by thread, so what follows in the thread is what was gathered from behind.
    fn program_order(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        let mut later = result.none();
        for node in (0..self.size()).rev() {
            if node + 1 < self.size() && self.event(node).thread != self.event(node + 1).thread {
                later.fill(0);
            }
            result.row_mut(node).copy_from_slice(&later);
            insert(&mut later, node);
        }
        result
    }

    /// Pairs that touch a common byte. Accesses that look whether an object is alive, and do no more to it,
    /// do not touch a location in common by that.
    fn same_location(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        let (mut touching, mut writing) = (FxHashMap::default(), FxHashMap::default());
        for node in 0..self.size() {
            let read = self.reads(node).iter().map(|(range, _)| range);
            for byte in read.chain(self.writes(node)).cloned().flatten() {
                insert(touching.entry(byte).or_insert_with(|| result.none()), node);
            }
            for byte in self.writes(node).iter().cloned().flatten() {
                insert(writing.entry(byte).or_insert_with(|| result.none()), node);
            }
        }
        for node in 0..self.size() {
            for byte in self.writes(node).iter().cloned().flatten() {
                join(result.row_mut(node), &touching[&byte]);
            }
            for byte in self.reads(node).iter().flat_map(|(range, _)| range.clone()) {
                let others = if byte & LIFE == 0 { touching.get(&byte) } else { writing.get(&byte) };
                if let Some(others) = others {
                    join(result.row_mut(node), others);
                }
            }
        }
        result
    }

    fn reads_from(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        for node in 0..self.size() {
            for source in self.reads(node).iter().filter_map(|(_, source)| *source) {
                if let Some(source) = self.node(source) {
                    result.set(source, node);
                }
            }
        }
        result
    }

    /// Who touches each byte, without the stores of atomic blocks that have not happened.
    fn touched(&self) -> FxHashMap<u64, Touched> {
        let mut all: FxHashMap<u64, Touched> = FxHashMap::default();
        let mut writers: Vec<(usize, usize)> = (0..self.size())
            .filter(|&node| !self.unfinished(node))
            .filter_map(|node| Some((*self.coherence.get(&(self.sequel.alone + node))?, node)))
            .collect();
        writers.sort_unstable();
        for (_, node) in writers {
            for byte in self.writes(node).iter().cloned().flatten() {
                all.entry(byte).or_default().writers.push(node);
            }
        }
        for node in 0..self.size() {
            for (range, source) in self.reads(node) {
                let source = source.and_then(|source| self.node(source));
                for byte in range.clone() {
                    all.entry(byte).or_default().readers.entry(source).or_default().push(node);
                }
            }
        }
        all
    }

    /// Which writes follow which in coherence, and which reads are followed by which writes because those
    /// follow what they read from. An atomic block that has not happened is left out as far as it writes:
    /// that it reads its own stores is settled in [`crate::sources`].
    fn coherence_and_from_reads(&self) -> (Matrix, Matrix) {
        let (mut co, mut fr) = (Matrix::new(self.size()), Matrix::new(self.size()));
        for Touched { writers, readers } in self.touched().into_values() {
            let mut later = co.none();
            let mut overtake = |source: Option<usize>, later: &Bits| {
                for &reader in readers.get(&source).map_or(&[][..], |readers| readers) {
                    join(fr.row_mut(reader), later);
                }
            };
            for &writer in writers.iter().rev() {
                join(co.row_mut(writer), &later);
                overtake(Some(writer), &later);
                insert(&mut later, writer);
            }
            overtake(None, &later);
        }
        // One that reads and writes, as `free` does, does not follow itself.
        for node in 0..self.size() {
            fr.row_mut(node)[node / 64] &= !(1 << (node % 64));
        }
        (co, fr)
    }

    /// Pairs of a load and a node that depends on it.
    fn depends<'s>(&'s self, on: impl Fn(usize) -> Option<&'s Rc<BTreeSet<EventId>>>) -> Matrix {
        let mut result = Matrix::new(self.size());
        for node in 0..self.size() {
            for load in on(self.sequel.alone + node).into_iter().flat_map(|loads| loads.iter()) {
                if let Some(load) = self.node(load.index()) {
                    result.set(load, node);
                }
            }
        }
        result
    }

    /// Pairs of a load and an access behind a branch that depends on it.
    fn controls(&self) -> Matrix {
        let mut back = Matrix::new(self.size());
        let mut before: Option<&Rc<Branches>> = None;
        let mut loads = back.none();
        for node in 0..self.size() {
            if node > 0 && self.event(node).thread != self.event(node - 1).thread {
                loads.fill(0);
                before = None;
            }
            let ctrl = self.runs[self.sequel.alone + node].ctrl.as_ref();
            let mut at = ctrl;
            // What was added since the event before.
            while let Some(branches) = at {
                if before.is_some_and(|before| Rc::ptr_eq(before, branches)) {
                    break;
                }
                let added = branches.loads.iter().filter_map(|load| self.node(load.index()));
                added.for_each(|load| insert(&mut loads, load));
                at = branches.before.as_ref();
            }
            before = ctrl;
            let is_fence = matches!(self.event(node).action, Action::Fence(_));
            if is_fence || !self.reads(node).is_empty() || !self.writes(node).is_empty() {
                back.row_mut(node).copy_from_slice(&loads);
            }
        }
        back.inverse()
    }

    /// From what a thread did before it started another to what that one does, and those it starts in turn.
    fn starts(&self) -> Matrix {
        let mut result = Matrix::new(self.size());
        let mut members: Vec<Bits> = vec![result.none(); self.trace.threads.len()];
        (0..self.size()).for_each(|node| insert(&mut members[self.event(node).thread], node));
        for (mut thread, nodes) in members.iter().enumerate() {
            while let Start::Spawn(spawn) = self.trace.threads[thread].start {
                thread = self.trace.event(spawn).thread;
                for node in 0..self.size() {
                    if self.event(node).thread == thread && self.sequel.alone + node < spawn.index() {
                        join(result.row_mut(node), nodes);
                    }
                }
            }
        }
        result
    }
}
