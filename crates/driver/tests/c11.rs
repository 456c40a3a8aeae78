//! Programs in C11, each with twins that are one order too weak: every cell of the table in `corpus/c11/README.md`.

mod common;

use common::{corpus, load};
use fencepost_driver::check::{Terms, check};
use fencepost_harness::budget::Allowance;
use fencepost_harness::verdict::Kind;
use std::sync::Mutex;
use std::time::Duration;

/// The columns of the table.
const MODELS: [&str; 4] = ["sc", "rc11", "armv8", "x86"];

/// What the engine does not decide within the limits of this test.
const OPEN: [(&str, &str); 2] = [("seqlock.c", "armv8"), ("mpmc-ring-weak-freed.c", "armv8")];

/// A cell: file, model, and what is expected.
struct Cell {
    file: String,
    model: &'static str,
    expected: String,
}

fn cells() -> Vec<Cell> {
    let table = std::fs::read_to_string(corpus("c11/README.md")).expect("it is there");
    let mut base = String::new();
    let mut cells = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = columns[1].split('`').nth(1).expect("a name in backquotes");
        let file = match name.starts_with('-') {
            true => format!("{base}{name}"),
            false => {
                base = name.trim_end_matches(".c").to_owned();
                name.to_owned()
            }
        };
        for (model, column) in MODELS.into_iter().zip(&columns[2..]) {
            let expected = column.split(' ').next().expect("a verdict").to_owned();
            cells.push(Cell { file: file.clone(), model, expected });
        }
    }
    cells
}

/// Violated if any of its tests is, and holds if all do.
fn verdict(file: &str, model: &str) -> Kind {
    let session = load(&corpus("c11").join(file), &[]);
    let model = fencepost_models::builtin(model).expect("it ships");
    let allowance = Allowance { time: Some(Duration::from_secs(20)), ..Allowance::default() };
    let terms = Terms { allowance, ..Terms::default() };
    let mut all = Kind::Holds;
    for question in session.questions() {
        match check(&session, &question, &model, &terms, &|_| {}).verdict.kind() {
            Kind::Violated => return Kind::Violated,
            Kind::Inconclusive => all = Kind::Inconclusive,
            Kind::Holds => {}
        }
    }
    all
}

#[test]
fn the_table_is_right() {
    let mut cells = cells();
    cells.retain(|cell| !OPEN.contains(&(cell.file.as_str(), cell.model)));
    assert!(cells.len() > 400, "{}", cells.len());
    let (queue, wrong) = (Mutex::new(cells), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let cell = queue.lock().expect("nobody panics with it").pop();
                    let Some(cell) = cell else { break };
                    let found = verdict(&cell.file, cell.model).to_string();
                    if found != cell.expected {
                        let Cell { file, model, expected } = cell;
                        let line = format!("{file} on {model}: {found}, the table says {expected}");
                        wrong.lock().expect("nobody panics with it").push(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("nobody panics with it");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
