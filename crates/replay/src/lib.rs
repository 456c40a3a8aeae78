//! The referee. Takes a trace that an engine claims to be an execution and checks the claim, sharing
//! nothing with the engine but the program and the text of the memory model:
//!
//! 1. each thread, run by the interpreter of [`fencepost_lsl`] on the values its loads are said to read,
//!    makes exactly the accesses of the trace and ends as it says;
//! 2. every load reads what its source wrote;
//! 3. the model, evaluated on this one execution, allows it.
//!
//! What is worked out on the way explains the trace to people: names of addresses, an order in which
//! memory can have seen the accesses, and the reorderings that make the execution possible.
//!
//! Deliberately absent: any search.

mod evaluate;
mod explain;
mod names;
mod onward;
mod race;
mod relation;
mod reorder;
mod shape;
mod sources;
mod world;

pub use race::race;
pub use shape::{lets_stores_overtake_loads, lets_stores_overtake_stores};

use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Explanation, Reordering, Trace};
use fencepost_models::cat::Model;

/// Checks a trace and explains it. An error says what is wrong with it.
pub fn replay(harness: &Harness, trace: &Trace, model: &Model) -> Result<Explanation, String> {
    let replayed = world::run(harness, trace)?;
    sources::check(&harness.program, trace)?;
    let execution = evaluate::Execution::new(trace, &replayed.runs);
    let order = execution.check(model)?;
    let sc = fencepost_models::builtin("sc").ok_or("the model `sc` does not ship")?;
    let on_sc = execution.check(&sc).is_ok();
    Ok(explain::explain(harness, trace, &replayed, &execution, &order, on_sc))
}

/// Checks a trace against a model that also keeps some pairs of accesses in order, in what its first acyclic
/// constraint speaks of. An error says what is wrong with the trace.
pub fn judge(harness: &Harness, trace: &Trace, model: &Model, kept: &[Reordering]) -> Result<(), String> {
    let replayed = world::run(harness, trace)?;
    sources::check(&harness.program, trace)?;
    evaluate::Execution::new(trace, &replayed.runs).check_keeping(model, kept).map(|_| ())
}
