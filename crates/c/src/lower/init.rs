//! Initial values: of objects that exist from the start, of variables in registers and in memory.

pub(super) use super::initializer::Init;

use super::initializer::Source;
use super::place::{Place, Target};
use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind};
use crate::types::{BitField, QualType, Type, words};
use fencepost_lsl::memory::Object;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{self, InitPart, Operand, Order};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{self, IntTy};
use rustc_hash::FxHashSet;

impl<'u> Lowerer<'u> {
    /// An array of open length gets it from its initialiser.
    pub(super) fn complete_array(&mut self, ty: QualType, value: Option<Init<'u>>) -> QualType {
        match (self.types.get(ty.id).clone(), value) {
            (Type::Array(element, None), Some(value)) => {
                let length = self.initialized_length(element, value);
                QualType { id: self.types.array(element, Some(length)), ..ty }
            }
            _ => ty,
        }
    }

    /// The size of an object: an array of open length at the end of a record takes what it is given.
    pub(super) fn object_size(&mut self, ty: QualType, value: Option<Init<'u>>, span: Span) -> u64 {
        let size = self.size_of(ty, span);
        let (Some(value), true) = (value, self.has_open_end(ty)) else { return size };
        let mut end = size;
        for part in self.flatten(ty, value) {
            let bytes = match (part.source, self.types.size(part.ty.id)) {
                (_, Some(bytes)) => bytes,
                (Source::Bytes(bytes), None) => bytes.len() as u64 + 1,
                (Source::Expr(_), None) => 0,
            };
            end = part.offsets().map(|at| at + bytes).fold(end, u64::max);
        }
        end
    }

    fn has_open_end(&self, ty: QualType) -> bool {
        let Type::Record(record) = self.types.get(ty.id) else { return false };
        let last = self.types.record(*record).layout().and_then(|layout| layout.fields.last());
        last.is_some_and(|field| {
            matches!(self.types.get(field.ty.id), Type::Array(_, None)) || self.has_open_end(field.ty)
        })
    }

    /// The initial value of an object of some size, as pieces.
    pub(super) fn static_init(&mut self, ty: QualType, size: u64, value: Init<'u>) -> Vec<InitPart> {
        let covered = self.types.size(ty.id).unwrap_or(0);
        if covered > size {
            // It was reported to be too large.
            return Vec::new();
        }
        let mut image = Object::new(0, size, program::Place::Global, true, None);
        self.fill_image(ty, 0, value, &mut image);
        let mut pieces = self.types.covering(ty.id);
        pieces.extend(words(size.saturating_sub(covered)).map(|(at, ty)| (covered + at, ty)));
        let parts =
            pieces.into_iter().map(|(offset, ty)| InitPart { offset, ty, value: image.read(offset, ty) });
        parts.filter(|part| part.value != value::Value::ZERO).collect()
    }

    /// Writes an initialiser to the image of an object.
    fn fill_image(&mut self, ty: QualType, at: u64, value: Init<'u>, image: &mut Object) {
        for part in self.flatten(ty, value) {
            let expr = match part.source {
                Source::Bytes(bytes) => {
                    for offset in part.offsets() {
                        for (i, &byte) in bytes.iter().enumerate() {
                            let value = value::Value::new(byte.into());
                            write_image(image, at + offset + i as u64, IntTy::U8, value);
                        }
                    }
                    continue;
                }
                Source::Expr(expr) => expr,
            };
            for offset in part.offsets().collect::<Vec<_>>() {
                self.fill_part(part.ty, at + offset, part.bits, expr, image);
            }
        }
    }

