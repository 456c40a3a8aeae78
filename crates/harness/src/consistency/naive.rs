//! The reference: every permutation, judged by the definitions of COLLECT's Section 2.2 as they stand.
//!
//! Written to be obviously right, and used by tests only: it takes time factorial in the number of calls.

use super::history::{End, History, HistoryCall};
use super::{Property, Waiting};
use crate::oracle::{Oracle, agrees};

/// Whether a history is right.
///
/// An open history is right if some of its pending calls, taken to have returned something at the end, make
/// it right together with its completed ones.
pub fn accepts<O: Oracle>(property: Property, waiting: Waiting, oracle: &O, history: &History) -> bool {
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
        End::Stuck => {
            let each = pending
                .iter()
                .all(|stuck| explained(property, oracle, history, &together(std::slice::from_ref(stuck))));
            each && (waiting == Waiting::Each || all_wait(property, oracle, history, &together(&pending)))
        }
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

/// Whether some permutation with all pending operations last preserves the property's order, and leads the oracle, by
/// the completed ones, to a state in which it blocks at each pending one and from which no sequence of pending ones
/// leads to where it accepts, unless it lets calls wait that could return.
fn all_wait<O: Oracle>(
    property: Property,
    oracle: &O,
    history: &History,
    operations: &[HistoryCall],
) -> bool {
    let mut order: Vec<usize> = (0..operations.len()).collect();
    let pending = |i: &usize| operations[*i].responded.is_none();
    permutations(&mut order, 0, &mut |order| {
        let first = order.iter().position(pending).unwrap_or(order.len());
        let (completed, waiting) = order.split_at(first);
        let calls: Vec<_> = waiting.iter().map(|&i| &operations[i].call).collect();
        waiting.iter().all(pending)
            && preserves(property, operations, order)
            && states_after(oracle, history, operations, completed).iter().any(|state| {
                calls.iter().all(|call| oracle.blocks(state, call))
                    && (!oracle.serves()
                        || (1u32..1 << calls.len()).all(|mask| {
                            let mut some: Vec<usize> =
                                (0..calls.len()).filter(|i| mask >> i & 1 == 1).collect();
                            !permutations(&mut some, 0, &mut |some| {
                                let mut states = vec![state.clone()];
                                for &i in some {
                                    let outcomes =
                                        states.iter().flat_map(|state| oracle.outcomes(state, calls[i]));
                                    states = outcomes.map(|outcome| outcome.next).collect();
                                }
                                states.iter().any(|state| oracle.accepts(state))
                            })
                        }))
            })
    })
}

/// The states of the oracle after the initial calls and these operations.
fn states_after<O: Oracle>(
    oracle: &O,
    history: &History,
    operations: &[HistoryCall],
    order: &[usize],
) -> Vec<O::State> {
    let initial = history.initial.iter().map(|(call, results)| (call, Some(&results[..])));
    let calls = initial.chain(order.iter().map(|&i| (&operations[i].call, operations[i].results())));
    calls.fold(vec![oracle.initial()], |states, (call, results)| {
        states
            .iter()
            .flat_map(|state| oracle.outcomes(state, call))
            .filter(|outcome| results.is_none_or(|results| agrees(&outcome.results, results)))
            .map(|outcome| outcome.next)
            .collect()
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
    let stuck = |i: &usize| history.end == End::Stuck && operations[*i].responded.is_none();
    if let Some(at) = order.iter().position(stuck) {
        // A sequential trace ends where it is stuck.
        let states = states_after(oracle, history, operations, &order[..at]);
        let call = &operations[order[at]].call;
        return at + 1 == order.len() && states.iter().any(|state| oracle.blocks(state, call));
    }
    let states = states_after(oracle, history, operations, order);
    match history.end {
        End::Open => !states.is_empty(),
        _ => states.iter().any(|state| oracle.accepts(state)),
    }
}
