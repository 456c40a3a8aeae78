//! Asks now and then whether to go on, and remembers that a trace was too long.

use crate::Refusal;
use fencepost_harness::budget;
use std::cell::Cell;

/// Someone who may want the referee to stop.
pub(crate) struct Poll<'a> {
    /// Who is asked; none if nobody wants it to stop.
    asked: Option<&'a budget::Poll<'a>>,
    /// Whether the trace turned out to be too long.
    long: Cell<bool>,
}

impl<'a> Poll<'a> {
    pub(crate) fn new(asked: &'a budget::Poll<'a>) -> Poll<'a> {
        Poll { asked: Some(asked), long: Cell::new(false) }
    }

    /// Nobody wants it to stop.
    pub(crate) fn never() -> Poll<'a> {
        Poll { asked: None, long: Cell::new(false) }
    }

    /// To be called wherever work is done that a long trace has much of.
    pub(crate) fn ask(&self) -> Result<(), Refusal> {
        self.asked.map_or(Ok(()), |poll| poll.ask()).map_err(Refusal::Cut)?;
        self.told()
    }

    /// Notes that the trace is too long to be followed.
    pub(crate) fn give_up(&self) {
        self.long.set(true);
    }

    /// Whether an earlier question was answered by a stop.
    pub(crate) fn told(&self) -> Result<(), Refusal> {
        match (self.asked.and_then(budget::Poll::told), self.long.get()) {
            (Some(exhausted), _) => Err(Refusal::Cut(exhausted)),
            (None, true) => Err(Refusal::TooLong),
            (None, false) => Ok(()),
        }
    }
}
