//! What a model allows in general, asked of the smallest execution that shows it.

use crate::evaluate::Execution;
use crate::poll::Poll;
use crate::sources::unchecked;
use crate::world::Run;
use fencepost_harness::trace::{Action, Event, EventId, ReadFrom, Source, Start, Status, Trace, TraceThread};
use fencepost_lsl::program::{Fence, Order};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::{IntTy, Value};
use fencepost_models::cat::Model;
use std::rc::Rc;

const X: u64 = 0x1000;
const Y: u64 = 0x2000;

/// Whether a store may be seen by others before a load in front of it, on which it does not depend, is done:
/// `r1 = x; y = 1` beside `r2 = y; x = 1` can read 1 twice.
pub fn lets_stores_overtake_loads(model: &Model) -> bool {
    allows(model, vec![load(0, X, 3), store(0, Y), load(1, Y, 1), store(1, X)], &[1, 3], None)
}

/// Whether a store, on its own or in an atomic block, may be seen by others before one in front of it, with this fence in between:
/// `x = 1; fence; y = 1` beside `r1 = y; fence; r2 = x` can read 1, 0.
pub fn lets_stores_overtake_stores(model: &Model, between: Fence) -> bool {
    let seen = |second: Event| {
        let events = vec![
            store(0, X),
            event(0, Action::Fence(between)),
            second,
            load(1, Y, 2),
            event(1, Action::Fence(Fence::FULL)),
            initial(1, X),
        ];
        allows(model, events, &[0, 2], None)
    };
    seen(store(0, Y)) || seen(in_block(store(0, Y)))
}

/// Whether a ghost store may be seen by others before a store in front of it, with this fence in between.
pub fn lets_ghosts_overtake_stores(model: &Model, between: Fence) -> bool {
    let mut ghost = in_block(store(0, Y));
    if let Action::Store { order, .. } = &mut ghost.action {
        *order = Order::Ghost;
    }
    let fence = event(1, Action::Fence(Fence::FULL));
    let events =
        vec![store(0, X), event(0, Action::Fence(between)), ghost, load(1, Y, 2), fence, initial(1, X)];
    allows(model, events, &[0, 2], None)
}

/// Whether a store may be seen by others before one in front of it, past an atomic block that loads what that one stored:
/// `x = 1; atomic { r = x }; y = 1` beside `r1 = y; fence; r2 = x` can read 1, 0.
pub fn lets_stores_overtake_blocks(model: &Model) -> bool {
    let fence = event(1, Action::Fence(Fence::FULL));
    let events = vec![store(0, X), in_block(load(0, X, 0)), store(0, Y), load(1, Y, 2), fence, initial(1, X)];
    allows(model, events, &[0, 2], None)
}

/// Whether a load may overtake a load in front of it: `x = 1; fence; y = 1` beside `r1 = y; r2 = x` can read 1, 0.
pub fn lets_loads_overtake_loads(model: &Model) -> bool {
    let fence = event(0, Action::Fence(Fence::FULL));
    allows(model, vec![store(0, X), fence, store(0, Y), load(1, Y, 2), initial(1, X)], &[0, 2], None)
}

/// Whether a load may overtake an atomic block in front of it: `atomic { r1 = x; x = 1 }; r2 = y` beside
/// `y = 1; fence; x = 1` can read 1, 0.
pub fn lets_loads_overtake_blocks(model: &Model) -> bool {
    let fence = event(1, Action::Fence(Fence::FULL));
    let events =
        vec![in_block(load(0, X, 5)), in_block(store(0, X)), initial(0, Y), store(1, Y), fence, store(1, X)];
    allows(model, events, &[3, 5, 1], None)
}

