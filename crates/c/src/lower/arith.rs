//! Conversions and operators.

use super::{Data, Lowerer, Value};
use crate::ast::BinaryOp;
use crate::types::{Type, TypeId};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::Operand;
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// A value converted to a type, as if by assignment or cast.
    pub(super) fn convert(&mut self, value: Value, to: TypeId, span: Span) -> Value {
        let from = value.ty;
        if from == to || self.types.is_error(from) || self.types.is_error(to) {
            return Value { ty: if self.types.is_error(from) { from } else { to }, ..value };
        }
        let floats = |ty: &Type| matches!(ty, Type::Float(_));
        if floats(self.types.get(from)) || floats(self.types.get(to)) {
            return self.no_floats(span);
        }
        match (self.types.scalar(from), self.types.scalar(to)) {
            (Some(source), Some(target)) => {
                let is_address = self.types.pointee(from).is_some() && self.types.is_integer(to);
                let value = match is_address && !matches!(self.types.get(to), Type::Bool) {
                    true => self.note_address(value, span),
                    false => value,
                };
                let word = self.operand(value, span);
                if let Some(pointee) = self.types.pointee(to) {
                    self.name_allocation(word, pointee);
                }
                let word = match self.types.get(to) {
                    Type::Bool => match self.types.get(from) {
                        Type::Bool => word,
                        _ => self.builder.op(PrimOp::Truth, &[word], span),
                    },
                    _ => self.resize(word, source, target, span),
                };
                Value::word(to, word)
            }
            _ if self.types.compatible(from, to) => Value { ty: to, ..value },
            _ if matches!(self.types.get(to), Type::Void) => Value { ty: to, data: Data::Nothing },
            _ if self.is_wide(from) && self.is_wide(to) => Value { ty: to, ..value },
            (Some(source), None) if self.is_wide(to) => self.widen(value, source, to, span),
            (None, Some(target)) if self.is_wide(from) => self.narrow(value, target, to, span),
            _ => {
                let (is, wanted) = (self.types.show(from), self.types.show(to));
                self.error(span, format!("expected `{wanted}`, found `{is}`"));
                self.poison()
            }
        }
    }

    /// A word of one width in another; nothing to do where the extension is already right.
    pub(super) fn resize(&mut self, word: Operand, from: IntTy, to: IntTy, span: Span) -> Operand {
        let fits = from == to
            || to.bits == 64
            || !from.signed && from.bits < to.bits
            || from.signed && to.signed && from.bits <= to.bits;
        if fits { word } else { self.builder.op(PrimOp::Convert(to), &[word], span) }
    }

    /// A binary operator on two values, but for `&&` and `||`.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
        if self.types.is_error(a.ty) || self.types.is_error(b.ty) {
            return self.poison();
        }
        let pointers = (self.types.pointee(a.ty).is_some(), self.types.pointee(b.ty).is_some());
        match (op, pointers) {
            (BinaryOp::Add, (true, false)) => self.add_to_pointer(a, b, BinOp::Add, span),
            (BinaryOp::Add, (false, true)) => self.add_to_pointer(b, a, BinOp::Add, span),
            (BinaryOp::Subtract, (true, false)) => self.add_to_pointer(a, b, BinOp::Sub, span),
            (BinaryOp::Subtract, (true, true)) => Some(self.pointer_difference(a, b, span)),
            (_, (true, _) | (_, true)) if comparison(op).is_some() => {
                Some(self.compare_pointers(op, a, b, span))
            }
            (_, (true, _) | (_, true)) => {
                let (x, y) = (self.types.show(a.ty), self.types.show(b.ty));
                self.error(span, format!("`{}` cannot combine `{x}` and `{y}`", op.text()));
                None
            }
            _ => self.integer_binary(op, a, b, span),
        }
        .unwrap_or_else(|| self.poison())
    }

    fn integer_binary(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Option<Value> {
        if self.is_wide(a.ty) || self.is_wide(b.ty) {
            return self.wide_binary(op, a, b, span);
        }
        for value in [a, b] {
            if !self.types.is_integer(value.ty) {
                self.not_integer(value.ty, op.text(), span);
                return None;
            }
        }
        // A shift has the type of its left side.
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let ty = if shift { self.types.promote(a.ty) } else { self.types.usual(a.ty, b.ty) };
        let scalar = self.types.scalar(ty)?;
        let a = self.convert(a, ty, span);
        let b = if shift { b } else { self.convert(b, ty, span) };
        let (x, y) = (self.operand(a, span), self.operand(b, span));
        if let Some((compare, swap)) = comparison(op) {
            if let CmpOp::Lt | CmpOp::Le = compare {
                self.note_order(x, y, span);
            }
            let args = if swap { [y, x] } else { [x, y] };
            let result = self.builder.op(PrimOp::Cmp(compare, scalar.signed), &args, span);
            return Some(Value::word(self.types.int(), result));
        }
        let op = arithmetic(op);
        self.note_computation(op, x, y, span);
        Some(Value::word(ty, self.builder.op(PrimOp::Bin(op, scalar), &[x, y], span)))
    }

    /// A pointer moved by a number of elements.
    pub(super) fn add_to_pointer(
        &mut self,
        pointer: Value,
        index: Value,
        op: BinOp,
        span: Span,
    ) -> Option<Value> {
        let Some(to) = self.types.pointee(pointer.ty) else {
            if !self.types.is_error(pointer.ty) && !self.types.is_error(index.ty) {
                let shown = self.types.show(pointer.ty);
                self.error(span, format!("expected a pointer or an array, found `{shown}`"));
            }
            return None;
        };
        if !self.types.is_integer(index.ty) {
            let shown = self.types.show(index.ty);
            self.error(span, format!("expected an integer index, found `{shown}`"));
            return None;
        }
        let size = self.size_of(to, span);
        let long = self.types.long();
        let index = self.convert(index, long, span);
        let (base, index) = (self.operand(pointer, span), self.operand(index, span));
        let scaled = match size {
            1 => index,
            _ => self.builder.op(PrimOp::Bin(BinOp::Mul, IntTy::I64), &[index, size.into()], span),
        };
        let moved = self.builder.op(PrimOp::Bin(op, IntTy::U64), &[base, scaled], span);
        self.check_move(base, moved, span);
        Some(Value::word(pointer.ty, moved))
    }

    fn pointer_difference(&mut self, a: Value, b: Value, span: Span) -> Value {
        let size = self.types.pointee(a.ty).map_or(1, |to| self.size_of(to, span));
        let (x, y) = (self.operand(a, span), self.operand(b, span));
        self.note_comparison(x, y, span);
        let bytes = self.builder.op(PrimOp::Bin(BinOp::Sub, IntTy::I64), &[x, y], span);
        let count = match size {
            1 => bytes,
            _ => self.builder.op(PrimOp::Bin(BinOp::Div, IntTy::I64), &[bytes, size.into()], span),
        };
        Value::word(self.types.long(), count)
    }

    fn compare_pointers(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
        let (x, y) = (self.operand(a, span), self.operand(b, span));
        let Some((compare, swap)) = comparison(op) else {
            self.impossible(span, "pointers are compared by what compares nothing");
            return self.poison();
        };
        if let CmpOp::Lt | CmpOp::Le = compare {
            self.note_comparison(x, y, span);
        }
        let args = if swap { [y, x] } else { [x, y] };
        Value::word(self.types.int(), self.builder.op(PrimOp::Cmp(compare, false), &args, span))
    }
}

