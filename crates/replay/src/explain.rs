//! What makes an execution understandable: an order of all accesses, and the reorderings it needs.

use crate::evaluate::Execution;
use crate::onward;
use crate::relation::Matrix;
use crate::reorder::reorderings;
use crate::world::Replayed;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{EventId, Explanation, Start, Trace};
use fencepost_lsl::interp::Frame;
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;

/// Explains a checked trace. `before` relates accesses that memory must have seen in that order; `on_sc` says
/// whether sc allows the execution, too.
pub(crate) fn explain(
    harness: &Harness,
    trace: &Trace,
    replayed: &Replayed,
    execution: &Execution,
    before: &Matrix,
    on_sc: bool,
) -> Explanation {
    let Replayed { runs, objects } = replayed;
    let reorderings = match on_sc {
        true => Vec::new(),
        false => reorderings(trace, before, &execution.communication(), |x, y| execution.overlap(x, y)),
    };
    // An order that shows what is said: each pair the other way round.
    let mut shown = before.clone();
    for pair in &reorderings {
        execution.lift(pair.overtook, pair.first, &mut shown);
    }
    let events: Vec<usize> =
        (0..trace.events.len()).filter(|&event| execution.touches_memory(event)).collect();
    Explanation {
        order: linearise(trace, &events, &shown),
        reorderings,
        on_sc,
        places: runs.iter().map(|run| run.place.clone()).collect(),
        ways: runs.iter().map(|run| run.via.clone().filter(|via| *via != run.place)).collect(),
        objects: objects.clone(),
        spans: trace.events.iter().map(|event| innermost_user(harness, event.span, &event.stack)).collect(),
        looks: onward::looks(harness, trace),
    }
}

/// The innermost place in the user's own text: the statement, or the call that led out of it.
pub(crate) fn innermost_user(harness: &Harness, span: Span, stack: &[Frame]) -> Span {
    let sources = &harness.program.sources;
    let calls = stack.iter().rev().filter_map(|frame| frame.call);
    std::iter::once(span).chain(calls).find(|span| sources.is_user(*span)).unwrap_or(span)
}

/// A topological order that stays with one thread as long as it can.
fn linearise(trace: &Trace, events: &[usize], before: &Matrix) -> Vec<EventId> {
    let mut rest = events.to_vec();
    // How many of the rest come before each.
    let earlier = |&event: &usize| events.iter().filter(|&&e| e != event && before.get(e, event)).count();
    let mut waits: FxHashMap<usize, usize> = events.iter().map(|event| (*event, earlier(event))).collect();
    let mut order: Vec<usize> = Vec::new();
    while !rest.is_empty() {
        let current = order.last().map(|&event: &usize| trace.events[event].thread);
        let block = order.last().and_then(|&event| trace.events[event].atomic);
        // Finish a block first, then go on with the thread; initialisation comes before all others.
        let rank = |&&event: &&usize| {
            let other = &trace.events[event];
            let same_block = block.is_some() && other.atomic == block;
            let first = trace.threads[other.thread].start == Start::Begin;
            (!same_block, !first, Some(other.thread) != current, event)
        };
        let ready = rest.iter().filter(|event| waits[event] == 0).min_by_key(rank);
        // An order that a model accepts has no cycles.
        let Some(&next) = ready.or(rest.first()) else { break };
        rest.retain(|&event| event != next);
        for &event in rest.iter().filter(|&&event| before.get(next, event)) {
            waits.entry(event).and_modify(|count| *count -= 1);
        }
        order.push(next);
    }
    order.into_iter().map(|event| EventId(event as u32)).collect()
}
