//! What memory holds in the end: of each location, what the last store in coherence wrote.
//!
//! Litmus tests ask for it. That a thread waited for all others and looked would be the same on models whose fences say so;
//! to ask coherence itself needs no word of the model, and no events.

use crate::circuit::Lit;
use crate::encode::Encoding;
use crate::unroll::EventKind;
use crate::word::Word;
use fencepost_lsl::value::Value;
use std::rc::Rc;

/// A location that is accessed as a whole word only, and what it holds in the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its address.
    pub addr: u64,
    /// Its content when the threads start.
    pub initial: Value,
}

impl Encoding<'_> {
    /// The word that a location holds at the end of an execution that completes.
    pub(crate) fn final_word(&mut self, location: Location) -> Rc<Word> {
        let writers = self.writers_of(location.addr);
        let mut content = Word::constant(location.initial);
        let mut lasts = Vec::new();
        for &(event, writes) in &writers {
            let overwritten = writers.iter().filter_map(|(other, _)| self.memory.co.get(&(event, *other)));
            let last: Vec<Lit> = overwritten.map(|&lit| !lit).chain([writes]).collect();
            let last = self.circuit.and_all(&last);
            if let EventKind::Store { value, .. } = self.unrolled.events[event].kind {
                let written = self.word(value);
                content = Word::select(&mut self.circuit, last, &written, &content);
            }
            lasts.push(last);
        }
        // Whatever the model says of coherence, where there are stores one is the last.
        for &(_, writes) in &writers {
            let clause: Vec<Lit> = lasts.iter().copied().chain([!writes]).collect();
            self.circuit.clause(&clause);
        }
        Rc::new(content)
    }

    /// The stores that may go to an address, each with when it does.
    fn writers_of(&mut self, addr: u64) -> Vec<(usize, Lit)> {
        let ranges = self.ranges.clone();
        let mut writers = Vec::new();
        for (event, plan) in ranges.plans.iter().enumerate() {
            let there = |cell: &Option<usize>| cell.is_some_and(|cell| ranges.cells[cell].addr == addr);
            let parts = plan.writes.iter().flat_map(|part| part.cells.iter().zip(&self.at[event]));
            let at: Vec<Lit> = parts.filter(|(cell, _)| there(cell)).map(|(_, &at)| at).collect();
            let at = self.circuit.or_all(&at);
            let writes = self.circuit.and(at, self.exec[event]);
            if writes != Lit::FALSE {
                writers.push((event, writes));
            }
        }
        writers
    }
}
