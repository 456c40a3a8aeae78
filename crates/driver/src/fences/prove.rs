//! What was found, put to the proof: in the text of the program, and without each of its fences.

use super::mirror::Mirror;
use super::{Asked, Request, Search, Stuck, disagreement};
use crate::session::Session;
use fencepost_fences::guided::Found;
use fencepost_fences::orders::{self, Stronger};
use fencepost_fences::patch::{self, Patch};
use fencepost_fences::place::{slot, statement};
use fencepost_harness::inference::{
    ChangedFile, Failure, Method, Placed, PlacedFence, StrongerOrder, Without,
};
use fencepost_harness::question::Question;
use fencepost_harness::result::{CheckResult, Verdict};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Placement, Program, Switch};
use fencepost_lsl::source::FileId;
use std::collections::BTreeMap;

/// A placement as it is written.
#[derive(Clone, Default)]
struct Written {
    patches: Vec<Patch>,
    checks: Vec<CheckResult>,
    /// Fences that are put in.
    fences: Placement,
    /// Accesses with stronger orders, for the fences that they replace.
    orders: BTreeMap<Switch, Vec<Stronger>>,
}

impl Written {
    /// The same without a fence, or without the orders that replace it.
    fn less(&self, switch: &Switch) -> Written {
        let mut less = self.clone();
        less.fences.remove(switch);
        less.orders.remove(switch);
        less
    }
}

