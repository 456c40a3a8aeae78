//! Liveness against brute force: a register is live at a point if some way from there reads it before writing it; and it
//! may be read if some values of the registers make a thread take such a way.

use fencepost_lsl::liveness::Liveness;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Label, Proc, Reg, RegInfo, Stmt, StmtKind};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::ways::may_read;
use std::collections::{HashMap, HashSet};

const REGS: u32 = 4;

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: span() }
}

fn copy(dst: u32, src: u32) -> Stmt {
    stmt(StmtKind::Assign { dst: Reg(dst), op: PrimOp::Copy, args: vec![Reg(src).into()] })
}

fn constant(dst: u32) -> Stmt {
    stmt(StmtKind::Assign { dst: Reg(dst), op: PrimOp::Copy, args: vec![1.into()] })
}

fn not(dst: u32, src: u32) -> Stmt {
    stmt(StmtKind::Assign { dst: Reg(dst), op: PrimOp::Not, args: vec![Reg(src).into()] })
}

fn leave(label: u32, when: Option<u32>) -> Stmt {
    let when = when.map(|reg| Reg(reg).into());
    stmt(StmtKind::Break { label: Label(label), when, predicated: false })
}

fn again(label: u32, when: Option<u32>) -> Stmt {
    stmt(StmtKind::Continue { label: Label(label), when: when.map(|reg| Reg(reg).into()) })
}

fn block(label: u32, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Block { label: Label(label), body, retry: false })
}

fn proc(body: Vec<Stmt>, results: &[u32]) -> Proc {
    let regs = vec![RegInfo::default(); REGS as usize];
    let results = results.iter().map(|&reg| Reg(reg)).collect();
    Proc { name: "f".into(), params: Vec::new(), results, regs, body, span: span() }
}

fn live(proc: &Proc, label: u32, position: usize) -> Vec<u32> {
    Liveness::of(proc).before(Label(label), position).iter().map(|reg| reg.0).collect()
}

#[test]
fn writes_behind_a_jump_do_not_count() {
    // L0: { r1 = r0; L1: { if (r1) break L1; r2 = r1 }; r3 = r2; if (r3) continue L0 }
    let inner = block(1, vec![leave(1, Some(1)), copy(2, 1)]);
    let body = vec![block(0, vec![copy(1, 0), inner, copy(3, 2), again(0, Some(3))])];
    assert_eq!(live(&proc(body, &[]), 0, 0), [0, 2]);
}

#[test]
fn jumps_that_leave_an_outer_block_count() {
    // L0: { L1: { L2: { if (r0) break L1 }; r1 = 1 }; r2 = r1; if (r2) continue L0 }
    let inner = block(1, vec![block(2, vec![leave(1, Some(0))]), constant(1)]);
    let body = vec![block(0, vec![inner, copy(2, 1), again(0, Some(2))])];
    assert_eq!(live(&proc(body, &[]), 0, 0), [0, 1]);
}

#[test]
fn values_behind_a_loop_and_results_are_live() {
    // L1: { L0: { if (r0) break L1; r1 = r3; continue L0 } }; r2 = r1
    let inner = block(0, vec![leave(1, Some(0)), copy(1, 3), again(0, None)]);
    let body = vec![block(1, vec![inner]), copy(2, 1)];
    assert_eq!(live(&proc(body.clone(), &[]), 0, 0), [0, 1, 3]);
    assert_eq!(live(&proc(body.clone(), &[]), 0, 1), [0, 3], "r1 is written before it is read");
    assert_eq!(live(&proc(body, &[0]), 0, 3), [0, 1], "at the end, what is live behind, results included");
}

/// The procedure as a graph: what each point reads and writes, and where it leads.
#[derive(Default)]
struct Graph {
    reads: Vec<Vec<Reg>>,
    /// What is done to the first register read, where a register is written.
    ops: Vec<Option<(PrimOp, bool)>>,
    writes: Vec<Option<Reg>>,
    next: Vec<Vec<usize>>,
    /// Points of labelled blocks, by position.
    points: HashMap<(Label, usize), usize>,
    /// Jumps still to be connected: from, to the head (or behind), of which block.
    jumps: Vec<(usize, bool, Label)>,
    behind: HashMap<Label, usize>,
}

