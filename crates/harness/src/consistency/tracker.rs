//! The part that all monitors share: states as numbers, and each step computed once.

use super::Waiting;
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
pub(crate) trait Rule {
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

    /// Whether this thread may be stuck in its pending call, if those of all other pending calls had not called.
    fn justifies<O: Oracle>(oracle: &mut Automaton<O>, state: &Self::State, thread: usize) -> bool;

    /// The pending calls.
    fn pending(state: &Self::State) -> Vec<CallId>;

    /// The oracle states in which the completed calls may end, if no pending one has taken effect.
    fn rests<O: Oracle>(oracle: &mut Automaton<O>, state: &Self::State) -> Vec<StateId>;
}

/// A monitor made of an oracle and a rule.
pub(crate) struct Tracker<O: Oracle, R: Rule> {
    waiting: Waiting,
    oracle: Automaton<O>,
    states: Interner<R::State>,
    invoked: FxHashMap<(MonitorState, usize, CallId), Option<MonitorState>>,
    responded: FxHashMap<(MonitorState, usize, ResultsId), Option<MonitorState>>,
    accepted: FxHashMap<MonitorState, bool>,
    justified: FxHashMap<(MonitorState, usize), bool>,
    /// Whether all pending calls may wait together.
    resting: FxHashMap<MonitorState, bool>,
}

impl<O: Oracle, R: Rule> Tracker<O, R> {
    /// A monitor by this oracle.
    pub(crate) fn new(oracle: O, waiting: Waiting) -> Tracker<O, R> {
        Tracker {
            waiting,
            oracle: Automaton::new(oracle),
            states: Interner::default(),
            invoked: FxHashMap::default(),
            responded: FxHashMap::default(),
            accepted: FxHashMap::default(),
            justified: FxHashMap::default(),
            resting: FxHashMap::default(),
        }
    }

    fn number(&mut self, state: Option<R::State>) -> Option<MonitorState> {
        state.map(|state| MonitorState(self.states.intern(state)))
    }
}

/// Whether all these calls may wait in a state: the oracle blocks at each, and no sequence of them leads to where all
/// of those may have returned, unless they may wait even so.
fn rests<O: Oracle>(oracle: &mut Automaton<O>, state: StateId, pending: &[CallId]) -> bool {
    pending.iter().all(|&call| oracle.blocks(state, call))
        && !(oracle.serves() && some_return(oracle, state, pending))
}

/// Whether the oracle accepts that some of these calls return, one after the other.
fn some_return<O: Oracle>(oracle: &mut Automaton<O>, state: StateId, pending: &[CallId]) -> bool {
    (0..pending.len()).any(|place| {
        let mut others = pending.to_vec();
        let call = others.remove(place);
        let outcomes = oracle.outcomes(state, call);
        outcomes.iter().any(|&(_, next)| oracle.accepts(next) || some_return(oracle, next, &others))
    })
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

    fn waits_initially(&mut self, initial: &[FixedCall]) -> bool {
        let mut states = vec![self.oracle.initial()];
        for call in initial {
            let call = self.oracle.call(call);
            if states.iter().any(|&state| self.oracle.blocks(state, call)) {
                return true;
            }
            let outcomes: Vec<_> = states.iter().map(|&state| self.oracle.outcomes(state, call)).collect();
            states = outcomes.iter().flat_map(|outcomes| outcomes.iter().map(|outcome| outcome.1)).collect();
            states.sort();
            states.dedup();
        }
        false
    }

    fn accepts_stuck(&mut self, state: MonitorState, stuck: &[usize]) -> bool {
        if stuck.is_empty() {
            return self.accepts(state);
        }
        let each = stuck.iter().all(|&thread| {
            let (oracle, states) = (&mut self.oracle, &self.states);
            let justify = || R::justifies(oracle, states.get(state.0), thread);
            *self.justified.entry((state, thread)).or_insert_with(justify)
        });
        if !each || self.waiting == Waiting::Each {
            return each;
        }
        let (oracle, states) = (&mut self.oracle, &self.states);
        let rest = || {
            let pending = R::pending(states.get(state.0));
            R::rests(oracle, states.get(state.0)).into_iter().any(|end| rests(oracle, end, &pending))
        };
        *self.resting.entry(state).or_insert_with(rest)
    }
}
