//! What is observed of a value: its members, one by one.
//!
//! Records have padding, between members and behind bit-fields, which C lets have any content at any time. So a
//! record is not observed as a whole: each member that is a scalar is an output of its own, a bit-field with
//! just its bits. Of a union, the bits that some member covers are observed; where members overlap without
//! being alike, as plain bits.

use super::Lowerer;
use crate::ast::RecordKind;
use crate::types::{BitField, RecordId, Type, TypeId};
use fencepost_harness::operation::{Output, ValueTy};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Operand, Order, Reg};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// Some bits of a value that are observed together.
#[derive(Clone, PartialEq, Debug)]
struct Piece {
    /// Which part it is, as in `.key` or `[1].next`.
    member: String,
    /// Its first bit, counted from the value's start.
    start: u64,
    /// Its width and sign.
    ty: IntTy,
    /// How to print and compare it.
    shown: ValueTy,
}

impl Piece {
    /// Behind its last bit.
    fn end(&self) -> u64 {
        self.start + u64::from(self.ty.bits)
    }
}

impl Lowerer<'_> {
    /// Whether values of a type can be observed: they have a size, and nothing in them is of a floating type.
    pub(super) fn can_be_observed(&self, id: TypeId) -> bool {
        match self.types.get(id) {
            Type::Array(element, Some(_)) => self.can_be_observed(element.id),
            // Of an array of unknown length at a record's end, the record itself has no element.
            Type::Array(_, None) => true,
            Type::Record(record) => {
                let layout = self.types.record(*record).layout();
                layout
                    .is_some_and(|layout| layout.fields.iter().all(|field| self.can_be_observed(field.ty.id)))
            }
            Type::Int128 { .. } => true,
            _ => self.types.scalar(id).is_some(),
        }
    }

    /// Adds what is observed of an object.
    pub(super) fn observe_object(
        &mut self,
        name: &str,
        addr: Operand,
        ty: TypeId,
        observed: &mut Vec<(Operand, Output)>,
        span: Span,
    ) {
        for piece in self.observed_pieces(ty) {
            let whole = piece.start.is_multiple_of(8) && matches!(piece.ty.bits, 8 | 16 | 32 | 64);
            let at = self.offset(addr, piece.start / 8, span);
            let value = match whole {
                true => self.builder.load(at, piece.ty, Order::Plain, span),
                false => {
                    let low = piece.start % 8;
                    let unit = (low + u64::from(piece.ty.bits)).div_ceil(8);
                    let field = BitField { low: low as u8, width: piece.ty.bits, unit };
                    self.read_bits(at, field, piece.ty, span)
                }
            };
            observed.push((value, Output { name: name.into(), member: piece.member, ty: piece.shown }));
        }
    }

    /// Adds what is observed of a record that was returned in a word.
    pub(super) fn observe_word(
        &mut self,
        word: Reg,
        ty: TypeId,
        observed: &mut Vec<(Operand, Output)>,
        span: Span,
    ) {
        for piece in self.observed_pieces(ty) {
            // A word has 64 bits.
            let extract = PrimOp::Extract { low: piece.start as u8, ty: piece.ty };
            let value = self.builder.op(extract, &[word.into()], span);
            observed.push((value, Output { name: String::new(), member: piece.member, ty: piece.shown }));
        }
    }

    /// The pieces of a type, in the order of their places.
    fn observed_pieces(&self, id: TypeId) -> Vec<Piece> {
        match self.types.get(id) {
            Type::Array(element, length) => {
                let (inner, size) =
                    (self.observed_pieces(element.id), self.types.size(element.id).unwrap_or(0));
                let part = |i: u64, piece: &Piece| Piece {
                    member: format!("[{i}]{}", piece.member),
                    start: piece.start + 8 * i * size,
                    ..piece.clone()
                };
                (0..length.unwrap_or(0)).flat_map(|i| inner.iter().map(move |piece| part(i, piece))).collect()
            }
            Type::Record(record) => self.record_pieces(*record),
            _ => match self.types.scalar(id) {
                Some(ty) => vec![Piece { member: String::new(), start: 0, ty, shown: self.value_ty(id) }],
                None => bits(String::new(), 0, 8 * self.types.size(id).unwrap_or(0)),
            },
        }
    }

    fn record_pieces(&self, id: RecordId) -> Vec<Piece> {
        let record = self.types.record(id);
        let fields = record.layout().map_or(&[][..], |layout| &layout.fields);
        let mut pieces = Vec::new();
        for field in fields {
            let name = field.name.map(|name| format!(".{}", self.names.text(name)));
            match (field.bits, name) {
                // A bit-field without a name is padding.
                (Some(_), None) => {}
                (Some(bits), Some(member)) => {
                    let signed = self.types.scalar(field.ty.id).is_some_and(|ty| ty.signed);
                    let ty = IntTy { bits: bits.width, signed };
                    let shown = match self.value_ty(field.ty.id) {
                        ValueTy::Bool => ValueTy::Bool,
                        _ => ValueTy::Int(ty),
                    };
                    pieces.push(Piece { member, start: 8 * field.offset + u64::from(bits.low), ty, shown });
                }
                (None, name) => {
                    let name = name.unwrap_or_default();
                    pieces.extend(self.observed_pieces(field.ty.id).into_iter().map(|piece| Piece {
                        member: format!("{name}{}", piece.member),
                        start: piece.start + 8 * field.offset,
                        ..piece
                    }));
                }
            }
        }
        if record.kind == RecordKind::Union { overlaid(pieces) } else { pieces }
    }
}

