//! Which live registers a way through the procedure can in fact read: ways whose branches contradict each other do
//! not count. `while (node) next = …; if (node) use(next);` reads `next` on no way that does not write it first.
//!
//! Forwards from a point, branch by branch. Of registers it is known which hold the same value, which a constant,
//! and which were found to be zero or not; nothing is assumed of them at the start. What is forgotten only adds ways,
//! so a register that none of them reads is read by none that a thread can take.

use crate::liveness::{Liveness, RegSet, read, written};
use crate::op::{CmpOp, PrimOp};
use crate::program::{Label, Operand, Proc, Reg, Stmt, StmtKind, continues};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Statements to look at; who exceeds them learns nothing.
const STEPS: u32 = 20_000;

/// Of some registers at a position of a labelled block, those that a way from there may read before it writes them.
pub fn may_read(
    proc: &Proc,
    liveness: &Liveness,
    (block, position): (Label, usize),
    regs: &RegSet,
) -> RegSet {
    let flow = Flow::of(proc);
    let Some(&start) = flow.points.get(&(block, position)) else { return regs.clone() };
    let mut search = Search {
        flow: &flow,
        liveness,
        open: Vec::new(),
        seen: FxHashSet::default(),
        found: RegSet::default(),
    };
    let values = (0..proc.regs.len() as u32).map(Expr::Unknown).collect();
    let facts = FxHashMap::default();
    search.open.push(Way { at: start, values, facts, kept: regs.clone(), fresh: proc.regs.len() as u32 });
    for _ in 0..STEPS {
        match search.open.pop() {
            Some(way) => search.step(way),
            None => return search.found,
        }
    }
    regs.clone()
}

/// Positions that stand for where a block starts over and where it is left to.
const HEAD: usize = usize::MAX;
const BEHIND: usize = usize::MAX - 1;

/// A procedure as a list of statements with jumps.
struct Flow<'p> {
    steps: Vec<Step<'p>>,
    /// Where positions of labelled blocks are.
    points: FxHashMap<(Label, usize), usize>,
    results: &'p [Reg],
}

enum Step<'p> {
    Do(&'p StmtKind),
    /// Goes to where a block starts, or ends, if the condition holds or there is none.
    Jump {
        label: Label,
        back: bool,
        when: Option<Operand>,
    },
    /// The head of a loop.
    Head(Label),
}

impl<'p> Flow<'p> {
    fn of(proc: &'p Proc) -> Flow<'p> {
        let mut flow = Flow { steps: Vec::new(), points: FxHashMap::default(), results: &proc.results };
        flow.body(&proc.body, None);
        flow
    }

    fn body(&mut self, body: &'p [Stmt], label: Option<Label>) {
        for (position, stmt) in body.iter().enumerate() {
            if let Some(label) = label {
                self.points.insert((label, position), self.steps.len());
            }
            match &stmt.kind {
                StmtKind::Atomic(body) => self.body(body, None),
                StmtKind::Block { label, body, .. } => {
                    self.points.insert((*label, HEAD), self.steps.len());
                    if continues(body, *label) {
                        self.steps.push(Step::Head(*label));
                    }
                    self.body(body, Some(*label));
                    self.points.insert((*label, BEHIND), self.steps.len());
                }
                StmtKind::Break { label, when, .. } => {
                    self.steps.push(Step::Jump { label: *label, back: false, when: *when });
                }
                StmtKind::Continue { label, when } => {
                    self.steps.push(Step::Jump { label: *label, back: true, when: *when });
                }
                kind => self.steps.push(Step::Do(kind)),
            }
        }
        if let Some(label) = label {
            self.points.insert((label, body.len()), self.steps.len());
        }
    }
}

/// What a register holds.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Expr {
    Const(Value),
    /// Something, by number.
    Unknown(u32),
    /// One or zero: whether something, by number, is zero, or is not.
    Test {
        of: u32,
        zero: bool,
    },
}

/// A way under exploration.
#[derive(Clone)]
struct Way {
    at: usize,
    values: Vec<Expr>,
    /// Which of the unknown values are zero (false), and which are not.
    facts: FxHashMap<u32, bool>,
    /// Registers asked about that were not written yet.
    kept: RegSet,
    /// The next unknown value.
    fresh: u32,
}

impl Way {
    fn expr(&self, operand: Operand) -> Expr {
        match operand {
            Operand::Const(value) => Expr::Const(value),
            Operand::Reg(reg) => self.values[reg.index()].clone(),
        }
    }

    fn unknown(&mut self) -> Expr {
        self.fresh += 1;
        Expr::Unknown(self.fresh - 1)
    }

