//! The final states of a test on a model, and what its condition says of them.

use crate::condition::{Constant, Quantifier};
use crate::read::Litmus;
use fencepost_bounded::check::{self, Options};
use fencepost_harness::budget::Budget;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_models::Model;
use std::collections::BTreeSet;

/// What a test comes to on a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// All final states that pass the filter, sorted: a value for each of [`Litmus::places`].
    pub states: Vec<Vec<Constant>>,
    /// How many of them satisfy the proposition of the condition.
    pub positive: usize,
    /// How many do not.
    pub negative: usize,
    /// Whether the condition holds, its quantifier included.
    pub ok: bool,
}

/// How often final states satisfy a proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All do.
    Always,
    /// Some do.
    Sometimes,
    /// None does.
    Never,
}

impl Verdict {
    /// herd's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Always => "Always",
            Verdict::Sometimes => "Sometimes",
            Verdict::Never => "Never",
        }
    }
}

impl Found {
    /// How often the proposition holds.
    pub fn verdict(&self) -> Verdict {
        match (self.positive, self.negative) {
            (0, _) => Verdict::Never,
            (_, 0) => Verdict::Always,
            _ => Verdict::Sometimes,
        }
    }
}

impl Litmus {
    /// Runs it on a model: asks the bounded engine for all that its executions end with.
    pub fn run(&self, model: &Model, budget: &Budget) -> Result<Found, Reason> {
        let options = Options { budget: budget.clone(), ..Options::default() };
        let question = Question::Test(self.test.clone());
        let observed = check::final_states(&self.harness, &question, model, &self.finals, &options)?;
        let mut states = BTreeSet::new();
        for observation in observed.sorted() {
            let values =
                self.slots.iter().map(|&slot| observation[slot].defined().map(|value| self.shown(value)));
            let state: Option<Vec<Constant>> = values.collect();
            let state = state.ok_or_else(|| Reason::Internal("a final value is undefined".into()))?;
            states.insert(state);
        }
        let passes = |state: &Vec<Constant>| self.filter.as_ref().is_none_or(|filter| filter.holds(state));
        let states: Vec<_> = states.into_iter().filter(passes).collect();
        let positive = states.iter().filter(|state| self.condition.prop.holds(state)).count();
        let negative = states.len() - positive;
        let ok = match self.condition.quantifier {
            Quantifier::Exists => positive > 0,
            Quantifier::NotExists => positive == 0,
            Quantifier::Forall => negative == 0,
        };
        Ok(Found { states, positive, negative, ok })
    }

    fn shown(&self, value: u64) -> Constant {
        match self.names.get(&value) {
            Some(name) => Constant::Address(name.clone()),
            None => Constant::Number(as_int(value)),
        }
    }
}

/// A word as the `int` that it most likely is: registers of 32 bits are extended with zeros or with copies of their sign, and
/// tests speak of their content as of a signed number in both cases.
pub(crate) fn as_int(value: u64) -> i64 {
    u32::try_from(value).map_or(value as i64, |low| i64::from(low as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_explore::{Buffering, explore};
    use fencepost_harness::engine::Finding;
    use fencepost_harness::observation::ObservationSet;
    use std::path::Path;

    /// The tests of the corpus.
    fn corpus() -> Vec<Litmus> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus/herd");
        let folders = std::fs::read_dir(root).expect("it is there").flatten();
        let files =
            folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
        let read = |file: std::fs::DirEntry| {
            let text = std::fs::read_to_string(file.path()).expect("it is text");
            crate::read("test", &text).unwrap_or_else(|unread| panic!("{:?}", unread.diagnostics))
        };
        files.map(read).collect()
    }

    /// The referee accepts an execution of each test on each model.
    #[test]
    fn executions_replay() {
        for name in fencepost_models::HARDWARE {
            let model = fencepost_models::builtin(name).expect("it ships");
            for litmus in corpus() {
                let question = Question::Test(litmus.test.clone());
                // With nothing specified, any execution that completes is a violation.
                let (nothing, options) = (ObservationSet::default(), Options::default());
                let found =
                    check::check(&litmus.harness, &question, &model, Some(&nothing), &options, &|_| {});
                let Finding::Violated { trace, .. } = found.finding else {
                    panic!("{} on {name} has no execution", litmus.name);
                };
                if let Err(why) = fencepost_replay::replay(&litmus.harness, &trace, &model) {
                    panic!("{} on {name}: {why}", litmus.name);
                }
            }
        }
    }

    /// Machines with store buffers end with the same registers.
    #[test]
    fn the_explicit_engine_agrees() {
        for buffering in Buffering::ALL {
            let model = buffering.model();
            for litmus in corpus() {
                let question = Question::Test(litmus.test.clone());
                let options = fencepost_explore::Options { buffering, ..Default::default() };
                let explored = explore(&litmus.harness, &question, None, &options, None, &|_| {});
                let options = Options::default();
                let found = check::final_states(&litmus.harness, &question, &model, &[], &options);
                assert_eq!(explored.finding, Finding::Holds, "{} on {}", litmus.name, model.name);
                assert_eq!(found, Ok(explored.observations), "{} on {}", litmus.name, model.name);
            }
        }
    }
}
