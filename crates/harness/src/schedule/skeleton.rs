//! Skeletons: which methods each thread calls, without arguments.
//!
//! Those of a block come one after the other, each from the one before: there can be far more of them than
//! anyone wants to list.

use super::{Method, Scope};

/// The methods of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Skeleton {
    /// How many pre-adds there are.
    pub(super) pre_adds: usize,
    /// The methods of each thread. With thread symmetry the longer come first, and equal ones are neighbours.
    pub(super) threads: Vec<Vec<Method>>,
}

/// A walk over all skeletons of a size, in order.
///
/// A thread is its number of steps and the number of its sequence of methods among those of that length. The
/// last thread changes fastest, and of one thread the sequence before the length, from long to short.
#[derive(Clone)]
pub(super) struct Walk {
    threads: usize,
    steps: usize,
    pre_adds: usize,
    /// The threads of the skeleton that came last: length and number. Empty before the first one.
    chosen: Vec<(usize, u64)>,
    ended: bool,
}

impl Walk {
    /// A walk over the skeletons with so many threads, of so many steps together.
    pub(super) fn new(threads: usize, steps: usize, pre_adds: usize) -> Walk {
        Walk { threads, steps, pre_adds, chosen: Vec::new(), ended: threads == 0 || steps < threads }
    }

    /// The next skeleton that the scope wants.
    pub(super) fn next(&mut self, scope: &Scope) -> Option<Skeleton> {
        while !self.ended {
            if self.chosen.is_empty() {
                self.fill(scope);
            } else {
                self.advance(scope);
            }
            if self.chosen.len() == self.threads {
                let skeleton = self.skeleton(scope);
                if wanted(scope, &skeleton) {
                    return Some(skeleton);
                }
            }
        }
        None
    }

    /// The least and the greatest length of the next thread.
    fn lengths(&self, scope: &Scope) -> (usize, usize) {
        let left = self.threads - self.chosen.len();
        let steps = self.steps - self.chosen.iter().map(|thread| thread.0).sum::<usize>();
        let last = self.chosen.last().map(|thread| thread.0).filter(|_| scope.thread_symmetry);
        let longest = (steps + 1 - left).min(last.unwrap_or(usize::MAX));
        let shortest = match (left, scope.thread_symmetry) {
            (1, _) => steps,
            (_, true) => steps.div_ceil(left),
            (_, false) => 1,
        };
        (shortest, longest)
    }

    /// Adds a thread of this length with the first sequence that may stand here.
    fn push(&mut self, scope: &Scope, length: usize) {
        let last = self.chosen.last().filter(|last| scope.thread_symmetry && last.0 == length);
        let first = last.map_or(0, |last| last.1);
        self.chosen.push((length, first));
    }

    /// Adds the threads that are missing, each as early as can be.
    fn fill(&mut self, scope: &Scope) {
        while self.chosen.len() < self.threads {
            let (shortest, longest) = self.lengths(scope);
            if shortest > longest {
                // No thread fits behind the ones chosen.
                return self.advance(scope);
            }
            self.push(scope, longest);
        }
    }

    /// Goes on to the next threads.
    fn advance(&mut self, scope: &Scope) {
        let base = scope.methods.len() as u64;
        while let Some((length, number)) = self.chosen.pop() {
            let (shortest, _) = self.lengths(scope);
            let sequences = base.saturating_pow(u32::try_from(length).unwrap_or(u32::MAX));
            if number + 1 < sequences {
                self.chosen.push((length, number + 1));
            } else if length > shortest {
                self.push(scope, length - 1);
            } else {
                continue;
            }
            return self.fill(scope);
        }
        self.ended = true;
    }

    fn skeleton(&self, scope: &Scope) -> Skeleton {
        let base = scope.methods.len() as u64;
        let methods = |&(length, mut number): &(usize, u64)| {
            let mut methods: Vec<Method> = (0..length)
                .map(|_| {
                    let digit = number % base;
                    number /= base;
                    // A digit is less than the number of methods.
                    scope.methods[digit as usize]
                })
                .collect();
            methods.reverse();
            methods
        };
        Skeleton { pre_adds: self.pre_adds, threads: self.chosen.iter().map(methods).collect() }
    }
}

fn wanted(scope: &Scope, skeleton: &Skeleton) -> bool {
    let methods = || skeleton.threads.iter().flatten();
    let adds = skeleton.pre_adds + methods().filter(|method| method.role.adds()).count();
    !scope.adds_dominate || adds >= methods().filter(|method| method.role.removes()).count()
}
