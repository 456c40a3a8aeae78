//! An oracle as an automaton with numbered states, calls and results, found as they are asked for.
//!
//! Monitors ask the same questions again and again on different paths; here each is put to the oracle once.

use super::intern::Interner;
use crate::client::FixedCall;
use crate::oracle::{Oracle, agrees};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A state of the oracle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct StateId(pub u32);

/// A call with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct CallId(pub u32);

/// The results of a call, as returned or as promised.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ResultsId(pub u32);

/// All ways in which a call may return: what it promises, and the state after it.
pub(crate) type Outcomes = Arc<[(ResultsId, StateId)]>;

/// The numbered oracle.
pub(crate) struct Automaton<O: Oracle> {
    oracle: O,
    states: Interner<O::State>,
    calls: Interner<FixedCall>,
    results: Interner<[Value]>,
    outcomes: FxHashMap<(StateId, CallId), Outcomes>,
    agree: FxHashMap<(ResultsId, ResultsId), bool>,
}

impl<O: Oracle> Automaton<O> {
    /// Numbers an oracle.
    pub(crate) fn new(oracle: O) -> Automaton<O> {
        Automaton {
            oracle,
            states: Interner::default(),
            calls: Interner::default(),
            results: Interner::default(),
            outcomes: FxHashMap::default(),
            agree: FxHashMap::default(),
        }
    }

    /// The state before any call.
    pub(crate) fn initial(&mut self) -> StateId {
        StateId(self.states.intern(self.oracle.initial()))
    }

    /// The number of a call.
    pub(crate) fn call(&mut self, call: &FixedCall) -> CallId {
        CallId(self.calls.intern_with(call, |call| Arc::new(call.clone())))
    }

    /// The number of results.
    pub(crate) fn results(&mut self, results: &[Value]) -> ResultsId {
        ResultsId(self.results.intern_with(results, |results| Arc::from(results)))
    }

    /// All ways in which a call may return.
    pub(crate) fn outcomes(&mut self, state: StateId, call: CallId) -> Outcomes {
        if let Some(known) = self.outcomes.get(&(state, call)) {
            return known.clone();
        }
        let found = self.oracle.outcomes(self.states.get(state.0), self.calls.get(call.0));
        let found: Outcomes = found
            .into_iter()
            .map(|outcome| (self.results(&outcome.results), StateId(self.states.intern(outcome.next))))
            .collect();
        self.outcomes.insert((state, call), found.clone());
        found
    }

    /// The states after a call that returned these results; none if the oracle disagrees.
    pub(crate) fn after(&mut self, state: StateId, call: CallId, results: ResultsId) -> Vec<StateId> {
        let outcomes = self.outcomes(state, call);
        let mut next: Vec<StateId> = Vec::new();
        for &(promised, state) in outcomes.iter() {
            if self.agrees(promised, results) {
                next.push(state);
            }
        }
        next
    }

    /// Whether results are what was promised.
    pub(crate) fn agrees(&mut self, promised: ResultsId, results: ResultsId) -> bool {
        let all = &self.results;
        *self
            .agree
            .entry((promised, results))
            .or_insert_with(|| agrees(all.get(promised.0), all.get(results.0)))
    }

    /// Whether a call may rightly never return.
    pub(crate) fn blocks(&self, state: StateId, call: CallId) -> bool {
        self.oracle.blocks(self.states.get(state.0), self.calls.get(call.0))
    }

    /// Whether calls that could return one after the other may not all wait.
    pub(crate) fn serves(&self) -> bool {
        self.oracle.serves()
    }

    /// Whether a sequential trace may end here with all calls done.
    pub(crate) fn accepts(&self, state: StateId) -> bool {
        self.oracle.accepts(self.states.get(state.0))
    }
}
