//! What an inference by execution buffers says of itself: a placement that was explored again and not decided is
//! not proved, and executions that were missed are told.

use fencepost_explore::rlx::Options;
use fencepost_explore::rlx::rules::Rules;
use fencepost_fences::rlx::{Extent, Goal, Obstacle, Solutions, Standing, infer};
use fencepost_harness::operation::Harness;
use fencepost_harness::verdict::Reason;

/// A sender, and a receiver that looks `count` times: how its branches go, it has to guess.
fn message(count: u32) -> String {
    closed(
        "data = 1; flag = 1;",
        &format!("for (int i = 0; i < {count}; i++) {{ if (flag) {{ if (!data) bad = 1; }} }}"),
    )
}

fn closed(one: &str, two: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
int data, flag, bad;
void *one(void *p) {{ {one} return 0; }}
void *two(void *p) {{ {two} return 0; }}
int main(void)
{{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!bad);
    return 0;
}}
"
    )
}

fn load(text: &str, slots: bool) -> Harness {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("writable");
    match fencepost_c::load_with(&path, &[], fencepost_c::Options { slots }) {
        Ok((harness, _)) => harness,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

fn inferred(harness: &Harness, model: &str, rounds: usize) -> Result<Solutions, Obstacle> {
    let extent = Extent { explore: Options { rounds, ..Options::default() }, ..Extent::default() };
    let rules = fencepost_models::builtin(model).as_ref().and_then(Rules::of).expect("a machine");
    infer(harness, &[Goal::Main], rules, &extent, &|_| 1)
}

fn is_about_rounds(standing: &Standing) -> bool {
    matches!(standing, Standing::Open(0, Reason::Unsupported(why)) if why.contains("rounds"))
}

#[test]
fn what_is_not_decided_again_is_not_proved() {
    let harness = load(&message(3), true);
    // The loop has more rounds than may be under way, with fences as without.
    let found = inferred(&harness, "rmo", 1).expect("fences help");
    assert!(!found.placements[0].fences.is_empty());
    assert!(is_about_rounds(&found.standing), "{:?}", found.standing);
    assert!(found.held && !found.is_complete());
    // With enough rounds nothing is left out.
    let found = inferred(&harness, "rmo", 4).expect("fences help");
    assert_eq!(found.standing, Standing::Holds);
    assert!(!found.held && found.is_complete());
}

#[test]
fn no_fences_are_no_proof_if_executions_were_missed() {
    let alone = closed("data = 1;", "for (int i = 0; i < 3; i++) { if (data) { if (flag) bad = 1; } }");
    let harness = load(&alone, true);
    let found = inferred(&harness, "rmo", 1).expect("decided as far as it goes");
    assert!(found.placements[0].fences.is_empty());
    assert!(is_about_rounds(&found.standing), "{:?}", found.standing);
    assert!(!found.is_complete());
    let found = inferred(&harness, "tso", 1).expect("nothing to do");
    assert!(found.placements[0].fences.is_empty());
    assert_eq!(found.standing, Standing::Holds);
    assert!(found.is_complete());
}

#[test]
fn without_slots_nothing_is_put_in() {
    let found = inferred(&load(&message(1), false), "pso", 1).expect("fences help");
    assert!(!found.placements[0].fences.is_empty());
    assert_eq!(found.standing, Standing::Untried);
}

/// An error that cannot be reached because nothing completes is not kept out by fences.
#[test]
fn a_program_that_never_completes_needs_no_placement() {
    let waits = closed("while (!flag) ;", "data = 1;");
    let found = inferred(&load(&waits, true), "pso", 1);
    assert!(matches!(found, Err(Obstacle::Inconclusive(0, Reason::Vacuous(_)))), "{found:?}");
}
