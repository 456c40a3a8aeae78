//! Declarations: typedefs, globals, locals, static locals.

use super::globals::Definition;
use super::init::Init;
use super::scope::Entity;
use super::{Lowerer, visit};
use crate::ast::{Declaration, Expr, InitDeclarator, Initializer, Name, Specifiers, TypeSpecifier};
use crate::types::{QualType, Type};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Operand, Order};
use fencepost_lsl::value::Value;

impl<'u> Lowerer<'u> {
    /// A declaration at file level.
    pub(super) fn declare_global(&mut self, declaration: &'u Declaration) {
        let specifiers = &declaration.specifiers;
        let base = self.base_type(specifiers);
        let unknown = self.check_attributes(&specifiers.attributes);
        for declarator in &declaration.declarators {
            let Some((name, ty)) = self.declare_object(base, unknown, specifiers, declarator) else {
                continue;
            };
            if specifiers.storage.is_thread_local {
                self.refuse_thread_local(name);
            }
            self.define_global(name, ty, specifiers, declarator);
        }
    }

    /// Declares a type or a function; gives back the name and type of an object, which is yet to declare.
    fn declare_object(
        &mut self,
        base: QualType,
        unknown: bool,
        specifiers: &'u Specifiers,
        declarator: &'u InitDeclarator,
    ) -> Option<(Name, QualType)> {
        let name = declarator.declarator.name?;
        let ty = self.declared_type(base, &declarator.declarator);
        if self.check_attributes(&declarator.declarator.attributes) || unknown {
            let error = self.types.error().into();
            let typedef = specifiers.storage.is_typedef;
            let entity = if typedef { Entity::Typedef(error) } else { Entity::Error };
            self.scopes.declare(name.symbol, entity);
        } else if specifiers.storage.is_typedef {
            self.declare_typedef(name, ty, specifiers, declarator);
        } else if let Type::Function(_) = self.types.get(ty.id) {
            let mut attributes = specifiers.attributes.iter().chain(&declarator.declarator.attributes);
            let ignored = attributes.any(|a| self.text(a.name.symbol) == "fencepost_ignored");
            self.declare_function(name, ty, ignored);
        } else {
            return Some((name, ty));
        }
        None
    }

    /// Reports a name that stands for something of another kind in the same scope.
    pub(super) fn check_clash(&mut self, name: Name, now: Entity) {
        let Some(before) = self.scopes.find_here(name.symbol) else { return };
        let (Some(was), Some(is)) = (before.kind(), now.kind()) else { return };
        if was == is {
            return;
        }
        let text = self.text(name.symbol);
        let message = format!("`{text}` was declared as {was} before, now as {is}");
        let mut diagnostic = Diagnostic::error(name.span, message);
        if let Entity::Function(function) = before
            && let Some(declared) = self.functions.declared.get(&function)
        {
            diagnostic = diagnostic.related(declared.span, "declared here");
        }
        self.report(diagnostic);
    }

    fn refuse_thread_local(&mut self, name: Name) {
        let why = "each thread would need an object of its own";
        self.unsupported(name.span, "a thread-local variable", why);
    }

    fn declare_typedef(
        &mut self,
        name: Name,
        ty: QualType,
        specifiers: &'u Specifiers,
        declarator: &'u InitDeclarator,
    ) {
        if let Type::Record(record) = self.types.get(ty.id).clone() {
            self.types.name_record(record, self.names.text(name.symbol));
        }
        let align = self.typedef_alignment(specifiers, &declarator.declarator).or(ty.align);
        let entity = Entity::Typedef(QualType { align, ..ty });
        self.check_clash(name, entity);
        self.scopes.declare(name.symbol, entity);
    }

