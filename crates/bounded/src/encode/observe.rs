//! What the test observes, and how observations are told apart.

use super::Encoding;
use crate::circuit::{Circuit, Lit};
use crate::word::Word;
use fencepost_harness::observation::{NewObjects, Observation, Seen};
use fencepost_lsl::program::Place;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The slots of an observation.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'a> {
    /// Their words.
    pub words: &'a [Rc<Word>],
    /// Which of them are pointers.
    pub pointers: &'a [bool],
}

impl Encoding<'_> {
    /// The words of the observation, slot by slot.
    pub(crate) fn observation(&mut self) -> Vec<Rc<Word>> {
        let mut calls: Vec<(usize, Vec<crate::ssa::ValId>)> = Vec::new();
        for call in self.unrolled.threads.iter().flat_map(|thread| &thread.calls) {
            if let Some((_, number)) = call.op {
                calls.push((number, call.args.iter().chain(&call.results).copied().collect()));
            }
        }
        calls.sort_by_key(|(number, _)| *number);
        let values: Vec<crate::ssa::ValId> = calls.into_iter().flat_map(|(_, values)| values).collect();
        values.into_iter().map(|value| self.word(value)).collect()
    }

    /// The objects that executions make.
    pub(crate) fn new_objects(&self) -> NewObjects {
        let made = self.unrolled.objects.iter().filter(|object| object.place != Place::Global);
        made.map(|object| (object.base, object.size)).collect()
    }

    /// Forbids what serial observations stand for, wherever `when` holds: executions whose values are the same
    /// wherever those of the observation are defined, and whose pointers to new objects are the same up to a
    /// renaming of these ([`fencepost_harness::observation::matches`]).
    pub(crate) fn exclude(&mut self, slots: Slots, observations: &[&Observation], when: Lit) {
        self.exclude_all(slots, observations, when, false);
    }

    /// Forbids just this observation, undefined values included.
    pub(crate) fn exclude_exactly(&mut self, slots: Slots, observation: &Observation, when: Lit) {
        self.exclude_all(slots, &[observation], when, true);
    }

    fn exclude_all(&mut self, slots: Slots, observations: &[&Observation], when: Lit, exactly: bool) {
        let Slots { words, pointers } = slots;
        let objects = self.new_objects();
        // Thousands of observations share few values.
        let mut known: FxHashMap<(usize, Seen), Lit> = FxHashMap::default();
        let mut same: FxHashMap<[(usize, u64); 2], Lit> = FxHashMap::default();
        for observation in observations {
            let mut clause = vec![!when];
            for (slot, (word, &seen)) in words.iter().zip(*observation).enumerate() {
                // The number of an object is between slots; here it matters that there is one.
                let key = match seen {
                    Seen::New { offset, .. } => Seen::New { object: 0, offset },
                    word => word,
                };
                let circuit = &mut self.circuit;
                let is = known.entry((slot, key)).or_insert_with(|| match key {
                    Seen::Word(value) if exactly => word.is(circuit, value),
                    Seen::Word(value) => keeps(circuit, word, value, pointers[slot], &objects),
                    Seen::New { offset, .. } => points_into(circuit, word, offset, &objects),
                });
                clause.push(!*is);
            }
            let new: Vec<(usize, u32, u64)> = (observation.iter().enumerate())
                .filter_map(|(slot, seen)| match *seen {
                    Seen::New { object, offset } => Some((slot, object, offset)),
                    Seen::Word(_) => None,
                })
                .collect();
            for (i, &(first, object, at)) in new.iter().enumerate() {
                for &(second, other, place) in &new[i + 1..] {
                    let (a, b) = ((first, at), (second, place));
                    let circuit = &mut self.circuit;
                    let same = same.entry([a, b]).or_insert_with(|| {
                        let words = (&*words[first], &*words[second]);
                        same_object(circuit, words, (at, place), &objects)
                    });
                    clause.push(if object == other { !*same } else { *same });
                }
            }
            self.circuit.clause(&clause);
        }
    }

    /// The value of a word in the solution just found.
    pub(crate) fn read(&mut self, word: &Word) -> Value {
        let mut of = |lits: &[Lit; 64]| {
            lits.iter().rev().fold(0, |bits, &lit| bits << 1 | self.circuit.solver.value(lit) as u64)
        };
        Value::partial(of(&word.bits), of(&word.undef))
    }
}

/// Whether a word is as a serial observation promises. A pointer into a new object is so only where nothing at all
/// is promised: what is promised is no such pointer, even if the bits are the same.
fn keeps(circuit: &mut Circuit, word: &Word, promised: Value, pointer: bool, objects: &NewObjects) -> Lit {
    let keeps = word.keeps(circuit, promised);
    match promised.defined() {
        _ if !pointer || promised.undef() == u64::MAX => keeps,
        Some(addr) if objects.find(addr).is_some() => Lit::FALSE,
        Some(_) => keeps,
        None => {
            let like = |addr: &u64| (addr ^ promised.bits()) & !promised.undef() == 0;
            let into: Vec<Lit> =
                objects.addresses().filter(like).map(|addr| word.is(circuit, Value::new(addr))).collect();
            let into = circuit.or_all(&into);
            circuit.and(keeps, !into)
        }
    }
}

/// Whether a word is a pointer into a new object, at an offset.
fn points_into(circuit: &mut Circuit, word: &Word, offset: u64, objects: &NewObjects) -> Lit {
    let places: Vec<Lit> =
        objects.at_offset(offset).map(|(_, addr)| word.is(circuit, Value::new(addr))).collect();
    circuit.or_all(&places)
}

/// Whether two words, each at its offset in some new object, point into the same one.
fn same_object(
    circuit: &mut Circuit,
    words: (&Word, &Word),
    offsets: (u64, u64),
    objects: &NewObjects,
) -> Lit {
    let seconds: FxHashMap<u64, u64> = objects.at_offset(offsets.1).collect();
    let mut both = Vec::new();
    for (object, addr) in objects.at_offset(offsets.0) {
        if let Some(&second) = seconds.get(&object) {
            let first = words.0.is(circuit, Value::new(addr));
            let second = words.1.is(circuit, Value::new(second));
            both.push(circuit.and(first, second));
        }
    }
    circuit.or_all(&both)
}
