//! The minimal sets that satisfy a monotone function, and the cheapest of them.
//!
//! The minimal sets without the first constraint are those of the function's low half; those with it are the
//! minimal sets of its high half that do not satisfy the low half already (Rauzy, *New algorithms for fault
//! trees analysis*, 1993). There may be far more sets than nodes, so they are kept as a zero-suppressed
//! diagram: counted without being listed, and listed as far as wanted.

use super::Constraint;
use super::bdd::{Bdd, Formula};
use rustc_hash::FxHashMap;

/// No set.
const NONE: u32 = 0;
/// Just the empty set.
const EMPTY: u32 = 1;

/// Families of sets, as a zero-suppressed diagram.
pub(crate) struct Minimal<'a> {
    bdd: &'a Bdd,
    /// A constraint, the sets without it, and the sets with it, from which it is left out.
    nodes: Vec<(Constraint, u32, u32)>,
    known: FxHashMap<(Constraint, u32, u32), u32>,
    /// Minimal sets of functions.
    of: FxHashMap<Formula, u32>,
    /// Families less the sets that satisfy a function.
    less: FxHashMap<(u32, Formula), u32>,
    root: u32,
}

impl<'a> Minimal<'a> {
    /// The minimal sets that satisfy `formula`.
    pub(crate) fn of(bdd: &'a Bdd, formula: Formula) -> Minimal<'a> {
        let leaf = (Constraint::MAX, NONE, NONE);
        let mut minimal = Minimal {
            bdd,
            nodes: vec![leaf, leaf],
            known: FxHashMap::default(),
            of: FxHashMap::default(),
            less: FxHashMap::default(),
            root: NONE,
        };
        minimal.root = minimal.minimal(formula);
        minimal
    }

    /// How many there are, or the largest number if that is too small.
    pub(crate) fn count(&self) -> u64 {
        let mut counts: Vec<u64> = vec![0, 1];
        // A node is made after those it refers to.
        for &(_, without, with) in &self.nodes[2..] {
            counts.push(counts[without as usize].saturating_add(counts[with as usize]));
        }
        counts[self.root as usize]
    }

    /// The sets, at most `limit` of them, each ascending.
    pub(crate) fn sets(&self, limit: usize) -> Vec<Vec<Constraint>> {
        let mut sets = Vec::new();
        self.list(self.root, &mut Vec::new(), limit, &mut sets);
        sets
    }

    fn list(&self, family: u32, chosen: &mut Vec<Constraint>, limit: usize, sets: &mut Vec<Vec<Constraint>>) {
        if family == NONE || sets.len() >= limit {
            return;
        }
        if family == EMPTY {
            sets.push(chosen.clone());
            return;
        }
        let (var, without, with) = self.nodes[family as usize];
        self.list(without, chosen, limit, sets);
        chosen.push(var);
        self.list(with, chosen, limit, sets);
        chosen.pop();
    }

    fn node(&mut self, var: Constraint, without: u32, with: u32) -> u32 {
        if with == NONE {
            return without;
        }
        *self.known.entry((var, without, with)).or_insert_with(|| {
            self.nodes.push((var, without, with));
            self.nodes.len() as u32 - 1
        })
    }

    fn minimal(&mut self, f: Formula) -> u32 {
        match f {
            Formula::FALSE => return NONE,
            Formula::TRUE => return EMPTY,
            _ => {}
        }
        if let Some(known) = self.of.get(&f) {
            return *known;
        }
        let node = self.bdd.nodes[f.0 as usize];
        let without = self.minimal(node.low);
        let with = self.minimal(node.high);
        let with = self.unsatisfying(with, node.low);
        let made = self.node(node.var, without, with);
        self.of.insert(f, made);
        made
    }

    /// The sets of a family that do not satisfy a function.
    fn unsatisfying(&mut self, family: u32, f: Formula) -> u32 {
        if f == Formula::FALSE || family == NONE {
            return family;
        }
        if f == Formula::TRUE {
            return NONE;
        }
        if family == EMPTY {
            // Monotone and not constant: the empty set does not satisfy it.
            return EMPTY;
        }
        if let Some(known) = self.less.get(&(family, f)) {
            return *known;
        }
        let (var, without, with) = self.nodes[family as usize];
        let node = self.bdd.nodes[f.0 as usize];
        let made = if var < node.var {
            let (without, with) = (self.unsatisfying(without, f), self.unsatisfying(with, f));
            self.node(var, without, with)
        } else if var > node.var {
            // No set of the family has the function's first constraint.
            self.unsatisfying(family, node.low)
        } else {
            let (without, with) = (self.unsatisfying(without, node.low), self.unsatisfying(with, node.high));
            self.node(var, without, with)
        };
        self.less.insert((family, f), made);
        made
    }
}

/// The least weight of a set that satisfies `formula`, and such a set, ascending; none if no set does.
pub(crate) fn cheapest(
    bdd: &Bdd,
    formula: Formula,
    weight: impl Fn(Constraint) -> u64,
) -> Option<(u64, Vec<Constraint>)> {
    let mut costs: FxHashMap<Formula, Option<u64>> =
        FxHashMap::from_iter([(Formula::FALSE, None), (Formula::TRUE, Some(0))]);
    let total = cost(bdd, formula, &weight, &mut costs)?;
    let (mut chosen, mut f) = (Vec::new(), formula);
    while f > Formula::TRUE {
        let node = bdd.nodes[f.0 as usize];
        if costs[&node.low] == costs[&f] {
            f = node.low;
        } else {
            chosen.push(node.var);
            f = node.high;
        }
    }
    Some((total, chosen))
}

fn cost(
    bdd: &Bdd,
    f: Formula,
    weight: &impl Fn(Constraint) -> u64,
    costs: &mut FxHashMap<Formula, Option<u64>>,
) -> Option<u64> {
    if let Some(known) = costs.get(&f) {
        return *known;
    }
    let node = bdd.nodes[f.0 as usize];
    let without = cost(bdd, node.low, weight, costs);
    let with = cost(bdd, node.high, weight, costs).map(|cost| cost + weight(node.var));
    let best = [without, with].into_iter().flatten().min();
    costs.insert(f, best);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_without_listing() {
        // Forty pairs, of each of which one is needed: 2^40 minimal sets.
        let mut bdd = Bdd::default();
        let mut all = Formula::TRUE;
        for pair in (0..40).rev() {
            let either = bdd.any(&[2 * pair, 2 * pair + 1]);
            all = bdd.and(all, either);
        }
        let minimal = Minimal::of(&bdd, all);
        assert_eq!(minimal.count(), 1 << 40);
        assert_eq!(minimal.sets(3).len(), 3);
        let (total, chosen) = cheapest(&bdd, all, |var| 1 + (var % 2) as u64).unwrap();
        assert_eq!((total, chosen.len()), (40, 40));
    }

    #[test]
    fn constants() {
        let bdd = Bdd::default();
        assert_eq!(Minimal::of(&bdd, Formula::FALSE).count(), 0);
        assert_eq!(Minimal::of(&bdd, Formula::TRUE).sets(5), [Vec::<u32>::new()]);
        assert_eq!(cheapest(&bdd, Formula::FALSE, |_| 1), None);
    }
}
