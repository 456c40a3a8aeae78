//! Constraints on relations that would be too large as clauses: closures, recursion, long sequences. They are checked on
//! whole assignments. What breaks one is traced back to the literals it was derived from, and these become a clause.
//!
//! # Soundness
//!
//! An assignment that breaks no constraint is an execution, since every constraint is evaluated on it as cat defines it.
//! A clause forbids no execution: the literals in it suffice to derive the pairs that break a constraint, in every
//! assignment. That holds because operators other than the right side of a difference only grow with their arguments;
//! and where something is not related, all literals that it could be derived from are part of the clause.

use super::relations::{Relations, is_pointwise};
use crate::circuit::Lit;
use crate::solver::Theory;
use fencepost_models::cat::{Recursion, Relation, Test};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Clauses from one assignment, at most.
const MOST: usize = 40;

/// An expression, by its place in [`Derived::terms`]; those it is made of come before it.
type Term = usize;

enum Operator {
    /// Pairs with literals; whether these imply that both ends are executed.
    Given(Given),
    Union(Term, Term),
    Inter(Term, Term),
    Diff(Term, Term),
    Seq(Term, Term),
    Inverse(Term),
    Optional(Term),
    Plus(Term),
    /// A relation of a recursive group.
    Recursive(usize, usize),
    /// The same, in the equations of the group.
    Variable(usize, usize),
}

#[derive(Default)]
struct Given {
    lits: FxHashMap<(u32, u32), Lit>,
    strict: bool,
}

/// A group of recursive definitions.
struct Group {
    /// Terms that are evaluated again and again: those of the bodies.
    terms: std::ops::Range<Term>,
    bodies: Vec<Term>,
}

struct Requirement {
    test: Test,
    term: Term,
}

/// A relation on the executed nodes.
#[derive(Clone, PartialEq, Default)]
struct Matrix {
    words: usize,
    rows: Vec<u64>,
}

/// Constraints, the expressions in them, and their values on an assignment.
pub(super) struct Derived {
    exec: Vec<Lit>,
    terms: Vec<Operator>,
    groups: Vec<Group>,
    requirements: Vec<Requirement>,
    /// The value of each term; in a recursive group, of each iteration.
    values: Vec<Vec<Matrix>>,
    executed: Vec<bool>,
    /// The literals that hold.
    holding: FxHashSet<Lit>,
    by_address: FxHashMap<*const Relation, Term>,
    by_group: FxHashMap<u32, usize>,
}

