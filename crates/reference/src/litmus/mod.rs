//! Litmus tests: tables of tiny programs with an outcome each, and on which models it is allowed.
//!
//! A table is text. The line `models sc tso` names its columns; every other line is a test:
//!
//! ```text
//! MP+ss+addr   x=1; fence ss; y=1 | r1=y; r2=x[r1^r1]   ? r1=1 r2=0   : no no
//! ```
//!
//! a name, threads side by side, `?` and the outcome asked about, `:` and one verdict for each model: `yes`
//! if an execution of the model has the outcome. `#` starts a comment. `corpus/litmus/README.md` explains
//! the instructions.

pub mod corpus;
mod lex;
mod parse;

use crate::program::{Change, Instruction, Operand, Outcome, Program};
use parse::Test;
use std::collections::BTreeSet;
use std::fmt;

/// A test of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name, unique in the table.
    pub name: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// The program.
    pub program: Program,
    /// The outcome asked about; slots left open may hold anything.
    pub wanted: Vec<Option<u64>>,
    /// For each model of the table, whether the outcome is allowed.
    pub verdicts: Vec<(String, bool)>,
}

/// Something wrong with a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Row {
    /// Whether its outcome is allowed on a model; none if the table does not say.
    pub fn verdict(&self, model: &str) -> Option<bool> {
        self.verdicts.iter().find(|(name, _)| name == model).map(|(_, allowed)| *allowed)
    }

    /// Whether an outcome is the one asked about.
    pub fn matches(&self, outcome: &Outcome) -> bool {
        self.wanted.iter().zip(outcome).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
    }

    /// All values that its loads might read: zero, those it mentions, and sums where it adds. The wanted
    /// ones are among them although nothing may write them: such values come from thin air or not at all.
    pub fn guesses(&self) -> Vec<u64> {
        let mut mentioned = Mentioned::default();
        self.program.threads.iter().flatten().for_each(|operation| mentioned.block(operation));
        let mut values = mentioned.values;
        values.insert(0);
        values.extend(self.wanted.iter().flatten());
        for _ in 0..mentioned.additions.len() {
            let sums = values.iter().flat_map(|value| mentioned.additions.iter().map(move |n| value + n));
            values = sums.chain(values.iter().copied()).collect();
        }
        values.into_iter().collect()
    }
}

/// The numbers a program mentions.
#[derive(Default)]
struct Mentioned {
    values: BTreeSet<u64>,
    /// What each addition adds.
    additions: Vec<u64>,
}

impl Mentioned {
    fn block(&mut self, block: &[Instruction]) {
        for instruction in block {
            match instruction {
                Instruction::Store(_, Operand::Constant(value), _)
                | Instruction::Modify(_, _, Change::Swap(Operand::Constant(value)), _)
                | Instruction::Modify(_, _, Change::CompareAndSwap(_, Operand::Constant(value)), _)
                | Instruction::Mix(_, _, value) => _ = self.values.insert(*value),
                Instruction::Modify(_, _, Change::Add(number), _) => self.additions.push(*number),
                Instruction::Atomic(block) => self.block(block),
                Instruction::If(_, yes, no) => [yes, no].iter().for_each(|way| self.block(way)),
                _ => {}
            }
        }
    }
}

