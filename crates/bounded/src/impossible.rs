//! What cannot be is noticed by the encoding, and no answer is made of it.

use crate::check::Options;
use crate::encode::{Settings, encode};
use crate::guard::Guard;
use crate::range::{self, Precision};
use crate::solver::{Cadical, OrderEncoding};
use crate::ssa::Values;
use crate::unroll::{Bounds, Restored, Stillness, Stop, StopKind, Stored, unroll};
use fencepost_harness::budget::Budget;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::value::Value;
use fencepost_models::Buffering;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::lower::lower;
use fencepost_reference::random::Random;

/// What the encoding says of itself, for a program of which a thread ends in such a way, too.
fn sound(ends: Option<StopKind>) -> Result<(), Reason> {
    let size = Size { threads: 2, accesses: 4, partial_fences: false };
    let (harness, test) = lower(&generate::program(&mut Random::new(1), size));
    let model = Buffering::Tso.model();
    let unrolled =
        unroll(&harness, &Question::Test(test.clone()), &Bounds::default(), &Options::default().unroll);
    let Ok(mut unrolled) = unrolled else { panic!("a straight line") };
    let last = unrolled.events.last().expect("it has events").clone();
    let stop = |kind| Stop {
        guard: Guard::TRUE,
        kind,
        span: last.span,
        stack: last.stack,
        call: last.call,
        atomic: None,
    };
    unrolled.threads[last.thread].stops.extend(ends.map(stop));
    let ranges = range::analyse(&harness.program, &unrolled, Precision::Values, &Budget::default())
        .unwrap_or_else(|_| panic!("few places"));
    let solver = Box::new(Cadical::new(OrderEncoding::default(), Budget::default()));
    let encoding = encode(&harness.program, unrolled, ranges, &model, solver, Settings::default());
    let Ok(encoding) = encoding else { panic!("no limits are set") };
    encoding.sound()
}

#[test]
fn impossible_events_are_noticed() {
    assert_eq!(sound(None), Ok(()));
    let still = |restored| StopKind::Spin(Stillness { restored, ..Stillness::default() });
    assert_eq!(sound(Some(still(Vec::new()))), Ok(()));
    // No event is a load and a store at once.
    let stores = vec![Stored { store: 0, found: Some(0) }];
    let addr = Values::default().make_const(Value::ZERO);
    let noticed = sound(Some(still(vec![Restored { addr, bits: 32, turn: 0, traced: false, stores }])));
    assert!(matches!(noticed, Err(Reason::Internal(_))), "{noticed:?}");
}