/// Pieces that may overlap, made such that none do and all their bits are still there.
fn overlaid(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by_key(|piece| piece.start);
    let mut made = Vec::new();
    let mut rest = &pieces[..];
    while let Some(first) = rest.first() {
        let (mut end, mut count) = (first.end(), 1);
        while let Some(next) = rest.get(count).filter(|next| next.start < end) {
            end = end.max(next.end());
            count += 1;
        }
        let (group, behind) = rest.split_at(count);
        let alike =
            |piece: &Piece| (piece.start, piece.ty, piece.shown) == (first.start, first.ty, first.shown);
        match group.iter().all(alike) {
            true => made.push(first.clone()),
            false => made.extend(bits(first.member.clone(), first.start, end)),
        }
        rest = behind;
    }
    made
}

/// Bits as numbers, none of which goes across a border between words.
fn bits(member: String, start: u64, end: u64) -> Vec<Piece> {
    let mut made = Vec::new();
    let mut at = start;
    while at < end {
        let next = end.min((at / 64 + 1) * 64);
        // At most 64 bits.
        let ty = IntTy::unsigned((next - at) as u8);
        let part = if (start, end) == (at, next) { String::new() } else { format!("<{}>", (at - start) / 8) };
        made.push(Piece { member: format!("{member}{part}"), start: at, ty, shown: ValueTy::Int(ty) });
        at = next;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(member: &str, start: u64, width: u8, shown: Option<ValueTy>) -> Piece {
        let ty = IntTy::unsigned(width);
        Piece { member: member.into(), start, ty, shown: shown.unwrap_or(ValueTy::Int(ty)) }
    }

    /// Every bit that a member covers is in one piece, and no other bit is in any.
    #[test]
    fn overlaid_pieces_cover_the_same_bits() {
        let pieces = vec![
            piece(".a", 0, 8, None),
            piece(".b", 32, 32, None),
            piece(".c", 0, 3, None),
            piece(".d", 64, 64, Some(ValueTy::Pointer)),
            piece(".e", 64, 64, Some(ValueTy::Pointer)),
            piece(".f", 128, 64, Some(ValueTy::Pointer)),
            piece(".g", 128, 64, None),
            piece(".h", 160, 64, None),
        ];
        let covered = |pieces: &[Piece]| {
            let mut bits: Vec<u64> = pieces.iter().flat_map(|piece| piece.start..piece.end()).collect();
            bits.sort();
            bits
        };
        let mut all = covered(&pieces);
        all.dedup();
        let made = overlaid(pieces);
        assert_eq!(covered(&made), all);
        let shown: Vec<(&str, u64, u64)> =
            made.iter().map(|piece| (piece.member.as_str(), piece.start, piece.end())).collect();
        assert_eq!(
            shown,
            [(".a", 0, 8), (".b", 32, 64), (".d", 64, 128), (".f<0>", 128, 192), (".f<8>", 192, 224)]
        );
        assert_eq!(made[2].shown, ValueTy::Pointer);
        assert_ne!(made[3].shown, ValueTy::Pointer);
    }
}
