//! The partial orders of the properties, and the traces of a history that must each be explained.

use super::history::{End, History, HistoryCall};
use super::{Property, Waiting};

/// One trace to explain: the whole history, or what justifies one stuck thread (the paper's `α` and `α[i]`), or
/// what justifies all of them.
pub(crate) struct Subject {
    /// Indices of its operations among [`History::calls`], in their order.
    pub operations: Vec<usize>,
    /// The pending operations, after all others, at each of which the oracle must block.
    pub stuck: Vec<usize>,
    /// Whether the oracle must also not let some of them return.
    pub together: bool,
    /// Whether pending operations may be left out, or take effect with any results.
    pub open: bool,
}

/// What of a history must be explained: all of it must be for the history to be right.
pub(crate) fn subjects(waiting: Waiting, history: &History, operations: &[HistoryCall]) -> Vec<Subject> {
    let all = 0..operations.len();
    let pending = |&i: &usize| operations[i].responded.is_none();
    match history.end {
        End::Complete | End::Open => {
            vec![Subject {
                operations: all.collect(),
                stuck: Vec::new(),
                together: false,
                open: history.end == End::Open,
            }]
        }
        End::Stuck => {
            let stuck: Vec<usize> = all.clone().filter(pending).collect();
            let justifies = |stuck: &[usize], together: bool| Subject {
                operations: all.clone().filter(|i| stuck.contains(i) || !pending(i)).collect(),
                stuck: stuck.to_vec(),
                together,
                open: false,
            };
            let mut subjects: Vec<Subject> = stuck.iter().map(|i| justifies(&[*i], false)).collect();
            if waiting == Waiting::Together {
                subjects.push(justifies(&stuck, true));
            }
            subjects
        }
    }
}

/// Which operations an explanation must keep before which, by their places in `operations`.
pub(crate) fn precedence(property: Property, operations: &[&HistoryCall]) -> Vec<Vec<bool>> {
    let count = operations.len();
    let cut = |k: &usize| {
        operations[..*k].iter().all(|first| operations[*k..].iter().all(|second| first.before(second)))
    };
    let cuts: Vec<usize> = (1..count).filter(cut).collect();
    let before = |first: usize, second: usize| match property {
        Property::Sequential => first < second && operations[first].thread == operations[second].thread,
        Property::Linear => operations[first].before(operations[second]),
        Property::Quiescent => cuts.iter().any(|&k| first < k && k <= second),
    };
    (0..count).map(|first| (0..count).map(|second| before(first, second)).collect()).collect()
}
