//! The procedure being made: statements, registers and labels.

use super::placement::Noted;
use super::{Data, Lowerer, Value};
use crate::ast::{InitDeclarator, Symbol};
use crate::types::TypeId;
use fencepost_lsl::layout::LayoutId;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Label, Operand, Order, Place, Reg, RegInfo, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{self, IntTy};
use rustc_hash::{FxHashMap, FxHashSet};

/// A procedure under construction.
#[derive(Default)]
pub(super) struct Builder {
    /// Statement lists under way, innermost last.
    out: Vec<Vec<Stmt>>,
    pub(super) regs: Vec<RegInfo>,
    labels: u32,
    /// Labels that some jump leads to.
    jumped: FxHashSet<Label>,
    /// What `break` leaves, innermost last.
    pub(super) breaks: Vec<Label>,
    /// What `continue` ends, innermost last.
    pub(super) continues: Vec<Label>,
    /// What in it may look at where objects lie.
    pub(super) noted: Noted,
    /// The thread that runs the procedure, if it asks.
    pub(super) thread: Option<Operand>,
    /// What `return` leaves, and where its value goes.
    pub(super) result: Option<ReturnTo>,
    /// Labels of the source that can be jumped to from here: forward by `break`, backward by `continue`.
    pub(super) targets: Vec<(Symbol, Label, bool)>,
    /// Names whose address is taken somewhere in the function.
    pub(super) addressed: FxHashSet<Symbol>,
    /// The function's labels.
    pub(super) label_names: FxHashSet<Symbol>,
    /// The function's name, for the names of its static variables.
    pub(super) name: String,
    /// Static variables already placed, by their declarators' places in the tree: lowered again, by
    /// `typeof` say, a declaration still means the same object.
    pub(super) statics: FxHashMap<*const InitDeclarator, u64>,
    /// Whether a jump may go past the declaration under way, whose objects must exist nevertheless.
    pub(super) may_be_skipped: bool,
    /// The blocks of the source around the place, innermost last.
    frames: Vec<Frame>,
    /// Whether its use of a variable number of arguments was reported.
    pub(super) variadic_refused: bool,
}

/// A block of the source under way. Its objects live from its entry to its end (C11 6.2.4): a jump back inside of it
/// makes no new ones.
#[derive(Default)]
struct Frame {
    /// Where its code begins in the list that was under way when it was entered.
    start: usize,
    /// Makes those objects that a jump may go past or come back to.
    made: Vec<Stmt>,
    /// Whether the place under way may be reached again without entering the block again.
    repeated: bool,
}

/// Where a function's result goes.
#[derive(Clone, Copy)]
pub(super) struct ReturnTo {
    pub(super) label: Label,
    pub(super) ty: TypeId,
    /// The register for a word, or the register with the address for a larger object.
    pub(super) reg: Option<Reg>,
}

impl Builder {
    pub(super) fn reg(&mut self) -> Reg {
        self.regs.push(RegInfo::default());
        Reg(self.regs.len() as u32 - 1)
    }

    pub(super) fn named_reg(&mut self, name: &str) -> Reg {
        self.regs.push(RegInfo { name: Some(name.to_owned()) });
        Reg(self.regs.len() as u32 - 1)
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        if let StmtKind::Break { label, .. } | StmtKind::Continue { label, .. } = &kind {
            self.jumped.insert(*label);
        }
        if let Some(list) = self.out.last_mut() {
            list.push(Stmt { kind, span });
        }
    }

    /// Starts a list of statements.
    pub(super) fn open(&mut self) {
        self.out.push(Vec::new());
    }

    /// Ends the list started last.
    pub(super) fn close(&mut self) -> Vec<Stmt> {
        self.out.pop().unwrap_or_default()
    }

    /// How many statements the list under way has.
    pub(super) fn mark(&self) -> usize {
        self.out.last().map_or(0, Vec::len)
    }

    /// The list under way.
    pub(super) fn list(&mut self) -> Option<&mut Vec<Stmt>> {
        self.out.last_mut()
    }

    /// Puts statements made before behind those of the list under way.
    pub(super) fn append(&mut self, mut statements: Vec<Stmt>) {
        if let Some(list) = self.out.last_mut() {
            list.append(&mut statements);
        }
    }

    /// Ends the list started last as a labelled block; if nothing jumps to it, its statements need none.
    pub(super) fn close_block(&mut self, label: Label, retry: bool, span: Span) {
        let body = self.close();
        if !self.jumped.contains(&label) {
            return self.append(body);
        }
        self.emit(StmtKind::Block { label, body, retry }, span);
    }

    pub(super) fn break_to(&mut self, label: Label, span: Span) {
        self.emit(StmtKind::Break { label, when: None, predicated: false }, span);
    }

    /// Leaves a block if a value is not zero.
    pub(super) fn break_if(&mut self, label: Label, when: Operand, span: Span) {
        match when {
            Operand::Const(value) if value.bits() == 0 => {}
            Operand::Const(_) => self.break_to(label, span),
            when => self.emit(StmtKind::Break { label, when: Some(when), predicated: false }, span),
        }
    }

