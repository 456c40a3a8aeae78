//! The tests under `corpus/litmus/herd`: each says in lines `@expected MODEL VERDICT` how often its condition holds there.

use fencepost_harness::budget::Budget;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus/herd");
    let folders = std::fs::read_dir(root).expect("it is there").flatten();
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn verdicts_are_as_expected() {
    let mut wrong = Vec::new();
    let files = files();
    assert_eq!(files.len(), 87, "an exact count, so that none is missed");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let name = path.display().to_string();
        let litmus =
            fencepost_litmus::read(&name, &text).unwrap_or_else(|unread| panic!("{:?}", unread.diagnostics));
        let expectations: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("@expected ")).collect();
        assert!(!expectations.is_empty(), "{name} expects nothing");
        for expectation in expectations {
            let (model, verdict) = expectation.split_once(' ').expect("a model and a verdict");
            // On its own architecture, as the command runs it.
            let own = fencepost_models::of_architecture(litmus.arch.name(), litmus.single);
            let own = own.filter(|own| own.name == model);
            let model = own.or_else(|| fencepost_models::builtin(model)).expect("it ships");
            match litmus.run(&model, &Budget::default()) {
                Ok(found) if found.verdict().word() == verdict => {}
                other => wrong.push(format!("{name} on {}: {other:?}", model.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A conditional dependency, a predicated store or a fence that is lost on the way from the text would show here.
#[test]
fn weaker_models_tell_what_is_ordered() {
    let rmo = fencepost_models::builtin("rmo").expect("it ships");
    for (name, verdict) in [
        ("aarch64/MP", "Sometimes"),
        ("aarch64/MP+dmb.st+dmb.ld", "Never"),
        ("aarch64/MP+dmb.ish+addr", "Never"),
        ("aarch64/MP+dmb.sy+ctrl", "Sometimes"),
        ("aarch64/LB+data+data", "Never"),
        ("aarch64/LB+ctrl+po", "Sometimes"),
        ("aarch64/SB+dmb.sys", "Never"),
        ("riscv/SB+fence.tsos", "Sometimes"),
        ("riscv/SB+fence.w.rs", "Never"),
        ("riscv/LB+data+ctrl", "Never"),
        ("riscv/MP+amoswap.rl+amoadd.aq", "Never"),
        ("ppc/MP+lwsync+addr", "Never"),
        ("ppc/MP+eieio+ctrl-isync", "Sometimes"),
        ("ppc/SB+lwsyncs", "Sometimes"),
        ("x86/2+2W", "Sometimes"),
        ("c/MP+fences", "Never"),
        ("c/LB", "Sometimes"),
    ] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../corpus/litmus/herd/{name}.litmus"));
        let text = std::fs::read_to_string(path).expect("it is there");
        let litmus =
            fencepost_litmus::read(name, &text).unwrap_or_else(|unread| panic!("{:?}", unread.diagnostics));
        let found = litmus.run(&rmo, &Budget::default()).expect("no limits are set");
        assert_eq!(found.verdict().word(), verdict, "{name}: {found:?}");
    }
}

/// Whatever is cut off or left out, the answer is a test or a diagnostic.
#[test]
fn no_text_is_too_bad() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("it is text");
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let _ = fencepost_litmus::read("cut", &text[..at]);
            let _ = fencepost_litmus::read("without", &format!("{}{}", &text[..at], &text[at + 1..]));
            let _ = fencepost_litmus::read("foreign", &format!("{}é{}", &text[..at], &text[at + 1..]));
        }
    }
}
