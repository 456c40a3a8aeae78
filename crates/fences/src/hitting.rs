//! Minimum hitting sets: the cheapest choice of elements that has one of every set.
//!
//! Branch and bound. A set with few elements left is branched on, one element after the other, each excluded once it
//! was tried. What disjoint sets cost at least bounds the rest from below. An element is left out from the start if
//! another that costs no more hits all of its sets; so of places for a fence that serve the same purpose, mostly one
//! remains.

use fencepost_harness::budget::{Exhausted, Poll};

/// Sets to be hit, and choices that are ruled out.
#[derive(Clone, Debug, Default)]
pub struct Hitting {
    /// What each element costs; more than zero.
    costs: Vec<u64>,
    /// Each has no other for a subset.
    sets: Vec<Vec<usize>>,
    /// Choices that contain one of these do not count.
    blocked: Vec<Vec<usize>>,
}

/// What was decided of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    In,
    Out,
}

impl Hitting {
    /// Nothing to hit yet; elements are indices of `costs`.
    pub fn new(costs: Vec<u64>) -> Hitting {
        debug_assert!(costs.iter().all(|cost| *cost > 0));
        Hitting { costs, sets: Vec::new(), blocked: Vec::new() }
    }

    /// Adds a set to be hit.
    pub fn add(&mut self, mut set: Vec<usize>) {
        set.sort_unstable();
        set.dedup();
        let contains = |big: &[usize], small: &[usize]| small.iter().all(|e| big.binary_search(e).is_ok());
        if self.sets.iter().any(|known| contains(&set, known)) {
            return;
        }
        self.sets.retain(|known| !contains(known, &set));
        self.sets.push(set);
    }

    /// Rules out a choice and all that contain it.
    pub fn block(&mut self, choice: Vec<usize>) {
        self.blocked.push(choice);
    }

    /// The sets to be hit.
    pub fn sets(&self) -> &[Vec<usize>] {
        &self.sets
    }

    /// What a choice costs.
    pub fn cost(&self, choice: &[usize]) -> u64 {
        choice.iter().map(|&element| self.costs[element]).sum()
    }

    /// A cheapest choice, in order; none if there is none.
    pub fn minimum(&self, poll: &Poll) -> Result<Option<Vec<usize>>, Exhausted> {
        let mut marks = vec![Mark::Open; self.costs.len()];
        // A choice that is ruled out may be one with an element that others dominate.
        if self.blocked.is_empty() {
            self.leave_out_dominated(&mut marks);
        }
        let mut search = Search { hitting: self, best: None, poll };
        search.branch(marks, 0);
        match poll.told() {
            Some(exhausted) => Err(exhausted),
            None => Ok(search.best.map(|(_, choice)| choice)),
        }
    }

    fn leave_out_dominated(&self, marks: &mut [Mark]) {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); self.costs.len()];
        for (index, set) in self.sets.iter().enumerate() {
            set.iter().for_each(|&element| of[element].push(index));
        }
        for a in 0..of.len() {
            let dominated = (0..of.len()).any(|b| {
                let better = (self.costs[b], std::cmp::Reverse(of[b].len()), b)
                    < (self.costs[a], std::cmp::Reverse(of[a].len()), a);
                a != b && better && of[a].iter().all(|set| of[b].binary_search(set).is_ok())
            });
            if dominated {
                marks[a] = Mark::Out;
            }
        }
    }
}

struct Search<'h> {
    hitting: &'h Hitting,
    best: Option<(u64, Vec<usize>)>,
    poll: &'h Poll<'h>,
}