impl Derived {
    pub(super) fn new(relations: &Relations) -> Derived {
        Derived {
            exec: (0..relations.events.len() as u32).map(|node| relations.exec(node)).collect(),
            terms: Vec::new(),
            groups: Vec::new(),
            requirements: Vec::new(),
            values: Vec::new(),
            executed: Vec::new(),
            holding: FxHashSet::default(),
            by_address: FxHashMap::default(),
            by_group: FxHashMap::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Adds a constraint.
    pub(super) fn require(&mut self, relations: &mut Relations, test: Test, relation: &Relation) {
        let term = self.term(relations, relation);
        self.requirements.push(Requirement { test, term });
    }

    /// Requires that none of some pairs, where their literals hold, is related.
    pub(super) fn exclude(
        &mut self,
        relations: &mut Relations,
        pairs: FxHashMap<(u32, u32), Lit>,
        relation: &Relation,
    ) {
        let other = self.term(relations, relation);
        let given = self.push(Operator::Given(Given { lits: pairs, strict: true }));
        let term = self.push(Operator::Inter(given, other));
        self.requirements.push(Requirement { test: Test::Empty, term });
    }

    fn push(&mut self, operator: Operator) -> Term {
        self.terms.push(operator);
        self.terms.len() - 1
    }

    fn term(&mut self, relations: &mut Relations, relation: &Relation) -> Term {
        let key = std::ptr::from_ref(relation);
        if let Some(&known) = self.by_address.get(&key) {
            return known;
        }
        let operator = match relation {
            _ if is_given(relation) => {
                let lits = (*relations.eval(relation)).clone();
                Operator::Given(Given { lits, strict: super::graph::is_strict(relation) })
            }
            Relation::Union(a, b) => Operator::Union(self.term(relations, a), self.term(relations, b)),
            Relation::Inter(a, b) => Operator::Inter(self.term(relations, a), self.term(relations, b)),
            Relation::Diff(a, b) => Operator::Diff(self.term(relations, a), self.term(relations, b)),
            Relation::Seq(a, b) => Operator::Seq(self.term(relations, a), self.term(relations, b)),
            Relation::Inverse(r) => Operator::Inverse(self.term(relations, r)),
            Relation::Optional(r) => Operator::Optional(self.term(relations, r)),
            Relation::Plus(r) => Operator::Plus(self.term(relations, r)),
            Relation::Recursive(group, index) => Operator::Recursive(self.group(relations, group), *index),
            Relation::Variable(group, index) => Operator::Variable(self.by_group[group], *index),
            Relation::Empty | Relation::Base(_) | Relation::Identity(_) | Relation::Product(..) => {
                unreachable!("these are given")
            }
        };
        let term = self.push(operator);
        // What mentions a variable belongs to its group, whose terms are together.
        self.by_address.insert(key, term);
        term
    }

    fn group(&mut self, relations: &mut Relations, recursion: &Recursion) -> usize {
        if let Some(&known) = self.by_group.get(&recursion.id) {
            return known;
        }
        // What does not take part in the recursion is evaluated once, in front.
        for body in &recursion.bodies {
            self.constants(relations, body, recursion.id);
        }
        let group = self.groups.len();
        self.by_group.insert(recursion.id, group);
        let start = self.terms.len();
        self.groups.push(Group { terms: start..start, bodies: Vec::new() });
        let bodies = recursion.bodies.iter().map(|body| self.term(relations, body)).collect();
        self.groups[group] = Group { terms: start..self.terms.len(), bodies };
        group
    }

    fn constants(&mut self, relations: &mut Relations, relation: &Relation, id: u32) {
        if !relation.any(&mut |r| matches!(r, Relation::Variable(of, _) if *of == id)) {
            self.term(relations, relation);
            return;
        }
        match relation {
            Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) | Relation::Seq(a, b) => {
                self.constants(relations, a, id);
                self.constants(relations, b, id);
            }
            Relation::Inverse(r) | Relation::Optional(r) | Relation::Plus(r) => {
                self.constants(relations, r, id)
            }
            _ => {}
        }
    }

    /// Evaluates everything.
    fn evaluate(&mut self) {
        self.values = vec![Vec::new(); self.terms.len()];
        let mut term = 0;
        while term < self.terms.len() {
            match self.groups.iter().position(|group| group.terms.start == term && !group.terms.is_empty()) {
                Some(group) => {
                    self.iterate(group);
                    term = self.groups[group].terms.end;
                }
                None => {
                    let value = self.value(term);
                    self.values[term].push(value);
                    term += 1;
                }
            }
        }
    }

    /// The least relations of a group: from nothing, until nothing is added.
    fn iterate(&mut self, group: usize) {
        loop {
            for term in self.groups[group].terms.clone() {
                let value = self.value(term);
                self.values[term].push(value);
            }
            let is_done = |&body: &Term| {
                let values = &self.values[body];
                values.len() > 1 && values[values.len() - 1] == values[values.len() - 2]
            };
            if self.groups[group].bodies.iter().all(is_done) {
                return;
            }
        }
    }

    fn last(&self, term: Term) -> &Matrix {
        self.values[term].last().expect("terms are evaluated in order")
    }

    fn value(&self, term: Term) -> Matrix {
        let nodes = self.exec.len();
        match &self.terms[term] {
            Operator::Given(given) => {
                let mut matrix = Matrix::new(nodes);
                for (&(x, y), lit) in &given.lits {
                    let both = self.executed[x as usize] && self.executed[y as usize];
                    if both && self.holding.contains(lit) {
                        matrix.set(x as usize, y as usize);
                    }
                }
                matrix
            }
            Operator::Union(a, b) => self.last(*a).combine(self.last(*b), |a, b| a | b),
            Operator::Inter(a, b) => self.last(*a).combine(self.last(*b), |a, b| a & b),
            Operator::Diff(a, b) => self.last(*a).combine(self.last(*b), |a, b| a & !b),
            Operator::Seq(a, b) => self.last(*a).then(self.last(*b)),
            Operator::Inverse(r) => self.last(*r).inverse(),
            Operator::Optional(r) => {
                let mut matrix = self.last(*r).clone();
                (0..nodes).filter(|&node| self.executed[node]).for_each(|node| matrix.set(node, node));
                matrix
            }
            Operator::Plus(r) => self.last(*r).closure(),
            Operator::Recursive(group, index) => self.last(self.groups[*group].bodies[*index]).clone(),
            Operator::Variable(group, index) => {
                let body = self.groups[*group].bodies[*index];
                self.values[body].last().cloned().unwrap_or_else(|| Matrix::new(nodes))
            }
        }
    }

    /// The literals from which a pair was derived, in some iteration.
    fn explain(&self, term: Term, iteration: usize, (x, y): (usize, usize), why: &mut Why) {
        if !why.seen.insert((term, iteration, x, y)) {
            return;
        }
        let value = |of: Term| &self.values[of][self.at(of, iteration)];
        match &self.terms[term] {
            Operator::Given(given) => {
                why.lits.insert(given.lits[&(x as u32, y as u32)]);
                if !given.strict {
                    why.lits.extend([self.exec[x], self.exec[y]]);
                }
            }
            Operator::Union(a, b) => {
                let cheaper = self.is_constant(*b, x, y) && value(*b).has(x, y);
                let part = if value(*a).has(x, y) && !cheaper { *a } else { *b };
                self.explain(part, iteration, (x, y), why);
            }
            Operator::Inter(a, b) => {
                self.explain(*a, iteration, (x, y), why);
                self.explain(*b, iteration, (x, y), why);
            }
            Operator::Diff(a, b) => {
                self.explain(*a, iteration, (x, y), why);
                self.explain_absence(*b, (x, y), why);
            }
            Operator::Seq(a, b) => {
                let (first, second) = (value(*a), value(*b));
                let middle = first.members(x).find(|&middle| second.has(middle, y));
                let middle = middle.expect("the pair is in the sequence");
                self.explain(*a, iteration, (x, middle), why);
                self.explain(*b, iteration, (middle, y), why);
            }
            Operator::Inverse(r) => self.explain(*r, iteration, (y, x), why),
            Operator::Optional(_) if x == y => why.lits.extend([self.exec[x]]),
            Operator::Optional(r) => self.explain(*r, iteration, (x, y), why),
            Operator::Plus(r) => {
                let path = value(*r).path(x, y).expect("the pair is in the closure");
                for step in path.windows(2) {
                    self.explain(*r, iteration, (step[0], step[1]), why);
                }
            }
            Operator::Recursive(group, index) => {
                let body = self.groups[*group].bodies[*index];
                let first = self.values[body].iter().position(|value| value.has(x, y));
                self.explain(body, first.expect("the pair is in the relation"), (x, y), why);
            }
            Operator::Variable(group, index) => {
                let body = self.groups[*group].bodies[*index];
                let first = self.values[body].iter().position(|value| value.has(x, y));
                let first = first.expect("the pair is in an earlier iteration");
                self.explain(body, first, (x, y), why);
            }
        }
    }

    /// Which value of a term belongs to an iteration: outside of recursion there is one.
    fn at(&self, term: Term, iteration: usize) -> usize {
        if self.values[term].len() == 1 { 0 } else { iteration.min(self.values[term].len() - 1) }
    }

    fn is_constant(&self, term: Term, x: usize, y: usize) -> bool {
        matches!(&self.terms[term], Operator::Given(given) if given.lits.get(&(x as u32, y as u32)) == Some(&Lit::TRUE))
    }

    /// The literals because of which a pair is not related.
    fn explain_absence(&self, term: Term, (x, y): (usize, usize), why: &mut Why) {
        if let Operator::Given(given) = &self.terms[term] {
            why.lits.extend(given.lits.get(&(x as u32, y as u32)).map(|lit| !*lit));
            return;
        }
        // All that it could have been derived from.
        let mut below = vec![term];
        let mut seen = FxHashSet::default();
        while let Some(term) = below.pop() {
            if !seen.insert(term) {
                continue;
            }
            match &self.terms[term] {
                Operator::Given(given) => {
                    for lit in given.lits.values() {
                        why.lits.insert(if self.holding.contains(lit) { *lit } else { !*lit });
                    }
                }
                Operator::Union(a, b)
                | Operator::Inter(a, b)
                | Operator::Diff(a, b)
                | Operator::Seq(a, b) => {
                    below.extend([*a, *b]);
                }
                Operator::Inverse(r) | Operator::Optional(r) | Operator::Plus(r) => below.push(*r),
                Operator::Recursive(group, _) | Operator::Variable(group, _) => {
                    below.extend(&self.groups[*group].bodies);
                }
            }
        }
        let exec = self.exec.iter().zip(&self.executed);
        why.lits.extend(exec.map(|(&lit, &executed)| if executed { lit } else { !lit }));
    }

    /// Pairs that break a constraint; for a cycle, its steps.
    fn broken(&self, requirement: &Requirement) -> Vec<Vec<(usize, usize)>> {
        let value = self.last(requirement.term);
        let nodes = self.exec.len();
        match requirement.test {
            Test::Irreflexive => {
                (0..nodes).filter(|&node| value.has(node, node)).map(|node| vec![(node, node)]).collect()
            }
            Test::Empty => {
                (0..nodes).flat_map(|x| value.members(x).map(move |y| vec![(x, y)])).take(MOST).collect()
            }
            Test::Acyclic => {
                let closure = value.closure();
                let mut cycles: Vec<Vec<(usize, usize)>> = Vec::new();
                for node in (0..nodes).filter(|&node| closure.has(node, node)) {
                    if cycles.iter().flatten().any(|&(from, _)| from == node) {
                        continue;
                    }
                    let path = value.path(node, node).expect("it is on a cycle");
                    cycles.push(path.windows(2).map(|step| (step[0], step[1])).collect());
                }
                cycles
            }
        }
    }
}

impl Theory for Derived {
    fn literals(&self) -> Vec<Lit> {
        let given = self.terms.iter().flat_map(|operator| match operator {
            Operator::Given(given) => given.lits.values().copied().collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        given.chain(self.exec.iter().copied()).filter(|lit| lit.as_constant().is_none()).collect()
    }

    fn check(&mut self, holds: &dyn Fn(Lit) -> bool) -> Vec<Vec<Lit>> {
        self.executed =
            self.exec.iter().map(|&lit| lit == Lit::TRUE || lit != Lit::FALSE && holds(lit)).collect();
        self.holding = self.literals().into_iter().filter(|&lit| holds(lit)).collect();
        self.holding.insert(Lit::TRUE);
        self.evaluate();
        let mut clauses = Vec::new();
        for requirement in &self.requirements {
            for pairs in self.broken(requirement) {
                let mut why = Why::default();
                for pair in pairs {
                    let iteration = self.values[requirement.term].len() - 1;
                    self.explain(requirement.term, iteration, pair, &mut why);
                }
                let mut clause: Vec<Lit> =
                    why.lits.into_iter().filter(|lit| *lit != Lit::TRUE).map(|lit| !lit).collect();
                clause.sort();
                clauses.push(clause);
            }
        }
        clauses.sort_by_key(Vec::len);
        clauses.dedup();
        clauses.truncate(MOST);
        clauses
    }
}

/// Why something is derived.
#[derive(Default)]
struct Why {
    lits: FxHashSet<Lit>,
    seen: FxHashSet<(Term, usize, usize, usize)>,
}

/// Whether the pairs of a relation get literals ahead of time.
fn is_given(relation: &Relation) -> bool {
    match relation {
        Relation::Base(_) | Relation::Empty | Relation::Identity(_) | Relation::Product(..) => true,
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) => {
            is_pointwise(relation) || is_given(a) && is_given(b)
        }
        Relation::Seq(a, b) => match (&**a, &**b) {
            (Relation::Identity(_), r) | (r, Relation::Identity(_)) => is_given(r),
            _ => false,
        },
        Relation::Inverse(r) => is_given(r),
        Relation::Optional(_) | Relation::Plus(_) | Relation::Recursive(..) | Relation::Variable(..) => false,
    }
}

impl Matrix {
    fn new(nodes: usize) -> Matrix {
        let words = nodes.div_ceil(64);
        Matrix { words, rows: vec![0; words * nodes] }
    }

