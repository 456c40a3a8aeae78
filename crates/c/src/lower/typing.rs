//! From specifiers and declarators to types.

use super::Lowerer;
use super::scope::Entity;
use crate::ast::{
    Attribute, AttributeKind, Declarator, Derivation, Expr, Member, Parameter, RecordSpecifier, Specifiers,
    TypeName, TypeSpecifier,
};
use crate::types::{FieldSpec, FunctionType, Packing, QualType, RecordId, Type, TypeId};
use fencepost_lsl::program::address;
use fencepost_lsl::source::Span;

/// Larger objects are surely a mistake.
pub(super) const MAX_SIZE: u64 = 1 << 22;

impl<'u> Lowerer<'u> {
    /// The type that specifiers give to all declarators.
    pub(super) fn base_type(&mut self, specifiers: &'u Specifiers) -> QualType {
        let base: QualType = match &specifiers.base {
            TypeSpecifier::Implicit => self.types.int().into(),
            TypeSpecifier::Basic(basic) => self.types.basic(*basic).into(),
            TypeSpecifier::Typedef(name) => match self.scopes.find(name.symbol) {
                Some(Entity::Typedef(ty)) => ty,
                _ => self.types.error().into(),
            },
            TypeSpecifier::Record(record) => self.record_type(record).into(),
            TypeSpecifier::Enum(spec) => self.enum_type(spec).into(),
            TypeSpecifier::TypeofExpr(expr) => self.type_of_object(expr, "typeof"),
            TypeSpecifier::TypeofType(name) => self.type_name(name),
            TypeSpecifier::Atomic(name) => {
                let mut ty = self.type_name(name);
                ty.qualifiers.is_atomic = true;
                ty
            }
            TypeSpecifier::Auto => {
                self.unsupported(specifiers.span, "`__auto_type` here", "its type comes from an initialiser");
                self.types.error().into()
            }
            TypeSpecifier::VaList => self.types.va_list().into(),
        };
        self.types.qualify(base, specifiers.qualifiers)
    }

    /// The type of a declared name.
    pub(super) fn declared_type(&mut self, base: QualType, declarator: &'u Declarator) -> QualType {
        self.derived_type(base, &declarator.derivations, declarator.span)
    }

