//! Whether what a program does may depend on where objects lie in memory.
//!
//! Addresses are fixed, so a program that compares addresses of different objects, or computes with one as with a number,
//! is explored for one of many placements. Where that may be, the scope of the verdict says so. What counts is found in
//! two steps: lowering notes comparisons and differences of pointers, conversions of pointers to integers, and arithmetic
//! on integers; when all procedures are made, registers are followed through them, in any order, to see which object a
//! pointer may point into and which integers are addresses.
//!
//! Equality, tag bits and moving an address by an offset say nothing about placement. Addresses are followed through
//! registers and calls, not through memory: what is kept there as an integer and computed with later is not noticed.

use super::{Lowerer, Value};
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Operand, Place, ProcId, Program, Reg, Stmt, StmtKind, address};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;

/// Bits below an object's alignment: what they are does not depend on its place.
const TAG_BITS: u64 = 15;

/// What may look at placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// Two pointers are compared for order, or subtracted.
    Compares,
    /// A number is computed that would depend on it if an operand is an address.
    Computes,
}

/// A place in a procedure that may look at placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    look: Look,
    operands: [Operand; 2],
    span: Span,
}

/// What was noted about a procedure.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) sites: Vec<Site>,
    /// Registers that hold pointers as integers.
    pub(super) addresses: Vec<Reg>,
}

/// Into which object an operand points.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Target {
    /// It is no pointer.
    #[default]
    None,
    /// Into one that exists from the start, at this address.
    Global(u64),
    /// Into the local variable that this statement makes: its procedure and register.
    Local(ProcId, Reg),
    /// Into any.
    Any,
}

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Fact {
    target: Target,
    is_address: bool,
}

impl Fact {
    fn join(self, other: Fact) -> Fact {
        let target = match (self.target, other.target) {
            (Target::None, one) | (one, Target::None) => one,
            (a, b) if a == b => a,
            _ => Target::Any,
        };
        Fact { target, is_address: self.is_address || other.is_address }
    }
}

impl Lowerer<'_> {
    /// Notes that two pointers are compared for order, or subtracted.
    pub(super) fn note_comparison(&mut self, a: Operand, b: Operand, span: Span) {
        self.note(Look::Compares, [a, b], span);
    }

    /// Notes an operation on integers whose result would say where an object lies.
    pub(super) fn note_computation(&mut self, op: BinOp, a: Operand, b: Operand, span: Span) {
        let masks = |word: Operand| match word {
            Operand::Const(mask) => {
                let mask = mask.bits();
                // Tag bits, or all but them.
                mask & !TAG_BITS != 0 && mask | TAG_BITS != u64::MAX
            }
            Operand::Reg(_) => false,
        };
        let telling = match op {
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shr => true,
            BinOp::And => masks(a) || masks(b),
            _ => false,
        };
        if telling {
            self.note(Look::Computes, [a, b], span);
        }
    }

    /// Notes a comparison of integers for order.
    pub(super) fn note_order(&mut self, a: Operand, b: Operand, span: Span) {
        self.note(Look::Computes, [a, b], span);
    }

    fn note(&mut self, look: Look, operands: [Operand; 2], span: Span) {
        if self.unevaluated == 0 {
            self.builder.noted.sites.push(Site { look, operands, span });
        }
    }

    /// Notes that a pointer became an integer; the integer is then a register of its own.
    pub(super) fn note_address(&mut self, value: Value, span: Span) -> Value {
        let word = self.operand(value, span);
        if !matches!(word, Operand::Reg(_)) || self.unevaluated > 0 {
            return value;
        }
        let reg = self.builder.reg();
        self.builder.assign(reg, word, span);
        self.builder.noted.addresses.push(reg);
        Value::word(value.ty, reg)
    }

    /// Says of each place that looks at placement that other placements are not explored.
    pub(super) fn placement_caveats(&mut self) {
        let facts = facts(&self.program, &self.noted);
        let mut caveats = Vec::new();
        for (proc, noted) in &self.noted {
            for site in &noted.sites {
                let [a, b] = site.operands.map(|operand| fact(&self.program, &facts[proc.index()], operand));
                let (looks, what) = match site.look {
                    Look::Compares => (a.join(b).target == Target::Any, "compares addresses"),
                    Look::Computes => (a.is_address || b.is_address, "computes with an address"),
                };
                if looks {
                    let at = self.program.sources.position(site.span);
                    let file = at.file.rsplit('/').next().unwrap_or(&at.file).to_owned();
                    caveats.push((
                        site.span,
                        format!(
                            "other places of objects in memory, although line {} of {file} {what}",
                            at.line
                        ),
                    ));
                }
            }
        }
        caveats.sort();
        caveats.iter().for_each(|(_, caveat)| self.caveat(caveat));
    }
}

