//! The order ⊑ on abstract buffers (BLENDER, Sections 4.1 and 4.3), and buffers as words.

use super::loose::{Item, Loose};
use super::words;
use super::{Abstraction, Rules};
use fencepost_lsl::value::Value;

/// Whether one buffer stands for all that another stands for.
///
/// The second may have moved the youngest part of its head into the set. In the fully disjunctive abstraction
/// the set then has just that; in the partially disjunctive one it may have more, if it had something before.
///
/// # Soundness
///
/// A buffer whose oldest stores are `H` has those of each prefix of `H` as its oldest, and the rest of it in
/// the set. A state whose buffers are all covered by those of another, and that is otherwise the same,
/// stands for no execution that the other does not stand for; so it need not be visited.
pub(crate) fn covers(rules: Rules, wide: &Loose, narrow: &Loose) -> bool {
    if wide.last != narrow.last || wide.barrier != narrow.barrier {
        return false;
    }
    if rules.one_queue {
        return queue_covers(rules, (&wide.head, &wide.set), (&narrow.head, &narrow.set));
    }
    let mut addresses: Vec<u64> = wide.items().chain(narrow.items()).map(|item| item.addr).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses.into_iter().all(|addr| {
        let part = |items: &[Item]| -> Vec<Item> {
            items.iter().filter(|item| item.addr == addr).copied().collect()
        };
        let (wide, narrow) = ((part(&wide.head), part(&wide.set)), (part(&narrow.head), part(&narrow.set)));
        queue_covers(rules, (&wide.0, &wide.1), (&narrow.0, &narrow.1))
    })
}

type Queue<'a> = (&'a [Item], &'a [Item]);

fn queue_covers(rules: Rules, wide: Queue, narrow: Queue) -> bool {
    if wide == narrow {
        return true;
    }
    let (kept, moved) = match narrow.0.strip_prefix(wide.0) {
        Some(moved) => (narrow.1, moved),
        None => return false,
    };
    let has = |set: &[Item], item: &Item| set.binary_search(item).is_ok();
    let includes = kept.iter().chain(moved).all(|item| has(wide.1, item));
    match rules.abstraction {
        Abstraction::PartiallyDisjunctive(_) => includes && !kept.is_empty(),
        _ if rules.apart => false,
        _ => includes && wide.1.iter().all(|item| has(kept, item) || moved.contains(item)),
    }
}

/// Bits of an item's first word.
const FRESH: u64 = 1 << 8;
const EPOCH: u32 = 9;
const LABEL: u32 = 32;

impl Loose {
    /// As words; none if empty.
    pub(crate) fn encode(&self, words: &mut Vec<u64>) {
        words.clear();
        if self.is_empty() {
            return;
        }
        let (head, set) = (self.head.len() as u64, self.set.len() as u64);
        words.push(head | set << 20 | (self.barrier as u64) << 40);
        for item in self.head.iter().chain(&self.set).chain(&self.last) {
            let fresh = if item.fresh { FRESH } else { 0 };
            let flags =
                item.bytes as u64 | fresh | (item.epoch as u64) << EPOCH | (item.label as u64) << LABEL;
            words::push(words, flags, item.addr, item.value);
        }
    }

    /// From words.
    pub(crate) fn decode(words: &[u64]) -> Loose {
        let Some(first) = words.first() else { return Loose::default() };
        let item = |(_, flags, addr, value): (usize, u64, u64, Value)| Item {
            addr,
            bytes: flags as u8,
            epoch: (flags >> EPOCH & 0x7f) as u8,
            fresh: flags & FRESH != 0,
            value,
            label: (flags >> LABEL) as u32,
        };
        let mut items: Vec<Item> = words::stores(words).map(item).collect();
        let (head, set) = ((first & 0xf_ffff) as usize, (first >> 20 & 0xf_ffff) as usize);
        let last = items.split_off(head + set);
        let set = items.split_off(head);
        Loose { head: items, set, last, barrier: first >> 40 != 0 }
    }
}

