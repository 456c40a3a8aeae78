//! Store buffers as they are.
//!
//! One list a thread, oldest first, serves both machines. On tso only the oldest entry reaches memory. On
//! pso any does that has no older one to the same bytes, so the list acts as a buffer for each address. Two
//! marks make fences exact without letting a thread wait at them, since a fence holds up only accesses
//! behind it: a *barrier* in front of an entry (store-store) keeps it behind all older ones, and the oldest
//! entries may be *due* (store-load): the thread's loads wait for them.

use super::words::{self, overlay};
use fencepost_lsl::value::{IntTy, Value};

/// What an entry does when it reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Writes a value.
    Store,
    /// Ends the life of the object at its address.
    Free,
    /// Lets a thread start, of which the address is the number.
    Start,
}

/// Calls `see` with the positions of those of a buffer's words that hold values, and their undefined bits.
pub(crate) fn values(words: &[u64], mut see: impl FnMut(usize, u64)) {
    for (at, flags, _, value) in words::stores(words) {
        let kind = flags >> 9 & 3;
        if kind != Kind::Start as u64 {
            see(at + 1, 0);
        }
        if kind == Kind::Store as u64 {
            see(at + 2, value.undef());
        }
    }
}

/// An entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) addr: u64,
    pub(crate) ty: IntTy,
    pub(crate) value: Value,
    /// Whether all older entries go first.
    pub(crate) barrier: bool,
}

/// An exact buffer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Exact {
    pub(crate) entries: Vec<Entry>,
    /// How many of the oldest entries the thread's loads wait for.
    pub(crate) due: usize,
    /// Whether the next entry gets a barrier.
    pub(crate) barrier: bool,
}

impl Entry {
    /// Behind its last byte. The life of an object belongs to all of it; a `free` carries its size.
    fn end(&self) -> u64 {
        match self.kind {
            Kind::Free => self.addr + self.value.bits().max(1),
            _ => self.addr + self.ty.bytes(),
        }
    }

    /// Whether two entries must stay in order.
    fn meets(&self, other: &Entry) -> bool {
        match (self.kind, other.kind) {
            (Kind::Start, _) | (_, Kind::Start) => false,
            _ => self.addr < other.end() && other.addr < self.end(),
        }
    }
}

impl Exact {
    /// Adds an entry.
    pub(crate) fn push(&mut self, mut entry: Entry) {
        entry.barrier = std::mem::take(&mut self.barrier) && !self.entries.is_empty();
        self.entries.push(entry);
    }

    /// Adds the start of a thread, for which no barrier counts.
    pub(crate) fn push_start(&mut self, thread: usize) {
        let (kind, addr, ty, value) = (Kind::Start, thread as u64, IntTy::U8, Value::ZERO);
        self.entries.push(Entry { kind, addr, ty, value, barrier: false });
    }

    /// Removes an entry that reaches memory.
    pub(crate) fn remove(&mut self, index: usize) -> Entry {
        let entry = self.entries.remove(index);
        self.due -= (index < self.due) as usize;
        // A barrier holds for all behind it.
        if entry.barrier
            && index > 0
            && let Some(next) = self.entries.get_mut(index)
        {
            next.barrier = true;
        }
        if let Some(first) = self.entries.first_mut() {
            first.barrier = false;
        } else {
            self.barrier = false;
        }
        entry
    }

    /// Keeps stores behind this point behind those before it.
    pub(crate) fn order_stores(&mut self) {
        self.barrier = !self.entries.is_empty();
    }

    /// Lets loads behind this point wait for the stores before it.
    pub(crate) fn order_loads(&mut self) {
        self.due = self.entries.len();
    }

    /// Whether an entry may reach memory next.
    pub(crate) fn ready(&self, index: usize, one_queue: bool) -> bool {
        let entry = &self.entries[index];
        if one_queue || entry.kind == Kind::Start {
            return index == 0;
        }
        let older = &self.entries[..index];
        // Starts hold up nothing.
        let stores = older.iter().any(|entry| entry.kind != Kind::Start);
        let barred = self.entries[..=index].iter().any(|entry| entry.barrier) && stores;
        !barred && !older.iter().any(|older| older.meets(entry))
    }

    /// Whether a store that goes to memory at once would overtake what a barrier keeps in front of it.
    pub(crate) fn barred(&self) -> bool {
        self.barrier || self.entries.iter().any(|entry| entry.barrier)
    }

    /// Whether some entry writes some of these bytes, or ends the life of their object.
    pub(crate) fn covers(&self, addr: u64, bytes: u64) -> bool {
        let (kind, ty, value) = (Kind::Free, IntTy::U8, Value::new(bytes));
        let access = Entry { kind, addr, ty, value, barrier: false };
        self.entries.iter().any(|entry| entry.meets(&access))
    }

    /// Whether the thread itself has freed the object at an address.
    pub(crate) fn frees(&self, addr: u64) -> bool {
        let holds = |entry: &Entry| (entry.addr..entry.end()).contains(&addr);
        self.entries.iter().any(|entry| entry.kind == Kind::Free && holds(entry))
    }

    /// A value of memory, with what the thread itself has written over it.
    pub(crate) fn forward(&self, addr: u64, ty: IntTy, memory: Value) -> Value {
        let (mut seen, mut found) = (memory, false);
        for entry in self.entries.iter().filter(|entry| entry.kind == Kind::Store) {
            found |= overlay(&mut seen, addr, ty, entry.addr, entry.ty.bytes(), entry.value);
        }
        if found { seen.wrap(ty) } else { memory }
    }

    /// As words; none if empty.
    pub(crate) fn encode(&self, words: &mut Vec<u64>) {
        words.clear();
        if self.entries.is_empty() {
            return;
        }
        words.push(self.due as u64 | (self.barrier as u64) << 32);
        for entry in &self.entries {
            let Entry { kind, addr, ty, value, barrier } = *entry;
            let sign = (ty.signed as u64) << 8;
            let flags = ty.bits as u64 | sign | (kind as u64) << 9 | (barrier as u64) << 11;
            words::push(words, flags, addr, value);
        }
    }

    /// From words.
    pub(crate) fn decode(words: &[u64]) -> Exact {
        let Some(head) = words.first() else { return Exact::default() };
        let entry = |(_, flags, addr, value): (usize, u64, u64, Value)| Entry {
            kind: [Kind::Store, Kind::Free, Kind::Start][(flags >> 9 & 3) as usize],
            addr,
            ty: IntTy { bits: (flags & 0xff) as u8, signed: flags >> 8 & 1 != 0 },
            value,
            barrier: flags >> 11 & 1 != 0,
        };
        let entries = words::stores(words).map(entry).collect();
        Exact { entries, due: (head & 0xffff_ffff) as usize, barrier: head >> 32 != 0 }
    }
}