    fn nodes(&self) -> usize {
        self.rows.len().checked_div(self.words).unwrap_or(0)
    }

    fn row(&self, x: usize) -> &[u64] {
        &self.rows[x * self.words..(x + 1) * self.words]
    }

    fn set(&mut self, x: usize, y: usize) {
        self.rows[x * self.words + y / 64] |= 1 << (y % 64);
    }

    fn has(&self, x: usize, y: usize) -> bool {
        self.rows[x * self.words + y / 64] >> (y % 64) & 1 != 0
    }

    fn members(&self, x: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(x).iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    64 * word + bit
                })
            })
        })
    }

    fn combine(&self, other: &Matrix, op: impl Fn(u64, u64) -> u64) -> Matrix {
        let rows = self.rows.iter().zip(&other.rows).map(|(&a, &b)| op(a, b)).collect();
        Matrix { words: self.words, rows }
    }

    fn join(&mut self, x: usize, row: &[u64]) {
        let start = x * self.words;
        for (word, bits) in self.rows[start..start + self.words].iter_mut().zip(row) {
            *word |= bits;
        }
    }

    fn then(&self, other: &Matrix) -> Matrix {
        let mut result = Matrix::new(self.nodes());
        for x in 0..self.nodes() {
            for middle in self.members(x) {
                result.join(x, other.row(middle));
            }
        }
        result
    }

    fn inverse(&self) -> Matrix {
        let mut result = Matrix::new(self.nodes());
        for x in 0..self.nodes() {
            for y in self.members(x) {
                result.set(y, x);
            }
        }
        result
    }

    fn closure(&self) -> Matrix {
        let mut result = self.clone();
        for middle in 0..self.nodes() {
            let row = result.row(middle).to_vec();
            for x in 0..self.nodes() {
                if result.has(x, middle) {
                    result.join(x, &row);
                }
            }
        }
        result
    }

    /// A shortest way of at least one step.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before = vec![usize::MAX; self.nodes()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for next in self.members(node) {
                if before[next] != usize::MAX {
                    continue;
                }
                before[next] = node;
                if next == to {
                    let mut path = vec![to];
                    let mut at = node;
                    while at != from {
                        path.push(at);
                        at = before[at];
                    }
                    path.push(from);
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(next);
            }
        }
        None
    }
}
