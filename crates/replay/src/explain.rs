//! What makes an execution understandable: an order of all accesses, and the reorderings it needs.

use crate::Refusal;
use crate::evaluate::Execution;
use crate::poll::Poll;
use crate::relation::{Matrix, has, insert, members};
use crate::world::Replayed;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{EventId, Explanation, Reordering, Start, Trace};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What comes before what in memory: events of the first thread alone in their order, then the others as
/// the model relates them.
struct Before<'a> {
    alone: usize,
    after: &'a Matrix,
}

impl Before<'_> {
    /// Whether memory must have seen one event before another.
    fn get(&self, x: usize, y: usize) -> bool {
        match (x.checked_sub(self.alone), y.checked_sub(self.alone)) {
            (Some(x), Some(y)) => self.after.get(x, y),
            (None, Some(_)) => true,
            (_, None) => x < y,
        }
    }
}

/// Explains a checked trace. `after` relates nodes that memory must have seen in that order.
pub(crate) fn explain(
    harness: &Harness,
    trace: &Trace,
    replayed: &Replayed,
    execution: &Execution,
    after: &Matrix,
    poll: &Poll,
) -> Result<Explanation, Refusal> {
    let Replayed { runs, objects } = replayed;
    let accesses: Vec<usize> =
        (0..trace.events.len()).filter(|&event| trace.events[event].action.access().is_some()).collect();
    let before = Before { alone: execution.sequel.alone, after };
    Ok(Explanation {
        order: linearise(trace, &accesses, &before, poll)?,
        reorderings: reorderings(trace, &accesses, &before, &execution.communication(), poll)?,
        places: runs.iter().map(|run| run.place.clone()).collect(),
        ways: runs.iter().map(|run| run.via.clone().filter(|via| *via != run.place)).collect(),
        objects: objects.iter().map(|object| (object.base, object.size, object.name.clone())).collect(),
        spans: trace.events.iter().map(|event| user_span(harness, event)).collect(),
    })
}

/// The innermost place in the user's own text: the statement, or the call that led out of it.
pub(crate) fn user_span(harness: &Harness, event: &fencepost_harness::trace::Event) -> Span {
    let sources = &harness.program.sources;
    let calls = event.stack.iter().rev().filter_map(|frame| frame.call);
    std::iter::once(event.span).chain(calls).find(|span| sources.is_user(*span)).unwrap_or(event.span)
}

/// A topological order that stays with one thread as long as it can.
fn linearise(
    trace: &Trace,
    accesses: &[usize],
    before: &Before,
    poll: &Poll,
) -> Result<Vec<EventId>, Refusal> {
    let alone = before.alone;
    let mut order: Vec<usize> = accesses.iter().copied().filter(|&event| event < alone).collect();
    let rest = &accesses[order.len()..];
    let mut counted = before.after.none();
    rest.iter().for_each(|&event| insert(&mut counted, event - alone));
    let followers = |event: usize| {
        let row = before.after.row(event - alone);
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
    let first = trace.threads.iter().position(|thread| thread.start == Start::Begin).unwrap_or(0);
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
        let Some(next) = next else { break };
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

/// Pairs of one thread that memory must have seen the other way round, leaving out those that contain a
/// smaller one.
///
/// Only pairs through which others notice count: the second access is followed directly by one of
/// another thread, and the first comes directly after one. Whatever lies between follows from these.
fn reorderings(
    trace: &Trace,
    accesses: &[usize],
    before: &Before,
    talks: &Matrix,
    poll: &Poll,
) -> Result<Vec<Reordering>, Refusal> {
    let mut swapped: Vec<(usize, usize)> = Vec::new();
    for &y in accesses.iter().filter(|&&event| event >= before.alone) {
        poll.ask()?;
        let b = &trace.events[y];
        let earlier = members(before.after.row(y - before.alone)).map(|node| node + before.alone);
        for x in earlier.take_while(|&x| x < y).filter(|&x| trace.events[x].thread == b.thread) {
            let a = &trace.events[x];
            let together = a.atomic.is_some() && a.atomic == b.atomic;
            if a.action.access().is_some() && !together {
                swapped.push((x, y));
            }
        }
    }
    if swapped.is_empty() {
        return Ok(Vec::new());
    }
    let heard = talks.inverse();
    let mut noticed = Vec::new();
    for (x, y) in swapped {
        poll.ask()?;
        let reaches = |a: usize, b: usize| a == b || before.get(a, b);
        let mut told = members(talks.row(y - before.alone)).map(|node| node + before.alone);
        let mut heard = members(heard.row(x - before.alone)).map(|node| node + before.alone);
        if told.any(|z| reaches(z, x)) && heard.any(|z| reaches(y, z)) {
            noticed.push((x, y));
        }
    }
    let (mut nearest, mut latest) = (FxHashMap::default(), FxHashMap::default());
    for &(x, y) in &noticed {
        let (y_of_x, x_of_y) = (nearest.entry(x).or_insert(y), latest.entry(y).or_insert(x));
        (*y_of_x, *x_of_y) = ((*y_of_x).min(y), (*x_of_y).max(x));
    }
    noticed.retain(|&(x, y)| nearest[&x] == y && latest[&y] == x);
    noticed.sort_unstable();
    let id = |event: usize| EventId(event as u32);
    Ok(noticed.into_iter().map(|(x, y)| Reordering { first: id(x), overtook: id(y) }).collect())
}