/// Whether a thread may read what its own atomic block stored before others see it: `atomic { r = x; x = 1 }; r1 = x;
/// r2 = y`, the last address computed from `r1`, beside `y = 1; fence; x = 1` can read 1, 1, 0. Where loads that depend
/// on each other may be reordered, they may, too, and the answer is yes.
pub fn lets_threads_read_own_blocks_early(model: &Model) -> bool {
    let events = vec![
        in_block(load(0, X, 6)),
        in_block(store(0, X)),
        load(0, X, 1),
        initial(0, Y),
        store(1, Y),
        event(1, Action::Fence(Fence::FULL)),
        store(1, X),
    ];
    allows(model, events, &[4, 6, 1], Some((2, 3)))
}

/// Whether a model allows an execution of two threads: its events, the order of its stores, and an address that
/// depends on a load.
fn allows(model: &Model, events: Vec<Event>, stores: &[u32], depends: Option<(u32, usize)>) -> bool {
    let thread = || TraceThread { start: Start::Begin, calls: Vec::new(), status: Status::Finished };
    let stores = stores.iter().map(|&store| EventId(store)).collect();
    let trace = Trace { threads: vec![thread(), thread()], events, stores };
    let mut runs = vec![Run::default(); trace.events.len()];
    if let Some((load, event)) = depends {
        runs[event].addr = Rc::new([EventId(load)].into());
    }
    Execution::new(&trace, &runs, unchecked(&trace)).check(model, &[], &Poll::never()).is_ok()
}

fn in_block(mut event: Event) -> Event {
    event.atomic = Some(1);
    event
}

fn initial(thread: usize, addr: u64) -> Event {
    let ty = IntTy::unsigned(32);
    let from = vec![ReadFrom { offset: 0, bytes: ty.bytes(), source: Source::Initial }];
    event(thread, Action::Load { addr, ty, order: Order::Plain, value: Value::ZERO, from })
}

fn event(thread: usize, action: Action) -> Event {
    let span = Span::new(FileId(0), 0, 0);
    Event { thread, action, span, stack: Vec::new(), atomic: None, life: None }
}

fn load(thread: usize, addr: u64, from: u32) -> Event {
    let ty = IntTy::unsigned(32);
    let from = vec![ReadFrom { offset: 0, bytes: ty.bytes(), source: Source::Event(EventId(from)) }];
    event(thread, Action::Load { addr, ty, order: Order::Plain, value: Value::ONE, from })
}

fn store(thread: usize, addr: u64) -> Event {
    event(thread, Action::Store { addr, ty: IntTy::unsigned(32), order: Order::Plain, value: Value::ONE })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers for serial, sc, tso, pso, rmo and relaxed.
    fn answers(question: impl Fn(&Model) -> bool) -> [bool; 6] {
        ["serial", "sc", "tso", "pso", "rmo", "relaxed"]
            .map(|name| question(&fencepost_models::builtin(name).expect("it ships")))
    }

    #[test]
    fn shapes() {
        assert_eq!(answers(lets_stores_overtake_loads), [false, false, false, false, true, true]);
        let stores = |fence| answers(|model| lets_stores_overtake_stores(model, fence));
        assert_eq!(stores(Fence::NONE), [false, false, false, true, true, true]);
        assert_eq!(stores(Fence { store_store: true, ..Fence::NONE }), [false; 6]);
        let ghosts = |fence| answers(|model| lets_ghosts_overtake_stores(model, fence));
        assert_eq!(ghosts(Fence::NONE)[..4], [false, false, true, true]);
        assert_eq!(ghosts(Fence { store_store: true, ..Fence::NONE })[..4], [false, false, true, true]);
        assert_eq!(ghosts(Fence::FULL)[..4], [false; 4]);
        assert_eq!(answers(lets_stores_overtake_blocks), [false, false, false, false, true, true]);
        assert_eq!(answers(lets_loads_overtake_loads), [false, false, false, false, true, true]);
        assert_eq!(answers(lets_loads_overtake_blocks), [false, false, false, false, true, true]);
        assert_eq!(answers(lets_threads_read_own_blocks_early), [false, false, false, false, true, true]);
    }
}
