//! Ghost state: both engines, and verification, say the same of what it can tell, rule by rule and on random
//! programs.

mod common;

use common::session;
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_driver::verify::verify;
use fencepost_explore::Options;
use fencepost_explore::abstraction::Approach;
use fencepost_harness::budget::Budget;
use fencepost_harness::verdict::Kind;
use fencepost_reference::random::Random;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// What the engines say of a program of two threads on each model; they must agree.
fn verdicts(declarations: &str, threads: [&str; 2], claim: &str) -> [Kind; 3] {
    let thread = |number: usize, body: &str| {
        format!(
            "static void *thread{number}(void *unused)\n{{\n    int *r = a{number};\n{body}\n    return unused;\n}}\n"
        )
    };
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <fencepost.h>\nint a0[4], a1[4];\n{declarations}\n{}{}\
         int main(void)\n{{\n    pthread_t s, t;\n    pthread_create(&s, 0, thread0, 0);\n\
         \x20   pthread_create(&t, 0, thread1, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n\
         \x20   assert({claim});\n    return 0;\n}}\n",
        thread(0, threads[0]),
        thread(1, threads[1]),
    );
    let session = session(&text);
    let main = session.harness.main.expect("a main");
    MODELS.map(|name| {
        let model = fencepost_models::builtin(name).expect("it ships");
        let subject = &session.questions()[0];
        let bounded = check(&session, subject, &model, &Terms::default(), &|_| {});
        let terms = Terms { engine: Decider::Explicit(Options::default()), ..Terms::default() };
        let explicit = check(&session, subject, &model, &terms, &|_| {});
        let verified = verify(&session, main, &model, &Budget::default(), Approach::Refine, &|_| {}).result;
        let kinds = [bounded, explicit, verified].map(|result| result.verdict.kind());
        assert!(
            kinds[0] != Kind::Inconclusive && kinds.iter().all(|kind| *kind == kinds[0]),
            "{name}: {kinds:?}\n{text}"
        );
        kinds[0]
    })
}

const HOLDS: Kind = Kind::Holds;
const FAILS: Kind = Kind::Violated;

/// Checks a message: thread 0 does something and tells it in a ghost; thread 1 learns of that and looks. The claim is
/// that who learned of it sees it.
fn message(tells: &str, looks: &str, expected: [Kind; 3]) {
    let found = verdicts("int x, y, told;", [tells, looks], "!a1[0] || a1[1]");
    assert_eq!(found, expected, "{tells} | {looks}");
}

#[test]
fn every_rule() {
    let looks = "fp_ghost { r[0] = told; } r[1] = x;";
    // A ghost does not wait for stores before it.
    message("x = 1; fp_ghost { told = 1; }", looks, [HOLDS, FAILS, FAILS]);
    // It does if a fence keeps loads behind stores, and no other.
    for (fence, expected) in [
        ("store-load", [HOLDS, HOLDS, HOLDS]),
        ("full", [HOLDS, HOLDS, HOLDS]),
        ("store-store", [HOLDS, FAILS, FAILS]),
        ("load-store", [HOLDS, FAILS, FAILS]),
    ] {
        message(&format!("x = 1; fence(\"{fence}\"); fp_ghost {{ told = 1; }}"), looks, expected);
    }
    for (order, expected) in [("RELEASE", [HOLDS, FAILS, FAILS]), ("SEQ_CST", [HOLDS, HOLDS, HOLDS])] {
        message(
            &format!("__atomic_store_n(&x, 1, __ATOMIC_{order}); fp_ghost {{ told = 1; }}"),
            looks,
            expected,
        );
        let fence = format!("x = 1; __atomic_thread_fence(__ATOMIC_{order}); fp_ghost {{ told = 1; }}");
        message(&fence, looks, expected);
    }
    // What a read-modify-write stores is there at once; on tso, so is what was stored before it.
    message("cas(&x, 0, 1); fp_ghost { told = 1; }", looks, [HOLDS; 3]);
    message("x = 1; cas(&y, 0, 1); fp_ghost { told = 1; }", looks, [HOLDS, HOLDS, FAILS]);
    // A ghost comes after the loads before it, and before all that is behind it.
    let both = ["r[0] = x; fp_ghost { told = 1; }", "fp_ghost { r[0] = told; } x = 1;"];
    assert_eq!(verdicts("int x, told;", both, "!a1[0] || !a0[0]"), [HOLDS; 3]);
    let both = ["fp_ghost { told = 1; } x = 1;", "r[0] = x; fp_ghost { r[1] = told; }"];
    assert_eq!(verdicts("int x, told;", both, "!a1[0] || a1[1]"), [HOLDS; 3]);
    let both = ["fp_ghost { r[1] = told; } r[0] = x;", "x = 1; fence(\"full\"); fp_ghost { told = 1; }"];
    assert_eq!(verdicts("int x, told;", both, "!a0[1] || a0[0]"), [HOLDS; 3]);
    // Ghosts of one thread are in order, and each happens as one.
    let both = [
        "fp_ghost { told = 1; } fp_ghost { seen = 1; last = 1; }",
        "fp_ghost { r[0] = last; } fp_ghost { r[1] = seen; r[2] = told; }",
    ];
    assert_eq!(verdicts("int told, seen, last;", both, "!a1[0] || (a1[1] && a1[2])"), [HOLDS; 3]);
    let both = ["fp_ghost { told = 1; seen = 1; }", "fp_ghost { r[0] = told; r[1] = seen; }"];
    assert_eq!(verdicts("int told, seen;", both, "a1[0] == a1[1]"), [HOLDS; 3]);
    // Two threads that are inside at once.
    let enter = |me: usize, fence: &str| {
        format!(
            "wants[{me}] = 1; {fence} if (!wants[{}]) {{ fp_ghost {{ inside++; }} fp_ghost {{ r[0] = inside; inside--; }} }}",
            1 - me
        )
    };
    for (fence, expected) in [("", [HOLDS, FAILS, FAILS]), ("fence(\"store-load\");", [HOLDS; 3])] {
        let threads = [enter(0, fence), enter(1, fence)];
        let found = verdicts("int wants[2], inside;", [&threads[0], &threads[1]], "a0[0] < 2 && a1[0] < 2");
        assert_eq!(found, expected, "{fence}");
    }
}

