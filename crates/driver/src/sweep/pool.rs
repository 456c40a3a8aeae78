//! Runs the schedules of a sweep on several threads.
//!
//! What is found does not depend on how many: schedules are handed out in their order, and a violation ends
//! only the work on schedules with larger numbers, so the first violation is that of the smallest number.

use super::{Sweep, tally};
use fencepost_harness::budget::{Budget, Exhausted, Poll};
use fencepost_harness::engine::Finding;
use fencepost_harness::schedule::Schedules;
use fencepost_harness::sweep::{Record, Summary, Tally};
use fencepost_harness::verdict::{Kind, Reason};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Stack of a thread that explores.
const STACK: usize = 1 << 27;

/// How long to wait before progress is told again.
const TICK: Duration = Duration::from_millis(100);

/// Which schedules, and by how many.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// A share of all: its index and the number of shares.
    pub shard: Option<(u64, u64)>,
    /// Those that are known already.
    pub known: BTreeMap<u64, Record>,
    /// Threads that explore, at least one.
    pub jobs: usize,
    /// Whether to go on after a violation.
    pub keep_going: bool,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepProgress {
    /// Schedules that are done.
    pub done: u64,
    /// Schedules of this share.
    pub total: u64,
    /// Schedules that were done in this run.
    pub fresh: u64,
    /// States visited in this run.
    pub states: u64,
}

/// What the threads share.
struct Shared<'a> {
    sweep: &'a Sweep,
    work: &'a Work,
    budget: &'a Budget,
    schedules: Mutex<Schedules>,
    /// The smallest number of a violation; what lies behind it is of no interest.
    first: AtomicU64,
    /// For each thread, the number it is at and what ends its work.
    at: Vec<(AtomicU64, Arc<AtomicBool>)>,
    /// For each thread, the states of the schedule that it is at.
    states: Vec<AtomicU64>,
}

/// Runs a sweep. Of the memory of its budget, the states of all schedules under way take a share each; a number of states is one for each
/// schedule. `done` is told of every schedule as soon as it is done, `progress` of the state of things
/// from time to time.
pub fn run(
    sweep: &Sweep,
    work: &Work,
    budget: &Budget,
    done: &mut dyn FnMut(&Record) -> std::io::Result<()>,
    progress: &mut dyn FnMut(SweepProgress),
) -> std::io::Result<Summary> {
    let mut schedules = match Schedules::until(sweep.scope.clone(), &Poll::new(budget)) {
        Ok(schedules) => schedules,
        Err(exhausted) => return Ok(Summary { shard: work.shard, ..uncounted(exhausted) }),
    };
    let of_scope = schedules.total();
    let (index, count) = work.shard.unwrap_or((0, 1));
    schedules = schedules.shard(index, count);
    let total = of_scope.saturating_sub(index).div_ceil(count.max(1));
    let jobs = work.jobs.max(1);
    let _span = tracing::info_span!("sweep", schedules = total, jobs).entered();
    let shared = Shared {
        sweep,
        work,
        budget,
        schedules: Mutex::new(schedules),
        first: AtomicU64::new(u64::MAX),
        at: (0..jobs).map(|_| (AtomicU64::new(u64::MAX), Arc::default())).collect(),
        states: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
    };
    let mut records = work.known.clone();
    if let (Some(violated), false) =
        (records.values().find(|record| record.verdict == Kind::Violated), work.keep_going)
    {
        shared.first.store(violated.number, Ordering::Relaxed);
    }
    let (send, receive) = mpsc::channel::<Record>();
    let mut failure = None;
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (send, shared) = (send.clone(), &shared);
            let thread = std::thread::Builder::new().stack_size(STACK);
            let spawned = thread.spawn_scoped(scope, move || shared.work(job, &send));
            if let Err(error) = spawned {
                failure = Some(error);
            }
        }
        drop(send);
        let mut fresh = SweepProgress { total, done: records.len() as u64, ..SweepProgress::default() };
        let mut visited = 0;
        loop {
            match receive.recv_timeout(TICK) {
                Ok(record) => {
                    fresh.done += 1;
                    fresh.fresh += 1;
                    visited += record.tally.states;
                    if let Err(error) = done(&record) {
                        failure = Some(error);
                        budget.cancelled.store(true, Ordering::Relaxed);
                    }
                    records.insert(record.number, record);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if budget.cancelled.load(Ordering::Relaxed) {
                shared.at.iter().for_each(|(_, cancelled)| cancelled.store(true, Ordering::Relaxed));
            }
            let under_way: u64 = shared.states.iter().map(|states| states.load(Ordering::Relaxed)).sum();
            progress(SweepProgress { states: visited + under_way, ..fresh });
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(Summary { shard: work.shard, ..summary(work, budget, records, total, of_scope) }),
    }
}

impl Shared<'_> {
    /// Takes schedules and explores them until there are none.
    fn work(&self, job: usize, send: &mpsc::Sender<Record>) {
        loop {
            let next = {
                let Ok(mut schedules) = self.schedules.lock() else { return };
                let next = schedules.find(|(number, _)| !self.work.known.contains_key(number));
                // While the lock is held, so that nobody takes a violation for the first one too early.
                let number = next.as_ref().map_or(u64::MAX, |(number, _)| *number);
                self.at[job].1.store(false, Ordering::Relaxed);
                self.at[job].0.store(number, Ordering::SeqCst);
                next
            };
            let Some((number, schedule)) = next else { return };
            if number > self.first.load(Ordering::SeqCst) || self.budget.spent().is_err() {
                return;
            }
            let Some(record) = self.judge(job, number, &schedule) else { continue };
            if record.verdict == Kind::Violated && !self.work.keep_going {
                self.first.fetch_min(number, Ordering::SeqCst);
                for (at, cancelled) in &self.at {
                    let later = at.load(Ordering::SeqCst) > number;
                    cancelled.fetch_or(later, Ordering::Relaxed);
                }
            }
            if send.send(record).is_err() {
                return;
            }
        }
    }

    /// Explores a schedule; none if it was not to be ended.
    fn judge(
        &self,
        job: usize,
        number: u64,
        schedule: &fencepost_harness::schedule::Schedule,
    ) -> Option<Record> {
        let begun = Instant::now();
        let whole = self.budget;
        let budget = Budget {
            cancelled: self.at[job].1.clone(),
            memory: None,
            state_memory: whole.memory.map(|memory| memory / self.at.len() as u64),
            ..whole.clone()
        };
        let states = &self.states[job];
        let mut notation = String::new();
        let explored = catch_unwind(AssertUnwindSafe(|| {
            let client = self.sweep.client(schedule)?;
            notation = client.show(&self.sweep.harness);
            self.sweep.explore(number, &client, &budget, &|statistics| {
                states.store(statistics.states, Ordering::Relaxed);
            })
        }));
        states.store(0, Ordering::Relaxed);
        let found = explored.unwrap_or_else(|_| Err(Reason::Internal("the engine panicked".into())));
        let (verdict, reason, figures) = match found {
            Ok(found) => {
                let figures = tally(&found);
                match found.finding {
                    Finding::Holds => (Kind::Holds, None, figures),
                    Finding::Violated { wrong, .. } => {
                        (Kind::Violated, Some(wrong.name().to_owned()), figures)
                    }
                    // Whatever ends all ends this one without a verdict of its own.
                    Finding::Inconclusive(Reason::Interrupted | Reason::Timeout) => return None,
                    Finding::Inconclusive(reason) => (Kind::Inconclusive, Some(reason.to_string()), figures),
                }
            }
            Err(Reason::Interrupted | Reason::Timeout) => return None,
            Err(reason) => (Kind::Inconclusive, Some(reason.to_string()), Tally::default()),
        };
        let seconds = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e6;
        Some(Record { number, notation, verdict, reason, tally: figures, seconds })
    }
}

