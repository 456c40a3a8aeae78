//! From LSL to bytecode.
//!
//! Procedures are compiled when something calls them, and once more if a primed operation does: there,
//! starting over a retry loop gives up the execution.

use crate::code::live;
use crate::code::small;
use crate::code::{AllocSite, Code, Instr, ProcCode, Src, register};
use fencepost_lsl::program::{Label, Operand, ProcId, Program, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;

/// A block under way.
struct Open {
    label: Label,
    start: u32,
    retry: bool,
    /// Atomic blocks around it.
    depth: u32,
    /// Jumps to its end, to be filled in.
    breaks: Vec<u32>,
}

pub(crate) struct Compiler<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: Code,
    /// Numbers given to procedures, primed or not.
    numbers: FxHashMap<(ProcId, bool), u32>,
    /// Drivers of procedures that start threads.
    drivers: FxHashMap<ProcId, u32>,
    /// Procedures and drivers still to be compiled.
    waiting: Vec<Waiting>,
    open: Vec<Open>,
    depth: u32,
    primed: bool,
    next: u32,
}

enum Waiting {
    Proc(ProcId, bool),
    Driver(ProcId),
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(program: &'a Program) -> Compiler<'a> {
        Compiler {
            program,
            code: Code::default(),
            numbers: FxHashMap::default(),
            drivers: FxHashMap::default(),
            waiting: Vec::new(),
            open: Vec::new(),
            depth: 0,
            primed: false,
            next: 0,
        }
    }

    /// The number of a procedure.
    pub(crate) fn proc(&mut self, proc: ProcId, primed: bool) -> u32 {
        if let Some(number) = self.numbers.get(&(proc, primed)) {
            return *number;
        }
        let number = self.reserve();
        self.numbers.insert((proc, primed), number);
        self.waiting.push(Waiting::Proc(proc, primed));
        number
    }

    /// The number of the driver that runs a procedure as a thread.
    fn driver(&mut self, proc: ProcId) -> u32 {
        if let Some(number) = self.drivers.get(&proc) {
            return *number;
        }
        let number = self.reserve();
        self.drivers.insert(proc, number);
        self.waiting.push(Waiting::Driver(proc));
        number
    }

    /// A number for a procedure that is compiled later.
    pub(crate) fn reserve(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Compiles all that is waiting, and what that calls; then finishes the code.
    pub(crate) fn finish(mut self, mut placed: Vec<(u32, ProcCode)>) -> Code {
        while let Some(waiting) = self.waiting.pop() {
            let made = match waiting {
                Waiting::Proc(proc, primed) => (self.numbers[&(proc, primed)], self.body(proc, primed)),
                Waiting::Driver(proc) => (self.drivers[&proc], self.thread_driver(proc)),
            };
            placed.push(made);
        }
        // Numbers were given before instructions: order by position, and rename.
        placed.sort_by_key(|(_, proc)| proc.entry);
        let mut name = vec![0; placed.len()];
        for (place, (number, _)) in placed.iter().enumerate() {
            name[*number as usize] = small(place);
        }
        for instr in &mut self.code.instrs {
            match instr {
                Instr::Call { proc, .. } => *proc = name[*proc as usize],
                Instr::Spawn { driver, .. } => *driver = name[*driver as usize],
                Instr::Launch { drivers } => drivers.iter_mut().for_each(|d| *d = name[*d as usize]),
                _ => {}
            }
        }
        self.code.first = name[self.code.first as usize];
        self.code.procs = placed.into_iter().map(|(_, proc)| proc).collect();
        live::analyse(&mut self.code);
        self.code
    }

    pub(crate) fn here(&self) -> u32 {
        small(self.code.instrs.len())
    }

    pub(crate) fn emit(&mut self, instr: Instr, span: Span) {
        self.code.instrs.push(instr);
        self.code.spans.push(span);
        self.code.atomic.push(self.depth > 0);
    }

    fn operand(&mut self, operand: Operand) -> Src {
        match operand {
            Operand::Reg(reg) => register(reg.0),
            Operand::Const(value) => self.code.constant(value),
        }
    }

    fn operands(&mut self, operands: &[Operand]) -> Box<[Src]> {
        operands.iter().map(|operand| self.operand(*operand)).collect()
    }

    /// A driver that runs a procedure with its own parameters as arguments.
    fn thread_driver(&mut self, id: ProcId) -> ProcCode {
        let proc = self.program.proc(id);
        let (params, results) = (small(proc.params.len()), small(proc.results.len()));
        let entry = self.here();
        let args: Vec<Src> = (0..params).map(register).collect();
        let results: Vec<u32> = (params..params + results).collect();
        self.call_site(None, id, args, results, None, false, proc.span);
        self.emit(Instr::Exit, proc.span);
        self.driver_code(entry, params + small(proc.results.len()), (0..params).collect(), Vec::new())
    }

    /// The procedure of a driver whose instructions end here.
    pub(crate) fn driver_code(&self, entry: u32, regs: u32, params: Vec<u32>, results: Vec<u32>) -> ProcCode {
        ProcCode { proc: None, entry, end: self.here(), regs, params, results }
    }

    fn body(&mut self, id: ProcId, primed: bool) -> ProcCode {
        let proc = self.program.proc(id);
        self.primed = primed;
        let entry = self.here();
        self.stmts(&proc.body);
        self.emit(Instr::Return, proc.span);
        let ids = |regs: &[fencepost_lsl::program::Reg]| regs.iter().map(|reg| reg.0).collect();
        ProcCode {
            proc: Some(id),
            entry,
            end: self.here(),
            regs: small(proc.regs.len()),
            params: ids(&proc.params),
            results: ids(&proc.results),
        }
    }

    fn stmts(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        let instr = match &stmt.kind {
            StmtKind::Assign { dst, op, args } => {
                let args = self.operands(args);
                Instr::Op { dst: dst.0, op: *op, a: args[0], b: *args.get(1).unwrap_or(&args[0]) }
            }
            StmtKind::Load { dst, addr, ty, order, failing } => Instr::Load {
                dst: dst.0,
                addr: self.operand(*addr),
                ty: *ty,
                order: *order,
                failing: *failing,
            },
            StmtKind::Store { addr, value, ty, order } => Instr::Store {
                addr: self.operand(*addr),
                value: self.operand(*value),
                ty: *ty,
                order: *order,
            },
            StmtKind::Fence(fence) => Instr::Fence(*fence),
            StmtKind::Slot(slot) => Instr::Slot(slot.0),
            StmtKind::Atomic(body) => {
                self.depth += 1;
                self.emit(Instr::Enter, span);
                self.stmts(body);
                self.emit(Instr::Leave, span);
                self.depth -= 1;
                return;
            }
            StmtKind::Call { proc, args, results } => Instr::Call {
                proc: self.proc(*proc, self.primed),
                args: self.operands(args),
                results: results.iter().map(|reg| reg.0).collect(),
            },
            StmtKind::Block { label, body, retry } => return self.block(*label, body, *retry),
            StmtKind::Break { label, when, predicated } => {
                return self.jump(*label, *when, false, *predicated, span);
            }
            StmtKind::Continue { label, when } => return self.jump(*label, *when, true, false, span),
            StmtKind::Assert { cond, fault } => {
                self.code.faults.push(fault.clone());
                Instr::Assert { cond: self.operand(*cond), fault: small(self.code.faults.len()) - 1 }
            }
            StmtKind::Assume { cond } => {
                let unmet = self.program.unmet(*cond, span);
                Instr::Assume { cond: self.operand(*cond), unmet }
            }
            StmtKind::Within { base, result } => {
                Instr::Within { base: self.operand(*base), result: self.operand(*result) }
            }
            StmtKind::Alloc { dst, size, align, zeroed, place, layout } => {
                let (align, zeroed, place, layout) = (*align, *zeroed, *place, *layout);
                self.code.sites.push(AllocSite { align, zeroed, place, layout, confined: false });
                let site = small(self.code.sites.len()) - 1;
                Instr::Alloc { dst: dst.0, size: self.operand(*size), site }
            }
            StmtKind::Free { addr } => Instr::Free { addr: self.operand(*addr) },
            StmtKind::Choose { dst, from } => {
                self.code.choices.push(from.clone());
                Instr::Choose { dst: dst.0, from: small(self.code.choices.len()) - 1 }
            }
            StmtKind::Spawn { proc, args } => {
                Instr::Spawn { driver: self.driver(*proc), args: self.operands(args) }
            }
        };
        self.emit(instr, span);
    }

    fn block(&mut self, label: Label, body: &[Stmt], retry: bool) {
        let (start, depth) = (self.here(), self.depth);
        self.open.push(Open { label, start, retry, depth, breaks: Vec::new() });
        self.stmts(body);
        let end = self.here();
        let breaks = self.open.pop().expect("it was opened above").breaks;
        for jump in breaks {
            if let Instr::Jump { to, .. } | Instr::JumpIf { to, .. } = &mut self.code.instrs[jump as usize] {
                *to = end;
            }
        }
    }

    fn jump(&mut self, label: Label, when: Option<Operand>, repeat: bool, predicated: bool, span: Span) {
        let cond = when.map(|when| self.operand(when));
        let (here, depth, primed) = (self.here(), self.depth, self.primed);
        let open = self.open.iter_mut().rev().find(|open| open.label == label);
        let open = open.expect("jumps lead to blocks under way");
        if repeat && primed && open.retry {
            return self.emit(Instr::Prune { cond }, span);
        }
        let leave = depth - open.depth;
        if !repeat {
            open.breaks.push(here);
        }
        let to = open.start;
        self.emit(
            match cond {
                None => Instr::Jump { to, leave },
                Some(cond) => Instr::JumpIf { cond, to, leave, predicated },
            },
            span,
        );
    }
}
