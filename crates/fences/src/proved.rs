//! Checks of closed programs without bounds, for the search by counterexamples: each placement is put into the
//! program, and [`fencepost_explore::abstraction`] proves it or shows how it fails.
//!
//! A correction set comes from a largest set of fences with which the program still fails: every placement that
//! does not fail has a fence outside of it. Verification takes milliseconds on the programs that it can prove, so the
//! set is found by asking.

use crate::guided::Question;
use crate::place::{Kind, resolve};
use fencepost_bounded::switched::{Finding, Placement};
use fencepost_bounded::unroll::Switch;
use fencepost_explore::abstraction::{Approach, verify};
use fencepost_explore::{Options, Subject, Verdict};
use fencepost_harness::operation::Harness;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{ProcId, SlotId};

/// A closed program with slots, on a machine.
pub struct Proved<'a> {
    harness: &'a Harness,
    main: ProcId,
    options: &'a Options,
    kinds: &'a [Kind],
    /// The placement that failed last.
    failed: Option<Placement>,
}

impl<'a> Proved<'a> {
    /// The question whether the program that starts at `main` holds on the machine of the options.
    pub fn new(harness: &'a Harness, main: ProcId, options: &'a Options, kinds: &'a [Kind]) -> Proved<'a> {
        Proved { harness, main, options, kinds, failed: None }
    }

    fn verdict(&self, on: &Placement) -> Verdict {
        let program = resolve(&self.harness.program, self.kinds, on);
        let harness = Harness { program, ..self.harness.clone() };
        verify(&harness, Subject::Main(self.main), self.options, Approach::Refine, &|_| {}).verdict
    }

    /// Adds to a failing placement as many of some fences as it fails with.
    fn grow(&self, on: &mut Placement, more: &[Switch]) -> Result<(), Reason> {
        if more.is_empty() {
            return Ok(());
        }
        if self.options.budget.exhausted() {
            return Err(Reason::Timeout);
        }
        let all: Placement = on.iter().chain(more).copied().collect();
        // Where verification does not know, the fences stay out: the correction set is then larger than need be.
        if let Verdict::Violated { .. } = self.verdict(&all) {
            *on = all;
            return Ok(());
        }
        if more.len() > 1 {
            let (left, right) = more.split_at(more.len() / 2);
            self.grow(on, left)?;
            self.grow(on, right)?;
        }
        Ok(())
    }
}

impl Question for Proved<'_> {
    fn check(&mut self, on: &Placement) -> Result<Finding, Reason> {
        self.failed = None;
        match self.verdict(on) {
            Verdict::Holds => Ok(Finding::Holds),
            Verdict::Inconclusive(reason) => Err(reason),
            Verdict::Violated { .. } => {
                self.failed = Some(on.clone());
                Ok(Finding::Violated)
            }
        }
    }

    fn correction(&mut self) -> Result<Placement, Reason> {
        let Some(mut on) = self.failed.take() else {
            return Err(Reason::Internal("a correction of nothing is asked for".into()));
        };
        let slots = 0..self.harness.program.slots.len() as u32;
        let all: Vec<Switch> = slots
            .flat_map(|slot| (0..self.kinds.len()).map(move |fence| Switch { slot: SlotId(slot), fence }))
            .collect();
        let off: Vec<Switch> = all.iter().filter(|switch| !on.contains(switch)).copied().collect();
        self.grow(&mut on, &off)?;
        Ok(all.into_iter().filter(|switch| !on.contains(switch)).collect())
    }

    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        Ok(self.check(on)? == Finding::Violated)
    }
}
