//! CaDiCaL, with the graphs as an external propagator.

use super::acyclic::Acyclic;
use super::{Answer, Graph, OrderEncoding, Solver, Theory, eager};
use crate::circuit::Lit;
use cadical_sys::{CaDiCal, ExternalPropagator, Status, Terminator};
use fencepost_harness::budget::Budget;
use rustc_hash::FxHashMap;

/// A CaDiCaL instance.
pub(crate) struct Cadical {
    solver: CaDiCal,
    encoding: OrderEncoding,
    budget: Budget,
    variables: i32,
}

impl Cadical {
    /// A solver that keeps graphs acyclic in a certain way and stops when the budget is used up.
    pub(crate) fn new(encoding: OrderEncoding, budget: Budget) -> Cadical {
        let mut solver = CaDiCal::new();
        // Trying lucky assignments at every incremental call costs more than it brings.
        solver.set("lucky", 0);
        // The graph must see literals in the order of their levels.
        solver.set("chrono", 0);
        // Variables that the solver invents would collide with ours.
        solver.set("factor", 0);
        solver.connect_terminator(Stop { budget: budget.clone(), calls: 0 });
        Cadical { solver, encoding, budget, variables: 0 }
    }
}

impl Solver for Cadical {
    fn new_var(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        let lits: smallvec::SmallVec<[i32; 8]> = lits.iter().map(|lit| lit.0).collect();
        self.solver.clause6(&lits);
    }

    fn add_graphs(&mut self, mut graphs: Vec<Graph>, theory: Option<Box<dyn Theory>>) {
        if self.encoding == OrderEncoding::Eager {
            for graph in std::mem::take(&mut graphs) {
                eager::add_graph(self, &graph);
            }
            if theory.is_none() {
                return;
            }
        }
        let Ok(acyclic) = Acyclic::new(&graphs) else {
            self.add_clause(&[]);
            return;
        };
        let looked_at = theory.iter().flat_map(|theory| theory.literals());
        let observed: Vec<Lit> = acyclic.literals().chain(looked_at).collect();
        let acyclic = match self.encoding {
            OrderEncoding::Propagating => acyclic.rule_out(),
            _ => acyclic,
        };
        let propagator = Propagator {
            acyclic,
            theory,
            clause: None,
            lemmas: Vec::new(),
            reasons: FxHashMap::default(),
            reason: Vec::new(),
        };
        self.solver.connect_external_propagator(propagator);
        for lit in observed {
            self.solver.add_observed_var(lit.0.abs());
        }
    }

    fn solve_within(&mut self, assumptions: &[Lit], conflicts: Option<u32>) -> Answer {
        if self.budget.exhausted().is_some() {
            return Answer::Stopped;
        }
        for lit in assumptions {
            self.solver.assume(lit.0);
        }
        if let Some(conflicts) = conflicts {
            self.solver.limit("conflicts", conflicts as i32);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            _ => Answer::Stopped,
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(lit.0) == lit.0
    }

    fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").max(0) as u64
    }
}

/// Asks the budget now and then.
struct Stop {
    budget: Budget,
    calls: u32,
}

impl Terminator for Stop {
    fn terminated(&mut self) -> bool {
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(64) && self.budget.exhausted().is_some()
    }
}

struct Propagator {
    acyclic: Acyclic,
    theory: Option<Box<dyn Theory>>,
    /// The clause being handed over, in reverse.
    clause: Option<Vec<i32>>,
    /// Clauses of the theory that are still to be handed over, each in reverse.
    lemmas: Vec<Vec<i32>>,
    /// Why literals were propagated.
    reasons: FxHashMap<i32, Vec<Lit>>,
    /// The reason being handed over, in reverse.
    reason: Vec<i32>,
}

impl Propagator {
    /// Brings the graph up to date; whether it has a cycle.
    fn conflict(&mut self) -> bool {
        if self.clause.is_none() {
            self.clause = self.lemmas.pop();
        }
        if self.clause.is_none()
            && let Err(cycle) = self.acyclic.check()
        {
            self.clause = Some(cycle.iter().map(|lit| -lit.0).collect());
        }
        self.clause.is_some()
    }
}

impl ExternalPropagator for Propagator {
    fn notify_assignment(&mut self, lits: &[i32]) {
        lits.iter().for_each(|&lit| self.acyclic.assign(Lit(lit)));
    }

    fn notify_new_decision_level(&mut self) {
        self.acyclic.new_level();
    }

    fn notify_backtrack(&mut self, level: usize) {
        self.acyclic.backtrack(level);
        self.clause = None;
    }

    fn cb_propagate(&mut self) -> i32 {
        if self.conflict() {
            return 0;
        }
        match self.acyclic.next_implied() {
            Some(clause) => {
                let lit = clause[0].0;
                self.reasons.insert(lit, clause);
                lit
            }
            None => 0,
        }
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        if self.reason.is_empty()
            && let Some(clause) = self.reasons.get(&propagated)
        {
            self.reason = std::iter::once(0).chain(clause.iter().map(|lit| lit.0)).collect();
        }
        self.reason.pop().unwrap_or(0)
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        if self.conflict() {
            return false;
        }
        if let Some(theory) = &mut self.theory {
            let most = model.iter().map(|lit| lit.unsigned_abs() as usize).max().unwrap_or(0);
            let mut values = vec![false; most + 1];
            model.iter().filter(|lit| **lit > 0).for_each(|lit| values[lit.unsigned_abs() as usize] = true);
            let value = |lit: Lit| values.get(lit.0.unsigned_abs() as usize) == Some(&true);
            let clauses = theory.check(&|lit| value(lit) == (lit.0 > 0));
            self.lemmas = clauses.iter().map(|clause| clause.iter().map(|lit| lit.0).collect()).collect();
        }
        !self.conflict()
    }

    fn cb_has_external_clause(&mut self, forgettable: &mut bool) -> bool {
        // What was learned from a theory is costly to find again.
        *forgettable = self.theory.is_none();
        self.conflict()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        match self.clause.as_mut().and_then(Vec::pop) {
            Some(lit) => lit,
            None => {
                self.clause = None;
                0
            }
        }
    }
}
