//! Programs as lists of instructions with jumps.

use super::{Cond, Expr, REGISTERS, Stmt};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instr {
    Load(usize, usize),
    Store(usize, Expr),
    Set(usize, Expr),
    Swap(usize, usize, Expr),
    Cas(usize, usize, u8, u8),
    Fence,
    Assume(Cond),
    Assert(Cond),
    /// The beginning of an atomic block.
    Begin,
    /// Its end.
    End,
    /// Jumps if the condition does not hold.
    Unless(Cond, usize),
    Jump(usize),
    /// Adds one to a counter.
    Count(usize),
    /// Jumps if a counter has reached a number.
    Reached(usize, u8, usize),
    Done,
}

/// The register that a `while (!variable)` reads into.
pub(super) const TESTED: usize = REGISTERS;

/// A thread's instructions, and how many registers it has with those of its loops.
pub(super) struct Flat {
    pub(super) code: Vec<Instr>,
    pub(super) registers: usize,
}

/// Makes a list of instructions of statements.
pub(super) fn flatten(body: &[Stmt]) -> Flat {
    let mut flat = Flat { code: Vec::new(), registers: REGISTERS + 1 };
    let left = flat.list(body);
    assert!(left.breaks.is_empty() && left.continues.is_empty(), "jumps stand in what they leave");
    flat.code.push(Instr::Done);
    flat
}

/// Jumps whose targets are not known yet.
#[derive(Default)]
struct Jumps {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl Jumps {
    fn add(&mut self, more: Jumps) {
        self.breaks.extend(more.breaks);
        self.continues.extend(more.continues);
    }
}

impl Flat {
    fn emit(&mut self, instr: Instr) -> usize {
        self.code.push(instr);
        self.code.len() - 1
    }

    /// Has a jump lead to the next instruction.
    fn here(&mut self, jump: usize) {
        self.aim(jump, self.code.len());
    }

    fn aim(&mut self, jump: usize, target: usize) {
        match &mut self.code[jump] {
            Instr::Unless(_, to) | Instr::Jump(to) | Instr::Reached(_, _, to) => *to = target,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    fn list(&mut self, body: &[Stmt]) -> Jumps {
        let mut jumps = Jumps::default();
        for stmt in body {
            jumps.add(self.stmt(stmt));
        }
        jumps
    }

    fn stmt(&mut self, stmt: &Stmt) -> Jumps {
        let simple = match stmt {
            Stmt::Load(reg, var) => Instr::Load(*reg, *var),
            Stmt::Store(var, expr) => Instr::Store(*var, *expr),
            Stmt::Set(reg, expr) => Instr::Set(*reg, *expr),
            Stmt::Swap(reg, var, expr) => Instr::Swap(*reg, *var, *expr),
            Stmt::Cas(reg, var, old, new) => Instr::Cas(*reg, *var, *old, *new),
            Stmt::Fence => Instr::Fence,
            Stmt::Assume(cond) => Instr::Assume(*cond),
            Stmt::Assert(cond) => Instr::Assert(*cond),
            Stmt::Break => {
                return Jumps { breaks: vec![self.emit(Instr::Jump(0))], ..Jumps::default() };
            }
            Stmt::Continue => {
                return Jumps { continues: vec![self.emit(Instr::Jump(0))], ..Jumps::default() };
            }
            Stmt::If(cond, yes, no) => return self.branch(*cond, yes, no),
            Stmt::While(cond, body) => {
                let head = self.code.len();
                let out = self.emit(Instr::Unless(*cond, 0));
                self.round(head, out, body);
                return Jumps::default();
            }
            Stmt::Wait(var, body) => {
                let head = self.emit(Instr::Load(TESTED, *var));
                let out = self.emit(Instr::Unless(Cond::Clear(TESTED), 0));
                self.round(head, out, body);
                return Jumps::default();
            }
            Stmt::DoWhile(body, cond) => {
                let head = self.code.len();
                let jumps = self.list(body);
                jumps.continues.into_iter().for_each(|jump| self.here(jump));
                let out = self.emit(Instr::Unless(*cond, 0));
                self.emit(Instr::Jump(head));
                self.here(out);
                jumps.breaks.into_iter().for_each(|jump| self.here(jump));
                return Jumps::default();
            }
            Stmt::For(times, body) => {
                self.counted(*times, body);
                return Jumps::default();
            }
            Stmt::Switch(reg, cases, default) => return self.switch(*reg, cases, default.as_deref()),
            Stmt::Atomic(body) => {
                self.emit(Instr::Begin);
                let jumps = self.list(body);
                assert!(
                    jumps.breaks.is_empty() && jumps.continues.is_empty(),
                    "blocks are not left by jumps"
                );
                Instr::End
            }
        };
        self.emit(simple);
        Jumps::default()
    }

    /// The rest of a loop, behind the test at its head.
    fn round(&mut self, head: usize, out: usize, body: &[Stmt]) {
        let jumps = self.list(body);
        jumps.continues.into_iter().for_each(|jump| self.aim(jump, head));
        self.emit(Instr::Jump(head));
        self.here(out);
        jumps.breaks.into_iter().for_each(|jump| self.here(jump));
    }

    fn branch(&mut self, cond: Cond, yes: &[Stmt], no: &[Stmt]) -> Jumps {
        let otherwise = self.emit(Instr::Unless(cond, 0));
        let mut jumps = self.list(yes);
        let end = self.emit(Instr::Jump(0));
        self.here(otherwise);
        jumps.add(self.list(no));
        self.here(end);
        jumps
    }

    fn counted(&mut self, times: u8, body: &[Stmt]) {
        let counter = self.registers;
        self.registers += 1;
        self.emit(Instr::Set(counter, Expr::Const(0)));
        let head = self.code.len();
        let out = self.emit(Instr::Reached(counter, times, 0));
        let jumps = self.list(body);
        jumps.continues.into_iter().for_each(|jump| self.here(jump));
        self.emit(Instr::Count(counter));
        self.emit(Instr::Jump(head));
        self.here(out);
        jumps.breaks.into_iter().for_each(|jump| self.here(jump));
    }

    fn switch(&mut self, reg: usize, cases: &[(Vec<Stmt>, bool)], default: Option<&[Stmt]>) -> Jumps {
        // A test for each case jumps over the jump to it.
        let mut entries = Vec::new();
        for number in 0..cases.len() {
            let next = self.emit(Instr::Unless(Cond::Is(reg, number as u8), 0));
            entries.push(self.emit(Instr::Jump(0)));
            self.here(next);
        }
        let otherwise = self.emit(Instr::Jump(0));
        let mut jumps = Jumps::default();
        for (entry, (body, breaks)) in entries.into_iter().zip(cases) {
            self.here(entry);
            jumps.add(self.list(body));
            if *breaks {
                jumps.breaks.push(self.emit(Instr::Jump(0)));
            }
        }
        self.here(otherwise);
        jumps.add(self.list(default.unwrap_or_default()));
        std::mem::take(&mut jumps.breaks).into_iter().for_each(|jump| self.here(jump));
        jumps
    }
}
