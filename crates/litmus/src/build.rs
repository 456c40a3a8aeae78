//! LSL from what instructions and expressions do: registers, labels, and the statements that several of them need.

use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Choice, Label, Operand, Order, Reg, RegInfo, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};

/// All that is accessed is a word; narrower accesses convert.
pub(crate) const WORD: IntTy = IntTy::U64;

/// A number as an operand.
pub(crate) fn number(value: i64) -> Operand {
    Operand::Const(Value::new(value as u64))
}

/// The procedure of a thread, under way.
#[derive(Default)]
pub(crate) struct Builder {
    /// Registers, named where the test names them.
    pub(crate) regs: Vec<RegInfo>,
    labels: u32,
    /// Whether the last compare-and-swap failed.
    pub(crate) fails: Option<Reg>,
}

/// A read-modify-write.
#[derive(Clone, Copy)]
pub(crate) struct Modify {
    /// Where.
    pub(crate) addr: Operand,
    /// What it does to the word.
    pub(crate) change: Change,
    /// The order of its load.
    pub(crate) read: Order,
    /// The order of its store.
    pub(crate) write: Order,
    /// What it works on, and extends what it read to.
    pub(crate) ty: IntTy,
}

/// What becomes of a word.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// This.
    Swap(Operand),
    /// The result of an operation with this.
    Compute(BinOp, Operand),
    /// The word without these bits.
    Clear(Operand),
    /// The second, where it is the first; if `weak`, maybe.
    Compare { expected: Operand, new: Operand, weak: bool },
}

impl Builder {
    /// A register that the test does not name.
    pub(crate) fn temporary(&mut self) -> Reg {
        self.named(None)
    }

    pub(crate) fn named(&mut self, name: Option<&str>) -> Reg {
        self.regs.push(RegInfo { name: name.map(str::to_owned) });
        Reg(self.regs.len() as u32 - 1)
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// What a load of this width leaves in a register.
    pub(crate) fn load(&mut self, out: &mut Vec<Stmt>, access: Access, dst: Reg) {
        let Access { addr, ty, order, span } = access;
        if ty == WORD {
            out.push(Stmt { kind: StmtKind::Load { dst, addr, ty, order, failing: None }, span });
            return;
        }
        let whole = self.temporary();
        out.push(Stmt { kind: StmtKind::Load { dst: whole, addr, ty: WORD, order, failing: None }, span });
        out.push(assign(dst, PrimOp::Convert(ty), &[whole.into()], span));
    }

    pub(crate) fn store(&mut self, out: &mut Vec<Stmt>, access: Access, value: Operand) {
        let Access { addr, ty, order, span } = access;
        let value = match value {
            Operand::Const(value) => Operand::Const(value.wrap(ty)),
            Operand::Reg(_) if ty == WORD => value,
            Operand::Reg(_) => {
                let narrow = self.temporary();
                out.push(assign(narrow, PrimOp::Convert(ty), &[value], span));
                narrow.into()
            }
        };
        out.push(Stmt { kind: StmtKind::Store { addr, value, ty: WORD, order }, span });
    }

    /// One of two values, freely.
    pub(crate) fn choose(&mut self, out: &mut Vec<Stmt>, span: Span) -> Reg {
        let dst = self.temporary();
        let from = Choice::OneOf(vec![Value::ZERO, Value::ONE]);
        out.push(Stmt { kind: StmtKind::Choose { dst, from }, span });
        dst
    }

    /// A read-modify-write: one load and one store, at once. Returns what was there.
    pub(crate) fn modify(&mut self, out: &mut Vec<Stmt>, modify: Modify, span: Span) -> Reg {
        let Modify { addr, change, read, write, ty } = modify;
        let old = self.temporary();
        let unlucky = matches!(change, Change::Compare { weak: true, .. }).then(|| self.choose(out, span));
        let mut body = Vec::new();
        self.load(&mut body, Access { addr, ty, order: read, span }, old);
        let store = Access { addr, ty, order: write, span };
        match change {
            Change::Swap(value) => self.store(&mut body, store, value),
            Change::Compute(op, value) => {
                let new = self.temporary();
                body.push(assign(new, PrimOp::Bin(op, ty), &[old.into(), value], span));
                self.store(&mut body, store, new.into());
            }
            Change::Clear(bits) => {
                let (kept, new) = (self.temporary(), self.temporary());
                body.push(assign(kept, PrimOp::BitNot(ty), &[bits], span));
                body.push(assign(new, PrimOp::Bin(BinOp::And, ty), &[old.into(), kept.into()], span));
                self.store(&mut body, store, new.into());
            }
            Change::Compare { expected, new, .. } => {
                let label = self.label();
                let (fails, narrow) = (self.temporary(), self.temporary());
                let differs = PrimOp::Cmp(CmpOp::Ne, false);
                let mut swap = vec![
                    assign(narrow, PrimOp::Convert(ty), &[expected], span),
                    assign(fails, differs, &[old.into(), narrow.into()], span),
                ];
                if let Some(unlucky) = unlucky {
                    let either = PrimOp::Bin(BinOp::Or, WORD);
                    swap.push(assign(fails, either, &[fails.into(), unlucky.into()], span));
                }
                swap.push(leave(label, fails.into(), true, span));
                self.fails = Some(fails);
                self.store(&mut swap, store, new);
                body.push(block(label, swap, span));
            }
        }
        out.push(Stmt { kind: StmtKind::Atomic(body), span });
        old
    }
}

/// Where an access goes, and how.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) addr: Operand,
    pub(crate) ty: IntTy,
    pub(crate) order: Order,
    pub(crate) span: Span,
}

pub(crate) fn assign(dst: Reg, op: PrimOp, args: &[Operand], span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign { dst, op, args: args.to_vec() }, span }
}

pub(crate) fn block(label: Label, body: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Block { label, body, retry: false }, span }
}

/// A jump behind a block, if this is not zero.
pub(crate) fn leave(label: Label, when: Operand, predicated: bool, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Break { label, when: Some(when), predicated }, span }
}

/// A jump behind a block.
pub(crate) fn go(label: Label, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Break { label, when: None, predicated: false }, span }
}
