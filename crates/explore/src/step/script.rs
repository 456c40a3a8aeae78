//! The choices that a step makes where the program leaves something open. Steps are enumerated by going through all
//! scripts; a script also makes a step repeatable.

use fencepost_harness::budget::Budget;
use fencepost_harness::verdict::Reason;

/// How a step goes where that is open: which alternative of how many each choice takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    taken: Vec<(u32, u32)>,
    at: usize,
    /// How many scripts came before this one.
    tried: u64,
    /// The load before which the step ends, by number of instruction.
    pub(crate) pause: Option<u32>,
    /// Whether a thread that is alone ends the step where it would if it were not: running on, it would
    /// come to where it has to wait, and what it does before that must not be taken back.
    pub(crate) careful: bool,
}

impl Script {
    /// The alternative to take next, of `count`.
    pub(crate) fn take(&mut self, count: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push((0, count));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// Whether the step has come to a choice: of the program, of reuse, or of what an abstract buffer holds.
    pub(crate) fn has_chosen(&self) -> bool {
        self.at > 0
    }

    /// Goes on to the next script; false after the last.
    pub(crate) fn advance(&mut self) -> bool {
        (self.at, self.pause, self.careful) = (0, None, false);
        self.tried += 1;
        while let Some((alternative, count)) = self.taken.pop() {
            if alternative + 1 < count {
                self.taken.push((alternative + 1, count));
                return true;
            }
        }
        false
    }

    /// Fails now and then, if a limit was reached while scripts were tried.
    pub(crate) fn poll(&self, budget: &Budget) -> Result<(), Reason> {
        if self.tried % 256 != 255 {
            return Ok(());
        }
        Ok(budget.poll()?)
    }

    /// The same choices, from the first.
    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }
}
