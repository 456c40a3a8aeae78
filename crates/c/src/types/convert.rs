//! Promotions, usual arithmetic conversions, and which types are compatible.

use super::{QualType, Rank, Type, TypeId, Types};
use crate::ast::{IntegerLength, IntegerLiteral, Qualifiers};

impl Types {
    /// The type after integer promotion: `int` for everything that fits one.
    pub(crate) fn promote(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Bool => self.int(),
            Type::Int { rank, .. } if *rank < Rank::Int => self.int(),
            Type::Enum { underlying, .. } => self.promote(*underlying),
            _ => id,
        }
    }

    /// The type of the value of a bit-field. What fits an `int` is one (C11 6.3.1.1); GCC computes with
    /// those that are wider in their own width, not in that of the declared type.
    pub(crate) fn of_bit_field(&mut self, declared: TypeId, width: u8) -> TypeId {
        let signed = self.scalar(declared).is_some_and(|ty| ty.signed);
        match width {
            0..32 => self.int(),
            32 if signed => self.int(),
            32 => self.unsigned_int(),
            64.. => self.promote(declared),
            _ => self.intern(Type::Bits { width, signed }),
        }
    }

    /// The type in which two integers are combined (C11 6.3.1.8).
    pub(crate) fn usual(&self, a: TypeId, b: TypeId) -> TypeId {
        let (a, b) = (self.promote(a), self.promote(b));
        if let (Some(x), Some(y)) = (self.scalar(a), self.scalar(b))
            && (matches!(self.get(a), Type::Bits { .. }) || matches!(self.get(b), Type::Bits { .. }))
        {
            // The wider one wins, and of two as wide the unsigned one.
            return if (x.bits, !x.signed) >= (y.bits, !y.signed) { a } else { b };
        }
        let (Type::Int { rank: rank_a, signed: signed_a }, Type::Int { rank: rank_b, signed: signed_b }) =
            (self.get(a), self.get(b))
        else {
            return if self.is_error(a) { b } else { a };
        };
        if signed_a == signed_b {
            return if rank_a >= rank_b { a } else { b };
        }
        let (signed, unsigned) = if *signed_a { (a, b) } else { (b, a) };
        let (rank_s, rank_u) = if *signed_a { (rank_a, rank_b) } else { (rank_b, rank_a) };
        if rank_u >= rank_s {
            unsigned
        } else if rank_s.bytes() > rank_u.bytes() {
            signed
        } else {
            // The unsigned type of the signed one's rank: only `long long` against `unsigned long`.
            self.unsigned_long_long()
        }
    }

    /// The type of an integer constant (C11 6.4.4.1).
    pub(crate) fn of_literal(&self, literal: IntegerLiteral) -> TypeId {
        let candidates = [
            (IntegerLength::Int, self.int(), self.unsigned_int()),
            (IntegerLength::Long, self.long(), self.unsigned_long()),
            (IntegerLength::LongLong, self.long_long(), self.unsigned_long_long()),
        ];
        let start = candidates.iter().position(|(length, ..)| *length == literal.length).unwrap_or(0);
        for (_, signed, unsigned) in &candidates[start..] {
            let bits = 8 * self.size(*signed).unwrap_or(8);
            if !literal.unsigned && literal.value >> (bits - 1) == 0 {
                return *signed;
            }
            let may_be_unsigned = literal.unsigned || !literal.decimal;
            if may_be_unsigned && (bits == 64 || literal.value >> bits == 0) {
                return *unsigned;
            }
        }
        self.unsigned_long_long()
    }

    /// Whether two types are the same but for qualifiers inside, open array lengths and parameters that
    /// one of two functions does not declare.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Pointer(x), Type::Pointer(y)) => self.compatible(x.id, y.id),
            (Type::Array(x, n), Type::Array(y, m)) => {
                self.compatible(x.id, y.id) && (n == m || n.is_none() || m.is_none())
            }
            (Type::Function(f), Type::Function(g)) => {
                let open = |f: &super::FunctionType| f.variadic && f.parameters.is_empty();
                let parameters = f.parameters.len() == g.parameters.len()
                    && f.parameters.iter().zip(&g.parameters).all(|(x, y)| self.compatible(x.id, y.id));
                self.compatible(f.result.id, g.result.id) && (parameters || open(f) || open(g))
            }
            (Type::Enum { underlying, .. }, Type::Int { .. }) => *underlying == b,
            (Type::Int { .. }, Type::Enum { underlying, .. }) => *underlying == a,
            _ => false,
        }
    }

    /// Whether two types are compatible as C11 6.2.7 has it, qualifiers included: what `_Generic` asks.
    pub(crate) fn same(&self, a: QualType, b: QualType) -> bool {
        let restrict = |q: Qualifiers| Qualifiers { is_restrict: false, ..q };
        if restrict(a.qualifiers) != restrict(b.qualifiers) {
            return false;
        }
        match (self.get(a.id), self.get(b.id)) {
            (Type::Pointer(x), Type::Pointer(y)) => self.same(*x, *y),
            (Type::Array(x, n), Type::Array(y, m)) => {
                self.same(*x, *y) && (n == m || n.is_none() || m.is_none())
            }
            _ => self.compatible(a.id, b.id),
        }
    }

    /// Whether an object of this type cannot be stored to.
    pub(crate) fn is_const(&self, ty: QualType) -> bool {
        match self.get(ty.id) {
            Type::Array(element, _) => ty.qualifiers.is_const || self.is_const(*element),
            _ => ty.qualifiers.is_const,
        }
    }

    /// The type that two declarations of one object give it together: an open array length is filled in.
    pub(crate) fn composite(&self, a: QualType, b: QualType) -> QualType {
        if self.size(a.id).is_none() { b } else { a }
    }

    /// The type that a value of this type has in an expression: arrays and functions become pointers,
    /// qualifiers go.
    pub(crate) fn decay(&mut self, ty: QualType) -> TypeId {
        match self.get(ty.id).clone() {
            Type::Array(element, _) => {
                let mut qualifiers = element.qualifiers;
                qualifiers.is_const |= ty.qualifiers.is_const;
                self.pointer(QualType { qualifiers, ..element })
            }
            Type::Function(_) => self.pointer(ty.id),
            _ => ty.id,
        }
    }

    /// The type with qualifiers added.
    pub(crate) fn qualify(&self, ty: QualType, more: Qualifiers) -> QualType {
        let q = ty.qualifiers;
        QualType {
            id: ty.id,
            align: ty.align,
            qualifiers: Qualifiers {
                is_const: q.is_const || more.is_const,
                is_volatile: q.is_volatile || more.is_volatile,
                is_restrict: q.is_restrict || more.is_restrict,
                is_atomic: q.is_atomic || more.is_atomic,
            },
        }
    }
}
