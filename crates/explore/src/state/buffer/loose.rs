//! Abstract store buffers: the oldest stores in order, the others as a set, and the latest of each address.
//!
//! A buffer of any length is represented by ⟨l, S, H⟩ (BLENDER, Section 4.1): `H` has the oldest k stores in
//! their order, `S` the others without order and number, `l` the most recent one to each address. On pso
//! there is such a triple for each address. On tso, one `H` and one `S` serve all addresses and hold pairs
//! of address and value, while `l` stays one for each address: what a thread reads of its own stores
//! depends on that alone.
//!
//! Fences of one kind only are no part of the paper. A store-store fence starts a new *epoch*: what is
//! stored later does not reach memory before what is stored earlier. A store-load fence makes all that is
//! there *due*: loads wait for it. Both are marks on stores, here as in [`super::exact`]. On tso they are
//! not needed: stores are in order anyway, and a thread may as well wait at a fence for its buffer to drain,
//! since all it could do meanwhile is to store, which nobody notices before. The same holds on pso for
//! fences of both kinds.
//!
//! # Soundness
//!
//! Every store that is in the buffer is in `H` or `S`, in `H` if and where it is among the oldest. Epochs
//! are bounded; what is stored behind the last fence that is told apart counts as before it, which only
//! lets it reach memory earlier.

use super::words::overlay;
use super::{Abstraction, Rules};
use fencepost_lsl::value::{IntTy, Value};

/// A store in a buffer. The order of fields makes stores to one address neighbours, oldest marks first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Item {
    pub(crate) addr: u64,
    pub(crate) bytes: u8,
    /// Store-store fences before it, counted from the oldest store.
    pub(crate) epoch: u8,
    /// Whether no store-load fence is behind it; loads wait for those that have one.
    pub(crate) fresh: bool,
    /// The value, cut to its bytes.
    pub(crate) value: Value,
    /// The instruction that stored it, if stores are labelled; else zero.
    pub(crate) label: u32,
}

/// Store-store fences that are told apart.
const EPOCHS: u8 = 3;

impl Item {
    pub(crate) fn new(addr: u64, ty: IntTy, value: Value, label: u32) -> Item {
        let bytes = ty.bits.div_ceil(8);
        Item { addr, bytes, epoch: 0, fresh: true, value: value.wrap(width(bytes)), label }
    }

    /// The type that it is written with.
    pub(crate) fn ty(&self) -> IntTy {
        width(self.bytes)
    }

    fn end(&self) -> u64 {
        self.addr + self.bytes as u64
    }

    fn overlaps(&self, addr: u64, bytes: u64) -> bool {
        self.addr < addr + bytes && addr < self.end()
    }

    fn age(&self) -> (u8, bool) {
        (self.epoch, self.fresh)
    }
}

fn width(bytes: u8) -> IntTy {
    IntTy::unsigned(8 * bytes)
}

/// How a store reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// As the oldest: FLUSH-H.
    Head,
    /// From the set, where more of it may be left: FLUSH-SN, and FLUSH-NE of the partially disjunctive
    /// abstraction.
    Keep,
    /// From the set, as the last of its kind: FLUSH-SD.
    Drop,
    /// From the set, as the last to its address: FLUSH-E.
    Empty,
}

/// A store that may reach memory next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flush {
    pub(crate) item: Item,
    pub(crate) way: Way,
}

/// An abstract buffer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Loose {
    /// `H`: by age on tso, by address and age on pso.
    pub(crate) head: Vec<Item>,
    /// `S`: ascending.
    pub(crate) set: Vec<Item>,
    /// `l`: ascending; none for the abstraction to a set.
    pub(crate) last: Vec<Item>,
    /// Whether a store-store fence is behind all of it.
    pub(crate) barrier: bool,
}

