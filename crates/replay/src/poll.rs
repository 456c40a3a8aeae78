//! Asks now and then whether to go on.

use crate::Refusal;
use std::cell::Cell;

/// How many questions pass before the next one is asked in earnest.
const PATIENCE: u32 = 256;

/// Someone who may want the referee to stop, and how often it was not asked since.
pub(crate) struct Poll<'a> {
    stop: &'a dyn Fn() -> bool,
    passed: Cell<u32>,
    /// Whether it was told to stop.
    cut: Cell<bool>,
    /// Whether the trace turned out to be too long.
    long: Cell<bool>,
}

impl<'a> Poll<'a> {
    pub(crate) fn new(stop: &'a dyn Fn() -> bool) -> Poll<'a> {
        Poll { stop, passed: Cell::new(0), cut: Cell::new(false), long: Cell::new(false) }
    }

    /// Nobody wants it to stop.
    pub(crate) fn never() -> Poll<'a> {
        Poll::new(&|| false)
    }

    /// To be called wherever work is done that a long trace has much of.
    pub(crate) fn ask(&self) -> Result<(), Refusal> {
        self.passed.set(self.passed.get() + 1);
        if self.passed.get() >= PATIENCE {
            self.passed.set(0);
            self.cut.set((self.stop)());
        }
        self.told()
    }

    /// Notes that the trace is too long to be followed.
    pub(crate) fn give_up(&self) {
        self.long.set(true);
    }

    /// Whether an earlier question was answered by a stop.
    pub(crate) fn told(&self) -> Result<(), Refusal> {
        match (self.cut.get(), self.long.get()) {
            (true, _) => Err(Refusal::Cut),
            (false, true) => Err(Refusal::TooLong),
            (false, false) => Ok(()),
        }
    }
}
