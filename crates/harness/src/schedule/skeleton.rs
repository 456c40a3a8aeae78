//! Skeletons: which roles each thread plays, without arguments.

use super::Scope;
use crate::oracle::role::Role;

/// The roles of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Skeleton {
    /// How many pre-adds there are.
    pub(super) pre_adds: usize,
    /// The roles of each thread. With thread symmetry the longer come first, and equal ones are neighbours.
    pub(super) threads: Vec<Vec<Role>>,
}

/// Calls `visit` with all skeletons of this size, in order.
pub(super) fn skeletons(
    scope: &Scope,
    threads: usize,
    steps: usize,
    pre_adds: usize,
    visit: &mut dyn FnMut(&Skeleton),
) {
    let mut walk =
        Walk { scope, skeleton: Skeleton { pre_adds, threads: Vec::new() }, ranks: Vec::new(), visit };
    walk.thread(threads, steps);
}

struct Walk<'a> {
    scope: &'a Scope,
    skeleton: Skeleton,
    /// Of each thread, the number of its sequence of roles among those of its length.
    ranks: Vec<u64>,
    visit: &'a mut dyn FnMut(&Skeleton),
}

impl Walk<'_> {
    /// Adds the next of so many threads that are left, with so many steps together.
    fn thread(&mut self, threads: usize, steps: usize) {
        if threads == 0 {
            if self.wanted() {
                (self.visit)(&self.skeleton);
            }
            return;
        }
        let base = self.scope.roles.len() as u64;
        let last = self.skeleton.threads.last().map(Vec::len).filter(|_| self.scope.thread_symmetry);
        let longest = (steps + 1 - threads).min(last.unwrap_or(usize::MAX));
        let shortest = match (threads, self.scope.thread_symmetry) {
            (1, _) => steps,
            (_, true) => steps.div_ceil(threads),
            (_, false) => 1,
        };
        for length in (shortest..=longest).rev() {
            let first = if last == Some(length) { self.ranks.last().copied().unwrap_or(0) } else { 0 };
            for rank in first..base.pow(length as u32) {
                let role = |place: usize| {
                    let digit = rank / base.pow((length - 1 - place) as u32) % base;
                    self.scope.roles[digit as usize]
                };
                self.skeleton.threads.push((0..length).map(role).collect());
                self.ranks.push(rank);
                self.thread(threads - 1, steps - length);
                self.ranks.pop();
                self.skeleton.threads.pop();
            }
        }
    }

    fn wanted(&self) -> bool {
        let roles = || self.skeleton.threads.iter().flatten();
        let adds = self.skeleton.pre_adds + roles().filter(|role| role.adds()).count();
        !self.scope.adds_dominate || adds >= roles().filter(|role| role.removes()).count()
    }
}
