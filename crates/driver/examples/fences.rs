//! Infers the cheapest fences that make the tests of a C file hold on pso: `cargo run --example fences -- FILE`.

use fencepost_driver::check::Terms;
use fencepost_driver::fences::{Asked, Request, infer};
use fencepost_driver::session::Session;
use fencepost_explore::abstraction::Approach;
use fencepost_fences::cost::Costs;
use fencepost_fences::place::defaults;
use fencepost_harness::inference::{Answer, Method};
use fencepost_models::Buffering;
use std::path::Path;

fn main() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/message.c");
    let file = std::env::args().nth(1).unwrap_or(shipped.into());
    let slots = fencepost_c::Options { slots: true };
    let session = Session::load_with(file.as_ref(), &[], None, slots).expect("the file is fine");
    let model = Buffering::Pso.model();
    let asked = |question| (Asked::Question(question), model.clone());
    let request = Request {
        session: &session,
        path: Path::new(&file),
        arguments: &[],
        reference: None,
        questions: session.questions().into_iter().map(asked).collect(),
        sweeps: None,
        method: Method::Search,
        approach: Approach::Refine,
        kinds: defaults(&session.harness.program),
        orders: false,
        costs: Costs::default(),
        limit: 1,
        terms: Terms::default(),
    };
    match infer(&request, &|_| {}).answer {
        Answer::Placements { placements, .. } => {
            placements[0].files.iter().for_each(|file| print!("{}", file.diff));
        }
        other => println!("no placement: {other:?}"),
    }
}
