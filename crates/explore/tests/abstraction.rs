//! Abstract store buffers against real ones, on random programs: what real ones do, abstract ones do; with heads
//! that are long enough they do nothing else; and with a fence behind every store, a head of one is enough.
//!
//! `PROGRAMS=5000 cargo test -p fencepost-explore --test abstraction` is the slow tier.

mod support;

use fencepost_explore::abstraction::{Abstraction, Approach, Verification, verify};
use fencepost_explore::{Buffering, Options, Reductions, explore};
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::Observation;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::lower::lower;
use fencepost_reference::program::{Fence, Instruction, Order, Outcome, Program};
use fencepost_reference::random::Random;
use std::collections::BTreeSet;
use support::{program, replays};

fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

fn options(model: Buffering, abstraction: &str) -> Options {
    let abstraction = Abstraction::named(abstraction).expect("an abstraction");
    Options { buffering: model, abstraction, ..Options::default() }
}

fn outcomes(program: &Program, options: &Options) -> BTreeSet<Outcome> {
    let (harness, test) = lower(program);
    let found = explore(&harness, &Question::Test(test), None, options, None, &|_| {});
    assert_eq!(found.finding, Finding::Holds, "{program}");
    let outcome = |o: &&Observation| o.iter().map(|value| value.defined().expect("defined")).collect();
    found.observations.sorted().iter().map(outcome).collect()
}

const ABSTRACTIONS: [&str; 7] = ["set", "fd:0", "fd:1", "fd:2", "pd:0", "pd:1", "pd:2"];

/// No abstraction loses an outcome, and those with long heads add none.
#[test]
fn abstractions_lose_nothing() {
    let mut coarser = BTreeSet::new();
    for model in [Buffering::Tso, Buffering::Pso] {
        for seed in 0..programs() {
            let size = Size { threads: 2 + seed as usize % 2, accesses: 9, partial_fences: true };
            let program = generate::program(&mut Random::new(seed + 31_000_000), size);
            let real = outcomes(&program, &options(model, "none"));
            for name in ABSTRACTIONS {
                let found = outcomes(&program, &options(model, name));
                assert!(
                    real.is_subset(&found),
                    "{name} on {model:?}, seed {seed}: loses outcomes\n{program}"
                );
                if found.len() > real.len() {
                    coarser.insert(name);
                }
            }
            for name in ["fd:20", "pd:20"] {
                let found = outcomes(&program, &options(model, name));
                assert_eq!(found, real, "{name} on {model:?}, seed {seed}\n{program}");
            }
        }
    }
    assert!(coarser.contains("set") && coarser.contains("fd:0"), "nothing was abstracted: {coarser:?}");
}

/// Reductions of steps change no outcome of an abstraction's long heads.
#[test]
fn reductions_change_nothing() {
    for model in [Buffering::Tso, Buffering::Pso] {
        for seed in 0..programs().div_ceil(4) {
            let size = Size { threads: 2, accesses: 8, partial_fences: true };
            let program = generate::program(&mut Random::new(seed + 37_000_000), size);
            let plain = Options { reductions: Reductions::NONE, ..options(model, "fd:20") };
            assert_eq!(
                outcomes(&program, &plain),
                outcomes(&program, &options(model, "fd:20")),
                "{model:?}, seed {seed}\n{program}"
            );
        }
    }
}

