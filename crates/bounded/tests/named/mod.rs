//! Models by name: those that ship, and `rlx`, by which the corpus compares with a paper's machine.

use fencepost_lsl::source::SourceMap;
use fencepost_models::cat::Model;

pub(crate) fn model(name: &str) -> Model {
    if name == "rlx" {
        let text = include_str!("../../../../corpus/fender/rlx.cat");
        return fencepost_models::load(name, "rlx.cat", text, &mut SourceMap::default()).expect("it loads");
    }
    fencepost_models::builtin(name).expect("it ships")
}
