//! Sets of states of which none covers another (BLENDER, Section 4.1: the domain of antichains, and its join).
//!
//! States that agree in all but their buffers, and whose buffers agree in the parts that ⊑ wants to be equal, form a group. A state that a member of
//! its group covers is not visited; a state that covers members takes their place. See [`covers`] for why that is sound.

use crate::state::Pools;
use crate::state::buffer::loose::Loose;
use crate::state::buffer::order::covers;
use crate::state::buffer::{Abstraction, Rules};
use crate::state::intern::Interner;
use rustc_hash::FxHashMap;

/// An antichain of states, by number.
pub(crate) struct Antichain {
    rules: Rules,
    /// States with classes in the place of buffers.
    keys: Interner<u32>,
    /// What all buffers have in common of which one covers another.
    classes: Interner<u64>,
    /// The class of each buffer, as far as it was asked.
    class_of: Vec<Option<u32>>,
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
        let (keys, classes, known) = (Interner::default(), Interner::default(), FxHashMap::default());
        Antichain {
            rules,
            keys,
            classes,
            class_of: Vec::new(),
            groups: Vec::new(),
            known,
            scratch: Vec::new(),
        }
    }

    /// Adds a state, unless one that is there covers it.
    pub(crate) fn join(&mut self, pools: &Pools, state: u32) -> Join {
        let (words, buffers) = pools.buffers_of(state);
        self.scratch.clear();
        self.scratch.extend_from_slice(words);
        for at in buffers {
            self.scratch[at] = self.class(pools, words[at]);
        }
        let (key, new) = self.keys.intern(&self.scratch);
        if new {
            self.groups.push(vec![state]);
            return Join::Joined(Vec::new());
        }
        let group = std::mem::take(&mut self.groups[key as usize]);
        let cover = group.iter().find(|member| **member == state || self.covers(pools, **member, state));
        if let Some(&member) = cover {
            self.groups[key as usize] = group;
            return Join::Covered(member);
        }
        let (left, mut kept): (Vec<u32>, Vec<u32>) =
            group.into_iter().partition(|member| self.covers(pools, state, *member));
        kept.push(state);
        self.groups[key as usize] = kept;
        Join::Joined(left)
    }

    /// The class of a buffer: what [`covers`] asks to be equal. In the fully disjunctive abstraction that includes
    /// the stores altogether, wherever they are.
    fn class(&mut self, pools: &Pools, number: u32) -> u32 {
        let at = number as usize;
        if self.class_of.len() <= at {
            self.class_of.resize(at + 1, None);
        }
        if let Some(class) = self.class_of[at] {
            return class;
        }
        let buffer = Loose::decode(pools.buffers.words.get(number));
        let mut common = Loose { last: buffer.last.clone(), barrier: buffer.barrier, ..Loose::default() };
        if !matches!(self.rules.abstraction, Abstraction::PartiallyDisjunctive(_)) {
            common.set = buffer.items().copied().collect();
            common.set.sort_unstable();
            common.set.dedup();
        } else if !buffer.is_empty() {
            // Any words will do: they only tell buffers that hold something from empty ones.
            common.head = buffer.last;
        }
        let mut words = Vec::new();
        common.encode(&mut words);
        let class = self.classes.intern(&words).0;
        self.class_of[at] = Some(class);
        class
    }

    /// Whether all buffers of a state cover those of another.
    fn covers(&mut self, pools: &Pools, wide: u32, narrow: u32) -> bool {
        let ((wide, at), (narrow, same)) = (pools.buffers_of(wide), pools.buffers_of(narrow));
        let pairs = wide[at].iter().zip(&narrow[same]);
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
        self.keys.bytes() + self.classes.bytes() + (members + self.known.capacity() * 24) as u64
    }
}
