//! Expressions, evaluated from left to right.

use super::place::Target;
use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{BinaryOp, Designator, Expr, ExprKind, StringLiteral, Symbol, TypeName, UnaryOp};
use crate::types::Type;
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Global, InitPart, Operand};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{self, IntTy};

impl<'u> Lowerer<'u> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, expr: &'u Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Integer(literal) => Value::word(self.types.of_literal(*literal), literal.value),
            ExprKind::Character(literal) => Value::word(self.types.int(), literal.value as u64),
            ExprKind::Float(_) => {
                self.unsupported(span, "floating-point arithmetic", "values are integers and pointers");
                self.poison()
            }
            ExprKind::Name(symbol) => self.name(*symbol, expr),
            ExprKind::String(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..)
            | ExprKind::Unary(UnaryOp::Dereference, _) => match self.place(expr) {
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
                let ty = self.type_of(operand);
                self.size_constant(ty, operand.span)
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                Value::word(self.types.unsigned_long(), self.types.align(ty.id))
            }
            ExprKind::AlignofExpr(operand) => {
                let ty = self.type_of(operand);
                Value::word(self.types.unsigned_long(), self.types.align(ty.id))
            }
            ExprKind::Generic { operand, choices } => self.generic(operand, choices, span),
            ExprKind::Statements(block) => self.statement_expression(block),
            ExprKind::OffsetOf { record, path } => self.offset_of(record, path, span),
            ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                Value::word(self.types.int(), u64::from(self.types.compatible(a.id, b.id)))
            }
            ExprKind::VaArg(..) => {
                self.unsupported(
                    span,
                    "`va_arg`",
                    "functions with a variable number of arguments cannot be followed",
                );
                self.poison()
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

    /// Evaluates an expression for its effects alone.
    pub(super) fn discard(&mut self, expr: &'u Expr) {
        // `*p;` and `x;` still read, as a volatile access must.
        self.rvalue(expr);
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
        if !defined {
            self.no_body(symbol, span);
        }
        let pointer = self.types.pointer(ty);
        let addr = self.function_address(symbol);
        Value::word(pointer, addr)
    }

    fn size_constant(&mut self, ty: crate::types::QualType, span: Span) -> Value {
        let size = self.size_of(ty, span);
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
        if !self.types.is_integer(value.ty) {
            let shown = self.types.show(value.ty);
            self.not_integer(&shown, op.text(), operand.span);
            return self.poison();
        }
        let ty = self.types.promote(value.ty);
        let value = self.convert(value, ty, span);
        let word = self.operand(value, span);
        let scalar = self.types.scalar(ty).unwrap_or(IntTy::U64);
        let result = match op {
            UnaryOp::Minus => self.builder.op(PrimOp::Neg(scalar), &[word], span),
            UnaryOp::BitNot => self.builder.op(PrimOp::BitNot(scalar), &[word], span),
            _ => word,
        };
        Value::word(ty, result)
    }

    pub(super) fn not_integer(&mut self, shown: &str, op: &str, span: Span) {
        if shown.contains("float") || shown.contains("double") {
            self.unsupported(span, "floating-point arithmetic", "values are integers and pointers");
        } else {
            self.error(span, format!("`{op}` needs integers, found `{shown}`"));
        }
    }

    fn take_address(&mut self, operand: &'u Expr, span: Span) -> Value {
        if let ExprKind::Name(symbol) = operand.kind
            && let Some(Entity::Function(function)) = self.scopes.find(symbol)
        {
            return self.function_pointer(function, span);
        }
        if !self.is_place(operand) {
            self.error(operand.span, "`&` needs something that has an address");
            return self.poison();
        }
        match self.place(operand) {
            Some(place) => self.address_of(place, span),
            None => self.poison(),
        }
    }

    /// `++` and `--`.
    fn step(&mut self, target: &'u Expr, op: BinaryOp, before: bool, span: Span) -> Value {
        let Some(place) = self.place(target) else { return self.poison() };
        let one = Value::word(self.types.int(), 1);
        if place.ty.qualifiers.is_atomic
            && let Target::Memory(addr) = place.target
        {
            let (old, new) = self.modify_atomically(addr, place.ty, op, one, span);
            return if before { new } else { old };
        }
        let old = self.read(place, span);
        let sum = self.binary(op, old, one, span);
        let new = self.write(place, sum, span);
        if before { new } else { old }
    }

    fn assign(&mut self, op: Option<BinaryOp>, target: &'u Expr, value: &'u Expr, span: Span) -> Value {
        let Some(op) = op else {
            // The value first, so that its loads stand before the store's address in the trace.
            let value = self.rvalue(value);
            let Some(place) = self.assignable(target) else { return self.poison() };
            return self.write(place, value, span);
        };
        let Some(place) = self.assignable(target) else { return self.poison() };
        if place.ty.qualifiers.is_atomic
            && let Target::Memory(addr) = place.target
        {
            let value = self.rvalue(value);
            return self.modify_atomically(addr, place.ty, op, value, span).1;
        }
        let old = self.read(place, target.span);
        let value = self.rvalue(value);
        let result = self.binary(op, old, value, span);
        self.write(place, result, span)
    }

    /// The place that an assignment writes to.
    fn assignable(&mut self, target: &'u Expr) -> Option<super::place::Place> {
        let place = self.place(target)?;
        if place.ty.qualifiers.is_const {
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

    /// A value as a condition: the word that is zero or not.
    pub(super) fn condition_word(&mut self, value: Value, span: Span) -> Operand {
        if self.types.scalar(value.ty).is_none() && !self.types.is_error(value.ty) {
            let shown = self.types.show(value.ty);
            if matches!(self.types.get(value.ty), Type::Float(_)) {
                self.unsupported(span, "floating-point arithmetic", "values are integers and pointers");
            } else {
                self.error(span, format!("expected a condition, found `{shown}`"));
            }
            return 0.into();
        }
        self.operand(value, span)
    }

    /// The truth of an expression, as zero or one.
    pub(super) fn truth(&mut self, expr: &'u Expr) -> Operand {
        let value = self.rvalue(expr);
        let word = self.condition_word(value, expr.span);
        match self.types.get(value.ty) {
            Type::Bool => word,
            _ => self.builder.op(PrimOp::Truth, &[word], expr.span),
        }
    }

    /// The negated truth of an expression: when to leave a block that needs it.
    pub(super) fn falsehood(&mut self, expr: &'u Expr) -> Operand {
        let value = self.rvalue(expr);
        let word = self.condition_word(value, expr.span);
        self.builder.op(PrimOp::Not, &[word], expr.span)
    }

    /// `&&` and `||`: the right side is evaluated only if the left one does not decide.
    fn logical(&mut self, left: &'u Expr, right: &'u Expr, and: bool, span: Span) -> Value {
        let int = self.types.int();
        let first = self.truth(left);
        if let Operand::Const(known) = first {
            if (known.bits() != 0) != and {
                // Still checked, but not run.
                self.builder.open();
                self.truth(right);
                self.builder.close();
                return Value::word(int, u64::from(!and));
            }
            return Value::word(int, self.truth(right));
        }
        let result = self.builder.reg();
        let label = self.builder.label();
        self.builder.open();
        self.builder.assign(result, first, span);
        let decided = if and { self.builder.op(PrimOp::Not, &[first], left.span) } else { first };
        self.builder.break_if(label, decided, left.span);
        let second = self.truth(right);
        self.builder.assign(result, second, span);
        self.builder.close_block(label, false, span);
        Value::word(int, result)
    }

    fn conditional(
        &mut self,
        condition: &'u Expr,
        then: Option<&'u Expr>,
        otherwise: &'u Expr,
        span: Span,
    ) -> Value {
        let first = self.rvalue(condition);
        let test = self.condition_word(first, condition.span);
        let then_ty = match then {
            Some(then) => self.type_of(then),
            None => first.ty.into(),
        };
        let else_ty = self.type_of(otherwise);
        let (then_ty, else_ty) = (self.types.decay(then_ty), self.types.decay(else_ty));
        let ty = self.common_type(then_ty, else_ty, then.is_some_and(is_zero), is_zero(otherwise));
        if let Operand::Const(known) = test {
            let (taken, other) = match known.bits() {
                0 => (Some(otherwise), then),
                _ => (then, Some(otherwise)),
            };
            self.builder.open();
            if let Some(other) = other {
                self.rvalue(other);
            }
            self.builder.close();
            let value = taken.map_or(first, |taken| self.rvalue(taken));
            return self.convert(value, ty, span);
        }
        // outer: { inner: { if (!test) break inner; then; break outer } otherwise }
        let result = self.builder.reg();
        let (outer, inner) = (self.builder.label(), self.builder.label());
        let mut data = Data::Nothing;
        let mut arm = |lowerer: &mut Self, value: Value, span: Span| {
            let value = lowerer.convert(value, ty, span);
            match value.data {
                Data::Word(word) => {
                    lowerer.builder.assign(result, word, span);
                    data = Data::Word(result.into());
                }
                Data::Object(addr) => {
                    lowerer.builder.assign(result, addr, span);
                    data = Data::Object(result.into());
                }
                Data::Nothing => {}
            }
        };
        self.builder.open();
        self.builder.open();
        let failed = self.builder.op(PrimOp::Not, &[test], condition.span);
        self.builder.break_if(inner, failed, condition.span);
        let value = then.map_or(first, |then| self.rvalue(then));
        arm(self, value, then.map_or(condition.span, |then| then.span));
        self.builder.break_to(outer, span);
        self.builder.close_block(inner, false, span);
        let value = self.rvalue(otherwise);
        arm(self, value, otherwise.span);
        self.builder.close_block(outer, false, span);
        Value { ty, data }
    }

    fn cast(&mut self, name: &'u TypeName, operand: &'u Expr, span: Span) -> Value {
        let ty = self.type_name(name);
        let value = self.rvalue(operand);
        if let Type::Void = self.types.get(ty.id) {
            return Value { ty: ty.id, data: Data::Nothing };
        }
        self.convert(value, ty.id, span)
    }

    fn generic(&mut self, operand: &'u Expr, choices: &'u [(Option<TypeName>, Expr)], span: Span) -> Value {
        let ty = self.type_of(operand);
        let ty = self.types.decay(ty);
        let mut fallback = None;
        for (name, value) in choices {
            match name {
                None => fallback = Some(value),
                Some(name) => {
                    let choice = self.type_name(name);
                    if choice.id == ty && !choice.qualifiers.is_const {
                        return self.rvalue(value);
                    }
                }
            }
        }
        match fallback {
            Some(value) => self.rvalue(value),
            None => {
                let shown = self.types.show(ty);
                self.error(span, format!("no choice of `_Generic` fits `{shown}`"));
                self.poison()
            }
        }
    }

    fn offset_of(&mut self, record: &'u TypeName, path: &'u [Designator], span: Span) -> Value {
        let size_t = self.types.unsigned_long();
        let mut ty = self.type_name(record);
        let mut offset = 0;
        for step in path {
            match (step, self.types.get(ty.id).clone()) {
                (Designator::Field(name), Type::Record(record)) => {
                    let Some(field) = self.types.find_field(record, name.symbol) else {
                        let (text, shown) = (self.text(name.symbol), self.types.show(ty));
                        self.error(name.span, format!("`{shown}` has no member `{text}`"));
                        return self.poison();
                    };
                    offset += field.offset;
                    ty = field.ty;
                }
                (Designator::Index(index), Type::Array(element, _)) => {
                    let Some(index) = self.constant(index) else { return self.poison() };
                    offset += index.bits * self.types.size(element.id).unwrap_or(0);
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

    /// The address of a string literal; equal literals share an object.
    pub(super) fn string(&mut self, text: &StringLiteral) -> u64 {
        let size = text.encoding.element_size() as u64;
        let mut bytes = text.bytes.clone();
        bytes.extend(std::iter::repeat_n(0, size as usize));
        if let Some(&addr) = self.strings.get(&bytes) {
            return addr;
        }
        let addr = self.place_global(bytes.len() as u64, size);
        let init = bytes.iter().enumerate().map(|(i, &byte)| InitPart {
            offset: i as u64,
            ty: IntTy::U8,
            value: value::Value::new(byte.into()),
        });
        let shown: String = String::from_utf8_lossy(&text.bytes).chars().take(20).collect();
        self.program.globals.push(Global {
            name: format!("{shown:?}"),
            addr,
            size: bytes.len() as u64,
            init: init.collect(),
            constant: true,
            layout: None,
        });
        self.strings.insert(bytes, addr);
        addr
    }
}

/// Whether an expression is a literal zero, which stands for a null pointer.
fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(literal) => literal.value == 0,
        ExprKind::Cast(_, operand) => is_zero(operand),
        _ => false,
    }
}
