//! What loads may read: reads-from, coherence and from-reads as literals.
//!
//! A load part has a literal for each store part it may read from and one for the initial content; at
//! least one holds if the load is executed, and it forces equal locations and equal values. Two stores to
//! the same location are ordered one way or the other. A load that reads from a store comes before every
//! store that comes after that one. That nothing else holds is left to the model: its constraints forbid
//! two sources, since one would be overwritten by the other.
//!
//! Assumed of every model: a load never reads from a store that its own thread makes later, and stores of
//! a thread to one location reach memory in program order.

use super::{Encoding, Shortcuts};
use crate::circuit::Lit;
use crate::range::Ranges;
use crate::unroll::{EventKind, Unrolled};
use crate::word::Word;
use rustc_hash::FxHashMap;

/// A source of a load part.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The store and its part; none for the initial content.
    pub store: Option<(usize, usize)>,
    /// When it is read from.
    pub lit: Lit,
}

/// Accesses and how they communicate.
#[derive(Default)]
pub struct Memory {
    /// For each cell, the stores that may go there, in the order of events.
    stores: Vec<Vec<usize>>,
    /// For each cell, the loads that may go there.
    loads: Vec<Vec<usize>>,
    /// For each event, whether it is a load that only its own thread's stores can reach.
    local: Vec<bool>,
    /// For each load event that is not local, the sources of each of its parts.
    pub sources: FxHashMap<usize, Vec<Vec<Source>>>,
    /// When one store comes before another, both executed and to the same location.
    pub co: FxHashMap<(usize, usize), Lit>,
    /// When a load comes before a store because it reads from an earlier one.
    pub fr: FxHashMap<(usize, usize), Lit>,
    same: FxHashMap<(usize, usize), Lit>,
}

impl Memory {
    /// Who may touch what.
    pub(super) fn classify(unrolled: &Unrolled, ranges: &Ranges, shortcuts: Shortcuts) -> Memory {
        let mut memory = Memory {
            stores: vec![Vec::new(); ranges.cells.len()],
            loads: vec![Vec::new(); ranges.cells.len()],
            local: vec![false; unrolled.events.len()],
            ..Memory::default()
        };
        for (event, plan) in ranges.plans.iter().enumerate() {
            let list = match unrolled.events[event].kind {
                EventKind::Store { .. } => &mut memory.stores,
                EventKind::Load { .. } => &mut memory.loads,
                _ => continue,
            };
            for &cell in plan.targets.iter().flat_map(|(_, cells)| cells) {
                if list[cell].last() != Some(&event) {
                    list[cell].push(event);
                }
            }
        }
        for (event, plan) in ranges.plans.iter().enumerate() {
            let load = &unrolled.events[event];
            if !matches!(load.kind, EventKind::Load { .. }) {
                continue;
            }
            let foreign = |store: &usize| {
                let store = &unrolled.events[*store];
                !store.solo && (store.thread != load.thread || !shortcuts.resolve_local)
            };
            let mut cells = plan.targets.iter().flat_map(|(_, cells)| cells);
            memory.local[event] = load.solo || !cells.any(|&cell| memory.stores[cell].iter().any(foreign));
        }
        memory
    }

    /// Whether a load can only be reached by stores of its own thread.
    pub fn is_local(&self, event: usize) -> bool {
        self.local[event]
    }

    /// Stores that may go to a cell.
    pub(super) fn stores_to(&self, cell: usize) -> Vec<usize> {
        self.stores[cell].clone()
    }
}

