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
    let thread = || TraceThread { start: Start::Begin, calls: Vec::new(), status: Status::Finished };
    let trace = Trace {
        threads: vec![thread(), thread()],
        events: vec![load(0, X, 3), store(0, Y), load(1, Y, 1), store(1, X)],
        stores: vec![EventId(1), EventId(3)],
    };
    let runs = vec![Run::default(); trace.events.len()];
    Execution::new(&trace, &runs, unchecked(&trace)).check(model, &[], &Poll::never()).is_ok()
}

/// Whether a thread may read what its own atomic block stored before others see it: `atomic { r = x; x = 1 }; r1 = x;
/// r2 = y`, the last address computed from `r1`, beside `y = 1; fence; x = 1` can read 1, 1, 0. Where loads that depend
/// on each other may be reordered, they may, too, and the answer is yes.
pub fn lets_threads_read_own_blocks_early(model: &Model) -> bool {
    let thread = || TraceThread { start: Start::Begin, calls: Vec::new(), status: Status::Finished };
    let in_block = |mut event: Event| {
        event.atomic = Some(1);
        event
    };
    let mut last = load(0, Y, 0);
    if let Action::Load { value, from, .. } = &mut last.action {
        *value = Value::ZERO;
        from[0].source = Source::Initial;
    }
    let trace = Trace {
        threads: vec![thread(), thread()],
        events: vec![
            in_block(load(0, X, 6)),
            in_block(store(0, X)),
            load(0, X, 1),
            last,
            store(1, Y),
            event(1, Action::Fence(Fence::FULL)),
            store(1, X),
        ],
        stores: vec![EventId(4), EventId(6), EventId(1)],
    };
    let mut runs = vec![Run::default(); trace.events.len()];
    runs[3].addr = Rc::new([EventId(2)].into());
    Execution::new(&trace, &runs, unchecked(&trace)).check(model, &[], &Poll::never()).is_ok()
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

    #[test]
    fn load_buffering() {
        for (name, expected) in [
            ("serial", false),
            ("sc", false),
            ("tso", false),
            ("pso", false),
            ("rmo", true),
            ("relaxed", true),
        ] {
            let model = fencepost_models::builtin(name).expect("it ships");
            assert_eq!(lets_stores_overtake_loads(&model), expected, "{name}");
        }
    }

    #[test]
    fn own_blocks() {
        for (name, expected) in [
            ("serial", false),
            ("sc", false),
            ("tso", false),
            ("pso", false),
            ("rmo", true),
            ("relaxed", true),
        ] {
            let model = fencepost_models::builtin(name).expect("it ships");
            assert_eq!(lets_threads_read_own_blocks_early(&model), expected, "{name}");
        }
    }
}
