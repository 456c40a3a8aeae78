//! Guards: under which branch decisions a point of an unrolled thread is reached.
//!
//! A guard is a boolean function of branch conditions, kept as a reduced ordered decision diagram with
//! the conditions in the order in which the program meets them. Being canonical, the guard after an `if`
//! is again the guard before it, however the branches were nested, so most accesses stay unconditional
//! and implications between guards are cheap to ask.

use rustc_hash::FxHashMap;

/// A guard; equal guards are equal functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Guard(u32);

impl Guard {
    /// Never.
    pub(crate) const FALSE: Guard = Guard(0);
    /// Always.
    pub(crate) const TRUE: Guard = Guard(1);
}

/// A decision: `if cond then high else low`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decision {
    /// Number of the condition.
    pub cond: u32,
    /// The guard if it does not hold.
    pub low: Guard,
    /// The guard if it holds.
    pub high: Guard,
}

/// Decisions that are made at most.
const MOST: usize = 1 << 21;

/// All guards of one unrolled program.
#[derive(Default)]
pub(crate) struct Guards {
    full: bool,
    /// Indexed by guard, minus the two constants.
    nodes: Vec<Decision>,
    unique: FxHashMap<Decision, Guard>,
    ite_cache: FxHashMap<(Guard, Guard, Guard), Guard>,
}

impl Guards {
    /// The decision at the root of a guard; none for the constants.
    pub(crate) fn decision(&self, guard: Guard) -> Option<Decision> {
        (guard.0 >= 2).then(|| self.nodes[guard.0 as usize - 2])
    }

    /// Whether there were too many decisions: then guards made since mean nothing.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The guard that holds just when a condition does.
    pub(crate) fn condition(&mut self, cond: u32) -> Guard {
        self.node(Decision { cond, low: Guard::FALSE, high: Guard::TRUE })
    }

    fn node(&mut self, decision: Decision) -> Guard {
        if decision.low == decision.high {
            return decision.low;
        }
        *self.unique.entry(decision).or_insert_with(|| {
            self.nodes.push(decision);
            Guard(self.nodes.len() as u32 + 1)
        })
    }

    /// `if test then yes else no`.
    pub(crate) fn ite(&mut self, test: Guard, yes: Guard, no: Guard) -> Guard {
        match (test, yes, no) {
            (Guard::TRUE, ..) => return yes,
            (Guard::FALSE, ..) => return no,
            (_, Guard::TRUE, Guard::FALSE) => return test,
            _ if yes == no => return yes,
            _ => {}
        }
        if let Some(&known) = self.ite_cache.get(&(test, yes, no)) {
            return known;
        }
        self.full |= self.nodes.len() >= MOST;
        if self.full {
            return Guard::FALSE;
        }
        let cond = [test, yes, no]
            .into_iter()
            .filter_map(|guard| self.decision(guard).map(|decision| decision.cond))
            .min()
            .expect("a guard that is no constant has a decision");
        let (t, y, n) = (self.split(test, cond), self.split(yes, cond), self.split(no, cond));
        let low = self.ite(t.0, y.0, n.0);
        let high = self.ite(t.1, y.1, n.1);
        let result = self.node(Decision { cond, low, high });
        self.ite_cache.insert((test, yes, no), result);
        result
    }

    /// The guard where a condition fails, and where it holds.
    fn split(&self, guard: Guard, cond: u32) -> (Guard, Guard) {
        match self.decision(guard) {
            Some(decision) if decision.cond == cond => (decision.low, decision.high),
            _ => (guard, guard),
        }
    }

    /// Both.
    pub(crate) fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a, b, Guard::FALSE)
    }

    /// Either.
    pub(crate) fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a, Guard::TRUE, b)
    }

    /// The opposite.
    pub(crate) fn not(&mut self, a: Guard) -> Guard {
        self.ite(a, Guard::FALSE, Guard::TRUE)
    }

    /// The first and not the second.
    pub(crate) fn and_not(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(b, Guard::FALSE, a)
    }

    /// Whether `b` holds whenever `a` does.
    pub(crate) fn implies(&mut self, a: Guard, b: Guard) -> bool {
        self.and_not(a, b) == Guard::FALSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_collapse() {
        let mut guards = Guards::default();
        let [a, b, c] = [0, 1, 2].map(|cond| guards.condition(cond));
        // Three ways out of nested branches add up to the way in.
        let first = guards.and(c, a);
        let rest = guards.and_not(c, a);
        let second = guards.and(rest, b);
        let third = guards.and_not(rest, b);
        let join = guards.or(third, first);
        let join = guards.or(join, second);
        assert_eq!(join, c);
        assert!(guards.implies(second, c));
        assert!(!guards.implies(c, second));
        assert_eq!(guards.and(second, a), Guard::FALSE);
    }
}
