//! Places: what can be read, written, or have its address taken.

use super::init::Init;
use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{BasicType, BinaryOp, Encoding, Expr, ExprKind, InitializerList, Symbol, UnaryOp};
use crate::types::{BitField, QualType, Type, TypeId};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Operand, Order, Reg, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its declared type.
    pub(super) ty: QualType,
    pub(super) target: Target,
    /// Whether it is a bit-field.
    pub(super) is_bit_field: bool,
    /// The pointer that its address was computed from, as long as nothing has checked that; none for parts of
    /// variables.
    pub(super) reach: Option<Reach>,
    /// Whether it stands at the end of all the records it is a part of, so that an array may go on behind it.
    pub(super) last: bool,
}

/// How far a place is from the pointer that leads to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub(super) pointer: Operand,
    /// At most so many bytes in front of the place.
    pub(super) distance: u64,
}

/// What is going to happen to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aim {
    /// It is read or written.
    Access,
    /// Its value is wanted: it is read, unless it is an array.
    Value,
    /// Only its address is taken.
    Address,
}

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// In memory, at an address.
    Memory(Operand),
    /// In memory, some bits of a unit at an address.
    Bits(Operand, BitField),
    /// A register.
    Register(Reg),
    /// Some bits of a register: a member of a record that lives in one.
    RegisterPart { reg: Reg, low: u8, bits: u8 },
    /// Some bits of a word that is no variable: a member of what a function returned.
    WordPart { word: Operand, low: u8, bits: u8 },
}

impl Place {
    pub(super) fn memory(ty: impl Into<QualType>, addr: impl Into<Operand>) -> Place {
        Place::at(ty.into(), Target::Memory(addr.into()))
    }

    /// A place that is a variable, or in one for sure.
    pub(super) fn at(ty: QualType, target: Target) -> Place {
        Place { ty, target, is_bit_field: false, reach: None, last: true }
    }
}

impl<'u> Lowerer<'u> {
    /// Whether an expression names a place, going by its form.
    pub(super) fn is_place(&mut self, expr: &'u Expr) -> bool {
        match &self.resolve(expr).kind {
            ExprKind::Name(symbol) => !matches!(
                self.scopes.find(*symbol),
                Some(Entity::Constant(..) | Entity::Function(_) | Entity::Typedef(..)) | None
            ),
            ExprKind::Unary(UnaryOp::Dereference, _)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral(..) => true,
            _ => false,
        }
    }

    /// The place that an expression names; reports if it names none.
    pub(super) fn place(&mut self, expr: &'u Expr) -> Option<Place> {
        self.place_for(expr, Aim::Access)
    }

    /// The place that an expression names, and what for.
    pub(super) fn place_for(&mut self, expr: &'u Expr, aim: Aim) -> Option<Place> {
        let expr = self.resolve(expr);
        match &expr.kind {
            ExprKind::Name(symbol) => self.named_place(*symbol, expr.span),
            ExprKind::Unary(UnaryOp::Dereference, pointer) => {
                // `*(a + i)` is `a[i]`.
                if let ExprKind::Binary(BinaryOp::Add, array, index) = &self.resolve(pointer).kind
                    && self.is_declared_array(array)
                {
                    return self.element(array, index, aim, expr.span);
                }
                let pointer_span = pointer.span;
                let pointer = self.rvalue(pointer);
                self.deref(pointer, expr.span, pointer_span)
            }
            ExprKind::Index { array, index } => self.element(array, index, aim, expr.span),
            ExprKind::Member { object, field, arrow } => self.member(object, *field, *arrow, aim, expr.span),
            ExprKind::String(text) => {
                let addr = self.string(text, expr.span);
                let element = self.character(text.encoding);
                let length = text.bytes.len() as u64 / text.encoding.element_size() as u64 + 1;
                let ty = self.types.array(element.into(), Some(length));
                Some(Place::memory(ty, addr))
            }
            ExprKind::CompoundLiteral(name, list) => {
                let ty = self.type_name(name);
                Some(self.compound_literal(ty, list, expr.span))
            }
            _ => {
                let value = self.rvalue(expr);
                self.value_place(value, expr.span)
            }
        }
    }