    fn define_global(
        &mut self,
        name: Name,
        ty: QualType,
        specifiers: &'u Specifiers,
        declarator: &'u InitDeclarator,
    ) {
        let value = declarator.initializer.as_ref().map(Init::from);
        let define = !specifiers.storage.is_extern || value.is_some();
        let text = self.text(name.symbol);
        let mut ty = self.complete_array(ty, value);
        let known = match self.scopes.find_in_file(name.symbol) {
            Some(Entity::Global { ty: before, addr, defined }) => {
                if !self.types.compatible(before.id, ty.id) {
                    let (was, is) = (self.types.show(before), self.types.show(ty));
                    self.error(name.span, format!("`{text}` was declared as `{was}` before, now as `{is}`"));
                }
                ty = self.types.composite(ty, before);
                Some((addr, defined))
            }
            _ => {
                self.check_clash(name, Entity::Global { ty, addr: 0, defined: false });
                None
            }
        };
        let (addr, defined) = known.unwrap_or((0, false));
        // `int a[];` waits for a declaration that gives the length.
        let open = matches!(self.types.get(ty.id), Type::Array(_, None));
        if !define || open {
            // Its size may come with its definition, and its address too.
            return self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined });
        }
        let size = self.object_size(ty, value, name.span);
        // What a tentative definition left open may be given more room than it was placed with.
        let grows = defined && size > self.size_of(ty, name.span) && self.take_back_tentative(addr);
        let addr = match defined && !grows {
            true => addr,
            false => {
                let align = self.object_alignment(ty, specifiers, &declarator.declarator);
                self.place_global(size, align, name.span)
            }
        };
        self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined: true });
        self.define_object(Definition { name: text.to_owned(), addr, ty, value, span: name.span });
    }

    /// A declaration in a function.
    pub(super) fn declare_local(&mut self, declaration: &'u Declaration) {
        let specifiers = &declaration.specifiers;
        if let (TypeSpecifier::Auto, [declarator]) = (&specifiers.base, declaration.declarators.as_slice()) {
            return self.declare_auto(specifiers, declarator);
        }
        if declaration.declarators.is_empty() {
            self.declare_tag_alone(specifiers);
        }
        let base = self.base_type(specifiers);
        let unknown = self.check_attributes(&specifiers.attributes);
        for declarator in &declaration.declarators {
            let Some((name, ty)) = self.declare_object(base, unknown, specifiers, declarator) else {
                continue;
            };
            if specifiers.storage.is_extern {
                let entity = self.scopes.find_in_file(name.symbol);
                let entity = entity.unwrap_or(Entity::Global { ty, addr: 0, defined: false });
                self.scopes.declare(name.symbol, entity);
            } else if specifiers.storage.is_thread_local {
                self.refuse_thread_local(name);
                self.scopes.declare(name.symbol, Entity::Error);
            } else if specifiers.storage.is_static {
                self.declare_static(name, ty, specifiers, declarator);
            } else {
                let align = self.object_alignment(ty, specifiers, &declarator.declarator);
                self.declare_variable(name, ty, Some(align), declarator.initializer.as_ref().map(Init::from));
            }
        }
    }

    fn declare_auto(&mut self, specifiers: &'u Specifiers, declarator: &'u InitDeclarator) {
        let (Some(name), Some(Initializer::Expr(value))) =
            (declarator.declarator.name, &declarator.initializer)
        else {
            return self.error(declarator.declarator.span, "`__auto_type` needs a name and an initial value");
        };
        let ty = self.auto_type(value);
        let ty = self.types.qualify(ty, specifiers.qualifiers);
        match specifiers.storage.is_static {
            true => self.declare_static(name, ty, specifiers, declarator),
            false => self.declare_variable(name, ty, None, declarator.initializer.as_ref().map(Init::from)),
        }
    }

    fn auto_type(&mut self, value: &'u Expr) -> QualType {
        let ty = self.type_of(value);
        self.types.decay(ty).into()
    }

    fn declare_static(
        &mut self,
        name: Name,
        ty: QualType,
        specifiers: &'u Specifiers,
        declarator: &'u InitDeclarator,
    ) {
        let value = declarator.initializer.as_ref().map(Init::from);
        let ty = self.complete_array(ty, value);
        let node = std::ptr::from_ref(declarator);
        let known = self.builder.statics.get(&node).copied();
        if known.is_none() && self.unevaluated > 0 {
            // Only its type is wanted. Nothing here has an address, so its initial value could not be made.
            return self.scopes.declare(name.symbol, Entity::Global { ty, addr: 0, defined: true });
        }
        let addr = known.unwrap_or_else(|| {
            let align = self.object_alignment(ty, specifiers, &declarator.declarator);
            let size = self.object_size(ty, value, name.span);
            self.place_global(size, align, name.span)
        });
        // Declared first: its initial value may be its own address.
        self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined: true });
        if known.is_none() {
            self.builder.statics.insert(node, addr);
            let full = format!("{}.{}", self.builder.name, self.text(name.symbol));
            self.make_object(Definition { name: full, addr, ty, value, span: name.span });
        }
    }

    /// A variable with automatic storage: in a register if its address is never taken and it fits one.
    pub(super) fn declare_variable(
        &mut self,
        name: Name,
        ty: QualType,
        align: Option<u64>,
        value: Option<Init<'u>>,
    ) {
        let ty = self.complete_array(ty, value);
        if self.types.size(ty.id).is_none() {
            let shown = self.types.show(ty);
            let diagnostic = Diagnostic::error(name.span, format!("variable of type `{shown}`"));
            self.report(diagnostic.note("the size of this type is not known"));
            self.scopes.declare(name.symbol, Entity::Error);
            return;
        }
        if self.fits_register(name, ty) {
            let reg = self.builder.named_reg(self.names.text(name.symbol));
            self.scopes.declare(name.symbol, Entity::Register { ty, reg });
            // A loop comes by here again: the variable starts anew as undefined, unless its initialiser
            // says otherwise without looking at it.
            if value.is_none_or(|value| visit::mentions(value, name.symbol)) {
                self.builder.assign(reg, Operand::Const(Value::UNDEFINED), name.span);
            }
            if let Some(value) = value {
                let start = self.register_init(ty, value);
                self.builder.assign(reg, start, name.span);
            }
        } else {
            let (layout, size) = (Some(self.layout(ty.id)), self.size_of(ty, name.span));
            let align = align.unwrap_or_else(|| self.types.align_of(ty));
            let (addr, repeated) = self.builder.block_object(size, align, layout, name.span);
            self.scopes.declare(name.symbol, Entity::Stack { ty, addr });
            match value {
                Some(value) => self.dynamic_init(ty, addr.into(), value, name.span),
                // A jump back comes by here again: the same object, undefined again (C11 6.2.4).
                None if repeated => {
                    for (offset, part) in self.types.covering(ty.id) {
                        let at = self.offset(addr.into(), offset, name.span);
                        let undefined = Operand::Const(Value::UNDEFINED);
                        self.builder.store(at, undefined, part, Order::Plain, name.span);
                    }
                }
                None => {}
            }
        }
    }

    /// Whether a variable can live in a register.
    pub(super) fn fits_register(&self, name: Name, ty: QualType) -> bool {
        self.types.fits_word(ty.id) && !self.builder.addressed.contains(&name.symbol)
    }
}