/// Reads a table.
pub fn parse(text: &str) -> Result<Vec<Row>, Vec<Mistake>> {
    let mut models: Vec<&str> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut mistakes = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if name == "models" {
            models = rest.split_whitespace().collect();
        } else if !name.is_empty() {
            match row(number, name, rest, &models, &rows) {
                Ok(row) => rows.push(row),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    if mistakes.is_empty() { Ok(rows) } else { Err(mistakes) }
}

/// Reads a row that comes after others.
fn row(line: usize, name: &str, text: &str, models: &[&str], before: &[Row]) -> Result<Row, Mistake> {
    let Test { program, wanted, verdicts } = parse::test(line, text)?;
    let mistake = |message| Err(Mistake { line, message });
    if let Some(other) = before.iter().find(|row| row.name == name) {
        return mistake(format!("`{name}` is the name of line {} already", other.line));
    }
    if verdicts.len() != models.len() {
        return mistake(format!("{} verdicts for {} models", verdicts.len(), models.len()));
    }
    let verdicts = models.iter().map(|model| model.to_string()).zip(verdicts).collect();
    Ok(Row { name: name.into(), line, program, wanted, verdicts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs() {
        let text = "r1=x.acq; if (r1==2) { a[r1]=r1^r1+3 } else fence ll ss | \
                    r2=cas(y.sc,0,1);; x=2 ? r2=0 x=2 : yes";
        let Test { program, wanted, verdicts } = parse::test(1, text).unwrap();
        let expected = "\
thread 0:
  operation:
    Load(0, Variable(0), Acquire)
    if Is(0, 2):
      Mix(1, 0, 3)
      Store(Indexed(1, 0), Register(1), Plain)
    else:
      Fence(Fence { load_load: true, load_store: false, store_load: false, store_store: true })
thread 1:
  operation:
    Modify(0, Variable(3), CompareAndSwap(0, Constant(1)), SeqCst)
  operation:
    Store(Variable(0), Constant(2), Plain)
in the end: [0]
";
        assert_eq!(program.to_string(), expected);
        assert_eq!(wanted, [None, None, Some(0), None, None, None, Some(2)]);
        assert_eq!(verdicts, [true]);
    }

    #[test]
    fn mistakes() {
        let check = |text: &str, message: &str| {
            let mistakes = parse(&format!("models sc\nT {text}")).expect_err(text);
            assert_eq!(mistakes[0].to_string(), format!("line 2: {message}"), "{text}");
        };
        check("x=1 ? r1=0 : no", "no thread uses `r1`");
        check("x=1 | r1=x ? : no", "expected an outcome, found `:`");
        check("x=1 | r1=x ? r1=0 : maybe", "expected `yes` or `no`, found `maybe`");
        check("x=1 | r1=x ? r1=0 : no no", "2 verdicts for 1 models");
        check("r1=x | y=r1 ? r1=0 : no", "`r1` is a register of another operation");
        check("r1=x.foo ? r1=0 : no", "`foo` is no memory order: rlx, acq, rel, acqrel or sc");
        check("fence ? r1=0 : no", "expected a kind of fence, found `?`");
        check("x=1; ? x=1 : no", "expected an instruction, found `?`");
        check("atomic { x=1 ? x=1 : no", "expected `}`, found `?`");
        check("x=1; start P2 | r1=x ? r1=1 : no", "each thread but the first is to be started once");
        check("x=~1 ? x=1 : no", "unexpected character `~`");
        check("", "expected an instruction, found the end");
    }

    #[test]
    fn tables() {
        let table = "# two columns\nmodels sc tso\nA x=1 ? x=1 : yes yes # both\n\nB x=1 ? x=0 : no\nA x=2 ? x=0 : no no";
        let mistakes: Vec<String> = parse(table).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            mistakes,
            ["line 5: 1 verdicts for 2 models", "line 6: `A` is the name of line 3 already"]
        );
        let rows = parse("models sc tso\nA x=1 ? x=1 : yes no").unwrap();
        assert_eq!((rows[0].verdict("sc"), rows[0].verdict("tso")), (Some(true), Some(false)));
        assert_eq!(rows[0].verdict("pso"), None);
    }

    #[test]
    fn values_to_guess() {
        let rows = parse("models sc\nA r1=add(x,3); r2=add(x,1); y=r1 ? r1=42 : no").unwrap();
        assert_eq!(rows[0].guesses(), [0, 1, 2, 3, 4, 6, 42, 43, 44, 45, 46, 48]);
    }
}
