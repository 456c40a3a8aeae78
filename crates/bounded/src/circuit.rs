//! Gates: boolean functions built over solver variables, folded where constants decide and shared where
//! equal, each defined by clauses in both directions.

use crate::solver::Solver;
use rustc_hash::FxHashMap;
use std::ops::Not;

/// A variable of the solver or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lit(pub i32);

impl Lit {
    /// Always true: the first variable, which a unit clause fixes.
    pub(crate) const TRUE: Lit = Lit(1);
    /// Always false.
    pub(crate) const FALSE: Lit = Lit(-1);

    /// The constant of this value.
    pub(crate) fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// The constant it is, if it is one.
    pub(crate) fn as_constant(self) -> Option<bool> {
        match self {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            _ => None,
        }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
}

/// Builds gates into a solver.
pub(crate) struct Circuit {
    /// Where variables and clauses go.
    pub solver: Box<dyn Solver>,
    gates: FxHashMap<Gate, Lit>,
    /// Clauses added so far.
    pub clauses: u64,
    /// Variables made so far.
    pub variables: u64,
}

impl Circuit {
    /// A circuit in a fresh solver.
    pub(crate) fn new(mut solver: Box<dyn Solver>) -> Circuit {
        let first = solver.new_var();
        debug_assert_eq!(first, Lit::TRUE);
        solver.add_clause(&[Lit::TRUE]);
        Circuit { solver, gates: FxHashMap::default(), clauses: 1, variables: 1 }
    }

    /// A new variable.
    pub(crate) fn var(&mut self) -> Lit {
        self.variables += 1;
        self.solver.new_var()
    }

    /// Requires one of the literals to hold.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        self.clauses += 1;
        if lits.contains(&Lit::FALSE) {
            let rest: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != Lit::FALSE).collect();
            self.solver.add_clause(&rest);
        } else {
            self.solver.add_clause(lits);
        }
    }

    /// Requires `b` wherever `a` holds.
    pub(crate) fn implies(&mut self, a: Lit, b: Lit) {
        self.clause(&[!a, b]);
    }

    /// Both.
    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::FALSE, _) | (_, Lit::FALSE) => return Lit::FALSE,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return other,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        let gate = Gate::And(a.min(b), a.max(b));
        if let Some(&lit) = self.gates.get(&gate) {
            return lit;
        }
        let lit = self.var();
        self.clause(&[!lit, a]);
        self.clause(&[!lit, b]);
        self.clause(&[lit, !a, !b]);
        self.gates.insert(gate, lit);
        lit
    }

    /// Either.
    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// All of them, as one gate.
    pub(crate) fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != Lit::TRUE).collect();
        lits.sort();
        lits.dedup();
        if lits.contains(&Lit::FALSE) || lits.iter().any(|lit| lits.binary_search(&!*lit).is_ok()) {
            return Lit::FALSE;
        }
        match lits.as_slice() {
            [] => Lit::TRUE,
            [only] => *only,
            [a, b] => self.and(*a, *b),
            _ => {
                let lit = self.var();
                let mut back = vec![lit];
                for &input in &lits {
                    self.clause(&[!lit, input]);
                    back.push(!input);
                }
                self.clause(&back);
                lit
            }
        }
    }

    /// Any of them, as one gate.
    pub(crate) fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
        !self.and_all(&negated)
    }

    /// Just one of the two.
    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.as_constant(), b.as_constant()) {
            (Some(false), _) => return b,
            (Some(true), _) => return !b,
            (_, Some(false)) => return a,
            (_, Some(true)) => return !a,
            _ if a == b => return Lit::FALSE,
            _ if a == !b => return Lit::TRUE,
            _ => {}
        }
        // Signs move to the output, so that equal up to signs is equal.
        let flip = (a.0 < 0) ^ (b.0 < 0);
        let (a, b) = (Lit(a.0.abs()), Lit(b.0.abs()));
        let gate = Gate::Xor(a.min(b), a.max(b));
        let lit = match self.gates.get(&gate) {
            Some(&lit) => lit,
            None => {
                let lit = self.var();
                self.clause(&[!lit, a, b]);
                self.clause(&[!lit, !a, !b]);
                self.clause(&[lit, !a, b]);
                self.clause(&[lit, a, !b]);
                self.gates.insert(gate, lit);
                lit
            }
        };
        if flip { !lit } else { lit }
    }

    /// Both or neither.
    pub(crate) fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `if test then yes else no`.
    pub(crate) fn ite(&mut self, test: Lit, yes: Lit, no: Lit) -> Lit {
        match (test.as_constant(), yes.as_constant(), no.as_constant()) {
            (Some(true), ..) => return yes,
            (Some(false), ..) => return no,
            (_, Some(true), _) => return self.or(test, no),
            (_, Some(false), _) => return self.and(!test, no),
            (_, _, Some(true)) => return self.or(!test, yes),
            (_, _, Some(false)) => return self.and(test, yes),
            _ if yes == no => return yes,
            _ if yes == !no => return self.iff(test, yes),
            _ if test == yes => return self.or(test, no),
            _ if test == !yes => return self.and(!test, no),
            _ if test == no => return self.and(test, yes),
            _ if test == !no => return self.or(!test, yes),
            _ => {}
        }
        if test.0 < 0 {
            return self.ite(!test, no, yes);
        }
        let gate = Gate::Ite(test, yes, no);
        if let Some(&lit) = self.gates.get(&gate) {
            return lit;
        }
        let lit = self.var();
        self.clause(&[!test, !yes, lit]);
        self.clause(&[!test, yes, !lit]);
        self.clause(&[test, !no, lit]);
        self.clause(&[test, no, !lit]);
        // Redundant, but they let the solver conclude from equal branches without the test.
        self.clause(&[!yes, !no, lit]);
        self.clause(&[yes, no, !lit]);
        self.gates.insert(gate, lit);
        lit
    }
}
