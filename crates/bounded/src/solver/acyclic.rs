//! Acyclicity of graphs whose edges come and go with the solver's assignment.
//!
//! Edges are inserted in the order in which the solver sets their literals and removed in reverse. A
//! topological order of the nodes is kept up to date (Pearce and Kelly, 2006): an edge that agrees with
//! it costs nothing, another one a search between its ends, which finds the cycle if there is one.
//!
//! The graph always equals the processed prefix of the trail. An edge that would close a cycle is left
//! out, and stays next to be processed until the solver takes it back.

use crate::circuit::Lit;
use crate::solver::Graph;
use rustc_hash::FxHashMap;

/// Graphs under assignment.
pub(crate) struct Acyclic {
    /// For each node, successors with the literal of the edge; `Lit::TRUE` for fixed ones.
    after: Vec<Vec<(u32, Lit)>>,
    /// For each node, predecessors with the literal of the edge.
    before: Vec<Vec<(u32, Lit)>>,
    /// Position of each node in the topological order.
    rank: Vec<u32>,
    /// The edges of each literal.
    edges: FxHashMap<Lit, Vec<(u32, u32)>>,
    /// Literals with edges that hold, in the order of their assignment.
    trail: Vec<Lit>,
    /// Length of the trail at the start of each decision level.
    levels: Vec<usize>,
    /// Literals of the trail whose edges are all inserted.
    processed: usize,
    /// Edges of the next literal that are inserted.
    partial: usize,
    /// Marks of the search under way.
    mark: Vec<u32>,
    stamp: u32,
    parent: Vec<(u32, Lit)>,
    /// Edges that would close a cycle are ruled out, if wanted.
    implied: Option<Implied>,
    /// Cycles found.
    pub conflicts: u64,
}

/// What is needed to rule out edges before they are tried.
struct Implied {
    /// For each node, the edges that may start there, with their literals.
    possible: Vec<Vec<(u32, Lit)>>,
    /// The literals that are set, in order, and how many at the start of each level.
    set: Vec<Lit>,
    levels: Vec<usize>,
    /// For each variable, whether it is set.
    is_set: Vec<bool>,
    /// Literals found to be false, each with the clause that says why, the literal's negation first.
    found: Vec<Vec<Lit>>,
    /// Marks and parents of a second search.
    mark: Vec<u32>,
    parent: Vec<(u32, Lit)>,
}

impl Acyclic {
    /// The disjoint union of the graphs. An error if their fixed edges already have a cycle.
    pub(crate) fn new(graphs: &[Graph]) -> Result<Acyclic, Cyclic> {
        let nodes: usize = graphs.iter().map(|graph| graph.nodes as usize).sum();
        let mut acyclic = Acyclic {
            after: vec![Vec::new(); nodes],
            before: vec![Vec::new(); nodes],
            rank: (0..nodes as u32).collect(),
            edges: FxHashMap::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            processed: 0,
            partial: 0,
            mark: vec![0; nodes],
            stamp: 0,
            parent: vec![(0, Lit::TRUE); nodes],
            implied: None,
            conflicts: 0,
        };
        let mut first = 0;
        for graph in graphs {
            for &(from, to) in &graph.fixed {
                if acyclic.insert(first + from, first + to, Lit::TRUE).is_err() {
                    return Err(Cyclic);
                }
            }
            for &(from, to, lit) in &graph.edges {
                acyclic.edges.entry(lit).or_default().push((first + from, first + to));
            }
            first += graph.nodes;
        }
        Ok(acyclic)
    }

    /// Makes it rule out edges that would close a cycle.
    pub(crate) fn rule_out(mut self) -> Acyclic {
        let mut possible = vec![Vec::new(); self.after.len()];
        let mut most = 0;
        for (&lit, edges) in &self.edges {
            most = most.max(lit.0.unsigned_abs() as usize);
            for &(from, to) in edges {
                possible[from as usize].push((to, lit));
            }
        }
        self.implied = Some(Implied {
            possible,
            set: Vec::new(),
            levels: Vec::new(),
            is_set: vec![false; most + 1],
            found: Vec::new(),
            mark: vec![0; self.after.len()],
            parent: vec![(0, Lit::TRUE); self.after.len()],
        });
        self
    }

