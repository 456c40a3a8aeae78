//! Fence inference guided by counterexamples: implicit hitting sets over checks by an engine.
//!
//! A check that fails with a placement yields *correction sets*: fences of which every placement that does
//! not fail so has at least one. The cheapest placement that hits all correction sets known so far is tried
//! next; if all checks hold, no cheaper one exists. Found placements are ruled out with all that contain
//! them, and the search goes on if more are wanted: they come by cost, and none contains another.
//!
//! # Soundness
//!
//! A placement that is returned made every check hold, for all executions within bounds that no execution
//! exceeds. That it is the cheapest rests on fences forbidding executions and never allowing any, which
//! [`fencepost_bounded::switched::fences_only_forbid`] tells of a model: a failure that is possible with a
//! set of fences is then possible with each part of it.

use crate::hitting::Hitting;
use fencepost_bounded::switched::{Switched, Tried};
use fencepost_harness::budget::{Budget, Poll};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Placement, SlotId, Switch};

/// A check that depends on which fences are there.
pub trait Trial {
    /// What a placement leads to.
    fn check(&mut self, on: &Placement) -> Result<Tried, Reason>;

    /// After a failure: fences of which every placement that does not fail in the same way has one; none if nothing
    /// helps.
    fn correction(&mut self) -> Result<Placement, Reason>;

    /// Whether a failure is still possible with more fences, as far as is worth knowing; if so, the next correction
    /// is about that failure.
    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason>;
}

impl Trial for Switched<'_> {
    fn check(&mut self, on: &Placement) -> Result<Tried, Reason> {
        Switched::check(self, on)
    }

    fn correction(&mut self) -> Result<Placement, Reason> {
        Switched::correction(self)
    }

    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        Switched::still_fails(self, on)
    }
}

impl<Q: Trial + ?Sized> Trial for Box<Q> {
    fn check(&mut self, on: &Placement) -> Result<Tried, Reason> {
        (**self).check(on)
    }

    fn correction(&mut self) -> Result<Placement, Reason> {
        (**self).correction()
    }

    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        (**self).still_fails(on)
    }
}

/// What the search is doing, for a progress line.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The check under way.
    pub question: usize,
    /// Placements tried before.
    pub tried: usize,
    /// Correction sets known.
    pub corrections: usize,
    /// Fences of the placement under way.
    pub fences: usize,
}

/// What to search for.
pub struct Options<'a> {
    /// The kinds of fences that are offered at each slot.
    pub kinds: &'a [FenceKind],
    /// What they cost, for each slot and each of the kinds in it.
    pub costs: &'a [Vec<u64>],
    /// How many placements to find.
    pub limit: usize,
    /// When to give up.
    pub budget: &'a Budget,
    /// Told what is going on.
    pub progress: &'a dyn Fn(Attempt),
}

/// A placement with which all checks hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its fences.
    pub placement: Placement,
    /// What they cost together.
    pub cost: u64,
}

/// What a search leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Searched {
    /// These placements, cheapest first.
    Placements {
        /// At least one.
        found: Vec<Found>,
        /// Whether all others contain one of them.
        complete: bool,
    },
    /// A check fails with all fences on.
    Hopeless {
        /// Index of the check.
        question: usize,
        /// How it fails.
        tried: Tried,
    },
}

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Placements tried.
    pub tried: usize,
    /// Checks of one test with one placement.
    pub checks: usize,
    /// Correction sets found.
    pub corrections: usize,
    /// Placements that were taken to fail because a loop can repeat more often than is looked at.
    pub unbounded: usize,
}

