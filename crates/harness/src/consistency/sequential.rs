//! Sequential consistency: what each thread did, in its order, whatever the others did meanwhile.
//!
//! What a call returns may be explained by calls that others make later, so nothing can be rejected before the end.
//! Until then the completed calls of each thread are remembered, with their results; at the end, all ways to
//! interleave them are searched, where equal (how far each thread is, oracle state) are searched once.

use super::automaton::{Automaton, CallId, ResultsId, StateId};
use super::tracker::Rule;
use crate::oracle::Oracle;
use rustc_hash::FxHashSet;

/// The rule of sequential consistency.
pub(crate) struct Sequential;

/// What the threads did.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Columns {
    /// Where the oracle may be before all of it.
    start: Vec<StateId>,
    /// By thread; the last one has called.
    threads: Vec<Column>,
}

/// What one thread did.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Column {
    done: Vec<(CallId, ResultsId)>,
    pending: Option<CallId>,
}

/// The oracle states in which some interleaving of all completed calls may end.
fn finals<O: Oracle>(oracle: &mut Automaton<O>, state: &Columns) -> Vec<StateId> {
    let positions = vec![0u32; state.threads.len()];
    let mut stack: Vec<(Vec<u32>, StateId)> =
        state.start.iter().map(|&start| (positions.clone(), start)).collect();
    let mut seen: FxHashSet<(Vec<u32>, StateId)> = stack.iter().cloned().collect();
    let mut finals = Vec::new();
    while let Some((positions, at)) = stack.pop() {
        let mut ended = true;
        for (thread, column) in state.threads.iter().enumerate() {
            let Some(&(call, results)) = column.done.get(positions[thread] as usize) else { continue };
            ended = false;
            for next in oracle.after(at, call, results) {
                let mut positions = positions.clone();
                positions[thread] += 1;
                if seen.insert((positions.clone(), next)) {
                    stack.push((positions, next));
                }
            }
        }
        if ended {
            finals.push(at);
        }
    }
    finals
}

impl Rule for Sequential {
    type State = Columns;

    fn start(oracle: Vec<StateId>) -> Columns {
        Columns { start: oracle, threads: Vec::new() }
    }

    fn invoke<O: Oracle>(
        _: &mut Automaton<O>,
        state: &Columns,
        thread: usize,
        call: CallId,
    ) -> Option<Columns> {
        let mut state = state.clone();
        if state.threads.len() <= thread {
            state.threads.resize(thread + 1, Column::default());
        }
        state.threads[thread].pending = Some(call);
        Some(state)
    }

    fn respond<O: Oracle>(
        _: &mut Automaton<O>,
        state: &Columns,
        thread: usize,
        results: ResultsId,
    ) -> Option<Columns> {
        let mut state = state.clone();
        let column = state.threads.get_mut(thread)?;
        let call = column.pending.take()?;
        column.done.push((call, results));
        Some(state)
    }

    fn accepts<O: Oracle>(oracle: &mut Automaton<O>, state: &Columns) -> bool {
        let complete = state.threads.iter().all(|column| column.pending.is_none());
        complete && finals(oracle, state).iter().any(|&end| oracle.accepts(end))
    }

    fn justifies<O: Oracle>(oracle: &mut Automaton<O>, state: &Columns, thread: usize) -> bool {
        let pending = state.threads.get(thread).and_then(|column| column.pending);
        pending.is_some_and(|call| finals(oracle, state).iter().any(|&end| oracle.blocks(end, call)))
    }

    fn pending(state: &Columns) -> Vec<CallId> {
        state.threads.iter().filter_map(|column| column.pending).collect()
    }

    fn rests<O: Oracle>(oracle: &mut Automaton<O>, state: &Columns) -> Vec<StateId> {
        finals(oracle, state)
    }
}
