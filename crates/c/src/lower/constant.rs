//! Constant expressions: those whose code folds away.
//!
//! An expression is lowered like any other, into a list of statements that is then thrown away. If it
//! left none and its value is known, it is a constant. Addresses of globals are numbers here, so address
//! constants need no rule of their own.

use super::{Data, Lowerer};
use crate::ast::{Expr, StaticAssert};
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
        self.builder.open();
        let value = self.rvalue(expr);
        let code = self.builder.close();
        match value.data {
            Data::Word(Operand::Const(word)) if code.is_empty() && !self.types.is_error(value.ty) => {
                word.defined().map(|bits| Constant { bits, ty: value.ty })
            }
            _ => None,
        }
    }

    /// The value of an expression that must be a constant.
    pub(super) fn constant(&mut self, expr: &'u Expr) -> Option<Constant> {
        let before = self.diagnostics.len();
        let constant = self.try_constant(expr);
        if constant.is_none() && self.diagnostics.len() == before {
            self.error(expr.span, "expected a constant");
        }
        constant
    }

    /// The type of an expression, without making code for it.
    pub(super) fn type_of(&mut self, expr: &'u Expr) -> QualType {
        self.builder.open();
        let ty = match self.is_place(expr) {
            true => self.place(expr).map_or(self.types.error().into(), |place| place.ty),
            false => self.rvalue(expr).ty.into(),
        };
        self.builder.close();
        ty
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
