//! Random concurrent C data types, checked by both engines: they find the same observations and the same faults.
//!
//! Where the reference programs of other tests are straight lines over words, these have loops, accesses of
//! several widths to the same bytes, pointers, locks, compare-and-swap, memory that is allocated and freed, and undefined bits.
//! `PROGRAMS` sets how many there are, `SEED` which.

mod common;

use common::session;
use fencepost_bounded::check::{Options, check, observations};
use fencepost_driver::check::leeway;
use fencepost_driver::session::Session;
use fencepost_explore::{Buffering, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_models::Model;
use fencepost_reference::random::{Random, setting};

/// Loops that wait, with values that live on behind them, assignments in branches, and ways out of `switch`.
#[path = "random_c/waiting.rs"]
mod waiting;

const HEAD: &str = "#include <fencepost.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; unsigned low : 3, high : 5; struct node *next; };
int x, y;
struct { short a, b; } s;
union { int word; short half[2]; unsigned char byte[4]; } u;
atomic_int z;
int *p = &x;
struct node *head;
lock_t l;
";

/// Writes random statements. Values stay small, and loops short.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    loops: usize,
    locked: bool,
}

impl Writer<'_> {
    fn value(&mut self) -> String {
        self.random.pick(&["0", "1", "2", "v", "r", "r + 1", "v ^ 1"]).to_owned()
    }

    fn condition(&mut self) -> String {
        self.random.pick(&["r", "v", "r == v", "r < 1", "x", "p == &y", "head"]).to_owned()
    }

    fn statement(&mut self, depth: usize) {
        let value = self.value();
        let place = *self.random.pick(&[
            &"x",
            &"y",
            &"s.a",
            &"s.b",
            &"u.word",
            &"u.half[0]",
            &"u.half[1]",
            &"u.byte[1]",
            &"u.byte[2]",
            &"*p",
        ]);
        let kinds = if depth == 0 { 13 } else { 17 };
        // Every fourth is about the heap, where most faults are.
        let kind = if self.random.one_in(4) { 11 + self.random.below(2) } else { self.random.below(kinds) };
        let text = match kind {
            0..=2 => format!("{place} = {value};"),
            3..=5 => format!("r = {place};"),
            6 => self.random.pick(&["p = &x;", "p = &y;", "p = (int *)&u;"]).to_owned(),
            7 => self
                .random
                .pick(&["fence(\"store-store\");", "fence(\"full\");", "fence(\"load-load\");"])
                .to_owned(),
            8 => {
                let order = self.random.pick(&["relaxed", "release", "seq_cst"]);
                format!("atomic_store_explicit(&z, {value}, memory_order_{order});")
            }
            9 => {
                let order = self.random.pick(&["relaxed", "acquire", "seq_cst"]);
                format!("r = atomic_load_explicit(&z, memory_order_{order});")
            }
            10 => self
                .random
                .pick(&["r = cas(&x, r, 1);", "r = atomic_fetch_add(&z, 1);", "fp_atomic { r = x; y = r; }"])
                .to_owned(),
            // Words of which nothing or not all is defined go from here to there, and are flipped.
            11 => self
                .random
                .pick(&[
                    "{ struct node *n = malloc(sizeof *n); n->value = v; n->next = 0; head = n; }",
                    "{ struct node *n = malloc(sizeof *n); n->value ^= v; n->next = 0; head = n; }",
                    "{ struct node *n = malloc(sizeof *n); n->value = ~n->value; head = n; }",
                    "{ struct node *n = malloc(sizeof *n); n->low = v; n->value |= 2; head = n; }",
                    "if (head) { struct node n = *head; n.value ^= 1; x = n.value; }",
                    "if (head) head->low = v;",
                ])
                .to_owned(),
            12 => self
                .random
                .pick(&[
                    "if (head) r = head->value;",
                    "{ struct node *n = head; if (n) { head = 0; free(n); } }",
                ])
                .to_owned(),
            13 | 14 => {
                let condition = self.condition();
                self.text += &format!("if ({condition}) {{ ");
                self.statements(depth - 1);
                self.text += "} else { ";
                self.statements(depth - 1);
                "}".to_owned()
            }
            15 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                let condition = self.condition();
                self.text +=
                    &format!("for (int {counter} = 0; {counter} < 2 && !({condition}); {counter}++) {{ ");
                self.statements(depth - 1);
                "}".to_owned()
            }
            // Locking twice would end in waiting for ever.
            _ if self.locked => String::new(),
            _ => {
                self.locked = true;
                self.text += "lock(&l); ";
                self.statements(depth - 1);
                self.locked = false;
                "unlock(&l);".to_owned()
            }
        };
        self.text += &format!("{text} ");
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }
}

/// Characters of an operation's statements, at most.
const LONGEST: usize = 260;

fn body(random: &mut Random) -> String {
    let mut writer = Writer { random, text: String::new(), loops: 0, locked: false };
    writer.statements(2);
    writer.text
}

fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    for name in ["first", "second"] {
        // Long ones have more executions than can be enumerated.
        let body = loop {
            let body = body(random);
            if body.len() < LONGEST {
                break body;
            }
        };
        text += &format!("int {name}(int v)\n{{\n    int r = 0;\n    {body}\n    return r;\n}}\n");
    }
    let shape = random.pick(&["( f | g )", "( f | f )", "f ( g | f )", "( f g | g )"]);
    text + &format!(
        "#pragma fencepost op f = first(any(0, 1))\n#pragma fencepost op g = second(any(0, 1))\n\
         #pragma fencepost test T = {shape}\n"
    )
}

/// The bounded engine as it is asked about a model.
fn options_for(model: &Model) -> Options {
    let mut options = Options::default();
    options.unroll.leeway = leeway(&[model]);
    options
}

/// What both engines say of a program on a model. Says whether it was a fault; nothing if there are too many states.
fn compare(session: &Session, text: &str, name: &str) -> Option<bool> {
    let subject = session.questions().remove(0);
    let Question::Test(test) = &subject else { panic!("there is a test") };
    let model = fencepost_models::builtin(name).expect("it ships");
    let machine = Buffering::named(name).expect("it is a machine with store buffers");
    let budget = fencepost_harness::budget::Budget { states: Some(300_000), ..Default::default() };
    let options = fencepost_explore::Options { buffering: machine, budget, ..Default::default() };
    let explored = explore(&session.harness, &Question::Test(test.clone()), None, &options, None, &|_| {});
    let asked =
        check(&session.harness, &Question::Test(test.clone()), &model, None, &options_for(&model), &|_| {});
    match (&explored.finding, &asked.finding) {
        (Finding::Violated { .. }, Finding::Violated { .. }) => return Some(true),
        (Finding::Holds, Finding::Holds) => {}
        (Finding::Inconclusive(Reason::States { .. }), _) => return None,
        (explored, asked) => panic!("{name}: explored {explored:?}\nasked {asked:?}\n{text}"),
    }
    let solved = observations(&session.harness, &Question::Test(test.clone()), &model, &options_for(&model));
    assert_eq!(solved.as_ref(), Ok(&explored.observations), "{name}\n{text}");
    Some(false)
}

/// Random loops that wait, judged by both engines and with silent turns unrolled: nothing that a loop leaves behind is
/// lost. Where turns are unrolled, bounds are soon exceeded; but what was found up to there must not contradict.
#[test]
fn waiting_loops_leave_the_same_behind() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 120));
    println!("SEED={seed} PROGRAMS={programs}");
    let (mut wrong, mut right) = (0, 0);
    for number in 0..programs {
        let text = waiting::program(&mut Random::new(seed.wrapping_mul(1_000_033).wrapping_add(number)));
        let session = session(&text);
        let subject = session.questions().remove(0);
        let Question::Main(main) = subject else { panic!("there is a main") };
        for name in ["sc", "tso", "pso", "rmo", "relaxed"] {
            let model = fencepost_models::builtin(name).expect("it ships");
            let ask = |reduce_spins: bool| {
                let mut options = Options { max_unroll: 4, ..Options::default() };
                options.unroll.reduce_spins = reduce_spins;
                let subject = &Question::Main(main);
                check(&session.harness, subject, &model, None, &options, &|_| {}).finding
            };
            let (reduced, unrolled) = (ask(true), ask(false));
            match (&reduced, &unrolled) {
                (Finding::Violated { .. }, Finding::Holds) | (Finding::Holds, Finding::Violated { .. }) => {
                    panic!("{name}: reduced {reduced:?}\nunrolled {unrolled:?}\n{text}")
                }
                _ => {}
            }
            let Some(machine) = Buffering::named(name) else { continue };
            let options = fencepost_explore::Options { buffering: machine, ..Default::default() };
            let closed = &Question::Main(main);
            let explored = explore(&session.harness, closed, None, &options, None, &|_| {});
            match (&explored.finding, &reduced) {
                (Finding::Violated { .. }, Finding::Violated { .. }) => wrong += 1,
                (Finding::Holds, Finding::Holds) => right += 1,
                // A loop that counts for ever has no bound.
                (_, Finding::Inconclusive(Reason::Unroll { .. })) => {}
                (explored, reduced) => panic!("{name}: explored {explored:?}\nreduced {reduced:?}\n{text}"),
            }
        }
    }
    println!("{wrong} wrong, {right} right");
    assert!(
        !fencepost_reference::random::is_usual() || wrong * 4 > programs && right * 4 > programs,
        "{wrong} wrong, {right} right"
    );
}

#[test]
fn both_engines_agree_on_random_data_types() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 150));
    println!("SEED={seed} PROGRAMS={programs}");
    let (mut faults, mut right) = (0, 0);
    for number in 0..programs {
        let text = program(&mut Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let session = session(&text);
        for model in ["sc", "tso", "pso"] {
            match compare(&session, &text, model) {
                Some(true) => faults += 1,
                Some(false) => right += 1,
                None => {}
            }
        }
    }
    println!("{faults} with faults, {right} without");
    assert!(
        !fencepost_reference::random::is_usual() || faults * 20 > programs && right * 4 > programs,
        "{faults} with faults, {right} without"
    );
}
