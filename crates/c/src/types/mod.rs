//! C types, their sizes and layouts for LP64 (System V), and the conversions between them.
//!
//! Types are interned: equal types have equal ids, except records and enumerations, each of which is a
//! type of its own.

mod convert;
mod placement;
mod record;
mod show;

pub(crate) use record::{BitField, Field, FieldSpec, Packing, Record, RecordId, words};

use crate::ast::{BasicType, Qualifiers, RecordKind};
use fencepost_lsl::value::IntTy;
use record::Records;
use rustc_hash::FxHashMap;

/// A type without qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TypeId(u32);

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct QualType {
    /// The type.
    pub id: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// The alignment that a typedef or type name gives it by an attribute, instead of its own.
    pub align: Option<u64>,
}

impl std::hash::Hash for QualType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let Qualifiers { is_const, is_volatile, is_restrict, is_atomic } = self.qualifiers;
        (self.id, is_const, is_volatile, is_restrict, is_atomic, self.align).hash(state);
    }
}

impl From<TypeId> for QualType {
    fn from(id: TypeId) -> QualType {
        QualType { id, qualifiers: Qualifiers::default(), align: None }
    }
}

/// The integer types by rank, besides `_Bool` and enumerations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    /// `char`; a type of its own, here signed.
    PlainChar,
    /// `signed char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `long long`.
    LongLong,
}

impl Rank {
    /// Size in bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Rank::PlainChar | Rank::Char => 1,
            Rank::Short => 2,
            Rank::Int => 4,
            Rank::Long | Rank::LongLong => 8,
        }
    }
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    /// No value.
    Void,
    /// `_Bool`.
    Bool,
    /// An integer.
    Int {
        /// Its rank.
        rank: Rank,
        /// Whether it has negative values.
        signed: bool,
    },
    /// A 128-bit integer, which can be copied and compared but not computed with.
    Int128 {
        /// Whether it has negative values.
        signed: bool,
    },
    /// The value of a bit-field wider than `int` and narrower than its type: GCC computes in its width.
    Bits {
        /// Its width.
        width: u8,
        /// Whether it has negative values.
        signed: bool,
    },
    /// An enumeration, kept in an `int` or `unsigned int`, or in the type given for it.
    Enum {
        /// Its number: each enumeration is a type of its own.
        number: u32,
        /// The integer type its values are kept in.
        underlying: TypeId,
    },
    /// A floating type of this many bytes, which can only be declared.
    Float(u64),
    /// A pointer.
    Pointer(QualType),
    /// An array; without length, incomplete.
    Array(QualType, Option<u64>),
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// `va_list`.
    VaList,
    /// The type of something that was reported already.
    Error,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FunctionType {
    /// What it returns.
    pub result: QualType,
    /// What it takes.
    pub parameters: Vec<QualType>,
    /// Whether more arguments may follow, or none are declared.
    pub variadic: bool,
}

/// All types of a unit.
pub(crate) struct Types {
    table: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    records: Records,
    /// Names of enumerations, for messages.
    enum_names: Vec<String>,
}

