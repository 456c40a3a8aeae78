//! What a verdict of *holds* leaves open: things that the program can do, or that can happen to it, and that no engine
//! looked at. Each is said just of the programs that it concerns, as far as their text tells.

use crate::session::Session;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::Race;
use fencepost_harness::test::Test;
use fencepost_harness::trace::Trace;
use fencepost_lsl::program::{Order, Place, ProcId, Program, Stmt, StmtKind, Unmet};
use fencepost_models::cat::Model;
use std::collections::BTreeSet;

/// What the text of a program has, as far as a question reaches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Features {
    /// Threads that run side by side.
    pub concurrent: bool,
    /// It allocates memory.
    pub allocates: bool,
    /// It frees memory.
    pub frees: bool,
    /// It can wait: for a lock, or for what it assumes.
    pub waits: bool,
    /// It has loops or recursion.
    pub repeats: bool,
    /// It has a loop that starts over an attempt.
    pub retries: bool,
    /// It has plain loads or stores of memory.
    pub plain: bool,
    /// It takes memory that is filled with zeros.
    pub zeroed: bool,
}

/// Allocations that the program would notice.
const FAILING: &str = "allocations that fail";
/// The same.
const REUSE: &str = "allocations that return memory freed before; --reuse explores these";
/// What nobody looks for yet.
const RACES: &str = "data races between plain accesses; C11 gives programs with races no meaning, here they access \
                     memory like any others";
/// What models with data races do not look at: memory is as if it had always held the zeros, and taking again what was freed
/// orders nothing.
const ZEROS: &str = "data races with the zeros that calloc writes";
/// What the bounded engine does not look for.
const WAITING: &str =
    "whether threads may wait for ever; --engine explicit --stuck looks for that on sc, tso and pso";
/// What a test asks to leave out.
const RETRIES: &str = "executions in which primed calls try again";

/// What no engine looks at.
pub(crate) fn everywhere(features: Features, reuse: bool) -> Vec<String> {
    let mut open = Vec::new();
    if features.allocates {
        open.push(FAILING.to_owned());
    }
    if features.allocates && features.frees && !reuse {
        open.push(REUSE.to_owned());
    }
    open
}

/// What the bounded engine leaves out of a test or program. `spins` says whether it has a loop that only waits.
pub(crate) fn bounded(question: &Question, features: Features, spins: bool) -> Vec<String> {
    let mut open = Vec::new();
    if features.concurrent && (features.waits || spins) {
        open.push(WAITING.to_owned());
    }
    open.extend(primed(question, features));
    open
}

/// That calls do not try again, if the test asks for that.
pub(crate) fn primed(question: &Question, features: Features) -> Option<String> {
    let primed = |test: &Test| test.invocations().any(|call| call.primed);
    (features.retries && question.test().is_some_and(primed)).then(|| RETRIES.to_owned())
}

/// What a sweep leaves out of all of its schedules.
pub fn swept(harness: &Harness, reuse: bool) -> Vec<String> {
    let roots: Vec<ProcId> = harness.ops.iter().map(|op| op.proc).chain(harness.init).collect();
    let features = Features { concurrent: true, ..of(harness, &roots) };
    let mut open = harness.caveats.clone();
    open.extend(everywhere(features, reuse));
    open.extend(unchecked_races(features));
    open
}

/// That nobody looks for races, if there can be any.
pub(crate) fn unchecked_races(features: Features) -> Option<String> {
    (features.concurrent && features.plain).then(|| RACES.to_owned())
}

/// A race that an execution has, or else that nobody looked for others, if there can be any.
pub(crate) fn races(
    session: &Session,
    features: Features,
    execution: &Trace,
    model: &Model,
) -> Result<Option<Race>, String> {
    let Some(unchecked) = unchecked_races(features) else { return Ok(None) };
    // A model with rules for programs has the engine look for what breaks them.
    if !model.flags.is_empty() {
        return if features.zeroed { Err(ZEROS.to_owned()) } else { Ok(None) };
    }
    let harness = &session.harness;
    let (first, second) = fencepost_replay::race(harness, execution).ok_or(unchecked)?;
    // The referee names places. It has accepted the trace before.
    let explanation = fencepost_replay::replay(harness, execution, model)?;
    let at = [first, second].map(|id| explanation.spans[id.index()]);
    Ok(Some(Race { place: explanation.places[first.index()].clone(), at }))
}

