//! Linearizability on the fly: the set of all configurations that the history so far allows.
//!
//! A call takes effect at one moment between its beginning and its return. A configuration says in which
//! state the oracle is and which pending calls have taken effect, with which results. A beginning adds what
//! the pending calls may do from now on; a return keeps the configurations in which that call has taken
//! effect with those results. The history is linearizable as long as one is left.
//!
//! A stuck call has not taken effect: what it leaves behind for others would be the effect of a call that
//! the definition removes. So a stuck thread is justified by a configuration in which no pending call has
//! taken effect and the oracle blocks at its call.

use super::automaton::{Automaton, CallId, ResultsId, StateId};
use super::tracker::Rule;
use crate::oracle::Oracle;
use rustc_hash::FxHashSet;

/// The rule of linearizability.
pub(crate) struct Linear;

/// All that a history may have done so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Configurations {
    /// The pending calls, by thread.
    pending: Vec<(usize, CallId)>,
    /// Sorted, and closed under pending calls taking effect; not empty.
    all: Vec<Configuration>,
}

/// What may have happened so far.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Configuration {
    state: StateId,
    /// For each pending call, its results if it has taken effect.
    taken: Vec<Option<ResultsId>>,
}

impl Configurations {
    fn place(&self, thread: usize) -> Option<usize> {
        self.pending.iter().position(|pending| pending.0 == thread)
    }
}

/// Adds what pending calls may do, and sorts.
fn close<O: Oracle>(
    oracle: &mut Automaton<O>,
    pending: Vec<(usize, CallId)>,
    mut all: Vec<Configuration>,
) -> Configurations {
    let mut seen: FxHashSet<Configuration> = all.iter().cloned().collect();
    let mut next = 0;
    while next < all.len() {
        for (place, &(_, call)) in pending.iter().enumerate() {
            if all[next].taken[place].is_some() {
                continue;
            }
            for &(results, state) in oracle.outcomes(all[next].state, call).iter() {
                let mut taken = all[next].taken.clone();
                taken[place] = Some(results);
                let configuration = Configuration { state, taken };
                if seen.insert(configuration.clone()) {
                    all.push(configuration);
                }
            }
        }
        next += 1;
    }
    all.sort();
    Configurations { pending, all }
}

impl Rule for Linear {
    type State = Configurations;

    fn start(oracle: Vec<StateId>) -> Configurations {
        let all = oracle.into_iter().map(|state| Configuration { state, taken: Vec::new() }).collect();
        Configurations { pending: Vec::new(), all }
    }

    fn invoke<O: Oracle>(
        oracle: &mut Automaton<O>,
        state: &Configurations,
        thread: usize,
        call: CallId,
    ) -> Option<Configurations> {
        let place = state.pending.partition_point(|pending| pending.0 < thread);
        let mut pending = state.pending.clone();
        pending.insert(place, (thread, call));
        let mut all = state.all.clone();
        for configuration in &mut all {
            configuration.taken.insert(place, None);
        }
        Some(close(oracle, pending, all))
    }

    fn respond<O: Oracle>(
        oracle: &mut Automaton<O>,
        state: &Configurations,
        thread: usize,
        results: ResultsId,
    ) -> Option<Configurations> {
        let place = state.place(thread)?;
        let mut pending = state.pending.clone();
        pending.remove(place);
        let mut all = Vec::new();
        for configuration in &state.all {
            if configuration.taken[place].is_some_and(|promised| oracle.agrees(promised, results)) {
                let mut taken = configuration.taken.clone();
                taken.remove(place);
                all.push(Configuration { state: configuration.state, taken });
            }
        }
        // What was closed stays closed: other pending calls could take effect before or after this one.
        all.sort();
        all.dedup();
        (!all.is_empty()).then_some(Configurations { pending, all })
    }

    fn accepts<O: Oracle>(oracle: &mut Automaton<O>, state: &Configurations) -> bool {
        state.pending.is_empty() && state.all.iter().any(|c| oracle.accepts(c.state))
    }

    fn justifies<O: Oracle>(oracle: &mut Automaton<O>, state: &Configurations, thread: usize) -> bool {
        state.place(thread).is_some_and(|place| {
            let call = state.pending[place].1;
            let untouched = |c: &&Configuration| c.taken.iter().all(Option::is_none);
            state.all.iter().filter(untouched).any(|c| oracle.blocks(c.state, call))
        })
    }

    fn pending(state: &Configurations) -> Vec<CallId> {
        state.pending.iter().map(|pending| pending.1).collect()
    }

    fn rests<O: Oracle>(_: &mut Automaton<O>, state: &Configurations) -> Vec<StateId> {
        let untouched = |c: &&Configuration| c.taken.iter().all(Option::is_none);
        state.all.iter().filter(untouched).map(|c| c.state).collect()
    }
}
