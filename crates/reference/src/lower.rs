//! Tiny programs as LSL, with a test that runs them.

use crate::program::{Change, Fence, Instruction, Location, Operand, Order, Program};
use fencepost_harness::operation::{Harness, OpId, Operation, Output, ValueTy};
use fencepost_harness::test::{Invocation, Test};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{self as lsl, Global, Label, Proc, ProcId, Reg, RegInfo, Stmt, StmtKind};
use fencepost_lsl::source::{Origin, SourceMap, Span};
use fencepost_lsl::value::{IntTy, Value};

/// Where variable 0 lies; the others follow, eight bytes each.
const VARIABLES: u64 = lsl::address::GLOBALS;

/// The harness and test of a program.
pub fn lower(program: &Program) -> (Harness, Test) {
    let mut sources = SourceMap::default();
    let file = sources.add("program", program.to_string(), Origin::User);
    let span = Span::new(file, 0, 0);
    let globals = (0..program.variables.max(2) as u64).map(|variable| Global {
        name: format!("x{variable}"),
        addr: VARIABLES + 8 * variable,
        size: 8,
        init: Vec::new(),
        constant: false,
        layout: None,
    });
    let mut harness = Harness {
        program: lsl::Program { globals: globals.collect(), sources, ..lsl::Program::default() },
        ..Harness::default()
    };
    let mut threads = Vec::new();
    for (number, operations) in program.threads.iter().enumerate() {
        let mut calls = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            let name = format!("t{number}_{index}");
            let mut builder = Builder { span, regs: program.registers as u32, labels: 0 };
            let mut body = Vec::new();
            for register in 0..program.registers as u32 {
                body.push(builder.assign(Reg(register), PrimOp::Copy, vec![0.into()]));
            }
            builder.block(operation, &mut body);
            harness.program.procs.push(Proc {
                name: name.clone(),
                params: Vec::new(),
                results: (0..program.registers as u32).map(Reg).collect(),
                regs: vec![RegInfo::default(); builder.regs as usize],
                body,
                span,
            });
            let output = Output { name: String::new(), ty: ValueTy::Int(IntTy::U64) };
            harness.ops.push(Operation {
                name: name.clone(),
                proc: ProcId(harness.program.procs.len() as u32 - 1),
                inputs: Vec::new(),
                outputs: vec![output; program.registers],
                function: name,
                span,
            });
            calls.push(Invocation { op: OpId(harness.ops.len() as u32 - 1), primed: false });
        }
        threads.push(calls);
    }
    let test = Test { name: "T".into(), initial: Vec::new(), threads, span };
    (harness, test)
}

struct Builder {
    span: Span,
    regs: u32,
    labels: u32,
}

