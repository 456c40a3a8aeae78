//! What makes an execution understandable: an order of all accesses, and the reorderings it needs.

use crate::relation::Matrix;
use crate::world::Replayed;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{EventId, Explanation, Reordering, Start, Trace};
use fencepost_lsl::source::Span;

/// Explains a checked trace. `before` relates accesses that memory must have seen in that order, `talks`
/// those of different threads that follow each other directly.
pub(crate) fn explain(
    harness: &Harness,
    trace: &Trace,
    replayed: &Replayed,
    before: &Matrix,
    talks: &Matrix,
) -> Explanation {
    let Replayed { runs, objects } = replayed;
    let accesses: Vec<usize> =
        (0..trace.events.len()).filter(|&event| trace.events[event].action.access().is_some()).collect();
    Explanation {
        order: linearise(trace, &accesses, before),
        reorderings: reorderings(trace, &accesses, before, talks),
        places: runs.iter().map(|run| run.place.clone()).collect(),
        ways: runs.iter().map(|run| run.via.clone().filter(|via| *via != run.place)).collect(),
        objects: objects.clone(),
        spans: trace.events.iter().map(|event| user_span(harness, event)).collect(),
    }
}

/// The innermost place in the user's own text: the statement, or the call that led out of it.
pub(crate) fn user_span(harness: &Harness, event: &fencepost_harness::trace::Event) -> Span {
    let sources = &harness.program.sources;
    let calls = event.stack.iter().rev().filter_map(|frame| frame.call);
    std::iter::once(event.span).chain(calls).find(|span| sources.is_user(*span)).unwrap_or(event.span)
}

/// A topological order that stays with one thread as long as it can.
fn linearise(trace: &Trace, accesses: &[usize], before: &Matrix) -> Vec<EventId> {
    let mut rest = accesses.to_vec();
    let mut order: Vec<usize> = Vec::new();
    while !rest.is_empty() {
        let ready = |&&event: &&usize| rest.iter().all(|&other| other == event || !before.get(other, event));
        let current = order.last().map(|&event: &usize| trace.events[event].thread);
        let block = order.last().and_then(|&event| trace.events[event].atomic);
        let choices: Vec<usize> = rest.iter().filter(ready).copied().collect();
        // Finish a block first, then go on with the thread; initialisation comes before all others.
        let rank = |&event: &usize| {
            let other = &trace.events[event];
            let same_block = block.is_some() && other.atomic == block;
            let first = trace.threads[other.thread].start == Start::Begin;
            (!same_block, !first, Some(other.thread) != current, event)
        };
        let Some(next) = choices.into_iter().min_by_key(rank).or(rest.first().copied()) else { break };
        rest.retain(|&event| event != next);
        order.push(next);
    }
    order.into_iter().map(|event| EventId(event as u32)).collect()
}

/// Pairs of one thread that memory must have seen the other way round, leaving out those that contain a
/// smaller one.
///
/// Only pairs through which others notice count: the second access is followed directly by one of
/// another thread, and the first comes directly after one. Whatever lies between follows from these.
fn reorderings(trace: &Trace, accesses: &[usize], before: &Matrix, talks: &Matrix) -> Vec<Reordering> {
    let reaches = |x: usize, y: usize| x == y || before.get(x, y);
    let noticed = |x: usize, y: usize| {
        let after = |&z: &usize| talks.get(y, z) && reaches(z, x);
        let first = |&z: &usize| talks.get(z, x) && reaches(y, z);
        accesses.iter().any(after) && accesses.iter().any(first)
    };
    let swapped = |x: usize, y: usize| {
        let (a, b) = (&trace.events[x], &trace.events[y]);
        let together = a.atomic.is_some() && a.atomic == b.atomic;
        a.thread == b.thread && x < y && before.get(y, x) && !together && noticed(x, y)
    };
    let mut found = Vec::new();
    for &x in accesses {
        for &y in accesses {
            if !swapped(x, y) {
                continue;
            }
            let smaller = |&z: &usize| x < z && z < y && (swapped(x, z) || swapped(z, y));
            if !accesses.iter().any(smaller) {
                found.push(Reordering { first: EventId(x as u32), overtook: EventId(y as u32) });
            }
        }
    }
    found
}
