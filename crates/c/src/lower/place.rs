//! Places: what can be read, written, or have its address taken.

use super::init::Init;
use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind, Name, Symbol, UnaryOp};
use crate::types::{BitField, Field, QualType, Type};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Operand, Order, Reg, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) ty: QualType,
    pub(super) target: Target,
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

impl<'u> Lowerer<'u> {
    /// Whether an expression names a place, going by its form.
    pub(super) fn is_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(symbol) => !matches!(
                self.scopes.find(*symbol),
                Some(Entity::Constant(..) | Entity::Function(_) | Entity::Typedef(_)) | None
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
        match &expr.kind {
            ExprKind::Name(symbol) => self.named_place(*symbol, expr.span),
            ExprKind::Unary(UnaryOp::Dereference, pointer) => {
                let pointer_span = pointer.span;
                let pointer = self.rvalue(pointer);
                self.deref(pointer, expr.span, pointer_span)
            }
            ExprKind::Index { array, index } => self.element(array, index, expr.span),
            ExprKind::Member { object, field, arrow } => self.member(object, *field, *arrow, expr.span),
            ExprKind::String(text) => {
                let addr = self.string(text);
                let size = text.encoding.element_size() as u64;
                let element = match size {
                    1 => self.types.char(),
                    2 => self.types.basic(crate::ast::BasicType::UnsignedShort),
                    _ => self.types.int(),
                };
                let length = text.bytes.len() as u64 / size + 1;
                let ty = self.types.array(element.into(), Some(length)).into();
                Some(Place { ty, target: Target::Memory(addr.into()) })
            }
            ExprKind::CompoundLiteral(name, list) => {
                let ty = self.type_name(name);
                Some(self.compound_literal(ty, Init::List(list), expr.span))
            }
            _ => {
                let value = self.rvalue(expr);
                match value.data {
                    // A member of what a function returned, or the like.
                    Data::Object(addr) => Some(Place { ty: value.ty.into(), target: Target::Memory(addr) }),
                    Data::Word(word) if self.types.word_record(value.ty).is_some() => {
                        let bits = self.types.word_record(value.ty).map_or(64, |ty| ty.bits);
                        Some(Place { ty: value.ty.into(), target: Target::WordPart { word, low: 0, bits } })
                    }
                    _ if self.types.is_error(value.ty) => None,
                    _ => {
                        self.error(expr.span, "expected something that can be assigned to");
                        None
                    }
                }
            }
        }
    }

    fn compound_literal(&mut self, ty: QualType, value: Init<'u>, span: Span) -> Place {
        let ty = self.complete_array(ty, Some(value));
        let size = self.size_of(ty, span);
        if self.scopes.is_file() {
            // Outside of functions it exists from the start.
            let addr = self.place_global(size, self.types.align(ty.id));
            let mut init = Vec::new();
            for part in self.flatten(ty, value) {
                self.static_part(part, &mut init);
            }
            let layout = Some(self.layout(ty.id));
            let name = format!("literal@{addr:x}");
            let constant = ty.qualifiers.is_const;
            self.program.globals.push(fencepost_lsl::program::Global {
                name,
                addr,
                size,
                init,
                constant,
                layout,
            });
            return Place { ty, target: Target::Memory(addr.into()) };
        }
        let layout = Some(self.layout(ty.id));
        let addr = self.builder.stack(size, layout, span);
        self.dynamic_init(ty, addr.into(), value, span);
        Place { ty, target: Target::Memory(addr.into()) }
    }

