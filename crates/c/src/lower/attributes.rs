//! Attributes: alignments, and those that would change what a declaration means.

use super::Lowerer;
use super::scope::Entity;
use crate::ast::{Alignment, Attribute, AttributeKind, Declarator, Specifiers, TypeName, TypeSpecifier};
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

    /// The alignment asked for where a name is declared: by itself, by all names of its declaration, or
    /// by the typedef of its type.
    pub(super) fn declared_alignment(
        &mut self,
        specifiers: &'u Specifiers,
        declarator: &'u Declarator,
    ) -> Option<u64> {
        let common = self.alignment(&specifiers.alignments, &specifiers.attributes);
        let own = self.alignment(&[], &declarator.attributes);
        let typedef = match &specifiers.base {
            TypeSpecifier::Typedef(name) if declarator.derivations.is_empty() => {
                match self.scopes.find(name.symbol) {
                    Some(Entity::Typedef(_, align)) => align,
                    _ => None,
                }
            }
            TypeSpecifier::Atomic(name) | TypeSpecifier::TypeofType(name)
                if declarator.derivations.is_empty() =>
            {
                self.type_name_alignment(name)
            }
            _ => None,
        };
        common.max(own).max(typedef)
    }

    /// The alignment that comes with a type name.
    pub(super) fn type_name_alignment(&mut self, name: &'u TypeName) -> Option<u64> {
        self.declared_alignment(&name.specifiers, &name.declarator)
    }
}
