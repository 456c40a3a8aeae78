//! What the engine asks of a SAT solver: clauses, graphs that must stay acyclic, and answers.

pub(crate) mod acyclic;
mod cadical;
mod eager;

pub(crate) use cadical::Cadical;

use crate::circuit::Lit;

/// A directed graph, some of whose edges exist only where a literal holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Nodes are numbers below this.
    pub nodes: u32,
    /// Edges that are always there.
    pub fixed: Vec<(u32, u32)>,
    /// Edges that are there where a literal holds.
    pub edges: Vec<(u32, u32, Lit)>,
}

/// How the solver keeps graphs acyclic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OrderEncoding {
    /// A variable for each pair of nodes and clauses that make them a total order (CheckFence, Section
    /// 3.2.1).
    Eager,
    /// Cycles are found while the solver runs; a cycle becomes a clause.
    #[default]
    Lazy,
    /// As `Lazy`, and edges that would close a cycle are ruled out before they are tried.
    Propagating,
}

/// What a solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// There is a solution.
    Sat,
    /// There is none.
    Unsat,
    /// It was told to stop.
    Stopped,
}

/// Requirements that are checked on whole assignments.
pub(crate) trait Theory {
    /// The literals that it looks at.
    fn literals(&self) -> Vec<Lit>;
    /// Clauses that must hold and do not, given which literals hold; none if all is well.
    fn check(&mut self, holds: &dyn Fn(Lit) -> bool) -> Vec<Vec<Lit>>;
}

/// A SAT solver.
pub(crate) trait Solver {
    /// A new variable.
    fn new_var(&mut self) -> Lit;
    /// Requires one of the literals.
    fn add_clause(&mut self, lits: &[Lit]);
    /// Requires the graphs to be acyclic, and what a theory says. To be called once, before the first question.
    fn add_graphs(&mut self, graphs: Vec<Graph>, theory: Option<Box<dyn Theory>>);
    /// Looks for a solution in which all assumptions hold. With a limit, gives up after about that many
    /// conflicts.
    fn solve_within(&mut self, assumptions: &[Lit], conflicts: Option<u32>) -> Answer;
    /// Whether a literal holds in the solution just found.
    fn value(&mut self, lit: Lit) -> bool;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}