impl Search<'_> {
    /// Looks for choices that extend `marks`, which cost this much so far.
    fn branch(&mut self, mut marks: Vec<Mark>, mut cost: u64) {
        if self.poll.ask().is_err() {
            return;
        }
        let Some(unhit) = self.propagate(&mut marks, &mut cost) else { return };
        if self.best.as_ref().is_some_and(|(best, _)| cost + self.at_least(&unhit) >= *best) {
            return;
        }
        let Some(set) = unhit.iter().min_by_key(|set| set.len()) else {
            let choice = (0..marks.len()).filter(|&element| marks[element] == Mark::In).collect();
            self.best = Some((cost, choice));
            return;
        };
        let hits = |element: usize| unhit.iter().filter(|set| set.contains(&element)).count() as u64;
        let mut elements = set.clone();
        // What hits most for its cost first; compared without division.
        elements.sort_by(|&a, &b| {
            let (x, y) = (self.hitting.costs[a] * hits(b), self.hitting.costs[b] * hits(a));
            (x, a).cmp(&(y, b))
        });
        for element in elements {
            let mut with = marks.clone();
            with[element] = Mark::In;
            self.branch(with, cost + self.hitting.costs[element]);
            marks[element] = Mark::Out;
        }
    }

    /// Decides what has no alternative. Returns the open elements of the sets not hit yet; none if there
    /// is no choice.
    fn propagate(&self, marks: &mut [Mark], cost: &mut u64) -> Option<Vec<Vec<usize>>> {
        loop {
            let mut changed = false;
            for choice in &self.hitting.blocked {
                let mut missing = choice.iter().filter(|&&element| marks[element] != Mark::In);
                match (missing.next(), missing.next()) {
                    (None, _) => return None,
                    (Some(&last), None) if marks[last] == Mark::Open => {
                        marks[last] = Mark::Out;
                        changed = true;
                    }
                    _ => {}
                }
            }
            let mut unhit = Vec::new();
            for set in &self.hitting.sets {
                if set.iter().any(|&element| marks[element] == Mark::In) {
                    continue;
                }
                let open: Vec<usize> =
                    set.iter().copied().filter(|&element| marks[element] == Mark::Open).collect();
                match open[..] {
                    [] => return None,
                    [only] => {
                        marks[only] = Mark::In;
                        *cost += self.hitting.costs[only];
                        changed = true;
                    }
                    _ => unhit.push(open),
                }
            }
            if !changed {
                return Some(unhit);
            }
        }
    }

    /// What hitting sets costs at least: the cheapest elements of disjoint ones.
    fn at_least(&self, unhit: &[Vec<usize>]) -> u64 {
        let cheapest = |set: &Vec<usize>| set.iter().map(|&e| self.hitting.costs[e]).min().unwrap_or(0);
        let mut order: Vec<&Vec<usize>> = unhit.iter().collect();
        order.sort_by_key(|set| (set.len(), std::cmp::Reverse(cheapest(set))));
        let mut taken = vec![false; self.hitting.costs.len()];
        let mut total = 0;
        for set in order {
            if set.iter().all(|&element| !taken[element]) {
                set.iter().for_each(|&element| taken[element] = true);
                total += cheapest(set);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every choice that hits all sets and contains no blocked one, cheapest first.
    fn brute_force(hitting: &Hitting) -> Vec<(u64, Vec<usize>)> {
        let count = hitting.costs.len();
        let mut found = Vec::new();
        for bits in 0..1u32 << count {
            let choice: Vec<usize> = (0..count).filter(|element| bits >> element & 1 == 1).collect();
            let hits = hitting.sets.iter().all(|set| set.iter().any(|e| choice.contains(e)));
            let free = hitting.blocked.iter().all(|block| block.iter().any(|e| !choice.contains(e)));
            if hits && free {
                found.push((hitting.cost(&choice), choice));
            }
        }
        found.sort();
        found
    }

    /// The next number of a simple generator.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 33
    }

    #[test]
    fn agrees_with_trying_all() {
        for seed in 0..400u64 {
            let mut state = seed;
            let count = 4 + (next(&mut state) % 8) as usize;
            let costs = (0..count).map(|_| 1 + next(&mut state) % 4).collect();
            let mut hitting = Hitting::new(costs);
            for _ in 0..next(&mut state) % 8 {
                let size = 1 + next(&mut state) as usize % 4;
                hitting.add((0..size).map(|_| next(&mut state) as usize % count).collect());
            }
            // One after the other, each ruled out when it was found: the minimal choices, by cost.
            let all = brute_force(&hitting);
            let is_minimal = |choice: &[usize]| {
                let inside = |small: &[usize]| small.iter().all(|e| choice.contains(e));
                all.iter().all(|(_, other)| other.len() >= choice.len() || !inside(other))
            };
            let minimal: Vec<_> = all.iter().filter(|(_, choice)| is_minimal(choice)).cloned().collect();
            let mut found = Vec::new();
            while let Ok(Some(choice)) = hitting.minimum(&Poll::never()) {
                assert_eq!(hitting.cost(&choice), brute_force(&hitting)[0].0, "seed {seed}");
                found.push((hitting.cost(&choice), choice.clone()));
                if choice.is_empty() {
                    break;
                }
                hitting.block(choice);
            }
            assert!(found.is_sorted_by_key(|(cost, _)| *cost), "seed {seed}");
            found.sort();
            assert_eq!(found, minimal, "seed {seed}");
        }
    }

    #[test]
    fn what_cannot_be_hit() {
        let mut hitting = Hitting::new(vec![1, 1]);
        hitting.add(vec![]);
        assert_eq!(hitting.minimum(&Poll::never()), Ok(None));
    }
}
