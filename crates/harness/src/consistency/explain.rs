//! Why a history is wrong: the sequential explanations that come nearest, and where each fails.
//!
//! All orders that the property allows are searched call by call, as long as the oracle agrees; places with
//! equal calls made and equal oracle states are searched once. The attempts that explain the most calls are
//! kept, each with what the oracle would have said to every call that could come next.

use super::history::{History, HistoryCall};
use super::order::{Subject, precedence, subjects};
use super::{Property, Waiting};
use crate::client::FixedCall;
use crate::oracle::{Oracle, agrees};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashSet;

/// A sequential explanation that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The stuck threads that it should justify; none if it should explain the whole history.
    pub stuck: Vec<usize>,
    /// The calls that it explains, in its order: indices among [`History::calls`].
    pub order: Vec<usize>,
    /// Why it goes no further: one reason for each call that could come next.
    pub reasons: Vec<Reason>,
}

/// Why an explanation goes no further. Answers are all that the oracle allows at this place; where there
/// are none, the call cannot return here.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// Already an initial call, counted from zero, returned something else.
    Initial {
        /// The call.
        index: usize,
        /// What the oracle would have said.
        answers: Vec<Vec<Value>>,
    },
    /// The call returned something else.
    Disagrees {
        /// Index among [`History::calls`].
        call: usize,
        /// What the oracle would have said.
        answers: Vec<Vec<Value>>,
    },
    /// All else is explained, but the stuck call should not be stuck.
    Returns {
        /// Index among [`History::calls`].
        call: usize,
        /// What the oracle would have said.
        answers: Vec<Vec<Value>>,
    },
    /// All else is explained, and each stuck call may wait alone, but these could return one after the other.
    ReturnTogether {
        /// Indices among [`History::calls`], in the order in which they would.
        calls: Vec<usize>,
    },
    /// All calls are explained, but the oracle does not accept that nothing follows.
    Unfinished,
}

/// The nearest explanations of a wrong history, at most `most`; none if the history is right.
///
/// A stuck history is wrong if one thread is not justified; the attempts are those for the first such, or for all of
/// them together.
pub fn explain<O: Oracle>(
    property: Property,
    waiting: Waiting,
    oracle: &O,
    history: &History,
    most: usize,
) -> Vec<Attempt> {
    let mut starts = vec![oracle.initial()];
    for (index, (call, results)) in history.initial.iter().enumerate() {
        let next: Vec<O::State> =
            starts.iter().flat_map(|state| after(oracle, state, call, Some(results))).collect();
        if next.is_empty() {
            let mut answers: Vec<_> = starts.iter().flat_map(|state| answers(oracle, state, call)).collect();
            answers.sort();
            answers.dedup();
            let reasons = vec![Reason::Initial { index, answers }];
            return vec![Attempt { stuck: Vec::new(), order: Vec::new(), reasons }];
        }
        starts = next;
    }
    let operations = history.calls();
    let wrong = subjects(waiting, history, &operations).into_iter().find_map(|subject| {
        let search = Search::new(property, oracle, &operations, &subject);
        search.run(&starts)
    });
    let mut attempts = wrong.unwrap_or_default();
    attempts.truncate(most);
    attempts
}

fn after<O: Oracle>(
    oracle: &O,
    state: &O::State,
    call: &FixedCall,
    results: Option<&[Value]>,
) -> Vec<O::State> {
    let outcomes = oracle.outcomes(state, call).into_iter();
    let fitting = outcomes.filter(|outcome| results.is_none_or(|results| agrees(&outcome.results, results)));
    fitting.map(|outcome| outcome.next).collect()
}

fn answers<O: Oracle>(oracle: &O, state: &O::State, call: &FixedCall) -> Vec<Vec<Value>> {
    let mut answers: Vec<_> =
        oracle.outcomes(state, call).into_iter().map(|outcome| outcome.results).collect();
    answers.sort();
    answers.dedup();
    answers
}

struct Search<'a, O: Oracle> {
    oracle: &'a O,
    operations: Vec<&'a HistoryCall>,
    subject: &'a Subject,
    before: Vec<Vec<bool>>,
    /// Completed operations, all of which must be explained.
    completed: usize,
    seen: FxHashSet<(Vec<bool>, O::State)>,
    /// How many completed operations the best attempts explain.
    best: usize,
    attempts: Vec<Attempt>,
}