/// Searches for placements with which all questions hold. Those listed first are asked first.
pub fn infer<Q: Trial>(
    questions: &mut [Q],
    options: &Options,
    effort: &mut Effort,
) -> Result<Searched, (usize, Reason)> {
    let _span =
        tracing::info_span!("infer", questions = questions.len(), slots = options.costs.len()).entered();
    let mut costs = options.costs.concat();
    costs.reverse();
    let order = (0..questions.len()).collect();
    let mut search = Search { questions, options, effort, order, hitting: Hitting::new(costs) };
    let mut found = Vec::new();
    loop {
        let cheapest = search.hitting.minimum(&Poll::new(options.budget));
        let Some(choice) = cheapest.map_err(|exhausted| (0, exhausted.into()))? else {
            // The correction sets are never empty, so without ruled-out placements there is a choice.
            return Ok(Searched::Placements { found, complete: true });
        };
        let placement: Placement = choice.iter().map(|&element| search.switch(element)).collect();
        match search.judge(&placement)? {
            Judgement::Holds => {}
            Judgement::Fails => continue,
            Judgement::Hopeless(question, tried) => return Ok(Searched::Hopeless { question, tried }),
        }
        let cost = search.hitting.cost(&choice);
        let only = placement.is_empty();
        found.push(Found { placement, cost });
        if only || found.len() == options.limit {
            return Ok(Searched::Placements { found, complete: only });
        }
        search.hitting.block(choice);
    }
}

struct Search<'s, 'o, Q> {
    questions: &'s mut [Q],
    options: &'o Options<'o>,
    effort: &'s mut Effort,
    /// The order in which questions are asked: those that failed last come first.
    order: Vec<usize>,
    /// Elements are switches, numbered from the last to the first: of choices that cost the same, early
    /// elements win, and of places that serve alike, the last is nearest to what it protects.
    hitting: Hitting,
}

enum Judgement {
    Holds,
    Fails,
    Hopeless(usize, Tried),
}

impl<Q: Trial> Search<'_, '_, Q> {
    fn switch(&self, element: usize) -> Switch {
        let kinds = self.options.kinds;
        let element = self.options.costs.len() * kinds.len() - 1 - element;
        Switch { slot: SlotId((element / kinds.len()) as u32), kind: kinds[element % kinds.len()] }
    }

    /// Asks all questions until one fails, and learns from that.
    fn judge(&mut self, placement: &Placement) -> Result<Judgement, (usize, Reason)> {
        self.effort.tried += 1;
        for position in 0..self.order.len() {
            let question = self.order[position];
            (self.options.progress)(Attempt {
                question,
                tried: self.effort.tried - 1,
                corrections: self.effort.corrections,
                fences: placement.len(),
            });
            self.effort.checks += 1;
            let tried = self.questions[question].check(placement).map_err(|reason| (question, reason))?;
            if tried == Tried::Holds {
                continue;
            }
            self.effort.unbounded += matches!(tried, Tried::Unbounded(_)) as usize;
            let hopeless = self.learn(question, placement).map_err(|reason| (question, reason))?;
            self.order[..=position].rotate_right(1);
            return Ok(if hopeless { Judgement::Hopeless(question, tried) } else { Judgement::Fails });
        }
        Ok(Judgement::Holds)
    }

    /// Takes correction sets from a failure, one disjoint from the other, until the failure is no longer
    /// possible with all their fences. Says whether no fence helps.
    fn learn(&mut self, question: usize, placement: &Placement) -> Result<bool, Reason> {
        let mut on = placement.clone();
        let check = &mut self.questions[question];
        loop {
            let correction = check.correction()?;
            if correction.is_empty() {
                return Ok(true);
            }
            self.effort.corrections += 1;
            let kinds = self.options.kinds;
            let last = self.options.costs.len() * kinds.len() - 1;
            let kind =
                |switch: &Switch| kinds.iter().position(|kind| *kind == switch.kind).expect("it is offered");
            let element = |switch: &Switch| last - switch.slot.index() * kinds.len() - kind(switch);
            self.hitting.add(correction.iter().map(element).collect());
            on.extend(correction);
            if !check.still_fails(&on)? {
                return Ok(false);
            }
        }
    }
}
