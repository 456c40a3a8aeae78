//! Subscripts and arithmetic on pointers: what is checked to stay inside.
//!
//! A subscript of an array of declared length is checked against that length. All other arithmetic on
//! pointers is checked to stay with the object that the pointer belongs to. Checks that cannot fail are left
//! out: of members and constant elements that are close to a pointer and are accessed right away, the access
//! itself finds those outside of the object.

use super::place::{Aim, Place, Reach, Target};
use super::{Lowerer, Value};
use crate::ast::Expr;
use crate::types::Type;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Operand, StmtKind, address};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

impl<'u> Lowerer<'u> {
    /// `array[index]`.
    pub(super) fn element(
        &mut self,
        array: &'u Expr,
        index: &'u Expr,
        aim: Aim,
        span: Span,
    ) -> Option<Place> {
        let array = self.resolve(array);
        let whole = match self.is_place(array) {
            true => {
                // A pointer is read, even where only the address of what it points to is wanted.
                let only = aim == Aim::Address && self.is_declared_array(array);
                Some(self.place_for(array, if only { Aim::Address } else { Aim::Access })?)
            }
            false => None,
        };
        if let Some(place) = whole
            && let Type::Array(element, Some(length)) = *self.types.get(place.ty.id)
            && let Target::Memory(addr) = place.target
        {
            let index = self.rvalue(index);
            let hack = length == 0 || length == 1 && place.last;
            if !hack && self.types.is_integer(index.ty) {
                let inner = matches!(self.types.get(element.id), Type::Array(..));
                let past = aim == Aim::Address || aim == Aim::Value && inner;
                let index = self.checked_index(index, length + u64::from(past), span);
                let size = self.size_of(element, span);
                let at = self.element_address(addr, index, size, span);
                let distance = |from: Reach| from.distance + size * length;
                let reach = place.reach.map(|from| Reach { distance: distance(from), ..from });
                return Some(Place { reach, last: false, ..Place::memory(element, at) });
            }
            let base = self.read(place, span);
            return self.moved(base, index, array.span, span);
        }
        let base = match whole {
            Some(place) => self.read(place, array.span),
            None => self.rvalue(array),
        };
        let index = self.rvalue(index);
        // `i[a]` is `a[i]`.
        let (base, index) = if self.types.pointee(base.ty).is_some() { (base, index) } else { (index, base) };
        self.moved(base, index, array.span, span)
    }

    /// What a pointer points to, so many elements further on.
    fn moved(&mut self, base: Value, index: Value, pointer: Span, span: Span) -> Option<Place> {
        let size = self.types.pointee(base.ty).and_then(|to| self.types.size(to.id));
        if let (super::Data::Word(Operand::Const(number)), Some(size)) = (index.data, size)
            && self.types.is_integer(index.ty)
            && let Some(distance) = number.bits().checked_mul(size).filter(|at| *at < address::MARGIN)
        {
            // Close enough: left to what happens to it.
            let from = self.operand(base, pointer);
            let place = self.deref(base, span, pointer)?;
            let at = self.offset(from, distance, span);
            let reach = Some(Reach { pointer: from, distance });
            return Some(Place { target: Target::Memory(at), reach, ..place });
        }
        let pointer_value = self.add_to_pointer(base, index, BinOp::Add, span)?;
        self.deref(pointer_value, span, pointer)
    }

    /// Whether an expression is an array whose length is known.
    pub(super) fn is_declared_array(&mut self, expr: &'u Expr) -> bool {
        self.is_place(expr) && {
            let ty = self.type_of(expr);
            matches!(self.types.get(ty.id), Type::Array(_, Some(_)))
        }
    }

    /// An index, checked to be less than a number.
    fn checked_index(&mut self, index: Value, limit: u64, span: Span) -> Operand {
        let long = self.types.long();
        let index = self.convert(index, long, span);
        let index = self.operand(index, span);
        // Negative numbers are large ones.
        let below = self.builder.op(PrimOp::Cmp(CmpOp::Lt, false), &[index, limit.into()], span);
        if below != Operand::from(1) {
            self.builder.emit(StmtKind::Assert { cond: below, fault: Fault::Index }, span);
        }
        index
    }

    /// The address of an element.
    fn element_address(&mut self, addr: Operand, index: Operand, size: u64, span: Span) -> Operand {
        let scaled = match size {
            1 => index,
            _ => self.builder.op(PrimOp::Bin(BinOp::Mul, IntTy::I64), &[index, size.into()], span),
        };
        self.builder.op(PrimOp::Bin(BinOp::Add, IntTy::U64), &[addr, scaled], span)
    }

    /// Checks that arithmetic on a pointer stays with its object.
    pub(super) fn check_move(&mut self, base: Operand, result: Operand, span: Span) {
        if let (Operand::Const(base), Operand::Const(result)) = (base, result) {
            let (base, result) = (base.bits(), result.bits());
            if self.is_same_global(base, result) || base.max(result) < address::NULL_END {
                return;
            }
        }
        if base != result {
            self.builder.emit(StmtKind::Within { base, result }, span);
        }
    }

    /// Checks a place whose address becomes a value.
    pub(super) fn check_address(&mut self, place: Place, span: Span) {
        if let (Some(reach), Target::Memory(addr)) = (place.reach, place.target) {
            // An offset from null is a number: `&((struct s *)0)->member`.
            if reach.pointer != Operand::from(0) {
                self.check_move(reach.pointer, addr, span);
            }
        }
    }

    /// Checks a place that is about to be accessed, unless the access finds out.
    pub(super) fn check_access(&mut self, place: Place, span: Span) {
        let (Target::Memory(addr) | Target::Bits(addr, _)) = place.target else { return };
        let size = self.types.size(place.ty.id).unwrap_or(1);
        if let Some(reach) = place.reach
            && reach.distance.saturating_add(size) > address::MARGIN
        {
            // A record is accessed from its start on, so that what is outside comes right behind its object.
            self.check_move(reach.pointer, addr, span);
        }
    }
}
