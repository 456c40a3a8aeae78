//! Values of 128 bits: packed by shifts and masks, moved, and compared for equality, as code around a
//! double-width compare-and-swap does. They are not computed with.

use super::arith::arithmetic;
use super::{Data, Lowerer, Value};
use crate::ast::BinaryOp;
use crate::types::{Type, TypeId};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Operand, Order};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// Whether a type has 128 bits.
    pub(super) fn is_wide(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Int128 { .. })
    }

    fn is_signed_wide(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Int128 { signed: true })
    }

    /// The low and the high half of a value.
    fn halves(&mut self, value: Value, span: Span) -> [Operand; 2] {
        let Data::Object(addr) = value.data else { return [0.into(), 0.into()] };
        let low = self.builder.load(addr, IntTy::U64, Order::Plain, span);
        let at = self.offset(addr, 8, span);
        [low, self.builder.load(at, IntTy::U64, Order::Plain, span)]
    }

    fn join(&mut self, [low, high]: [Operand; 2], ty: TypeId, span: Span) -> Value {
        let addr = self.temporary(ty.into(), span);
        self.builder.store(addr, low, IntTy::U64, Order::Plain, span);
        let at = self.offset(addr, 8, span);
        self.builder.store(at, high, IntTy::U64, Order::Plain, span);
        Value { ty, data: Data::Object(addr) }
    }

    /// A word as a value of 128 bits.
    pub(super) fn widen(&mut self, value: Value, source: IntTy, to: TypeId, span: Span) -> Value {
        let word = self.operand(value, span);
        let high = match source.signed {
            true => self.builder.op(PrimOp::Bin(BinOp::Shr, IntTy::I64), &[word, 63.into()], span),
            false => 0.into(),
        };
        self.join([word, high], to, span)
    }

    /// A value of 128 bits as a word.
    pub(super) fn narrow(&mut self, value: Value, target: IntTy, to: TypeId, span: Span) -> Value {
        if let Type::Bool = self.types.get(to) {
            let any = self.wide_condition(value, span);
            return Value::word(to, self.builder.op(PrimOp::Truth, &[any], span));
        }
        let [low, _] = self.halves(value, span);
        Value::word(to, self.resize(low, IntTy::U64, target, span))
    }

    /// A word that is zero if the value is.
    pub(super) fn wide_condition(&mut self, value: Value, span: Span) -> Operand {
        let [low, high] = self.halves(value, span);
        self.builder.op(PrimOp::Bin(BinOp::Or, IntTy::U64), &[low, high], span)
    }

    /// `~` on 128 bits.
    pub(super) fn wide_not(&mut self, value: Value, span: Span) -> Value {
        let halves = self.halves(value, span);
        let halves = halves.map(|half| self.builder.op(PrimOp::BitNot(IntTy::U64), &[half], span));
        self.join(halves, value.ty, span)
    }

    /// Masks, shifts by a constant, `==` and `!=`; reports all else.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Option<Value> {
        if let (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, true) = (op, self.is_wide(a.ty)) {
            return self.wide_shift(op, a, b, span);
        }
        let known = matches!(
            op,
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        );
        if !known {
            self.refuse_wide(span);
            return None;
        }
        // Of a signed and an unsigned operand, the unsigned type wins.
        let ty = match (self.is_wide(a.ty), self.is_wide(b.ty)) {
            (true, true) if self.is_signed_wide(a.ty) => b.ty,
            (true, _) => a.ty,
            _ => b.ty,
        };
        let (a, b) = (self.convert(a, ty, span), self.convert(b, ty, span));
        let (Data::Object(x), Data::Object(y)) = (a.data, b.data) else { return None };
        if let BinaryOp::Equal | BinaryOp::NotEqual = op {
            let same = self.equal_objects(x, y, ty, span);
            let result =
                if op == BinaryOp::Equal { same } else { self.builder.op(PrimOp::Not, &[same], span) };
            return Some(Value::word(self.types.int(), result));
        }
        let ([a_low, a_high], [b_low, b_high]) = (self.halves(a, span), self.halves(b, span));
        let op = PrimOp::Bin(arithmetic(op), IntTy::U64);
        let low = self.builder.op(op, &[a_low, b_low], span);
        let high = self.builder.op(op, &[a_high, b_high], span);
        Some(self.join([low, high], ty, span))
    }

    fn wide_shift(&mut self, op: BinaryOp, a: Value, count: Value, span: Span) -> Option<Value> {
        let count = match count.data {
            Data::Word(Operand::Const(count)) => count.defined().filter(|count| *count < 128),
            _ => None,
        };
        let Some(count) = count else {
            let why = "values of 128 bits can be shifted by a constant below 128";
            self.unsupported(span, "this shift of 128 bits", why);
            return None;
        };
        let [low, high] = self.halves(a, span);
        let signed = self.is_signed_wide(a.ty);
        let mut shift = |op, ty, word: Operand, count: u64| match count {
            0 => word,
            _ => self.builder.op(PrimOp::Bin(op, ty), &[word, count.into()], span),
        };
        let top = if signed { IntTy::I64 } else { IntTy::U64 };
        let left = op == BinaryOp::ShiftLeft;
        let halves = match (left, count) {
            (_, 0) => [low, high],
            (true, 64..) => [0.into(), shift(BinOp::Shl, IntTy::U64, low, count - 64)],
            (true, _) => {
                let moved = shift(BinOp::Shl, IntTy::U64, high, count);
                let carried = shift(BinOp::Shr, IntTy::U64, low, 64 - count);
                let low = shift(BinOp::Shl, IntTy::U64, low, count);
                [low, self.builder.op(PrimOp::Bin(BinOp::Or, IntTy::U64), &[moved, carried], span)]
            }
            (false, 64..) => {
                let sign = if signed { shift(BinOp::Shr, top, high, 63) } else { 0.into() };
                [shift(BinOp::Shr, top, high, count - 64), sign]
            }
            (false, _) => {
                let moved = shift(BinOp::Shr, IntTy::U64, low, count);
                let carried = shift(BinOp::Shl, IntTy::U64, high, 64 - count);
                let high = shift(BinOp::Shr, top, high, count);
                [self.builder.op(PrimOp::Bin(BinOp::Or, IntTy::U64), &[moved, carried], span), high]
            }
        };
        Some(self.join(halves, a.ty, span))
    }

    /// Reports 128-bit arithmetic.
    pub(super) fn refuse_wide(&mut self, span: Span) {
        let why = "such values can only be copied, masked, shifted by constants and compared for equality";
        self.unsupported(span, "128-bit arithmetic", why);
    }

    /// Whether two values in memory are equal.
    fn equal_objects(&mut self, a: Operand, b: Operand, ty: TypeId, span: Span) -> Operand {
        let [a, b] = [a, b].map(|addr| self.halves(Value { ty, data: Data::Object(addr) }, span));
        let low = self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[a[0], b[0]], span);
        let high = self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[a[1], b[1]], span);
        self.builder.op(PrimOp::Bin(BinOp::And, IntTy::U64), &[low, high], span)
    }
}
