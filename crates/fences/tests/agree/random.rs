//! Random programs on which the methods are compared: two threads that may end just as they can on sc.
//!
//! `PROGRAMS=300 cargo test --release -p fencepost-fences --test agree random` is the slow tier.

use crate::EXACT;
use crate::methods::{
    Client, Placement, by_counterexamples, by_execution_buffers, by_store_buffers, by_trying, holds,
    inner_slots,
};
use fencepost_reference::random::Random;
use std::collections::BTreeSet;

/// What a thread does; variables by number. What it loads it adds to a register, of which it tells in the end.
#[derive(Clone, Copy)]
enum Statement {
    Store(usize, u64),
    Load(usize),
    /// Stores to the second if the first is not 0.
    If(usize, usize),
    /// Twice: stores its round to the first and loads the second.
    Loop(usize, usize),
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

impl Statement {
    fn new(random: &mut Random, straight: bool) -> Statement {
        let mut variable = || random.below(3) as usize;
        let (one, other) = (variable(), variable());
        match random.below(if straight { 4 } else { 6 }) {
            0 | 1 => Statement::Store(one, 1 + random.below(2)),
            2 | 3 => Statement::Load(one),
            4 => Statement::If(one, other),
            _ => Statement::Loop(one, other),
        }
    }

    fn text(self) -> String {
        match self {
            Statement::Store(to, value) => format!("    {} = {value};\n", VARIABLES[to]),
            Statement::Load(from) => format!("    r = (3 * r + {}) & 7;\n", VARIABLES[from]),
            Statement::If(from, to) => {
                format!("    if ({})\n        {} = 2;\n", VARIABLES[from], VARIABLES[to])
            }
            Statement::Loop(to, from) => format!(
                "    for (int i = 1; i <= 2; i++) {{\n        {} = i;\n        r = (3 * r + {}) & 7;\n    }}\n",
                VARIABLES[to], VARIABLES[from]
            ),
        }
    }

    /// The same as steps that are atomic on sc.
    fn steps(self) -> Vec<Statement> {
        let round = |to, from, value| [Statement::Store(to, value), Statement::Load(from)];
        match self {
            Statement::Loop(to, from) => [round(to, from, 1), round(to, from, 2)].concat(),
            Statement::If(from, to) => vec![self, Statement::If(from, to)],
            _ => vec![self],
        }
    }
}

/// What both threads can tell on sc: all ways to mix their steps.
fn outcomes(threads: &[Vec<Statement>; 2]) -> BTreeSet<[u64; 2]> {
    #[derive(Clone, Default)]
    struct State {
        memory: [u64; 3],
        registers: [u64; 2],
        /// Steps made by each, and whether the condition of an `if` was seen to hold.
        at: [usize; 2],
        taken: [Option<bool>; 2],
    }
    let steps = [0, 1].map(|thread: usize| -> Vec<Statement> {
        threads[thread].iter().flat_map(|statement| statement.steps()).collect()
    });
    let mut outcomes = BTreeSet::new();
    let mut open = vec![State::default()];
    while let Some(state) = open.pop() {
        if [0, 1].iter().all(|&thread| state.at[thread] == steps[thread].len()) {
            outcomes.insert(state.registers);
        }
        for (thread, steps) in steps.iter().enumerate() {
            let Some(step) = steps.get(state.at[thread]) else { continue };
            let mut next = state.clone();
            next.at[thread] += 1;
            match *step {
                Statement::Store(to, value) => next.memory[to] = value,
                Statement::Load(from) => {
                    next.registers[thread] = (3 * state.registers[thread] + state.memory[from]) & 7;
                }
                // The first of two steps looks, the second stores.
                Statement::If(from, to) => match state.taken[thread] {
                    None => next.taken[thread] = Some(state.memory[from] != 0),
                    Some(taken) => {
                        next.taken[thread] = None;
                        if taken {
                            next.memory[to] = 2;
                        }
                    }
                },
                Statement::Loop(..) => unreachable!("it was taken apart"),
            }
            open.push(next);
        }
    }
    outcomes
}

/// A few statements, and mostly what goes wrong if stores are late: each announces itself and looks at the other.
fn thread(random: &mut Random, number: usize, straight: bool) -> Vec<Statement> {
    let count = if straight { 1 + random.below(2) } else { 1 };
    let mut all: Vec<Statement> = (0..count).map(|_| Statement::new(random, straight)).collect();
    if random.below(3) > 0 {
        all.extend([Statement::Store(number, 1), Statement::Load(1 - number)]);
    }
    all
}

/// Compares on programs that need fences on pso. Without branches, all find the same. With them, a fence in a body can
/// be enough for what goes wrong there, which buffers do not find; what they find is enough.
#[test]
fn random_programs() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(12);
    let (mut compared, mut branching, mut on_tso, mut several, mut missed) = (0, 0, 0, 0, 0);
    for seed in 0.. {
        let mut random = Random::new(seed * 59 + 7);
        let straight = seed % 2 == 0;
        let threads = [0, 1].map(|number| thread(&mut random, number, straight));
        let texts = [0, 1].map(|number: usize| {
            let body: String = threads[number].iter().map(|statement| statement.text()).collect();
            format!("int r = 0;\n{body}    {} = r;", ["a", "b"][number])
        });
        // One bit for each outcome, so that `main` has no branches of its own.
        let known: u64 = outcomes(&threads).iter().map(|[a, b]| 1 << (8 * a + b)).sum();
        let never = format!("!({known:#x}ull >> (8 * a + b) & 1)");
        let client = Client { threads: &[&texts[0], &texts[1]], never: &never };
        let harness = client.load();
        let slots = inner_slots(&harness);
        if slots.len() > 8 || holds(&harness, "pso") {
            continue;
        }
        for model in ["tso", "pso", "rmo"] {
            let name = format!("seed {seed}, {model}\n{}", client.text());
            let tried = by_trying(&harness, model, &slots);
            assert_eq!(by_counterexamples(&harness, model), tried, "counterexamples, {name}");
            let mut others = vec![("execution buffers", by_execution_buffers(&harness, model))];
            if model != "rmo" {
                others.push(("store buffers", by_store_buffers(&harness, model, EXACT)));
                others.push(("fd:1", by_store_buffers(&harness, model, "fd:1")));
            }
            for (method, found) in others {
                let enough = |placement: &Placement| tried.iter().any(|needed| needed.is_subset(placement));
                assert!(!found.is_empty() && found.iter().all(enough), "{method}, {name}");
                let is_exact = method != "fd:1";
                assert!(
                    !(straight && is_exact) || found == tried,
                    "{method}: {found:?}, not {tried:?}, {name}"
                );
                missed += (is_exact && found != tried) as u64;
            }
            on_tso += (model == "tso" && !tried.contains(&Placement::new())) as u64;
            several += (tried.len() > 1) as u64;
        }
        compared += 1;
        branching += texts.iter().any(|text| text.contains("if (") || text.contains("for (")) as u64;
        if compared >= programs {
            break;
        }
    }
    println!(
        "{compared} programs, {branching} with branches, {on_tso} need fences on tso; {several} times there is a \
         choice; {missed} times buffers miss some of it"
    );
    assert!(
        !fencepost_reference::random::is_usual() || branching > 0 && on_tso > 0 && several > 0,
        "{compared} programs of one kind"
    );
}
