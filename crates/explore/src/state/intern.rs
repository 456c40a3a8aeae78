//! Exact interning of word sequences: equal sequences get equal numbers, and no others do.
//!
//! Open addressing with linear probing over 8-byte entries of which one half is the number and the other a
//! part of the hash. That part also places the entry, so that growing looks at no sequence again. A hit is
//! always confirmed word by word: a number stands for its sequence, not for a fingerprint.

use crate::code::small;

/// Words or sequences after which a set counts as nearly full: 2³² less what is added until somebody asks.
pub(crate) const MOST_POSITIONS: usize = u32::MAX as usize - (1 << 26);

/// A word of a sequence.
pub(crate) trait Word: Copy + Eq {
    /// As a number, for hashing.
    fn number(self) -> u64;
}

impl Word for u32 {
    fn number(self) -> u64 {
        self as u64
    }
}

impl Word for u64 {
    fn number(self) -> u64 {
        self
    }
}

/// A set of sequences, numbered in the order of their arrival.
pub(crate) struct Interner<W> {
    /// All sequences, one behind the other.
    words: Vec<W>,
    /// Where each sequence ends.
    ends: Vec<u32>,
    /// Hash in the upper half, number plus one in the lower; zero if free.
    table: Vec<u64>,
}

impl<W> Default for Interner<W> {
    fn default() -> Interner<W> {
        Interner { words: Vec::new(), ends: Vec::new(), table: vec![0; 1 << 10] }
    }
}

impl<W: Word> Interner<W> {
    /// How many sequences there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.words.capacity() * std::mem::size_of::<W>();
        (words + self.ends.capacity() * 4 + self.table.capacity() * 8) as u64
    }

    /// Whether positions are about to need more than 32 bits.
    pub(crate) fn nearly_full(&self) -> bool {
        self.words.len() > MOST_POSITIONS || self.ends.len() > MOST_POSITIONS
    }

    /// The sequence with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[W] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.words[start as usize..self.ends[number as usize] as usize]
    }

    /// The number of a sequence, and whether it is new.
    #[inline]
    pub(crate) fn intern(&mut self, sequence: &[W]) -> (u32, bool) {
        let hash = hash(sequence);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == hash {
                let number = entry as u32 - 1;
                if self.get(number) == sequence {
                    return (number, false);
                }
            }
            at = (at + 1) & mask;
        }
        let new = small(self.ends.len());
        self.words.extend_from_slice(sequence);
        self.ends.push(small(self.words.len()));
        self.table[at] = u64::from(hash) << 32 | (u64::from(new) + 1);
        if self.ends.len() * 3 > self.table.len() * 2 {
            self.grow();
        }
        (new, true)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        let mask = size - 1;
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut at = (entry >> 32) as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = entry;
        }
    }
}

#[inline]
fn hash<W: Word>(sequence: &[W]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = sequence.len() as u64;
    for word in sequence {
        hash = (hash ^ word.number()).wrapping_mul(K);
        hash ^= hash >> 29;
    }
    (hash.wrapping_mul(K) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_sequences() {
        let mut interner: Interner<u32> = Interner::default();
        let sequence =
            |n: u32| -> Vec<u32> { (0..n % 7).map(|i| n.wrapping_mul(i * i + 1) % 5000).collect() };
        let mut known: std::collections::HashMap<Vec<u32>, u32> = Default::default();
        for n in 0..20_000 {
            let words = sequence(n);
            let (number, new) = interner.intern(&words);
            assert_eq!(new, !known.contains_key(&words));
            assert_eq!(*known.entry(words.clone()).or_insert(number), number);
            assert_eq!(interner.get(number), words);
        }
        assert_eq!(interner.len(), known.len());
        assert!(known.len() > 1000);
    }
}
