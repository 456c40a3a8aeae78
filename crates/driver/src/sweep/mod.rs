//! Sweeps: all schedules of a scope, each explored to its end and judged by an oracle (COLLECT, Sections 3
//! and 4).
//!
//! A schedule is judged alone, by its number, so that several threads and machines can share a sweep and
//! one that was cut short can go on. Whatever is reported is explored once more, from the nearest states
//! to the farthest and with a monitor that remembers histories, and its trace replayed.

mod fenced;
mod head;
mod log;
mod merge;
mod pool;
mod recorder;

pub(crate) use fenced::fence_calls;
pub use log::{Contents, Log, LogError, show_shard};
pub use merge::merge;
pub use pool::{SweepProgress, Work, run, uncounted};

use crate::check::refused;
use fencepost_explore::{Exploration, Options, Search, explore};
use fencepost_harness::budget::{Budget, Poll};
use fencepost_harness::client::Client;
use fencepost_harness::consistency::explain::explain;
use fencepost_harness::consistency::history::History;
use fencepost_harness::consistency::{Property, Waiting, monitor};
use fencepost_harness::engine::Finding;
use fencepost_harness::monitor::Monitor;
use fencepost_harness::operation::Harness;
use fencepost_harness::oracle::Protocol;
use fencepost_harness::oracle::binding::Binding;
use fencepost_harness::oracle::collection::Specification;
use fencepost_harness::oracle::reference::Reference;
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_harness::schedule::{Schedule, Scope};
use fencepost_harness::sweep::{Counterexample, Tally};
use fencepost_harness::trace::{Explanation, Trace};
use fencepost_harness::verdict::Reason;
use fencepost_models::Model;
use fencepost_replay::replay_until;
use recorder::Recorder;

/// What to sweep, and how to judge.
pub struct Sweep {
    /// The file, with just the operations of the collection.
    pub harness: Harness,
    /// Which operation plays which role.
    pub binding: Binding,
    /// What operations should do, if another file says so.
    pub reference: Option<Reference>,
    /// How calls wait for each other.
    pub protocol: Protocol,
    /// Which order of calls an explanation must keep.
    pub property: Property,
    /// Whether clients make a fence after each call, which then returns when its stores have reached memory.
    pub fenced: bool,
    /// What justifies that threads are stuck.
    pub waiting: Waiting,
    /// Which schedules.
    pub scope: Scope,
    /// Operations of the file that no schedule calls, by name.
    pub not_called: Vec<String>,
    /// How each is explored; the budget is that of one schedule.
    pub options: Options,
    /// The memory model, for the referee; that of `options`.
    pub model: Model,
}

/// The name of linearizability for clients that make a fence after each call.
pub(crate) const FENCED: &str = "linear-fenced";

/// States after which the search for the shortest counterexample gives up.
const NEAREST: u64 = 3_000_000;

/// Of so many schedules that hold, one has an execution replayed: that takes longer than to explore a small one.
const SAMPLE: u64 = 64;

/// Sequential orders that a counterexample comes with, at most.
const ATTEMPTS: usize = 8;

