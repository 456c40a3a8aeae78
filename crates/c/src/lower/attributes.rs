//! Attributes: alignments, and those that would change what a declaration means.

use super::Lowerer;
use crate::ast::{Alignment, Attribute, AttributeKind, Declarator, Expr, ExprKind, Specifiers, UnaryOp};
use crate::types::QualType;
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// Reports attributes that cannot be ignored. Returns whether what is declared is not known then.
    pub(super) fn check_attributes(&mut self, attributes: impl IntoIterator<Item = &'u Attribute>) -> bool {
        let mut unknown = false;
        for attribute in attributes {
            let text = self.text(attribute.name.symbol).trim_matches('_');
            let why = match &attribute.kind {
                AttributeKind::Cleanup(_) => "write the call where it happens",
                AttributeKind::Constructor => "call the function where the program starts",
                AttributeKind::Destructor => "call the function where the program ends",
                AttributeKind::Other => match text {
                    "mode" | "vector_size" => "it changes the type",
                    "alias" | "weakref" | "ifunc" => "it gives an object or function two names",
                    "scalar_storage_order" | "ms_struct" => "it changes where members lie",
                    "transparent_union" => "it changes how arguments are passed",
                    _ => continue,
                },
                _ => continue,
            };
            self.unsupported(attribute.name.span, &format!("the attribute `{text}`"), why);
            unknown |= matches!(text, "mode" | "vector_size" | "alias" | "weakref" | "ifunc");
        }
        unknown
    }

    /// The strictest alignment asked for.
    pub(super) fn alignment(
        &mut self,
        alignments: &'u [Alignment],
        attributes: &'u [Attribute],
    ) -> Option<u64> {
        let mut strictest = None;
        for alignment in alignments {
            let (align, span) = match alignment {
                Alignment::Type(name) => {
                    let ty = self.type_name(name);
                    (Some(self.types.align_of(ty)), name.span)
                }
                Alignment::Expr(expr) => (self.constant(expr).map(|constant| constant.bits), expr.span),
            };
            strictest = strictest.max(self.checked_alignment(align, span));
        }
        for attribute in attributes {
            if let AttributeKind::Aligned(argument) = &attribute.kind {
                let align = match argument {
                    Some(expr) => self.constant(expr).map(|constant| constant.bits),
                    None => Some(16),
                };
                strictest = strictest.max(self.checked_alignment(align, attribute.name.span));
            }
        }
        strictest
    }

    fn checked_alignment(&mut self, align: Option<u64>, span: Span) -> Option<u64> {
        match align {
            Some(0) | None => None,
            Some(align) if align.is_power_of_two() && align <= 4096 => Some(align),
            Some(align) => {
                let why = "powers of two up to 4096 are";
                self.unsupported(span, &format!("an alignment of {align}"), why);
                None
            }
        }
    }

    /// The alignment asked for where a name is declared: by itself, or for all names of its declaration.
    pub(super) fn declared_alignment(
        &mut self,
        specifiers: &'u Specifiers,
        declarator: &'u Declarator,
    ) -> Option<u64> {
        let common = self.alignment(&specifiers.alignments, &specifiers.attributes);
        common.max(self.alignment(&[], &declarator.attributes))
    }

    /// The alignment of a variable. An attribute replaces that of its type, as GCC has it.
    pub(super) fn object_alignment(
        &mut self,
        ty: QualType,
        specifiers: &'u Specifiers,
        declarator: &'u Declarator,
    ) -> u64 {
        let own = self.declared_alignment(specifiers, declarator);
        if own.is_some() {
            self.own_alignments.extend(declarator.name.map(|name| name.symbol));
        }
        own.unwrap_or_else(|| self.types.align_of(ty))
    }

    /// The alignment that attributes give to a type that is named, instead of its own. Of several, GCC takes the
    /// last, those of the specifiers after those of the declarator.
    pub(super) fn typedef_alignment(
        &mut self,
        specifiers: &'u Specifiers,
        declarator: &'u Declarator,
    ) -> Option<u64> {
        let mut attributes = declarator.attributes.iter().chain(&specifiers.attributes).rev();
        let last = attributes.find(|attribute| matches!(attribute.kind, AttributeKind::Aligned(_)))?;
        self.alignment(&[], std::slice::from_ref(last))
    }

    /// Reports `_Alignof` of a variable or member that has or may have another alignment than its type: GCC gives
    /// that.
    pub(super) fn refuse_own_alignment(&mut self, operand: &'u Expr) {
        let own = match &operand.kind {
            ExprKind::Name(name) => self.own_alignments.contains(name),
            ExprKind::Member { field, .. } => self.own_alignments.contains(&field.symbol),
            ExprKind::Unary(UnaryOp::Dereference, pointer) => matches!(pointer.kind, ExprKind::Cast(..)),
            _ => false,
        };
        if own {
            self.unsupported(
                operand.span,
                "`_Alignof` of an object with an alignment of its own",
                "write it down",
            );
        }
    }
}
