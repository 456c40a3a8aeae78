//! Sets of states of which none covers another (BLENDER, Section 4.1: the domain of antichains, and its join).
//!
//! States that agree in all but their buffers form a group. A state that a member of its group covers is not
//! visited; a state that covers members takes their place. See [`super::order::covers`] for why that is sound.

use super::Rules;
use super::buffer::Loose;
use super::order::covers;
use crate::intern::Interner;
use crate::state::{EMPTY, Pools};
use rustc_hash::FxHashMap;

/// An antichain of states, by number.
pub(crate) struct Antichain {
    rules: Rules,
    /// States without their buffers.
    keys: Interner<u32>,
    groups: Vec<Vec<u32>>,
    /// Whether the first buffer covers the second, as far as it was asked.
    known: FxHashMap<(u32, u32), bool>,
    scratch: Vec<u32>,
}

/// What became of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Join {
    /// This one covers it.
    Covered(u32),
    /// It joins the set, and these members leave.
    Joined(Vec<u32>),
}

impl Antichain {
    pub(crate) fn new(rules: Rules) -> Antichain {
        let (keys, known) = (Interner::new(), FxHashMap::default());
        Antichain { rules, keys, groups: Vec::new(), known, scratch: Vec::new() }
    }

    /// Adds a state, unless one that is there covers it.
    pub(crate) fn join(&mut self, pools: &Pools, state: u32) -> Join {
        let (words, buffers) = pools.buffers_of(state);
        self.scratch.clear();
        self.scratch.extend_from_slice(&words[..buffers.start]);
        self.scratch.extend_from_slice(&words[buffers.end..]);
        let (key, new) = self.keys.intern(&self.scratch);
        if new {
            self.groups.push(vec![state]);
            return Join::Joined(Vec::new());
        }
        let group = std::mem::take(&mut self.groups[key as usize]);
        let mut kept = Vec::with_capacity(group.len() + 1);
        let mut left = Vec::new();
        let mut cover = None;
        for &member in &group {
            if cover.is_none() && (member == state || self.covers(pools, member, state)) {
                cover = Some(member);
            }
        }
        if let Some(member) = cover {
            self.groups[key as usize] = group;
            return Join::Covered(member);
        }
        for member in group {
            match self.covers(pools, state, member) {
                true => left.push(member),
                false => kept.push(member),
            }
        }
        kept.push(state);
        self.groups[key as usize] = kept;
        Join::Joined(left)
    }

    /// Whether all buffers of a state cover those of another.
    fn covers(&mut self, pools: &Pools, wide: u32, narrow: u32) -> bool {
        let ((wide, at), (narrow, same)) = (pools.buffers_of(wide), pools.buffers_of(narrow));
        let pairs = wide[at].iter().zip(&narrow[same]);
        // Most pairs differ in whether a buffer is empty.
        if pairs.clone().any(|(wide, narrow)| (*wide == EMPTY) != (*narrow == EMPTY)) {
            return false;
        }
        let (rules, known) = (self.rules, &mut self.known);
        pairs.into_iter().all(|(&wide, &narrow)| {
            wide == narrow
                || *known.entry((wide, narrow)).or_insert_with(|| {
                    let decode = |number: u32| Loose::decode(pools.buffers.words.get(number));
                    covers(rules, &decode(wide), &decode(narrow))
                })
        })
    }

    /// Bytes of memory held, about.
    pub(crate) fn bytes(&self) -> u64 {
        let members: usize = self.groups.len() * (size_of::<Vec<u32>>() + 8);
        self.keys.bytes() + (members + self.known.capacity() * 24) as u64
    }
}