macro_rules! common_types {
    ($($(#[$doc:meta])* $name:ident = $type:expr;)*) => {
        /// Types that are always there.
        impl Types {
            $($(#[$doc])* pub(crate) fn $name(&self) -> TypeId { self.common($type) })*
        }
        const COMMON: &[Type] = &[$($type),*];
    };
}

common_types! {
    /// `void`.
    void = Type::Void;
    /// `_Bool`.
    bool = Type::Bool;
    /// `char`.
    char = Type::Int { rank: Rank::PlainChar, signed: true };
    /// `unsigned char`.
    unsigned_char = Type::Int { rank: Rank::Char, signed: false };
    /// `int`.
    int = Type::Int { rank: Rank::Int, signed: true };
    /// `unsigned int`.
    unsigned_int = Type::Int { rank: Rank::Int, signed: false };
    /// `long`.
    long = Type::Int { rank: Rank::Long, signed: true };
    /// `unsigned long`, which is `size_t`.
    unsigned_long = Type::Int { rank: Rank::Long, signed: false };
    /// `long long`.
    long_long = Type::Int { rank: Rank::LongLong, signed: true };
    /// `unsigned long long`.
    unsigned_long_long = Type::Int { rank: Rank::LongLong, signed: false };
    /// The type of something that was reported already.
    error = Type::Error;
    /// `va_list`.
    va_list = Type::VaList;
}

impl Default for Types {
    fn default() -> Types {
        let mut types = Types {
            table: Vec::new(),
            ids: FxHashMap::default(),
            records: Records::default(),
            enum_names: Vec::new(),
        };
        for ty in COMMON {
            types.intern(ty.clone());
        }
        types
    }
}

impl Types {
    fn common(&self, ty: Type) -> TypeId {
        self.ids[&ty]
    }

    /// The id of a type.
    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        *self.ids.entry(ty).or_insert_with_key(|ty| {
            self.table.push(ty.clone());
            TypeId(self.table.len() as u32 - 1)
        })
    }

    /// What a type is.
    pub(crate) fn get(&self, id: TypeId) -> &Type {
        &self.table[id.0 as usize]
    }

    /// The type of these keywords.
    pub(crate) fn basic(&mut self, basic: BasicType) -> TypeId {
        let int = |rank, signed| Type::Int { rank, signed };
        self.intern(match basic {
            BasicType::Void => Type::Void,
            BasicType::Bool => Type::Bool,
            BasicType::Char => int(Rank::PlainChar, true),
            BasicType::SignedChar => int(Rank::Char, true),
            BasicType::UnsignedChar => int(Rank::Char, false),
            BasicType::Short => int(Rank::Short, true),
            BasicType::UnsignedShort => int(Rank::Short, false),
            BasicType::Int => int(Rank::Int, true),
            BasicType::UnsignedInt => int(Rank::Int, false),
            BasicType::Long => int(Rank::Long, true),
            BasicType::UnsignedLong => int(Rank::Long, false),
            BasicType::LongLong => int(Rank::LongLong, true),
            BasicType::UnsignedLongLong => int(Rank::LongLong, false),
            BasicType::Int128 => Type::Int128 { signed: true },
            BasicType::UnsignedInt128 => Type::Int128 { signed: false },
            BasicType::Float => Type::Float(4),
            BasicType::Double => Type::Float(8),
            BasicType::LongDouble | BasicType::ExtendedFloat => Type::Float(16),
            BasicType::Complex => Type::Float(32),
        })
    }

    /// The pointer to a type.
    pub(crate) fn pointer(&mut self, to: impl Into<QualType>) -> TypeId {
        self.intern(Type::Pointer(to.into()))
    }

    /// An array of elements.
    pub(crate) fn array(&mut self, element: QualType, length: Option<u64>) -> TypeId {
        self.intern(Type::Array(element, length))
    }

    /// A new enumeration.
    pub(crate) fn new_enum(&mut self, name: String, underlying: TypeId) -> TypeId {
        self.enum_names.push(name);
        let number = self.enum_names.len() as u32 - 1;
        self.intern(Type::Enum { number, underlying })
    }

    /// Declares a record, whose members are still to come.
    pub(crate) fn declare_record(&mut self, kind: RecordKind, name: Option<String>) -> TypeId {
        let id = self.records.declare(kind, name);
        self.intern(Type::Record(id))
    }

    /// The record of this id.
    pub(crate) fn record(&self, id: RecordId) -> &Record {
        self.records.get(id)
    }

    /// Size in bytes; none for incomplete types and functions.
    pub(crate) fn size(&self, id: TypeId) -> Option<u64> {
        Some(match self.get(id) {
            Type::Void | Type::Function(_) => return None,
            Type::Bool => 1,
            Type::Int { rank, .. } => rank.bytes(),
            Type::Int128 { .. } => 16,
            Type::Bits { .. } => 8,
            Type::Enum { underlying, .. } => self.size(*underlying)?,
            Type::Float(bytes) => *bytes,
            Type::Pointer(_) => 8,
            Type::Array(element, length) => self.size(element.id)?.checked_mul((*length)?)?,
            Type::Record(record) => self.record(*record).layout()?.size,
            Type::VaList => 24,
            Type::Error => 8,
        })
    }

    /// Alignment in bytes; 1 for incomplete types. A typedef may raise or lower it. An atomic object is
    /// aligned to its size all the same, where that is one the processor accesses at once.
    pub(crate) fn align_of(&self, ty: QualType) -> u64 {
        let align = ty.align.unwrap_or_else(|| self.align(ty.id));
        match self.size(ty.id) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if ty.qualifiers.is_atomic => align.max(size),
            _ => align,
        }
    }

    /// Alignment in bytes of a type without qualifiers; 1 for incomplete types.
    pub(crate) fn align(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Array(element, _) => self.align_of(*element),
            Type::Record(record) => self.record(*record).layout().map_or(1, |layout| layout.align),
            Type::VaList => 8,
            Type::Void | Type::Function(_) => 1,
            _ => self.size(id).unwrap_or(1).min(16),
        }
    }

    /// Width and sign, if it is kept in a word as a number: integers, enumerations, pointers.
    pub(crate) fn scalar(&self, id: TypeId) -> Option<IntTy> {
        Some(match self.get(id) {
            Type::Bool => IntTy::U8,
            Type::Int { rank, signed } => IntTy { bits: 8 * rank.bytes() as u8, signed: *signed },
            Type::Bits { width, signed } => IntTy { bits: *width, signed: *signed },
            Type::Enum { underlying, .. } => return self.scalar(*underlying),
            Type::Pointer(_) | Type::Error => IntTy::U64,
            _ => return None,
        })
    }

    /// Whether it is a record whose value fits a machine word: such values are words.
    pub(crate) fn word_record(&self, id: TypeId) -> Option<IntTy> {
        match self.get(id) {
            Type::Record(_) => match self.size(id)? {
                size @ (1 | 2 | 4 | 8) => Some(IntTy::unsigned(8 * size as u8)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether values are words: scalars and records that fit one.
    pub(crate) fn word(&self, id: TypeId) -> Option<IntTy> {
        self.scalar(id).or_else(|| self.word_record(id))
    }

    /// Whether it is an integer type, enumerations and `_Bool` included.
    pub(crate) fn is_integer(&self, id: TypeId) -> bool {
        matches!(
            self.get(id),
            Type::Bool | Type::Int { .. } | Type::Bits { .. } | Type::Enum { .. } | Type::Error
        )
    }

    /// What a pointer points to.
    pub(crate) fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// Whether it is the type of something reported already.
    pub(crate) fn is_error(&self, id: TypeId) -> bool {
        *self.get(id) == Type::Error
    }
}
