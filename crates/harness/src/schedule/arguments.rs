//! Arguments: how many a skeleton can have, and those of a rank.
//!
//! A thread whose methods no other thread calls has as many argument lists as its steps have together. Of
//! threads with equal methods, thread symmetry leaves multisets of argument lists. Distinct scores are shared
//! out to the threads; threads with equal methods then stand in the order of their least scores.

use super::rank::{binomial, combination, digit, factorial, multiset, multisets, permute};
use super::skeleton::Skeleton;
use super::{Method, Schedule, Scope, Step};
use crate::oracle::role::Role;
use fencepost_lsl::value::Value;

/// Neighbouring threads with equal methods that may change places.
struct Group {
    /// The first of them.
    first: usize,
    /// How many there are.
    threads: u64,
    /// How many argument lists each can have, scores that are shared out left out.
    lists: u64,
    /// How many scores are shared out to each.
    scores: u64,
}

impl Scope {
    /// Whether scores are shared out instead of chosen.
    pub(super) fn shares_scores(&self) -> bool {
        self.distinct_priorities && self.methods.iter().any(|method| method.role == Role::Insert)
    }

    /// How many keys, scores or elements a step may choose from.
    fn keys(&self, role: Role) -> u64 {
        use Role::*;
        match role {
            Add | Remove | Contains | Put | PutIfAbsent | Get | RemoveKey | ContainsKey => self.values as u64,
            Insert if !self.distinct_priorities => self.values as u64,
            Other(_, inputs) => (self.values as u64).saturating_pow(inputs),
            _ => 1,
        }
    }

    /// How many items a step may choose from.
    fn items(&self, role: Role) -> u64 {
        let has_item = role.adds() && role != Role::Add;
        if has_item && !self.generic_values { self.values as u64 } else { 1 }
    }

    /// How many arguments a step of a role may choose from, scores that are shared out left out; saturates.
    pub(super) fn choices(&self, role: Role) -> u64 {
        self.keys(role).saturating_mul(self.items(role))
    }

    fn groups(&self, skeleton: &Skeleton) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (thread, methods) in skeleton.threads.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if self.thread_symmetry && skeleton.threads[group.first] == *methods => {
                    group.threads += 1
                }
                _ => {
                    let scores = methods.iter().filter(|method| method.role == Role::Insert).count() as u64;
                    let choices = methods.iter().map(|method| self.choices(method.role));
                    groups.push(Group {
                        first: thread,
                        threads: 1,
                        lists: choices.fold(1, u64::saturating_mul),
                        scores: if self.shares_scores() { scores } else { 0 },
                    });
                }
            }
        }
        groups
    }

    /// The method that makes pre-adds.
    pub(crate) fn pre_add(&self) -> Option<Method> {
        self.methods.iter().copied().find(|method| method.role.adds())
    }

    /// In how many ways a pre-add's score can be chosen where scores are not shared out: so many times for
    /// each; none if nothing adds. Saturates.
    pub(super) fn pre_adds_choices(&self, pre_adds: usize) -> u64 {
        let one = self.pre_add().map_or(0, |method| self.pre_add_choices(method.role));
        (0..pre_adds).fold(1, |count: u64, _| count.saturating_mul(one))
    }

    /// How many schedules have this skeleton; saturates.
    pub(super) fn arguments(&self, skeleton: &Skeleton) -> u64 {
        let groups = self.groups(skeleton);
        let p = skeleton.pre_adds as u64;
        let mut count = self.pre_adds_choices(skeleton.pre_adds);
        let mut left = self.scores(skeleton, &groups);
        if self.shares_scores() {
            count = count.saturating_mul(binomial(left, p)).saturating_mul(factorial(p));
            left -= p;
        }
        for group in &groups {
            count = count.saturating_mul(group.count(left));
            left -= group.scores * group.threads;
        }
        count
    }

    /// How many scores are shared out.
    fn scores(&self, skeleton: &Skeleton, groups: &[Group]) -> u64 {
        let threads: u64 = groups.iter().map(|group| group.scores * group.threads).sum();
        if self.shares_scores() { skeleton.pre_adds as u64 + threads } else { 0 }
    }

    /// Scores that a pre-add may choose from; all else about it is fixed.
    fn pre_add_choices(&self, role: Role) -> u64 {
        if role == Role::Insert { self.keys(role) } else { 1 }
    }

    /// The schedule of this skeleton with this rank.
    pub(super) fn schedule(&self, skeleton: &Skeleton, mut rank: u64) -> Schedule {
        let groups = self.groups(skeleton);
        let mut scores: Vec<u64> = (0..self.scores(skeleton, &groups)).collect();
        let mut item = 0;
        let mut initial = Vec::new();
        if let Some(method) = self.pre_add() {
            let role = method.role;
            let p = skeleton.pre_adds as u64;
            let shared = if self.shares_scores() { share(&mut scores, p, &mut rank) } else { Vec::new() };
            for place in 0..skeleton.pre_adds {
                let chosen = digit(&mut rank, self.pre_add_choices(role));
                let score = shared.get(place).copied().unwrap_or(chosen);
                let key = if role == Role::Insert { score } else { item };
                initial.push(Step { method, args: self.args(role, key, item) });
                item += 1;
            }
        }
        let mut threads: Vec<Vec<Step>> = Vec::new();
        for group in &groups {
            for (list, shared) in group.unrank(&mut scores, &mut rank) {
                let methods = &skeleton.threads[group.first];
                threads.push(self.steps(methods, list, &shared, &mut item));
            }
        }
        Schedule { initial, threads }
    }

    /// The steps of a thread with the argument list of this number. `item` counts generic items.
    fn steps(&self, methods: &[Method], mut list: u64, shared: &[u64], item: &mut u64) -> Vec<Step> {
        let mut shared = shared.iter();
        // The last step varies fastest.
        let choose = |&method: &Method| {
            let chosen = digit(&mut list, self.items(method.role));
            (method, digit(&mut list, self.keys(method.role)), chosen)
        };
        let mut chosen: Vec<(Method, u64, u64)> = methods.iter().rev().map(choose).collect();
        chosen.reverse();
        chosen
            .into_iter()
            .map(|(method, key, choice)| {
                let role = method.role;
                let score = if role == Role::Insert { shared.next() } else { None };
                let value = if self.generic_values { *item } else { choice };
                *item += role.adds() as u64;
                Step { method, args: self.args(role, score.copied().unwrap_or(key), value) }
            })
            .collect()
    }

    /// The arguments that a role takes.
    fn args(&self, role: Role, mut key: u64, item: u64) -> Vec<Value> {
        use Role::*;
        let numbers = match role {
            Add | Remove | Contains | Get | RemoveKey | ContainsKey => vec![key],
            Enqueue | Push | PushLeft | PushRight => vec![item],
            Insert => vec![item, key],
            Put | PutIfAbsent => vec![key, item],
            Dequeue | Pop | PopLeft | PopRight | RemoveMin => vec![],
            Other(_, inputs) => (0..inputs).map(|_| digit(&mut key, self.values as u64)).collect(),
        };
        numbers.into_iter().map(Value::new).collect()
    }
}