/// A comparison, and whether its arguments are exchanged.
fn comparison(op: BinaryOp) -> Option<(CmpOp, bool)> {
    Some(match op {
        BinaryOp::Equal => (CmpOp::Eq, false),
        BinaryOp::NotEqual => (CmpOp::Ne, false),
        BinaryOp::Less => (CmpOp::Lt, false),
        BinaryOp::LessEqual => (CmpOp::Le, false),
        BinaryOp::Greater => (CmpOp::Lt, true),
        BinaryOp::GreaterEqual => (CmpOp::Le, true),
        _ => return None,
    })
}

/// The operator that computes, of those that do not compare.
pub(super) fn arithmetic(op: BinaryOp) -> BinOp {
    match op {
        BinaryOp::Multiply => BinOp::Mul,
        BinaryOp::Divide => BinOp::Div,
        BinaryOp::Remainder => BinOp::Rem,
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Subtract => BinOp::Sub,
        BinaryOp::ShiftLeft => BinOp::Shl,
        BinaryOp::ShiftRight => BinOp::Shr,
        BinaryOp::BitAnd => BinOp::And,
        BinaryOp::BitXor => BinOp::Xor,
        BinaryOp::BitOr => BinOp::Or,
        // A mistake here would make a wrong program.
        _ => unreachable!("`{}` computes nothing", op.text()),
    }
}
