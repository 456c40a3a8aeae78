//! Which orders are offered instead of a fence, and what the text then is.

use fencepost_c::{Options, load_with};
use fencepost_fences::orders::{self, Stronger, instead};
use fencepost_fences::patch::patches;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::Program;
use std::collections::BTreeSet;

fn load(body: &str) -> Program {
    let text = format!(
        "#include <stdatomic.h>\n#define SET(x) atomic_store_explicit(&(x), 1, memory_order_relaxed)\n\
         atomic_int x, y;\nint plain, expected;\nint f(void)\n{{\n{body}\n    return 0;\n}}\n\
         #pragma fencepost op f = f()\n#pragma fencepost test T = ( f )\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, &text).expect("it can be written");
    match load_with(&path, &[], Options { slots: true }) {
        Ok((harness, _)) => harness.program,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

/// The ways to do without a fence in front of the statement marked with `/**/`, each as the body it gives.
fn ways(body: &str, kind: &str) -> Vec<String> {
    let program = load(body);
    let file = program.sources.files().find(|(_, file)| file.text.contains("/**/"));
    let (id, file) = file.expect("a mark");
    let mark = file.text.find("/**/").expect("a mark") as u32 + 4;
    let slot = program.slots.iter().find(|slot| slot.at.file == id && slot.at.start >= mark);
    let kind = FenceKind::named(kind).expect("a kind");
    let text = |way: Vec<Stronger>| {
        let [patch] = &patches(&program, &BTreeSet::new(), &way)[..] else { panic!("one file") };
        let start = patch.text.find("{\n").expect("a body") + 2;
        let end = patch.text.find("\n    return 0;").expect("its end");
        patch.text[start..end].replace("/**/", "")
    };
    instead(&program, slot.expect("a place"), kind).into_iter().map(text).collect()
}

#[test]
fn release_goes_to_the_next_store() {
    let body = "plain = 1;\n/**/plain = 2; atomic_load_explicit(&y, memory_order_relaxed);\n\
                atomic_store_explicit(&x, 1, memory_order_relaxed);";
    let expected = "plain = 1;\nplain = 2; atomic_load_explicit(&y, memory_order_relaxed);\n\
                    atomic_store_explicit(&x, 1, memory_order_release);";
    assert_eq!(ways(body, "release"), [expected]);
}

#[test]
fn acquire_goes_to_the_last_load() {
    let body = "atomic_load_explicit(&x, memory_order_relaxed);\natomic_load_explicit(&y, memory_order_relaxed);\n\
                atomic_store_explicit(&x, 1, memory_order_relaxed);\n/**/plain = 2;";
    let expected = body.replace("&y, memory_order_relaxed", "&y, memory_order_acquire").replace("/**/", "");
    assert_eq!(ways(body, "acquire"), [expected]);
}

#[test]
fn seq_cst_goes_to_both_sides() {
    let body = "atomic_store_explicit(&x, 1, memory_order_relaxed);\n/**/plain = 1;\n\
                atomic_load_explicit(&y, memory_order_relaxed);";
    let expected = body.replace("relaxed", "seq_cst").replace("/**/", "");
    assert_eq!(ways(body, "seq_cst"), [expected]);
    // With only one of them it is not known to be enough in C11.
    assert!(
        ways("atomic_store_explicit(&x, 1, memory_order_relaxed);\n/**/plain = 1;", "seq_cst").is_empty()
    );
}

#[test]
fn acq_rel_goes_to_either_side_or_both() {
    let body = "atomic_load_explicit(&y, memory_order_relaxed);\n/**/plain = 1;\n\
                atomic_store_explicit(&x, 1, memory_order_relaxed);";
    let first = body.replace("&y, memory_order_relaxed", "&y, memory_order_acquire").replace("/**/", "");
    let second = body.replace("1, memory_order_relaxed", "1, memory_order_release").replace("/**/", "");
    let both = first.replace("1, memory_order_relaxed", "1, memory_order_release");
    assert_eq!(ways(body, "acq_rel"), [first, second, both]);
}

#[test]
fn orders_join() {
    // What it does already, an access keeps doing; a compare-and-swap that succeeds has the first order.
    let body = "/**/plain = 1;\natomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_acquire, \
                memory_order_acquire);";
    let expected = body.replacen("memory_order_acquire", "memory_order_acq_rel", 1).replace("/**/", "");
    assert_eq!(ways(body, "release"), [expected]);
    assert!(ways(&body.replacen("acquire", "acq_rel", 1), "release").is_empty());
    let body = "/**/plain = 1;\n__atomic_fetch_add(&plain, 1, __ATOMIC_RELAXED);";
    assert_eq!(ways(body, "release"), [body.replace("RELAXED", "RELEASE").replace("/**/", "")]);
}

#[test]
fn inner_accesses_keep_their_orders() {
    let body = "/**/plain = 1;\natomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_relaxed), \
                memory_order_relaxed);";
    let expected = "plain = 1;\natomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_relaxed), \
                    memory_order_release);";
    assert_eq!(ways(body, "release"), [expected]);
}

#[test]
fn inner_swaps_are_not_the_call() {
    let inner = "atomic_compare_exchange_strong_explicit(&y, &expected, 1, memory_order_relaxed, memory_order_relaxed)";
    let body = format!("/**/plain = 1;\natomic_store_explicit(&x, {inner}, memory_order_relaxed);");
    let expected = format!("plain = 1;\natomic_store_explicit(&x, {inner}, memory_order_release);");
    assert_eq!(ways(&body, "release").last(), Some(&expected));
    // Words in comments and other arguments name no order of the call.
    let body = "/**/plain = 1;\natomic_store_explicit(&x, memory_order_relaxed, /* memory_order_seq_cst, compare_exchange */ \
                memory_order_relaxed /* memory_order_seq_cst */);";
    let expected = body.replace("*/ memory_order_relaxed", "*/ memory_order_release").replace("/**/", "");
    assert_eq!(ways(body, "release"), [expected]);
}

#[test]
fn text_without_orders_stays() {
    assert!(ways("/**/plain = 1;\nSET(x);", "release").is_empty());
    assert!(ways("/**/plain = 1;\nx = 1;", "release").is_empty());
    assert!(ways("/**/plain = 1;\nplain = 2;", "release").is_empty());
}

#[test]
fn one_access_can_replace_two_fences() {
    let program = load("atomic_exchange_explicit(&x, 1, memory_order_relaxed);");
    let slots = [program.slots.first().expect("in front"), program.slots.last().expect("behind")];
    let mut all = Vec::new();
    for (slot, kind) in slots.into_iter().zip(["release", "acquire"]) {
        let kind = FenceKind::named(kind).expect("a kind");
        orders::add(&mut all, &instead(&program, slot, kind)[0]);
    }
    let names: Vec<String> = all.iter().map(Stronger::name).collect();
    assert_eq!(names, ["memory_order_acq_rel"]);
}
