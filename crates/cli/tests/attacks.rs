//! Programs written against arguments of soundness (`corpus/attacks`): every file says what it attacks and what is expected of it,
//! and each engine that has the model must say so.

mod common;

use common::{corpus, fencepost, folder};
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_driver::session::Session;
use fencepost_explore::Reductions;
use fencepost_harness::operation::Expectation;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::Reason;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus("attacks")).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

fn load(path: &Path) -> Session {
    match Session::load(path, &[], None) {
        Ok(session) => session,
        Err(rejected) => {
            let messages: Vec<&str> = rejected.diagnostics.iter().map(|d| d.message.as_str()).collect();
            panic!("{}: {messages:?}", path.display());
        }
    }
}

/// What an engine says otherwise than expected.
fn disagrees(session: &mut Session, expectation: &Expectation, terms: &Terms) -> Option<String> {
    let subject = session.question(&expectation.test).expect("the test exists");
    let model = fencepost_models::builtin(&expectation.model).expect("the model ships");
    let verdict = check(session, &subject, &model, terms, &|_| {}).verdict;
    let explicit = matches!(terms.engine, Decider::Explicit(_));
    let right = match &verdict {
        // What the second engine says it cannot follow, it need not.
        Verdict::Inconclusive(Reason::Unsupported(_)) if explicit => true,
        verdict => verdict.kind() == expectation.verdict,
    };
    let Expectation { test, model, verdict: expected, .. } = expectation;
    let engine = if explicit { "explicit" } else { "bounded" };
    (!right).then(|| format!("{test} {model} {engine}: {expected} was expected, not {verdict:?}"))
}

