//! Structs and unions: their members, and the words they are made of.

use super::{QualType, Type, TypeId, Types};
use crate::ast::RecordKind;
use crate::symbol::Symbol;
use fencepost_lsl::value::IntTy;

/// A struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct RecordId(u32);

/// Where a bit-field lies in the unit that is accessed for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitField {
    /// Its lowest bit in the unit, which starts at the field's offset.
    pub low: u8,
    /// Its width.
    pub width: u8,
    /// Size of the unit in bytes: one, two, four or eight, or else anything up to nine, to be accessed in
    /// pieces.
    pub unit: u64,
}

/// A part of a bit-field, in a word that can be accessed at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitPiece {
    /// Offset of the word in the unit.
    pub offset: u64,
    /// The word's type.
    pub ty: IntTy,
    /// Lowest bit of the part in the word.
    pub low: u8,
    /// Lowest bit of the part in the bit-field's value.
    pub at: u8,
    /// How many bits it has.
    pub bits: u8,
}

impl BitField {
    /// The words to access, with the bits of the field in them.
    pub(crate) fn pieces(self) -> Vec<BitPiece> {
        let (start, end) = (u64::from(self.low), u64::from(self.low) + u64::from(self.width));
        let words = words(self.unit).map(|(offset, ty)| {
            let (first, last) = (start.max(8 * offset), end.min(8 * (offset + ty.bytes())));
            let (low, at, bits) = (first - 8 * offset, first - start, last.saturating_sub(first));
            BitPiece { offset, ty, low: low as u8, at: at as u8, bits: bits as u8 }
        });
        words.filter(|piece| piece.bits > 0).collect()
    }
}

/// Some bytes as words, the largest first.
pub(crate) fn words(size: u64) -> impl Iterator<Item = (u64, IntTy)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = [8, 4, 2, 1].into_iter().find(|bytes| at + bytes <= size)?;
        at += bytes;
        Some((at - bytes, IntTy::unsigned(8 * bytes as u8)))
    })
}

/// A member.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    /// Its name; none if anonymous.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: QualType,
    /// Its offset; for a bit-field, that of its unit.
    pub offset: u64,
    /// Where in the unit it lies, if it is a bit-field.
    pub bits: Option<BitField>,
}

/// A member before it has a place.
#[derive(Clone, Debug)]
pub(crate) struct FieldSpec {
    /// Its name; none if anonymous.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: QualType,
    /// Its width, if it is a bit-field.
    pub width: Option<u64>,
    /// Alignment asked for.
    pub align: Option<u64>,
    /// Whether it is packed by an attribute of its own.
    pub packed: bool,
}

/// How tightly members are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Packing {
    /// By the attribute `packed`.
    pub packed: bool,
    /// The largest alignment that `#pragma pack` leaves to members.
    pub limit: Option<u64>,
}

/// The layout of a complete record.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RecordLayout {
    /// Its members in order.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag, or a typedef's name, if any.
    pub name: Option<String>,
    layout: Option<RecordLayout>,
}

impl Record {
    /// Its layout, if it is complete.
    pub(crate) fn layout(&self) -> Option<&RecordLayout> {
        self.layout.as_ref()
    }

    /// The record as C writes it.
    pub(crate) fn show(&self) -> String {
        match &self.name {
            Some(name) => format!("{} {name}", self.kind.text()),
            None => format!("{} {{…}}", self.kind.text()),
        }
    }
}

#[derive(Default)]
pub(super) struct Records {
    table: Vec<Record>,
}

impl Records {
    pub(super) fn declare(&mut self, kind: RecordKind, name: Option<String>) -> RecordId {
        self.table.push(Record { kind, name, layout: None });
        RecordId(self.table.len() as u32 - 1)
    }

    pub(super) fn get(&self, id: RecordId) -> &Record {
        &self.table[id.0 as usize]
    }

    pub(super) fn set_layout(&mut self, id: RecordId, layout: RecordLayout) {
        self.table[id.0 as usize].layout = Some(layout);
    }
}

impl Types {
    /// Names a record that has no tag, after the typedef that declares it.
    pub(crate) fn name_record(&mut self, id: RecordId, name: &str) {
        self.records.table[id.0 as usize].name.get_or_insert_with(|| name.to_owned());
    }