/// Memory that ghosts share with other accesses: they see the stores of their own thread, as loads do, and do not
/// come before them.
#[test]
fn shared_with_the_program() {
    let alone = "x = 1; fp_ghost { r[0] = x; }";
    assert_eq!(verdicts("int x;", [alone, "r[1] = x;"], "a0[0]"), [HOLDS; 3]);
    let over = "x = 1; fp_ghost { x = 2; }";
    assert_eq!(verdicts("int x;", [over, "r[1] = x;"], "x == 2"), [HOLDS; 3]);
    let both = ["x = 1; fp_ghost { told = x; }", "fp_ghost { r[0] = told; } r[1] = x;"];
    assert_eq!(verdicts("int x, told;", both, "!a1[0] || a1[1]"), [HOLDS, FAILS, FAILS]);
}

fn statement(random: &mut Random, register: &mut usize) -> String {
    let mut into = || {
        *register = (*register + 1) % 4;
        format!("r[{register}]")
    };
    let (v, g) = (random.below(2), random.below(2));
    match if random.one_in(4) { random.below(3) } else { random.below(9) } {
        0 | 1 => format!("    v[{v}] = 1;\n"),
        2 => format!("    {} = v[{v}];\n", into()),
        3 => {
            let kind = random.pick(&["store-load", "store-store", "load-store", "full"]);
            format!("    fence(\"{kind}\");\n")
        }
        4 => format!("    {} = cas(&v[{v}], 0, 1);\n", into()),
        5 => format!("    fp_ghost {{ g[{g}] = 1; }}\n"),
        6 => format!("    fp_ghost {{ {} = v[{v}]; v[{}] = 2; }}\n", into(), random.below(2)),
        7 => format!("    fp_ghost {{ {} = g[{g}]; }}\n", into()),
        _ => format!("    fp_ghost {{ {} = g[{g}]; g[{}] = 1; }}\n", into(), 1 - g),
    }
}

#[test]
fn random_programs() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let mut seen = [0; 2];
    for seed in 0..programs {
        let mut random = Random::new(seed + 83_000_000);
        let bodies = [0, 1].map(|_| {
            let mut register = 3;
            (0..2 + random.below(4)).map(|_| statement(&mut random, &mut register)).collect::<String>()
        });
        let terms: Vec<String> = (0..3)
            .map(|_| format!("a{}[{}] == {}", random.below(2), random.below(3), random.below(2)))
            .collect();
        let claim = format!("!({})", terms.join(" && "));
        for kind in verdicts("int v[2], g[2];", [&bodies[0], &bodies[1]], &claim) {
            seen[usize::from(kind == FAILS)] += 1;
        }
    }
    assert!(
        !fencepost_reference::random::is_usual() || seen[0] > 50 && seen[1] > 50,
        "{} hold, {} fail",
        seen[0],
        seen[1]
    );
}
