//! Fences inferred from abstract store buffers: what the paper says of its examples, and on random programs that
//! every placement does what it is for.

use fencepost_explore::abstraction::{Abstraction, Approach, verify};
use fencepost_explore::{Buffering, Options};
use fencepost_fences::guided::{self, Effort, Searched};
use fencepost_fences::proved::Proved;
use fencepost_fences::store_buffers::{Inferred, fenced, fewest, infer};
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::Finding;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::SlotId;
use fencepost_reference::random::Random;
use std::path::{Path, PathBuf};

fn corpus(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/blender").join(file)
}

fn load(path: &Path, arguments: &[&str]) -> Harness {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    match fencepost_c::load_with(path, &arguments, fencepost_c::Options { slots: true }) {
        Ok((harness, _)) => harness,
        Err(rejected) => panic!("{}: {:?}", path.display(), rejected.diagnostics),
    }
}

fn options(model: &str, abstraction: &str) -> Options {
    let abstraction = Abstraction::named(abstraction).expect("an abstraction");
    Options { buffering: Buffering::named(model).expect("a machine"), abstraction, ..Options::default() }
}

fn inferred(harness: &Harness, options: &Options) -> Inferred {
    let main = &Question::Main(harness.main.expect("there is a main"));
    infer(harness, main, options, 50, &fewest(&harness.program), &|_| {}).expect("small enough")
}

/// How many fences a search finds, if the abstraction has to prove each placement.
fn searched(harness: &Harness, options: &Options) -> Option<usize> {
    let full = [FenceKind::Full];
    let main = harness.main.expect("there is a main");
    let mut question = [Proved::new(harness, main, options, Approach::Fixed(options.abstraction), &full)];
    let costs = vec![vec![1]; harness.program.slots.len()];
    let budget = &Budget::default();
    let search = guided::Options { kinds: &full, costs: &costs, limit: 1, budget, progress: &|_| {} };
    match guided::infer(&mut question, &search, &mut Effort::default()).expect("small enough") {
        Searched::Placements { found, .. } => Some(found[0].placement.len()),
        Searched::Hopeless { .. } => None,
    }
}

/// The lines in front of which the fences of a placement go.
fn lines(harness: &Harness, placement: &[SlotId]) -> Vec<u32> {
    let slot = |slot: &SlotId| harness.program.slots[slot.0 as usize].at;
    placement.iter().map(|id| harness.program.sources.position(slot(id)).line).collect()
}

/// What verification says of the program with some fences.
fn verdict(harness: &Harness, placement: &[SlotId], options: &Options, approach: Approach) -> Finding {
    let harness = Harness { program: fenced(&harness.program, placement), ..harness.clone() };
    let main = &Question::Main(harness.main.expect("there is a main"));
    verify(&harness, main, options, approach, &|_| {}).finding
}

/// The line of a file that has a text.
fn line_of(path: &Path, text: &str) -> u32 {
    let file = std::fs::read_to_string(path).expect("readable");
    file.lines().position(|line| line.contains(text)).expect("the text is there") as u32 + 1
}

/// Figure 2: one fence between the stores to `wants` and `turn`, one before the loads.
#[test]
fn peterson_on_pso_needs_the_fences_of_figure_2() {
    let path = corpus("peterson.c");
    let harness = load(&path, &["-DUNFENCED"]);
    let (first, second) = (line_of(&path, "ORDER(1"), line_of(&path, "ORDER(2"));
    for abstraction in ["fd:0", "fd:1", "pd:1"] {
        let options = options("pso", abstraction);
        let found = inferred(&harness, &options);
        let fewest = found.cheapest.expect("fences repair it");
        // Without its text, a fence is where the next statement begins.
        let at = lines(&harness, &fewest);
        assert_eq!(at.len(), 2, "{abstraction}: {at:?}");
        assert!((first..=first + 1).contains(&at[0]) && (second..=second + 1).contains(&at[1]), "{at:?}");
        assert_eq!(verdict(&harness, &fewest, &options, Approach::Refine), Finding::Holds);
        for left_out in 0..fewest.len() {
            let mut fewer = fewest.clone();
            fewer.remove(left_out);
            let without = verdict(&harness, &fewer, &options, Approach::Refine);
            assert!(matches!(without, Finding::Violated { .. }), "fence {left_out} is not needed");
        }
    }
}

/// Section 6.3.2: on tso one fence is enough, which a head of two shows and shorter ones do not.
#[test]
fn peterson_on_tso_needs_a_head_of_two() {
    let harness = load(&corpus("peterson.c"), &["-DUNFENCED"]);
    for (abstraction, fences) in
        [("pd:0", 2), ("pd:1", 2), ("pd:2", 1), ("fd:0", 2), ("fd:1", 2), ("fd:2", 1)]
    {
        let fewest = inferred(&harness, &options("tso", abstraction)).cheapest.expect("fences repair it");
        assert_eq!(fewest.len(), fences, "{abstraction}");
    }
}

