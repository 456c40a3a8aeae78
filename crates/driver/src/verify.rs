//! Verification of a closed program: executions of any length, store buffers of any size.

use crate::check::{Judge, Stage};
use crate::open;
use crate::session::Session;
use fencepost_explore::Options;
use fencepost_explore::abstraction::{Approach, Proof, Unbounded};
use fencepost_harness::budget::{Budget, peak_memory};
use fencepost_harness::engine::{self, Engine, Outcome, Task};
use fencepost_harness::question::Question;
use fencepost_harness::result::{CheckResult, Property, Scope, Statistics, Verdict};
use fencepost_lsl::program::ProcId;
use fencepost_models::Model;
use std::cell::RefCell;
use std::time::Instant;

/// The name under which a file says what verification should find: `expect verify pso holds`.
pub const NAME: &str = "verify";

/// What verification does not look for.
const WAITING: &str = "threads that wait for ever, for each other or for nothing";

/// A result, and the searches behind it.
pub struct Verified {
    /// The result, in the form of a check.
    pub result: CheckResult,
    /// The searches it took. The last one decided.
    pub searches: Vec<Proof>,
}

/// The engine, and the searches that it made.
struct Remembering {
    engine: Unbounded,
    searches: RefCell<Vec<Proof>>,
}

impl Engine for Remembering {
    fn decide(&self, task: &Task, progress: &dyn Fn(engine::Progress)) -> Outcome {
        let (outcome, searches) = self.engine.verify(task, progress);
        *self.searches.borrow_mut() = searches;
        outcome
    }

    fn shows(&self) -> bool {
        self.engine.shows()
    }
}

/// Verifies the program that starts at `main`, on a model that a machine with store buffers runs.
pub fn verify(
    session: &Session,
    main: ProcId,
    model: &Model,
    budget: &Budget,
    approach: Approach,
    progress: &dyn Fn(Stage),
) -> Verified {
    let _span = tracing::info_span!("verify", model = model.name).entered();
    let start = Instant::now();
    let question = Question::Main(main);
    let mut result = CheckResult {
        file: session.file.clone(),
        test: question.name().to_owned(),
        notation: String::new(),
        model: model.name.clone(),
        property: Property::Assertions,
        verdict: Verdict::Holds,
        scope: Scope { caveats: session.harness.caveats.clone(), ..Scope::default() },
        statistics: Statistics::default(),
    };
    let engine = Unbounded { options: Options::default(), approach };
    let engine = Remembering { engine, searches: RefCell::default() };
    let judge = Judge { session, question: &question, model, budget, reuse: false };
    let decided = judge.decided(&engine, None, progress, &mut result);
    result.verdict = match decided {
        Ok((verdict, features)) => {
            if let Some(features) = features {
                if features.waits || features.repeats {
                    result.scope.caveats.push(WAITING.into());
                }
                result.scope.caveats.extend(open::unchecked_races(features));
            }
            verdict
        }
        Err(reason) => Verdict::Inconclusive(reason),
    };
    result.statistics.total_time = start.elapsed();
    result.statistics.peak_memory = peak_memory();
    Verified { result, searches: engine.searches.into_inner() }
}