    /// A clause by which a literal must be false, that literal's negation first.
    pub(crate) fn next_implied(&mut self) -> Option<Vec<Lit>> {
        let implied = self.implied.as_mut()?;
        while let Some(clause) = implied.found.pop() {
            if !implied.is_set[clause[0].0.unsigned_abs() as usize] {
                return Some(clause);
            }
        }
        None
    }

    /// The literals that have edges.
    pub(crate) fn literals(&self) -> impl Iterator<Item = Lit> + '_ {
        self.edges.keys().copied()
    }

    /// The solver set a literal.
    pub(crate) fn assign(&mut self, lit: Lit) {
        if let Some(implied) = &mut self.implied
            && let Some(set) = implied.is_set.get_mut(lit.0.unsigned_abs() as usize)
        {
            *set = true;
            implied.set.push(lit);
        }
        if self.edges.contains_key(&lit) {
            self.trail.push(lit);
        }
    }

    /// The solver opened a decision level.
    pub(crate) fn new_level(&mut self) {
        self.levels.push(self.trail.len());
        if let Some(implied) = &mut self.implied {
            implied.levels.push(implied.set.len());
        }
    }

    /// The solver went back to a decision level.
    pub(crate) fn backtrack(&mut self, level: usize) {
        let Some(&length) = self.levels.get(level) else { return };
        if let Some(implied) = &mut self.implied {
            let keep = implied.levels[level];
            implied.levels.truncate(level);
            for lit in implied.set.drain(keep..) {
                implied.is_set[lit.0.unsigned_abs() as usize] = false;
            }
            implied.found.clear();
        }
        self.levels.truncate(level);
        while self.trail.len() > length {
            let at = self.trail.len() - 1;
            let lit = self.trail.pop().expect("longer than a length");
            let inserted = match at.cmp(&self.processed) {
                std::cmp::Ordering::Less => self.edges[&lit].len(),
                std::cmp::Ordering::Equal => self.partial,
                std::cmp::Ordering::Greater => continue,
            };
            for edge in (0..inserted).rev() {
                let (from, to) = self.edges[&lit][edge];
                self.after[from as usize].pop();
                self.before[to as usize].pop();
            }
            self.processed = at;
            self.partial = 0;
        }
    }

    /// Inserts the edges of all literals set. On a cycle, returns the literals of its edges.
    pub(crate) fn check(&mut self) -> Result<(), Vec<Lit>> {
        while self.processed < self.trail.len() {
            let lit = self.trail[self.processed];
            while let Some(&(from, to)) = self.edges[&lit].get(self.partial) {
                if let Err(mut cycle) = self.insert(from, to, lit) {
                    self.conflicts += 1;
                    cycle.push(lit);
                    cycle.sort();
                    cycle.dedup();
                    return Err(cycle);
                }
                self.find_implied(from, to, lit);
                self.partial += 1;
            }
            self.processed += 1;
            self.partial = 0;
        }
        Ok(())
    }

    /// Looks for edges that a new one makes impossible: those from what follows it to what precedes it.
    fn find_implied(&mut self, from: u32, to: u32, lit: Lit) {
        let Some(implied) = &mut self.implied else { return };
        self.stamp += 1;
        let before = search(from, &self.before, &mut self.mark, &mut self.parent, self.stamp);
        let after = search(to, &self.after, &mut implied.mark, &mut implied.parent, self.stamp);
        if before.len() + after.len() == 2 && implied.possible[to as usize].is_empty() {
            return;
        }
        for &start in &after {
            for &(end, candidate) in &implied.possible[start as usize] {
                let open = !implied.is_set[candidate.0.unsigned_abs() as usize];
                if open && self.mark[end as usize] == self.stamp {
                    let mut clause = vec![!candidate, !lit];
                    for (mut at, origin, parent) in [(end, from, &self.parent), (start, to, &implied.parent)]
                    {
                        while at != origin {
                            let (next, edge) = parent[at as usize];
                            clause.push(!edge);
                            at = next;
                        }
                    }
                    clause.retain(|lit| *lit != Lit::FALSE);
                    implied.found.push(clause);
                }
            }
        }
    }

    /// Inserts an edge. On a cycle, returns the literals of the path from `to` to `from`.
    fn insert(&mut self, from: u32, to: u32, lit: Lit) -> Result<(), Vec<Lit>> {
        if from == to {
            return Err(Vec::new());
        }
        if self.rank[from as usize] > self.rank[to as usize] {
            let forward = self.forward(to, from)?;
            let backward = self.backward(from, to);
            self.reorder(backward, forward);
        }
        self.after[from as usize].push((to, lit));
        self.before[to as usize].push((from, lit));
        Ok(())
    }

    /// Nodes reachable from `start` that rank before `goal`; an error if `goal` is among them.
    fn forward(&mut self, start: u32, goal: u32) -> Result<Vec<u32>, Vec<Lit>> {
        self.stamp += 1;
        let limit = self.rank[goal as usize];
        let mut found = vec![start];
        self.mark[start as usize] = self.stamp;
        let mut next = 0;
        while next < found.len() {
            let node = found[next];
            next += 1;
            for &(to, lit) in &self.after[node as usize] {
                if to == goal {
                    return Err(self.path(start, node, lit));
                }
                if self.rank[to as usize] < limit && self.mark[to as usize] != self.stamp {
                    self.mark[to as usize] = self.stamp;
                    self.parent[to as usize] = (node, lit);
                    found.push(to);
                }
            }
        }
        Ok(found)
    }

    /// Literals of the edges from `start` to `end`, and of one more.
    fn path(&self, start: u32, end: u32, last: Lit) -> Vec<Lit> {
        let mut lits = vec![last];
        let mut at = end;
        while at != start {
            let (before, lit) = self.parent[at as usize];
            lits.push(lit);
            at = before;
        }
        lits.retain(|lit| *lit != Lit::TRUE);
        lits
    }

    /// Nodes that reach `start` and rank behind `goal`.
    fn backward(&mut self, start: u32, goal: u32) -> Vec<u32> {
        self.stamp += 1;
        let limit = self.rank[goal as usize];
        let mut found = vec![start];
        self.mark[start as usize] = self.stamp;
        let mut next = 0;
        while next < found.len() {
            let node = found[next];
            next += 1;
            for &(from, _) in &self.before[node as usize] {
                if self.rank[from as usize] > limit && self.mark[from as usize] != self.stamp {
                    self.mark[from as usize] = self.stamp;
                    found.push(from);
                }
            }
        }
        found
    }

    /// Ranks the nodes of `backward` before those of `forward`, within the ranks they have together.
    fn reorder(&mut self, mut backward: Vec<u32>, mut forward: Vec<u32>) {
        backward.sort_unstable_by_key(|&node| self.rank[node as usize]);
        forward.sort_unstable_by_key(|&node| self.rank[node as usize]);
        backward.append(&mut forward);
        let mut ranks: Vec<u32> = backward.iter().map(|&node| self.rank[node as usize]).collect();
        ranks.sort_unstable();
        for (node, rank) in backward.into_iter().zip(ranks) {
            self.rank[node as usize] = rank;
        }
    }
}