/// Figure 6: no fence with a head of one, a redundant one without.
#[test]
fn figure_6_needs_no_fence() {
    let harness = load(&corpus("figure-6.c"), &[]);
    for (abstraction, fences) in [("fd:0", 1), ("fd:1", 0), ("pd:1", 0)] {
        let fewest = inferred(&harness, &options("pso", abstraction)).cheapest.expect("fences repair it");
        assert_eq!(fewest.len(), fences, "{abstraction}");
    }
}

/// Section 6.3.3: without a head, no fences repair the fast mutex; with one, two besides the one that is there.
#[test]
fn the_fast_mutex_needs_a_head() {
    let harness = load(&corpus("fast-mutex.c"), &["-DONLY_FENCE=1"]);
    for abstraction in ["fd:0", "pd:0"] {
        assert_eq!(inferred(&harness, &options("pso", abstraction)).cheapest, None, "{abstraction}");
    }
    for abstraction in ["fd:1", "pd:1"] {
        let found = inferred(&harness, &options("pso", abstraction));
        assert_eq!(found.cheapest.map(|fewest| fewest.len()), Some(2), "{abstraction}");
    }
}

/// A random program: two threads store to three variables and load, some of it in a loop, and an assertion rules out
/// one combination of what they loaded last.
fn tiny(random: &mut Random) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\nint v[3], r[2];\n");
    for thread in 0..2 {
        text += &format!("static void *thread{thread}(void *unused) {{\n    int last = 2;\n");
        let repeats = random.below(4) == 0;
        if repeats {
            text += "    for (int n = 0; n < 2; n++) {\n";
        }
        for _ in 0..1 + random.below(3) {
            let variable = random.below(3);
            text += &match random.below(2) {
                0 => format!("    v[{variable}] = {};\n", 1 + random.below(2)),
                _ => format!("    last = v[{variable}];\n"),
            };
        }
        if repeats {
            text += "    }\n";
        }
        // Mostly, what goes wrong if stores are late: each announces itself and looks at the other.
        if random.below(3) > 0 {
            text += &format!("    v[{thread}] = 1;\n    last = v[{}];\n", 1 - thread);
        }
        text += &format!("    r[{thread}] = last;\n    return unused;\n}}\n");
    }
    let (a, b) = (random.below(4) / 3, random.below(4) / 3);
    text += "int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, thread0, 0);\n";
    text += "    pthread_create(&b, 0, thread1, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n";
    text + &format!("    assert(r[0] != {a} || r[1] != {b});\n    return 0;\n}}\n")
}

/// Every placement is enough for the abstraction that it comes from; with a head, programs that are right on sc
/// can be repaired; and where no fence is asked for, none is needed. A search with the same abstraction finds no more.
#[test]
fn placements_repair_random_programs() {
    let (mut repaired, mut right, mut agreed) = (0, 0, 0);
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..40 {
        let text = tiny(&mut Random::new(seed + 61_000_000));
        let path = folder.path().join(format!("{seed}.c"));
        std::fs::write(&path, &text).expect("writable");
        let harness = load(&path, &[]);
        let exact = Approach::Fixed(Abstraction::Exact);
        let sequential = verdict(&harness, &[], &options("sc", "none"), exact) == Finding::Holds;
        for (model, abstraction) in [
            ("pso", "fd:1"),
            ("pso", "pd:1"),
            ("tso", "fd:1"),
            ("tso", "pd:1"),
            ("pso", "fd:0"),
            ("tso", "pd:0"),
        ] {
            let options = options(model, abstraction);
            let found = inferred(&harness, &options);
            let name = format!("seed {seed}, {model}, {abstraction}\n{text}");
            if !abstraction.ends_with('0') {
                assert_eq!(found.cheapest.is_some(), sequential, "{name}");
            }
            // A search finds no more fences, and finds some where formulas do.
            let (formulas, search) = (found.cheapest.as_ref().map(Vec::len), searched(&harness, &options));
            assert!(formulas.is_none_or(|count| search.is_some_and(|found| found <= count)), "{name}");
            agreed += usize::from(formulas == search);
            for placement in &found.listed {
                let approach = Approach::Fixed(options.abstraction);
                let got = verdict(&harness, placement, &options, approach);
                assert_eq!(got, Finding::Holds, "{:?} {name}", lines(&harness, placement));
                match placement.is_empty() {
                    true => right += 1,
                    false => repaired += 1,
                }
            }
        }
    }
    assert!(repaired > 20 && right > 20, "{repaired} repaired, {right} right");
    assert!(agreed > 200, "{agreed} of 240 agree");
}