impl Group {
    /// How many arguments its threads can have, if so many scores are left; saturates.
    fn count(&self, left: u64) -> u64 {
        if self.scores == 0 {
            return multisets(self.lists, self.threads);
        }
        let all = self.scores * self.threads;
        let mut count = binomial(left, all);
        for thread in 0..self.threads {
            let others = binomial(all - thread * self.scores - 1, self.scores - 1);
            count = count
                .saturating_mul(others)
                .saturating_mul(factorial(self.scores))
                .saturating_mul(self.lists);
        }
        count
    }

    /// The argument list and the scores of each of its threads.
    fn unrank(&self, scores: &mut Vec<u64>, rank: &mut u64) -> Vec<(u64, Vec<u64>)> {
        if self.scores == 0 {
            let own = digit(rank, multisets(self.lists, self.threads));
            return multiset(own, self.threads).into_iter().map(|list| (list, Vec::new())).collect();
        }
        let all = self.scores * self.threads;
        let mut own = take(scores, all, digit(rank, binomial(scores.len() as u64, all)));
        (0..self.threads)
            .map(|_| {
                // The thread with the least score that is left comes next.
                let mut mine = vec![own.remove(0)];
                let others = binomial(own.len() as u64, self.scores - 1);
                mine.extend(take(&mut own, self.scores - 1, digit(rank, others)));
                let mine = permute(mine, digit(rank, factorial(self.scores)));
                (digit(rank, self.lists), mine)
            })
            .collect()
    }
}

/// Takes `k` scores in some order.
fn share(scores: &mut Vec<u64>, k: u64, rank: &mut u64) -> Vec<u64> {
    let taken = take(scores, k, digit(rank, binomial(scores.len() as u64, k)));
    permute(taken, digit(rank, factorial(k)))
}

/// Takes the combination of `k` scores with this rank.
fn take(scores: &mut Vec<u64>, k: u64, rank: u64) -> Vec<u64> {
    let places = combination(rank, k);
    let taken = places.iter().map(|&place| scores[place as usize]).collect();
    for &place in places.iter().rev() {
        scores.remove(place as usize);
    }
    taken
}
