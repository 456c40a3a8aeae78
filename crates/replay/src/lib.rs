//! The referee. Takes a trace that an engine claims to be an execution and checks the claim, sharing
//! nothing with the engine but the program and the text of the memory model:
//!
//! 1. each thread, run by the interpreter of [`fencepost_lsl`] on the values its loads are said to read,
//!    makes exactly the accesses of the trace, in the atomic blocks and calls it says, and ends as it says;
//! 2. every load reads what its source wrote, and every access to memory that is freed says what it found;
//! 3. the model, evaluated on this one execution, allows it;
//! 4. it is about what was asked ([`asked()`]): the calls of the test, with arguments that this leaves open.
//!
//! What is worked out on the way explains the trace to people: names of addresses, an order in which
//! memory can have seen the accesses, and the reorderings that make the execution possible.
//!
//! The third step can also be asked what a model is like, by holding a few small executions against it:
//!
//! ```
//! use fencepost_lsl::program::Fence;
//! use fencepost_models::Buffering;
//! use fencepost_replay::lets_stores_overtake_stores;
//!
//! let [tso, pso] = [Buffering::Tso, Buffering::Pso].map(Buffering::model);
//! let store_store = Fence { store_store: true, ..Fence::NONE };
//! assert!(!lets_stores_overtake_stores(&tso, Fence::NONE));
//! assert!(lets_stores_overtake_stores(&pso, Fence::NONE));
//! assert!(!lets_stores_overtake_stores(&pso, store_store));
//! ```
//!
//! Begin with [`replay_until`], which names the steps; `evaluate.rs` is the third of them.
//!
//! Deliberately absent: any search.

mod asked;
mod evaluate;
mod explain;
mod names;
mod onward;
mod poll;
mod race;
mod related;
mod relation;
mod reorder;
mod shape;
mod sources;
mod world;

pub use asked::asked;
pub use race::race;
pub use shape::{
    lets_ghosts_overtake_stores, lets_loads_overtake_blocks, lets_loads_overtake_loads,
    lets_stores_overtake_blocks, lets_stores_overtake_loads, lets_stores_overtake_stores,
    lets_threads_read_own_blocks_early,
};

use fencepost_harness::budget::{self, Exhausted};
use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{EventId, Explanation, Reordering, Trace};
use fencepost_models::cat::Model;

/// Why a trace is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is no execution; what is wrong with it.
    Wrong(String),
    /// The caller wanted to stop: nothing is known.
    Cut(Exhausted),
    /// It has more turns of loops and calls than are followed: nothing is known.
    TooLong,
}

/// What is said of a trace that is too long to be followed.
pub fn too_long() -> String {
    format!("an execution of more than {} turns of loops and calls", world::MAX_TURNS)
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Wrong(why)
    }
}

/// Checks a trace and explains it. An error says what is wrong with it.
pub fn replay(harness: &Harness, trace: &Trace, model: &Model) -> Result<Explanation, String> {
    replay_until(harness, trace, model, &budget::Poll::never()).map_err(uncut)
}

/// Checks a trace and explains it, unless it takes too long.
pub fn replay_until(
    harness: &Harness,
    trace: &Trace,
    model: &Model,
    poll: &budget::Poll,
) -> Result<Explanation, Refusal> {
    let _span = tracing::info_span!("replay", model = model.name, events = trace.events.len()).entered();
    let poll = poll::Poll::new(poll);
    let replayed = world::run(harness, trace, &poll)?;
    let sequel = sources::check(&harness.program, trace, &replayed, &poll)?;
    let execution = evaluate::Execution::new(trace, &replayed.runs, sequel);
    let order = execution.check(model, &[], &poll)?;
    let on_sc = match execution.check(&fencepost_models::sc(), &[], &poll) {
        Ok(_) => true,
        Err(Refusal::Wrong(_)) => false,
        Err(refusal) => return Err(refusal),
    };
    explain::explain(harness, trace, &replayed, &execution, (model, &order), on_sc, &poll)
}

/// Checks a trace against a model that also keeps some pairs of accesses in order, in its order of memory. An error says what is wrong with the trace.
pub fn judge(harness: &Harness, trace: &Trace, model: &Model, kept: &[Reordering]) -> Result<(), String> {
    judge_until(harness, trace, model, kept, &budget::Poll::never()).map_err(uncut)
}

/// The same, unless it takes too long.
pub fn judge_until(
    harness: &Harness,
    trace: &Trace,
    model: &Model,
    kept: &[Reordering],
    poll: &budget::Poll,
) -> Result<(), Refusal> {
    let _span = tracing::info_span!("replay", model = model.name, events = trace.events.len()).entered();
    let poll = poll::Poll::new(poll);
    let replayed = world::run(harness, trace, &poll)?;
    let sequel = sources::check(&harness.program, trace, &replayed, &poll)?;
    evaluate::Execution::new(trace, &replayed.runs, sequel).check(model, kept, &poll).map(|_| ())
}

/// Whether two events of a trace break a rule that a model has for programs, unless it takes too long to find out.
pub fn breaks(
    harness: &Harness,
    trace: &Trace,
    model: &Model,
    rule: &str,
    events: (EventId, EventId),
    poll: &budget::Poll,
) -> Result<bool, Refusal> {
    let poll = poll::Poll::new(poll);
    let replayed = world::run(harness, trace, &poll)?;
    let sequel = sources::check(&harness.program, trace, &replayed, &poll)?;
    evaluate::Execution::new(trace, &replayed.runs, sequel).breaks(model, rule, events, &poll)
}

/// What is wrong with a trace that nobody wanted to stop looking at.
fn uncut(refusal: Refusal) -> String {
    match refusal {
        Refusal::Wrong(why) => why,
        Refusal::Cut(_) => "nobody wanted to stop".into(),
        Refusal::TooLong => too_long(),
    }
}