impl Search<'_> {
    /// Puts a placement into the source text and checks that; for the first one, also what each fence is for.
    pub(super) fn prove(&self, found: &Found, first: bool) -> Result<Placed, Stuck> {
        let _span = tracing::info_span!("prove", fences = found.placement.len()).entered();
        let Request { session, costs, .. } = self.request;
        let program = &session.harness.program;
        let written = self.written(Written { fences: found.placement.clone(), ..Written::default() })?;
        let written = self.with_orders(written);
        let mut fences: Vec<PlacedFence> = Vec::new();
        for switch in written.fences.iter().chain(written.orders.keys()) {
            let slot = slot(program, *switch);
            let kind = switch.kind;
            let without = match first {
                // Orders do more than the fences that they stand for where accesses lie in between, so the text is asked.
                true if !written.orders.is_empty() => {
                    self.decide(self.answers(&self.patches(&written.less(switch)))?)?
                }
                true => {
                    let mut others = found.placement.clone();
                    others.remove(switch);
                    self.without(&others)?
                }
                false => Without::Unknown,
            };
            fences.push(PlacedFence {
                kind: kind.name(),
                statement: (!written.orders.contains_key(switch)).then(|| statement(kind, false)),
                orders: written.orders.get(switch).into_iter().flatten().map(|o| named(program, o)).collect(),
                at: program.sources.position(slot.at),
                line: program.sources.line(slot.at).to_owned(),
                function: slot.function.clone(),
                loop_depth: slot.loop_depth,
                cost: costs.of(kind, slot),
                without,
            });
        }
        fences.sort_by(|a, b| a.at.cmp(&b.at));
        let changed = |patch: Patch| {
            let file = program.sources.file(patch.file);
            let diff = patch::unified(&file.name, &file.text, &patch.text);
            ChangedFile { name: file.name.clone(), text: patch.text, diff }
        };
        let files = written.patches.into_iter().map(changed).collect();
        let cost = fences.iter().map(|fence| fence.cost).sum();
        Ok(Placed { fences, cost, files, checks: written.checks })
    }

    /// Has accesses get stronger orders instead of the fences of a placement, wherever the program then holds.
    fn with_orders(&self, written: Written) -> Written {
        if !self.request.orders {
            return written;
        }
        let program = &self.request.session.harness.program;
        let mut best = written;
        for switch in best.fences.clone() {
            let ways = orders::instead(program, slot(program, switch), switch.kind);
            let mut changed = ways.into_iter().map(|way| {
                let mut next = best.clone();
                next.fences.remove(&switch);
                next.orders.insert(switch, way);
                next
            });
            if let Some(accepted) = changed.find_map(|next| self.written(next).ok()) {
                best = accepted;
            }
        }
        // An order may do more than its fence did: a seq_cst access also acquires or releases, and an access with an order is
        // kept in order with those between it and the fence. Others may be idle now.
        if !best.orders.is_empty() {
            for switch in best.fences.iter().chain(best.orders.keys()).copied().collect::<Vec<_>>() {
                best = self.written(best.less(&switch)).unwrap_or(best);
            }
        }
        best
    }

    /// The text with fences and orders.
    fn patches(&self, written: &Written) -> Vec<Patch> {
        let mut all = Vec::new();
        written.orders.values().for_each(|way| orders::add(&mut all, way));
        patch::patches(&self.request.session.harness.program, &written.fences, &all)
    }

    /// Puts fences and orders into the text, and checks that.
    fn written(&self, mut written: Written) -> Result<Written, Stuck> {
        written.patches = self.patches(&written);
        written.checks = self.recheck(&written.patches)?;
        Ok(written)
    }

    /// Checks the program made of patched files, all of it must hold.
    fn recheck(&self, patches: &[Patch]) -> Result<Vec<CheckResult>, Stuck> {
        let mut results = Vec::new();
        for (index, Failure { result, .. }) in self.answers(patches)?.into_iter().enumerate() {
            match &result.verdict {
                Verdict::Holds => results.push(result),
                Verdict::Inconclusive(reason) => return Err((Some(index), reason.clone())),
                Verdict::Violated(_) if self.request.method == Method::Rlx => {
                    let what = format!(
                        "the fences that execution buffers ask for are not enough on the model {}, which allows more than \
                         that machine does; try --method search",
                        self.request.questions[index].1.name
                    );
                    return Err((Some(index), Reason::Method(what)));
                }
                Verdict::Violated(_) => {
                    return Err((Some(index), disagreement("with the fences put into the text")));
                }
            }
        }
        Ok(results)
    }

    /// What is said of the program made of patched files, question by question up to the first that is violated.
    fn answers(&self, patches: &[Patch]) -> Result<Vec<Failure>, Stuck> {
        let Request { session, path, arguments, reference, questions, .. } = self.request;
        let texts: Vec<(FileId, String)> = patches.iter().map(|p| (p.file, p.text.clone())).collect();
        let mirror = Mirror::new(&session.harness.program.sources, path, &texts).map_err(|error| {
            (
                None,
                Reason::Unsupported(format!("the files cannot be copied to be checked with fences: {error}")),
            )
        })?;
        let loaded = Session::load(&mirror.main(), &mirror.arguments(arguments), *reference);
        let mut patched = loaded.map_err(|rejected| {
            let first = rejected.diagnostics.first().map_or("", |first| &first.message);
            (
                None,
                Reason::Unsupported(format!("the text with fences put in is no longer understood: {first}")),
            )
        })?;
        let mut answers = Vec::new();
        for (index, (asked, model)) in questions.iter().enumerate() {
            let found = match asked {
                Asked::Question(Question::Client(client)) => {
                    Ok(Asked::Question(Question::Client(client.clone())))
                }
                Asked::Question(Question::Main(_)) => patched.question("main").map(Asked::Question),
                Asked::Question(Question::Test(test)) => {
                    patched.question(&test.show(&session.harness)).map(Asked::Question)
                }
                Asked::Sweep => Ok(Asked::Sweep),
            };
            let asked = found.map_err(|problem| (Some(index), Reason::Internal(problem.message)))?;
            let answer = self.ask(&patched, index, &asked, model);
            let violated = matches!(answer.result.verdict, Verdict::Violated(_));
            answers.push(answer);
            if violated {
                break;
            }
        }
        Ok(answers)
    }

    /// What becomes of a placement that lacks a fence: a check that is violated, if there is one.
    fn without(&self, placement: &Placement) -> Result<Without, Stuck> {
        let questions = 0..self.request.questions.len();
        self.decide(questions.map(|question| self.check_with(placement, question)))
    }

    /// The same, by answers to the questions in their order.
    fn decide(&self, answers: impl IntoIterator<Item = Failure>) -> Result<Without, Stuck> {
        let mut unsure: Option<Failure> = None;
        for (question, failure) in answers.into_iter().enumerate() {
            match &failure.result.verdict {
                Verdict::Holds => {}
                Verdict::Violated(_) => return Ok(Without::Fails(Box::new(failure))),
                Verdict::Inconclusive(Reason::Unroll { .. }) => {
                    unsure.get_or_insert(failure);
                }
                Verdict::Inconclusive(reason) => return Err((Some(question), reason.clone())),
            }
        }
        match unsure {
            Some(failure) => Ok(Without::Fails(Box::new(failure))),
            // Where fences can also allow executions, what was found need not be minimal.
            None if self.is_exact() && self.only_forbid() => {
                Err((None, disagreement("without one of the fences")))
            }
            None => Ok(Without::Holds),
        }
    }
}

/// A stronger order, for people.
fn named(program: &Program, stronger: &Stronger) -> StrongerOrder {
    StrongerOrder {
        at: program.sources.position(stronger.at),
        access: program.sources.line(stronger.access).to_owned(),
        order: stronger.name(),
    }
}
