//! The constraints of a model, as clauses and as graphs that must stay acyclic.

use super::Encoding;
use super::derived::Derived;
use super::relations::{Entries, Relations, is_pointwise};
use crate::circuit::Lit;
use crate::solver::{Graph, Theory};
use fencepost_models::cat::{BaseRelation, Constraint, Model, Relation, Test};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Encoding<'_> {
    /// Adds what a model requires.
    pub(super) fn encode_model(&mut self, model: &Model) {
        let merge_blocks = self.shortcuts.merge_blocks;
        let mut relations = Relations::new(self);
        let mut derived = Derived::new(&relations);
        let mut graphs = Vec::new();
        for constraint in &model.constraints {
            match (constraint.test, &constraint.relation) {
                (test, relation) if is_long(relation) => derived.require(&mut relations, test, relation),
                (Test::Acyclic, relation) => graphs.push(acyclic(&mut relations, relation, merge_blocks)),
                (Test::Irreflexive, relation) => irreflexive(&mut relations, relation),
                (Test::Empty, relation) => empty(&mut relations, relation),
            }
        }
        let mut flagged = Vec::new();
        for (rule, flag) in model.flags.iter().enumerate() {
            flagged.extend(
                broken(&mut relations, &mut derived, flag).into_iter().map(|(pair, lit)| (rule, pair, lit)),
            );
        }
        let theory = (!derived.is_empty()).then(|| Box::new(derived) as Box<dyn Theory>);
        self.circuit.solver.add_graphs(graphs, theory);
        self.flagged = flagged;
    }
}

/// Pairs of events that may break a rule for programs, each with a literal that makes them do so: executions without such
/// a pair are not concerned.
fn broken(relations: &mut Relations, derived: &mut Derived, flag: &Constraint) -> Vec<((usize, usize), Lit)> {
    // What is taken away may be long: where it holds, the pair is none that breaks the rule.
    let mut most = &*flag.relation;
    let mut less: Vec<&Relation> = Vec::new();
    while let Relation::Diff(a, b) = most {
        less.push(b);
        most = a;
    }
    if is_long(most) || flag.test == Test::Acyclic {
        relations.encoding.impossible("a rule for programs that is too involved to be searched for");
        return Vec::new();
    }
    let mut chosen = Entries::default();
    for (&(x, y), &lit) in relations.eval(most).clone().iter() {
        if flag.test == Test::Irreflexive && x != y {
            continue;
        }
        let pick = relations.encoding.circuit.var();
        for implied in [lit, relations.exec(x), relations.exec(y)] {
            relations.encoding.circuit.implies(pick, implied);
        }
        chosen.insert((x, y), pick);
    }
    for relation in less {
        derived.exclude(relations, chosen.clone(), relation);
    }
    let events = relations.events.clone();
    chosen.into_iter().map(|((x, y), lit)| ((events[x as usize], events[y as usize]), lit)).collect()
}

/// Whether a relation goes by ways of any length, so that it would be too large as clauses.
fn is_long(relation: &Relation) -> bool {
    relation.any(&mut |r| matches!(r, Relation::Plus(_) | Relation::Recursive(..)))
}

/// Whether a model lets no load read what its own thread overwrote before: a constraint forbids that a load comes
/// behind a store of its thread in program order and yet before it in `fr`.
pub(crate) fn hides_overwritten(model: &Model) -> bool {
    let is = |relation: &Relation, wanted: &[BaseRelation]| matches!(relation, Relation::Base(base) if wanted.contains(base));
    let (fr, po) = ([BaseRelation::Fr], [BaseRelation::Po, BaseRelation::PoLoc]);
    model.constraints.iter().any(|constraint| match (constraint.test, &constraint.relation) {
        (Test::Irreflexive, relation) => parts(relation).iter().any(|part| {
            matches!(part, Relation::Seq(a, b) if is(a, &fr) && is(b, &po) || is(a, &po) && is(b, &fr))
        }),
        (Test::Acyclic, relation) => {
            let all = parts(relation);
            let inner: Vec<&Relation> = all.iter().filter_map(|part| lifted(part)).flat_map(|(r, _)| parts(r)).collect();
            let both = |parts: &[&Relation]| {
                parts.iter().any(|part| is(part, &fr)) && parts.iter().any(|part| is(part, &po))
            };
            both(&all) || both(&inner)
        }
        (Test::Empty, _) => false,
    })
}

