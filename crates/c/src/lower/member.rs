//! Members of structs and unions.

use super::Lowerer;
use super::place::{Aim, Place, Reach, Target};
use crate::ast::{Expr, Name};
use crate::types::{Field, QualType, RecordId, Type};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// `object.field`, or `object->field`.
    pub(super) fn member(
        &mut self,
        object: &'u Expr,
        field: Name,
        arrow: bool,
        aim: Aim,
        span: Span,
    ) -> Option<Place> {
        let place = if arrow {
            let pointer = self.rvalue(object);
            self.deref(pointer, span, object.span)?
        } else {
            let aim = if aim == Aim::Address { aim } else { Aim::Access };
            self.place_for(object, aim)?
        };
        let Type::Record(record) = self.types.get(place.ty.id).clone() else {
            if !self.types.is_error(place.ty.id) {
                let (text, shown) = (self.text(field.symbol), self.types.show(place.ty));
                let diagnostic = Diagnostic::error(field.span, format!("`{shown}` has no member `{text}`"));
                let points = self.types.pointee(place.ty.id).is_some_and(|to| self.is_record(to));
                self.report(if points { diagnostic.help("write `->`") } else { diagnostic });
            }
            return None;
        };
        let found = self.find_member(record, place.ty, field)?;
        let last = self.types.record(record).layout().is_some_and(|layout| {
            let end = self.types.size(found.ty.id).map_or(layout.size, |size| found.offset + size);
            end.next_multiple_of(layout.align) >= layout.size
        });
        let part = self.part(place, &found, span);
        Some(Place { last: place.last && last, ..part })
    }

    fn is_record(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.id), Type::Record(_))
    }

    /// A member by its name; reports if there is none.
    pub(super) fn find_member(&mut self, record: RecordId, ty: QualType, field: Name) -> Option<Field> {
        let found = self.types.find_field(record, field.symbol);
        if found.is_none() {
            let (text, shown) = (self.text(field.symbol), self.types.show(ty.id));
            let mut diagnostic = Diagnostic::error(field.span, format!("`{shown}` has no member `{text}`"));
            let fields = self.types.record(record).layout().map_or(&[][..], |layout| &layout.fields);
            let names = fields.iter().filter_map(|field| field.name).map(|name| self.names.text(name));
            if self.types.record(record).layout().is_none() {
                diagnostic = diagnostic.note("it is declared but not defined here");
            } else if let Some(similar) = crate::parse::similar(text, names) {
                diagnostic = diagnostic.help(format!("it has `{similar}`"));
            }
            self.report(diagnostic);
        }
        found
    }

    /// A member of a place.
    fn part(&mut self, place: Place, field: &Field, span: Span) -> Place {
        let mut qualifiers = field.ty.qualifiers;
        qualifiers.is_const |= place.ty.qualifiers.is_const;
        qualifiers.is_volatile |= place.ty.qualifiers.is_volatile;
        let ty = QualType { qualifiers, ..field.ty };
        let width = match field.bits {
            Some(bits) => bits.width,
            None => self.types.word(field.ty.id).map_or(64, |ty| ty.bits),
        };
        // Of a record that fits a word.
        let low = || 8 * field.offset as u8 + field.bits.map_or(0, |bits| bits.low);
        let target = match place.target {
            Target::Memory(addr) => {
                let at = self.offset(addr, field.offset, span);
                match field.bits {
                    Some(bits) => Target::Bits(at, bits),
                    None => Target::Memory(at),
                }
            }
            Target::Register(reg) => Target::RegisterPart { reg, low: low(), bits: width },
            Target::RegisterPart { reg, low: outer, .. } => {
                Target::RegisterPart { reg, low: outer + low(), bits: width }
            }
            Target::WordPart { word, low: outer, .. } => {
                Target::WordPart { word, low: outer + low(), bits: width }
            }
            // Bit-fields have no members.
            Target::Bits(..) => place.target,
        };
        let reach = place.reach.map(|from| Reach { distance: from.distance + field.offset, ..from });
        Place { ty, target, is_bit_field: field.bits.is_some(), reach, last: place.last }
    }
}
