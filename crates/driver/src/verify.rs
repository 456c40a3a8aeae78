//! Verification of a closed program: executions of any length, store buffers of any size.

use crate::check::refused;
use crate::open;
use crate::session::Session;
use fencepost_explore::abstraction::{self, Approach, Verification};
use fencepost_explore::{self as explore, Options, Statistics as Visits, Subject};
use fencepost_harness::budget::{Poll, peak_memory};
use fencepost_harness::result::{
    CheckResult, Counterexample, Property, Scope, Statistics, Verdict, Visited, Wrong,
};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::ProcId;
use fencepost_models::Model;
use fencepost_replay::{asked, replay_until};
use std::time::Instant;

/// The name under which a file says what verification should find: `expect verify pso holds`.
pub const NAME: &str = "verify";

/// What verification does not look for.
const WAITING: &str = "threads that wait for ever, for each other or for nothing";

/// A result, and the searches behind it.
pub struct Verified {
    /// The result, in the form of a check.
    pub result: CheckResult,
    /// What was tried.
    pub verification: Verification,
}

/// Verifies the program that starts at `main`, on a model that a machine with store buffers runs; of the options, the machine is
/// chosen by it.
pub fn verify(
    session: &Session,
    main: ProcId,
    model: &Model,
    options: &Options,
    approach: Approach,
    progress: &dyn Fn(&Visits),
) -> Verified {
    let start = Instant::now();
    let options = &Options { buffering: model.buffering.unwrap_or(options.buffering), ..options.clone() };
    let verification =
        abstraction::verify(&session.harness, Subject::Main(main), options, approach, progress);
    let mut caveats = session.harness.caveats.clone();
    let features = open::of(&session.harness, &[main]);
    caveats.extend(open::everywhere(features, options.reuse));
    if features.waits || features.repeats {
        caveats.push(WAITING.into());
    }
    caveats.extend(open::unchecked_races(features));
    let visited = verification.decisive().map(|proof| Visited {
        abstraction: proof.abstraction.to_string(),
        states: proof.statistics.states,
        transitions: proof.statistics.transitions,
        preemptions: None,
    });
    let verdict = match &verification.verdict {
        explore::Verdict::Holds => Verdict::Holds,
        explore::Verdict::Inconclusive(reason) => Verdict::Inconclusive(reason.clone()),
        explore::Verdict::Violated { trace, .. } => match judged(session, trace, model, options) {
            Ok(example) => Verdict::Violated(Box::new(example)),
            Err(reason) => Verdict::Inconclusive(reason),
        },
    };
    let statistics =
        Statistics { total_time: start.elapsed(), peak_memory: peak_memory(), ..Statistics::default() };
    let result = CheckResult {
        file: session.file.clone(),
        test: "main".into(),
        notation: String::new(),
        model: model.name.clone(),
        property: Property::Assertions,
        verdict,
        scope: Scope { threads: verification.threads, visited, caveats, ..Scope::default() },
        statistics,
    };
    Verified { result, verification }
}

/// The result of a verification that could not begin.
pub fn not_begun(session: &Session, model: &str, reason: Reason) -> CheckResult {
    CheckResult {
        file: session.file.clone(),
        test: "main".into(),
        notation: String::new(),
        model: model.to_owned(),
        property: Property::Assertions,
        verdict: Verdict::Inconclusive(reason),
        scope: Scope::default(),
        statistics: Statistics::default(),
    }
}

/// Has the referee look at a trace.
fn judged(
    session: &Session,
    trace: &fencepost_harness::trace::Trace,
    model: &Model,
    options: &Options,
) -> Result<Counterexample, Reason> {
    let internal = |why: String| Reason::Internal(why);
    if trace.fault().is_none() {
        return Err(internal("a trace violates nothing".into()));
    }
    asked(&session.harness, None, trace)
        .map_err(|why| internal(format!("a trace does not replay: {why}")))?;
    let poll = Poll::new(&options.budget);
    let explanation = replay_until(&session.harness, trace, model, &poll).map_err(refused)?;
    let (wrong, trace) = (Wrong::Fault, trace.clone());
    Ok(Counterexample { wrong, trace, explanation, nearest: Vec::new(), serial: false })
}
