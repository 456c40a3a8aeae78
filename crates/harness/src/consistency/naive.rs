//! The reference: every permutation, judged by the definitions of COLLECT's Section 2.2 as they stand.
//!
//! Written to be obviously right, and used by tests only: it takes time factorial in the number of calls.

use super::Property;
use super::history::{End, History, HistoryCall};
use crate::oracle::{Oracle, agrees};

/// Whether a history is right.
///
/// An open history is right if some of its pending calls, taken to have returned something at the end, make
/// it right together with its completed ones.
pub fn accepts<O: Oracle>(property: Property, oracle: &O, history: &History) -> bool {
    let operations = history.calls();
    let (pending, completed): (Vec<_>, Vec<_>) =
        operations.iter().cloned().partition(|operation| operation.responded.is_none());
    let together = |some: &[HistoryCall]| {
        let mut all: Vec<HistoryCall> = completed.iter().chain(some).cloned().collect();
        all.sort_by_key(|operation| operation.invoked);
        all
    };
    match history.end {
        End::Complete => explained(property, oracle, history, &completed),
        End::Stuck => pending
            .iter()
            .all(|stuck| explained(property, oracle, history, &together(std::slice::from_ref(stuck)))),
        End::Open => (0..1 << pending.len()).any(|mask: u32| {
            let some: Vec<HistoryCall> =
                (0..pending.len()).filter(|i| mask >> i & 1 == 1).map(|i| pending[i].clone()).collect();
            explained(property, oracle, history, &together(&some))
        }),
    }
}

/// Whether some permutation that preserves the property's order is accepted.
fn explained<O: Oracle>(
    property: Property,
    oracle: &O,
    history: &History,
    operations: &[HistoryCall],
) -> bool {
    let mut order: Vec<usize> = (0..operations.len()).collect();
    permutations(&mut order, 0, &mut |order| {
        preserves(property, operations, order) && sequential(oracle, history, operations, order)
    })
}

/// Whether `test` holds for some permutation of `order[from..]`.
fn permutations(order: &mut Vec<usize>, from: usize, test: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if from == order.len() {
        return test(order);
    }
    for i in from..order.len() {
        order.swap(from, i);
        if permutations(order, from + 1, test) {
            return true;
        }
        order.swap(from, i);
    }
    false
}

/// Whether a permutation preserves program order, linearization or quiescence.
fn preserves(property: Property, operations: &[HistoryCall], order: &[usize]) -> bool {
    let count = operations.len();
    // π(i): where the i-th operation goes.
    let mut pi = vec![0; count];
    for (to, &from) in order.iter().enumerate() {
        pi[from] = to;
    }
    let pairs = || (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    match property {
        Property::Sequential => {
            pairs().all(|(i, j)| operations[i].thread != operations[j].thread || pi[i] < pi[j])
        }
        Property::Linear => pairs().all(|(i, j)| !operations[i].before(&operations[j]) || pi[i] < pi[j]),
        Property::Quiescent => (0..count).all(|k| {
            let quiescent = (0..k).all(|i| (k..count).all(|j| operations[i].before(&operations[j])));
            !quiescent || (0..k).all(|i| (k..count).all(|j| pi[i] < pi[j]))
        }),
    }
}

/// Whether the oracle accepts the operations in this order, after the initial calls.
fn sequential<O: Oracle>(oracle: &O, history: &History, operations: &[HistoryCall], order: &[usize]) -> bool {
    let mut states = vec![oracle.initial()];
    for (call, results) in &history.initial {
        states = states
            .iter()
            .flat_map(|state| oracle.outcomes(state, call))
            .filter(|outcome| agrees(&outcome.results, results))
            .map(|outcome| outcome.next)
            .collect();
    }
    for (at, &i) in order.iter().enumerate() {
        let operation = &operations[i];
        if history.end == End::Stuck && operation.responded.is_none() {
            // A sequential trace ends where it is stuck.
            return at + 1 == order.len() && states.iter().any(|state| oracle.blocks(state, &operation.call));
        }
        states = states
            .iter()
            .flat_map(|state| oracle.outcomes(state, &operation.call))
            .filter(|outcome| operation.results().is_none_or(|results| agrees(&outcome.results, results)))
            .map(|outcome| outcome.next)
            .collect();
    }
    match history.end {
        End::Open => !states.is_empty(),
        _ => states.iter().any(|state| oracle.accepts(state)),
    }
}
