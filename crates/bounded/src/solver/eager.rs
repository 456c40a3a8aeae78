//! The paper's order encoding: a variable for each pair of nodes, antisymmetric by construction, and
//! clauses for transitivity (CheckFence, Section 3.2.1). Kept to compare with.

use super::{Graph, Solver};
use crate::circuit::Lit;

/// Requires a graph to be acyclic, by clauses.
pub(super) fn add_graph(solver: &mut dyn Solver, graph: &Graph) {
    let nodes = graph.nodes as usize;
    let pairs: Vec<Lit> = (0..nodes * nodes.saturating_sub(1) / 2).map(|_| solver.new_var()).collect();
    // Variable of (low, high) with low < high: pairs are numbered row by row.
    let order = |a: usize, b: usize| {
        let number = |low: usize, high: usize| low * nodes - low * (low + 1) / 2 + high - low - 1;
        if a < b { pairs[number(a, b)] } else { !pairs[number(b, a)] }
    };
    for &(from, to) in &graph.fixed {
        require(solver, from, to, None, &order);
    }
    for &(from, to, lit) in &graph.edges {
        require(solver, from, to, Some(lit), &order);
    }
    for a in 0..nodes {
        for b in a + 1..nodes {
            for c in b + 1..nodes {
                let (ab, bc, ac) = (order(a, b), order(b, c), order(a, c));
                solver.add_clause(&[!ab, !bc, ac]);
                solver.add_clause(&[ab, bc, !ac]);
            }
        }
    }
}

fn require(
    solver: &mut dyn Solver,
    from: u32,
    to: u32,
    lit: Option<Lit>,
    order: &dyn Fn(usize, usize) -> Lit,
) {
    let mut clause: Vec<Lit> = lit.map(|lit| !lit).into_iter().collect();
    if from != to {
        clause.push(order(from as usize, to as usize));
    }
    solver.add_clause(&clause);
}
