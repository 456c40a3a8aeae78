//! Structs and unions: where their members lie, bit-fields included (System V ABI for x86-64, as GCC
//! implements it).

use super::{QualType, Type, TypeId, Types};
use crate::ast::RecordKind;
use crate::symbol::Symbol;
use fencepost_lsl::value::IntTy;

/// A struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(u32);

/// Where a bit-field lies in the unit that is accessed for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitField {
    /// Its lowest bit in the unit, which starts at the field's offset.
    pub low: u8,
    /// Its width.
    pub width: u8,
    /// Size of the unit in bytes.
    pub unit: u64,
}

impl BitField {
    /// The type in which the unit is accessed.
    pub fn unit_ty(self) -> IntTy {
        IntTy::unsigned(8 * self.unit as u8)
    }
}

/// A member.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
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
pub struct FieldSpec {
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

/// The layout of a complete record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordLayout {
    /// Its members in order.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag, or a typedef's name, if any.
    pub name: Option<String>,
    layout: Option<RecordLayout>,
}

impl Record {
    /// Its layout, if it is complete.
    pub fn layout(&self) -> Option<&RecordLayout> {
        self.layout.as_ref()
    }

    /// The record as C writes it.
    pub fn show(&self) -> String {
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
}

impl Types {
    /// Gives a record its members. Their types must be complete, but for an array of open length at the
    /// end.
    pub fn complete_record(
        &mut self,
        id: RecordId,
        fields: Vec<FieldSpec>,
        packed: bool,
        align: Option<u64>,
    ) {
        let kind = self.record(id).kind;
        let mut placer =
            Placer { bit: 0, align: 1, size: 0, union: kind == RecordKind::Union, fields: Vec::new() };
        for spec in fields {
            placer.place(self, spec, packed);
        }
        let align = placer.align.max(align.unwrap_or(1));
        let bytes = if placer.union { placer.size } else { placer.bit.div_ceil(8) };
        let layout = RecordLayout { fields: placer.fields, size: bytes.next_multiple_of(align), align };
        self.records.table[id.0 as usize].layout = Some(layout);
    }

    /// Names a record that has no tag, after the typedef that declares it.
    pub fn name_record(&mut self, id: RecordId, name: &str) {
        self.records.table[id.0 as usize].name.get_or_insert_with(|| name.to_owned());
    }

    /// The way to a member: through anonymous members to the field itself. Offsets add up.
    pub fn find_field(&self, id: RecordId, name: Symbol) -> Option<Field> {
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
                let ty = QualType { id: found.ty.id, qualifiers };
                return Some(Field { offset: found.offset + field.offset, ty, ..found });
            }
        }
        None
    }

    /// The words of which a value is made, with their offsets; for unions, those of their largest member.
    pub fn leaves(&self, id: TypeId) -> Vec<(u64, IntTy)> {
        match self.get(id) {
            Type::Array(element, Some(length)) => {
                let (inner, size) = (self.leaves(element.id), self.size(element.id).unwrap_or(0));
                (0..*length).flat_map(|i| inner.iter().map(move |(at, ty)| (at + i * size, *ty))).collect()
            }
            Type::Record(record) => {
                let Some(layout) = self.record(*record).layout() else { return Vec::new() };
                let fields: Vec<&Field> = match self.record(*record).kind {
                    RecordKind::Struct => layout.fields.iter().collect(),
                    RecordKind::Union => {
                        let size = |field: &&Field| self.size(field.ty.id);
                        layout.fields.iter().rev().max_by_key(size).into_iter().collect()
                    }
                };
                let mut leaves: Vec<(u64, IntTy)> = Vec::new();
                for field in fields {
                    match field.bits {
                        // Bit-fields of one unit are copied once, with it.
                        Some(bits) => {
                            let leaf = (field.offset, bits.unit_ty());
                            if leaves.last() != Some(&leaf) {
                                leaves.push(leaf);
                            }
                        }
                        None => {
                            leaves.extend(
                                self.leaves(field.ty.id).iter().map(|(at, ty)| (at + field.offset, *ty)),
                            );
                        }
                    }
                }
                leaves
            }
            _ => match self.scalar(id) {
                Some(ty) => vec![(0, IntTy::unsigned(ty.bits))],
                None => (0..self.size(id).unwrap_or(0).div_ceil(8)).map(|i| (8 * i, IntTy::U64)).collect(),
            },
        }
    }

    /// Whether a record has an array anywhere in it.
    pub fn has_array(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Array(..) => true,
            Type::Record(record) => {
                let fields = self.record(*record).layout().map_or(&[][..], |layout| &layout.fields);
                fields.iter().any(|field| self.has_array(field.ty.id))
            }
            _ => false,
        }
    }
}

/// Lays out members one after the other.
struct Placer {
    /// First free bit of a struct.
    bit: u64,
    align: u64,
    /// Size of the largest member of a union.
    size: u64,
    union: bool,
    fields: Vec<Field>,
}

impl Placer {
    fn place(&mut self, types: &Types, spec: FieldSpec, packed: bool) {
        let packed = packed || spec.packed;
        let size = types.size(spec.ty.id).unwrap_or(0);
        let natural = if packed { 1 } else { types.align(spec.ty.id) };
        let align = natural.max(spec.align.unwrap_or(1));
        if self.union {
            self.bit = 0;
        }
        match spec.width {
            None => {
                let at = self.bit.div_ceil(8).next_multiple_of(align);
                self.bit = 8 * (at + size);
                self.align = self.align.max(align);
                self.fields.push(Field { name: spec.name, ty: spec.ty, offset: at, bits: None });
            }
            Some(0) => {
                // Closes the unit under way.
                self.bit = self.bit.next_multiple_of(8 * types.align(spec.ty.id));
            }
            Some(width) => self.place_bits(spec, width, size, align, packed),
        }
        self.size = self.size.max(self.bit.div_ceil(8));
    }

    fn place_bits(&mut self, spec: FieldSpec, width: u64, size: u64, align: u64, packed: bool) {
        // A bit-field does not cross a boundary of its declared type, unless packed.
        let unit_bits = 8 * size;
        if !packed && self.bit % unit_bits + width > unit_bits {
            self.bit = self.bit.next_multiple_of(unit_bits);
        }
        let start = self.bit;
        self.bit += width;
        let (offset, unit) = if packed {
            let first = start / 8;
            let bytes = (start % 8 + width).div_ceil(8);
            (first, bytes)
        } else {
            (start / unit_bits * size, size)
        };
        if let Some(name) = spec.name {
            self.align = self.align.max(align);
            let bits = BitField { low: (start - 8 * offset) as u8, width: width as u8, unit };
            self.fields.push(Field { name: Some(name), ty: spec.ty, offset, bits: Some(bits) });
        }
    }
}
