//! Copying and comparing objects that do not fit a word.

use super::{Data, Lowerer, Value};
use crate::types::{QualType, TypeId};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Operand, Order, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// A new object for a value that is under way.
    pub(super) fn temporary(&mut self, ty: QualType, span: Span) -> Operand {
        let (layout, size) = (Some(self.layout(ty.id)), self.size_of(ty, span));
        self.builder.stack(size, layout, span).into()
    }

    /// Copies an object part by part.
    pub(super) fn copy_object(&mut self, to: Operand, from: Operand, ty: QualType, span: Span) {
        for (offset, leaf) in self.types.leaves(ty.id) {
            let source = self.offset(from, offset, span);
            let word = self.builder.load(source, leaf, Order::Plain, span);
            let target = self.offset(to, offset, span);
            self.builder.store(target, word, leaf, Order::Plain, span);
        }
    }

    /// The words in which a large object is accessed as a whole.
    pub(super) fn whole_words(&self, ty: TypeId) -> Vec<u64> {
        (0..self.types.size(ty).unwrap_or(0).div_ceil(8)).map(|i| 8 * i).collect()
    }

    /// Copies an object as a whole, uninterrupted.
    pub(super) fn copy_atomically(
        &mut self,
        to: Operand,
        from: Operand,
        ty: QualType,
        load: Order,
        store: Order,
        span: Span,
    ) {
        self.builder.open();
        for offset in self.whole_words(ty.id) {
            let source = self.offset(from, offset, span);
            let word = self.builder.load(source, IntTy::U64, load, span);
            let target = self.offset(to, offset, span);
            self.builder.store(target, word, IntTy::U64, store, span);
        }
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
    }

    /// Whether two objects hold the same words.
    pub(super) fn equal_objects(&mut self, a: Operand, b: Operand, ty: TypeId, span: Span) -> Operand {
        let mut same: Operand = 1.into();
        for offset in self.whole_words(ty) {
            let (x, y) = (self.offset(a, offset, span), self.offset(b, offset, span));
            let x = self.builder.load(x, IntTy::U64, Order::Plain, span);
            let y = self.builder.load(y, IntTy::U64, Order::Plain, span);
            let equal = self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[x, y], span);
            same = match same {
                Operand::Const(_) => equal,
                same => self.builder.op(PrimOp::Bin(BinOp::And, IntTy::U64), &[same, equal], span),
            };
        }
        same
    }

    /// The address at which a large value lies, or a copy of it.
    pub(super) fn object_copy(&mut self, value: Value, span: Span) -> Operand {
        let copy = self.temporary(value.ty.into(), span);
        if let Data::Object(from) = value.data {
            self.copy_object(copy, from, value.ty.into(), span);
        }
        copy
    }
}
