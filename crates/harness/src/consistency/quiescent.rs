//! Quiescent consistency: calls keep their order only across moments at which no call is pending.
//!
//! At such a moment the calls since the last one are tried in every order, and only the oracle states in
//! which they may end are remembered. Between, the calls are a multiset.
//!
//! Stuck calls make it subtle. The justification of one stuck thread removes the stuck calls of the others,
//! and a moment at which only those were pending is quiescent without them. Which calls will be stuck
//! shows at the end; until then every moment counts at which all pending calls are *still* pending. The
//! calls since the last quiescent moment are therefore kept as segments between such moments, each with the
//! pending calls that began in it. When a call returns, the moments since its beginning count no more:
//! the segments from there on become one.

use super::automaton::{Automaton, CallId, ResultsId, StateId};
use super::tracker::Rule;
use crate::oracle::Oracle;
use rustc_hash::FxHashSet;

/// The rule of quiescent consistency.
pub(crate) struct Quiescent;

/// What happened since the last quiescent moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Segments {
    /// Where the oracle may be at the last quiescent moment; sorted, not empty.
    base: Vec<StateId>,
    /// In order. Pending calls began in the first one; no other than the last is without completed calls.
    segments: Vec<Segment>,
}

/// What happened between two moments at which nothing was pending but what still is.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Segment {
    /// Pending calls that began in it, by thread.
    pending: Vec<(usize, CallId)>,
    /// Completed calls, sorted: a multiset.
    done: Vec<(CallId, ResultsId)>,
}

impl Segment {
    /// Several segments as one.
    fn join(segments: &[Segment]) -> Segment {
        let mut joined = Segment {
            pending: segments.iter().flat_map(|segment| &segment.pending).copied().collect(),
            done: segments.iter().flat_map(|segment| &segment.done).copied().collect(),
        };
        joined.pending.sort();
        joined.done.sort();
        joined
    }
}

impl Segments {
    /// The segment in which a thread's pending call began, and the call.
    fn find(&self, thread: usize) -> Option<(usize, CallId)> {
        self.segments.iter().enumerate().find_map(|(place, segment)| {
            let pending = segment.pending.iter().find(|pending| pending.0 == thread);
            pending.map(|&(_, call)| (place, call))
        })
    }
}

/// The oracle states after these calls in any order.
fn permute<O: Oracle>(
    oracle: &mut Automaton<O>,
    base: &[StateId],
    calls: &[(CallId, ResultsId)],
) -> Vec<StateId> {
    let mut stack: Vec<(Vec<(CallId, ResultsId)>, StateId)> =
        base.iter().map(|&state| (calls.to_vec(), state)).collect();
    let mut seen: FxHashSet<(Vec<(CallId, ResultsId)>, StateId)> = stack.iter().cloned().collect();
    let mut ends = Vec::new();
    while let Some((rest, state)) = stack.pop() {
        if rest.is_empty() {
            ends.push(state);
        }
        for (place, &(call, results)) in rest.iter().enumerate() {
            if place > 0 && rest[place - 1] == rest[place] {
                continue;
            }
            for next in oracle.after(state, call, results) {
                let mut rest = rest.clone();
                rest.remove(place);
                if seen.insert((rest.clone(), next)) {
                    stack.push((rest, next));
                }
            }
        }
    }
    ends.sort();
    ends.dedup();
    ends
}

impl Rule for Quiescent {
    type State = Segments;

    fn start(oracle: Vec<StateId>) -> Segments {
        Segments { base: oracle, segments: Vec::new() }
    }

    fn invoke<O: Oracle>(
        _: &mut Automaton<O>,
        state: &Segments,
        thread: usize,
        call: CallId,
    ) -> Option<Segments> {
        let mut state = state.clone();
        // A moment before which nothing was completed since the one before separates nothing.
        if state.segments.last().is_none_or(|last| !last.done.is_empty()) {
            state.segments.push(Segment::default());
        }
        let last = state.segments.last_mut()?;
        last.pending.push((thread, call));
        last.pending.sort();
        Some(state)
    }

    fn respond<O: Oracle>(
        oracle: &mut Automaton<O>,
        state: &Segments,
        thread: usize,
        results: ResultsId,
    ) -> Option<Segments> {
        let (place, call) = state.find(thread)?;
        let mut joined = Segment::join(&state.segments[place..]);
        joined.pending.retain(|pending| pending.0 != thread);
        joined.done.push((call, results));
        joined.done.sort();
        if place == 0 && joined.pending.is_empty() {
            let base = permute(oracle, &state.base, &joined.done);
            return (!base.is_empty()).then_some(Segments { base, segments: Vec::new() });
        }
        let mut segments = state.segments[..place].to_vec();
        segments.push(joined);
        Some(Segments { base: state.base.clone(), segments })
    }

    fn accepts<O: Oracle>(oracle: &mut Automaton<O>, state: &Segments) -> bool {
        state.segments.is_empty() && state.base.iter().any(|&end| oracle.accepts(end))
    }

    fn justifies<O: Oracle>(oracle: &mut Automaton<O>, state: &Segments, thread: usize) -> bool {
        let Some((place, call)) = state.find(thread) else { return false };
        let mut ends = state.base.clone();
        for segment in &state.segments[..place] {
            ends = permute(oracle, &ends, &segment.done);
        }
        // Nothing is quiescent after a call that never returns.
        let rest = Segment::join(&state.segments[place..]);
        permute(oracle, &ends, &rest.done).iter().any(|&end| oracle.blocks(end, call))
    }

    fn pending(state: &Segments) -> Vec<CallId> {
        state.segments.iter().flat_map(|segment| &segment.pending).map(|pending| pending.1).collect()
    }

    /// With all pending calls in it, nothing is quiescent since the first of them began.
    fn rests<O: Oracle>(oracle: &mut Automaton<O>, state: &Segments) -> Vec<StateId> {
        permute(oracle, &state.base, &Segment::join(&state.segments).done)
    }
}
