//! Runs the schedules of a sweep on several threads.
//!
//! What is found does not depend on how many: schedules are handed out in their order, and a violation ends
//! only the work on schedules with larger numbers, so the first violation is that of the smallest number.

use super::{Sweep, tally};
use fencepost_bounded::solver::resident_memory;
use fencepost_explore::{Budget, Verdict};
use fencepost_harness::oracle::reference::Stopper;
use fencepost_harness::result::Wrong;
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

/// What may be spent on a sweep.
#[derive(Clone, Default)]
pub struct Limits {
    /// Ends the sweep from outside when set.
    pub cancelled: Arc<AtomicBool>,
    /// The end of the time given.
    pub deadline: Option<Instant>,
    /// Bytes for the states of all schedules under way.
    pub memory: Option<u64>,
    /// States of a schedule after which to give up on it.
    pub states: Option<u64>,
    /// Threads that explore, at least one.
    pub jobs: usize,
    /// Whether to go on after a violation.
    pub keep_going: bool,
}

/// Which schedules.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// A share of all: its index and the number of shares.
    pub shard: Option<(u64, u64)>,
    /// Those that are known already.
    pub known: BTreeMap<u64, Record>,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Schedules that are done.
    pub done: u64,
    /// Schedules of this share.
    pub total: u64,
    /// Schedules that were done in this run.
    pub fresh: u64,
    /// States visited in this run.
    pub states: u64,
}

impl Limits {
    /// What a reference is to ask. What it remembers belongs to no schedule, so that of memory the whole process counts.
    pub fn stopper(&self) -> Stopper {
        let limits = self.clone();
        Arc::new(move || {
            let full = || limits.memory.is_some_and(|most| resident_memory().is_some_and(|held| held > most));
            limits.stopped().or_else(|| full().then_some(Reason::Memory))
        })
    }

    fn stopped(&self) -> Option<Reason> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Reason::Interrupted);
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Reason::Timeout)
    }
}

/// What the threads share.
struct Shared<'a> {
    sweep: &'a Sweep,
    limits: &'a Limits,
    schedules: Mutex<Schedules>,
    known: &'a BTreeMap<u64, Record>,
    /// The smallest number of a violation; what lies behind it is of no interest.
    first: AtomicU64,
    /// For each thread, the number it is at and what ends its work.
    at: Vec<(AtomicU64, Arc<AtomicBool>)>,
    /// For each thread, the states of the schedule that it is at.
    states: Vec<AtomicU64>,
}

/// Runs a sweep. `done` is told of every schedule as soon as it is done, `progress` of the state of things
/// from time to time.
pub fn run(
    sweep: &Sweep,
    work: &Work,
    limits: &Limits,
    done: &mut dyn FnMut(&Record) -> std::io::Result<()>,
    progress: &mut dyn FnMut(Progress),
) -> std::io::Result<Summary> {
    let stop = limits.stopper();
    let Some(mut schedules) = Schedules::until(sweep.scope.clone(), &|| stop().is_some()) else {
        return Ok(Summary { shard: work.shard, ..uncounted(limits) });
    };
    let of_scope = schedules.total();
    let (index, count) = work.shard.unwrap_or((0, 1));
    schedules = schedules.shard(index, count);
    let total = of_scope.saturating_sub(index).div_ceil(count.max(1));
    let jobs = limits.jobs.max(1);
    let shared = Shared {
        sweep,
        limits,
        schedules: Mutex::new(schedules),
        known: &work.known,
        first: AtomicU64::new(u64::MAX),
        at: (0..jobs).map(|_| (AtomicU64::new(u64::MAX), Arc::default())).collect(),
        states: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
    };
    let mut records = work.known.clone();
    if let (Some(violated), false) =
        (records.values().find(|record| record.verdict == Kind::Violated), limits.keep_going)
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
        let mut fresh = Progress { total, done: records.len() as u64, ..Progress::default() };
        let mut visited = 0;
        loop {
            match receive.recv_timeout(TICK) {
                Ok(record) => {
                    fresh.done += 1;
                    fresh.fresh += 1;
                    visited += record.tally.states;
                    if let Err(error) = done(&record) {
                        failure = Some(error);
                        limits.cancelled.store(true, Ordering::Relaxed);
                    }
                    records.insert(record.number, record);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if limits.cancelled.load(Ordering::Relaxed) {
                shared.at.iter().for_each(|(_, cancelled)| cancelled.store(true, Ordering::Relaxed));
            }
            let under_way: u64 = shared.states.iter().map(|states| states.load(Ordering::Relaxed)).sum();
            progress(Progress { states: visited + under_way, ..fresh });
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(Summary { shard: work.shard, ..summary(limits, records, total, of_scope) }),
    }
}

impl Shared<'_> {
    /// Takes schedules and explores them until there are none.
    fn work(&self, job: usize, send: &mpsc::Sender<Record>) {
        loop {
            let next = {
                let Ok(mut schedules) = self.schedules.lock() else { return };
                let next = schedules.find(|(number, _)| !self.known.contains_key(number));
                // While the lock is held, so that nobody takes a violation for the first one too early.
                let number = next.as_ref().map_or(u64::MAX, |(number, _)| *number);
                self.at[job].1.store(false, Ordering::Relaxed);
                self.at[job].0.store(number, Ordering::SeqCst);
                next
            };
            let Some((number, schedule)) = next else { return };
            if number > self.first.load(Ordering::SeqCst) || self.limits.stopped().is_some() {
                return;
            }
            let Some(record) = self.judge(job, number, &schedule) else { continue };
            if record.verdict == Kind::Violated && !self.limits.keep_going {
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
        let budget = Budget {
            cancelled: self.at[job].1.clone(),
            deadline: self.limits.deadline,
            memory: self.limits.memory.map(|memory| memory / self.at.len() as u64),
            process: None,
            states: self.limits.states,
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
                match found.verdict {
                    Verdict::Holds => (Kind::Holds, None, figures),
                    Verdict::Violated { violation, .. } => {
                        (Kind::Violated, Some(Wrong::from(violation).name().to_owned()), figures)
                    }
                    // Whatever ends all ends this one without a verdict of its own.
                    Verdict::Inconclusive(Reason::Interrupted | Reason::Timeout) => return None,
                    Verdict::Inconclusive(reason) => (Kind::Inconclusive, Some(reason.to_string()), figures),
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
pub fn uncounted(limits: &Limits) -> Summary {
    let reason = limits.stopped().unwrap_or(Reason::Memory);
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

fn summary(limits: &Limits, mut records: BTreeMap<u64, Record>, total: u64, of_scope: u64) -> Summary {
    let first = records.values().find(|record| record.verdict == Kind::Violated).map(|record| record.number);
    if let (Some(first), false) = (first, limits.keep_going) {
        // How far others were by then is chance.
        records.retain(|number, _| *number <= first);
    }
    let undecided = records.values().filter(|record| record.verdict == Kind::Inconclusive).count() as u64;
    let mut tally = Tally::default();
    for record in records.values().filter(|record| record.verdict != Kind::Inconclusive) {
        tally.add(&record.tally);
    }
    let missing = first.is_none() && (records.len() as u64) < total;
    let stopped = limits.stopped().filter(|_| missing).map(|reason| reason.to_string());
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