/// All nodes that edges lead to from `start`, with the edge each was reached by.
fn search(
    start: u32,
    edges: &[Vec<(u32, Lit)>],
    mark: &mut [u32],
    parent: &mut [(u32, Lit)],
    stamp: u32,
) -> Vec<u32> {
    let mut found = vec![start];
    mark[start as usize] = stamp;
    let mut next = 0;
    while next < found.len() {
        let node = found[next];
        next += 1;
        for &(to, lit) in &edges[node as usize] {
            if mark[to as usize] != stamp {
                mark[to as usize] = stamp;
                parent[to as usize] = (node, lit);
                found.push(to);
            }
        }
    }
    found
}

/// The fixed edges of a graph have a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cyclic;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_forgotten() {
        let graph = Graph {
            nodes: 3,
            fixed: vec![(0, 1)],
            edges: vec![(1, 2, Lit(5)), (2, 0, Lit(6)), (0, 2, Lit(7)), (2, 1, Lit(7))],
        };
        let mut acyclic = Acyclic::new(&[graph]).unwrap();
        acyclic.assign(Lit(5));
        assert_eq!(acyclic.check(), Ok(()));
        acyclic.new_level();
        acyclic.assign(Lit(6));
        assert_eq!(acyclic.check(), Err(vec![Lit(5), Lit(6)]));
        acyclic.backtrack(0);
        acyclic.new_level();
        acyclic.assign(Lit(7));
        // The first of its two edges fits, the second closes a cycle.
        assert_eq!(acyclic.check(), Err(vec![Lit(5), Lit(7)]));
        acyclic.backtrack(0);
        assert_eq!(acyclic.check(), Ok(()));
        assert_eq!(acyclic.after[0], [(1, Lit::TRUE)]);
    }

    #[test]
    fn fixed_cycles_are_errors() {
        let graph = Graph { nodes: 2, fixed: vec![(0, 1), (1, 0)], edges: vec![] };
        assert!(Acyclic::new(&[graph]).is_err());
    }

    /// Random insertions and removals against a plain depth-first search.
    #[test]
    fn agrees_with_search() {
        let mut seed = 0x2545_f491_4f6c_dd1du64;
        let mut random = move |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) % n
        };
        for _ in 0..300 {
            let nodes = 2 + random(7) as u32;
            let edges: Vec<(u32, u32, Lit)> = (0..30)
                .map(|i| (random(nodes as u64) as u32, random(nodes as u64) as u32, Lit(2 + i / 2)))
                .collect();
            let graph = Graph { nodes, fixed: vec![], edges: edges.clone() };
            let mut acyclic = Acyclic::new(&[graph]).unwrap();
            let mut set: Vec<Vec<Lit>> = vec![vec![]];
            for _ in 0..40 {
                if random(3) == 0 && set.len() > 1 {
                    let level = random(set.len() as u64 - 1) as usize;
                    set.truncate(level + 1);
                    acyclic.backtrack(level);
                } else {
                    let lit = Lit(2 + random(15) as i32);
                    if set.concat().contains(&lit) {
                        continue;
                    }
                    set.push(vec![lit]);
                    acyclic.new_level();
                    acyclic.assign(lit);
                }
                let holding = set.concat();
                let present: Vec<(u32, u32)> =
                    edges.iter().filter(|edge| holding.contains(&edge.2)).map(|e| (e.0, e.1)).collect();
                match acyclic.check() {
                    Ok(()) => assert!(!has_cycle(nodes, &present)),
                    Err(cycle) => {
                        assert!(cycle.iter().all(|lit| holding.contains(lit)));
                        let blamed: Vec<(u32, u32)> =
                            edges.iter().filter(|edge| cycle.contains(&edge.2)).map(|e| (e.0, e.1)).collect();
                        assert!(has_cycle(nodes, &blamed));
                    }
                }
            }
        }
    }

    fn has_cycle(nodes: u32, edges: &[(u32, u32)]) -> bool {
        let mut reach = vec![vec![false; nodes as usize]; nodes as usize];
        edges.iter().for_each(|&(from, to)| reach[from as usize][to as usize] = true);
        for k in 0..nodes as usize {
            for i in 0..nodes as usize {
                for j in 0..nodes as usize {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        (0..nodes as usize).any(|i| reach[i][i])
    }
}
