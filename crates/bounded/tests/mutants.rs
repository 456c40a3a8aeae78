//! Every rule of the model files has a litmus test that fails without it.
//!
//! A mutant is the text of a model with one thing less: a constraint, an alternative of a union, a factor
//! of a sequence, a side of an intersection, what a difference takes away, a question mark; or with
//! program order for program order on one location, the other way round, or a constraint on single steps
//! for one on cycles. Each must be
//! told from its model by some row of `corpus/litmus`, or stand in [`EQUIVALENT`] with the reason why no
//! row can. A mutant of a file that others include counts as told if that succeeds on any of them.

mod ask;
mod cat;

use ask::Litmus;
use cat::{Mutant, Statement};
use fencepost_lsl::source::SourceMap;
use fencepost_models::cat::Model;
use fencepost_reference::axioms;
use fencepost_reference::litmus::corpus::rows;
use fencepost_reference::litmus::{self, Row};
use std::path::Path;

/// The models that ship, and the one of a paper's machine. The tables have no verdicts for the latter; the
/// axioms give them.
const MODELS: [&str; 7] = ["serial", "sc", "tso", "pso", "rmo", "relaxed", "rlx"];

/// What ghosts do, with `atomic` for `fp_ghost`: they come after loads and ghosts, not after stores unless a fence
/// keeps loads behind these, and before all that follows.
const GHOSTS: &str = "
models  sc tso pso
G+po        x=1; atomic {g=1} | atomic {r1=g}; r2=x              ? r1=1 r2=0  : no  yes yes
G+sl        x=1; fence sl; atomic {g=1} | atomic {r1=g}; r2=x    ? r1=1 r2=0  : no  no  no
G+sl.r      x=1; fence sl; atomic {r1=g} | atomic {g=1}; r2=x    ? r1=0 r2=0  : no  no  no
G+ss        x=1; fence ss; atomic {g=1} | atomic {r1=g}; r2=x    ? r1=1 r2=0  : no  yes yes
G+f.rel     x=1; fence rel; atomic {g=1} | atomic {r1=g}; r2=x   ? r1=1 r2=0  : no  yes yes
G+f.sc      x=1; fence sc; atomic {g=1} | atomic {r1=g}; r2=x    ? r1=1 r2=0  : no  no  no
G+w.sc      x.sc=1; atomic {g=1} | atomic {r1=g}; r2=x           ? r1=1 r2=0  : no  no  no
G+R         r1=x; atomic {g=1} | atomic {r2=g}; x=1              ? r1=1 r2=1  : no  no  no
G+W         atomic {g=1}; x=1 | r1=x; atomic {r2=g}              ? r1=1 r2=0  : no  no  no
G+G         atomic {g=1}; atomic {h=1} | atomic {r1=h}; atomic {r2=g}  ? r1=1 r2=0  : no  no  no
G+own       x=1; atomic {r1=x; g=1} | atomic {r2=g}; r3=x        ? r1=1 r2=1 r3=0  : no  yes yes
G+own.0     x=1; atomic {r1=x} | r2=x                            ? r1=0       : no  no  no
";

/// Mutants that mean the same as their models, and why.
const EQUIVALENT: &[(&str, &str)] = &[
    (
        "base.cat: stronglift: `t? ; (r \\ t) ; t?` becomes `(r \\ t) ; t?`",
        "t relates all events of a class, so where a cycle comes into a class and where it leaves it are \
         joined by the t? of either step; one of the two suffices",
    ),
    ("base.cat: stronglift: `t? ; (r \\ t) ; t?` becomes `t? ; (r \\ t)`", "as above"),
    (
        "base.cat: uninterrupted: `r | po` becomes `r`",
        "a cycle of r and po within a block has a step against program order; reading from a later store \
         and stores against program order are cycles with what every ppo keeps, and from-reads to an \
         earlier store breaks own-stores; on sc and serial, r has po anyway",
    ),
    ("base.cat: uninterrupted: `po` becomes `po-loc`", "as above: r alone suffices"),
    (
        "base.cat: seen: `po` becomes `po-loc`",
        "rf relates accesses to the same location, for which po and po-loc are the same",
    ),
    (
        "serial.cat: serially: `(r | po) & op` becomes `r | po`",
        "r has po, and all pairs of r that are not of one operation are in stronglift(r, op) anyway",
    ),
    ("serial.cat: serially: `r | po` becomes `r`", "r has po"),
    ("serial.cat: serially: `po` becomes `po-loc`", "r has po"),
    (
        "tso.cat: own-stores: `po` becomes `po-loc`",
        "fr relates accesses to the same location, so that only such pairs of po lead back to its start",
    ),
    ("pso.cat: own-stores: `po` becomes `po-loc`", "as above"),
    ("rmo.cat: own-stores: `po` becomes `po-loc`", "as above"),
    ("relaxed.cat: own-stores: `po` becomes `po-loc`", "as above"),
    ("rlx.cat: own-stores: `po` becomes `po-loc`", "as above"),
    (
        "pso.cat: ppo: `[R | BLOCK] ; po ; [M]` becomes `[R | BLOCK] ; po`",
        "this adds steps to fences, from where no step leads on but within a block; what comes before a \
         fence in a block comes before its accesses too",
    ),
    (
        "pso.cat: ppo: `W | (BLOCK \\ G)` becomes `BLOCK \\ G`",
        "co follows program order between the stores of one thread in every execution that the engine \
         considers, so that seen has these pairs; a model that lets such stores change places cannot be \
         expressed",
    ),
    (
        "rmo.cat: ppo: `M` becomes `R`",
        "as above: of the pairs that end in a store, those of two stores are in co",
    ),
    ("relaxed.cat: ppo: `M` becomes `R`", "as above"),
    (
        "rlx.cat: ppo: `M` becomes `R`",
        "as above; those that end in the load of a compare-and-swap are in blocks",
    ),
];

