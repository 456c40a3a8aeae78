//! Constant expressions: those whose code folds away; and the types of expressions that are not evaluated.
//!
//! An expression is lowered like any other, into a list of statements that is then thrown away. If it
//! left none and its value is known, it is a constant. Addresses of globals are numbers here, so address
//! constants need no rule of their own.

use super::scope::Entity;
use super::{Data, Lowerer};
use crate::ast::{Expr, ExprKind, StaticAssert};
use crate::types::{QualType, TypeId};
use fencepost_lsl::program::Operand;

/// A known value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    /// Extended to 64 bits as its type says.
    pub(super) bits: u64,
    pub(super) ty: TypeId,
}

impl<'u> Lowerer<'u> {
    /// The value of an expression, if it is a constant.
    pub(super) fn try_constant(&mut self, expr: &'u Expr) -> Option<Constant> {
        let (value, code) = self.thrown_away(|lowerer| lowerer.rvalue(expr));
        match value.data {
            Data::Word(Operand::Const(word)) if code.is_empty() && !self.types.is_error(value.ty) => {
                word.defined().map(|bits| Constant { bits, ty: value.ty })
            }
            _ => None,
        }
    }

    /// The value of an expression that must be a constant.
    pub(super) fn constant(&mut self, expr: &'u Expr) -> Option<Constant> {
        let before = self.reports;
        let constant = self.try_constant(expr);
        if constant.is_none() && self.reports == before {
            self.error(expr.span, "expected a constant");
        }
        constant
    }

    /// The type of an expression, without making code for it.
    pub(super) fn type_of(&mut self, expr: &'u Expr) -> QualType {
        self.examine(expr).0
    }

    /// The type of an expression that is an operand of `sizeof` and the like, which takes no bit-field.
    pub(super) fn type_of_object(&mut self, expr: &'u Expr, operator: &str) -> QualType {
        let (ty, is_bit_field) = self.examine(expr);
        if is_bit_field {
            self.error(expr.span, format!("`{operator}` of a bit-field"));
        }
        ty
    }

    /// The type of an expression, and whether it is a bit-field.
    fn examine(&mut self, expr: &'u Expr) -> (QualType, bool) {
        let expr = self.resolve(expr);
        if let ExprKind::Name(symbol) = expr.kind
            && let Some(Entity::Function(function)) = self.scopes.find(symbol)
            && let Some(declared) = self.functions.declared.get(&function)
        {
            return (declared.ty, false);
        }
        self.unevaluated(|lowerer| match lowerer.is_place(expr) {
            true => match lowerer.place(expr) {
                Some(place) if place.is_bit_field => (lowerer.read(place, expr.span).ty.into(), true),
                Some(place) => (place.ty, false),
                None => (lowerer.types.error().into(), false),
            },
            false => (lowerer.rvalue(expr).ty.into(), false),
        })
    }

    pub(super) fn static_assert(&mut self, assertion: &'u StaticAssert) {
        if let Some(constant) = self.constant(&assertion.condition)
            && constant.bits == 0
        {
            let message =
                assertion.message.as_ref().map(|text| String::from_utf8_lossy(&text.bytes).into_owned());
            let message = message.map_or(String::new(), |text| format!(": {text}"));
            self.error(assertion.span, format!("static assertion fails{message}"));
        }
    }
}
