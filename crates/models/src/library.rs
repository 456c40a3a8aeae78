//! The models that ship, and models from the user's files.

use crate::cat::{Buffering, Model};
use crate::parse;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{Origin, SourceMap};
use std::sync::OnceLock;

/// Names of the models that ship, strongest first.
pub const ALL: &[&str] = &["serial", "sc", "tso", "pso", "rmo", "relaxed"];

/// Those of hardware: what to check on if nobody names a model.
pub const HARDWARE: &[&str] = &["sc", "tso", "pso", "rmo", "relaxed"];

/// Models of today's languages and machines.
pub const MODERN: &[&str] = &["rc11", "x86", "armv8", "riscv", "power"];

/// How C is compiled to a machine, the usual way first.
pub fn mappings(machine: &str) -> &'static [&'static str] {
    match machine {
        "armv8" => &["exclusives", "lse", "rcpc"],
        "riscv" => &["fences"],
        "power" => &["leading", "trailing"],
        _ => &[],
    }
}

/// The model of an architecture, as the herd tools call it. Where there are read-modify-writes of two kinds, `single` asks
/// for those that are one instruction.
pub fn of_architecture(name: &str, single: bool) -> Option<Model> {
    let model = match name {
        "C" => "rc11",
        "X86" | "X86_64" => "x86",
        "AArch64" => "armv8",
        "RISCV" => "riscv",
        "PPC" => "power",
        _ => return None,
    };
    mapped(model, (single && mappings(model).contains(&"lse")).then_some("lse"))
}

/// What is known of a text beyond what it says.
struct Known {
    name: &'static str,
    buffering: Option<Buffering>,
    out_of_order: bool,
    ghosts: bool,
}

/// The texts of which something is known. `rlx` is what the machine does that executes out of order.
const KNOWN: [Known; 6] = [
    Known { name: "serial", buffering: None, out_of_order: false, ghosts: true },
    Known { name: "sc", buffering: Some(Buffering::Sc), out_of_order: false, ghosts: true },
    Known { name: "tso", buffering: Some(Buffering::Tso), out_of_order: false, ghosts: true },
    Known { name: "pso", buffering: Some(Buffering::Pso), out_of_order: false, ghosts: true },
    Known { name: "rmo", buffering: None, out_of_order: true, ghosts: false },
    Known { name: "rlx", buffering: None, out_of_order: true, ghosts: false },
];

/// Text of a file that ships under `texts/`.
pub(crate) fn shipped(file: &str) -> Option<&'static str> {
    Some(match file {
        "stdlib.cat" => include_str!("../texts/stdlib.cat"),
        "base.cat" => include_str!("../texts/base.cat"),
        "serial.cat" => include_str!("../texts/serial.cat"),
        "sc.cat" => include_str!("../texts/sc.cat"),
        "blocks.cat" => include_str!("../texts/blocks.cat"),
        "rc11.cat" => include_str!("../texts/rc11.cat"),
        "x86.cat" => include_str!("../texts/x86.cat"),
        "armv8.cat" => include_str!("../texts/armv8.cat"),
        "armv8-barriers.cat" => include_str!("../texts/armv8-barriers.cat"),
        "armv8-exclusives.cat" => include_str!("../texts/armv8-exclusives.cat"),
        "armv8-lse.cat" => include_str!("../texts/armv8-lse.cat"),
        "armv8-rcpc.cat" => include_str!("../texts/armv8-rcpc.cat"),
        "riscv.cat" => include_str!("../texts/riscv.cat"),
        "riscv-fences.cat" => include_str!("../texts/riscv-fences.cat"),
        "power.cat" => include_str!("../texts/power.cat"),
        "power-leading.cat" => include_str!("../texts/power-leading.cat"),
        "power-trailing.cat" => include_str!("../texts/power-trailing.cat"),
        "tso.cat" => include_str!("../texts/tso.cat"),
        "pso.cat" => include_str!("../texts/pso.cat"),
        "rmo.cat" => include_str!("../texts/rmo.cat"),
        "rlx.cat" => include_str!("../texts/rlx.cat"),
        "relaxed.cat" => include_str!("../texts/relaxed.cat"),
        _ => return None,
    })
}

/// The shipped model of this name.
pub fn builtin(name: &str) -> Option<Model> {
    mapped(name, None)
}

/// The shipped model of this name, with a certain mapping from C.
pub fn mapped(name: &str, mapping: Option<&str>) -> Option<Model> {
    let mut model = parsed(name, mapping)?;
    identify(&mut model);
    Some(model)
}

fn parsed(name: &str, mapping: Option<&str>) -> Option<Model> {
    let file = format!("{name}.cat");
    let ships = [ALL, MODERN].concat().contains(&name) || name == "rlx";
    let text = shipped(&file).filter(|_| ships)?;
    let sources = &mut SourceMap::default();
    let id = sources.add(&file, text, Origin::User);
    // A test parses all of them, so this cannot fail for a user.
    parse::model(name, id, mapping, sources).ok()
}