fn load(name: &str, statements: &[Statement]) -> Model {
    let text: String = statements.iter().map(|statement| format!("{statement}\n")).collect();
    let model = fencepost_models::load(name, "mutant.cat", &text, &mut SourceMap::default())
        .unwrap_or_else(|errors| panic!("{name}: {}\n{text}", errors[0].message));
    // Of a mutant nothing is known; the rows ask it what they ask of the model it was.
    let ghosts = fencepost_models::builtin(name).is_some_and(|original| original.ghosts);
    Model { ghosts, ..model }
}

fn read(file: &str) -> Vec<Statement> {
    let folder = "crates/models/texts";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join(file);
    cat::parse(&std::fs::read_to_string(path).expect("it is there"))
}

/// The rows, each with the question and the verdicts of all models that it is for.
struct Suite {
    rows: Vec<(String, Litmus, Vec<Option<bool>>)>,
    /// Rows in the order to try them: those that told most recently first.
    order: Vec<usize>,
}

impl Suite {
    fn new() -> Suite {
        let verdict = |row: &Row, model: &str| match row.verdict(model) {
            Some(verdict) => verdict,
            None => {
                let model = axioms::Model::named(model).expect("the reference knows it");
                let outcomes = axioms::outcomes(&row.program, model, &row.guesses());
                outcomes.iter().any(|outcome| row.matches(outcome))
            }
        };
        let mut rows: Vec<_> = rows()
            .into_iter()
            .map(|(place, row)| {
                let verdicts = MODELS.iter().map(|model| Some(verdict(&row, model))).collect();
                (place, Litmus::of(&row), verdicts)
            })
            .collect();
        for row in litmus::parse(GHOSTS).unwrap_or_else(|mistakes| panic!("{mistakes:?}")) {
            let verdicts = MODELS.iter().map(|model| row.verdict(model)).collect();
            rows.push((row.name.clone(), Litmus::with_ghosts(&row), verdicts));
        }
        let order = (0..rows.len()).collect();
        Suite { rows, order }
    }

    /// A row that tells a model from the one of this number.
    fn tells(&mut self, number: usize, model: &Model) -> Option<&str> {
        let differs = |row: &usize| {
            let (_, question, verdicts) = &self.rows[*row];
            verdicts[number].is_some_and(|verdict| question.allowed(model) != verdict)
        };
        let at = self.order.iter().position(differs)?;
        let row = self.order.remove(at);
        self.order.insert(0, row);
        Some(&self.rows[row].0)
    }
}

/// The models with `base.cat` put in place of its inclusion, from text that was taken apart and put
/// together again, are the models.
#[test]
fn the_whole_text_agrees() {
    let mut suite = Suite::new();
    let base = read("base.cat");
    for (number, name) in MODELS.iter().enumerate() {
        let statements = [&base[..], &read(&format!("{name}.cat"))].concat();
        assert_eq!(suite.tells(number, &load(name, &statements)), None, "{name}");
    }
}

#[test]
fn every_rule_is_tested() {
    let mut suite = Suite::new();
    let base = read("base.cat");
    let mut survivors = Vec::new();
    let mut used = Vec::new();
    let mut count = 0;
    let mutants = |file: &str| {
        let found = cat::mutants(&read(file));
        assert!(!found.is_empty(), "{file}: no rules");
        found
    };
    let mut judge = |file: &str, mutant: &Mutant, told: Option<String>| {
        count += 1;
        let key = format!("{file}: {}", mutant.change);
        let equivalent = EQUIVALENT.iter().position(|(known, _)| *known == key);
        used.extend(equivalent);
        match (told, equivalent) {
            (Some(row), Some(_)) => survivors.push(format!("{key}\n    is called equivalent, but see {row}")),
            (None, None) => survivors.push(format!("{key}\n    no row fails")),
            _ => {}
        }
    };
    for mutant in mutants("base.cat") {
        let mut told = None;
        for (number, name) in MODELS.iter().enumerate().rev() {
            let statements = [&mutant.statements[..], &read(&format!("{name}.cat"))].concat();
            told = suite.tells(number, &load(name, &statements)).map(str::to_owned);
            if told.is_some() {
                break;
            }
        }
        judge("base.cat", &mutant, told);
    }
    for (number, name) in MODELS.iter().enumerate() {
        let file = format!("{name}.cat");
        for mutant in mutants(&file) {
            let statements = [&base[..], &mutant.statements].concat();
            let told = suite.tells(number, &load(name, &statements)).map(str::to_owned);
            judge(&file, &mutant, told);
        }
    }
    let stale = (0..EQUIVALENT.len()).filter(|known| !used.contains(known));
    survivors.extend(stale.map(|known| format!("{}\n    is no mutant", EQUIVALENT[known].0)));
    assert!(survivors.is_empty(), "{} of {count} mutants:\n{}", survivors.len(), survivors.join("\n"));
    println!("{count} mutants, {} of them equivalent", EQUIVALENT.len());
}