/// Whether entries hold only between executed events, by the way their literals are made.
pub(super) fn is_strict(relation: &Relation) -> bool {
    match relation {
        Relation::Base(base) => matches!(base, BaseRelation::Rf | BaseRelation::Co | BaseRelation::Fr),
        Relation::Diff(a, _) => is_strict(a),
        Relation::Inter(a, b) => is_strict(a) || is_strict(b),
        Relation::Union(a, b) => is_strict(a) && is_strict(b),
        Relation::Inverse(r) => is_strict(r),
        Relation::Seq(a, b) => match (&**a, &**b) {
            (Relation::Identity(_), r) | (r, Relation::Identity(_)) => is_strict(r),
            _ => false,
        },
        _ => false,
    }
}

/// The parts of a union.
fn parts(relation: &Relation) -> Vec<&Relation> {
    match relation {
        Relation::Union(a, b) => [parts(a), parts(b)].concat(),
        _ => vec![relation],
    }
}

/// Forbids an entry.
fn forbid(relations: &mut Relations, relation: &Relation, x: u32, y: u32, lits: &[Lit]) {
    let mut clause: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
    if !is_strict(relation) {
        clause.extend([!relations.exec(x), !relations.exec(y)]);
    }
    relations.encoding.circuit.clause(&clause);
}

fn empty(relations: &mut Relations, relation: &Relation) {
    for part in parts(relation) {
        for (&(x, y), &lit) in relations.eval(part).iter() {
            forbid(relations, part, x, y, &[lit]);
        }
    }
}

fn irreflexive(relations: &mut Relations, relation: &Relation) {
    for part in parts(relation) {
        match part {
            // Only the diagonal of the sequence is needed.
            Relation::Seq(a, b) => {
                let second = (!is_pointwise(b)).then(|| relations.eval(b));
                for (&(x, y), &lit) in relations.eval(a).iter() {
                    let back = match &second {
                        Some(entries) => entries.get(&(y, x)).copied().unwrap_or(Lit::FALSE),
                        None => relations.holds(b, y, x),
                    };
                    if back != Lit::FALSE {
                        forbid(relations, a, x, y, &[lit, back]);
                    }
                }
            }
            _ => {
                for (&(x, y), &lit) in relations.eval(part).iter() {
                    if x == y {
                        forbid(relations, part, x, y, &[lit]);
                    }
                }
            }
        }
    }
}

/// The relation inside of `stronglift(r, t)`, which is `t? ; (r \ t) ; t?`.
fn lifted(relation: &Relation) -> Option<(&Relation, &Relation)> {
    let Relation::Seq(first, last) = relation else { return None };
    let Relation::Seq(first, inner) = &**first else { return None };
    match (&**first, &**inner, &**last) {
        (Relation::Optional(t), Relation::Diff(r, u), Relation::Optional(v)) if t == u && u == v => {
            let classes = matches!(**t, Relation::Base(BaseRelation::Atom | BaseRelation::Op));
            classes.then_some((&**r, &**t))
        }
        _ => None,
    }
}

/// An edge of a graph under construction: nodes, when given both executed, and whether that implies it.
struct Edge {
    from: u32,
    to: u32,
    lit: Lit,
    strict: bool,
}

fn acyclic(relations: &mut Relations, relation: &Relation, merge: bool) -> Graph {
    let all = parts(relation);
    if merge {
        // One lifted part, and others that stay within the classes it lifts over.
        let lifts: Vec<(&Relation, &Relation)> = all.iter().filter_map(|part| lifted(part)).collect();
        if let [(inner, classes)] = lifts.as_slice() {
            let rest: Vec<&Relation> = all.iter().copied().filter(|part| lifted(part).is_none()).collect();
            if rest.iter().all(|part| stays_within(part, classes)) {
                return merged(relations, inner, classes, &rest);
            }
        }
    }
    let edges = edges(relations, &all);
    let nodes = relations.events.len() as u32;
    let identity: Vec<u32> = (0..nodes).collect();
    assemble(relations, edges, &identity)
}

/// Whether a relation is cut down to pairs of one class.
fn stays_within(relation: &Relation, classes: &Relation) -> bool {
    match relation {
        Relation::Inter(a, b) => **a == *classes || **b == *classes,
        Relation::Union(a, b) => stays_within(a, classes) && stays_within(b, classes),
        _ => false,
    }
}