    /// The type of a character constant's or a string's elements; a plain constant is an `int`, though.
    pub(super) fn character(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.types.char(),
            Encoding::Utf16 => self.types.basic(BasicType::UnsignedShort),
            Encoding::Utf32 => self.types.unsigned_int(),
            Encoding::Wide => self.types.int(),
        }
    }

    /// The place of a record that is no variable: what a function returned, or the like.
    fn value_place(&mut self, value: Value, span: Span) -> Option<Place> {
        match (value.data, self.types.word_record(value.ty)) {
            (Data::Object(addr), _) => Some(Place::memory(value.ty, addr)),
            (Data::Word(word), Some(ty)) => {
                if self.types.fits_word(value.ty) {
                    let target = Target::WordPart { word, low: 0, bits: ty.bits };
                    return Some(Place::at(value.ty.into(), target));
                }
                let addr = self.temporary(value.ty.into(), span);
                self.builder.store(addr, word, ty, Order::Plain, span);
                Some(Place::memory(value.ty, addr))
            }
            _ if self.types.is_error(value.ty) => None,
            _ => {
                self.error(span, "expected something that can be assigned to");
                None
            }
        }
    }

    fn compound_literal(&mut self, ty: QualType, list: &'u InitializerList, span: Span) -> Place {
        let value = Init::List(list);
        let ty = self.complete_array(ty, Some(value));
        if self.scopes.is_file() {
            return self.static_literal(ty, list, span);
        }
        let (layout, size) = (Some(self.layout(ty.id)), self.size_of(ty, span));
        let (addr, _) = self.builder.block_object(size, self.types.align_of(ty), layout, span);
        self.dynamic_init(ty, addr.into(), value, span);
        Place::memory(ty, addr)
    }

    fn named_place(&mut self, symbol: Symbol, span: Span) -> Option<Place> {
        match self.scopes.find(symbol) {
            Some(Entity::Global { ty, addr, defined }) if defined || self.unevaluated > 0 => {
                self.use_object(addr);
                Some(Place::memory(ty, addr))
            }
            Some(Entity::Global { .. }) => {
                let text = self.text(symbol);
                let message = format!("`{text}` is declared `extern` and not defined here");
                self.report(
                    Diagnostic::error(span, message)
                        .help("define it in this file, or include the file that does"),
                );
                None
            }
            Some(Entity::Register { ty, reg }) => Some(Place::at(ty, Target::Register(reg))),
            Some(Entity::Stack { ty, addr }) => Some(Place::memory(ty, addr)),
            Some(Entity::CommandLine) => {
                let why = "a program is checked without a command line";
                self.unsupported(span, "an argument of `main`", why);
                None
            }
            Some(Entity::Error) => None,
            Some(Entity::Function(_) | Entity::Constant(..) | Entity::Typedef(..)) => {
                let text = self.text(symbol);
                self.error(span, format!("`{text}` is no variable"));
                None
            }
            None => {
                self.unknown_name(symbol, span);
                None
            }
        }
    }

    /// Reports a name that means nothing.
    pub(super) fn unknown_name(&mut self, symbol: Symbol, span: Span) {
        let text = self.text(symbol);
        let mut diagnostic = Diagnostic::error(span, format!("unknown name `{text}`"));
        let near = self.scopes.visible().map(|name| self.names.text(name));
        if let Some(similar) = crate::parse::similar(text, near) {
            diagnostic = diagnostic.help(format!("there is `{similar}`"));
        }
        self.report(diagnostic);
    }

    /// What a pointer points to.
    pub(super) fn deref(&mut self, pointer: Value, span: Span, pointer_span: Span) -> Option<Place> {
        match self.types.get(pointer.ty).clone() {
            Type::Pointer(to) if matches!(self.types.get(to.id), Type::Void) => {
                self.error(span, "a pointer to `void` is followed; cast it first");
                None
            }
            Type::Pointer(ty) => {
                let addr = self.operand(pointer, pointer_span);
                let reach = Some(Reach { pointer: addr, distance: 0 });
                Some(Place { reach, ..Place::memory(ty, addr) })
            }
            Type::Error => None,
            _ => {
                let shown = self.types.show(pointer.ty);
                self.error(span, format!("`*` needs a pointer, found `{shown}`"));
                None
            }
        }
    }

    /// The order of plain reads and writes of a place.
    fn order(&self, ty: QualType) -> Order {
        if ty.qualifiers.is_atomic { Order::SeqCst } else { Order::Plain }
    }

    /// The type of the value in a place of so many bits.
    fn value_type(&mut self, place: Place, bits: u8) -> TypeId {
        if place.is_bit_field { self.types.of_bit_field(place.ty.id, bits) } else { place.ty.id }
    }

    /// How a part of some bits is extended in a register.
    pub(super) fn part_ty(&self, ty: QualType, bits: u8) -> IntTy {
        IntTy { bits, signed: self.types.scalar(ty.id).is_some_and(|ty| ty.signed) }
    }

    /// The value in a place.
    pub(super) fn read(&mut self, place: Place, span: Span) -> Value {
        let ty = place.ty;
        if let Type::Array(..) | Type::Function(_) = self.types.get(ty.id) {
            // Arrays are read as pointers to their first element.
            let decayed = self.types.decay(ty);
            self.check_address(place, span);
            return match place.target {
                Target::Memory(addr) => Value::word(decayed, addr),
                _ => self.poison(),
            };
        }
        self.check_access(place, span);
        match place.target {
            Target::Memory(addr) => match self.types.word(ty.id) {
                Some(word) => {
                    let order = self.order(ty);
                    Value::word(ty.id, self.builder.load(addr, word, order, span))
                }
                None if matches!(self.types.get(ty.id), Type::Void) => self.nothing(),
                None if ty.qualifiers.is_atomic => {
                    // Read as a whole: into a copy, uninterrupted.
                    let copy = self.temporary(ty, span);
                    self.copy_atomically(copy, addr, ty, Order::SeqCst, Order::Plain, span);
                    Value { ty: ty.id, data: Data::Object(copy) }
                }
                None => Value { ty: ty.id, data: Data::Object(addr) },
            },
            Target::Bits(addr, bits) => {
                let part = self.part_ty(ty, bits.width);
                let word = self.read_bits(addr, bits, part, span);
                Value::word(self.value_type(place, bits.width), word)
            }
            Target::Register(reg) => {
                // A copy: the register may change before the value is used.
                Value::word(ty.id, self.builder.op(PrimOp::Copy, &[reg.into()], span))
            }
            Target::RegisterPart { reg, low, bits } => self.read_part(place, reg.into(), low, bits, span),
            Target::WordPart { word, low, bits } => self.read_part(place, word, low, bits, span),
        }
    }

    fn read_part(&mut self, place: Place, word: Operand, low: u8, bits: u8, span: Span) -> Value {
        let part = self.part_ty(place.ty, bits);
        let word = self.builder.op(PrimOp::Extract { low, ty: part }, &[word], span);
        Value::word(self.value_type(place, bits), word)
    }

    /// Writes a value, converted, to a place; returns what the place then holds.
    pub(super) fn write(&mut self, place: Place, value: Value, span: Span) -> Value {
        let value = self.convert(value, place.ty.id, span);
        let ty = place.ty;
        self.check_access(place, span);
        match (place.target, value.data) {
            (Target::Memory(addr), Data::Word(word)) => {
                if let Some(scalar) = self.types.word(ty.id) {
                    let order = self.order(ty);
                    self.builder.store(addr, word, scalar, order, span);
                }
            }
            (Target::Memory(addr), Data::Object(from)) => {
                if ty.qualifiers.is_atomic {
                    self.copy_atomically(addr, from, ty, Order::Plain, Order::SeqCst, span);
                } else {
                    self.copy_object(addr, from, ty, span);
                }
            }
            (Target::Bits(addr, bits), Data::Word(word)) => {
                self.write_bits(addr, bits, word, span);
                return self.written_part(place, word, bits.width, span);
            }
            (Target::Register(reg), Data::Word(word)) => self.builder.assign(reg, word, span),
            (Target::RegisterPart { reg, low, bits }, Data::Word(word)) => {
                let op = PrimOp::Insert { low, bits };
                self.builder.emit(StmtKind::Assign { dst: reg, op, args: vec![reg.into(), word] }, span);
                return self.written_part(place, word, bits, span);
            }
            (Target::WordPart { .. }, _) => {
                self.error(span, "what a function returned cannot be assigned to")
            }
            // Only records larger than a word lie in memory as values, and only `void` is nothing.
            _ => self.impossible(span, "a value does not fit the place it is written to"),
        }
        value
    }

    /// What a part of some bits holds after a word was written to it.
    fn written_part(&mut self, place: Place, word: Operand, bits: u8, span: Span) -> Value {
        let part = self.part_ty(place.ty, bits);
        let word = self.builder.op(PrimOp::Convert(part), &[word], span);
        Value::word(self.value_type(place, bits), word)
    }

    /// The address of a place; reports those that have none.
    pub(super) fn address_of(&mut self, place: Place, span: Span) -> Value {
        let pointer = self.types.pointer(place.ty);
        match place.target {
            _ if place.is_bit_field => {
                self.error(span, "a bit-field has no address");
                self.poison()
            }
            Target::Memory(addr) => {
                self.check_address(place, span);
                Value::word(pointer, addr)
            }
            // Only its type is wanted.
            Target::Register(_) | Target::RegisterPart { .. } if self.unevaluated > 0 => {
                Value::word(pointer, 0)
            }
            _ => {
                self.error(span, "this has no address");
                self.poison()
            }
        }
    }
}