/// A full fence behind every store.
fn fenced(block: &[Instruction]) -> Vec<Instruction> {
    let mut out = Vec::new();
    for instruction in block {
        match instruction {
            Instruction::If(condition, yes, no) => {
                out.push(Instruction::If(*condition, fenced(yes), fenced(no)));
            }
            Instruction::Store(location, operand, _) => {
                out.push(Instruction::Store(*location, *operand, Order::Plain));
                out.push(Instruction::Fence(Fence::FULL));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

/// Section 5.1: a head of one makes an abstraction SC-recoverable. Without a head it is not.
#[test]
fn fences_recover_sequential_consistency() {
    let mut lost = false;
    for model in [Buffering::Tso, Buffering::Pso] {
        for seed in 0..programs() {
            let size = Size { threads: 2 + seed as usize % 2, accesses: 8, partial_fences: false };
            let mut program = generate::program(&mut Random::new(seed + 41_000_000), size);
            for operation in program.threads.iter_mut().flatten() {
                *operation = fenced(operation);
            }
            let sequential = outcomes(&program, &options(Buffering::Sc, "none"));
            for name in ["fd:1", "fd:2", "pd:1", "pd:2"] {
                let found = outcomes(&program, &options(model, name));
                assert_eq!(found, sequential, "{name} on {model:?}, seed {seed}\n{program}");
            }
            lost |= outcomes(&program, &options(model, "fd:0")) != sequential;
        }
    }
    assert!(!fencepost_reference::random::is_usual() || lost, "no program tells a head of one from none");
}

/// A random closed program whose threads run for ever: loads, stores, fences and branches on three bits of memory,
/// and an assertion that rules out one combination of what was loaded.
fn endless(random: &mut Random) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <fencepost.h>\n#include <pthread.h>\n#include <stdbool.h>\nbool v[3];\n",
    );
    for thread in 0..2 {
        text += &format!(
            "static void *thread{thread}(void *unused) {{\n  while (true) {{ bool r[2] = {{0, 0}};\n"
        );
        let length = 3 + random.below(4);
        let mut loads = 0;
        for _ in 0..length {
            let variable = random.below(3);
            text += &match random.below(7) {
                0..3 => format!("    v[{variable}] = {};\n", random.below(2)),
                3..5 => {
                    loads += 1;
                    format!("    r[{}] = v[{variable}];\n", loads % 2)
                }
                5 => "    fence(\"full\");\n".to_owned(),
                _ => format!("    if (r[{}]) v[{variable}] = 1; else v[{variable}] = 0;\n", random.below(2)),
            };
        }
        let (a, b) = (random.below(2), random.below(2));
        text += &format!("    assert(!(r[0] == {a} && r[1] == {b}));\n  }}\n  return unused;\n}}\n");
    }
    text + "int main(void) { pthread_t a, b; pthread_create(&a, 0, thread0, 0); pthread_create(&b, 0, thread1, 0);
        pthread_join(a, 0); pthread_join(b, 0); return 0; }\n"
}

fn run(harness: &Harness, options: &Options, approach: Approach) -> Verification {
    let main = harness.main.expect("there is a main");
    verify(harness, &Question::Main(main), options, approach, &|_| {})
}

/// No abstraction proves what real buffers, even short ones, violate; what is said to be violated replays.
#[test]
fn endless_programs_agree() {
    let (mut held, mut violated, mut refined) = (0, 0, 0);
    for seed in 0..programs() {
        let text = endless(&mut Random::new(seed + 53_000_000));
        let harness = program(&text);
        for (model, name) in [(Buffering::Tso, "tso"), (Buffering::Pso, "pso")] {
            // Programs whose states are many tell no more than others.
            let budget = Budget { states: Some(10_000), ..Budget::default() };
            let options = Options { buffering: model, budget, ..Options::default() };
            let short = Options { buffer: 2, ..options.clone() };
            let real = run(&harness, &short, Approach::Fixed(Abstraction::Exact));
            let broken = matches!(real.finding, Finding::Violated { .. });
            let approaches =
                ABSTRACTIONS.map(|name| Approach::Fixed(Abstraction::named(name).expect("it is one")));
            for approach in approaches.into_iter().chain([Approach::Refine]) {
                let found = run(&harness, &options, approach);
                match &found.finding {
                    Finding::Holds => {
                        assert!(!broken, "seed {seed}, {name}, {approach:?} proves what is wrong:\n{text}");
                        held += 1;
                    }
                    Finding::Violated { trace, .. } => {
                        replays(&harness, trace, name);
                        violated += 1;
                    }
                    Finding::Inconclusive(_) => refined += 1,
                }
            }
        }
    }
    assert!(
        !fencepost_reference::random::is_usual() || held > 0 && violated > 0 && refined > 0,
        "{held} held, {violated} violated, {refined} open"
    );
}