impl Graph {
    fn of(proc: &Proc) -> Graph {
        let mut graph = Graph::default();
        graph.body(&proc.body, None);
        let end = graph.point();
        graph.reads[end] = proc.results.clone();
        for (from, head, label) in std::mem::take(&mut graph.jumps) {
            let to = if head { graph.points[&(label, 0)] } else { graph.behind[&label] };
            graph.next[from].push(to);
        }
        graph
    }

    fn point(&mut self) -> usize {
        self.reads.push(Vec::new());
        self.ops.push(None);
        self.writes.push(None);
        self.next.push(Vec::new());
        self.next.len() - 1
    }

    fn body(&mut self, body: &[Stmt], label: Option<Label>) {
        for (position, stmt) in body.iter().enumerate() {
            let at = self.point();
            label.and_then(|label| self.points.insert((label, position), at));
            let operands = |operands: &[fencepost_lsl::program::Operand]| {
                let regs = operands.iter().filter_map(|operand| match operand {
                    fencepost_lsl::program::Operand::Reg(reg) => Some(*reg),
                    fencepost_lsl::program::Operand::Const(_) => None,
                });
                regs.collect::<Vec<Reg>>()
            };
            let mut falls = true;
            match &stmt.kind {
                StmtKind::Assign { dst, op, args } => {
                    self.reads[at] = operands(args);
                    self.ops[at] = Some((*op, self.reads[at].is_empty()));
                    self.writes[at] = Some(*dst);
                }
                StmtKind::Atomic(body) => {
                    self.next[at].push(at + 1);
                    self.body(body, None);
                    continue;
                }
                StmtKind::Block { label, body, .. } => {
                    self.next[at].push(at + 1);
                    self.body(body, Some(*label));
                    let behind = self.next.len();
                    self.behind.insert(*label, behind);
                    continue;
                }
                StmtKind::Break { label, when, .. } => {
                    self.reads[at] = operands(when.as_slice());
                    self.jumps.push((at, false, *label));
                    falls = when.is_some();
                }
                StmtKind::Continue { label, when } => {
                    self.reads[at] = operands(when.as_slice());
                    self.jumps.push((at, true, *label));
                    falls = when.is_some();
                }
                other => panic!("{other:?} is not generated"),
            }
            if falls {
                self.next[at].push(at + 1);
            }
        }
        // The end of a body is where the point made next is, unless it is the end of a block that has none.
        if let Some(label) = label {
            let end = self.point();
            self.points.insert((label, body.len()), end);
            self.next[end].push(end + 1);
        }
    }

    /// Whether some way from a point reads a register before writing it.
    fn is_live(&self, from: usize, reg: Reg) -> bool {
        let mut seen = vec![false; self.next.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if self.reads[at].contains(&reg) {
                return true;
            }
            if self.writes[at] != Some(reg) {
                open.extend(&self.next[at]);
            }
        }
        false
    }
}

impl Graph {
    /// The registers that a thread reads before it writes them, from a point on, with these values, zero or one.
    fn reads_from(&self, mut at: usize, mut values: [bool; REGS as usize]) -> HashSet<Reg> {
        let (mut found, mut written, mut seen) = (HashSet::new(), HashSet::new(), HashSet::new());
        while seen.insert((at, values)) {
            found.extend(self.reads[at].iter().filter(|reg| !written.contains(*reg)));
            let first = self.reads[at].first().map(|reg| values[reg.index()]);
            if let (Some(dst), Some((op, constant))) = (self.writes[at], self.ops[at]) {
                let value = first.unwrap_or(constant);
                values[dst.index()] = value != (op == PrimOp::Not);
                written.insert(dst);
            }
            at = match (&self.next[at][..], first) {
                ([], _) => break,
                ([next], _) => *next,
                // The way on first, then the jump.
                ([next, _], Some(false)) => *next,
                ([_, jump], Some(true)) => *jump,
                (ways, _) => panic!("{} ways without a condition", ways.len()),
            };
        }
        found
    }
}

/// Random bodies, from xorshift numbers.
struct Maker {
    state: u64,
    labels: u32,
    around: Vec<u32>,
}

impl Maker {
    fn below(&mut self, bound: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as u32 % bound
    }