impl Loose {
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.set.is_empty()
    }

    /// All stores.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.head.iter().chain(&self.set)
    }

    /// STORE-H and STORE-S. False if it overlaps another store without being to the same place, which this
    /// form cannot tell of.
    pub(crate) fn store(&mut self, rules: Rules, mut item: Item) -> bool {
        let same = |other: &Item| other.addr == item.addr && other.bytes == item.bytes;
        if self.items().any(|other| other.overlaps(item.addr, item.bytes as u64) && !same(other)) {
            return false;
        }
        let newest = self.items().map(|other| other.epoch).max().unwrap_or(0);
        let next = std::mem::take(&mut self.barrier) && !self.is_empty();
        item.epoch = (newest + u8::from(next)).min(EPOCHS);
        let queue = |other: &&Item| rules.one_queue || other.addr == item.addr;
        let loose = self.set.iter().any(|other| queue(&other));
        if !loose && self.head.iter().filter(queue).count() < rules.abstraction.head() {
            let at = match rules.one_queue {
                true => self.head.len(),
                false => self.head.partition_point(|other| other.addr <= item.addr),
            };
            self.head.insert(at, item);
        } else if let Err(at) = self.set.binary_search(&item) {
            self.set.insert(at, item);
        }
        if rules.abstraction != Abstraction::Set {
            self.last.retain(|other| other.addr != item.addr);
            let at = self.last.partition_point(|other| other.addr < item.addr);
            self.last.insert(at, item);
        }
        true
    }

    /// LOAD-B and LOAD-G: a value of memory with what the thread itself has written over it. There are
    /// several only for the abstraction to a set; none if this form cannot tell.
    pub(crate) fn load(&self, rules: Rules, addr: u64, ty: IntTy, memory: Value) -> Option<Vec<Value>> {
        let bytes = ty.bytes();
        if rules.abstraction == Abstraction::Set {
            let mut seen: Vec<Value> = Vec::new();
            for item in self.set.iter().filter(|item| item.overlaps(addr, bytes)) {
                if item.addr != addr || item.bytes as u64 != bytes {
                    return None;
                }
                if !seen.contains(&item.value.wrap(ty)) {
                    seen.push(item.value.wrap(ty));
                }
            }
            return Some(if seen.is_empty() { vec![memory] } else { seen });
        }
        let (mut seen, mut found) = (memory, false);
        for item in &self.last {
            found |= overlay(&mut seen, addr, ty, item.addr, item.bytes as u64, item.value);
        }
        Some(vec![if found { seen.wrap(ty) } else { memory }])
    }

    /// Whether some store is there for certain that has a property. The set of the partially disjunctive
    /// abstraction may hold stores that are not there, but of each address it names there is one.
    fn certainly(&self, rules: Rules, has: impl Fn(&Item) -> bool) -> bool {
        let mut groups = self.set.chunk_by(|a, b| a.addr == b.addr);
        self.head.iter().any(&has)
            || match rules.abstraction {
                Abstraction::PartiallyDisjunctive(_) => groups.any(|group| group.iter().all(&has)),
                _ => self.set.iter().any(&has),
            }
    }

    /// Whether loads wait for a store.
    pub(crate) fn due(&self, rules: Rules) -> bool {
        self.certainly(rules, |item| !item.fresh)
    }

    /// Whether a store that goes to memory at once would overtake what a fence keeps before it.
    pub(crate) fn barred(&self, rules: Rules) -> bool {
        let newest = match rules.abstraction {
            Abstraction::Set => self.set.iter().map(|item| item.epoch).max(),
            _ => self.last.iter().map(|item| item.epoch).max(),
        };
        self.barrier || newest.is_some_and(|newest| self.certainly(rules, |item| item.epoch < newest))
    }

    /// Whether a store to some of these bytes is there.
    pub(crate) fn covers(&self, addr: u64, bytes: u64) -> bool {
        self.items().any(|item| item.overlaps(addr, bytes))
    }

    /// A store-store fence.
    pub(crate) fn order_stores(&mut self) {
        self.barrier = !self.is_empty();
    }

    /// A store-load fence.
    pub(crate) fn order_loads(&mut self) {
        let all = self.head.iter_mut().chain(&mut self.set).chain(&mut self.last);
        all.for_each(|item| item.fresh = false);
        // Stores that differed only in that mark are one now.
        self.set.sort_unstable();
        self.set.dedup();
    }

    /// What may reach memory next.
    pub(crate) fn flushes(&self, rules: Rules) -> Vec<Flush> {
        let mut found = Vec::new();
        let held = |item: &Item| self.certainly(rules, |other| other.epoch < item.epoch);
        for (at, item) in self.head.iter().enumerate() {
            let first = match rules.one_queue {
                true => at == 0,
                false => at == 0 || self.head[at - 1].addr != item.addr,
            };
            if first && !held(item) {
                found.push(Flush { item: *item, way: Way::Head });
            }
        }
        for item in &self.set {
            let behind = |other: &Item| rules.one_queue || other.addr == item.addr;
            if self.head.iter().any(behind) || held(item) {
                continue;
            }
            let last = self.last.binary_search_by_key(&item.addr, |other| other.addr);
            let is_last = last.is_ok_and(|at| self.last[at] == *item);
            if let Abstraction::PartiallyDisjunctive(_) = rules.abstraction {
                found.push(Flush { item: *item, way: Way::Keep });
                if is_last {
                    found.push(Flush { item: *item, way: Way::Empty });
                }
                continue;
            }
            // Stores of one queue are in order, so those that are marked as older go first.
            if self.set.iter().any(|other| behind(other) && other.age() < item.age()) {
                continue;
            }
            let mut others = self.set.iter().filter(|other| other.addr == item.addr && *other != item);
            found.push(Flush { item: *item, way: Way::Keep });
            // The last store is not gone while others are left.
            if !is_last || others.next().is_none() {
                found.push(Flush { item: *item, way: Way::Drop });
            }
        }
        found
    }

    /// Takes out what reaches memory.
    pub(crate) fn flush(&mut self, flush: &Flush) {
        let item = &flush.item;
        match flush.way {
            Way::Head => {
                if let Some(at) = self.head.iter().position(|other| other == item) {
                    self.head.remove(at);
                }
            }
            Way::Keep => return,
            Way::Drop => self.set.retain(|other| other != item),
            Way::Empty => self.set.retain(|other| other.addr != item.addr),
        }
        if !self.items().any(|other| other.addr == item.addr) {
            self.last.retain(|other| other.addr != item.addr);
        }
        // Epochs count from the oldest store.
        let oldest = self.items().map(|item| item.epoch).min().unwrap_or(0);
        let all = self.head.iter_mut().chain(&mut self.set).chain(&mut self.last);
        all.for_each(|item| item.epoch -= oldest);
        self.barrier &= !self.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: u64 = 0x1000;
    const Y: u64 = 0x1008;

    fn rules(name: &str, one_queue: bool) -> Rules {
        let abstraction = Abstraction::named(name).expect("an abstraction");
        Rules { abstraction, one_queue, apart: false }
    }

    fn item(addr: u64, value: u64) -> Item {
        Item::new(addr, IntTy::U32, Value::new(value), 0)
    }

    fn filled(rules: Rules, stores: &[(u64, u64)]) -> Loose {
        let mut buffer = Loose::default();
        stores.iter().for_each(|(addr, value)| assert!(buffer.store(rules, item(*addr, *value))));
        buffer
    }

    fn ways(buffer: &Loose, rules: Rules) -> Vec<(u64, u64, Way)> {
        let flat = |flush: &Flush| (flush.item.addr, flush.item.value.bits(), flush.way);
        buffer.flushes(rules).iter().map(flat).collect()
    }

    fn loads(buffer: &Loose, rules: Rules, addr: u64) -> Vec<u64> {
        let seen = buffer.load(rules, addr, IntTy::U32, Value::new(9)).expect("sizes are the same");
        seen.iter().map(|value| value.bits()).collect()
    }

    /// STORE-H as long as there is room, STORE-S behind that, and for good once something is there.
    #[test]
    fn stores_go_to_the_head_while_all_are_known() {
        let rules = rules("fd:1", false);
        let mut buffer = filled(rules, &[(X, 1), (X, 2), (Y, 3)]);
        assert_eq!((buffer.head.len(), buffer.set.len()), (2, 1));
        let first = buffer.flushes(rules)[0];
        assert_eq!((first.item.value.bits(), first.way), (1, Way::Head));
        buffer.flush(&first);
        assert!(buffer.store(rules, item(X, 4)));
        assert_eq!((buffer.head.len(), buffer.set.len()), (1, 2), "the head of x may not be refilled");
    }

    /// On tso the head is one for all addresses.
    #[test]
    fn one_queue_keeps_addresses_in_order() {
        let rules = rules("fd:2", true);
        let buffer = filled(rules, &[(Y, 1), (X, 2), (Y, 3)]);
        assert_eq!((buffer.head.len(), buffer.set.len()), (2, 1));
        assert_eq!(ways(&buffer, rules), [(Y, 1, Way::Head)]);
    }

    /// LOAD-B reads the last store, LOAD-G memory; without recency, any store.
    #[test]
    fn loads_see_the_last_store() {
        let stores = [(X, 1), (X, 2), (X, 1)];
        for name in ["fd:0", "fd:1", "fd:4", "pd:0"] {
            let rules = rules(name, false);
            let buffer = filled(rules, &stores);
            assert_eq!((loads(&buffer, rules, X), loads(&buffer, rules, Y)), (vec![1], vec![9]), "{name}");
        }
        let rules = rules("set", false);
        assert_eq!(loads(&filled(rules, &stores), rules, X), [1, 2]);
    }

    /// FLUSH-SN always, FLUSH-SD not for the last store while others are left.
    #[test]
    fn the_last_store_is_dropped_last() {
        let full = rules("fd:0", false);
        let mut buffer = filled(full, &[(X, 1), (X, 2)]);
        assert_eq!(ways(&buffer, full), [(X, 1, Way::Keep), (X, 1, Way::Drop), (X, 2, Way::Keep)]);
        buffer.flush(&Flush { item: item(X, 1), way: Way::Drop });
        assert_eq!(ways(&buffer, full), [(X, 2, Way::Keep), (X, 2, Way::Drop)]);
        buffer.flush(&Flush { item: item(X, 2), way: Way::Drop });
        assert!(buffer.is_empty() && buffer.last.is_empty());
        let set = rules("set", false);
        assert_eq!(ways(&filled(set, &[(X, 1), (X, 2)]), set).len(), 4, "a set forgets which was last");
    }

    /// FLUSH-NE leaves the set, FLUSH-E writes the last store and empties it.
    #[test]
    fn partially_disjunctive_sets_are_emptied_at_once() {
        let rules = rules("pd:0", false);
        let mut buffer = filled(rules, &[(X, 1), (X, 2)]);
        assert_eq!(ways(&buffer, rules), [(X, 1, Way::Keep), (X, 2, Way::Keep), (X, 2, Way::Empty)]);
        buffer.flush(&Flush { item: item(X, 2), way: Way::Empty });
        assert!(buffer.is_empty() && buffer.last.is_empty());
    }

    /// A store-store fence keeps what is behind it in the buffer until all before it is gone.
    #[test]
    fn epochs_leave_in_order() {
        for name in ["fd:0", "fd:2", "pd:0", "pd:1"] {
            let rules = rules(name, false);
            let mut buffer = filled(rules, &[(Y, 1)]);
            buffer.order_stores();
            assert!(buffer.barred(rules));
            assert!(buffer.store(rules, item(X, 2)));
            assert!(buffer.barred(rules));
            assert!(ways(&buffer, rules).iter().all(|(addr, ..)| *addr == Y), "{name}");
            let way = ways(&buffer, rules).last().expect("something may leave").2;
            buffer.flush(&Flush { item: item(Y, 1), way });
            assert!(!buffer.barred(rules));
            assert!(ways(&buffer, rules).iter().any(|(addr, ..)| *addr == X), "{name}");
        }
    }

    /// A store-load fence makes loads wait for what is before it and for nothing else.
    #[test]
    fn loads_wait_for_what_is_due() {
        for name in ["fd:0", "fd:2", "pd:0", "pd:1"] {
            let rules = rules(name, false);
            let mut buffer = filled(rules, &[(Y, 1)]);
            assert!(!buffer.due(rules));
            buffer.order_loads();
            assert!(buffer.store(rules, item(X, 2)));
            assert!(buffer.due(rules), "{name}");
            let flush = *buffer.flushes(rules).iter().rfind(|f| f.item.addr == Y).expect("y may leave");
            buffer.flush(&flush);
            assert!(!buffer.due(rules), "{name}");
        }
    }

    /// A partially disjunctive set may hold what is not there: it holds up nothing.
    #[test]
    fn what_may_be_absent_holds_up_nothing() {
        let rules = rules("pd:0", false);
        let mut buffer = filled(rules, &[(X, 1)]);
        buffer.order_loads();
        assert!(buffer.store(rules, item(X, 2)));
        assert!(!buffer.due(rules), "only the last store of x is there for certain");
    }

    #[test]
    fn overlapping_stores_of_other_sizes_are_refused() {
        let rules = rules("fd:1", false);
        let mut buffer = filled(rules, &[(X, 1)]);
        assert!(!buffer.store(rules, Item::new(X, IntTy::U64, Value::new(1), 0)));
        assert!(!buffer.store(rules, Item::new(X + 2, IntTy::U32, Value::new(1), 0)));
    }
}
