//! The result of a check: what was asked, the verdict, how far it goes, and what it cost.

use crate::Position;
use crate::trace::Trace;
use crate::trace::build::Execution;
use fencepost_harness::operation::Harness;
use fencepost_harness::result::{CheckResult, Property, Verdict};
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Kind;
use fencepost_lsl::source::Span;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// A check and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Check {
    /// The file.
    pub file: String,
    /// The test's name; `main` for a closed program.
    pub test: String,
    /// The test in its notation; empty for a closed program.
    pub notation: String,
    /// The memory model.
    pub model: String,
    /// What was checked.
    pub property: Property,
    /// The answer.
    pub verdict: Kind,
    /// Why it is inconclusive.
    pub reason: Option<String>,
    /// What the verdict speaks of.
    pub scope: Scope,
    /// Observations in the specification, if there is one.
    pub observations: Option<usize>,
    /// The counterexample.
    pub trace: Option<Trace>,
    /// What it cost.
    pub statistics: Statistics,
    /// Of a verification: the searches it took, the last of which decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<Vec<Search>>,
}

/// What a verdict speaks of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Scope {
    /// Threads that run side by side.
    pub threads: usize,
    /// Calls of operations.
    pub calls: usize,
    /// Ways to choose arguments; 2^64 - 1 stands for any larger number.
    pub inputs: u64,
    /// Loops that were unrolled.
    pub loops: Vec<Loop>,
    /// How store buffers were represented, if states were visited.
    pub abstraction: Option<String>,
    /// States, if they were visited.
    pub states: Option<u64>,
    /// Steps between them.
    pub transitions: Option<u64>,
    /// Switches of threads that could have gone on, at most, if that was bounded.
    pub preemptions: Option<u32>,
    /// How orders of C are compiled to the machine, if the model is that of one with several instructions for them.
    pub mapping: Option<String>,
    /// What the program does that was not explored.
    pub not_explored: Vec<String>,
    /// A data race that an execution has, if one was noticed.
    pub race: Option<Race>,
    /// Serial executions of single calls that the specification was mined from.
    #[serde(skip)]
    pub serial_calls: u64,
}

/// A loop or a recursion, over all its instances.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Loop {
    /// Its place.
    pub at: Position,
    /// How many instances the unrolled program has.
    pub instances: usize,
    /// The most repetitions of any of them.
    pub bound: u32,
    /// Whether it repeats only without effect.
    pub waits: bool,
    /// Whether it is a recursion.
    pub recursion: bool,
}

/// Two accesses that an execution leaves unordered, not both atomic.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Race {
    /// What they access.
    pub place: String,
    /// Where they are.
    pub at: [Position; 2],
}

/// What a check cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Statistics {
    /// Rounds of unrolling.
    pub rounds: u32,
    /// Statements of the unrolled program.
    pub instructions: usize,
    /// Loads in it.
    pub loads: usize,
    /// Stores in it.
    pub stores: usize,
    /// Variables of the formula.
    pub variables: u64,
    /// Clauses of the formula.
    pub clauses: u64,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Time for the specification.
    pub mine_seconds: f64,
    /// Time for unrolling and encoding.
    pub encode_seconds: f64,
    /// Time in the solver.
    pub solve_seconds: f64,
    /// Time of all.
    pub total_seconds: f64,
    /// Peak memory of the process so far, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// A search of a verification.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Search {
    /// How store buffers were represented.
    pub abstraction: String,
    /// States.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Whether the abstraction, not yet the program, is violated.
    pub violated: bool,
    /// Stores that a thread could have under way, where that was bounded.
    pub buffer: Option<usize>,
    /// Time.
    pub seconds: f64,
}

impl Check {
    /// The result of a check of a test, or of a closed program.
    pub fn new(harness: &Harness, test: Option<&Test>, result: &CheckResult) -> Check {
        let (reason, trace) = match &result.verdict {
            Verdict::Holds => (None, None),
            Verdict::Inconclusive(reason) => (Some(reason.to_string()), None),
            Verdict::Violated(found) => {
                let (trace, explanation) = (&found.trace, &found.explanation);
                let execution = Execution { harness, test, wrong: &found.wrong, trace, explanation };
                (None, Some(execution.describe(&found.nearest, found.serial)))
            }
        };
        Check {
            file: result.file.clone(),
            test: result.test.clone(),
            notation: result.notation.clone(),
            model: result.model.clone(),
            property: result.property,
            verdict: result.verdict.kind(),
            reason,
            scope: scope(harness, result),
            observations: result.scope.observations,
            trace,
            statistics: statistics(result),
            searches: None,
        }
    }
}

fn scope(harness: &Harness, result: &CheckResult) -> Scope {
    let position = |span: Span| Position::from(harness.program.sources.position(span));
    let (scope, visited) = (&result.scope, result.scope.visited.as_ref());
    let loops = scope.loops.iter().map(|info| Loop {
        at: position(info.span),
        instances: info.instances,
        bound: info.bound,
        waits: info.spin,
        recursion: info.recursion,
    });
    Scope {
        threads: scope.threads,
        calls: scope.calls,
        inputs: scope.inputs,
        loops: loops.collect(),
        abstraction: visited.map(|visited| visited.abstraction.clone()),
        states: visited.map(|visited| visited.states),
        transitions: visited.map(|visited| visited.transitions),
        preemptions: visited.and_then(|visited| visited.preemptions),
        mapping: scope.mapping.map(str::to_owned),
        not_explored: scope.caveats.clone(),
        race: scope.race.as_ref().map(|race| Race { place: race.place.clone(), at: race.at.map(position) }),
        serial_calls: scope.serial_calls,
    }
}

fn statistics(result: &CheckResult) -> Statistics {
    let seconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
    let statistics = &result.statistics;
    Statistics {
        rounds: statistics.rounds,
        instructions: statistics.instructions,
        loads: statistics.loads,
        stores: statistics.stores,
        variables: statistics.variables,
        clauses: statistics.clauses,
        conflicts: statistics.conflicts,
        mine_seconds: seconds(statistics.mine_time),
        encode_seconds: seconds(statistics.encode_time),
        solve_seconds: seconds(statistics.solve_time),
        total_seconds: seconds(statistics.total_time),
        peak_memory_bytes: statistics.peak_memory,
    }
}
