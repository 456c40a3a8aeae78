//! Copying objects that do not fit a word.

use super::{Data, Lowerer, Value};
use crate::types::{QualType, TypeId, words};
use fencepost_lsl::program::{Operand, Order, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// A new object for a value that is under way.
    pub(super) fn temporary(&mut self, ty: QualType, span: Span) -> Operand {
        let (layout, size) = (Some(self.layout(ty.id)), self.size_of(ty, span));
        self.builder.stack(size, self.types.align_of(ty), layout, span).into()
    }

    /// Copies an object part by part.
    pub(super) fn copy_object(&mut self, to: Operand, from: Operand, ty: QualType, span: Span) {
        // Reports a type that is declared but not defined.
        self.size_of(ty, span);
        for (offset, leaf) in self.types.leaves(ty.id) {
            let source = self.offset(from, offset, span);
            let word = self.builder.load(source, leaf, Order::Plain, span);
            let target = self.offset(to, offset, span);
            self.builder.store(target, word, leaf, Order::Plain, span);
        }
    }

    /// The words in which a large object is accessed as a whole.
    pub(super) fn whole_words(&self, ty: TypeId) -> Vec<(u64, IntTy)> {
        words(self.types.size(ty).unwrap_or(0)).collect()
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
        for (offset, part) in self.whole_words(ty.id) {
            let source = self.offset(from, offset, span);
            let word = self.builder.load(source, part, load, span);
            let target = self.offset(to, offset, span);
            self.builder.store(target, word, part, store, span);
        }
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
    }

    /// The address of a copy of a large value.
    pub(super) fn object_copy(&mut self, value: Value, span: Span) -> Operand {
        let copy = self.temporary(value.ty.into(), span);
        if let Data::Object(from) = value.data {
            self.copy_object(copy, from, value.ty.into(), span);
        }
        copy
    }
}