    fn body(&mut self, depth: u32) -> Vec<Stmt> {
        (0..1 + self.below(4)).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        let (a, b) = (self.below(REGS), self.below(REGS));
        let when = (self.below(4) > 0).then_some(a);
        let kinds = if depth == 0 { 6 } else { 9 };
        match self.below(kinds) {
            0 => copy(a, b),
            1 => not(a, b),
            2 => constant(a),
            kind @ 3..=5 if !self.around.is_empty() => {
                let which = self.below(self.around.len() as u32) as usize;
                let label = self.around[which];
                if kind == 5 { again(label, when) } else { leave(label, when) }
            }
            3..=5 => copy(b, a),
            6 => stmt(StmtKind::Atomic(self.body(depth - 1))),
            _ => {
                let label = self.labels;
                self.labels += 1;
                self.around.push(label);
                let body = self.body(depth - 1);
                self.around.pop();
                block(label, body)
            }
        }
    }
}

#[test]
fn agrees_with_brute_force() {
    let (mut points, mut found) = (0, 0);
    for seed in 1..=20_000u64 {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut maker = Maker { state, labels: 0, around: Vec::new() };
        let body = maker.body(4);
        let results: Vec<u32> = (0..REGS).filter(|_| maker.below(3) == 0).collect();
        let proc = proc(body, &results);
        let (liveness, graph) = (Liveness::of(&proc), Graph::of(&proc));
        for (&(label, position), &point) in &graph.points {
            for reg in (0..REGS).map(Reg) {
                let live = graph.is_live(point, reg);
                assert_eq!(
                    liveness.before(label, position).contains(reg),
                    live,
                    "seed {seed}: {reg} before statement {position} of {label} in {:#?}",
                    proc.body
                );
                points += 1;
                found += live as u32;
            }
        }
    }
    println!("{found} of {points} live");
    assert!(found * 10 > points && found * 10 < points * 9, "{found} of {points} live");
}

#[test]
fn ways_that_contradict_themselves_read_nothing() {
    // L0: { r1 = !r0; L1: { L2: { if (r1) break L2; r2 = r3; if (r3) continue L0; r0 = r3; r1 = !r0; continue L1 } };
    //       L3: { if (r1) break L3; r3 = r2 } }
    let inner = vec![leave(2, Some(1)), copy(2, 3), again(0, Some(3)), copy(0, 3), not(1, 0), again(1, None)];
    let behind = block(3, vec![leave(3, Some(1)), copy(3, 2)]);
    let body = vec![block(0, vec![not(1, 0), block(1, vec![block(2, inner)]), behind])];
    let proc = proc(body, &[]);
    assert_eq!(live(&proc, 0, 0), [0, 2, 3], "as far as the text goes");
    assert_eq!(read(&proc, 0, 0), [0, 3], "r2 is read if r0 is not zero, which is after the loop only");
}

fn read(proc: &Proc, label: u32, position: usize) -> Vec<u32> {
    let liveness = Liveness::of(proc);
    let place = (Label(label), position);
    may_read(proc, &liveness, place, liveness.before(place.0, position)).iter().map(|reg| reg.0).collect()
}

/// Whatever a thread reads is found; and mostly nothing else is.
#[test]
fn every_way_that_can_be_taken_is_seen() {
    let (mut live, mut found, mut real) = (0u32, 0u32, 0u32);
    for seed in 1..=1_500u64 {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut maker = Maker { state, labels: 0, around: Vec::new() };
        let body = maker.body(4);
        let results: Vec<u32> = (0..REGS).filter(|_| maker.below(3) == 0).collect();
        let proc = proc(body, &results);
        let (liveness, graph) = (Liveness::of(&proc), Graph::of(&proc));
        for (&(label, position), &point) in &graph.points {
            let asked = liveness.before(label, position);
            let claimed = may_read(&proc, &liveness, (label, position), asked);
            let all = (0..1 << REGS).map(|bits| std::array::from_fn(|reg| bits >> reg & 1 != 0));
            let read: HashSet<Reg> = all.flat_map(|values| graph.reads_from(point, values)).collect();
            for &reg in &read {
                let where_from = format!("before statement {position} of {label} in {:#?}", proc.body);
                assert!(claimed.contains(reg), "seed {seed}: {reg} is read {where_from}");
            }
            live += asked.iter().count() as u32;
            found += claimed.iter().count() as u32;
            real += read.len() as u32;
        }
    }
    println!("{live} live, {found} found to be read, {real} read");
    assert!(found < live, "{found} found of {live}");
    assert!((found - real) * 20 < found, "{found} found, {real} read");
}
