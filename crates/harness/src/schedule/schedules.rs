//! The schedules of a scope, one after the other or by number.

use super::skeleton::{Skeleton, skeletons};
use super::{Schedule, Scope};

/// All schedules of a scope with their numbers, or a share of them.
///
/// Skeletons are listed one block at a time; going on from a number costs no more than that.
pub struct Schedules {
    scope: Scope,
    blocks: Vec<Block>,
    /// The block whose skeletons are listed, and each skeleton with the number of its first schedule.
    listed: Option<(usize, Vec<(u64, Skeleton)>)>,
    /// The number of the next schedule.
    next: u64,
    /// How far the one after it is.
    stride: u64,
}

/// Schedules of equal size.
struct Block {
    threads: usize,
    steps: usize,
    pre_adds: usize,
    /// The number of its first schedule, and that after its last.
    start: u64,
    end: u64,
}

impl Schedules {
    /// The schedules of a scope.
    pub fn new(scope: Scope) -> Schedules {
        let mut blocks = Vec::new();
        let mut start: u64 = 0;
        for steps in scope.steps.clone() {
            for threads in scope.threads.clone().filter(|threads| (1..=steps).contains(threads)) {
                for pre_adds in scope.pre_adds.clone() {
                    let mut end = start;
                    skeletons(&scope, threads, steps, pre_adds, &mut |skeleton| {
                        end = end.saturating_add(scope.arguments(skeleton));
                    });
                    blocks.push(Block { threads, steps, pre_adds, start, end });
                    start = end;
                }
            }
        }
        Schedules { scope, blocks, listed: None, next: 0, stride: 1 }
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
        self.blocks.get(block)?;
        if self.listed.as_ref().is_none_or(|(listed, _)| *listed != block) {
            self.listed = Some((block, self.list(&self.blocks[block])));
        }
        let (_, skeletons) = self.listed.as_ref()?;
        let place = skeletons.partition_point(|(first, _)| *first <= number) - 1;
        let (first, skeleton) = &skeletons[place];
        Some(self.scope.schedule(skeleton, number - first))
    }

    fn list(&self, block: &Block) -> Vec<(u64, Skeleton)> {
        let mut list = Vec::new();
        let mut number = block.start;
        skeletons(&self.scope, block.threads, block.steps, block.pre_adds, &mut |skeleton| {
            list.push((number, skeleton.clone()));
            number = number.saturating_add(self.scope.arguments(skeleton));
        });
        list
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