    fn named_place(&mut self, symbol: Symbol, span: Span) -> Option<Place> {
        match self.scopes.find(symbol) {
            Some(Entity::Global { ty, addr, defined: true }) => {
                Some(Place { ty, target: Target::Memory(addr.into()) })
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
            Some(Entity::Register { ty, reg }) => Some(Place { ty, target: Target::Register(reg) }),
            Some(Entity::Stack { ty, addr }) => Some(Place { ty, target: Target::Memory(addr.into()) }),
            Some(Entity::Error) => None,
            Some(Entity::Function(_) | Entity::Constant(..) | Entity::Typedef(_)) => {
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
                Some(Place { ty, target: Target::Memory(addr) })
            }
            Type::Error => None,
            _ => {
                let shown = self.types.show(pointer.ty);
                self.error(span, format!("`*` needs a pointer, found `{shown}`"));
                None
            }
        }
    }

    fn element(&mut self, array: &'u Expr, index: &'u Expr, span: Span) -> Option<Place> {
        let (base, offset) = (self.rvalue(array), self.rvalue(index));
        // `i[a]` is `a[i]`.
        let (base, offset) =
            if self.types.pointee(base.ty).is_some() { (base, offset) } else { (offset, base) };
        let pointer = self.add_to_pointer(base, offset, BinOp::Add, span)?;
        self.deref(pointer, span, array.span)
    }

    fn member(&mut self, object: &'u Expr, field: Name, arrow: bool, span: Span) -> Option<Place> {
        let place = if arrow {
            let pointer = self.rvalue(object);
            self.deref(pointer, span, object.span)?
        } else {
            self.place(object)?
        };
        let Type::Record(record) = self.types.get(place.ty.id).clone() else {
            if !self.types.is_error(place.ty.id) {
                let (text, shown) = (self.text(field.symbol), self.types.show(place.ty));
                self.error(field.span, format!("`{shown}` has no member `{text}`"));
            }
            return None;
        };
        let Some(found) = self.types.find_field(record, field.symbol) else {
            let (text, shown) = (self.text(field.symbol), self.types.show(place.ty));
            let mut diagnostic = Diagnostic::error(field.span, format!("`{shown}` has no member `{text}`"));
            let fields = self.types.record(record).layout().map_or(&[][..], |layout| &layout.fields);
            let names = fields.iter().filter_map(|field| field.name).map(|name| self.names.text(name));
            if self.types.record(record).layout().is_none() {
                diagnostic = diagnostic.note("it is declared but not defined here");
            } else if let Some(similar) = crate::parse::similar(text, names) {
                diagnostic = diagnostic.help(format!("it has `{similar}`"));
            }
            self.report(diagnostic);
            return None;
        };
        Some(self.part(place, &found, span))
    }

    /// A member of a place.
    fn part(&mut self, place: Place, field: &Field, span: Span) -> Place {
        let mut qualifiers = field.ty.qualifiers;
        qualifiers.is_const |= place.ty.qualifiers.is_const;
        let ty = QualType { id: field.ty.id, qualifiers };
        let width = field
            .bits
            .map_or_else(|| self.types.word(field.ty.id).map_or(64, |ty| ty.bits), |bits| bits.width);
        let low = 8 * field.offset as u8 + field.bits.map_or(0, |bits| bits.low);
        let target = match place.target {
            Target::Memory(addr) => {
                let at = self.offset(addr, field.offset, span);
                match field.bits {
                    Some(bits) => Target::Bits(at, bits),
                    None => Target::Memory(at),
                }
            }
            Target::Register(reg) => Target::RegisterPart { reg, low, bits: width },
            Target::RegisterPart { reg, low: outer, .. } => {
                Target::RegisterPart { reg, low: outer + low, bits: width }
            }
            Target::WordPart { word, low: outer, .. } => {
                Target::WordPart { word, low: outer + low, bits: width }
            }
            // Bit-fields have no members.
            Target::Bits(..) => place.target,
        };
        Place { ty, target }
    }

    /// The order of plain reads and writes of a place.
    fn order(&self, ty: QualType) -> Order {
        if ty.qualifiers.is_atomic { Order::SeqCst } else { Order::Plain }
    }

    /// How a part of some bits is extended in a register.
    fn part_ty(&self, ty: QualType, bits: u8) -> IntTy {
        IntTy { bits, signed: self.types.scalar(ty.id).is_some_and(|ty| ty.signed) }
    }

    /// The value in a place.
    pub(super) fn read(&mut self, place: Place, span: Span) -> Value {
        let ty = place.ty;
        if let Type::Array(..) | Type::Function(_) = self.types.get(ty.id) {
            // Arrays are read as pointers to their first element.
            let decayed = self.types.decay(ty);
            return match place.target {
                Target::Memory(addr) => Value::word(decayed, addr),
                _ => self.poison(),
            };
        }
        match place.target {
            Target::Memory(addr) => match self.types.word(ty.id) {
                Some(word) => {
                    let order = self.order(ty);
                    Value::word(ty.id, self.builder.load(addr, word, order, span))
                }
                None if matches!(self.types.get(ty.id), Type::Void) => {
                    Value { ty: ty.id, data: Data::Nothing }
                }
                None if ty.qualifiers.is_atomic => {
                    // Read as a whole: into a copy, uninterrupted.
                    let copy = self.temporary(ty, span);
                    self.copy_atomically(copy, addr, ty, Order::SeqCst, Order::Plain, span);
                    Value { ty: ty.id, data: Data::Object(copy) }
                }
                None => Value { ty: ty.id, data: Data::Object(addr) },
            },
            Target::Bits(addr, bits) => {
                let unit = self.builder.load(addr, bits.unit_ty(), Order::Plain, span);
                let part = self.part_ty(ty, bits.width);
                Value::word(
                    ty.id,
                    self.builder.op(PrimOp::Extract { low: bits.low, ty: part }, &[unit], span),
                )
            }
            Target::Register(reg) => {
                // A copy: the register may change before the value is used.
                Value::word(ty.id, self.builder.op(PrimOp::Copy, &[reg.into()], span))
            }
            Target::RegisterPart { reg, low, bits } => {
                let part = self.part_ty(ty, bits);
                Value::word(ty.id, self.builder.op(PrimOp::Extract { low, ty: part }, &[reg.into()], span))
            }
            Target::WordPart { word, low, bits } => {
                let part = self.part_ty(ty, bits);
                Value::word(ty.id, self.builder.op(PrimOp::Extract { low, ty: part }, &[word], span))
            }
        }
    }

    /// Writes a value, converted, to a place; returns what was written.
    pub(super) fn write(&mut self, place: Place, value: Value, span: Span) -> Value {
        let value = self.convert(value, place.ty.id, span);
        let ty = place.ty;
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
                // As compilers do: the unit is read, changed and written back.
                let unit = bits.unit_ty();
                let before = self.builder.load(addr, unit, Order::Plain, span);
                let insert = PrimOp::Insert { low: bits.low, bits: bits.width };
                let after = self.builder.op(insert, &[before, word], span);
                self.builder.store(addr, after, unit, Order::Plain, span);
                let part = self.part_ty(ty, bits.width);
                return Value::word(ty.id, self.builder.op(PrimOp::Convert(part), &[word], span));
            }
            (Target::Register(reg), Data::Word(word)) => self.builder.assign(reg, word, span),
            (Target::RegisterPart { reg, low, bits }, Data::Word(word)) => {
                let op = PrimOp::Insert { low, bits };
                self.builder.emit(StmtKind::Assign { dst: reg, op, args: vec![reg.into(), word] }, span);
                let part = self.part_ty(ty, bits);
                return Value::word(ty.id, self.builder.op(PrimOp::Convert(part), &[word], span));
            }
            (Target::WordPart { .. }, _) => {
                self.error(span, "what a function returned cannot be assigned to")
            }
            _ => {}
        }
        value
    }

    /// The address of a place; reports those that have none.
    pub(super) fn address_of(&mut self, place: Place, span: Span) -> Value {
        let pointer = self.types.pointer(place.ty);
        match place.target {
            Target::Memory(addr) => Value::word(pointer, addr),
            Target::Bits(..) => {
                self.error(span, "a bit-field has no address");
                self.poison()
            }
            _ => {
                self.error(span, "this has no address");
                self.poison()
            }
        }
    }
}
