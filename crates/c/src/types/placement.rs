//! Where the members of a struct or union lie (System V ABI for x86-64, as GCC implements it), and in
//! which units bit-fields are accessed.
//!
//! Bit-fields are packed from the low bits on; one that would reach across more units of its declared type's alignment than the
//! type itself takes starts at the next unit, unless it is packed. A bit-field is accessed through its declared type, as the ABI
//! describes it, as long as that touches no member but bit-fields next to it: C11 (3.14) makes all others memory locations of
//! their own, also those behind a bit-field of no bits. Otherwise it is accessed through fewer bytes.

use super::record::{BitField, Field, FieldSpec, Packing, RecordLayout};
use super::{Types, record};
use crate::ast::RecordKind;

/// A member with its place, in bits.
struct Placed {
    spec: FieldSpec,
    /// First bit.
    start: u64,
    /// First bit behind it.
    end: u64,
    /// Whether it may cross boundaries of its declared type.
    crossing: bool,
}

/// Lays out members one after the other.
struct Placer<'t> {
    types: &'t Types,
    union: bool,
    packing: Packing,
    /// First free bit of a struct.
    bit: u64,
    align: u64,
    /// End of the furthest member, in bits.
    end: u64,
    placed: Vec<Placed>,
}

/// The layout of a record with these members.
pub(super) fn lay_out(
    types: &Types,
    kind: RecordKind,
    fields: Vec<FieldSpec>,
    packing: Packing,
    align: Option<u64>,
) -> RecordLayout {
    let union = kind == RecordKind::Union;
    let mut placer = Placer { types, union, packing, bit: 0, align: 1, end: 0, placed: Vec::new() };
    for spec in fields {
        placer.place(spec);
    }
    let align = placer.align.max(align.unwrap_or(1));
    let size = placer.end.div_ceil(8).next_multiple_of(align);
    RecordLayout { fields: placer.fields(size), size, align }
}

impl Placer<'_> {
    fn place(&mut self, spec: FieldSpec) {
        if self.union {
            self.bit = 0;
        }
        let size = self.types.size(spec.ty.id).unwrap_or(0);
        let declared = self.types.align_of(spec.ty);
        let packed = spec.packed || self.packing.packed;
        let natural = if packed { 1 } else { declared };
        let natural = self.packing.limit.map_or(natural, |limit| natural.min(limit));
        let align = natural.max(spec.align.unwrap_or(1));
        match spec.width {
            None => {
                let start = self.bit.next_multiple_of(8 * align);
                self.align = self.align.max(align);
                self.push(spec, start, start + 8 * size, false);
            }
            // Closes the unit under way, even of a packed record, and the memory location.
            Some(0) => {
                let start = self.bit.next_multiple_of(8 * declared);
                self.push(spec, start, start, false);
            }
            Some(width) => {
                // GCC drops the rule about boundaries as soon as a pragma limits alignments.
                let crossing = packed || self.packing.limit.is_some();
                if let Some(asked) = spec.align {
                    self.bit = self.bit.next_multiple_of(8 * asked);
                }
                // A typedef may align its type to less or to more than its size.
                let unit = 8 * declared;
                if !crossing && (self.bit % unit + width).div_ceil(unit) > size / declared {
                    self.bit = self.bit.next_multiple_of(unit);
                }
                if spec.name.is_some() {
                    self.align = self.align.max(align);
                }
                let start = self.bit;
                self.push(spec, start, start + width, crossing);
            }
        }
        self.end = self.end.max(self.bit);
    }

    fn push(&mut self, spec: FieldSpec, start: u64, end: u64, crossing: bool) {
        self.bit = end;
        self.placed.push(Placed { spec, start, end, crossing });
    }

    /// The members, with units for bit-fields. Fillers without a name are left out.
    fn fields(&self, size: u64) -> Vec<Field> {
        let mut fields = Vec::new();
        for (index, placed) in self.placed.iter().enumerate() {
            let Placed { spec, start, end, .. } = placed;
            let (offset, bits) = match spec.width {
                None => (start / 8, None),
                Some(_) if spec.name.is_none() => continue,
                Some(width) => {
                    let (from, to) = self.unit(index, size);
                    let bits =
                        BitField { low: (start - 8 * from) as u8, width: width as u8, unit: to - from };
                    debug_assert!(*end <= 8 * to);
                    (from, Some(bits))
                }
            };
            fields.push(Field { name: spec.name, ty: spec.ty, offset, bits });
        }
        fields
    }

    /// The bytes through which a bit-field is accessed.
    fn unit(&self, index: usize, size: u64) -> (u64, u64) {
        let Placed { spec, start, end, crossing } = &self.placed[index];
        // The bytes that belong to bit-fields next to it, without one of no bits between, or to nobody.
        let (mut low, mut high) = (0, size);
        if !self.union {
            let others = |placed: &&Placed| matches!(placed.spec.width, None | Some(0));
            low = self.placed[..index].iter().rev().find(others).map_or(0, |before| before.end / 8);
            high = self.placed[index..].iter().find(others).map_or(size, |behind| behind.start / 8);
        }
        let inside = |from: u64, bytes: u64| {
            (low <= from && from + bytes <= high && *end <= 8 * (from + bytes))
                .then_some((from, from + bytes))
        };
        let declared = self.types.size(spec.ty.id).unwrap_or(1);
        let own = (!crossing).then(|| inside(start / (8 * declared) * declared, declared)).flatten();
        let aligned = || [1, 2, 4, 8].into_iter().find_map(|bytes| inside(start / 8 / bytes * bytes, bytes));
        own.or_else(aligned).unwrap_or((start / 8, end.div_ceil(8)))
    }
}

impl Types {
    /// Gives a record its members. Their types must be complete, but for an array of open length at the
    /// end.
    pub(crate) fn complete_record(
        &mut self,
        id: record::RecordId,
        fields: Vec<FieldSpec>,
        packing: Packing,
        align: Option<u64>,
    ) {
        let layout = lay_out(self, self.record(id).kind, fields, packing, align);
        self.records.set_layout(id, layout);
    }
}
