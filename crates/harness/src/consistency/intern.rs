//! Numbers for things: equal things get equal numbers.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Things numbered in the order in which they were first seen.
pub(crate) struct Interner<T: ?Sized> {
    numbers: FxHashMap<Arc<T>, u32>,
    items: Vec<Arc<T>>,
}

impl<T: ?Sized> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), items: Vec::new() }
    }
}

impl<T: ?Sized + Hash + Eq> Interner<T> {
    /// The number of a thing; a new one calls `own` to keep it.
    pub(crate) fn intern_with(&mut self, item: &T, own: impl FnOnce(&T) -> Arc<T>) -> u32 {
        if let Some(&number) = self.numbers.get(item) {
            return number;
        }
        let number = self.items.len() as u32;
        let item = own(item);
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }

    /// The thing of a number.
    pub(crate) fn get(&self, number: u32) -> &Arc<T> {
        &self.items[number as usize]
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a thing.
    pub(crate) fn intern(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let number = self.items.len() as u32;
        let item = Arc::new(item);
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }
}
