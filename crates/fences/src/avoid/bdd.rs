//! Monotone boolean functions as reduced ordered binary decision diagrams, shared and hash-consed.
//!
//! A function is the number of its node, so equal functions have equal numbers and the test for a fixed point
//! is a comparison. Conjunction and disjunction are remembered in a table that forgets: an entry is
//! overwritten by the next pair of the same hash. Nodes are never given back; [`Bdd::len`] lets a caller stop.

use super::Constraint;
use rustc_hash::FxHashMap;

/// A function: the number of its root.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Formula(pub(super) u32);

impl Formula {
    /// Satisfied by no set.
    pub(crate) const FALSE: Formula = Formula(0);
    /// Satisfied by every set.
    pub(crate) const TRUE: Formula = Formula(1);
}

/// A decision. Every function here is monotone: `low` implies `high`.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// What is decided; the largest number for the two constants.
    pub(super) var: Constraint,
    /// The function where it does not hold.
    pub(super) low: Formula,
    /// The function where it does; never the same.
    pub(super) high: Formula,
}

/// A result that was computed before: arguments, operation in the upper bit of the second, and result.
type Entry = (u32, u32, u32);

/// A result that no operation has, since no node combines with itself.
const FREE: Entry = (0, 0, 0);

/// All functions.
pub(crate) struct Bdd {
    pub(super) nodes: Vec<Node>,
    /// Numbers of nodes by their content, open addressing; zero if free. As large as a power of two.
    table: Vec<u32>,
    /// Conjunctions and disjunctions computed before, by hash.
    computed: Vec<Entry>,
}

impl Default for Bdd {
    fn default() -> Bdd {
        let leaf = Node { var: Constraint::MAX, low: Formula::FALSE, high: Formula::FALSE };
        Bdd { nodes: vec![leaf, leaf], table: vec![0; 1 << 10], computed: vec![FREE; 1 << 10] }
    }
}

impl Bdd {
    /// How many nodes there are.
    #[allow(clippy::len_without_is_empty)] // The constants are always there.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The function that a single constraint satisfies.
    pub(crate) fn var(&mut self, var: Constraint) -> Formula {
        self.node(var, Formula::FALSE, Formula::TRUE)
    }

    /// Satisfied by the sets that have any of these.
    pub(crate) fn any(&mut self, vars: &[Constraint]) -> Formula {
        vars.iter().fold(Formula::FALSE, |sum, var| {
            let var = self.var(*var);
            self.or(sum, var)
        })
    }

    /// Both.
    pub(crate) fn and(&mut self, a: Formula, b: Formula) -> Formula {
        self.apply(a, b, Formula::FALSE)
    }

    /// Either.
    pub(crate) fn or(&mut self, a: Formula, b: Formula) -> Formula {
        self.apply(a, b, Formula::TRUE)
    }

    /// Whether a set satisfies a function.
    #[cfg(test)]
    pub(crate) fn satisfied(&self, mut f: Formula, has: impl Fn(Constraint) -> bool) -> bool {
        while f > Formula::TRUE {
            let node = self.nodes[f.0 as usize];
            f = if has(node.var) { node.high } else { node.low };
        }
        f == Formula::TRUE
    }

    /// The function with each constraint replaced by a function of others, which must be functions here too.
    pub(crate) fn compose(
        &mut self,
        f: Formula,
        with: &mut impl FnMut(&mut Bdd, Constraint) -> Formula,
    ) -> Formula {
        self.substitute(f, with, &mut FxHashMap::default())
    }