#[test]
fn attacks() {
    let mut wrong = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        assert!(text.starts_with("/*"), "{name} does not say what it attacks");
        let mut session = load(&path);
        let expectations = session.harness.expectations.clone();
        assert!(!expectations.is_empty(), "{name} expects nothing");
        for expectation in &expectations {
            let mut engines = vec![Terms::default()];
            if fencepost_explore::Buffering::named(&expectation.model).is_some() {
                let budget =
                    fencepost_harness::budget::Budget { states: Some(1_000_000), ..Default::default() };
                let how = fencepost_explore::Options { budget, ..Default::default() };
                engines.push(Terms { engine: Decider::Explicit(how), ..Terms::default() });
            }
            for terms in &engines {
                let found = disagrees(&mut session, expectation, terms);
                wrong.extend(found.map(|why| format!("{name} {why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The explicit engine with one reduction the other way round, each in turn.
fn other_ways() -> Vec<Terms> {
    let toggles: [fn(&mut Reductions) -> &mut bool; 7] = [
        |reductions| &mut reductions.private,
        |reductions| &mut reductions.footprint,
        |reductions| &mut reductions.sole,
        |reductions| &mut reductions.collect,
        |reductions| &mut reductions.rename,
        |reductions| &mut reductions.remember,
        |reductions| &mut reductions.symmetry,
    ];
    let terms = |toggle: &fn(&mut Reductions) -> &mut bool| {
        let mut reductions = Reductions::default();
        let switch = toggle(&mut reductions);
        *switch = !*switch;
        let budget = fencepost_harness::budget::Budget { states: Some(200_000), ..Default::default() };
        let how = fencepost_explore::Options { budget, reductions, ..Default::default() };
        Terms { engine: Decider::Explicit(how), ..Terms::default() }
    };
    toggles.iter().map(terms).collect()
}

#[test]
fn attacks_with_reductions_the_other_way_round() {
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for path in files() {
        let mut session = load(&path);
        for expectation in &session.harness.expectations.clone() {
            if fencepost_explore::Buffering::named(&expectation.model).is_none() {
                continue;
            }
            for (index, terms) in other_ways().iter().enumerate() {
                asked += 1;
                let found = disagrees(&mut session, expectation, terms);
                wrong.extend(found.map(|why| format!("{} reduction {index} {why}", path.display())));
            }
        }
    }
    assert!(asked > 1000, "{asked}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs of `corpus/attacks/options`, which need a command line of their own: it, and what is said of the whole.
const WITH_OPTIONS: [(&str, &[&str], &str); 27] = [
    ("choices-of-a-buffer.c", &["verify", "-m", "tso", "-a", "set", "--timeout", "60"], "violated"),
    ("blocks-overtake.c", &["check", "--engine", "bounded", "--model", "blocks-overtake.cat"], "violated"),
    (
        "control-in-thin-air.c",
        &["check", "--engine", "bounded", "--model", "control-in-thin-air.cat"],
        "violated",
    ),
    (
        "own-store-unread.c",
        &["check", "--engine", "bounded", "--model", "tso-without-own-stores.cat"],
        "violated",
    ),
    (
        "own-store-unread.c",
        &["check", "--engine", "bounded", "--model", "pso-without-own-stores.cat"],
        "violated",
    ),
    ("../fence-in-a-block.c", &["verify", "-m", "tso"], "holds"),
    ("../fence-in-a-block.c", &["verify", "-m", "pso"], "holds"),
    ("guards.c", &["check", "--engine", "bounded", "-m", "sc"], "inconclusive"),
    ("wide-index.c", &["check", "--engine", "bounded", "-m", "sc"], "inconclusive"),
    ("wide-index.c", &["check", "-m", "sc"], "holds"),
    ("own-known.c", &["check", "--engine", "bounded", "--model", "no-own.cat"], "violated"),
    ("own-chosen.c", &["check", "--engine", "bounded", "--model", "no-own.cat"], "violated"),
    ("waits-and-allocates.c", &["check", "--stuck", "-m", "sc"], "violated"),
    ("waits-and-allocates.c", &["check", "--stuck", "-m", "tso"], "violated"),
    ("waits-and-allocates.c", &["check", "--stuck", "-m", "pso"], "violated"),
    ("waits-and-allocates.c", &["check", "-m", "pso"], "holds"),
    ("waits-with-backoff.c", &["check", "--stuck", "-m", "sc", "-D", "N=3"], "violated"),
    ("waits-with-backoff.c", &["check", "--stuck", "-m", "sc", "-D", "N=2100"], "violated"),
    ("waits-with-backoff.c", &["check", "--endless", "fair", "-m", "sc", "-D", "N=3"], "holds"),
    ("waits-with-backoff.c", &["check", "--endless", "fair", "-m", "sc", "-D", "N=2100"], "holds"),
    ("kept-by-a-global.c", &["check", "--leaks", "-m", "sc", "-D", "WAY=1"], "inconclusive"),
    ("kept-by-a-global.c", &["check", "--leaks", "-m", "sc", "-D", "WAY=2"], "inconclusive"),
    ("kept-by-a-global.c", &["check", "--leaks", "-m", "sc", "-D", "WAY=3"], "inconclusive"),
    ("large-array.c", &["check", "--memory", "300M", "-m", "sc"], "inconclusive"),
    ("large-array.c", &["check", "--memory", "300M", "-m", "sc", "-D", "ATOMIC"], "inconclusive"),
    (
        "../../amp/lazy-list.c",
        &["sweep", "--threads", "2", "--steps", "2", "--values", "1", "-m", "tso"],
        "holds",
    ),
    (
        "../../amp/lazy-list.c",
        &["sweep", "--threads", "2", "--steps", "2", "--values", "1", "-m", "pso"],
        "holds",
    ),
];

fn run(file: &str, arguments: &[&str]) -> String {
    let engine: &[&str] = match arguments[0] == "check" && !arguments.contains(&"bounded") {
        true => &["--engine", "explicit"],
        false => &[],
    };
    let run = fencepost(&[&arguments[..1], &[file], &arguments[1..], engine].concat());
    run.within(&corpus("attacks/options")).run().out
}

#[test]
fn attacks_with_options() {
    for (file, arguments, expected) in WITH_OPTIONS {
        let said = run(file, arguments);
        let verdicts = ["holds", "violated", "inconclusive"];
        let verdict = said.split_whitespace().find(|word| verdicts.contains(word));
        assert_eq!(verdict, Some(expected), "{file} {arguments:?}\n{said}");
    }
}

/// Sweeps of such programs: scope, schedule, and what is said of that one.
#[test]
fn attacks_in_sweeps() {
    let two = ["--threads", "2", "--steps", "2..2", "--preadds", "0", "--values", "1", "-m"];
    let three = ["--threads", "2", "--steps", "3..3", "--preadds", "0", "--values", "1", "-m"];
    let early = ("call-begins-too-early.c", "( a(0) r(0) | c(0) )");
    let all: [(_, &[&str], &[&str], &str); 6] = [
        (early, &three, &["pso"], "violated"),
        (early, &three, &["sc"], "violated"),
        (early, &three, &["sc", "-D", "ROUNDS=400"], "violated"),
        (("number-in-a-sweep.c", "( a(0) | c(0) )"), &two, &["sc"], "violated"),
        (("size-in-a-sweep.c", "( a(0) | c(0) )"), &two, &["sc"], "violated"),
        (("returns-before-its-fence.c", "( a(0) | c(0) )"), &two, &["tso"], "holds"),
    ];
    let folder = folder(&[]);
    let log = folder.path().join("log.jsonl");
    let log_name = log.to_str().expect("temporary folders have names that are text");
    for ((file, schedule), scope, rest, expected) in all {
        let arguments = [&["sweep"], scope, rest, &["--keep-going", "--force", "--out", log_name]].concat();
        let said = run(file, &arguments);
        let lines = std::fs::read_to_string(&log).unwrap_or_else(|_| panic!("{file}: no log\n{said}"));
        let notation = format!("\"notation\":\"{schedule}\"");
        let line = lines.lines().find(|line| line.contains(&notation));
        let line = line.unwrap_or_else(|| panic!("{file}: no {schedule} in\n{lines}"));
        let verdict = format!("\"verdict\":\"{expected}\"");
        assert!(line.contains(&verdict), "{file} {rest:?}: {expected} was expected\n{line}");
    }
}

#[test]
fn orders_that_make_others_idle() {
    let said = run("idle-order.c", &["fences", "--model", "rmo"]);
    assert!(said.starts_with("1 stronger order, cost 1\n  memory_order_acquire"), "{said}");
}