impl Builder {
    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt { kind, span: self.span }
    }

    fn assign(&self, dst: Reg, op: PrimOp, args: Vec<lsl::Operand>) -> Stmt {
        self.stmt(StmtKind::Assign { dst, op, args })
    }

    fn reg(&mut self) -> Reg {
        self.regs += 1;
        Reg(self.regs - 1)
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    fn block(&mut self, block: &[Instruction], out: &mut Vec<Stmt>) {
        block.iter().for_each(|instruction| self.instruction(instruction, out));
    }

    fn address(&mut self, location: Location, out: &mut Vec<Stmt>) -> lsl::Operand {
        match location {
            Location::Variable(variable) => (VARIABLES + 8 * variable as u64).into(),
            Location::Indexed(register) => {
                let (bit, scaled, addr) = (self.reg(), self.reg(), self.reg());
                let u64 = |op| PrimOp::Bin(op, IntTy::U64);
                out.push(self.assign(bit, u64(BinOp::And), vec![Reg(register as u32).into(), 1.into()]));
                out.push(self.assign(scaled, u64(BinOp::Mul), vec![bit.into(), 8.into()]));
                out.push(self.assign(addr, u64(BinOp::Add), vec![scaled.into(), VARIABLES.into()]));
                addr.into()
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, out: &mut Vec<Stmt>) {
        let ty = IntTy::U64;
        match instruction {
            Instruction::Load(register, location, order) => {
                let addr = self.address(*location, out);
                let order = lower_order(*order);
                out.push(self.stmt(StmtKind::Load { dst: Reg(*register as u32), addr, ty, order }));
            }
            Instruction::Store(location, operand, order) => {
                let addr = self.address(*location, out);
                let (value, order) = (lower_operand(*operand), lower_order(*order));
                out.push(self.stmt(StmtKind::Store { addr, value, ty, order }));
            }
            Instruction::Modify(register, location, change, order) => {
                self.modify(*register, *location, *change, *order, out);
            }
            Instruction::Fence(Fence { load_load, load_store, store_load, store_store }) => {
                let order = lsl::Order::Plain;
                let (load_load, load_store, store_load, store_store) =
                    (*load_load, *load_store, *store_load, *store_store);
                let fence = lsl::Fence { load_load, load_store, store_load, store_store, order };
                out.push(self.stmt(StmtKind::Fence(fence)));
            }
            Instruction::Mix(register, from, number) => {
                let (zero, from) = (self.reg(), lsl::Operand::Reg(Reg(*from as u32)));
                out.push(self.assign(zero, PrimOp::Bin(BinOp::Xor, ty), vec![from, from]));
                let sum = PrimOp::Bin(BinOp::Add, ty);
                out.push(self.assign(Reg(*register as u32), sum, vec![zero.into(), (*number).into()]));
            }
            Instruction::If(register, yes, no) => {
                // outer: { inner: { if (!r) break inner; yes; break outer } no }
                let (outer, inner, test) = (self.label(), self.label(), self.reg());
                let mut first = vec![self.assign(test, PrimOp::Not, vec![Reg(*register as u32).into()])];
                let jump = |label, when| StmtKind::Break { label, when, predicated: false };
                first.push(self.stmt(jump(inner, Some(test.into()))));
                self.block(yes, &mut first);
                first.push(self.stmt(jump(outer, None)));
                let mut body = vec![self.stmt(StmtKind::Block { label: inner, body: first, retry: false })];
                self.block(no, &mut body);
                out.push(self.stmt(StmtKind::Block { label: outer, body, retry: false }));
            }
        }
    }

    fn modify(
        &mut self,
        register: usize,
        location: Location,
        change: Change,
        order: Order,
        out: &mut Vec<Stmt>,
    ) {
        let ty = IntTy::U64;
        let addr = self.address(location, out);
        let (old, order) = (self.reg(), lower_order(order));
        let mut block = vec![self.stmt(StmtKind::Load { dst: old, addr, ty, order })];
        let store = |value| StmtKind::Store { addr, value, ty, order };
        match change {
            Change::Swap(operand) => block.push(self.stmt(store(lower_operand(operand)))),
            Change::Add(number) => {
                let sum = self.reg();
                block.push(self.assign(sum, PrimOp::Bin(BinOp::Add, ty), vec![old.into(), number.into()]));
                block.push(self.stmt(store(sum.into())));
            }
            Change::CompareAndSwap(expected, operand) => {
                let (label, differs) = (self.label(), self.reg());
                let compare = PrimOp::Cmp(CmpOp::Ne, false);
                let skip = StmtKind::Break { label, when: Some(differs.into()), predicated: true };
                let body = vec![
                    self.assign(differs, compare, vec![old.into(), expected.into()]),
                    self.stmt(skip),
                    self.stmt(store(lower_operand(operand))),
                ];
                block.push(self.stmt(StmtKind::Block { label, body, retry: false }));
            }
        }
        out.push(self.stmt(StmtKind::Atomic(block)));
        out.push(self.assign(Reg(register as u32), PrimOp::Copy, vec![old.into()]));
    }
}

fn lower_operand(operand: Operand) -> lsl::Operand {
    match operand {
        Operand::Constant(value) => lsl::Operand::Const(Value::new(value)),
        Operand::Register(register) => lsl::Operand::Reg(Reg(register as u32)),
    }
}

fn lower_order(order: Order) -> lsl::Order {
    match order {
        Order::Plain => lsl::Order::Plain,
        Order::Acquire => lsl::Order::Acquire,
        Order::Release => lsl::Order::Release,
        Order::SeqCst => lsl::Order::SeqCst,
    }
}
