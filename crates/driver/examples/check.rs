//! Checks what a C file asks for on two models: `cargo run --example check -- FILE`.

use fencepost_driver::check::{Terms, check};
use fencepost_driver::session::Session;
use fencepost_models::Buffering;

fn main() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/message.c");
    let file = std::env::args().nth(1).unwrap_or(shipped.into());
    let session = Session::load(file.as_ref(), &[], None).expect("the file is fine");
    for model in [Buffering::Tso, Buffering::Pso].map(Buffering::model) {
        for question in session.questions() {
            let result = check(&session, &question, &model, &Terms::default(), &|_| {});
            println!("{} on {}: {}", result.test, result.model, result.verdict.kind());
        }
    }
}