/// Calls `see` with the positions of those of a buffer's words that hold values, and their undefined bits.
pub(crate) fn values(words: &[u64], mut see: impl FnMut(usize, u64)) {
    for (at, _, _, value) in words::stores(words) {
        see(at + 1, 0);
        see(at + 2, value.undef());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::value::IntTy;

    fn rules(name: &str) -> Rules {
        let abstraction = Abstraction::named(name).expect("an abstraction");
        Rules { abstraction, one_queue: false, apart: false }
    }

    fn item(value: u64) -> Item {
        Item::new(0x1000, IntTy::U32, Value::new(value), 0)
    }

    /// A buffer of one address, by head, set and last store.
    fn buffer(head: &[u64], set: &[u64], last: u64) -> Loose {
        let items = |values: &[u64]| -> Vec<Item> { values.iter().map(|value| item(*value)).collect() };
        Loose { head: items(head), set: items(set), last: items(&[last]), barrier: false }
    }

    /// ⊑ of Section 4.1: the end of the head may move to the set, and nothing else may differ.
    #[test]
    fn the_end_of_the_head_may_be_in_the_set() {
        let rules = rules("fd:2");
        let known = buffer(&[1, 2], &[3], 3);
        assert!(covers(rules, &known, &known));
        assert!(covers(rules, &buffer(&[1], &[2, 3], 3), &known));
        assert!(covers(rules, &buffer(&[], &[1, 2, 3], 3), &known));
        assert!(!covers(rules, &known, &buffer(&[1], &[2, 3], 3)), "order that is lost stays lost");
        assert!(!covers(rules, &buffer(&[2], &[1, 3], 3), &known), "the oldest is 1");
        assert!(!covers(rules, &buffer(&[1], &[2, 3, 4], 3), &known), "4 is not there");
        assert!(!covers(rules, &buffer(&[1], &[2, 3], 2), &known), "the last is 3");
        assert!(!covers(rules, &Loose { barrier: true, ..known.clone() }, &known));
        let full = buffer(&[1, 2], &[], 2);
        assert!(covers(rules, &buffer(&[1], &[2], 2), &full));
        let apart = Rules { apart: true, ..rules };
        assert!(!covers(apart, &buffer(&[1], &[2], 2), &full));
        assert!(!covers(apart, &buffer(&[1], &[2, 3], 3), &known));
        assert!(covers(apart, &known, &known));
    }

    /// ⊑ of Section 4.3: a larger set stands for a smaller one, but not for an empty one.
    #[test]
    fn sets_of_the_partially_disjunctive_abstraction_stand_for_their_subsets() {
        let (partial, full) = (rules("pd:2"), rules("fd:2"));
        let (wide, narrow) = (buffer(&[], &[1, 2, 3], 3), buffer(&[], &[1, 3], 3));
        assert!(covers(partial, &wide, &narrow) && !covers(full, &wide, &narrow));
        assert!(!covers(partial, &narrow, &wide));
        assert!(!covers(partial, &buffer(&[], &[1, 3], 3), &buffer(&[3], &[], 3)));
    }

    #[test]
    fn words_and_back() {
        let mut known = buffer(&[1, 2], &[3], 3);
        known.set.push(Item { epoch: 2, fresh: false, label: 77, ..item(4) });
        known.head[0].value = Value::partial(1, 0xff00);
        known.barrier = true;
        let mut words = Vec::new();
        known.encode(&mut words);
        assert_eq!(Loose::decode(&words), known);
        let mut seen = 0;
        values(&words, |at, undefined| {
            assert!(at < words.len());
            seen += 1 + u32::from(undefined != 0);
        });
        assert_eq!(seen, 2 * 5 + 1);
        Loose::default().encode(&mut words);
        assert_eq!(Loose::decode(&words), Loose::default());
    }
}
