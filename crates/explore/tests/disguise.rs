//! Addresses in forms that are not recognised, and objects that ghosts tell of: with reductions and without, the engine
//! says the same, on handwritten and on random programs.
//!
//! `PROGRAMS=2000 cargo test -p fencepost-explore --test disguise` is the slow tier; a failure prints the program.

mod support;

use fencepost_explore::abstraction::{Abstraction, Approach, verify};
use fencepost_explore::{Buffering, Options, Reductions, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_reference::random::Random;
use support::{program, replays};

fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

/// Whether a closed program is violated on a model, as all reductions and ways to verify agree.
fn violated(text: &str, model: Buffering) -> bool {
    let harness = program(text);
    let main = harness.main.expect("there is a main");
    let all = Reductions::default();
    let variants =
        [Reductions::NONE, all, Reductions { rename: true, ..all }, Reductions { remember: false, ..all }];
    let name = format!("{model:?}").to_lowercase();
    let kind = |verdict: &Finding| match verdict {
        Finding::Holds | Finding::Inconclusive(Reason::Vacuous(_)) => false,
        Finding::Violated { trace, .. } => {
            replays(&harness, trace, &name);
            true
        }
        Finding::Inconclusive(reason) => panic!("{name}: {reason}\n{text}"),
    };
    let found = variants.map(|reductions| {
        let mut options = Options { buffering: model, reductions, ..Options::default() };
        options.budget.states = Some(200_000);
        kind(&explore(&harness, &Question::Main(main), None, &options, None, &|_| {}).finding)
    });
    let options = Options { buffering: model, ..Options::default() };
    let approach = Approach::Fixed(Abstraction::Exact);
    let verified = verify(&harness, &Question::Main(main), &options, approach, &|_| {});
    let proved = kind(&verified.finding);
    assert!(found.iter().all(|one| *one == proved), "{name}: {found:?}, {proved}\n{text}");
    proved
}

/// A way to keep an address: the declaration of where, how it is put there from `p` and got back from there.
const FORMS: [(&str, &str, &str, bool); 16] = [
    ("struct node *kept;", "kept = p;", "p = kept;", true),
    ("uintptr_t kept;", "kept = (uintptr_t)p | 1;", "p = (struct node *)(kept & ~(uintptr_t)1);", true),
    (
        "uintptr_t kept;",
        "kept = (uintptr_t)p | (uintptr_t)seen << 48;",
        "p = (struct node *)(kept << 16 >> 16);",
        true,
    ),
    ("uintptr_t kept;", "kept = (uintptr_t)p << 16 | 5;", "p = (struct node *)(kept >> 16);", true),
    ("uint32_t kept;", "kept = (uint32_t)(uintptr_t)p;", "p = (struct node *)(uintptr_t)kept;", true),
    (
        "uint32_t kept[4];",
        "kept[1] = (uint32_t)(uintptr_t)p;",
        "p = (struct node *)(uintptr_t)kept[1];",
        true,
    ),
    (
        "struct { int a; uint32_t b; } kept;",
        "kept.b = (uint32_t)(uintptr_t)p;",
        "p = (struct node *)(uintptr_t)kept.b;",
        true,
    ),
    ("uintptr_t kept;", "kept = ~(uintptr_t)p;", "p = (struct node *)~kept;", false),
    ("uintptr_t kept;", "kept = (uintptr_t)p >> 3;", "p = (struct node *)(kept << 3);", false),
    (
        "uintptr_t kept;",
        "kept = (uintptr_t)p ^ (uintptr_t)q;",
        "p = (struct node *)(kept ^ (uintptr_t)q);",
        false,
    ),
    (
        "uintptr_t kept;",
        "kept = (uintptr_t)p - (uintptr_t)q;",
        "p = (struct node *)(kept + (uintptr_t)q);",
        false,
    ),
    ("uintptr_t kept;", "kept = -(uintptr_t)p;", "p = (struct node *)-kept;", false),
    ("uintptr_t kept;", "kept = 5 * (uintptr_t)p;", "p = (struct node *)(kept / 5);", false),
    (
        "uint16_t low, high;",
        "low = (uint16_t)(uintptr_t)p; high = (uint16_t)((uintptr_t)p >> 16);",
        "p = (struct node *)((uintptr_t)high << 16 | low);",
        false,
    ),
    (
        "unsigned char kept[64];",
        "for (int i = 0; i < 8; i++) kept[8 * i] = ((unsigned char *)&p)[i];",
        "for (int i = 0; i < 8; i++) ((unsigned char *)&p)[i] = kept[8 * i];",
        false,
    ),
    (
        "uintptr_t kept;",
        "kept = ((uintptr_t)p << 32 | (uintptr_t)p) ^ (uintptr_t)0x12345678 << 32;",
        "p = (struct node *)((kept >> 32) ^ 0x12345678);",
        false,
    ),
];

/// A program that keeps an address in some form while others are made. `check` looks at `p` in the end.
fn keeping(form: usize, shared: bool, between: &str, check: &str) -> String {
    let (declaration, put, get, _) = FORMS[form];
    let (outside, inside) = if shared { (declaration, "") } else { ("", declaration) };
    format!(
        "#include <assert.h>
         #include <pthread.h>
         #include <stdint.h>
         #include <stdlib.h>
         struct node {{ int value; struct node *next; }};
         int tick; struct node *box;
         {outside}
         static void *other(void *unused) {{ tick = 1; tick = 2; return unused; }}
         int main(void) {{
             pthread_t thread;
             {inside}
             int seen = 0;
             struct node *q = calloc(1, sizeof *q), *p = calloc(1, sizeof *p), *r = 0;
             p->value = 1;
             {put}
             p = 0;
             pthread_create(&thread, 0, other, 0);
             seen = tick;
             {between}
             seen += tick;
             {get}
             {check}
             q->value = 2; box = r;
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

/// Wherever an address is kept, its object is there; so what is wrong about it is found, and what is right holds.
#[test]
fn kept_objects_stay() {
    let between = "r = calloc(1, sizeof *r); r->value = 10;";
    for form in 0..FORMS.len() {
        for shared in [false, true] {
            let wrong = keeping(form, shared, between, "assert(p->value != 1 || seen != 3);");
            assert!(violated(&wrong, Buffering::Sc), "{wrong}");
            let right = keeping(form, shared, between, "assert(p->value == 1);");
            assert!(!violated(&right, Buffering::Sc), "{right}");
        }
    }
}

/// Forms that are recognised cost nothing: a program that makes objects for ever has finitely many states with them.
#[test]
fn common_forms_are_collected() {
    for (form, (.., recognised)) in FORMS.iter().enumerate().filter(|(_, form)| form.3) {
        let text = keeping(form, false, "while (tick != 2) { r = calloc(1, sizeof *r); r->value = 10; }", "");
        let harness = program(&text);
        let main = harness.main.expect("there is a main");
        let mut options = Options::default();
        options.budget.states = Some(10_000);
        let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
        assert_eq!(found.finding == Finding::Holds, *recognised, "{text}\n{:?}", found.finding);
    }
}

/// Random programs: several objects in random forms, others made and dropped in between.
#[test]
fn random_forms() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..programs() {
        let random = &mut Random::new(seed + 77);
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let form = pick(FORMS.len());
        let between: String = (0..1 + pick(3))
            .map(|_| {
                [
                    "r = calloc(1, sizeof *r); r->value = 10;",
                    "r = calloc(1, sizeof *r); r->next = r; r = 0;",
                    "box = calloc(1, sizeof *box); box->value = tick;",
                    "box = 0;",
                    "q->next = r;",
                    "seen += tick;",
                ][pick(6)]
            })
            .collect();
        let check = [
            "assert(p->value == 1);",
            "assert(p->value != 1 || seen != 3);",
            "assert(p != r);",
            "assert(p != q->next && p->next == 0);",
            "assert(p->value == 1 || seen < 2); free(p);",
        ][pick(5)];
        let text = keeping(form, pick(2) == 0, &between, check);
        // With a store for each byte, pso has too many ways to be explored without reductions.
        let models = if FORMS[form].0.contains("char") { 1 } else { 3 };
        let model = [Buffering::Sc, Buffering::Tso, Buffering::Pso][pick(models)];
        match violated(&text, model) {
            true => wrong += 1,
            false => right += 1,
        }
    }
    assert!(!fencepost_reference::random::is_usual() || wrong > 0 && right > 0, "{wrong} {right}");
}

/// A writer makes objects and tells of them by ghosts and by stores, a reader follows.
#[test]
fn random_ghosts() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..2 * programs() {
        let random = &mut Random::new(seed + 5000);
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let writes: String = (0..2 + pick(4))
            .map(|_| {
                [
                    "p->value = 1;",
                    "q->value = 1;",
                    "p->next = q;",
                    "fp_ghost { told = p; }",
                    "fp_ghost { told = q; }",
                    "fp_ghost { told->next = q; }",
                    "box = p;",
                    "fence(\"store-store\");",
                    "fence(\"store-load\");",
                ][pick(9)]
            })
            .collect();
        let read = ["fp_ghost { r = told; }", "r = box;"][pick(2)];
        let check = [
            "if (r) assert(r->value == 1);",
            "if (r && r->next) assert(r->next->value == 1);",
            "if (r) assert(r->next == 0);",
        ][pick(3)];
        let text = format!(
            "#include <assert.h>
             #include <fencepost.h>
             #include <pthread.h>
             #include <stdlib.h>
             struct node {{ int value; struct node *next; }};
             struct node nothing, *told = &nothing, *box;
             static void *reader(void *unused) {{
                 struct node *r = 0;
                 {read}
                 if (r == &nothing) r = 0;
                 {check}
                 return unused;
             }}
             int main(void) {{
                 pthread_t thread;
                 pthread_create(&thread, 0, reader, 0);
                 struct node *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q);
                 {writes}
                 pthread_join(thread, 0);
                 return 0;
             }}"
        );
        match violated(&text, [Buffering::Tso, Buffering::Pso][pick(2)]) {
            true => wrong += 1,
            false => right += 1,
        }
    }
    assert!(!fencepost_reference::random::is_usual() || wrong > 0 && right > 0, "{wrong} {right}");
}
