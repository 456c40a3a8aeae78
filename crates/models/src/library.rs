//! The models that ship, and models from the user's files.

use crate::cat::Model;
use crate::parse;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{Origin, SourceMap};

/// Names of the models that ship, strongest first.
pub const ALL: &[&str] = &["serial", "sc", "tso", "pso", "rmo", "relaxed"];

/// Text of a file that ships under `models/`.
pub(crate) fn shipped(file: &str) -> Option<&'static str> {
    Some(match file {
        "base.cat" => include_str!("../../../models/base.cat"),
        "serial.cat" => include_str!("../../../models/serial.cat"),
        "sc.cat" => include_str!("../../../models/sc.cat"),
        "tso.cat" => include_str!("../../../models/tso.cat"),
        "pso.cat" => include_str!("../../../models/pso.cat"),
        "rmo.cat" => include_str!("../../../models/rmo.cat"),
        "relaxed.cat" => include_str!("../../../models/relaxed.cat"),
        _ => return None,
    })
}

/// The shipped model of this name.
pub fn builtin(name: &str) -> Option<Model> {
    let file = format!("{name}.cat");
    let text = ALL.contains(&name).then(|| shipped(&file))??;
    // A test parses all of them, so this cannot fail for a user.
    load(name, &file, text, &mut SourceMap::default()).ok()
}

/// Reads a model from text. Diagnostics point into `sources`, to which the text is added.
pub fn load(name: &str, file: &str, text: &str, sources: &mut SourceMap) -> Result<Model, Vec<Diagnostic>> {
    let id = sources.add(file, text, Origin::User);
    parse::model(name, id, sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shipped_models_load() {
        for name in ALL {
            let file = format!("{name}.cat");
            let text = shipped(&file).unwrap();
            let model = load(name, &file, text, &mut SourceMap::default()).unwrap();
            assert!(model.title.starts_with(name), "{}", model.title);
            assert!(!model.constraints.is_empty());
            assert!(builtin(name).is_some());
        }
        assert!(builtin("base").is_none());
    }
}
