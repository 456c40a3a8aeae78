//! Store buffers: what a thread has written and memory has not seen yet.
//!
//! A buffer is kept as it is ([`exact`]), or in a bounded form that stands for many ([`loose`]); all buffers of an exploration
//! are of one form. *Invariant:* whatever a thread does with its buffer it asks here, so that no step but one in which a store
//! comes or goes knows the form.

pub(crate) mod exact;
pub(crate) mod loose;
pub(crate) mod order;
mod rules;
pub(crate) mod words;

pub use rules::Abstraction;
pub(crate) use rules::Rules;

use exact::{Entry, Exact};
use fencepost_lsl::value::{IntTy, Value};
use loose::Loose;

/// A store buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    Exact(Exact),
    Loose(Rules, Loose),
}

/// A store that may reach memory next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flush {
    /// The entry of an exact buffer with this position.
    Entry(usize),
    Loose(loose::Flush),
}

/// Calls `see` with the positions of those of a buffer's words that hold values, and their undefined bits.
pub(crate) fn values(rules: Option<Rules>, words: &[u64], see: impl FnMut(usize, u64)) {
    match rules {
        Some(_) => order::values(words, see),
        None => exact::values(words, see),
    }
}

impl Buffer {
    /// From words.
    #[inline]
    pub(crate) fn decode(rules: Option<Rules>, words: &[u64]) -> Buffer {
        match rules {
            Some(rules) => Buffer::Loose(rules, Loose::decode(words)),
            None => Buffer::Exact(Exact::decode(words)),
        }
    }

    /// As words; none if empty.
    pub(crate) fn encode(&self, words: &mut Vec<u64>) {
        match self {
            Buffer::Exact(exact) => exact.encode(words),
            Buffer::Loose(_, loose) => loose.encode(words),
        }
    }

    pub(crate) fn is_loose(&self) -> bool {
        matches!(self, Buffer::Loose(..))
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Buffer::Exact(exact) => exact.entries.is_empty(),
            Buffer::Loose(_, loose) => loose.is_empty(),
        }
    }

    /// The entries of an exact buffer, oldest first; a loose one has none.
    #[inline]
    pub(crate) fn entries(&self) -> &[Entry] {
        match self {
            Buffer::Exact(exact) => &exact.entries,
            Buffer::Loose(..) => &[],
        }
    }

    /// Whether loads wait for a store.
    #[inline]
    pub(crate) fn due(&self) -> bool {
        match self {
            Buffer::Exact(exact) => exact.due > 0,
            Buffer::Loose(rules, loose) => loose.due(*rules),
        }
    }

    /// Whether a store that goes to memory at once would overtake what a fence keeps in front of it.
    pub(crate) fn barred(&self) -> bool {
        match self {
            Buffer::Exact(exact) => exact.barred(),
            Buffer::Loose(rules, loose) => loose.barred(*rules),
        }
    }

    /// Whether some store to some of these bytes is there, or one that ends the life of their object.
    pub(crate) fn covers(&self, addr: u64, bytes: u64) -> bool {
        match self {
            Buffer::Exact(exact) => exact.covers(addr, bytes),
            Buffer::Loose(_, loose) => loose.covers(addr, bytes),
        }
    }

    /// Whether the thread itself has freed the object at an address. Loose buffers hold no such thing.
    #[inline]
    pub(crate) fn frees(&self, addr: u64) -> bool {
        matches!(self, Buffer::Exact(exact) if exact.frees(addr))
    }

    /// Keeps stores behind this point behind those before it.
    pub(crate) fn order_stores(&mut self) {
        match self {
            Buffer::Exact(exact) => exact.order_stores(),
            Buffer::Loose(_, loose) => loose.order_stores(),
        }
    }

    /// Lets loads behind this point wait for the stores before it.
    pub(crate) fn order_loads(&mut self) {
        match self {
            Buffer::Exact(exact) => exact.order_loads(),
            Buffer::Loose(_, loose) => loose.order_loads(),
        }
    }

    /// The thread's own view of some bytes, given what memory holds; of a loose buffer, one of them.
    pub(crate) fn view(&self, addr: u64, ty: IntTy, memory: Value) -> Value {
        match self {
            Buffer::Exact(exact) => exact.forward(addr, ty, memory),
            Buffer::Loose(rules, loose) => {
                let seen = loose.load(*rules, addr, ty, memory);
                seen.and_then(|seen| seen.first().copied()).unwrap_or(memory)
            }
        }
    }

    /// Whether a thread that is left alone can have it drained: what is last is known.
    pub(crate) fn drainable(&self) -> bool {
        match self {
            Buffer::Exact(_) => true,
            Buffer::Loose(rules, loose) => loose.is_empty() || rules.abstraction != Abstraction::Set,
        }
    }

    /// What may reach memory next.
    pub(crate) fn flushes(&self, one_queue: bool) -> impl Iterator<Item = Flush> {
        let (exact, loose) = match self {
            Buffer::Exact(exact) => (Some(exact), Vec::new()),
            Buffer::Loose(rules, loose) => (None, loose.flushes(*rules)),
        };
        let ready = move |exact: &Exact, index: &usize| exact.ready(*index, one_queue);
        let entries = exact.map(|exact| (0..exact.entries.len()).filter(move |index| ready(exact, index)));
        entries.into_iter().flatten().map(Flush::Entry).chain(loose.into_iter().map(Flush::Loose))
    }

    /// The address that such a store writes to.
    pub(crate) fn target(&self, flush: &Flush) -> Option<u64> {
        match flush {
            Flush::Entry(index) => self.entries().get(*index).map(|entry| entry.addr),
            Flush::Loose(flush) => Some(flush.item.addr),
        }
    }
}
