//! Data races of one execution, as C11 has them (5.1.2.4): accesses of two threads to a common location, one of them
//! a store and one of them plain, of which neither happens before the other.
//!
//! Happens-before is taken too large: whatever one atomic access, atomic block or model function sees of another
//! orders them here, whatever their memory orders are. So what is found is a race, but not every race is found.

use crate::evaluate::Execution;
use crate::poll::Poll;
use crate::relation::members;
use crate::sources::unchecked;
use crate::world::Run;
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Action, Event, EventId, Start, Trace};
use fencepost_lsl::program::Order;
use fencepost_models::cat::BaseRelation;

/// Events beyond which the search would take too long.
const MOST: usize = 2_000;

/// Two accesses that race.
pub fn race(harness: &Harness, trace: &Trace) -> Option<(EventId, EventId)> {
    let size = trace.events.len();
    if size > MOST {
        return None;
    }
    let runs = vec![Run::default(); size];
    let execution = Execution::new(trace, &runs, unchecked(trace));
    let user = |event: &Event| harness.program.sources.is_user(event.span);
    let plain = |event: &Event| match event.action {
        Action::Load { order: Order::Plain, .. } | Action::Store { order: Order::Plain, .. } => {
            event.atomic.is_none() && user(event)
        }
        _ => false,
    };
    let plain: Vec<bool> = trace.events.iter().map(plain).collect();
    let mut ordered = execution.base(BaseRelation::Po);
    ordered = ordered.combine(&execution.base(BaseRelation::Start), |a, b| a | b);
    // What a test does before its threads start.
    let late = |event: &Event| trace.threads[event.thread].start == Start::AfterFirst;
    for x in (0..size).filter(|&x| trace.events[x].thread == 0) {
        (0..size).filter(|&y| late(&trace.events[y])).for_each(|y| ordered.set(x, y));
    }
    let talks = execution.communication();
    for x in (0..size).filter(|&x| !plain[x]) {
        members(talks.row(x)).filter(|&y| !plain[y]).for_each(|y| ordered.set(x, y));
    }
    let happens_before = ordered.closure(&Poll::never()).ok()?;
    let races = |x: usize, y: usize| {
        let (a, b) = (&trace.events[x], &trace.events[y]);
        let stores = [a, b].iter().any(|event| matches!(event.action, Action::Store { .. }));
        let ordered = happens_before.get(x, y) || happens_before.get(y, x);
        let plain = plain[x] || plain[y];
        plain && user(a) && user(b) && a.thread != b.thread && stores && meet(a, b) && !ordered
    };
    let pairs = (0..size).flat_map(|x| (x + 1..size).map(move |y| (x, y)));
    let found = pairs.into_iter().find(|&(x, y)| races(x, y))?;
    Some((EventId(found.0 as u32), EventId(found.1 as u32)))
}

/// Whether two accesses have a byte in common.
fn meet(a: &Event, b: &Event) -> bool {
    match (a.action.access(), b.action.access()) {
        (Some((x, m)), Some((y, n))) => x < y + n && y < x + m,
        _ => false,
    }
}
