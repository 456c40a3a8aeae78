//! Tiny programs as LSL: with a test that runs them, or with what makes only one outcome possible.

mod instructions;

use crate::program::Program;
use fencepost_harness::operation::{Harness, OpId, Operation, Output, ValueTy};
use fencepost_harness::test::{Invocation, Test};
use fencepost_lsl::op::{CmpOp, PrimOp};
use fencepost_lsl::program::{self as lsl, Global, Proc, ProcId, Reg, RegInfo, Stmt, StmtKind};
use fencepost_lsl::source::{Origin, SourceMap, Span};
use fencepost_lsl::value::IntTy;
use instructions::Builder;

/// Where variable 0 lies; the others follow, eight bytes each.
const VARIABLES: u64 = lsl::address::GLOBALS;

/// Where a program starts.
#[derive(Clone, Debug)]
pub enum Entry {
    /// All threads run from the beginning, as calls of a test.
    Test(Test),
    /// The first thread starts the others.
    Main(ProcId),
}

/// The harness and test of a program whose threads all run from the beginning. What it observes is the
/// program's outcome.
pub fn lower(program: &Program) -> (Harness, Test) {
    debug_assert!(!program.starts_threads(), "a test starts its threads itself");
    let mut lowering = Lowering::new(program, &[]);
    let test = lowering.test();
    (lowering.harness, test)
}

/// A program whose executions complete only with a wanted outcome, of which parts may be left open.
pub fn ask(program: &Program, wanted: &[Option<u64>]) -> (Harness, Entry) {
    let mut lowering = Lowering::new(program, wanted);
    let test = lowering.test();
    // Each thread is one procedure then, in order.
    let entry = if program.starts_threads() { Entry::Main(ProcId(0)) } else { Entry::Test(test) };
    (lowering.harness, entry)
}

struct Lowering<'a> {
    program: &'a Program,
    /// Values that slots of the outcome must have.
    wanted: &'a [Option<u64>],
    harness: Harness,
    /// Slots of the outcome made so far.
    slots: usize,
    span: Span,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program, wanted: &'a [Option<u64>]) -> Lowering<'a> {
        let mut sources = SourceMap::default();
        let file = sources.add("program", program.to_string(), Origin::User);
        // Indexed locations reach one variable further.
        let names = (0..=program.variables).map(|variable| format!("x{variable}"));
        let done = (0..program.threads.len()).map(|thread| format!("done{thread}"));
        let globals = names.chain(done).enumerate().map(|(index, name)| Global {
            name,
            addr: VARIABLES + 8 * index as u64,
            size: 8,
            init: Vec::new(),
            constant: false,
            layout: None,
        });
        let program_lsl = lsl::Program { globals: globals.collect(), sources, ..lsl::Program::default() };
        let harness = Harness { program: program_lsl, ..Harness::default() };
        Lowering { program, wanted, harness, slots: 0, span: Span::new(file, 0, 0) }
    }

    /// Where a thread tells that all it did is done.
    fn done(&self, thread: usize) -> lsl::Operand {
        (VARIABLES + 8 * (self.program.variables + 1 + thread) as u64).into()
    }

    fn builder(&self, registers: usize) -> (Builder, Vec<Stmt>) {
        let builder = Builder::new(self.span, registers as u32);
        let zero = |register| builder.assign(Reg(register), PrimOp::Copy, vec![0.into()]);
        let body = (0..registers as u32).map(zero).collect();
        (builder, body)
    }

    fn test(&mut self) -> Test {
        let mut threads = Vec::new();
        for (number, operations) in self.program.threads.iter().enumerate() {
            let mut calls = Vec::new();
            for (index, operation) in operations.iter().enumerate() {
                let (mut builder, mut body) = self.builder(self.program.registers);
                builder.block(operation, &mut body);
                if index + 1 == operations.len() && !self.program.finals.is_empty() {
                    let (addr, value, ty) = (self.done(number), 1.into(), IntTy::U64);
                    body.push(builder.stmt(StmtKind::Fence(lsl::Fence::FULL)));
                    let order = lsl::Order::Plain;
                    body.push(builder.stmt(StmtKind::Store { addr, value, ty, order }));
                }
                calls.push(self.operation(
                    format!("t{number}_{index}"),
                    self.program.registers,
                    builder,
                    body,
                ));
            }
            threads.push(calls);
        }
        if !self.program.finals.is_empty() {
            threads.push(vec![self.look_at_finals()]);
        }
        Test { name: "T".into(), initial: Vec::new(), threads, span: self.span }
    }

    /// One more thread, which waits for all others and looks at the final values. That changes nothing
    /// for the others: all that is added comes last in any memory order.
    fn look_at_finals(&mut self) -> Invocation {
        let (mut builder, mut body) = self.builder(self.program.finals.len());
        let (ty, order) = (IntTy::U64, lsl::Order::Plain);
        for thread in 0..self.program.threads.len() {
            let (dst, addr) = (builder.reg(), self.done(thread));
            body.push(builder.stmt(StmtKind::Load { dst, addr, ty, order, failing: None }));
            body.push(builder.stmt(StmtKind::Assume { cond: dst.into() }));
        }
        body.push(builder.stmt(StmtKind::Fence(lsl::Fence::FULL)));
        for (register, &variable) in self.program.finals.iter().enumerate() {
            let (dst, addr) = (Reg(register as u32), (VARIABLES + 8 * variable as u64).into());
            body.push(builder.stmt(StmtKind::Load { dst, addr, ty, order, failing: None }));
        }
        self.operation("finals".into(), self.program.finals.len(), builder, body)
    }

    /// Adds an operation that observes the first registers of a body.
    fn operation(
        &mut self,
        name: String,
        registers: usize,
        mut builder: Builder,
        mut body: Vec<Stmt>,
    ) -> Invocation {
        for register in 0..registers {
            if let Some(Some(value)) = self.wanted.get(self.slots + register) {
                let (cond, args) = (builder.reg(), vec![Reg(register as u32).into(), (*value).into()]);
                body.push(builder.assign(cond, PrimOp::Cmp(CmpOp::Eq, false), args));
                // An assumption would be a branch, on which what follows depends.
                let label = builder.label();
                let leave = StmtKind::Break { label, when: Some(cond.into()), predicated: true };
                let otherwise = StmtKind::Assume { cond: 0.into() };
                let asked = vec![builder.stmt(leave), builder.stmt(otherwise)];
                body.push(builder.stmt(StmtKind::Block { label, body: asked, retry: false }));
            }
        }
        self.slots += registers;
        self.harness.program.procs.push(Proc {
            name: name.clone(),
            params: Vec::new(),
            results: (0..registers as u32).map(Reg).collect(),
            regs: vec![RegInfo::default(); builder.registers()],
            body,
            span: self.span,
        });
        let output = Output { name: String::new(), member: String::new(), ty: ValueTy::Int(IntTy::U64) };
        self.harness.ops.push(Operation {
            name: name.clone(),
            proc: ProcId(self.harness.program.procs.len() as u32 - 1),
            inputs: Vec::new(),
            outputs: vec![output; registers],
            function: name,
            span: self.span,
        });
        Invocation { op: OpId(self.harness.ops.len() as u32 - 1), primed: false }
    }
}
