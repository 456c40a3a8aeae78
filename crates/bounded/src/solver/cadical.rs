//! CaDiCaL, with the graphs as an external propagator.

use super::acyclic::Acyclic;
use super::{Answer, Graph, OrderEncoding, Solver, eager};
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

    fn add_graphs(&mut self, graphs: Vec<Graph>) {
        if self.encoding == OrderEncoding::Eager {
            for graph in &graphs {
                eager::add_graph(self, graph);
            }
            return;
        }
        let Ok(acyclic) = Acyclic::new(&graphs) else {
            self.add_clause(&[]);
            return;
        };
        let observed: Vec<Lit> = acyclic.literals().collect();
        let acyclic = match self.encoding {
            OrderEncoding::Propagating => acyclic.rule_out(),
            _ => acyclic,
        };
        let propagator =
            Propagator { acyclic, clause: None, reasons: FxHashMap::default(), reason: Vec::new() };
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
    /// The clause being handed over, in reverse.
    clause: Option<Vec<i32>>,
    /// Why literals were propagated.
    reasons: FxHashMap<i32, Vec<Lit>>,
    /// The reason being handed over, in reverse.
    reason: Vec<i32>,
}

impl Propagator {
    /// Brings the graph up to date; whether it has a cycle.
    fn conflict(&mut self) -> bool {
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

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        !self.conflict()
    }

    fn cb_has_external_clause(&mut self, forgettable: &mut bool) -> bool {
        *forgettable = true;
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
