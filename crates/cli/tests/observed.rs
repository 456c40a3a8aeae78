//! What is observed of calls: records with padding, bit-fields, unions, outputs that are written in part, pointers to
//! new objects. Random data types are put to both engines, and what these say is compared with a naive judge.
//! `PROGRAMS` sets how many there are, `SEED` which.

mod common;

use common::{fencepost, session as load};
use fencepost_bounded::check::{Options, check, observations};
use fencepost_driver::check::{Decider, Terms, check as run};
use fencepost_driver::session::Session;
use fencepost_explore::{Buffering, explore};
use fencepost_harness::budget::Poll;
use fencepost_harness::engine::Finding;
use fencepost_harness::mine::Mined;
use fencepost_harness::observation::{Observation, ObservationSet, Seen};
use fencepost_harness::question::Question;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::{Kind, Reason};
use fencepost_lsl::value::Value;
use fencepost_reference::random::{Random, setting};

const HEAD: &str = "#include <stdint.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
struct node fixed[2];
struct node *head;
int x, y;
void setup(void) { head = malloc(sizeof *head); }
";

/// Members of the record that operations give back, and how statements name what they write of them.
const MEMBERS: [(&str, &[&str], &[&str]); 10] = [
    ("char ok;", &["ok"], &[]),
    ("int v;", &["v"], &[]),
    ("unsigned a : 3, b : 5;", &["a", "b"], &[]),
    ("int : 3, c : 4;", &["c"], &[]),
    ("long w : 40;", &["w"], &[]),
    (
        "union { char small; int big; struct { char one; short two; } parts; } u;",
        &["u.small", "u.big", "u.parts.two"],
        &[],
    ),
    ("short s[2];", &["s[0]", "s[1]"], &[]),
    ("struct node *p;", &[], &["p"]),
    ("struct node *q;", &[], &["q"]),
    ("union { struct node *r; struct node *t; } z;", &[], &["z.r"]),
];

struct Shape {
    text: String,
    numbers: Vec<&'static str>,
    pointers: Vec<&'static str>,
}

fn shape(random: &mut Random) -> Shape {
    let mut shape = Shape { text: String::new(), numbers: Vec::new(), pointers: Vec::new() };
    // Every other one is about pointers, the last three.
    let first = if random.one_in(2) { MEMBERS.len() - 3 } else { 0 };
    for _ in 0..2 + random.below(3) {
        let (text, numbers, pointers) = MEMBERS[first + random.below(MEMBERS.len() - first)];
        if !shape.text.contains(text) {
            shape.text += &format!("{text} ");
            shape.numbers.extend(numbers.iter());
            shape.pointers.extend(pointers.iter());
        }
    }
    shape
}

/// Statements that hand out objects, and side by side the same one twice.
const TAKE: [&str; 3] = [
    "{ if (!head) head = malloc(sizeof *head); mine = head; }",
    "{ mine = head; if (mine) head = 0; else mine = malloc(sizeof *mine); }",
    "{ mine = head; head = malloc(sizeof *head); }",
];

fn statement(random: &mut Random, shape: &Shape) -> String {
    let number = random.pick(&["0", "1", "v", "x", "y", "x + 1", "x - 2"]);
    let pointer = random.pick(&[
        "0",
        "head",
        "malloc(sizeof(struct node))",
        "fixed + (x & 1)",
        "(struct node *)((uintptr_t)head + 8)",
        "(struct node *)((uintptr_t)head | 1)",
        "mine",
        "mine",
    ]);
    let condition = random.pick(&["", "", "if (v) ", "if (x) ", "if (head) "]);
    let body = match random.below(11) {
        0..=3 if !shape.numbers.is_empty() => format!("out->{} = {number};", random.pick(&shape.numbers)),
        0 | 1 if shape.numbers.is_empty() => TAKE[random.below(TAKE.len())].to_owned(),
        2..=5 if !shape.pointers.is_empty() => format!("out->{} = {pointer};", random.pick(&shape.pointers)),
        6 => random.pick(&["x = x + 1;", "x = 1;", "x = v;", "x = y;", "y = x + 1;", "y = v;"]).to_owned(),
        7 => TAKE[random.below(TAKE.len())].to_owned(),
        8 => "mine = malloc(sizeof *mine);".to_owned(),
        9 if !shape.pointers.is_empty() => format!("out->{} = mine;", random.pick(&shape.pointers)),
        _ => random
            .pick(&[
                "head = mine;",
                "mine = head;",
                "head = 0;",
                "{ struct node *n = head; head = 0; free(n); }",
            ])
            .to_owned(),
    };
    format!("    {condition}{body}\n")
}

fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    for name in ["first", "second"] {
        let shape = shape(random);
        let body: String = (0..4 + random.below(4)).map(|_| statement(random, &shape)).collect();
        text += &format!("struct r_{name} {{ {}}};\n", shape.text);
        text += &match random.one_in(2) {
            true => format!(
                "void {name}(int v, struct r_{name} *out)\n{{\n    struct node *mine = 0;\n{body}}}\n\
                 #pragma fencepost op {name} = {name}(any(0, 1), out)\n"
            ),
            false => format!(
                "struct r_{name} {name}(int v)\n{{\n    struct r_{name} o, *out = &o;\n    struct node *mine = 0;\n\
                 {body}    return o;\n}}\n#pragma fencepost op {name} = {name}(any(0, 1))\n"
            ),
        };
    }
    let shape = random.pick(&[
        "( first | second )",
        "( first | first )",
        "first ( second | first )",
        "( first first | second )",
    ]);
    text + &format!("#pragma fencepost init setup()\n#pragma fencepost test T = {shape}\n")
}

/// Whether some renaming of objects makes an observation what a serial one promises, tried one by one.
fn promised(serial: &Observation, seen: &Observation) -> bool {
    let objects = |observation: &Observation| {
        let numbers = observation.iter().filter_map(|seen| match seen {
            Seen::New { object, .. } => Some(*object as usize + 1),
            Seen::Word(_) => None,
        });
        numbers.max().unwrap_or(0)
    };
    let (from, to) = (objects(serial), objects(seen));
    // An object that no slot of the other shows goes to one that is not there.
    renamings(from, to + from).iter().any(|renaming| {
        serial.iter().zip(seen).all(|(serial, seen)| match (serial, seen) {
            (Seen::Word(promise), Seen::Word(value)) => (0..64).all(|bit| {
                let of = |word: u64| word >> bit & 1;
                of(promise.undef()) == 1 || of(value.undef()) == 0 && of(promise.bits()) == of(value.bits())
            }),
            (Seen::Word(promise), Seen::New { .. }) => *promise == Value::UNDEFINED,
            (Seen::New { .. }, Seen::Word(_)) => false,
            (Seen::New { object, offset }, Seen::New { object: other, offset: place }) => {
                renaming[*object as usize] == *other as usize && offset == place
            }
        })
    })
}

/// All injections of the first `from` numbers into the first `to`.
fn renamings(from: usize, to: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..from {
        all = all
            .iter()
            .flat_map(|known: &Vec<usize>| {
                let next = (0..to).filter(|other| !known.contains(other));
                next.map(|other| known.iter().copied().chain([other]).collect::<Vec<usize>>())
            })
            .collect();
    }
    all
}

#[derive(Default)]
struct Tally {
    faults: usize,
    held: usize,
    violated: usize,
    /// Observations with pointers to new objects, and with words that are defined in part.
    pointers: usize,
    partial: usize,
}

