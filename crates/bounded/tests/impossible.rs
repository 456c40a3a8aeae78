//! What cannot be is noticed by the encoding, and no answer is made of it.

use fencepost_bounded::check::Options;
use fencepost_bounded::encode::{Settings, encode};
use fencepost_bounded::range::{self, Precision};
use fencepost_bounded::solver::{Budget, Cadical, OrderEncoding};
use fencepost_bounded::unroll::{Bounds, Subject, unroll};
use fencepost_harness::verdict::Reason;
use fencepost_reference::generate::{self, Random, Size};
use fencepost_reference::lower::lower;

#[test]
fn impossible_events_are_noticed() {
    let size = Size { threads: 2, accesses: 4, partial_fences: false };
    let (harness, test) = lower(&generate::program(&mut Random::new(1), size));
    let model = fencepost_models::builtin("tso").expect("it ships");
    let unrolled = unroll(&harness, Subject::Test(&test), &Bounds::default(), &Options::default().unroll);
    let Ok(unrolled) = unrolled else { panic!("a straight line") };
    assert!(!unrolled.events.is_empty());
    let ranges = range::analyse(&harness.program, &unrolled, Precision::Values, &Budget::default());
    let solver = Box::new(Cadical::new(OrderEncoding::default(), Budget::default()));
    let encoding = encode(&harness.program, unrolled, ranges, &model, solver, Settings::default());
    let Ok(mut encoding) = encoding else { panic!("no limits are set") };
    assert_eq!(encoding.sound(), Ok(()));
    // No event is a load and a store at once.
    encoding.noisy(&[(0, 0)]);
    assert!(matches!(encoding.sound(), Err(Reason::Internal(_))), "{:?}", encoding.sound());
}
