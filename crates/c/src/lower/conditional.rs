//! Expressions of which only a part is evaluated: `&&`, `||`, `?:`, `_Generic`.

use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind, TypeName};
use crate::types::{QualType, Type, TypeId};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{Operand, Stmt};
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// A value as a condition: the word that is zero or not.
    pub(super) fn condition_word(&mut self, value: Value, span: Span) -> Operand {
        if self.is_wide(value.ty) {
            return self.wide_condition(value, span);
        }
        if self.types.scalar(value.ty).is_none() {
            let shown = self.types.show(value.ty);
            match self.types.get(value.ty) {
                Type::Float(_) => _ = self.no_floats(span),
                _ => self.error(span, format!("expected a condition, found `{shown}`")),
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
    pub(super) fn logical(&mut self, left: &'u Expr, right: &'u Expr, and: bool, span: Span) -> Value {
        let int = self.types.int();
        let first = self.truth(left);
        if let Operand::Const(known) = first {
            if (known.bits() != 0) != and {
                // Still checked, but not run.
                self.unevaluated(|lowerer| lowerer.truth(right));
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

    /// `condition ? then : otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: &'u Expr,
        then: Option<&'u Expr>,
        otherwise: &'u Expr,
        span: Span,
    ) -> Value {
        let first = self.rvalue(condition);
        let test = self.condition_word(first, condition.span);
        let known = match test {
            Operand::Const(word) => Some(word.bits() != 0),
            Operand::Reg(_) => None,
        };
        // Both are lowered before either is converted: the common type needs both.
        let (a, a_code) = match then {
            Some(then) => self.arm(then, known == Some(false)),
            None => (first, Vec::new()),
        };
        let (b, b_code) = self.arm(otherwise, known == Some(true));
        let ty = self.common_type(a.ty, b.ty, then.is_some_and(is_zero), is_zero(otherwise));
        let (a_span, b_span) = (then.map_or(condition.span, |then| then.span), otherwise.span);
        if let Some(known) = known {
            let (value, code, span) = if known { (a, a_code, a_span) } else { (b, b_code, b_span) };
            self.builder.append(code);
            return self.convert(value, ty, span);
        }
        // outer: { inner: { if (!test) break inner; then; break outer } otherwise }
        let result = self.builder.reg();
        let (outer, inner) = (self.builder.label(), self.builder.label());
        self.builder.open();
        self.builder.open();
        let failed = self.builder.op(PrimOp::Not, &[test], condition.span);
        self.builder.break_if(inner, failed, condition.span);
        self.builder.append(a_code);
        let data = self.assign_arm(result.into(), a, ty, a_span);
        self.builder.break_to(outer, span);
        self.builder.close_block(inner, false, span);
        self.builder.append(b_code);
        self.assign_arm(result.into(), b, ty, b_span);
        self.builder.close_block(outer, false, span);
        Value { ty, data }
    }

    /// The value of a branch, and the code that makes it.
    fn arm(&mut self, expr: &'u Expr, dead: bool) -> (Value, Vec<Stmt>) {
        if dead {
            return (self.unevaluated(|lowerer| lowerer.rvalue(expr)), Vec::new());
        }
        self.builder.open();
        let value = self.rvalue(expr);
        (value, self.builder.close())
    }

    /// Puts the value of a branch, or its address, into a register; returns how to find it there.
    fn assign_arm(&mut self, result: Operand, value: Value, ty: TypeId, span: Span) -> Data {
        let value = self.convert(value, ty, span);
        let Operand::Reg(reg) = result else { return value.data };
        match value.data {
            Data::Word(word) => {
                self.builder.assign(reg, word, span);
                Data::Word(result)
            }
            Data::Object(addr) => {
                self.builder.assign(reg, addr, span);
                Data::Object(result)
            }
            Data::Nothing => Data::Nothing,
        }
    }

    /// The type of `c ? a : b`.
    fn common_type(&mut self, a: TypeId, b: TypeId, a_zero: bool, b_zero: bool) -> TypeId {
        if self.types.is_integer(a) && self.types.is_integer(b) {
            return self.types.usual(a, b);
        }
        let void = |ty: TypeId| matches!(self.types.get(ty), Type::Void);
        match (self.types.pointee(a), self.types.pointee(b)) {
            // A null pointer constant takes the other's type, `void *` wins over other pointers.
            (Some(x), Some(_)) if void(x.id) && a_zero => b,
            (Some(_), Some(y)) if void(y.id) && b_zero => a,
            (Some(x), Some(y)) => {
                let id = if void(y.id) { y.id } else { x.id };
                let to = self.types.qualify(QualType { id, ..x }, y.qualifiers);
                self.types.pointer(to)
            }
            (Some(_), None) if !void(b) => a,
            (None, Some(_)) if !void(a) => b,
            _ if void(a) || void(b) => self.types.void(),
            _ if self.is_wide(b) && self.types.is_integer(a) => b,
            _ => a,
        }
    }

    /// The expression that stands for this one: what `_Generic` or `__builtin_choose_expr` chooses.
    pub(super) fn resolve(&mut self, expr: &'u Expr) -> &'u Expr {
        let chosen = match &expr.kind {
            ExprKind::Generic { .. } | ExprKind::Call { .. } => {
                match self.choices.get(&std::ptr::from_ref(expr)) {
                    Some(known) => return known,
                    None => match &expr.kind {
                        ExprKind::Generic { operand, choices } => self.generic(operand, choices),
                        ExprKind::Call { callee, arguments } => self.choose_expr(callee, arguments),
                        _ => None,
                    },
                }
            }
            _ => None,
        };
        let Some(chosen) = chosen else { return expr };
        let chosen = self.resolve(chosen);
        self.choices.insert(expr, chosen);
        chosen
    }

    fn generic(&mut self, operand: &'u Expr, choices: &'u [(Option<TypeName>, Expr)]) -> Option<&'u Expr> {
        let ty = self.type_of(operand);
        let ty: QualType = self.types.decay(ty).into();
        let mut fallback = None;
        for (name, value) in choices {
            match name {
                None => fallback = Some(value),
                Some(name) => {
                    let choice = self.type_name(name);
                    if self.types.same(choice, ty) && !self.types.is_error(ty.id) {
                        return Some(value);
                    }
                }
            }
        }
        fallback
    }

    /// Reports a `_Generic` of which no choice fits.
    pub(super) fn no_choice(&mut self, operand: &'u Expr, span: Span) -> Value {
        let ty = self.type_of(operand);
        let ty = self.types.decay(ty);
        if !self.types.is_error(ty) {
            let shown = self.types.show(ty);
            self.error(span, format!("no choice of `_Generic` fits `{shown}`"));
        }
        self.poison()
    }

    /// `__builtin_choose_expr(constant, a, b)`.
    fn choose_expr(&mut self, callee: &'u Expr, arguments: &'u [Expr]) -> Option<&'u Expr> {
        let ExprKind::Name(symbol) = callee.kind else { return None };
        let ("__builtin_choose_expr", [test, then, otherwise]) = (self.text(symbol), arguments) else {
            return None;
        };
        let known = self.constant(test)?;
        Some(if known.bits != 0 { then } else { otherwise })
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