/// What a question reaches.
pub(crate) fn features(session: &Session, question: &Question) -> Features {
    let harness = &session.harness;
    match question {
        Question::Main(proc) => of(harness, &[*proc]),
        Question::Test(test) => {
            let ops = test.invocations().map(|call| harness.op(call.op).proc);
            let roots: Vec<ProcId> = ops.chain(harness.init).collect();
            Features { concurrent: test.threads.len() > 1, ..of(harness, &roots) }
        }
        Question::Client(client) => features(session, &Question::Test(client.as_test(String::new()))),
    }
}

/// What can be reached from some procedures.
pub(crate) fn of(harness: &Harness, roots: &[ProcId]) -> Features {
    let mut walk = Walk { program: &harness.program, features: Features::default() };
    let mut reached = BTreeSet::new();
    let mut work = roots.to_vec();
    while let Some(proc) = work.pop() {
        if reached.insert(proc) {
            work.extend(walk.body(&harness.program.proc(proc).body, false));
        }
    }
    walk.features.repeats |= recursive(&harness.program, &reached);
    walk.features
}

struct Walk<'p> {
    program: &'p Program,
    features: Features,
}

impl Walk<'_> {
    /// Looks at statements; returns what they call or start.
    fn body(&mut self, body: &[Stmt], atomic: bool) -> Vec<ProcId> {
        let mut calls = Vec::new();
        for stmt in body {
            match &stmt.kind {
                StmtKind::Load { order: Order::Plain, .. } | StmtKind::Store { order: Order::Plain, .. } => {
                    self.features.plain |= !atomic && self.program.sources.is_user(stmt.span);
                }
                StmtKind::Atomic(body) => calls.extend(self.body(body, true)),
                StmtKind::Block { label, body, retry } => {
                    let again = continues(body, *label);
                    self.features.repeats |= again;
                    self.features.retries |= again && *retry;
                    calls.extend(self.body(body, atomic));
                }
                StmtKind::Call { proc, .. } => calls.push(*proc),
                StmtKind::Spawn { proc, .. } => {
                    self.features.concurrent = true;
                    calls.push(*proc);
                }
                StmtKind::Assume { cond } => {
                    self.features.waits |= self.program.unmet(*cond, stmt.span) == Unmet::Waits;
                }
                // What models of threads keep there is no concern of the program.
                StmtKind::Alloc { place: Place::Heap, zeroed, .. } => {
                    let file = &self.program.sources.file(stmt.span.file).name;
                    let own = !file.ends_with("threads.h>") && file != "<pthread.h>";
                    self.features.allocates |= own;
                    self.features.zeroed |= own && *zeroed;
                }
                StmtKind::Free { .. } => self.features.frees = true,
                _ => {}
            }
        }
        calls
    }
}

/// Whether a block is ever started over.
fn continues(body: &[Stmt], label: fencepost_lsl::program::Label) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue { label: to, .. } => *to == label,
        StmtKind::Block { body, .. } | StmtKind::Atomic(body) => continues(body, label),
        _ => false,
    })
}

/// Whether one of some procedures can come to call itself.
fn recursive(program: &Program, procs: &BTreeSet<ProcId>) -> bool {
    fn calls(body: &[Stmt], to: &mut Vec<ProcId>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Call { proc, .. } => to.push(*proc),
                StmtKind::Block { body, .. } | StmtKind::Atomic(body) => calls(body, to),
                _ => {}
            }
        }
    }
    procs.iter().any(|&proc| {
        let mut seen = BTreeSet::new();
        let mut work = Vec::new();
        calls(&program.proc(proc).body, &mut work);
        while let Some(next) = work.pop() {
            if seen.insert(next) {
                calls(&program.proc(next).body, &mut work);
            }
        }
        seen.contains(&proc)
    })
}
