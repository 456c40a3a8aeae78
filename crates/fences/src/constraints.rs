//! From ordering constraints to fences.
//!
//! The constraint [l₁ ≺ l₂] forbids that the access labelled l₂ overtakes an earlier one labelled l₁ (*Automatic
//! Inference of Memory Fences*, Section 2.2). It is enforced if every path from l₁ to l₂ in the program's flow passes
//! a fence that orders accesses of these kinds (Lemma 2.2). Which fences do that is an avoid formula once more: the
//! flow is the transition system, l₁ where it begins, l₂ its error, and a fence at a place prevents the step across
//! that place. The paper considers the places right behind l₁ and right before l₂ only (Section 2.3); with formulas,
//! it is no harder to consider all places.
//!
//! Replacing each constraint of an avoid formula by its enforcement gives a formula over fences, whose minimal
//! sets are the placements: a fence that serves several constraints is found without being looked for.

use crate::avoid::{Bdd, Formula, Graph, TooLarge, avoid};
use fencepost_explore::FlowPoint;
use fencepost_explore::rlx::rules::Effect;
use fencepost_lsl::fence::FenceKind;

/// The kinds that orderings are enforced by: what each keeps in order. Their numbers are those of variables.
pub const TYPED: [FenceKind; 4] =
    [FenceKind::LoadLoad, FenceKind::LoadStore, FenceKind::StoreLoad, FenceKind::StoreStore];

/// The constraint [before ≺ after] between two labels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ordering {
    /// The label that must not be overtaken.
    pub before: u32,
    /// The label that must not overtake.
    pub after: u32,
    /// Whether that could store something, and does not: a compare-and-swap that fails. Fences that concern stores
    /// do not keep it.
    pub idle: bool,
}

impl Ordering {
    /// The constraint for accesses that do all they can: a read-modify-write stores.
    pub(crate) fn new(before: u32, after: u32) -> Ordering {
        Ordering { before, after, idle: false }
    }
}

/// A fence of a kind at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FenceAt {
    /// The number of the place.
    pub place: u32,
    /// What it keeps in order, one of [`TYPED`].
    pub kind: FenceKind,
}

impl FenceAt {
    /// Its number as a variable of formulas over fences.
    pub(crate) fn variable(self) -> u32 {
        let kind = TYPED.iter().position(|kind| *kind == self.kind).expect("it is one of them");
        self.place * 4 + kind as u32
    }

    /// The fence with a number.
    pub(crate) fn of_variable(variable: u32) -> FenceAt {
        FenceAt { place: variable / 4, kind: TYPED[variable as usize % 4] }
    }
}

/// The flow of all threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Flow {
    /// Points, by number. Where a thread calls a procedure twice, the same label and the same place stand at several.
    pub points: Vec<FlowPoint>,
    /// What labelled accesses do, by label.
    pub effects: Vec<Effect>,
}

impl Flow {
    /// The kinds of fences that keep `ordering`, standing between its accesses. One that orders a part of a
    /// read-modify-write orders all of it.
    pub(crate) fn sufficient(&self, ordering: Ordering) -> Vec<FenceKind> {
        let (before, mut after) =
            (self.effects[ordering.before as usize], self.effects[ordering.after as usize]);
        after.stores &= !ordering.idle;
        let keeps = |kind: &FenceKind| match kind {
            FenceKind::LoadLoad => before.loads && after.loads,
            FenceKind::LoadStore => before.loads && after.stores,
            FenceKind::StoreLoad => before.stores && after.loads,
            FenceKind::StoreStore => before.stores && after.stores,
            _ => false,
        };
        TYPED.into_iter().filter(keeps).collect()
    }

    /// The formula over fences that is satisfied by the sets that enforce `ordering`: `true` if no path leads
    /// from the one access to the other, `false` if one does that has no place.
    pub(crate) fn enforce(
        &self,
        ordering: Ordering,
        bdd: &mut Bdd,
        limit: usize,
    ) -> Result<Formula, TooLarge> {
        let kinds = self.sufficient(ordering);
        // Behind all points, what stands for having reached `after`.
        let reached = self.points.len() as u32;
        let mut graph = Graph::new(self.points.len() + 1);
        graph.errors.push(reached);
        for (from, point) in self.points.iter().enumerate() {
            if point.label == Some(ordering.before) {
                graph.initial.push(from as u32);
            }
            for &to in &point.next {
                let next = &self.points[to as usize];
                let prevent: Vec<u32> = next.place.map_or(Vec::new(), |place| {
                    kinds.iter().map(|&kind| FenceAt { place, kind }.variable()).collect()
                });
                let target = if next.label == Some(ordering.after) { reached } else { to };
                graph.edge(from as u32, target, &prevent);
            }
        }
        avoid(&graph, bdd, limit)
    }

