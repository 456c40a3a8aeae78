//! What makes an execution understandable: an order of all accesses, and the reorderings it needs.

use crate::Refusal;
use crate::evaluate::Execution;
use crate::onward;
use crate::poll::Poll;
use crate::relation::{Matrix, has, insert, members};
use crate::reorder::reorderings;
use crate::world::Replayed;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{EventId, Explanation, NamedObject, Start, Trace};
use fencepost_lsl::interp::Frame;
use fencepost_lsl::source::Span;
use fencepost_models::cat::Model;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Explains a checked trace. `after` relates nodes that memory must have seen in that order; only if the model has one
/// order of memory can accesses be said to overtake others. `on_sc` says whether sc allows the execution, too.
pub(crate) fn explain(
    harness: &Harness,
    trace: &Trace,
    replayed: &Replayed,
    execution: &Execution,
    (model, after): (&Model, &Matrix),
    on_sc: bool,
    poll: &Poll,
) -> Result<Explanation, Refusal> {
    let Replayed { runs, objects } = replayed;
    let reorderings = if on_sc || model.memory_order().is_none() {
        Vec::new()
    } else {
        reorderings(execution, after, poll)?
    };
    // An order that shows what is said: each pair the other way round.
    let mut shown = after.clone();
    for pair in &reorderings {
        execution.lift(model, pair.overtook, pair.first, &mut shown);
    }
    let events: Vec<usize> =
        (0..trace.events.len()).filter(|&event| execution.touches_memory(event)).collect();
    Ok(Explanation {
        order: linearise(trace, &events, execution.sequel.alone, &shown, poll)?,
        reorderings,
        on_sc,
        places: runs.iter().map(|run| run.place.clone()).collect(),
        ways: runs.iter().map(|run| run.via.clone().filter(|via| *via != run.place)).collect(),
        objects: objects
            .iter()
            .map(|object| NamedObject {
                base: object.base,
                size: object.size,
                name: object.name.clone(),
                layout: object.layout,
            })
            .collect(),
        spans: trace.events.iter().map(|event| innermost_user(harness, event.span, &event.stack)).collect(),
        looks: onward::looks(harness, trace, runs),
    })
}

/// The innermost place in the user's own text: the statement, or the call that led out of it.
pub(crate) fn innermost_user(harness: &Harness, span: Span, stack: &[Frame]) -> Span {
    let sources = &harness.program.sources;
    let calls = stack.iter().rev().filter_map(|frame| frame.call);
    std::iter::once(span).chain(calls).find(|span| sources.is_user(*span)).unwrap_or(span)
}

/// A topological order that stays with one thread as long as it can.
fn linearise(
    trace: &Trace,
    accesses: &[usize],
    alone: usize,
    after: &Matrix,
    poll: &Poll,
) -> Result<Vec<EventId>, Refusal> {
    let mut order: Vec<usize> = accesses.iter().copied().filter(|&event| event < alone).collect();
    let rest = &accesses[order.len()..];
    let mut counted = after.none();
    rest.iter().for_each(|&event| insert(&mut counted, event - alone));
    let followers = |event: usize| {
        let row = after.row(event - alone);
        members(row).filter(|&node| has(&counted, node)).map(|node| node + alone)
    };
    let mut waits_for: FxHashMap<usize, usize> = FxHashMap::default();
    for &event in rest {
        poll.ask()?;
        followers(event).for_each(|later| *waits_for.entry(later).or_default() += 1);
    }
    let mut ready: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); trace.threads.len()];
    let free = rest.iter().filter(|&event| !waits_for.contains_key(event));
    free.for_each(|&event| _ = ready[trace.events[event].thread].insert(event));
    let first = trace.threads.iter().position(|thread| thread.start == Start::Begin);
    let first = first.ok_or_else(|| Refusal::from("no thread is the first".to_owned()))?;
    for _ in rest {
        poll.ask()?;
        // Finish a block first, then go on with the thread; initialisation comes before all others.
        let last = order.last().map(|&event| &trace.events[event]);
        let in_block = last.filter(|last| last.atomic.is_some()).and_then(|last| {
            ready[last.thread].iter().copied().find(|&event| trace.events[event].atomic == last.atomic)
        });
        let of_thread = |thread: usize| ready[thread].first().copied();
        let next = in_block
            .or_else(|| of_thread(first))
            .or_else(|| last.and_then(|last| of_thread(last.thread)))
            .or_else(|| ready.iter().filter_map(|events| events.first().copied()).min());
        let next = next.ok_or_else(|| String::from("an execution that has no order was accepted"))?;
        ready[trace.events[next].thread].remove(&next);
        order.push(next);
        for later in followers(next) {
            if let Some(count) = waits_for.get_mut(&later) {
                *count -= 1;
                if *count == 0 {
                    ready[trace.events[later].thread].insert(later);
                }
            }
        }
    }
    Ok(order.into_iter().map(|event| EventId(event as u32)).collect())
}