    fn derived_type(&mut self, base: QualType, derivations: &'u [Derivation], span: Span) -> QualType {
        let mut ty = base;
        // From the base type inwards: the last derivation applies first.
        for derivation in derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    QualType { qualifiers: *qualifiers, ..self.types.pointer(ty).into() }
                }
                Derivation::Array(array) => match array.size.as_deref() {
                    Some(size) => match self.array_length(size) {
                        Some(length) => self.array_type(ty, Some(length), span),
                        None => self.types.error().into(),
                    },
                    None => self.array_type(ty, None, span),
                },
                Derivation::Function(function) => {
                    let parameters: Vec<QualType> =
                        function.parameters.iter().map(|parameter| self.parameter_type(parameter)).collect();
                    let variadic = function.variadic || function.old_style && parameters.is_empty();
                    // The qualifiers of what a function returns mean nothing.
                    let ty = FunctionType { result: ty.id.into(), parameters, variadic };
                    self.types.intern(Type::Function(ty)).into()
                }
            };
        }
        ty
    }

    fn array_type(&mut self, element: QualType, length: Option<u64>, span: Span) -> QualType {
        if self.types.size(element.id).is_none() {
            let shown = self.types.show(element);
            self.error(span, format!("array of `{shown}`, whose size is not known"));
            return self.types.error().into();
        }
        self.types.array(element, length).into()
    }

    fn array_length(&mut self, size: &'u Expr) -> Option<u64> {
        let before = self.reports;
        match self.try_constant(size) {
            Some(constant) if !self.types.is_integer(constant.ty) => {
                let shown = self.types.show(constant.ty);
                self.error(size.span, format!("array length of type `{shown}`"));
                None
            }
            Some(constant) if (constant.bits as i64) < 0 => {
                self.error(size.span, "array has a negative length");
                None
            }
            Some(constant) => Some(constant.bits),
            None if self.reports > before => None,
            None => {
                let why = "its length must be known when the program is read";
                self.unsupported(size.span, "an array of variable length", why);
                None
            }
        }
    }

    /// A parameter's type: arrays and functions are passed as pointers.
    pub(super) fn parameter_type(&mut self, parameter: &'u Parameter) -> QualType {
        let base = self.base_type(&parameter.specifiers);
        let declarator = &parameter.declarator;
        // The length of an array that is passed as a pointer means nothing, and may name parameters.
        if let [Derivation::Array(array), inner @ ..] = &declarator.derivations[..] {
            let element = self.derived_type(base, inner, declarator.span);
            return QualType { qualifiers: array.qualifiers, ..self.types.pointer(element).into() };
        }
        let ty = self.declared_type(base, declarator);
        let decayed = self.types.decay(ty);
        if decayed == ty.id { ty } else { decayed.into() }
    }

    /// The type that a type name names.
    pub(super) fn type_name(&mut self, name: &'u TypeName) -> QualType {
        let base = self.base_type(&name.specifiers);
        let ty = self.declared_type(base, &name.declarator);
        QualType { align: self.typedef_alignment(&name.specifiers, &name.declarator).or(ty.align), ..ty }
    }

    fn record_type(&mut self, spec: &'u RecordSpecifier) -> TypeId {
        let tag = spec.tag.map(|tag| tag.symbol);
        let node = std::ptr::from_ref(spec) as usize;
        if let Some(&known) = self.definitions.get(&node) {
            // The expression around it is lowered again, in a scope of its own.
            if let Some(tag) = tag {
                self.scopes.declare_tag(tag, known);
            }
            return known;
        }
        let known = tag.and_then(|tag| match spec.members {
            Some(_) => self.scopes.find_tag_here(tag),
            None => self.scopes.find_tag(tag),
        });
        let id = known.unwrap_or_else(|| {
            let name = tag.map(|tag| self.text(tag).to_owned());
            let id = self.types.declare_record(spec.kind, name);
            if let Some(tag) = tag {
                self.scopes.declare_tag(tag, id);
            }
            id
        });
        let Type::Record(record) = *self.types.get(id) else {
            let shown = self.types.show(id);
            self.error(spec.span, format!("this is declared as `{shown}`"));
            return self.types.error();
        };
        if self.types.record(record).kind != spec.kind {
            let shown = self.types.show(id);
            self.error(spec.span, format!("this is declared as `{shown}`"));
            return self.types.error();
        }
        if let Some(members) = &spec.members {
            if self.types.record(record).layout().is_some() {
                let shown = self.types.show(id);
                self.error(spec.span, format!("`{shown}` is defined twice"));
                return id;
            }
            self.check_attributes(&spec.attributes);
            let packing = Packing { packed: is_packed(&spec.attributes), limit: spec.pack };
            self.define_record(record, members, &spec.attributes, packing);
            self.definitions.insert(node, id);
        }
        id
    }

    /// A declaration of nothing but a tag makes it a new one, even if an outer scope has one of its name.
    pub(super) fn declare_tag_alone(&mut self, specifiers: &'u Specifiers) {
        if let TypeSpecifier::Record(spec) = &specifiers.base
            && let (Some(tag), None) = (spec.tag, &spec.members)
            && self.scopes.find_tag_here(tag.symbol).is_none()
        {
            let id = self.types.declare_record(spec.kind, Some(self.text(tag.symbol).to_owned()));
            self.scopes.declare_tag(tag.symbol, id);
        }
    }

    fn define_record(
        &mut self,
        record: RecordId,
        members: &'u [Member],
        attributes: &'u [Attribute],
        packing: Packing,
    ) {
        let mut fields = Vec::new();
        let mut total = 0u64;
        for member in members {
            let declaration = match member {
                Member::Fields(declaration) => declaration,
                Member::StaticAssert(assertion) => {
                    self.static_assert(assertion);
                    continue;
                }
            };
            let specifiers = &declaration.specifiers;
            let base = self.base_type(specifiers);
            self.check_attributes(&specifiers.attributes);
            if declaration.fields.is_empty() {
                // An anonymous record; a mere declaration of a tag has no members to offer.
                let tagless = matches!(&specifiers.base, TypeSpecifier::Record(spec) if spec.tag.is_none());
                if tagless && self.types.size(base.id).is_some() {
                    let align = self.alignment(&specifiers.alignments, &specifiers.attributes);
                    let packed = is_packed(&specifiers.attributes);
                    fields.push(FieldSpec { name: None, ty: base, width: None, align, packed });
                }
                continue;
            }
            for field in &declaration.fields {
                let declarator = &field.declarator;
                self.check_attributes(&declarator.attributes);
                let ty = self.declared_type(base, declarator);
                let name = declarator.name.map(|name| name.symbol);
                let align = self.declared_alignment(specifiers, declarator);
                let packed = is_packed(&specifiers.attributes) || is_packed(&declarator.attributes);
                if align.is_some() || packed || packing != Packing::default() {
                    self.own_alignments.extend(name);
                }
                let open_array = matches!(self.types.get(ty.id), Type::Array(_, None));
                if self.types.size(ty.id).is_none() && !open_array {
                    let shown = self.types.show(ty);
                    self.error(declarator.span, format!("member of type `{shown}`, whose size is not known"));
                    continue;
                }
                total = total.saturating_add(self.types.size(ty.id).unwrap_or(0));
                if total > address::END {
                    self.error(declarator.span, "there is not enough memory for this member");
                    continue;
                }
                let width = match &field.width {
                    None => None,
                    Some(width) => match self.bit_width(width, ty) {
                        Some(bits) => Some(bits),
                        None => continue,
                    },
                };
                if width == Some(0) && name.is_some() {
                    self.error(declarator.span, "a bit-field of no bits cannot have a name");
                    continue;
                }
                fields.push(FieldSpec { name, ty, width, align, packed });
            }
        }
        let align = self.alignment(&[], attributes);
        self.types.complete_record(record, fields, packing, align);
    }

    fn bit_width(&mut self, width: &'u Expr, ty: QualType) -> Option<u64> {
        let bits = self.constant(width)?.bits;
        let limit = match self.types.get(ty.id) {
            Type::Bool => 1,
            _ if self.types.is_integer(ty.id) => 8 * self.types.size(ty.id)?,
            _ => {
                let shown = self.types.show(ty);
                self.error(width.span, format!("bit-field of type `{shown}`, which is no integer"));
                return None;
            }
        };
        if bits as i64 > limit as i64 || (bits as i64) < 0 {
            let message = match (bits as i64) < 0 {
                true => "bit-field of negative width".to_owned(),
                false => format!("bit-field is wider than its type, which has {limit} bits"),
            };
            self.error(width.span, message);
            return None;
        }
        Some(bits)
    }

    /// Size of a type; reports one that has none.
    pub(super) fn size_of(&mut self, ty: QualType, span: Span) -> u64 {
        match self.types.size(ty.id) {
            Some(size) if size <= MAX_SIZE => size,
            Some(size) => {
                self.error(span, format!("object of {size} bytes, more than there is memory"));
                8
            }
            // GNU: the size of `void` and of functions is one.
            None if matches!(self.types.get(ty.id), Type::Void | Type::Function(_)) => 1,
            None => {
                let shown = self.types.show(ty);
                self.error(span, format!("the size of `{shown}` is not known"));
                8
            }
        }
    }
}

pub(super) fn is_packed(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute.kind, AttributeKind::Packed))
}