impl Sweep {
    /// What the operations are held against, in a word or two.
    pub fn oracle(&self) -> &'static str {
        match (&self.reference, self.binding.kind()) {
            (None, Some(kind)) => kind.name(),
            _ => "as the reference",
        }
    }

    /// The name of the property.
    pub fn property(&self) -> &'static str {
        if self.fenced { FENCED } else { self.property.name() }
    }

    fn specification(&self) -> Option<Specification> {
        Specification::new(self.binding.clone(), self.protocol)
    }

    /// The reference, if there is one, for work with this budget.
    fn reference(&self, budget: &Budget) -> Option<Reference> {
        self.reference.as_ref().map(|reference| reference.until(budget.clone()))
    }

    /// A fresh monitor, by a reference if there is one.
    fn monitor(&self, reference: Option<&Reference>) -> Result<Box<dyn Monitor + Send>, Reason> {
        if let Some(reference) = reference {
            return Ok(monitor(self.property, self.waiting, reference.clone()));
        }
        let specification = self.specification();
        let specification =
            specification.ok_or_else(|| Reason::Internal("the oracle does not suit the protocol".into()))?;
        Ok(monitor(self.property, self.waiting, specification))
    }

    /// The client of a schedule.
    pub fn client(&self, schedule: &Schedule) -> Result<Client, Reason> {
        let client = schedule.client(&self.binding);
        client.ok_or_else(|| Reason::Internal("a schedule calls what no operation does".into()))
    }

    /// Explores a schedule. Of every so many that hold, the referee looks at one execution.
    pub fn explore(
        &self,
        number: u64,
        client: &Client,
        budget: &Budget,
        progress: &dyn Fn(&fencepost_explore::Statistics),
    ) -> Result<Exploration, Reason> {
        let reference = self.reference(budget);
        let mut monitor = self.monitor(reference.as_ref())?;
        let options = Options { budget: budget.clone(), ..self.options.clone() };
        let found = explore(
            &self.harness,
            &Question::Client(client.clone()),
            None,
            &options,
            Some(monitor.as_mut()),
            progress,
        );
        reference.as_ref().map_or(Ok(()), Reference::sound)?;
        if let (Finding::Holds, Some(witness), 0) = (&found.finding, &found.witness, number % SAMPLE) {
            self.replay(witness, budget)?;
        }
        Ok(found)
    }

    fn replay(&self, trace: &Trace, budget: &Budget) -> Result<Explanation, Reason> {
        replay_until(&self.harness, trace, &self.model, &Poll::new(budget)).map_err(refused)
    }

    /// Explores a schedule that is known to be violated for the sake of its counterexample: the shortest one,
    /// or one that is found with less work.
    pub fn counterexample(
        &self,
        number: u64,
        client: &Client,
        budget: &Budget,
    ) -> Result<Counterexample, Reason> {
        let reference = self.reference(budget);
        let question = Question::Client(client.clone());
        let mut last = Reason::Internal("a violation was not found again".into());
        for (search, states) in [(Search::Breadth, Some(NEAREST)), (Search::Depth, budget.states)] {
            let mut inner = self.monitor(reference.as_ref())?;
            let mut recorder = Recorder::new(inner.as_mut());
            let options =
                Options { search, budget: Budget { states, ..budget.clone() }, ..self.options.clone() };
            let found = explore(&self.harness, &question, None, &options, Some(&mut recorder), &|_| {});
            reference.as_ref().map_or(Ok(()), Reference::sound)?;
            match found.finding {
                Finding::Violated { wrong, trace } => {
                    let history = match wrong {
                        Wrong::Unexplained | Wrong::Stuck(_) => recorder.history(),
                        _ => None,
                    };
                    let history = history.filter(|history| tells_of(history, &trace));
                    let found = (wrong, *trace, history);
                    return self.explained(number, client, found, reference.as_ref(), budget);
                }
                Finding::Inconclusive(reason) => last = reason,
                Finding::Holds => {}
            }
        }
        Err(last)
    }

    fn explained(
        &self,
        number: u64,
        client: &Client,
        (wrong, trace, history): (Wrong, Trace, Option<History>),
        reference: Option<&Reference>,
        budget: &Budget,
    ) -> Result<Counterexample, Reason> {
        let explanation = self.replay(&trace, budget)?;
        let mut attempts = Vec::new();
        if let Some(history) = &history {
            attempts = match (reference, self.specification()) {
                (Some(oracle), _) => explain(self.property, self.waiting, oracle, history, ATTEMPTS),
                (None, Some(oracle)) => explain(self.property, self.waiting, &oracle, history, ATTEMPTS),
                (None, None) => Vec::new(),
            };
            reference.map_or(Ok(()), Reference::sound)?;
            if attempts.is_empty() {
                return Err(Reason::Internal("a history is rejected that can be explained".into()));
            }
        }
        Ok(Counterexample { number, client: client.clone(), wrong, trace, explanation, history, attempts })
    }
}

/// Whether a history has just the results of a trace. The end of a call may be missing from a trace that ends
/// with it, and a call that a stuck thread is about to make has no event.
fn tells_of(history: &History, trace: &Trace) -> bool {
    let calls = history.calls();
    (1..trace.threads.len()).all(|thread| {
        let ours: Vec<_> = calls.iter().filter(|call| call.thread + 1 == thread).collect();
        let theirs = &trace.threads[thread].calls;
        let same = ours.iter().zip(theirs).all(|(ours, theirs)| match (&ours.responded, &theirs.results) {
            (Some((_, a)), Some(b)) => a == b,
            _ => true,
        });
        same && ours.len().abs_diff(theirs.len()) <= 1
    })
}

/// The figures of an exploration.
fn tally(found: &Exploration) -> Tally {
    let statistics = &found.statistics;
    Tally {
        schedules: 1,
        states: statistics.states,
        transitions: statistics.transitions,
        complete: statistics.complete,
        stuck: statistics.stuck,
    }
}
