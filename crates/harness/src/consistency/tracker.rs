//! The part that all monitors share: states as numbers, and each step computed once.

use super::automaton::{Automaton, CallId, ResultsId, StateId};
use super::intern::Interner;
use crate::client::FixedCall;
use crate::monitor::{Monitor, MonitorState};
use crate::oracle::Oracle;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What a property has to remember of a history.
///
/// `None` means that no continuation can make the history right. States are canonical: equal whenever the
/// rule can see that all continuations are judged alike.
pub trait Rule {
    /// What is remembered.
    type State: Hash + Eq;

    /// Before any call of a thread; the oracle may be in any of these states.
    fn start(oracle: Vec<StateId>) -> Self::State;

    /// A thread calls.
    fn invoke<O: Oracle>(
        oracle: &mut Automaton<O>,
        state: &Self::State,
        thread: usize,
        call: CallId,
    ) -> Option<Self::State>;

    /// A thread's pending call returns.
    fn respond<O: Oracle>(
        oracle: &mut Automaton<O>,
        state: &Self::State,
        thread: usize,
        results: ResultsId,
    ) -> Option<Self::State>;

    /// Whether the history may end here, complete.
    fn accepts<O: Oracle>(oracle: &mut Automaton<O>, state: &Self::State) -> bool;

    /// Whether this thread may be stuck in its pending call, as may those of all other pending calls.
    fn justifies<O: Oracle>(oracle: &mut Automaton<O>, state: &Self::State, thread: usize) -> bool;
}

/// A monitor made of an oracle and a rule.
pub struct Tracker<O: Oracle, R: Rule> {
    oracle: Automaton<O>,
    states: Interner<R::State>,
    invoked: FxHashMap<(MonitorState, usize, CallId), Option<MonitorState>>,
    responded: FxHashMap<(MonitorState, usize, ResultsId), Option<MonitorState>>,
    accepted: FxHashMap<MonitorState, bool>,
    justified: FxHashMap<(MonitorState, usize), bool>,
}

impl<O: Oracle, R: Rule> Tracker<O, R> {
    /// A monitor by this oracle.
    pub fn new(oracle: O) -> Tracker<O, R> {
        Tracker {
            oracle: Automaton::new(oracle),
            states: Interner::default(),
            invoked: FxHashMap::default(),
            responded: FxHashMap::default(),
            accepted: FxHashMap::default(),
            justified: FxHashMap::default(),
        }
    }

    fn number(&mut self, state: Option<R::State>) -> Option<MonitorState> {
        state.map(|state| MonitorState(self.states.intern(state)))
    }
}

impl<O: Oracle, R: Rule> Monitor for Tracker<O, R> {
    fn start(&mut self, initial: &[(FixedCall, Vec<Value>)]) -> Option<MonitorState> {
        let mut states = vec![self.oracle.initial()];
        for (call, results) in initial {
            let (call, results) = (self.oracle.call(call), self.oracle.results(results));
            states = states.iter().flat_map(|&state| self.oracle.after(state, call, results)).collect();
            states.sort();
            states.dedup();
        }
        let start = (!states.is_empty()).then(|| R::start(states));
        self.number(start)
    }

    fn invoke(&mut self, state: MonitorState, thread: usize, call: &FixedCall) -> Option<MonitorState> {
        let call = self.oracle.call(call);
        if let Some(&known) = self.invoked.get(&(state, thread, call)) {
            return known;
        }
        let next = R::invoke(&mut self.oracle, self.states.get(state.0), thread, call);
        let next = self.number(next);
        self.invoked.insert((state, thread, call), next);
        next
    }

    fn respond(&mut self, state: MonitorState, thread: usize, results: &[Value]) -> Option<MonitorState> {
        let results = self.oracle.results(results);
        if let Some(&known) = self.responded.get(&(state, thread, results)) {
            return known;
        }
        let next = R::respond(&mut self.oracle, self.states.get(state.0), thread, results);
        let next = self.number(next);
        self.responded.insert((state, thread, results), next);
        next
    }

    fn accepts(&mut self, state: MonitorState) -> bool {
        let (oracle, states) = (&mut self.oracle, &self.states);
        *self.accepted.entry(state).or_insert_with(|| R::accepts(oracle, states.get(state.0)))
    }

    fn accepts_stuck(&mut self, state: MonitorState, stuck: &[usize]) -> bool {
        if stuck.is_empty() {
            return self.accepts(state);
        }
        stuck.iter().all(|&thread| {
            let (oracle, states) = (&mut self.oracle, &self.states);
            let justify = || R::justifies(oracle, states.get(state.0), thread);
            *self.justified.entry((state, thread)).or_insert_with(justify)
        })
    }
}