    /// Whether a value is other than zero, if that is known.
    fn truth(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Const(value) => value.defined().map(|bits| bits != 0),
            Expr::Unknown(number) => self.facts.get(number).copied(),
            Expr::Test { of, zero } => self.facts.get(of).map(|truth| truth != zero),
        }
    }

    /// Supposes that a value is zero, or is not; says whether that can be.
    fn suppose(&mut self, expr: &Expr, truth: bool) -> bool {
        if let Some(known) = self.truth(expr) {
            return known == truth;
        }
        match *expr {
            Expr::Const(_) => {}
            Expr::Unknown(number) => _ = self.facts.insert(number, truth),
            Expr::Test { of, zero } => _ = self.facts.insert(of, truth != zero),
        }
        true
    }

    fn apply(&mut self, op: PrimOp, args: &[Operand]) -> Expr {
        let args: Vec<Expr> = args.iter().map(|&arg| self.expr(arg)).collect();
        let constant = |arg: &Expr| if let Expr::Const(value) = arg { Some(*value) } else { None };
        let constants: Option<Vec<Value>> = args.iter().map(constant).collect();
        if let Some(Ok(value)) = constants.map(|values| op.eval(&values)) {
            return Expr::Const(value);
        }
        match (op, &args[..]) {
            (PrimOp::Copy, [value]) => value.clone(),
            (PrimOp::Convert(_), [value @ Expr::Test { .. }]) => value.clone(),
            (PrimOp::Not, [value]) => self.test(value, true),
            (PrimOp::Truth, [value]) => self.test(value, false),
            (PrimOp::Cmp(CmpOp::Eq, _), [value, Expr::Const(Value::ZERO)]) => self.test(value, true),
            (PrimOp::Cmp(CmpOp::Ne, _), [value, Expr::Const(Value::ZERO)]) => self.test(value, false),
            _ => self.unknown(),
        }
    }

    /// Whether a value is zero, or is not.
    fn test(&mut self, value: &Expr, zero: bool) -> Expr {
        match (self.truth(value), value) {
            (Some(truth), _) => Expr::Const(Value::from_bool(truth != zero)),
            (None, Expr::Const(_)) => self.unknown(),
            (None, &Expr::Unknown(of)) => Expr::Test { of, zero },
            (None, &Expr::Test { of, zero: inner }) => Expr::Test { of, zero: inner != zero },
        }
    }
}

/// What tells ways at the head of a loop apart: live registers with what is known of them, unknown values numbered in
/// the order in which they appear, and which registers asked about are still to be written.
type Signature = (usize, Vec<(Expr, Option<bool>)>, Vec<Reg>);

struct Search<'p> {
    flow: &'p Flow<'p>,
    liveness: &'p Liveness,
    open: Vec<Way>,
    seen: FxHashSet<Signature>,
    /// Registers that are read.
    found: RegSet,
}

impl Search<'_> {
    /// Takes a way one step further.
    fn step(&mut self, mut way: Way) {
        let Some(step) = self.flow.steps.get(way.at) else {
            self.note(&way, self.flow.results.iter().copied());
            return;
        };
        match step {
            Step::Head(label) => {
                if !self.seen.insert(self.signature(&way, *label)) {
                    return;
                }
            }
            Step::Jump { label, back, when } => {
                let there = self.flow.points[&(*label, if *back { HEAD } else { BEHIND })];
                let Some(when) = *when else {
                    self.open.push(Way { at: there, ..way });
                    return;
                };
                self.note(&way, operand_reg(when));
                let expr = way.expr(when);
                let mut jumps = Way { at: there, ..way.clone() };
                if jumps.suppose(&expr, true) {
                    self.open.push(jumps);
                }
                if !way.suppose(&expr, false) {
                    return;
                }
            }
            Step::Do(kind) => {
                self.note(&way, read(kind));
                match kind {
                    StmtKind::Assign { dst, op, args } => way.values[dst.index()] = way.apply(*op, args),
                    StmtKind::Assert { cond, .. } | StmtKind::Assume { cond } => {
                        let cond = way.expr(*cond);
                        if !way.suppose(&cond, true) {
                            return;
                        }
                    }
                    _ => written(kind).for_each(|reg| way.values[reg.index()] = way.unknown()),
                }
                written(kind).for_each(|reg| way.kept.remove(reg));
            }
        }
        way.at += 1;
        self.open.push(way);
    }

    /// Registers asked about that a way reads.
    fn note(&mut self, way: &Way, regs: impl Iterator<Item = Reg>) {
        regs.filter(|reg| way.kept.contains(*reg)).for_each(|reg| self.found.insert(reg));
    }

    fn signature(&self, way: &Way, label: Label) -> Signature {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut renumber = |number: u32| {
            let next = numbers.len() as u32;
            *numbers.entry(number).or_insert(next)
        };
        let live = self.liveness.before(label, 0);
        let known = live.iter().map(|reg| {
            let expr = &way.values[reg.index()];
            let same = match *expr {
                Expr::Const(value) => Expr::Const(value),
                Expr::Unknown(number) => Expr::Unknown(renumber(number)),
                Expr::Test { of, zero } => Expr::Test { of: renumber(of), zero },
            };
            (same, way.truth(expr))
        });
        (way.at, known.collect(), way.kept.iter().filter(|reg| live.contains(*reg)).collect())
    }
}

fn operand_reg(operand: Operand) -> impl Iterator<Item = Reg> {
    let reg = if let Operand::Reg(reg) = operand { Some(reg) } else { None };
    reg.into_iter()
}