    fn fill_part(
        &mut self,
        ty: QualType,
        at: u64,
        bits: Option<BitField>,
        expr: &'u Expr,
        image: &mut Object,
    ) {
        // `static struct s x = (struct s){ … };`
        if let ExprKind::CompoundLiteral(name, list) = &self.resolve(expr).kind
            && self.is_aggregate(ty)
        {
            let literal = self.type_name(name);
            if !self.types.compatible(literal.id, ty.id) {
                let (is, wanted) = (self.types.show(literal.id), self.types.show(ty.id));
                return self.error(expr.span, format!("expected `{wanted}`, found `{is}`"));
            }
            return self.fill_image(literal, at, Init::List(list), image);
        }
        let wide = self.is_wide(ty.id);
        if self.types.scalar(ty.id).is_none() && !wide {
            if let Type::Float(_) = self.types.get(ty.id) {
                self.no_floats(expr.span);
                return;
            }
            return self.error(expr.span, "the initial value of a global must be a constant");
        }
        let Some(constant) = self.constant(expr) else { return };
        let value = Value::word(constant.ty, constant.bits);
        if wide {
            let signed = self.types.scalar(constant.ty).is_some_and(|ty| ty.signed);
            let high = if signed { ((constant.bits as i64) >> 63) as u64 } else { 0 };
            write_image(image, at, IntTy::U64, value::Value::new(constant.bits));
            return write_image(image, at + 8, IntTy::U64, value::Value::new(high));
        }
        let value = self.convert(value, ty.id, expr.span);
        let (Data::Word(Operand::Const(word)), Some(scalar)) = (value.data, self.types.scalar(ty.id)) else {
            return;
        };
        let Some(bits) = bits else { return write_image(image, at, scalar, word) };
        for piece in bits.pieces() {
            let part = word.bits() >> piece.at;
            let before = image.read(at + piece.offset, piece.ty);
            let insert = PrimOp::Insert { low: piece.low, bits: piece.bits };
            if let Ok(after) = insert.eval(&[before, value::Value::new(part)]) {
                write_image(image, at + piece.offset, piece.ty, after);
            }
        }
    }

    /// The initial value of a variable in a register.
    pub(super) fn register_init(&mut self, ty: QualType, value: Init<'u>) -> Operand {
        let mut word: Operand = 0.into();
        for part in self.flatten(ty, value) {
            let Source::Expr(expr) = part.source else { continue };
            let value = self.rvalue(expr);
            let value = self.convert(value, part.ty.id, expr.span);
            let operand = self.operand(value, expr.span);
            if part.ty.id == ty.id && part.offset == 0 {
                word = operand;
                continue;
            }
            let low = 8 * part.offset as u8 + part.bits.map_or(0, |bits| bits.low);
            let width = self.types.word(part.ty.id).map_or(64, |ty| ty.bits);
            let bits = part.bits.map_or(width, |bits| bits.width);
            word = self.builder.op(PrimOp::Insert { low, bits }, &[word, operand], expr.span);
        }
        word
    }

    /// Gives a local object in memory its initial value.
    pub(super) fn dynamic_init(&mut self, ty: QualType, addr: Operand, value: Init<'u>, span: Span) {
        let parts = self.flatten(ty, value);
        let whole =
            matches!((value, &parts[..]), (Init::Expr(_), [part]) if matches!(part.source, Source::Expr(_)));
        if self.is_aggregate(ty) && !whole {
            // What no value is given for is zero.
            let mut given: FxHashSet<(u64, u64)> = FxHashSet::default();
            for part in parts.iter().filter(|part| part.bits.is_none()) {
                if let (Source::Expr(_), Some(size)) = (part.source, self.types.size(part.ty.id))
                    && self.types.scalar(part.ty.id).is_some()
                {
                    given.extend(part.offsets().map(|at| (at, size)));
                }
            }
            for (offset, leaf) in self.types.leaves(ty.id) {
                if !given.contains(&(offset, leaf.bytes())) {
                    let at = self.offset(addr, offset, span);
                    self.builder.store(at, 0.into(), leaf, Order::Plain, span);
                }
            }
        }
        for part in parts {
            let offsets: Vec<u64> = part.offsets().collect();
            match part.source {
                Source::Bytes(bytes) => {
                    for at in offsets {
                        for (i, &byte) in bytes.iter().enumerate() {
                            let at = self.offset(addr, at + i as u64, span);
                            self.builder.store(at, u64::from(byte).into(), IntTy::U8, Order::Plain, span);
                        }
                    }
                }
                Source::Expr(expr) => {
                    let value = self.rvalue(expr);
                    // Initialisation is no atomic access, even of an atomic object.
                    let mut ty = part.ty;
                    ty.qualifiers.is_atomic = false;
                    for at in offsets {
                        let at = self.offset(addr, at, expr.span);
                        let target = match part.bits {
                            None => Target::Memory(at),
                            Some(bits) => Target::Bits(at, bits),
                        };
                        let place = Place { is_bit_field: part.bits.is_some(), ..Place::at(ty, target) };
                        self.write(place, value, expr.span);
                    }
                }
            }
        }
    }
}

/// Writes to the image of an object; what lies outside was reported.
fn write_image(image: &mut Object, at: u64, ty: IntTy, value: value::Value) {
    if at + ty.bytes() <= image.size() {
        image.write(at, ty, value);
    }
}