/// A text that says what a known one says is that model, under another name.
fn identify(model: &mut Model) {
    static TEXTS: OnceLock<Vec<Option<Model>>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| KNOWN.iter().map(|known| parsed(known.name, None)).collect());
    let says = |text: &Option<Model>| text.as_ref().is_some_and(|text| text.says_the_same(model));
    if let Some(at) = texts.iter().position(says) {
        KNOWN[at].tell(model);
    }
}

/// Sequential consistency.
pub fn sc() -> Model {
    builtin("sc").expect("a test loads it")
}

/// Operations one after the other, for the executions that specifications are made of.
pub fn serial() -> Model {
    builtin("serial").expect("a test loads it")
}

impl Known {
    fn tell(&self, model: &mut Model) {
        (model.buffering, model.out_of_order, model.ghosts) =
            (self.buffering, self.out_of_order, self.ghosts);
    }
}

impl Buffering {
    /// All of them, strongest first.
    pub const ALL: [Buffering; 3] = [Buffering::Sc, Buffering::Tso, Buffering::Pso];

    /// The name of the model of that machine.
    pub(crate) fn name(self) -> &'static str {
        let known = KNOWN.iter().find(|known| known.buffering == Some(self));
        known.expect("each is that of a model that ships").name
    }

    /// The model of that machine.
    pub fn model(self) -> Model {
        builtin(self.name()).expect("a test loads it")
    }

    /// The store buffers of the shipped model of this name.
    pub fn named(name: &str) -> Option<Buffering> {
        Buffering::ALL.into_iter().find(|buffering| buffering.name() == name)
    }
}

/// Reads a model from text. Diagnostics point into `sources`, to which the text is added. A text that says what a shipped
/// one says is that model, under another name.
pub fn load(name: &str, file: &str, text: &str, sources: &mut SourceMap) -> Result<Model, Vec<Diagnostic>> {
    load_mapped(name, file, text, None, sources)
}

/// The same, with a certain mapping from C.
pub fn load_mapped(
    name: &str,
    file: &str,
    text: &str,
    mapping: Option<&str>,
    sources: &mut SourceMap,
) -> Result<Model, Vec<Diagnostic>> {
    let id = sources.add(file, text, Origin::User);
    let mut model = parse::model(name, id, mapping, sources)?;
    identify(&mut model);
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shipped_models_load() {
        for name in [ALL, MODERN].concat() {
            let file = format!("{name}.cat");
            let text = shipped(&file).unwrap();
            let model = load(name, &file, text, &mut SourceMap::default()).unwrap();
            assert!(model.title.starts_with(name), "{}", model.title);
            for mapping in mappings(name) {
                assert_eq!(mapped(name, Some(mapping)).unwrap().mapping, Some(*mapping));
            }
            assert!(!model.constraints.is_empty());
            assert!(builtin(name).is_some());
        }
        assert!(builtin("base").is_none() && builtin("armv8-lse").is_none());
        assert!(mapped("armv8", Some("leading")).is_none());
    }

    #[test]
    fn a_copy_is_the_same_model() {
        for name in [ALL, MODERN].concat() {
            let text = shipped(&format!("{name}.cat")).unwrap();
            let copy = load("copy", "copy.cat", text, &mut SourceMap::default()).unwrap();
            let original = builtin(name).unwrap();
            assert_eq!((copy.buffering, copy.ghosts), (original.buffering, original.ghosts), "{name}");
            assert_eq!(copy.out_of_order, original.out_of_order, "{name}");
        }
        let rlx = load("mine", "mine.cat", shipped("rlx.cat").unwrap(), &mut SourceMap::default()).unwrap();
        assert!(rlx.out_of_order);
        assert!(Buffering::ALL.iter().all(|buffering| buffering.model().buffering == Some(*buffering)));
        assert_eq!((sc().buffering, serial().buffering), (Some(Buffering::Sc), None));
    }

    /// A name promises nothing.
    #[test]
    fn a_namesake_is_another_model() {
        let text = shipped("relaxed.cat").unwrap();
        for name in ["sc", "tso", "rmo", "rlx"] {
            let model = load(name, "my.cat", text, &mut SourceMap::default()).unwrap();
            assert_eq!((model.buffering, model.out_of_order, model.ghosts), (None, false, false), "{name}");
        }
        let weaker = shipped("tso.cat").unwrap().replace("irreflexive", "(* *) empty 0 as e irreflexive");
        let model = load("tso", "tso.cat", &weaker, &mut SourceMap::default()).unwrap();
        assert_eq!(model.buffering, None);
    }
}
