//! Bit-fields in memory: the unit around one is read and, for a store, changed and written back, as
//! compilers do.

use super::Lowerer;
use crate::types::BitField;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Operand, Order};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// The value of a bit-field of a type, in a unit at an address.
    pub(super) fn read_bits(&mut self, addr: Operand, field: BitField, ty: IntTy, span: Span) -> Operand {
        let pieces = field.pieces();
        if let [piece] = pieces[..] {
            let at = self.offset(addr, piece.offset, span);
            let unit = self.builder.load(at, piece.ty, Order::Plain, span);
            return self.builder.op(PrimOp::Extract { low: piece.low, ty }, &[unit], span);
        }
        let mut value: Operand = 0.into();
        for piece in pieces {
            let at = self.offset(addr, piece.offset, span);
            let unit = self.builder.load(at, piece.ty, Order::Plain, span);
            let extract = PrimOp::Extract { low: piece.low, ty: IntTy::unsigned(piece.bits) };
            let part = self.builder.op(extract, &[unit], span);
            let insert = PrimOp::Insert { low: piece.at, bits: piece.bits };
            value = self.builder.op(insert, &[value, part], span);
        }
        self.builder.op(PrimOp::Convert(ty), &[value], span)
    }

    /// Puts the low bits of a word into a bit-field.
    pub(super) fn write_bits(&mut self, addr: Operand, field: BitField, word: Operand, span: Span) {
        let pieces = field.pieces();
        let whole = pieces.len() == 1;
        for piece in pieces {
            let at = self.offset(addr, piece.offset, span);
            let extract = PrimOp::Extract { low: piece.at, ty: IntTy::unsigned(piece.bits) };
            let part = if whole { word } else { self.builder.op(extract, &[word], span) };
            if piece.bits == piece.ty.bits {
                self.builder.store(at, part, piece.ty, Order::Plain, span);
                continue;
            }
            let before = self.builder.load(at, piece.ty, Order::Plain, span);
            let insert = PrimOp::Insert { low: piece.low, bits: piece.bits };
            let after = self.builder.op(insert, &[before, part], span);
            self.builder.store(at, after, piece.ty, Order::Plain, span);
        }
    }
}