/// Compares what both engines observe, and what they say of it, with the naive judge.
fn compare(session: &Session, specification: &ObservationSet, text: &str, name: &str, tally: &mut Tally) {
    let subject = session.questions().remove(0);
    let Question::Test(test) = &subject else { panic!("there is a test") };
    let model = fencepost_models::builtin(name).expect("it ships");
    let machine = Buffering::named(name).expect("it is a machine with store buffers");
    let options = fencepost_explore::Options { buffering: machine, ..Default::default() };
    let explored = |admitted| {
        let subject = &Question::Test(test.clone());
        explore(&session.harness, subject, admitted, &options, None, &|_| {})
    };
    let asked = |admitted| {
        let subject = &Question::Test(test.clone());
        check(&session.harness, subject, &model, admitted, &Options::default(), &|_| {}).finding
    };
    let free = explored(None);
    match (&free.finding, asked(None)) {
        (Finding::Holds, Finding::Holds) => {}
        (Finding::Violated { .. }, Finding::Violated { .. })
        | (Finding::Inconclusive(Reason::Unsupported(_)), _) => return tally.faults += 1,
        (explored, asked) => panic!("{name}: explored {explored:?}\nasked {asked:?}\n{text}"),
    }
    let solved = observations(&session.harness, &Question::Test(test.clone()), &model, &Options::default());
    assert_eq!(solved.as_ref(), Ok(&free.observations), "{name}\n{text}");
    let right = |seen: &&Observation| specification.sorted().iter().any(|serial| promised(serial, seen));
    for seen in free.observations.sorted() {
        assert_eq!(specification.admits(seen), right(&seen), "{name}: {seen:?}\n{text}");
        tally.pointers += seen.iter().any(|seen| seen.word().is_none()) as usize;
        let partly = |word: Value| word.undef() != 0 && word.undef() != u64::MAX;
        tally.partial += seen.iter().filter_map(|seen| seen.word()).any(partly) as usize;
    }
    let holds = free.observations.sorted().iter().all(right);
    let by_states = explored(Some(specification)).finding;
    assert_eq!(by_states == Finding::Holds, holds, "{name} explored: {by_states:?}\n{text}");
    let by_solver = asked(Some(specification));
    assert_eq!(matches!(by_solver, Finding::Holds), holds, "{name} asked: {by_solver:?}\n{text}");
    // What the command line makes of it: the referee agrees.
    for engine in [Decider::Bounded, Decider::Explicit(options.clone())] {
        let terms = Terms { engine, ..Terms::default() };
        let kind = run(session, &subject, &model, &terms, &|_| {}).verdict;
        let expected = if holds { Kind::Holds } else { Kind::Violated };
        assert_eq!(kind.kind(), expected, "{name}: {kind:?}\n{text}");
    }
    if holds { tally.held += 1 } else { tally.violated += 1 }
}

#[test]
fn engines_and_a_naive_judge_agree_on_random_outputs() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 40));
    println!("SEED={seed} PROGRAMS={programs}");
    let mut tally = Tally::default();
    for number in 0..programs {
        let text = program(&mut Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let session = load(&text);
        let subject = session.questions().remove(0);
        let test = subject.test().expect("it is a test");
        let mined = session.specification(test, &Poll::never()).expect("nobody stops it");
        let Mined::Specification { observations: specification, .. } = &*mined else {
            tally.faults += 1;
            continue;
        };
        let serial = fencepost_models::builtin("serial").expect("it ships");
        let solved =
            observations(&session.harness, &Question::Test(test.clone()), &serial, &Options::default());
        assert_eq!(solved.as_ref(), Ok(specification), "mined\n{text}");
        for model in ["sc", "tso", "pso"] {
            compare(&session, specification, &text, model, &mut tally);
        }
    }
    let Tally { faults, held, violated, pointers, partial } = tally;
    println!(
        "{faults} with faults, {held} hold, {violated} violated; {pointers} with pointers, {partial} partial"
    );
    let few = programs as usize / 4;
    assert!(
        !fencepost_reference::random::is_usual()
            || held > few && violated > few && pointers > few && partial > few,
        "too few to say anything"
    );
}

/// The verdict on the only test of a program on sc, by both engines.
fn verdicts(session: &Session) -> [Verdict; 2] {
    let subject = session.questions().remove(0);
    let model = fencepost_models::builtin("sc").expect("it ships");
    [Decider::Bounded, Decider::Explicit(fencepost_explore::Options::default())].map(|engine| {
        let terms = Terms { engine, ..Terms::default() };
        run(session, &subject, &model, &terms, &|_| {}).verdict
    })
}