/// What is said of a sweep whose schedules were not even counted.
pub fn uncounted(exhausted: Exhausted) -> Summary {
    let reason = Reason::from(exhausted);
    Summary {
        verdict: Kind::Inconclusive,
        reason: Some(format!("{reason} while schedules were counted")),
        shard: None,
        total: 0,
        of_scope: 0,
        tally: Tally::default(),
        violations: Vec::new(),
        undecided: 0,
        seconds: 0.0,
    }
}

fn summary(
    work: &Work,
    budget: &Budget,
    mut records: BTreeMap<u64, Record>,
    total: u64,
    of_scope: u64,
) -> Summary {
    let first = records.values().find(|record| record.verdict == Kind::Violated).map(|record| record.number);
    if let (Some(first), false) = (first, work.keep_going) {
        // How far others were by then is chance.
        records.retain(|number, _| *number <= first);
    }
    let undecided = records.values().filter(|record| record.verdict == Kind::Inconclusive).count() as u64;
    let mut tally = Tally::default();
    for record in records.values().filter(|record| record.verdict != Kind::Inconclusive) {
        tally.add(&record.tally);
    }
    let missing = first.is_none() && (records.len() as u64) < total;
    let stopped =
        budget.spent().err().filter(|_| missing).map(|exhausted| Reason::from(exhausted).to_string());
    let reason = stopped.or_else(|| {
        records.values().find_map(|record| match record.verdict {
            Kind::Inconclusive => Some(format!(
                "schedule {}, {}: {}",
                record.number,
                record.notation,
                record.reason.as_deref().unwrap_or("unknown")
            )),
            _ => None,
        })
    });
    let verdict = match () {
        () if first.is_some() => Kind::Violated,
        () if undecided > 0 || missing || total == 0 => Kind::Inconclusive,
        () => Kind::Holds,
    };
    let reason = reason.or_else(|| (total == 0).then(|| "there is no schedule in this scope".into()));
    Summary {
        verdict,
        reason: reason.filter(|_| verdict == Kind::Inconclusive),
        shard: None,
        total,
        of_scope,
        tally,
        violations: records.values().filter(|record| record.verdict == Kind::Violated).cloned().collect(),
        undecided: undecided + if missing { total - records.len() as u64 } else { 0 },
        seconds: records.values().map(|record| record.seconds).sum(),
    }
}
