//! Placements, by each of the methods.

use super::swept::Swept;
use super::{Asked, Request, Search, Stuck, disagreement};
use crate::check::{Stage, leeway, mine};
use fencepost_bounded::Unrolling;
use fencepost_bounded::check::Options;
use fencepost_bounded::switched::{Switched, Tried};
use fencepost_explore as explore;
use fencepost_explore::abstraction::{Abstraction, Approach};
use fencepost_explore::rlx::rules::Rules;
use fencepost_fences::constraints::FenceAt;
use fencepost_fences::guided::{self, Attempt, Effort, Found, Searched};
use fencepost_fences::place::slot;
use fencepost_fences::proved::Proved;
use fencepost_fences::{rlx, store_buffers};
use fencepost_harness::engine;
use fencepost_harness::inference::Method;
use fencepost_harness::mine::Mined;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Placement, SlotId, Switch};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Placements that execution buffers list, at least; the cheapest of them are taken.
const LISTED: usize = 1000;

impl Search<'_> {
    /// Finds placements.
    pub(super) fn find(&self, approach: Approach, effort: &mut Effort) -> Result<Searched, Stuck> {
        match self.request.method {
            Method::Search => self.by_search(approach, effort),
            Method::StoreBuffers => self.by_store_buffers(approach).map_err(|reason| (Some(0), reason)),
            Method::Rlx => self.by_execution_buffers(),
        }
    }

    fn by_search(&self, approach: Approach, effort: &mut Effort) -> Result<Searched, Stuck> {
        let Request { session, questions, kinds, costs, limit, .. } = self.request;
        let options = Options {
            unroll: Unrolling {
                fences: kinds.clone(),
                leeway: leeway(&questions.iter().map(|(_, model)| model).collect::<Vec<_>>()),
                ..self.terms().options().unroll
            },
            ..self.terms().options()
        };
        let mut mined: Vec<Option<Rc<Mined>>> = Vec::new();
        for (asked, _) in questions {
            (self.progress)(Stage::Mining);
            mined.push(match asked {
                Asked::Question(Question::Test(test)) => {
                    Some(mine(session, test, &options.budget).map_err(|reason| (None, reason))?)
                }
                _ => None,
            });
        }
        let quiet = |_| {};
        let machines: Vec<Result<explore::Options, Reason>> =
            questions.iter().map(|(_, model)| self.exploring(model)).collect();
        let mut checks: Vec<Box<dyn guided::Trial + '_>> = Vec::new();
        for (index, ((asked, model), mined)) in questions.iter().zip(&mined).enumerate() {
            let specification = match mined.as_deref() {
                None => None,
                Some(Mined::Specification { observations, .. }) => Some(observations),
                Some(Mined::Fault(_)) => return Err((Some(index), disagreement("on sc"))),
                Some(Mined::Impossible(why)) => {
                    return Err((Some(index), Reason::Specification(why.clone())));
                }
            };
            let question = match asked {
                Asked::Sweep => {
                    checks.push(Box::new(Swept::new(self, model)));
                    continue;
                }
                Asked::Question(Question::Main(proc)) if self.proved[index] => {
                    let machine = machines[index].as_ref().map_err(|reason| (Some(index), reason.clone()))?;
                    checks.push(Box::new(Proved::new(&session.harness, *proc, machine, approach, kinds)));
                    continue;
                }
                Asked::Question(question) => question,
            };
            let switched = Switched::new(&session.harness, question, model, specification, &options, &quiet);
            checks.push(Box::new(switched));
        }
        let slots = session.harness.program.slots.iter();
        let costs: Vec<Vec<u64>> =
            slots.map(|slot| kinds.iter().map(|kind| costs.of(*kind, slot)).collect()).collect();
        let progress = |now: Attempt| {
            let Attempt { tried, corrections, fences, .. } = now;
            (self.progress)(Stage::Inferring { tried, corrections, fences });
        };
        let budget = &options.budget;
        let search = guided::Options { kinds, costs: &costs, limit: *limit, budget, progress: &progress };
        guided::infer(&mut checks, &search, effort).map_err(|(question, reason)| {
            match options.budget.exhausted() {
                Some(exhausted) => (Some(question), exhausted.into()),
                None => (Some(question), reason),
            }
        })
    }

    /// For one question, about a closed program, and one kind of fences, full ones.
    fn by_store_buffers(&self, approach: Approach) -> Result<Searched, Reason> {
        let Request { session, questions, kinds, costs, limit, .. } = self.request;
        let [(Asked::Question(Question::Main(main)), model)] = &questions[..] else {
            return Err(Reason::Unsupported("to infer from store buffers for more than `main`".into()));
        };
        let abstraction = match approach {
            // Heads of any length are the buffers themselves.
            Approach::Fixed(Abstraction::Exact) => Abstraction::FullyDisjunctive(usize::MAX),
            Approach::Fixed(abstraction) => abstraction,
            Approach::Refine => Abstraction::FullyDisjunctive(1),
        };
        let options = explore::Options { abstraction, ..self.exploring(model)? };
        let progress = |visits: &explore::Statistics| {
            (self.progress)(Stage::Engine(engine::Progress::States(visits.states)))
        };
        let cost = |slot: SlotId| costs.of(kinds[0], &session.harness.program.slots[slot.index()]);
        let inferred = store_buffers::infer(
            &session.harness,
            &Question::Main(*main),
            &options,
            (*limit).max(LISTED),
            &cost,
            &progress,
        )?;
        let found = |slots: Vec<SlotId>| Found {
            cost: slots.iter().map(|slot| cost(*slot)).sum(),
            placement: slots.into_iter().map(|slot| Switch { slot, kind: kinds[0] }).collect(),
        };
        let Some(cheapest) = inferred.cheapest else {
            return Ok(Searched::Hopeless { question: 0, tried: Tried::Violated });
        };
        let listed = inferred.listed.into_iter().map(found).collect();
        Ok(first(found(cheapest), listed, inferred.placements, *limit))
    }

    /// For questions about tests and closed programs on one model, and either typed fences or full ones.
    fn by_execution_buffers(&self) -> Result<Searched, Stuck> {
        let Request { session, questions, kinds, costs, limit, .. } = self.request;
        let budget = self.terms().options().budget;
        let mut goals = Vec::new();
        let mut rules = None;
        for (index, (asked, model)) in questions.iter().enumerate() {
            let stuck = |reason| (Some(index), reason);
            rules = Rules::of(model);
            goals.push(match asked {
                Asked::Question(Question::Main(_)) => rlx::Goal::Main,
                Asked::Question(Question::Client(_)) => {
                    return Err(stuck(Reason::Unsupported("clients with execution buffers".into())));
                }
                Asked::Question(Question::Test(test)) => {
                    match &*mine(session, test, &budget).map_err(stuck)? {
                        Mined::Specification { observations, .. } => {
                            rlx::Goal::Admitted(test.clone(), observations.clone())
                        }
                        Mined::Fault(_) => return Err(stuck(disagreement("on sc"))),
                        Mined::Impossible(why) => return Err(stuck(Reason::Specification(why.clone()))),
                    }
                }
                Asked::Sweep => {
                    return Err(stuck(Reason::Unsupported("sweeps with execution buffers".into())));
                }
            });
        }
        let Some(rules) = rules else {
            return Err((
                None,
                Reason::Unsupported("execution buffers on other models than tso, pso, rmo".into()),
            ));
        };
        let switch = |fence: FenceAt| {
            // A full one does the work of any.
            let kind = if let [only] = kinds[..] { only } else { fence.kind };
            Switch { slot: SlotId(fence.place), kind }
        };
        let price = |switch: Switch| costs.of(switch.kind, slot(&session.harness.program, switch));
        let extent = rlx::Extent {
            explore: explore::rlx::Options { budget: self.budget(), ..explore::rlx::Options::default() },
            listed: (*limit).max(LISTED),
            ..rlx::Extent::default()
        };
        let inferred = rlx::infer(&session.harness, &goals, rules, &extent, &|fence| price(switch(fence)));
        let inferred = match inferred {
            Ok(inferred) => inferred,
            Err(rlx::Obstacle::Impossible(question)) => {
                return Ok(Searched::Hopeless { question, tried: Tried::Violated });
            }
            Err(rlx::Obstacle::Inconclusive(question, reason)) => return Err((Some(question), reason)),
        };
        // Full fences of several kinds at one place are one.
        let found = |placement: rlx::Priced| -> Found {
            let placement: Placement = placement.fences.into_iter().map(switch).collect();
            Found { cost: placement.iter().map(|switch| price(*switch)).sum(), placement }
        };
        let total = inferred.placement_sets;
        let mut listed: Vec<Found> = inferred.placements.into_iter().map(found).collect();
        listed.sort_by_key(|found| (found.cost, found.placement.len()));
        // There is at least one: the cheapest.
        let cheapest = listed.remove(0);
        Ok(first(cheapest, listed, total, *limit))
    }
}

/// The cheapest placement and others, each once and none that contains another, of so many that there are.
fn first(cheapest: Found, others: Vec<Found>, total: u64, limit: usize) -> Searched {
    let known = 1 + others.len() as u64;
    let mut by_cost: BTreeMap<(u64, Placement), Found> = BTreeMap::new();
    for found in others {
        by_cost.insert((found.cost, found.placement.clone()), found);
    }
    let mut list = vec![cheapest];
    for (_, found) in by_cost {
        if !list.iter().any(|less| less.placement.is_subset(&found.placement)) {
            list.push(found);
        }
    }
    let complete = list.len() <= limit && known >= total;
    list.truncate(limit);
    Searched::Placements { found: list, complete }
}