    fn substitute(
        &mut self,
        f: Formula,
        with: &mut impl FnMut(&mut Bdd, Constraint) -> Formula,
        done: &mut FxHashMap<Formula, Formula>,
    ) -> Formula {
        if f <= Formula::TRUE {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        let node = self.nodes[f.0 as usize];
        let low = self.substitute(node.low, with, done);
        let high = self.substitute(node.high, with, done);
        let var = with(self, node.var);
        // Monotone: f = low ∨ (var ∧ high).
        let taken = self.and(var, high);
        let made = self.or(low, taken);
        done.insert(f, made);
        made
    }

    /// `absorbing` is the constant that decides the operation: false for conjunction, true for disjunction.
    fn apply(&mut self, a: Formula, b: Formula, absorbing: Formula) -> Formula {
        if a == b || b == absorbing {
            return b;
        }
        if a == absorbing {
            return a;
        }
        // What is left of the constants is neutral.
        if a <= Formula::TRUE {
            return b;
        }
        if b <= Formula::TRUE {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        let key = (a.0, b.0 | absorbing.0 << 31);
        let slot = hash(key.0, key.1, 0) as usize & (self.computed.len() - 1);
        let (x, y, known) = self.computed[slot];
        if (x, y) == key {
            return Formula(known);
        }
        let (m, n) = (self.nodes[a.0 as usize], self.nodes[b.0 as usize]);
        let var = m.var.min(n.var);
        let (a0, a1) = if m.var == var { (m.low, m.high) } else { (a, a) };
        let (b0, b1) = if n.var == var { (n.low, n.high) } else { (b, b) };
        let low = self.apply(a0, b0, absorbing);
        let high = self.apply(a1, b1, absorbing);
        let made = self.node(var, low, high);
        // The table may have grown in between.
        let slot = hash(key.0, key.1, 0) as usize & (self.computed.len() - 1);
        self.computed[slot] = (key.0, key.1, made.0);
        made
    }

    fn node(&mut self, var: Constraint, low: Formula, high: Formula) -> Formula {
        if low == high {
            return low;
        }
        let mask = self.table.len() - 1;
        let mut at = hash(var, low.0, high.0) as usize & mask;
        while self.table[at] != 0 {
            let known = self.nodes[self.table[at] as usize];
            if (known.var, known.low, known.high) == (var, low, high) {
                return Formula(self.table[at]);
            }
            at = (at + 1) & mask;
        }
        let number = self.nodes.len() as u32;
        assert!(number < 1 << 31, "numbers of nodes leave a bit for the operation");
        self.table[at] = number;
        self.nodes.push(Node { var, low, high });
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        Formula(number)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![0; size];
        for (number, node) in self.nodes.iter().enumerate().skip(2) {
            let mut at = hash(node.var, node.low.0, node.high.0) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number as u32;
        }
        self.computed = vec![FREE; size];
    }
}

fn hash(a: u32, b: u32, c: u32) -> u64 {
    let mixed = (a as u64 ^ (c as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b as u64;
    let mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed >> 32 ^ mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_have_equal_numbers() {
        let mut bdd = Bdd::default();
        let (a, b, c) = (bdd.var(0), bdd.var(1), bdd.var(2));
        let left = bdd.or(a, b);
        let left = bdd.and(left, c);
        let (ac, bc) = (bdd.and(c, a), bdd.and(b, c));
        assert_eq!(left, bdd.or(bc, ac));
        assert_eq!(bdd.or(left, c), c);
        assert_eq!(bdd.and(left, Formula::FALSE), Formula::FALSE);
        assert_eq!(bdd.or(left, Formula::FALSE), left);
    }

    #[test]
    fn composing_replaces_all_at_once() {
        let mut bdd = Bdd::default();
        let (a, b) = (bdd.var(0), bdd.var(1));
        let both = bdd.and(a, b);
        // Variables change places; one after the other, they would become one.
        let swapped = bdd.compose(both, &mut |bdd, var| bdd.var(1 - var));
        assert_eq!(swapped, both);
        let either = bdd.compose(both, &mut |bdd, var| bdd.any(&[var, var + 1]));
        assert!(bdd.satisfied(either, |var| var == 1));
        assert!(!bdd.satisfied(either, |var| var == 0));
    }
}
