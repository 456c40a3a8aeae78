//! Instructions of tiny programs as statements.

use super::VARIABLES;
use crate::program::{Change, Condition, Fence, Instruction, Location, Operand, Order};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{self as lsl, Label, ProcId, Reg, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};

/// Builds the body of a procedure.
pub(super) struct Builder {
    span: Span,
    /// Registers and labels made so far.
    regs: u32,
    labels: u32,
}

impl Builder {
    /// A builder for a procedure that has some registers already.
    pub(super) fn new(span: Span, regs: u32) -> Builder {
        Builder { span, regs, labels: 0 }
    }

    /// How many registers the procedure has.
    pub(super) fn registers(&self) -> usize {
        self.regs as usize
    }

    pub(super) fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt { kind, span: self.span }
    }

    pub(super) fn assign(&self, dst: Reg, op: PrimOp, args: Vec<lsl::Operand>) -> Stmt {
        self.stmt(StmtKind::Assign { dst, op, args })
    }

    pub(super) fn reg(&mut self) -> Reg {
        self.regs += 1;
        Reg(self.regs - 1)
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(super) fn block(&mut self, block: &[Instruction], out: &mut Vec<Stmt>) {
        block.iter().for_each(|instruction| self.instruction(instruction, out));
    }

    fn address(&mut self, location: Location, out: &mut Vec<Stmt>) -> lsl::Operand {
        match location {
            Location::Variable(variable) => (VARIABLES + 8 * variable as u64).into(),
            Location::Indexed(first, register) => {
                let first = VARIABLES + 8 * first as u64;
                let (bit, scaled, addr) = (self.reg(), self.reg(), self.reg());
                let u64 = |op| PrimOp::Bin(op, IntTy::U64);
                out.push(self.assign(bit, u64(BinOp::And), vec![Reg(register as u32).into(), 1.into()]));
                out.push(self.assign(scaled, u64(BinOp::Mul), vec![bit.into(), 8.into()]));
                out.push(self.assign(addr, u64(BinOp::Add), vec![scaled.into(), first.into()]));
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
                out.push(self.stmt(StmtKind::Load {
                    dst: Reg(*register as u32),
                    addr,
                    ty,
                    order,
                    failing: None,
                }));
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
                let fence =
                    lsl::Fence { load_load, load_store, store_load, store_store, order, ..lsl::Fence::NONE };
                out.push(self.stmt(StmtKind::Fence(fence)));
            }
            Instruction::OrderFence(order) => {
                out.push(self.stmt(StmtKind::Fence(lsl::Fence::of_order(lower_order(*order)))));
            }
            Instruction::Atomic(block) => {
                let mut body = Vec::new();
                self.block(block, &mut body);
                out.push(self.stmt(StmtKind::Atomic(body)));
            }
            Instruction::Start(thread) => {
                let proc = ProcId(*thread as u32);
                out.push(self.stmt(StmtKind::Spawn { proc, args: Vec::new() }));
            }
            Instruction::Mix(register, from, number) => {
                let (zero, from) = (self.reg(), lsl::Operand::Reg(Reg(*from as u32)));
                out.push(self.assign(zero, PrimOp::Bin(BinOp::Xor, ty), vec![from, from]));
                let sum = PrimOp::Bin(BinOp::Add, ty);
                out.push(self.assign(Reg(*register as u32), sum, vec![zero.into(), (*number).into()]));
            }
            Instruction::If(condition, yes, no) => {
                // outer: { inner: { if (!condition) break inner; yes; break outer } no }
                let (outer, inner, test) = (self.label(), self.label(), self.reg());
                let register = Reg(condition.register() as u32).into();
                let mut first = vec![match *condition {
                    Condition::NotZero(_) => self.assign(test, PrimOp::Not, vec![register]),
                    Condition::Is(_, value) => {
                        self.assign(test, PrimOp::Cmp(CmpOp::Ne, false), vec![register, value.into()])
                    }
                }];
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
        // What is read and modified at once is atomic.
        let order = lower_order(if order == Order::Plain { Order::Relaxed } else { order });
        let old = self.reg();
        let mut block = vec![self.stmt(StmtKind::Load { dst: old, addr, ty, order, failing: None })];
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
        Order::Relaxed => lsl::Order::Relaxed,
        Order::Acquire => lsl::Order::Acquire,
        Order::Release => lsl::Order::Release,
        Order::AcqRel => lsl::Order::AcqRel,
        Order::SeqCst => lsl::Order::SeqCst,
    }
}
