//! The schedules of a scope, one after the other or by number.

use super::skeleton::{Skeleton, Walk};
use super::{Schedule, Scope, count};
use crate::budget::{Exhausted, Poll};

/// All schedules of a scope with their numbers, or a share of them.
///
/// Blocks are counted, not listed, and skeletons come one after the other: a number in the middle of a large block
/// takes as long as to go there.
#[derive(Clone)]
pub struct Schedules {
    scope: Scope,
    blocks: Vec<Block>,
    /// Where the last schedule was.
    at: Option<Place>,
    /// The number of the next schedule.
    next: u64,
    /// How far the one after it is.
    stride: u64,
}

/// Schedules of equal size.
#[derive(Clone)]
struct Block {
    threads: usize,
    steps: usize,
    pre_adds: usize,
    /// The number of its first schedule, and that after its last.
    start: u64,
    end: u64,
}

/// A skeleton, and where it stands.
#[derive(Clone)]
struct Place {
    block: usize,
    walk: Walk,
    skeleton: Skeleton,
    /// The number of its first schedule, and that after its last.
    start: u64,
    end: u64,
}

impl Schedules {
    /// The schedules of a scope.
    pub fn new(scope: Scope) -> Schedules {
        Schedules::until(scope, &Poll::never()).expect("nobody wants the count to stop")
    }

    /// The schedules of a scope, unless it takes too long to count them.
    pub fn until(scope: Scope, poll: &Poll) -> Result<Schedules, Exhausted> {
        let counts = count::blocks(&scope, poll)?;
        let mut blocks = Vec::new();
        let mut start: u64 = 0;
        'all: for steps in scope.steps.clone() {
            for threads in 1.max(*scope.threads.start())..=steps.min(*scope.threads.end()) {
                for (&pre_adds, counts) in &counts {
                    poll.ask()?;
                    let Some(count) = counts.get(&(threads, steps)) else { continue };
                    let end = start.saturating_add(*count);
                    blocks.push(Block { threads, steps, pre_adds, start, end });
                    start = end;
                    // What lies behind has no number.
                    if end == u64::MAX {
                        break 'all;
                    }
                }
            }
        }
        Ok(Schedules { scope, blocks, at: None, next: 0, stride: 1 })
    }

    /// How many the scope has, of which this may be a share; `u64::MAX` stands for any larger number.
    pub fn total(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Every `count`-th schedule, beginning with number `index`: equal shares of each size.
    pub fn shard(mut self, index: u64, count: u64) -> Schedules {
        (self.next, self.stride) = (index, count.max(1));
        self
    }

    /// Goes on with the first schedule of this share whose number is not less than `number`.
    pub fn resume(mut self, number: u64) -> Schedules {
        let missing = number.saturating_sub(self.next).div_ceil(self.stride);
        self.next = self.next.saturating_add(missing.saturating_mul(self.stride));
        self
    }

    /// The schedule of this number.
    pub fn get(&mut self, number: u64) -> Option<Schedule> {
        let block = self.blocks.partition_point(|block| block.end <= number);
        let size = self.blocks.get(block)?;
        let here = self.at.take().filter(|at| at.block == block && at.start <= number);
        let mut at = match here {
            Some(at) => at,
            None => {
                let mut walk = Walk::new(size.threads, size.steps, size.pre_adds);
                let skeleton = walk.next(&self.scope)?;
                let end = size.start.saturating_add(self.scope.arguments(&skeleton));
                Place { block, walk, skeleton, start: size.start, end }
            }
        };
        while at.end <= number {
            at.skeleton = at.walk.next(&self.scope)?;
            (at.start, at.end) = (at.end, at.end.saturating_add(self.scope.arguments(&at.skeleton)));
        }
        let schedule = self.scope.schedule(&at.skeleton, number - at.start);
        self.at = Some(at);
        Some(schedule)
    }
}

impl Iterator for Schedules {
    type Item = (u64, Schedule);

    fn next(&mut self) -> Option<(u64, Schedule)> {
        self.nth(0)
    }

    fn nth(&mut self, skipped: usize) -> Option<(u64, Schedule)> {
        let number = self.next.saturating_add(self.stride.saturating_mul(skipped as u64));
        let schedule = self.get(number);
        self.next = number.saturating_add(self.stride);
        Some((number, schedule?))
    }
}