    /// The way to a member: through anonymous members to the field itself. Offsets add up.
    pub(crate) fn find_field(&self, id: RecordId, name: Symbol) -> Option<Field> {
        let layout = self.record(id).layout()?;
        for field in &layout.fields {
            if field.name == Some(name) {
                return Some(field.clone());
            }
            if field.name.is_none()
                && let Type::Record(inner) = self.get(field.ty.id)
                && let Some(found) = self.find_field(*inner, name)
            {
                let mut qualifiers = found.ty.qualifiers;
                qualifiers.is_const |= field.ty.qualifiers.is_const;
                let ty = QualType { qualifiers, ..found.ty };
                return Some(Field { offset: found.offset + field.offset, ty, ..found });
            }
        }
        None
    }

    /// The words of which a value is made, with their offsets, in ascending order; padding is left out.
    pub(crate) fn leaves(&self, id: TypeId) -> Vec<(u64, IntTy)> {
        match self.get(id) {
            Type::Array(element, Some(length)) => {
                let (inner, size) = (self.leaves(element.id), self.size(element.id).unwrap_or(0));
                (0..*length).flat_map(|i| inner.iter().map(move |(at, ty)| (at + i * size, *ty))).collect()
            }
            Type::Record(record) => self.record_leaves(*record),
            _ => words(self.size(id).unwrap_or(0)).collect(),
        }
    }

    fn record_leaves(&self, id: RecordId) -> Vec<(u64, IntTy)> {
        let record = self.record(id);
        let Some(layout) = record.layout() else { return Vec::new() };
        let members = layout.fields.iter().map(|field| match field.bits {
            Some(bits) => words(bits.unit).map(|(at, ty)| (at + field.offset, ty)).collect(),
            None => {
                let inner = self.leaves(field.ty.id);
                inner.into_iter().map(|(at, ty)| (at + field.offset, ty)).collect::<Vec<_>>()
            }
        });
        if record.kind == RecordKind::Union {
            // Those of a member that covers all of it, if there is one: another may be in use.
            let covers = |leaves: &Vec<(u64, IntTy)>| {
                leaves.iter().map(|(_, ty)| ty.bytes()).sum::<u64>() == layout.size
            };
            return members.into_iter().find(covers).unwrap_or_else(|| words(layout.size).collect());
        }
        let mut leaves: Vec<(u64, IntTy)> = Vec::new();
        for leaf in members.flatten() {
            // Bit-fields that share a unit are copied once, with the widest.
            let inside =
                |a: &(u64, IntTy), b: &(u64, IntTy)| b.0 <= a.0 && a.0 + a.1.bytes() <= b.0 + b.1.bytes();
            if leaves.iter().rev().take(8).any(|other| inside(&leaf, other)) {
                continue;
            }
            while leaves.last().is_some_and(|last| inside(last, &leaf)) {
                leaves.pop();
            }
            leaves.push(leaf);
        }
        leaves
    }

    /// All bytes of a value as words: its leaves, and padding between and behind them.
    pub(crate) fn covering(&self, id: TypeId) -> Vec<(u64, IntTy)> {
        let mut cover = Vec::new();
        let mut at = 0;
        let end = self.size(id).unwrap_or(0);
        for leaf in self.leaves(id).into_iter().map(Some).chain([None]) {
            let next = leaf.map_or(end, |(offset, _)| offset);
            while at < next {
                let fits = |bytes: &u64| at % bytes == 0 && at + bytes <= next;
                let bytes = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
                cover.push((at, IntTy::unsigned(8 * bytes as u8)));
                at += bytes;
            }
            cover.extend(leaf);
            at = at.max(leaf.map_or(end, |(offset, ty)| offset + ty.bytes()));
        }
        cover
    }

    /// Whether a value of this type can live in a register, each part of it as some bits of a word: it
    /// fits one, and so do all parts of it. Elements of arrays are chosen at run time, so none has any.
    pub(crate) fn fits_word(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Record(record) => {
                let fields = self.record(*record).layout().map_or(&[][..], |layout| &layout.fields);
                self.word_record(id).is_some()
                    && fields.iter().all(|field| field.bits.is_some() || self.fits_word(field.ty.id))
            }
            _ => self.scalar(id).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_nine_bytes_is_accessed_in_two_pieces() {
        let pieces = BitField { low: 7, width: 64, unit: 9 }.pieces();
        let [low, high] = pieces[..] else { panic!("two pieces") };
        assert_eq!((low.offset, low.ty.bits, low.low, low.at, low.bits), (0, 64, 7, 0, 57));
        assert_eq!((high.offset, high.ty.bits, high.low, high.at, high.bits), (8, 8, 0, 57, 7));
    }

    #[test]
    fn words_are_as_large_as_they_can_be() {
        let sizes: Vec<(u64, u64)> = words(15).map(|(at, ty)| (at, ty.bytes())).collect();
        assert_eq!(sizes, [(0, 8), (8, 4), (12, 2), (14, 1)]);
    }
}