/// What is known of all registers of all procedures: the least facts that all statements agree with.
fn facts(program: &Program, noted: &[(ProcId, Noted)]) -> Vec<FxHashMap<Reg, Fact>> {
    let mut facts = Facts { program, of: vec![FxHashMap::default(); program.procs.len()], changed: false };
    for (proc, noted) in noted {
        for reg in &noted.addresses {
            facts.learn(*proc, *reg, Fact { target: Target::None, is_address: true });
        }
    }
    loop {
        facts.changed = false;
        for (index, proc) in program.procs.iter().enumerate() {
            facts.follow(ProcId(index as u32), &proc.body);
        }
        if !facts.changed {
            return facts.of;
        }
    }
}

fn fact(program: &Program, facts: &FxHashMap<Reg, Fact>, operand: Operand) -> Fact {
    match operand {
        Operand::Reg(reg) => facts.get(&reg).copied().unwrap_or_default(),
        Operand::Const(value) => {
            let bits = value.bits();
            // Just behind its end is still the object's.
            let inside = |base: u64, size: u64| (base..=base + size).contains(&bits);
            let found = program.globals.iter().find(|global| inside(global.addr, global.size));
            let target = match found {
                Some(global) => Target::Global(global.addr),
                None if (address::GLOBALS..address::END).contains(&bits) => Target::Any,
                None => Target::None,
            };
            Fact { target, is_address: false }
        }
    }
}

/// The registers of all procedures, while facts about them are found.
struct Facts<'p> {
    program: &'p Program,
    of: Vec<FxHashMap<Reg, Fact>>,
    changed: bool,
}

impl Facts<'_> {
    fn get(&self, proc: ProcId, operand: Operand) -> Fact {
        fact(self.program, &self.of[proc.index()], operand)
    }

    fn learn(&mut self, proc: ProcId, reg: Reg, new: Fact) {
        let known = self.of[proc.index()].entry(reg).or_default();
        let joined = known.join(new);
        self.changed |= joined != *known;
        *known = joined;
    }

    fn hand_over(&mut self, from: ProcId, args: &[Operand], to: ProcId) {
        let program = self.program;
        for (&param, &arg) in program.procs[to.index()].params.iter().zip(args) {
            let given = self.get(from, arg);
            self.learn(to, param, given);
        }
    }

    fn follow(&mut self, proc: ProcId, body: &[Stmt]) {
        let pointer = |target| Fact { target, is_address: false };
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign { dst, op, args } => {
                    let joined =
                        args.iter().map(|arg| self.get(proc, *arg)).fold(Fact::default(), Fact::join);
                    let tag = |arg: &Operand| matches!(arg, Operand::Const(mask) if mask.bits() <= TAG_BITS);
                    match op {
                        PrimOp::Cmp(..) | PrimOp::Not | PrimOp::Truth => {}
                        PrimOp::Bin(BinOp::And, _) if args.iter().any(tag) => {}
                        _ => self.learn(proc, *dst, joined),
                    }
                }
                StmtKind::Load { dst, .. } => self.learn(proc, *dst, pointer(Target::Any)),
                StmtKind::Alloc { dst, place: Place::Stack, .. } => {
                    self.learn(proc, *dst, pointer(Target::Local(proc, *dst)));
                }
                StmtKind::Alloc { dst, .. } => self.learn(proc, *dst, pointer(Target::Any)),
                StmtKind::Call { proc: callee, args, results } => {
                    self.hand_over(proc, args, *callee);
                    let program = self.program;
                    for (&result, &to) in program.procs[callee.index()].results.iter().zip(results) {
                        let returned = self.get(*callee, result.into());
                        self.learn(proc, to, returned);
                    }
                }
                StmtKind::Spawn { proc: callee, args } => self.hand_over(proc, args, *callee),
                StmtKind::Block { body, .. } | StmtKind::Atomic(body) => self.follow(proc, body),
                _ => {}
            }
        }
    }
}
