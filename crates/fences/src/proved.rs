//! Checks of closed programs without bounds, for the search by counterexamples: each placement is put into the
//! program, and [`fencepost_explore::abstraction`] proves it or shows how it fails. That takes milliseconds on the
//! programs that it can prove, so [correction sets](crate::asking) are found by asking.
//!
//! With one abstraction alone, a placement fails if that abstraction does not prove it. Fences take steps away from
//! an abstract machine as they do from a real one, so here too whatever fails with some fences fails with less.

use crate::asking;
use crate::guided::Trial;
use crate::place::resolve;
use fencepost_bounded::switched::Tried;
use fencepost_explore::Options;
use fencepost_explore::abstraction::{Approach, verify};
use fencepost_harness::engine::Finding;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Placement, ProcId};

/// A closed program with slots, on a machine.
pub struct Proved<'a> {
    harness: &'a Harness,
    main: ProcId,
    options: &'a Options,
    approach: Approach,
    kinds: &'a [FenceKind],
    /// The placement that failed last.
    failed: Option<Placement>,
}

impl<'a> Proved<'a> {
    /// The question whether the program that starts at `main` holds on the machine of the options.
    pub fn new(
        harness: &'a Harness,
        main: ProcId,
        options: &'a Options,
        approach: Approach,
        kinds: &'a [FenceKind],
    ) -> Proved<'a> {
        Proved { harness, main, options, approach, kinds, failed: None }
    }

    /// Whether a placement fails.
    fn fails(&self, on: &Placement) -> Result<bool, Reason> {
        let program = resolve(&self.harness.program, on);
        let harness = Harness { program, ..self.harness.clone() };
        match verify(&harness, &Question::Main(self.main), self.options, self.approach, &|_| {}).finding {
            Finding::Holds => Ok(false),
            Finding::Violated { .. } => Ok(true),
            Finding::Inconclusive(Reason::Abstraction(_)) if self.approach != Approach::Refine => Ok(true),
            Finding::Inconclusive(reason) => Err(reason),
        }
    }
}

impl Trial for Proved<'_> {
    fn check(&mut self, on: &Placement) -> Result<Tried, Reason> {
        self.failed = None;
        if !self.fails(on)? {
            return Ok(Tried::Holds);
        }
        self.failed = Some(on.clone());
        Ok(Tried::Violated)
    }

    fn correction(&mut self) -> Result<Placement, Reason> {
        let Some(failed) = self.failed.take() else {
            return Err(Reason::Internal("a correction of nothing is asked for".into()));
        };
        let mut fails = |on: &Placement| match self.options.budget.exhausted() {
            Some(exhausted) => Err(exhausted.into()),
            // What is not decided does not count as a failure: a larger correction is asked for.
            None => Ok(self.fails(on).unwrap_or(false)),
        };
        asking::correction(self.harness.program.slots.len(), self.kinds, failed, &mut fails)
    }

    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        Ok(self.check(on)? == Tried::Violated)
    }
}
