//! Accesses that nobody competes for are executed as soon as they can be.
//!
//! Which these are is learned: the exploration notes who loads and stores which word, takes an access for one
//! without competition until it sees otherwise, and then begins anew with what it has seen.
//!
//! # Soundness
//!
//! A load of a word that no other thread writes, or a store to a word that no other thread accesses, commutes with
//! all steps of others. If the rules let it be executed now, every execution in which it comes later has one in which
//! it comes now and all else is as before: what overtook it no longer does, and what it now overtakes it may
//! overtake. It must not overtake a store whose address is not known, which could turn out to be its own. An
//! exploration that never meets competition where it assumed none has missed none: the first access that competes is
//! one of a state that was visited. For that, a thread that waits for ever because of what it read must not end the
//! execution if others can notice what it did before: it stays, and they go on.
//!
//! For inference such a step counts as one that nothing prevents. An ordering that holds only by way of the
//! access, of two fences of different kinds around it, is then not found; one that orders the same directly is.

use super::machine::Machine;
use super::state::{Spot, What, World};
use crate::state::threads::ThreadSet;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;

/// Who does what with a word, and who was taken to be alone in it.
#[derive(Clone, Copy, Default, Debug)]
struct Word {
    loads: ThreadSet,
    stores: ThreadSet,
    loads_alone: ThreadSet,
    stores_alone: ThreadSet,
}

/// What has been seen of all words of eight bytes.
#[derive(Clone, Default, Debug)]
pub(super) struct Footprint {
    words: FxHashMap<u64, Word>,
    /// Whether someone was taken to be alone who is not.
    pub(super) wrong: bool,
}

impl Footprint {
    /// What is known, for an exploration that begins anew.
    pub(super) fn renewed(mut self) -> Footprint {
        for word in self.words.values_mut() {
            (word.loads_alone, word.stores_alone) = Default::default();
        }
        self.wrong = false;
        self
    }

    /// A thread accesses some bytes.
    pub(super) fn note(&mut self, thread: usize, spot: &Spot) {
        let set = ThreadSet::of(thread);
        for at in words(spot) {
            let word = self.words.entry(at).or_default();
            if spot.stores {
                word.stores = word.stores.with(set);
                self.wrong |= word.loads_alone.with(word.stores_alone).others(thread);
            } else {
                word.loads = word.loads.with(set);
                self.wrong |= word.stores_alone.others(thread);
            }
        }
    }

    /// Whether no other thread competes for some bytes, as far as has been seen. Remembers the answer.
    fn alone(&mut self, thread: usize, spot: &Spot) -> bool {
        let compete = |word: &Word| if spot.stores { word.loads.with(word.stores) } else { word.stores };
        if words(spot).any(|at| self.words.get(&at).is_some_and(|word| compete(word).others(thread))) {
            return false;
        }
        for at in words(spot) {
            let word = self.words.entry(at).or_default();
            let alone = if spot.stores { &mut word.stores_alone } else { &mut word.loads_alone };
            *alone = alone.with(ThreadSet::of(thread));
        }
        true
    }
}

fn words(spot: &Spot) -> impl Iterator<Item = u64> {
    spot.addr / 8..=(spot.addr + spot.bytes - 1) / 8
}

impl Machine<'_> {
    /// Takes note of accesses, once there are several threads.
    pub(super) fn note(&self, world: &World, thread: usize, spots: &[Spot]) {
        if self.options.alone && world.threads.len() > 1 {
            let mut footprint = self.footprint.borrow_mut();
            spots.iter().for_each(|spot| footprint.note(thread, spot));
        }
    }

    /// Whether a pending instruction is an access that can be executed now and that nobody competes for.
    pub(super) fn is_alone(&self, world: &World, thread: usize, at: usize) -> bool {
        if !self.options.alone || world.threads.len() <= 1 {
            return false;
        }
        let state = &world.threads[thread];
        let what = &state.pending[at].what;
        let (What::Load { addr, ty } | What::Store { addr, ty, .. }) = what else { return false };
        let Some(addr) = addr.known().and_then(Value::defined) else { return false };
        let spot = Spot { addr, bytes: ty.bytes(), stores: matches!(what, What::Store { .. }) };
        let unknown = state.pending[..at].iter().any(|older| match &older.what {
            What::Store { .. } | What::Block { .. } => self.spots(older.pc, &older.what).is_none(),
            What::Load { addr, .. } => spot.stores && addr.known().is_none(),
            _ => false,
        });
        !unknown && self.footprint.borrow_mut().alone(thread, &spot)
    }
}
