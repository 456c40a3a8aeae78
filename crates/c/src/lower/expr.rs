//! Expressions.

use super::place::{Aim, Place, Target};
use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{BinaryOp, Designator, Encoding, Expr, ExprKind, IntegerLiteral, Symbol, TypeName, UnaryOp};
use crate::types::{QualType, Type, TypeId};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::Order;
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, expr: &'u Expr) -> Value {
        let expr = self.resolve(expr);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Integer(literal) => self.integer(*literal, span),
            ExprKind::Character(literal) => {
                let ty = match literal.encoding {
                    Encoding::Plain => self.types.int(),
                    // One byte, but it has the type of an element all the same.
                    encoding => self.character(encoding),
                };
                Value::word(ty, literal.value as u64)
            }
            ExprKind::Float(_) => self.no_floats(span),
            ExprKind::Name(symbol) => self.name(*symbol, expr),
            ExprKind::String(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..)
            | ExprKind::Unary(UnaryOp::Dereference, _) => match self.place_for(expr, Aim::Value) {
                Some(place) => self.read(place, span),
                None => self.poison(),
            },
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Binary(BinaryOp::LogicalAnd, left, right) => self.logical(left, right, true, span),
            ExprKind::Binary(BinaryOp::LogicalOr, left, right) => self.logical(left, right, false, span),
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.rvalue(left), self.rvalue(right));
                self.binary(*op, a, b, span)
            }
            ExprKind::Assign { op, target, value } => self.assign(*op, target, value, span),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then.as_deref(), otherwise, span)
            }
            ExprKind::Comma(left, right) => {
                self.discard(left);
                self.rvalue(right)
            }
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ExprKind::Cast(name, operand) => self.cast(name, operand, span),
            ExprKind::SizeofType(name) => {
                let ty = self.type_name(name);
                self.size_constant(ty, name.span)
            }
            ExprKind::SizeofExpr(operand) => {
                let ty = self.type_of_object(operand, "sizeof");
                self.size_constant(ty, operand.span)
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                Value::word(self.types.unsigned_long(), self.types.align_of(ty))
            }
            ExprKind::AlignofExpr(operand) => {
                self.refuse_own_alignment(operand);
                let ty = self.type_of_object(operand, "_Alignof");
                Value::word(self.types.unsigned_long(), self.types.align_of(ty))
            }
            ExprKind::Generic { operand, .. } => self.no_choice(operand, span),
            ExprKind::Statements(block) => self.statement_expression(block),
            ExprKind::OffsetOf { record, path } => self.offset_of(record, path, span),
            ExprKind::TypesCompatible(a, b) => {
                // Qualifiers of the types themselves do not count.
                let (a, b) = (self.type_name(a), self.type_name(b));
                Value::word(self.types.int(), u64::from(self.types.same(a.id.into(), b.id.into())))
            }
            ExprKind::VaArg(list, _) => {
                self.discard(list);
                self.refuse_variadic("`va_arg`", span)
            }
            ExprKind::LabelAddress(_) => {
                self.unsupported(
                    span,
                    "the address of a label",
                    "jumps must be known when the program is read",
                );
                self.poison()
            }
        }
    }

    /// Reports, once a function, that it looks at arguments for which it has no parameters.
    pub(super) fn refuse_variadic(&mut self, what: &str, span: Span) -> Value {
        if !std::mem::replace(&mut self.builder.variadic_refused, true) {
            self.unsupported(span, what, "functions with a variable number of arguments cannot be followed");
        }
        self.poison()
    }

    /// Evaluates an expression whose value is not used. Places are read nevertheless (C11 6.3.2.1, 6.8.3): the read may be
    /// the fault.
    pub(super) fn discard(&mut self, expr: &'u Expr) {
        let expr = self.resolve(expr);
        match &expr.kind {
            ExprKind::String(_) => {}
            // `(void)argc;` only tells compilers that it is not used.
            ExprKind::Name(symbol) if matches!(self.scopes.find(*symbol), Some(Entity::CommandLine)) => {}
            ExprKind::Comma(left, right) => {
                self.discard(left);
                self.discard(right);
            }
            _ if self.is_place(expr) => {
                if let Some(place) = self.place(expr)
                    && let Target::Memory(_) | Target::Bits(..) = place.target
                {
                    let value = self.read(place, expr.span);
                    self.read_object(value, expr.span);
                }
            }
            ExprKind::Call { callee, arguments } => self.call_for_effect(callee, arguments, expr.span),
            ExprKind::Conditional { .. } | ExprKind::Statements(_) => {
                let value = self.rvalue(expr);
                self.read_object(value, expr.span);
            }
            _ => _ = self.rvalue(expr),
        }
    }

    /// Reads all of a value that is still in memory.
    fn read_object(&mut self, value: Value, span: Span) {
        let Data::Object(addr) = value.data else { return };
        for (offset, leaf) in self.types.leaves(value.ty) {
            let at = self.offset(addr, offset, span);
            self.builder.load(at, leaf, Order::Plain, span);
        }
    }

    fn integer(&mut self, literal: IntegerLiteral, span: Span) -> Value {
        if literal.decimal && !literal.unsigned && literal.value > i64::MAX as u64 {
            let diagnostic = Diagnostic::error(span, "this number is too large for a signed integer");
            self.report(diagnostic.help("add `u` to make it unsigned"));
        }
        Value::word(self.types.of_literal(literal), literal.value)
    }

    fn name(&mut self, symbol: Symbol, expr: &'u Expr) -> Value {
        match self.scopes.find(symbol) {
            Some(Entity::Constant(value, ty)) => Value::word(ty, value as u64),
            Some(Entity::Function(function)) => self.function_pointer(function, expr.span),
            _ => match self.place(expr) {
                Some(place) => self.read(place, expr.span),
                None => self.poison(),
            },
        }
    }

    fn function_pointer(&mut self, symbol: Symbol, span: Span) -> Value {
        let Some(declared) = self.functions.declared.get(&symbol) else { return self.poison() };
        let (ty, defined) = (declared.ty, declared.body.is_some());
        let pointer = self.types.pointer(ty);
        if self.unevaluated > 0 {
            return Value::word(pointer, 0);
        }
        if !defined {
            self.no_body(symbol, span);
        }
        let addr = self.function_address(symbol);
        Value::word(pointer, addr)
    }

    fn size_constant(&mut self, ty: QualType, span: Span) -> Value {
        let size = match self.types.size(ty.id) {
            Some(size) => size,
            None => self.size_of(ty, span),
        };
        Value::word(self.types.unsigned_long(), size)
    }

    fn unary(&mut self, op: UnaryOp, operand: &'u Expr, span: Span) -> Value {
        match op {
            UnaryOp::AddressOf => return self.take_address(operand, span),
            UnaryOp::PreIncrement => return self.step(operand, BinaryOp::Add, true, span),
            UnaryOp::PreDecrement => return self.step(operand, BinaryOp::Subtract, true, span),
            UnaryOp::PostIncrement => return self.step(operand, BinaryOp::Add, false, span),
            UnaryOp::PostDecrement => return self.step(operand, BinaryOp::Subtract, false, span),
            UnaryOp::Real | UnaryOp::Imaginary => {
                self.unsupported(span, "complex arithmetic", "values are integers and pointers");
                return self.poison();
            }
            UnaryOp::Not => {
                let value = self.rvalue(operand);
                let word = self.condition_word(value, operand.span);
                return Value::word(self.types.int(), self.builder.op(PrimOp::Not, &[word], span));
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Dereference => {}
        }
        let value = self.rvalue(operand);
        if self.is_wide(value.ty) {
            return match op {
                UnaryOp::BitNot => self.wide_not(value, span),
                UnaryOp::Plus => value,
                _ => {
                    self.refuse_wide(span);
                    self.poison()
                }
            };
        }
        if !self.types.is_integer(value.ty) {
            self.not_integer(value.ty, op.text(), operand.span);
            return self.poison();
        }
        let ty = self.types.promote(value.ty);
        let value = self.convert(value, ty, span);
        let word = self.operand(value, span);
        let scalar = self.scalar(ty, span);
        let result = match op {
            UnaryOp::Minus => self.builder.op(PrimOp::Neg(scalar), &[word], span),
            UnaryOp::BitNot => self.builder.op(PrimOp::BitNot(scalar), &[word], span),
            _ => word,
        };
        Value::word(ty, result)
    }

    /// Reports an operand that must be an integer and is none.
    pub(super) fn not_integer(&mut self, ty: TypeId, op: &str, span: Span) {
        if let Type::Float(_) = self.types.get(ty) {
            self.no_floats(span);
        } else {
            let shown = self.types.show(ty);
            self.error(span, format!("`{op}` needs integers, found `{shown}`"));
        }
    }

    fn take_address(&mut self, operand: &'u Expr, span: Span) -> Value {
        let operand = self.resolve(operand);
        if let ExprKind::Name(symbol) = operand.kind {
            match self.scopes.find(symbol) {
                Some(Entity::Function(function)) => return self.function_pointer(function, span),
                None => {
                    self.unknown_name(symbol, operand.span);
                    return self.poison();
                }
                _ => {}
            }
        }
        if !self.is_place(operand) {
            self.error(operand.span, "`&` needs something that has an address");
            return self.poison();
        }
        match self.place_for(operand, Aim::Address) {
            Some(place) => self.address_of(place, span),
            None => self.poison(),
        }
    }

    /// `++` and `--`.
    fn step(&mut self, target: &'u Expr, op: BinaryOp, before: bool, span: Span) -> Value {
        let Some(place) = self.assignable(target) else { return self.poison() };
        let one = Value::word(self.types.int(), 1);
        if place.ty.qualifiers.is_atomic
            && let Target::Memory(addr) = place.target
        {
            self.check_access(place, span);
            let (old, new) = self.modify_atomically(addr, place.ty, op, one, span);
            return if before { new } else { old };
        }
        let old = self.read(place, span);
        let sum = self.binary(op, old, one, span);
        let new = self.write(place, sum, span);
        if before { new } else { old }
    }

    fn assign(&mut self, op: Option<BinaryOp>, target: &'u Expr, value: &'u Expr, span: Span) -> Value {
        let value = self.rvalue(value);
        let Some(place) = self.assignable(target) else { return self.poison() };
        let Some(op) = op else { return self.write(place, value, span) };
        if place.ty.qualifiers.is_atomic
            && let Target::Memory(addr) = place.target
        {
            self.check_access(place, span);
            return self.modify_atomically(addr, place.ty, op, value, span).1;
        }
        let old = self.read(place, target.span);
        let result = self.binary(op, old, value, span);
        self.write(place, result, span)
    }

    /// The place that an assignment writes to.
    fn assignable(&mut self, target: &'u Expr) -> Option<Place> {
        let place = self.place(target)?;
        if self.types.is_const(place.ty) {
            let shown = self.types.show(place.ty);
            self.error(target.span, format!("assignment to something of type `{shown}`"));
            return None;
        }
        if let Type::Array(..) = self.types.get(place.ty.id) {
            self.error(target.span, "an array cannot be assigned to");
            return None;
        }
        Some(place)
    }

    fn cast(&mut self, name: &'u TypeName, operand: &'u Expr, span: Span) -> Value {
        let ty = self.type_name(name);
        if let Type::Void = self.types.get(ty.id) {
            self.discard(operand);
            return Value { ty: ty.id, data: Data::Nothing };
        }
        let value = self.rvalue(operand);
        self.convert(value, ty.id, span)
    }

    fn offset_of(&mut self, record: &'u TypeName, path: &'u [Designator], span: Span) -> Value {
        let size_t = self.types.unsigned_long();
        let mut ty = self.type_name(record);
        let mut offset = 0u64;
        for step in path {
            match (step, self.types.get(ty.id).clone()) {
                (_, Type::Error) => return self.poison(),
                (Designator::Field(name), Type::Record(record)) => {
                    let Some(field) = self.find_member(record, ty, *name) else { return self.poison() };
                    if field.bits.is_some() {
                        self.error(name.span, "a bit-field has no offset");
                        return self.poison();
                    }
                    offset += field.offset;
                    ty = field.ty;
                }
                (Designator::Index(index), Type::Array(element, _)) => {
                    let Some(index) = self.constant(index) else { return self.poison() };
                    let size = self.types.size(element.id).unwrap_or(0);
                    offset = offset.wrapping_add(index.bits.wrapping_mul(size));
                    ty = element;
                }
                _ => {
                    self.error(span, "`offsetof` needs a member of a struct or union");
                    return self.poison();
                }
            }
        }
        Value::word(size_t, offset)
    }
}