    /// The result of an operation, folded if its arguments are constants.
    pub(super) fn op(&mut self, op: PrimOp, args: &[Operand], span: Span) -> Operand {
        let constants: Option<Vec<value::Value>> = args
            .iter()
            .map(|arg| match arg {
                Operand::Const(value) => Some(*value),
                Operand::Reg(_) => None,
            })
            .collect();
        if let Some(Ok(value)) = constants.map(|values| op.eval(&values)) {
            return Operand::Const(value);
        }
        let dst = self.reg();
        self.emit(StmtKind::Assign { dst, op, args: args.to_vec() }, span);
        dst.into()
    }

    pub(super) fn assign(&mut self, dst: Reg, value: Operand, span: Span) {
        self.emit(StmtKind::Assign { dst, op: PrimOp::Copy, args: vec![value] }, span);
    }

    pub(super) fn load(&mut self, addr: Operand, ty: IntTy, order: Order, span: Span) -> Operand {
        self.load_or_fail(addr, ty, (order, None), span)
    }

    /// The load of a compare-and-swap, with the order that it has if that fails, should this be another.
    pub(super) fn load_or_fail(
        &mut self,
        addr: Operand,
        ty: IntTy,
        (order, failing): (Order, Option<Order>),
        span: Span,
    ) -> Operand {
        let dst = self.reg();
        self.emit(StmtKind::Load { dst, addr, ty, order, failing }, span);
        dst.into()
    }

    pub(super) fn store(&mut self, addr: Operand, value: Operand, ty: IntTy, order: Order, span: Span) {
        self.emit(StmtKind::Store { addr, value, ty, order }, span);
    }

    /// The size of the heap object that the last statement made, if its address is `pointer`.
    pub(super) fn last_allocation(&self, pointer: Operand) -> Option<u64> {
        match self.out.last()?.last()?.kind {
            StmtKind::Alloc { dst, size: Operand::Const(size), place: Place::Heap, layout: None, .. }
                if pointer == Operand::Reg(dst) =>
            {
                size.defined()
            }
            _ => None,
        }
    }

    /// Names the parts of the object that the last statement made.
    pub(super) fn set_layout(&mut self, to: LayoutId) {
        if let Some(StmtKind::Alloc { layout, .. }) =
            self.out.last_mut().and_then(|list| list.last_mut()).map(|stmt| &mut stmt.kind)
        {
            *layout = Some(to);
        }
    }

    /// The address of a new local object, for a value that is under way.
    pub(super) fn stack(&mut self, size: u64, align: u64, layout: Option<LayoutId>, span: Span) -> Reg {
        let dst = self.reg();
        self.emit(local(dst, size, align, layout), span);
        dst
    }

    /// The address of an object of the block under way, of which there is one for each entry into the block; and whether
    /// this place may be reached again while the object lives.
    pub(super) fn block_object(
        &mut self,
        size: u64,
        align: u64,
        layout: Option<LayoutId>,
        span: Span,
    ) -> (Reg, bool) {
        let dst = self.reg();
        let kind = local(dst, size, align, layout);
        match self.frames.last_mut() {
            Some(frame) if frame.repeated || self.may_be_skipped => {
                frame.made.push(Stmt { kind, span });
                (dst, frame.repeated)
            }
            _ => {
                self.emit(kind, span);
                (dst, false)
            }
        }
    }

    /// Enters a block of the source. The list under way must be the same when it is left.
    pub(super) fn enter_frame(&mut self, repeated: bool) {
        self.frames.push(Frame { start: self.mark(), made: Vec::new(), repeated });
    }

    /// Leaves a block of the source: its objects are made where its code begins.
    pub(super) fn leave_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(list) = self.out.last_mut() {
            list.splice(frame.start..frame.start, frame.made);
        }
    }

    /// Says whether the place under way may be reached again without entering its block again; returns what was said
    /// before.
    pub(super) fn set_repeated(&mut self, repeated: bool) -> bool {
        self.frames.last_mut().is_some_and(|frame| std::mem::replace(&mut frame.repeated, repeated))
    }

    pub(super) fn is_repeated(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.repeated)
    }
}

/// Makes a local object.
fn local(dst: Reg, size: u64, align: u64, layout: Option<LayoutId>) -> StmtKind {
    StmtKind::Alloc { dst, size: size.into(), align, zeroed: false, place: Place::Stack, layout }
}

impl Lowerer<'_> {
    /// An address at an offset from another.
    pub(super) fn offset(&mut self, addr: Operand, offset: u64, span: Span) -> Operand {
        use fencepost_lsl::op::BinOp;
        match offset {
            0 => addr,
            _ => self.builder.op(PrimOp::Bin(BinOp::Add, IntTy::U64), &[addr, offset.into()], span),
        }
    }

    /// The word of a value; for one that was reported, zero.
    pub(super) fn operand(&mut self, value: Value, span: Span) -> Operand {
        match value.data {
            Data::Word(operand) => operand,
            _ if self.types.is_error(value.ty) => 0.into(),
            _ => {
                let ty = self.types.show(value.ty);
                self.error(span, format!("expected a number or pointer, found `{ty}`"));
                0.into()
            }
        }
    }
}
