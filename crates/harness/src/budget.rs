//! What work may cost. Everything that may take long asks, now and then, whether to go on.

use crate::verdict::Reason;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Set from outside, by a signal handler for instance.
    pub cancelled: Arc<AtomicBool>,
    /// The end of the time given.
    pub deadline: Option<Instant>,
    /// Bytes of memory that the process may hold.
    pub memory: Option<u64>,
    /// Bytes that the states of one exploration may take: where several are under way, the process does not tell.
    pub state_memory: Option<u64>,
    /// States of one exploration.
    pub states: Option<u64>,
}

/// Why a budget says stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// Cancelled from outside.
    Cancelled,
    /// No time left.
    Time,
    /// No memory left.
    Memory,
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Reason {
        match exhausted {
            Exhausted::Cancelled => Reason::Interrupted,
            Exhausted::Time => Reason::Timeout,
            Exhausted::Memory => Reason::Memory,
        }
    }
}

impl Budget {
    /// Whether to stop, and why. How much memory states take is not known here: see [`Budget::full`].
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.spent().err().or_else(|| self.full(0).then_some(Exhausted::Memory))
    }

    /// An error if time is up, or the end was asked for. Cheaper than to ask for memory as well.
    pub fn spent(&self) -> Result<(), Exhausted> {
        match () {
            () if self.cancelled.load(Ordering::Relaxed) => Err(Exhausted::Cancelled),
            () if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => Err(Exhausted::Time),
            () => Ok(()),
        }
    }

    /// Whether too much memory is held, given how many bytes of it states take.
    pub fn full(&self, states: u64) -> bool {
        let held = || resident_memory().unwrap_or(0).max(states);
        self.state_memory.is_some_and(|limit| states > limit)
            || self.memory.is_some_and(|limit| held() > limit)
    }

    /// An error if it is time to stop.
    pub fn poll(&self) -> Result<(), Exhausted> {
        self.exhausted().map_or(Ok(()), Err)
    }
}

/// A budget for work that has not begun: time is counted from then on.
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// Set from outside, by a signal handler for instance.
    pub cancelled: Arc<AtomicBool>,
    /// How long it may take.
    pub time: Option<Duration>,
    /// Bytes of memory that the process may hold.
    pub memory: Option<u64>,
}

impl Allowance {
    /// The budget of work that begins now.
    pub fn begin(&self) -> Budget {
        Budget {
            cancelled: self.cancelled.clone(),
            deadline: self.time.map(|time| Instant::now() + time),
            memory: self.memory,
            ..Budget::default()
        }
    }
}

/// How many questions pass before one is put: it costs a system call or two.
const PATIENCE: u32 = 256;

/// Who is asked whether to go on, and how many questions were passed over since the last one.
pub struct Poll<'a> {
    whom: Whom<'a>,
    passed: Cell<u32>,
    /// The answer, if it was to stop. Memory that is given back does not make it another.
    told: Cell<Option<Exhausted>>,
}

enum Whom<'a> {
    Nobody,
    Budget(&'a Budget),
    Asked(&'a dyn Fn() -> Option<Exhausted>),
}

impl<'a> Poll<'a> {
    /// Asks a budget.
    pub fn new(budget: &'a Budget) -> Poll<'a> {
        Poll::of(Whom::Budget(budget))
    }

    /// Asks a function.
    pub fn asking(whom: &'a dyn Fn() -> Option<Exhausted>) -> Poll<'a> {
        Poll::of(Whom::Asked(whom))
    }

    /// Nobody wants it to stop.
    pub fn never() -> Poll<'static> {
        Poll::of(Whom::Nobody)
    }

    fn of(whom: Whom) -> Poll {
        Poll { whom, passed: Cell::new(0), told: Cell::new(None) }
    }

    /// Why it is to stop, if it was told to.
    pub fn told(&self) -> Option<Exhausted> {
        self.told.get()
    }

    /// To be called with every bit of work.
    pub fn ask(&self) -> Result<(), Exhausted> {
        self.passed.set(self.passed.get() + 1);
        if self.passed.get() >= PATIENCE {
            return self.ask_now();
        }
        self.told.get().map_or(Ok(()), Err)
    }

    /// To be called where a bit of work is large.
    pub(crate) fn ask_now(&self) -> Result<(), Exhausted> {
        self.passed.set(0);
        if self.told.get().is_none() {
            self.told.set(match self.whom {
                Whom::Nobody => None,
                Whom::Budget(budget) => budget.exhausted(),
                Whom::Asked(whom) => whom(),
            });
        }
        self.told.get().map_or(Ok(()), Err)
    }
}

/// Bytes of memory the process holds, where the system tells.
pub(crate) fn resident_memory() -> Option<u64> {
    status_kilobytes("VmRSS:")
}

/// The most bytes of memory the process ever held, where the system tells.
pub fn peak_memory() -> Option<u64> {
    status_kilobytes("VmHWM:")
}

fn status_kilobytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_stays_told() {
        let told = Cell::new(Some(Exhausted::Memory));
        let whom = || told.get();
        let poll = Poll::asking(&whom);
        assert_eq!((1..PATIENCE).filter(|_| poll.ask().is_err()).count(), 0);
        assert_eq!(poll.ask(), Err(Exhausted::Memory));
        told.set(None);
        assert_eq!(poll.ask_now(), Err(Exhausted::Memory));
    }

    #[test]
    fn budgets_say_why() {
        let past = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert_eq!(past.poll(), Err(Exhausted::Time));
        past.cancelled.store(true, Ordering::Relaxed);
        assert_eq!(past.poll(), Err(Exhausted::Cancelled));
        assert_eq!(Allowance::default().begin().poll(), Ok(()));
        let small = Allowance { memory: Some(1), ..Allowance::default() };
        assert_eq!(small.begin().exhausted(), resident_memory().map(|_| Exhausted::Memory));
    }
}
