//! From specifiers and declarators to types.

use super::Lowerer;
use super::scope::Entity;
use crate::ast::{
    Alignment, Attribute, AttributeKind, Declarator, Derivation, EnumSpecifier, Expr, Member, Parameter,
    RecordSpecifier, Specifiers, TypeName, TypeSpecifier,
};
use crate::types::{FieldSpec, FunctionType, QualType, RecordId, Type, TypeId};
use fencepost_lsl::source::Span;

/// Larger objects are surely a mistake.
const MAX_SIZE: u64 = 1 << 22;

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
            TypeSpecifier::TypeofExpr(expr) => self.type_of(expr),
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
        let mut ty = base;
        // From the base type inwards: the last derivation applies first.
        for derivation in declarator.derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    QualType { id: self.types.pointer(ty), qualifiers: *qualifiers }
                }
                Derivation::Array(array) => {
                    let length = array.size.as_deref().and_then(|size| self.array_length(size));
                    let open = array.size.is_none();
                    if !open && length.is_none() {
                        self.types.error().into()
                    } else {
                        self.check_element(ty, declarator.span);
                        self.types.array(ty, length).into()
                    }
                }
                Derivation::Function(function) => {
                    let parameters: Vec<QualType> =
                        function.parameters.iter().map(|parameter| self.parameter_type(parameter)).collect();
                    let variadic = function.variadic || function.old_style && parameters.is_empty();
                    let ty = FunctionType { result: ty, parameters, variadic };
                    self.types.intern(Type::Function(ty)).into()
                }
            };
        }
        ty
    }

    fn check_element(&mut self, element: QualType, span: Span) {
        if self.types.size(element.id).is_none() {
            let shown = self.types.show(element);
            self.error(span, format!("array of `{shown}`, whose size is not known"));
        }
    }

    fn array_length(&mut self, size: &'u Expr) -> Option<u64> {
        match self.try_constant(size) {
            Some(constant) if (constant.bits as i64) < 0 => {
                self.error(size.span, "array has a negative length");
                None
            }
            Some(constant) => Some(constant.bits),
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
        let ty = self.declared_type(base, &parameter.declarator);
        let decayed = self.types.decay(ty);
        if decayed == ty.id { ty } else { decayed.into() }
    }

    /// The type that a type name names.
    pub(super) fn type_name(&mut self, name: &'u TypeName) -> QualType {
        let base = self.base_type(&name.specifiers);
        self.declared_type(base, &name.declarator)
    }

    fn record_type(&mut self, spec: &'u RecordSpecifier) -> TypeId {
        let tag = spec.tag.map(|tag| tag.symbol);
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
        if let (Some(members), Type::Record(record)) = (&spec.members, self.types.get(id).clone()) {
            if self.types.record(record).layout().is_some() {
                let shown = self.types.show(id);
                self.error(spec.span, format!("`{shown}` is defined twice"));
                return id;
            }
            self.define_record(record, members, &spec.attributes);
        }
        id
    }

    fn define_record(&mut self, record: RecordId, members: &'u [Member], attributes: &'u [Attribute]) {
        let mut fields = Vec::new();
        for member in members {
            let declaration = match member {
                Member::Fields(declaration) => declaration,
                Member::StaticAssert(assertion) => {
                    self.static_assert(assertion);
                    continue;
                }
            };
            let base = self.base_type(&declaration.specifiers);
            let mut align =
                self.alignment(&declaration.specifiers.alignments, &declaration.specifiers.attributes);
            if declaration.fields.is_empty() {
                // An anonymous record; a mere declaration of a tag has no members to offer.
                if self.types.size(base.id).is_some() && matches!(self.types.get(base.id), Type::Record(_)) {
                    fields.push(FieldSpec { name: None, ty: base, width: None, align, packed: false });
                }
                continue;
            }
            for field in &declaration.fields {
                let ty = self.declared_type(base, &field.declarator);
                let name = field.declarator.name.map(|name| name.symbol);
                align = align.max(self.alignment(&[], &field.declarator.attributes));
                let packed = is_packed(&field.declarator.attributes);
                let last_array = matches!(self.types.get(ty.id), Type::Array(_, None));
                if self.types.size(ty.id).is_none() && !last_array {
                    let shown = self.types.show(ty);
                    self.error(
                        field.declarator.span,
                        format!("member of type `{shown}`, whose size is not known"),
                    );
                    continue;
                }
                let width = match &field.width {
                    None => None,
                    Some(width) => match self.bit_width(width, ty) {
                        Some(bits) => Some(bits),
                        None => continue,
                    },
                };
                fields.push(FieldSpec { name, ty, width, align, packed });
            }
        }
        let align = self.alignment(&[], attributes);
        self.types.complete_record(record, fields, is_packed(attributes), align);
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
        if bits > limit {
            self.error(width.span, format!("bit-field is wider than its type, which has {limit} bits"));
            return None;
        }
        Some(bits)
    }

    /// The strictest alignment asked for.
    pub(super) fn alignment(
        &mut self,
        alignments: &'u [Alignment],
        attributes: &'u [Attribute],
    ) -> Option<u64> {
        let mut strictest = None;
        for alignment in alignments {
            let align = match alignment {
                Alignment::Type(name) => {
                    let ty = self.type_name(name);
                    Some(self.types.align(ty.id))
                }
                Alignment::Expr(expr) => self.constant(expr).map(|constant| constant.bits),
            };
            strictest = strictest.max(align);
        }
        for attribute in attributes {
            if let AttributeKind::Aligned(argument) = &attribute.kind {
                let align = match argument {
                    Some(expr) => self.constant(expr).map(|constant| constant.bits),
                    None => Some(16),
                };
                strictest = strictest.max(align);
            }
        }
        strictest.filter(|align| align.is_power_of_two() && *align <= 4096)
    }

    fn enum_type(&mut self, spec: &'u EnumSpecifier) -> TypeId {
        let tag = spec.tag.map(|tag| tag.symbol);
        let Some(enumerators) = &spec.enumerators else {
            let known = tag.and_then(|tag| self.scopes.find_tag(tag));
            // Declared before it is defined, as GCC allows: an `unsigned int`.
            return known.unwrap_or(self.types.unsigned_int());
        };
        let int = self.types.int();
        let mut next = 0i64;
        let mut least = 0i64;
        let mut constants = Vec::new();
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value
                && let Some(constant) = self.constant(value)
            {
                next = constant.bits as i64;
            }
            least = least.min(next);
            constants.push((enumerator.name.symbol, next));
            self.scopes.declare(enumerator.name.symbol, Entity::Constant(next, int));
            next = next.wrapping_add(1);
        }
        let most = constants.iter().map(|(_, value)| *value).max().unwrap_or(0);
        let underlying = match &spec.underlying {
            Some(name) => self.type_name(name).id,
            None => match (least < 0, most > i64::from(u32::MAX) || least < i64::from(i32::MIN)) {
                (true, false) => int,
                (false, false) => self.types.unsigned_int(),
                (true, true) => self.types.long(),
                (false, true) => self.types.unsigned_long(),
            },
        };
        // Constants that do not fit an `int` have the enumeration's own type.
        for (name, value) in constants {
            if i32::try_from(value).is_err() {
                self.scopes.declare(name, Entity::Constant(value, underlying));
            }
        }
        let name = tag.map_or("enum {…}".to_owned(), |tag| format!("enum {}", self.text(tag)));
        let id = self.types.new_enum(name, underlying);
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, id);
        }
        id
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

fn is_packed(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute.kind, AttributeKind::Packed))
}