impl Encoding<'_> {
    /// Makes reads-from, coherence and from-reads.
    pub(super) fn encode_memory(&mut self) {
        let accesses = |encoding: &Self, store: bool| -> Vec<usize> {
            let of_kind = |&event: &usize| {
                let event = &encoding.unrolled.events[event];
                let kind = match event.kind {
                    EventKind::Store { .. } => store,
                    EventKind::Load { .. } => !store,
                    _ => false,
                };
                kind && !event.solo
            };
            let executed = |&event: &usize| encoding.exec[event] != Lit::FALSE;
            (0..encoding.unrolled.events.len()).filter(of_kind).filter(executed).collect()
        };
        let stores = accesses(self, true);
        for (index, &first) in stores.iter().enumerate() {
            for &second in &stores[index + 1..] {
                self.order_stores(first, second);
            }
        }
        for load in accesses(self, false) {
            if !self.memory.is_local(load) {
                self.read_from(load);
            }
        }
    }

    /// When two accesses touch the same location with any of their parts.
    pub(super) fn same(&mut self, a: usize, b: usize) -> Lit {
        let key = (a.min(b), a.max(b));
        if let Some(&lit) = self.memory.same.get(&key) {
            return lit;
        }
        let mut meets = Vec::new();
        let ranges = self.ranges;
        for (i, (_, cells)) in ranges.plans[key.0].targets.iter().enumerate() {
            for (j, (_, others)) in ranges.plans[key.1].targets.iter().enumerate() {
                if cells.iter().any(|cell| others.contains(cell)) {
                    let (x, y) = (self.at[key.0][i], self.at[key.1][j]);
                    meets.push(self.circuit.and(x, y));
                }
            }
        }
        let lit = self.circuit.or_all(&meets);
        self.memory.same.insert(key, lit);
        lit
    }

    /// Whether both are executed and touch the same location.
    fn meet(&mut self, a: usize, b: usize) -> Lit {
        let same = self.same(a, b);
        let (x, y) = (self.exec[a], self.exec[b]);
        self.circuit.and_all(&[same, x, y])
    }

    fn order_stores(&mut self, first: usize, second: usize) {
        let same = self.same(first, second);
        if same == Lit::FALSE {
            return;
        }
        if self.unrolled.program_order(first, second) {
            let meet = self.meet(first, second);
            self.memory.co.insert((first, second), meet);
            return;
        }
        let (forth, back) = (self.circuit.var(), self.circuit.var());
        self.circuit.clause(&[!forth, !back]);
        let (x, y) = (self.exec[first], self.exec[second]);
        self.circuit.clause(&[!x, !y, !same, forth, back]);
        for lit in [forth, back] {
            for implied in [x, y, same] {
                self.circuit.implies(lit, implied);
            }
        }
        self.memory.co.insert((first, second), forth);
        self.memory.co.insert((second, first), back);
    }

    fn read_from(&mut self, load: usize) {
        let ranges = self.ranges;
        let parts = ranges.plans[load].parts.len();
        let exec = self.exec[load];
        let mut sources = Vec::new();
        for part in 0..parts {
            let value = self.loaded(load, part);
            let mut list = Vec::new();
            let mut cells: Vec<usize> =
                ranges.plans[load].targets.iter().map(|(_, cells)| cells[part]).collect();
            cells.sort();
            cells.dedup();
            if !self.hidden(load, None) {
                let lit = self.circuit.var();
                self.circuit.implies(lit, exec);
                for &cell in &cells {
                    let content = self.initial(cell);
                    for (hit, at) in self.hits(load, cell) {
                        if hit == part {
                            let when = self.circuit.and(lit, at);
                            Word::require_equal(&mut self.circuit, when, &value, &content);
                        }
                    }
                }
                list.push(Source { store: None, lit });
            }
            for store in self.candidates(load, &cells) {
                for store_part in 0..ranges.plans[store].parts.len() {
                    let same = self.same_part((load, part), (store, store_part));
                    if same == Lit::FALSE {
                        continue;
                    }
                    let lit = self.circuit.var();
                    for implied in [exec, self.exec[store], same] {
                        self.circuit.implies(lit, implied);
                    }
                    let written = self.stored(store, store_part);
                    Word::require_equal(&mut self.circuit, lit, &value, &written);
                    list.push(Source { store: Some((store, store_part)), lit });
                }
            }
            let mut some: Vec<Lit> = list.iter().map(|source| source.lit).collect();
            some.push(!exec);
            self.circuit.clause(&some);
            sources.push(list);
        }
        self.precede_later_stores(load, &sources);
        self.memory.sources.insert(load, sources);
    }

    /// Stores that a load may read from.
    fn candidates(&mut self, load: usize, cells: &[usize]) -> Vec<usize> {
        let mut stores: Vec<usize> = cells.iter().flat_map(|&cell| self.memory.stores_to(cell)).collect();
        stores.sort();
        stores.dedup();
        stores.retain(|&store| {
            let event = &self.unrolled.events[store];
            !event.solo && self.exec[store] != Lit::FALSE && !self.unrolled.program_order(load, store)
        });
        stores.retain(|&store| !self.hidden(load, Some(store)));
        stores
    }

    /// Whether a store, or the initial content, is surely overwritten by the load's own thread before the
    /// load: between the two stands a store that is executed whenever the load is, to where it reads.
    fn hidden(&mut self, load: usize, store: Option<usize>) -> bool {
        let ranges = self.ranges;
        let [(target, _)] = ranges.plans[load].targets.as_slice() else { return false };
        let code = &self.unrolled.threads[self.unrolled.events[load].thread];
        let first = match store {
            Some(store) if self.unrolled.events[store].thread != self.unrolled.events[load].thread => {
                return false;
            }
            Some(store) => store + 1,
            None => code.events.start,
        };
        if !self.shortcuts.hide_overwritten {
            return false;
        }
        for between in first..load {
            let event = &self.unrolled.events[between];
            let (guard, load_guard) = (event.guard, self.unrolled.events[load].guard);
            let covers = matches!(event.kind, EventKind::Store { .. })
                && !event.solo
                && ranges.plans[between].targets.len() == 1
                && ranges.plans[between].targets[0].0 == *target
                && ranges.plans[between].parts == ranges.plans[load].parts;
            if covers && self.unrolled.values.guards.implies(load_guard, guard) {
                return true;
            }
        }
        false
    }

    /// When two parts touch the same cell.
    fn same_part(&mut self, a: (usize, usize), b: (usize, usize)) -> Lit {
        let ranges = self.ranges;
        if ranges.plans[a.0].parts.len() == 1 && ranges.plans[b.0].parts.len() == 1 {
            return self.same(a.0, b.0);
        }
        let mut meets = Vec::new();
        for (i, (_, cells)) in ranges.plans[a.0].targets.iter().enumerate() {
            for (j, (_, others)) in ranges.plans[b.0].targets.iter().enumerate() {
                if cells[a.1] == others[b.1] {
                    let (x, y) = (self.at[a.0][i], self.at[b.0][j]);
                    meets.push(self.circuit.and(x, y));
                }
            }
        }
        self.circuit.or_all(&meets)
    }

    /// A load that reads from somewhere comes before all later stores to that location.
    fn precede_later_stores(&mut self, load: usize, sources: &[Vec<Source>]) {
        let mut stores: Vec<usize> = Vec::new();
        for (_, cells) in &self.ranges.plans[load].targets {
            stores.extend(cells.iter().flat_map(|&cell| self.memory.stores_to(cell)));
        }
        stores.sort();
        stores.dedup();
        stores.retain(|&store| !self.unrolled.events[store].solo && self.exec[store] != Lit::FALSE);
        let single = self.ranges.plans[load].parts.len() == 1;
        for later in stores {
            let fr = self.circuit.var();
            let executed = self.exec[later];
            let mut possible = false;
            for (part, list) in sources.iter().enumerate() {
                let parts = self.ranges.plans[later].parts.len();
                let touches: Vec<Lit> =
                    (0..parts).map(|other| self.same_part((load, part), (later, other))).collect();
                let touches = self.circuit.or_all(&touches);
                if touches == Lit::FALSE {
                    continue;
                }
                for source in list {
                    match source.store {
                        None => {
                            possible = true;
                            self.circuit.clause(&[!source.lit, !executed, !touches, fr]);
                        }
                        Some((store, _)) => {
                            let Some(&co) = self.memory.co.get(&(store, later)) else { continue };
                            possible = true;
                            if single && parts == 1 {
                                self.circuit.clause(&[!source.lit, !co, fr]);
                            } else {
                                self.circuit.clause(&[!source.lit, !co, !touches, fr]);
                            }
                        }
                    }
                }
            }
            if possible {
                self.memory.fr.insert((load, later), fr);
            }
        }
    }
}