impl<'a, O: Oracle> Search<'a, O> {
    fn new(property: Property, oracle: &'a O, all: &'a [HistoryCall], subject: &'a Subject) -> Search<'a, O> {
        let operations: Vec<&HistoryCall> = subject.operations.iter().map(|&i| &all[i]).collect();
        let before = precedence(property, &operations);
        let completed = operations.iter().filter(|operation| operation.responded.is_some()).count();
        let (seen, attempts) = (FxHashSet::default(), Vec::new());
        Search { oracle, operations, subject, before, completed, seen, best: 0, attempts }
    }

    /// The nearest attempts; `None` if one succeeds.
    fn run(mut self, starts: &[O::State]) -> Option<Vec<Attempt>> {
        let mut taken = vec![false; self.operations.len()];
        let explained = starts.iter().any(|start| self.visit(&mut taken, &mut Vec::new(), start));
        // Those that assume the least of pending calls first.
        self.attempts.sort_by_key(|attempt| attempt.order.len());
        (!explained).then_some(self.attempts)
    }

    /// Goes on from a place; `order` has the places in `operations` that are taken.
    fn visit(&mut self, taken: &mut Vec<bool>, order: &mut Vec<usize>, state: &O::State) -> bool {
        if !self.seen.insert((taken.clone(), state.clone())) {
            return false;
        }
        let explained = order.iter().filter(|&&place| self.operations[place].responded.is_some()).count();
        let mut reasons = Vec::new();
        if explained == self.completed {
            match self.ends(state) {
                Ok(()) => return true,
                Err(reason) => reasons.push(reason),
            }
        }
        for place in 0..self.operations.len() {
            let ready = |first: usize| taken[first] || !self.before[first][place];
            let operation = self.operations[place];
            let optional = self.subject.open && operation.responded.is_none();
            let may = operation.responded.is_some() || optional;
            if taken[place] || !may || !(0..self.operations.len()).all(ready) {
                continue;
            }
            let next = after(self.oracle, state, &operation.call, operation.results());
            if next.is_empty() && !optional {
                let answers = answers(self.oracle, state, &operation.call);
                reasons.push(Reason::Disagrees { call: self.subject.operations[place], answers });
            }
            taken[place] = true;
            order.push(place);
            if next.iter().any(|next| self.visit(taken, order, next)) {
                return true;
            }
            order.pop();
            taken[place] = false;
        }
        self.keep(explained, order, reasons);
        false
    }

    /// Whether an explanation of all completed operations may end in this state.
    fn ends(&self, state: &O::State) -> Result<(), Reason> {
        if self.subject.stuck.is_empty() {
            let may_end = self.subject.open || self.oracle.accepts(state);
            return if may_end { Ok(()) } else { Err(Reason::Unfinished) };
        }
        let calls: Vec<(usize, &FixedCall)> = (self.subject.operations.iter().zip(&self.operations))
            .filter(|(index, _)| self.subject.stuck.contains(index))
            .map(|(&index, operation)| (index, &operation.call))
            .collect();
        if let Some(&(index, call)) = calls.iter().find(|(_, call)| !self.oracle.blocks(state, call)) {
            return Err(Reason::Returns { call: index, answers: answers(self.oracle, state, call) });
        }
        let mut returned = Vec::new();
        let served = self.subject.together && self.oracle.serves();
        match served && self.some_return(state, &calls, &mut returned) {
            true => Err(Reason::ReturnTogether { calls: returned }),
            false => Ok(()),
        }
    }

    /// Whether the oracle accepts that some of these calls return one after the other; which ones.
    fn some_return(
        &self,
        state: &O::State,
        calls: &[(usize, &FixedCall)],
        returned: &mut Vec<usize>,
    ) -> bool {
        for place in 0..calls.len() {
            let mut others = calls.to_vec();
            let (index, call) = others.remove(place);
            returned.push(index);
            for next in after(self.oracle, state, call, None) {
                if self.oracle.accepts(&next) || self.some_return(&next, &others, returned) {
                    return true;
                }
            }
            returned.pop();
        }
        false
    }

    fn keep(&mut self, explained: usize, order: &[usize], reasons: Vec<Reason>) {
        if explained < self.best || reasons.is_empty() {
            return;
        }
        if explained > self.best {
            self.best = explained;
            self.attempts.clear();
        }
        let order: Vec<usize> = order.iter().map(|&place| self.subject.operations[place]).collect();
        let pending = self.operations.iter().filter(|operation| operation.responded.is_none());
        let stuck = match self.subject.stuck.is_empty() {
            true => Vec::new(),
            false => pending.map(|operation| operation.thread).collect(),
        };
        self.attempts.push(Attempt { stuck, order, reasons });
    }
}
