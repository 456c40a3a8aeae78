//! `switch`: comparing a value with the cases, and jumping to the one that fits.

use super::{Lowerer, Value};
use crate::ast::{Expr, Stmt, StmtKind};
use crate::types::TypeId;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Label, Operand};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// What jumps to a case.
pub(super) struct Dispatch<'u> {
    word: Operand,
    ty: TypeId,
    cases: Vec<Case<'u>>,
    /// Where to go if no case fits.
    otherwise: Label,
    pub(super) span: Span,
}

/// A case: the least and the greatest value, extended to 64 bits, and where to go.
struct Case<'u> {
    low: &'u Expr,
    first: u64,
    last: u64,
    label: Label,
}

impl<'u> Lowerer<'u> {
    pub(super) fn switch(&mut self, value: &'u Expr, body: &'u Stmt, span: Span) {
        let word = self.rvalue(value);
        if !self.types.is_integer(word.ty) {
            let shown = self.types.show(word.ty);
            return self.error(value.span, format!("`switch` needs an integer, found `{shown}`"));
        }
        let ty = self.types.promote(word.ty);
        let word = self.convert(word, ty, value.span);
        let word = self.operand(word, value.span);
        let leave = self.builder.label();
        self.builder.open();
        self.builder.breaks.push(leave);
        self.scopes.push();
        self.builder.enter_frame(false);
        let statements = match &body.kind {
            StmtKind::Block(block) => &block.statements[..],
            _ => std::slice::from_ref(body),
        };
        let mut dispatch = Dispatch { word, ty, cases: Vec::new(), otherwise: leave, span: value.span };
        let labels = self.cases(statements, &mut dispatch, leave);
        let outer = self.enter_list(body.span);
        self.switch_statements(statements, dispatch, &labels);
        self.slot_at_end(body.span);
        self.leave_list(outer);
        self.builder.leave_frame();
        self.scopes.pop();
        self.builder.breaks.pop();
        self.builder.close_block(leave, false, span);
    }

    /// Finds the cases among the statements of a body; returns the labels that stand for them.
    fn cases(
        &mut self,
        statements: &'u [Stmt],
        dispatch: &mut Dispatch<'u>,
        leave: Label,
    ) -> Vec<(usize, Label)> {
        let mut labels = Vec::new();
        for (index, stmt) in statements.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Case { low, high } => {
                    let Some((first, last)) = self.case_values(low, high.as_ref(), dispatch.ty) else {
                        continue;
                    };
                    let signed = self.is_signed(dispatch.ty);
                    let clash =
                        |other: &&Case| !less(other.last, first, signed) && !less(last, other.first, signed);
                    if let Some(other) = dispatch.cases.iter().find(clash) {
                        let before = other.low.span;
                        let diagnostic = fencepost_lsl::diagnostic::Diagnostic::error(
                            low.span,
                            "this value has a `case` already",
                        );
                        self.report(diagnostic.related(before, "the other one"));
                        continue;
                    }
                    let label = self.builder.label();
                    labels.push((index, label));
                    // An empty range is never jumped to.
                    if !less(last, first, signed) {
                        dispatch.cases.push(Case { low, first, last, label });
                    }
                }
                StmtKind::Default if dispatch.otherwise != leave => {
                    self.error(stmt.span, "there is a `default` already");
                }
                StmtKind::Default => {
                    dispatch.otherwise = self.builder.label();
                    labels.push((index, dispatch.otherwise));
                }
                _ => {}
            }
        }
        labels
    }

    fn is_signed(&self, ty: TypeId) -> bool {
        self.types.scalar(ty).is_some_and(|ty| ty.signed)
    }

    fn case_values(&mut self, low: &'u Expr, high: Option<&'u Expr>, ty: TypeId) -> Option<(u64, u64)> {
        let first = self.case_value(low, ty)?;
        let last = high.map_or(Some(first), |high| self.case_value(high, ty))?;
        Some((first, last))
    }

    fn case_value(&mut self, expr: &'u Expr, ty: TypeId) -> Option<u64> {
        let constant = self.constant(expr)?;
        let value = self.convert(Value::word(constant.ty, constant.bits), ty, expr.span);
        match self.operand(value, expr.span) {
            Operand::Const(word) => Some(word.bits()),
            Operand::Reg(_) => None,
        }
    }

    /// Jumps to the case that fits.
    pub(super) fn emit_dispatch(&mut self, dispatch: &Dispatch<'u>) {
        let signed = self.is_signed(dispatch.ty);
        for &Case { low, first, last, label } in &dispatch.cases {
            let span = low.span;
            let test = if first == last {
                self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[dispatch.word, first.into()], span)
            } else {
                let le = PrimOp::Cmp(CmpOp::Le, signed);
                let above = self.builder.op(le, &[first.into(), dispatch.word], span);
                let below = self.builder.op(le, &[dispatch.word, last.into()], span);
                self.builder.op(PrimOp::Bin(BinOp::And, IntTy::U64), &[above, below], span)
            };
            self.builder.break_if(label, test, span);
        }
        self.builder.break_to(dispatch.otherwise, dispatch.span);
    }
}

/// Whether one word is less than another.
fn less(a: u64, b: u64, signed: bool) -> bool {
    fencepost_lsl::op::compare(CmpOp::Lt, signed, a, b)
}
