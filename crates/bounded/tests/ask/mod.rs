//! How to ask the engine about a litmus test.

use fencepost_bounded::check::{self, Options};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::trace::Trace;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Order, Stmt, StmtKind};
use fencepost_models::cat::Model;
use fencepost_reference::litmus::Row;
use fencepost_reference::lower::{self, Entry};

/// A row as a question: a program that completes only with the outcome asked about.
pub(crate) struct Litmus {
    harness: Harness,
    entry: Entry,
}

impl Litmus {
    pub(crate) fn of(row: &Row) -> Litmus {
        let (harness, entry) = lower::ask(&row.program, &row.wanted);
        Litmus { harness, entry }
    }

    /// As [`Litmus::of`], with ghost blocks for atomic ones.
    #[allow(dead_code, reason = "not all tests ask about ghosts")]
    pub(crate) fn with_ghosts(row: &Row) -> Litmus {
        let mut question = Litmus::of(row);
        for proc in &mut question.harness.program.procs {
            haunt(&mut proc.body, false);
        }
        question
    }

    /// Whether an execution of a model has the outcome.
    pub(crate) fn allowed(&self, model: &Model) -> bool {
        self.execution(model).is_some()
    }

    /// An execution of a model that has the outcome. The referee has looked at it.
    pub(crate) fn execution(&self, model: &Model) -> Option<Trace> {
        let question = &match &self.entry {
            Entry::Test(test) => Question::Test(test.clone()),
            Entry::Main(proc) => Question::Main(*proc),
        };
        // With nothing specified, any execution that completes is a violation.
        let nothing = ObservationSet::default();
        let options = Options::default();
        match check::check(&self.harness, question, model, Some(&nothing), &options, &|_| {}).finding {
            Finding::Violated { trace, .. } => {
                assert!(trace.fault().is_none(), "litmus tests have no faults");
                if let Err(why) = self.replay(&trace, model) {
                    panic!("{}: {why}\n{trace:#?}", model.name);
                }
                Some(*trace)
            }
            Finding::Inconclusive(Reason::Vacuous(_)) => None,
            Finding::Inconclusive(reason) => panic!("no limits are set: {reason}"),
            Finding::Holds => panic!("an execution completes and is no violation"),
        }
    }

    /// What the referee says of an execution.
    pub(crate) fn replay(&self, trace: &Trace, model: &Model) -> Result<(), String> {
        fencepost_replay::replay(&self.harness, trace, model).map(|_| ())
    }
}

/// Makes all accesses of atomic blocks ghosts.
fn haunt(body: &mut [Stmt], inside: bool) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Load { order, .. } | StmtKind::Store { order, .. } if inside => *order = Order::Ghost,
            StmtKind::Atomic(body) => haunt(body, true),
            StmtKind::Block { body, .. } => haunt(body, inside),
            _ => {}
        }
    }
}
