//! What the test observes, and how observations are told apart.

use super::Encoding;
use crate::circuit::Lit;
use crate::word::Word;
use fencepost_harness::observation::Observation;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Encoding<'_> {
    /// The words of the observation, slot by slot.
    pub fn observation(&mut self) -> Vec<Rc<Word>> {
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

    /// Forbids observations wherever `when` holds. Undefined values in them stand for any.
    pub fn exclude(&mut self, words: &[Rc<Word>], observations: &[&Observation], when: Lit) {
        // Thousands of observations share few values.
        let mut known: FxHashMap<(usize, Value), Lit> = FxHashMap::default();
        for observation in observations {
            let mut clause = vec![!when];
            for (slot, (word, &value)) in words.iter().zip(*observation).enumerate() {
                if value.undef() == 0 {
                    let is = known.entry((slot, value)).or_insert_with(|| word.is(&mut self.circuit, value));
                    clause.push(!*is);
                }
            }
            self.circuit.clause(&clause);
        }
    }

    /// Forbids just this observation, undefined values included.
    pub fn exclude_exactly(&mut self, words: &[Rc<Word>], observation: &Observation, when: Lit) {
        let mut clause = vec![!when];
        for (word, &value) in words.iter().zip(observation) {
            clause.push(!word.is(&mut self.circuit, value));
        }
        self.circuit.clause(&clause);
    }

    /// The value of a word in the solution just found.
    pub fn read(&mut self, word: &Word) -> Value {
        let mut of = |lits: &[Lit; 64]| {
            lits.iter().rev().fold(0, |bits, &lit| bits << 1 | self.circuit.solver.value(lit) as u64)
        };
        Value::partial(of(&word.bits), of(&word.undef))
    }
}