/// Only what has a pointer's type is compared as a pointer. An address that is given back as a number cannot be judged:
/// addresses differ between executions for no fault of the program's.
#[test]
fn addresses_as_numbers_are_not_judged() {
    let text = "#include <stdint.h>
#include <stdlib.h>
uintptr_t make(void) { return (uintptr_t)malloc(8) << 16 | 1; }
#pragma fencepost op m = make()
#pragma fencepost test T = ( m | m )
";
    for verdict in verdicts(&load(text)) {
        let Verdict::Inconclusive(Reason::Unsupported(why)) = verdict else { panic!("{verdict:?}") };
        assert!(why.contains("`m` gives back the address of a new object as a number"), "{why}");
    }
    // A number that is no address in any serial execution is wrong, whatever it looks like.
    let text = "#include <stdint.h>
#include <stdlib.h>
int flag;
uintptr_t make(void) { flag = 1; uintptr_t a = flag == 2 ? (uintptr_t)malloc(8) : 7; flag = 0; return a; }
void disturb(void) { flag = 2; flag = 0; }
#pragma fencepost op m = make()
#pragma fencepost op d = disturb()
#pragma fencepost test T = ( m | d )
";
    for verdict in verdicts(&load(text)) {
        assert_eq!(verdict.kind(), Kind::Violated, "{verdict:?}");
    }
}

/// A pointer to a global of the reference stands for one to the global of the same name; new objects of both are
/// matched like those of any two executions.
#[test]
fn references_give_back_pointers_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, before: &str, body: &str| {
        let path = folder.path().join(name);
        let text = format!(
            "#include <stdlib.h>\n{before}int cell[2]; int n;\n\
             int *which(void) {{ return &cell[n++]; }}\nint *make(void) {{ {body} }}\n\
             #pragma fencepost op w = which()\n#pragma fencepost op m = make()\n\
             #pragma fencepost test T = ( w m | m )\n"
        );
        std::fs::write(&path, text).expect("written");
        path
    };
    let file = write("file.c", "", "return malloc(4);");
    let judge = |reference: &std::path::Path| {
        let session = Session::load(&file, &[], Some(reference)).expect("both load");
        verdicts(&session).map(|verdict| verdict.kind())
    };
    let same = write("same.c", "int other[5];\n", "int *p = malloc(4); *p = 3; return p;");
    assert_eq!(judge(&same), [Kind::Holds; 2]);
    let one = write("one.c", "int other[5];\n", "static int *p; if (!p) p = malloc(4); return p;");
    assert_eq!(judge(&one), [Kind::Violated; 2]);
    let elsewhere = write("elsewhere.c", "int other[5];\n", "return other;");
    assert_eq!(judge(&elsewhere), [Kind::Inconclusive; 2]);
}

/// A sweep compares calls one by one, and cannot know which object of the reference stands for which.
#[test]
fn sweeps_do_not_judge_pointers_to_new_objects() {
    let text =
        "#include <stdlib.h>\nint *make(void) { return malloc(4); }\n#pragma fencepost op m = make()\n";
    let scope = ["--threads", "2", "--steps", "2", "--preadds", "0"];
    let run = fencepost(&["sweep", "program.c", "--reference", "program.c"]).args(&scope);
    run.file("program.c", text).run().exits(3).says("gives back a pointer to an object that it made");
}

/// Memory that is used again makes pointers to different objects look the same; that is not held against a program, and
/// what else is wrong is.
#[test]
fn pointers_to_memory_that_is_used_again() {
    let program = |update: &str| {
        load(&format!(
            "#include <stdlib.h>\nint n;\nint *make(int *out) {{ int old = n; {update} *out = old; int *p = malloc(4); free(p); return p; }}\n\
             #pragma fencepost op m = make(out)\n#pragma fencepost test T = ( m | m )\n"
        ))
    };
    let judge = |session: &Session, reuse: bool| {
        let subject = session.questions().remove(0);
        let model = fencepost_models::builtin("sc").expect("it ships");
        run(session, &subject, &model, &Terms { reuse, ..Terms::default() }, &|_| {}).verdict
    };
    assert_eq!(judge(&program(""), false).kind(), Kind::Holds);
    let Verdict::Inconclusive(Reason::Unsupported(why)) = judge(&program(""), true) else {
        panic!("not judged")
    };
    assert!(why.contains("memory that was freed and used again"), "{why}");
    assert_eq!(judge(&program("n = old + 1;"), false).kind(), Kind::Violated);
}
