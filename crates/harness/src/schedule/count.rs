//! How many schedules each block of a scope has, without listing any.
//!
//! A thread counts by its length, its additions less its removals, and the scores that are shared out to it; how many
//! programs have these three is a product of polynomials. Threads are then put together class by class: any number
//! of threads of a class are a multiset of its programs, or, where scores are shared out, a set of programs told
//! apart by their scores. Without thread symmetry they are put together one by one.
//!
//! The naive count, over all skeletons, is what this is tested by.

use super::Scope;
use super::rank::{binomial, factorial, multisets};
use crate::budget::{Exhausted, Poll};
use crate::oracle::role::Role;
use std::collections::BTreeMap;

/// What of some steps decides how they can be put together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Weight {
    threads: usize,
    steps: usize,
    /// Additions less removals; zero where no schedule is left out for it.
    surplus: i64,
    /// Scores shared out; zero where none are.
    scores: u64,
}

/// How many there are of each weight; saturates.
type Counts = BTreeMap<Weight, u64>;

/// The number of schedules of each block, by threads and steps. Blocks without any are left out. `u64::MAX` stands for any
/// larger number.
pub(super) type Blocks = BTreeMap<(usize, usize), u64>;

/// The blocks for each number of pre-adds.
pub(super) fn blocks(scope: &Scope, poll: &Poll) -> Result<BTreeMap<usize, Blocks>, Exhausted> {
    let programs = programs(scope, *scope.steps.end(), poll)?;
    let mut all = BTreeMap::new();
    let mut alike: Option<Blocks> = None;
    for pre_adds in scope.pre_adds.clone() {
        poll.ask()?;
        let start = Weight {
            surplus: if scope.adds_dominate { pre_adds as i64 } else { 0 },
            scores: if scope.shares_scores() { pre_adds as u64 } else { 0 },
            ..Weight::default()
        };
        // Threads count alike behind all that start alike.
        let threads = match &alike {
            Some(known) if start == Weight::default() => known.clone(),
            _ => behind(scope, start, &programs, poll)?,
        };
        let initial = scope.pre_adds_choices(pre_adds).saturating_mul(factorial(start.scores));
        let times = |(block, count): (&(usize, usize), &u64)| (*block, count.saturating_mul(initial));
        all.insert(pre_adds, threads.iter().map(times).collect());
        alike = Some(threads).filter(|_| start == Weight::default());
    }
    Ok(all)
}

/// How many ways there are for threads behind pre-adds of some weight, by threads and steps.
fn behind(scope: &Scope, start: Weight, programs: &Counts, poll: &Poll) -> Result<Blocks, Exhausted> {
    let (threads, steps) = (*scope.threads.end(), *scope.steps.end());
    let mut all = Counts::from([(start, 1)]);
    if scope.thread_symmetry {
        for (class, number) in programs {
            all = with_any(all, *class, *number, (threads, steps), poll)?;
        }
    } else {
        let mut longest = all.clone();
        for _ in 0..threads {
            let mut next = Counts::new();
            for (class, number) in programs {
                for (weight, count) in &longest {
                    poll.ask()?;
                    let Some(sum) = together(*weight, *class, 1, threads, steps) else { continue };
                    add(&mut next, sum, count.saturating_mul(ways(sum, *class, *number, 1)));
                }
            }
            if next.is_empty() {
                break;
            }
            all.extend(next.iter().map(|(weight, count)| (*weight, *count)));
            longest = next;
        }
    }
    let mut blocks = Blocks::new();
    for (weight, count) in all {
        if weight.surplus >= 0 {
            let block: &mut u64 = blocks.entry((weight.threads, weight.steps)).or_default();
            *block = block.saturating_add(count);
        }
    }
    Ok(blocks)
}

/// How many programs of one thread there are of each weight, scores left out.
fn programs(scope: &Scope, steps: usize, poll: &Poll) -> Result<Counts, Exhausted> {
    let mut all = Counts::new();
    let mut longest = Counts::from([(Weight { threads: 1, ..Weight::default() }, 1)]);
    for _ in 0..steps {
        let mut next = Counts::new();
        for (weight, count) in &longest {
            for method in &scope.methods {
                poll.ask()?;
                let role = method.role;
                let surplus = i64::from(role.adds()) - i64::from(role.removes());
                let weight = Weight {
                    steps: weight.steps + 1,
                    surplus: weight.surplus + if scope.adds_dominate { surplus } else { 0 },
                    scores: weight.scores + u64::from(scope.shares_scores() && role == Role::Insert),
                    ..*weight
                };
                add(&mut next, weight, count.saturating_mul(scope.choices(role)));
            }
        }
        all.extend(next.iter().map(|(weight, count)| (*weight, *count)));
        longest = next;
    }
    Ok(all)
}

fn add(counts: &mut Counts, weight: Weight, count: u64) {
    let sum = counts.entry(weight).or_default();
    *sum = sum.saturating_add(count);
}

/// The weight with `more` threads of a class, if that is not too many.
fn together(weight: Weight, class: Weight, more: usize, threads: usize, steps: usize) -> Option<Weight> {
    let sum = Weight {
        threads: weight.threads + more,
        steps: weight.steps + more * class.steps,
        surplus: weight.surplus + more as i64 * class.surplus,
        scores: weight.scores + more as u64 * class.scores,
    };
    (sum.threads <= threads && sum.steps <= steps).then_some(sum)
}

/// In how many ways `more` threads can be of a class that has `number` programs, and have scores among all those
/// of `sum`, if their order does not count; saturates.
fn ways(sum: Weight, class: Weight, number: u64, more: usize) -> u64 {
    let more = more as u64;
    if class.scores == 0 {
        return multisets(number, more);
    }
    let own = more * class.scores;
    // Threads that have different scores are different: each order of them was counted.
    let orders = (more + 1..=own).fold(1, u64::saturating_mul);
    let programs = (0..more).fold(1, |count: u64, _| count.saturating_mul(number));
    binomial(sum.scores, own).saturating_mul(orders).saturating_mul(programs)
}

/// Adds any number of threads of a class, up to so many threads and steps.
fn with_any(
    all: Counts,
    class: Weight,
    number: u64,
    (threads, steps): (usize, usize),
    poll: &Poll,
) -> Result<Counts, Exhausted> {
    let mut next = all.clone();
    for (weight, count) in &all {
        for more in 1.. {
            poll.ask()?;
            let Some(sum) = together(*weight, class, more, threads, steps) else { break };
            add(&mut next, sum, count.saturating_mul(ways(sum, class, number, more)));
        }
    }
    Ok(next)
}
