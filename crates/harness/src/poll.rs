//! Asks now and then whether to go on. Serial executions may take long, and there may be many of them.

use fencepost_lsl::interp::Stop;
use std::cell::Cell;

/// How many questions pass before one is put.
const PATIENCE: u32 = 256;

/// Someone who may want serial executions to stop, and how often that was not asked since.
pub struct Poll<'a> {
    stop: &'a dyn Fn() -> bool,
    passed: Cell<u32>,
    /// Whether the answer was yes. Memory that is given back does not make it a no again.
    cut: Cell<bool>,
}

impl<'a> Poll<'a> {
    /// Asks `stop`.
    pub fn new(stop: &'a dyn Fn() -> bool) -> Poll<'a> {
        Poll { stop, passed: Cell::new(0), cut: Cell::new(false) }
    }

    /// Nobody wants them to stop.
    pub fn never() -> Poll<'static> {
        Poll::new(&|| false)
    }

    /// To be called with every bit of work.
    pub fn ask(&self) -> Result<(), Stop> {
        self.passed.set(self.passed.get() + 1);
        if self.passed.get() >= PATIENCE {
            self.passed.set(0);
            self.cut.set(self.cut.get() || (self.stop)());
        }
        if self.cut.get() { Err(Stop::Cut) } else { Ok(()) }
    }
}