    /// A formula over constraints, given by `orderings`, as a formula over the fences that enforce them.
    pub(crate) fn placements(
        &self,
        formula: Formula,
        orderings: &[Ordering],
        bdd: &mut Bdd,
        limit: usize,
    ) -> Result<Formula, TooLarge> {
        let mut enforced: Vec<Option<Formula>> = vec![None; orderings.len()];
        let mut failure = None;
        let made = bdd.compose(formula, &mut |bdd, constraint| {
            let constraint = constraint as usize;
            if let Some(known) = enforced[constraint] {
                return known;
            }
            let made = self.enforce(orderings[constraint], bdd, limit).unwrap_or_else(|large| {
                failure = Some(large);
                Formula::FALSE
            });
            enforced[constraint] = Some(made);
            made
        });
        match failure {
            Some(large) => Err(large),
            None if bdd.len() > limit => Err(TooLarge { nodes: limit }),
            None => Ok(made),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avoid::{Minimal, cheapest};

    const LOAD: Effect = Effect::LOAD;
    const STORE: Effect = Effect::STORE;

    /// Points with a label and a place each, numbered alike, and these steps.
    fn flow(effects: &[Effect], steps: &[(u32, u32)]) -> Flow {
        let points = (0..effects.len() as u32).map(|at| FlowPoint {
            label: Some(at),
            place: Some(at),
            next: steps.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to).collect(),
        });
        Flow { points: points.collect(), effects: effects.to_vec() }
    }

    fn listed(bdd: &Bdd, formula: Formula) -> Vec<Vec<FenceAt>> {
        let sets = Minimal::of(bdd, formula).sets(100);
        sets.into_iter().map(|set| set.into_iter().map(FenceAt::of_variable).collect()).collect()
    }

    #[test]
    fn a_fence_that_serves_two_constraints() {
        // The paper's example in Section 2.3: [0 ≺ 1] and [0 ≺ 2] in a sequence need one fence.
        let flow = flow(&[STORE, STORE, STORE], &[(0, 1), (1, 2)]);
        let orderings = [Ordering::new(0, 1), Ordering::new(0, 2)];
        let mut bdd = Bdd::default();
        let (a, b) = (bdd.var(0), bdd.var(1));
        let both = bdd.and(a, b);
        let formula = flow.placements(both, &orderings, &mut bdd, usize::MAX).unwrap();
        assert_eq!(listed(&bdd, formula), [[FenceAt { place: 1, kind: FenceKind::StoreStore }]]);
    }

    #[test]
    fn all_paths_are_cut() {
        // 0 → {1, 2} → 3: a fence behind the fork on each side, or one before the end.
        let flow = flow(&[STORE, LOAD, LOAD, LOAD], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let mut bdd = Bdd::default();
        let ordering = Ordering::new(0, 3);
        let formula = flow.enforce(ordering, &mut bdd, usize::MAX).unwrap();
        let fence = |place| FenceAt { place, kind: FenceKind::StoreLoad };
        let mut found = listed(&bdd, formula);
        found.sort();
        assert_eq!(found, [vec![fence(1), fence(2)], vec![fence(3)]]);
        let weight = |variable| if FenceAt::of_variable(variable).place == 3 { 3 } else { 1 };
        assert_eq!(cheapest(&bdd, formula, weight).map(|(cost, _)| cost), Some(2));
    }

    #[test]
    fn a_loop_leads_back() {
        // 0 → 1 → 0: the store of one round and the load of the next.
        let flow = flow(&[LOAD, STORE], &[(0, 1), (1, 0)]);
        let mut bdd = Bdd::default();
        let formula = flow.enforce(Ordering::new(1, 0), &mut bdd, usize::MAX).unwrap();
        assert_eq!(listed(&bdd, formula), [[FenceAt { place: 0, kind: FenceKind::StoreLoad }]]);
        // A load with itself, one round later.
        let formula = flow.enforce(Ordering::new(0, 0), &mut bdd, usize::MAX).unwrap();
        let fences = [0, 1].map(|place| vec![FenceAt { place, kind: FenceKind::LoadLoad }]);
        let mut found = listed(&bdd, formula);
        found.sort();
        assert_eq!(found, fences);
    }

    #[test]
    fn what_cannot_follow_needs_nothing_and_what_has_no_place_cannot_be_enforced() {
        let mut flow = flow(&[STORE, LOAD, LOAD], &[(0, 1), (0, 2)]);
        let mut bdd = Bdd::default();
        let formula = flow.enforce(Ordering::new(1, 2), &mut bdd, usize::MAX).unwrap();
        assert_eq!(formula, Formula::TRUE);
        flow.points[1].place = None;
        let formula = flow.enforce(Ordering::new(0, 1), &mut bdd, usize::MAX).unwrap();
        assert_eq!(formula, Formula::FALSE);
    }
}