fn edges(relations: &mut Relations, parts: &[&Relation]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for part in parts {
        let strict = is_strict(part);
        let entries = relations.eval(part);
        edges.extend(entries.iter().map(|(&(from, to), &lit)| Edge { from, to, lit, strict }));
    }
    edges
}

/// The graph in which each class is one node.
///
/// # Soundness
///
/// Lifting makes all events of a class indistinguishable from outside: a path enters at any and leaves
/// from any. So a cycle either runs through classes as wholes, or stays within one; the latter is ruled
/// out separately, by forbidding pairs within a class that run against program order.
fn merged(relations: &mut Relations, inner: &Relation, classes: &Relation, rest: &[&Relation]) -> Graph {
    let nodes = relations.events.len() as u32;
    let mut class: Vec<u32> = (0..nodes).collect();
    for x in 0..nodes {
        for y in 0..x {
            if relations.encoding.tired() {
                break;
            }
            if relations.holds(classes, y, x) == Lit::TRUE {
                class[x as usize] = class[y as usize];
                break;
            }
        }
    }
    for part in rest.iter().flat_map(|part| within(part, classes)) {
        for part in parts(&part) {
            for (&(x, y), &lit) in relations.eval(part).iter() {
                let back = relations.holds(&Relation::Base(BaseRelation::Po), y, x) == Lit::TRUE || x == y;
                if back && class[x as usize] == class[y as usize] {
                    forbid(relations, part, x, y, &[lit]);
                }
            }
        }
    }
    let mut edges = edges(relations, &parts(inner));
    edges.retain(|edge| class[edge.from as usize] != class[edge.to as usize]);
    assemble(relations, edges, &class)
}

/// The relations that are cut down to the classes.
fn within(relation: &Relation, classes: &Relation) -> Vec<Arc<Relation>> {
    match relation {
        Relation::Inter(a, b) if **b == *classes => vec![a.clone()],
        Relation::Inter(a, b) if **a == *classes => vec![b.clone()],
        Relation::Union(a, b) => [within(a, classes), within(b, classes)].concat(),
        _ => Vec::new(),
    }
}

/// Builds the graph: adds execution to the literals where it is not implied, and leaves out what cannot
/// be part of a cycle.
fn assemble(relations: &mut Relations, edges: Vec<Edge>, class: &[u32]) -> Graph {
    let guarded = guarded_events(relations, &edges, class);
    let mut graph = Graph { nodes: class.len() as u32, ..Graph::default() };
    let mut fixed: FxHashSet<(u32, u32)> = FxHashSet::default();
    for edge in &edges {
        let nodes = (class[edge.from as usize], class[edge.to as usize]);
        let mut lit = edge.lit;
        if !edge.strict {
            let constant = lit == Lit::TRUE;
            for end in [edge.from, edge.to] {
                if !constant || guarded.contains(&end) {
                    let exec = relations.exec(end);
                    lit = relations.encoding.circuit.and(lit, exec);
                }
            }
        }
        match lit {
            Lit::TRUE => _ = fixed.insert(nodes),
            Lit::FALSE => {}
            _ => graph.edges.push((nodes.0, nodes.1, lit)),
        }
    }
    graph.edges.retain(|(from, to, _)| !fixed.contains(&(*from, *to)));
    graph.edges.sort();
    graph.edges.dedup();
    graph.fixed = reduce(relations, graph.nodes, &fixed);
    trim(&mut graph);
    graph
}

/// Events whose fixed edges must depend on their being executed.
///
/// An event that may not be executed keeps its fixed edges unconditionally if whatever it connects is
/// connected without it: then they add nothing. In a class of several events that also needs every
/// other one to be executed only together with it, since edges may enter at one and leave from another.
fn guarded_events(relations: &mut Relations, edges: &[Edge], class: &[u32]) -> FxHashSet<u32> {
    let fixed: FxHashSet<(u32, u32)> =
        edges.iter().filter(|edge| !edge.strict && edge.lit == Lit::TRUE).map(|e| (e.from, e.to)).collect();
    let mut into: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut out: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &(from, to) in &fixed {
        out.entry(from).or_default().push(to);
        into.entry(to).or_default().push(from);
    }
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (node, &class) in class.iter().enumerate() {
        members.entry(class).or_default().push(node as u32);
    }
    let none = Vec::new();
    let mut guarded = FxHashSet::default();
    for node in 0..class.len() as u32 {
        if relations.exec(node) == Lit::TRUE {
            continue;
        }
        if relations.encoding.tired() {
            break;
        }
        let event = relations.events[node as usize];
        let guard = relations.encoding.unrolled.events[event].guard;
        let leads = members[&class[node as usize]].iter().all(|&other| {
            let other = relations.events[other as usize];
            let unrolled = &mut relations.encoding.unrolled;
            let other_guard = unrolled.events[other].guard;
            let sure = other == event || unrolled.events[event].switch.is_none();
            sure && other >= event && unrolled.values.guards.implies(other_guard, guard)
        });
        let (before, after) = (into.get(&node).unwrap_or(&none), out.get(&node).unwrap_or(&none));
        let bridged = before.iter().all(|&x| after.iter().all(|&y| fixed.contains(&(x, y))));
        if !leads || !bridged {
            guarded.insert(node);
        }
    }
    guarded
}

