//! Sweeps all clients of a collection that make up to three calls in two threads: `cargo run --example sweep -- FILE`.

use fencepost_driver::clients::{Clients, Setting, prepare};
use fencepost_driver::session::Session;
use fencepost_driver::sweep::{Work, run};
use fencepost_harness::budget::Budget;
use fencepost_models::Buffering;

fn main() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/stack.c");
    let file = std::env::args().nth(1).unwrap_or(shipped.into());
    let session = Session::load(file.as_ref(), &[], None).expect("the file is fine");
    let (mut harness, reference) = session.into_harnesses();
    let clients = Clients { threads: Some(2..=2), steps: Some(1..=3), ..Clients::default() };
    let (model, budget) = (Buffering::Tso.model(), Budget::default());
    let setting = Setting { model: &model, reuse: false, hash: false, budget: &budget };
    let sweep = prepare(&mut harness, reference, &clients, setting).expect("it is a collection");
    let work = Work { jobs: 2, ..Work::default() };
    let summary =
        run(&sweep, &work, &budget, &mut |_| Ok(()), &mut |_| {}).expect("there is no log to write");
    println!("{} schedules on {}: {}", summary.total, model.name, summary.verdict);
}