/// Leaves out fixed edges that others imply. A cycle is left as it is.
fn reduce(relations: &mut Relations, nodes: u32, fixed: &FxHashSet<(u32, u32)>) -> Vec<(u32, u32)> {
    let words = (nodes as usize).div_ceil(64);
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); nodes as usize];
    let mut degree = vec![0u32; nodes as usize];
    for &(from, to) in fixed {
        after[from as usize].push(to);
        degree[to as usize] += 1;
    }
    let mut order: Vec<u32> = (0..nodes).filter(|&node| degree[node as usize] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        let node = order[next];
        next += 1;
        for &to in &after[node as usize] {
            degree[to as usize] -= 1;
            if degree[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    if order.len() < nodes as usize {
        return fixed.iter().copied().collect();
    }
    let mut rank = vec![0u32; nodes as usize];
    order.iter().enumerate().for_each(|(i, &node)| rank[node as usize] = i as u32);
    // What each node reaches, last ones first; nearest successors first, so that further ones are found
    // to be reached already.
    let mut reach = vec![0u64; words * nodes as usize];
    let mut kept = Vec::new();
    for &node in order.iter().rev() {
        let row = node as usize * words;
        let mut targets = std::mem::take(&mut after[node as usize]);
        targets.sort_by_key(|&to| rank[to as usize]);
        for to in targets {
            if relations.encoding.tired() {
                return kept;
            }
            let (word, bit) = (to as usize / 64, 1u64 << (to % 64));
            if reach[row + word] & bit == 0 {
                kept.push((node, to));
                reach[row + word] |= bit;
                for i in 0..words {
                    let more = reach[to as usize * words + i];
                    reach[row + i] |= more;
                }
            }
        }
    }
    kept.sort();
    kept
}

/// Leaves out edges at nodes that no cycle can pass, again and again, and numbers the others anew.
fn trim(graph: &mut Graph) {
    loop {
        let mut has_in = vec![false; graph.nodes as usize];
        let mut has_out = vec![false; graph.nodes as usize];
        let ends = graph.fixed.iter().copied().chain(graph.edges.iter().map(|&(from, to, _)| (from, to)));
        for (from, to) in ends {
            has_out[from as usize] = true;
            has_in[to as usize] = true;
        }
        let passes = |node: u32| has_in[node as usize] && has_out[node as usize];
        let before = graph.fixed.len() + graph.edges.len();
        graph.fixed.retain(|&(from, to)| passes(from) && passes(to));
        graph.edges.retain(|&(from, to, _)| passes(from) && passes(to));
        if graph.fixed.len() + graph.edges.len() == before {
            break;
        }
    }
    let mut number: FxHashMap<u32, u32> = FxHashMap::default();
    let mut renumber = |node: &mut u32| {
        let next = number.len() as u32;
        *node = *number.entry(*node).or_insert(next);
    };
    for (from, to) in &mut graph.fixed {
        renumber(from);
        renumber(to);
    }
    for (from, to, _) in &mut graph.edges {
        renumber(from);
        renumber(to);
    }
    graph.nodes = number.len() as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_models_hide_what_was_overwritten() {
        for name in ["serial", "sc", "tso", "pso", "rmo", "relaxed"] {
            let model = fencepost_models::builtin(name).expect("it ships");
            assert!(hides_overwritten(&model), "{name}");
            let mut weaker = model.clone();
            weaker.constraints.clear();
            assert!(!hides_overwritten(&weaker), "{name}");
        }
    }
}
