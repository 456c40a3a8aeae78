//! Declarations: typedefs, globals, locals, static locals.

use super::init::Init;
use super::scope::Entity;
use super::{Lowerer, jumps};
use crate::ast::{AttributeKind, Declaration, Expr, InitDeclarator, Initializer, Name, TypeSpecifier};
use crate::types::{QualType, Type};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Global, InitPart, Operand};
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// A declaration at file level.
    pub(super) fn declare_global(&mut self, declaration: &'u Declaration) {
        let specifiers = &declaration.specifiers;
        let base = self.base_type(specifiers);
        for declarator in &declaration.declarators {
            let Some(name) = declarator.declarator.name else { continue };
            let ty = self.declared_type(base, &declarator.declarator);
            if specifiers.storage.is_typedef {
                self.declare_typedef(name, ty);
            } else if let Type::Function(_) = self.types.get(ty.id) {
                let attributes = specifiers.attributes.iter().chain(&declarator.declarator.attributes);
                let ignored = attributes.clone().any(|a| self.text(a.name.symbol) == "fencepost_ignored");
                self.declare_function(name, ty, ignored);
            } else {
                if specifiers.storage.is_thread_local {
                    self.refuse_thread_local(name);
                }
                let linkage = specifiers.storage.is_extern && declarator.initializer.is_none();
                self.define_global(name, ty, declarator, !linkage);
            }
        }
    }

    fn refuse_thread_local(&mut self, name: Name) {
        let why = "each thread would need an object of its own";
        self.unsupported(name.span, "a thread-local variable", why);
    }

    fn declare_typedef(&mut self, name: Name, ty: QualType) {
        if let Type::Record(record) = self.types.get(ty.id).clone() {
            self.types.name_record(record, self.names.text(name.symbol));
        }
        self.scopes.declare(name.symbol, Entity::Typedef(ty));
    }

    fn define_global(&mut self, name: Name, ty: QualType, declarator: &'u InitDeclarator, define: bool) {
        let known = match self.scopes.find_in_file(name.symbol) {
            Some(Entity::Global { ty: before, addr, defined }) => {
                if !self.types.compatible(before.id, ty.id) {
                    let (was, is) = (self.types.show(before), self.types.show(ty));
                    let text = self.text(name.symbol);
                    self.error(name.span, format!("`{text}` was declared as `{was}` before, now as `{is}`"));
                }
                Some((addr, defined))
            }
            Some(_) => {
                let text = self.text(name.symbol);
                self.error(name.span, format!("`{text}` is declared twice"));
                None
            }
            None => None,
        };
        let ty = self.complete_array(ty, declarator.initializer.as_ref().map(Init::from));
        if !define && self.types.size(ty.id).is_none() {
            // `extern int table[];`: its size comes with its definition.
            let addr = known.map_or(0, |known| known.0);
            self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined: false });
            return;
        }
        let align = self.types.align(ty.id);
        let size = self.size_of(ty, name.span);
        let (addr, defined) = match known {
            Some((addr, defined)) if addr != 0 => (addr, defined),
            _ => (self.place_global(size, align), false),
        };
        self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined: defined || define });
        if define && (!defined || declarator.initializer.is_some()) {
            let text = self.text(name.symbol).to_owned();
            self.add_global(text, addr, ty, declarator.initializer.as_ref().map(Init::from), name.span);
        }
    }

    /// Adds a global object with its initial value; replaces a tentative definition.
    fn add_global(&mut self, name: String, addr: u64, ty: QualType, value: Option<Init<'u>>, span: Span) {
        let init = match value {
            Some(initializer) => self.static_init(ty, initializer),
            None => Vec::new(),
        };
        let layout = Some(self.layout(ty.id));
        let size = self.size_of(ty, span);
        let constant = ty.qualifiers.is_const;
        self.program.globals.retain(|global| global.addr != addr);
        self.program.globals.push(Global { name, addr, size, init, constant, layout });
    }

    /// An array of open length gets it from its initialiser.
    pub(super) fn complete_array(&mut self, ty: QualType, value: Option<Init<'u>>) -> QualType {
        match (self.types.get(ty.id).clone(), value) {
            (Type::Array(element, None), Some(value)) => {
                let length = self.initialized_length(element, value);
                QualType { id: self.types.array(element, Some(length)), ..ty }
            }
            _ => ty,
        }
    }

    /// A declaration in a function.
    pub(super) fn declare_local(&mut self, declaration: &'u Declaration) {
        let specifiers = &declaration.specifiers;
        if let (TypeSpecifier::Auto, [declarator]) = (&specifiers.base, declaration.declarators.as_slice()) {
            return self.declare_auto(declarator);
        }
        let base = self.base_type(specifiers);
        for declarator in &declaration.declarators {
            let Some(name) = declarator.declarator.name else { continue };
            let ty = self.declared_type(base, &declarator.declarator);
            let attributes = specifiers.attributes.iter().chain(&declarator.declarator.attributes);
            for attribute in attributes {
                if let AttributeKind::Cleanup(_) = attribute.kind {
                    self.unsupported(
                        attribute.name.span,
                        "the attribute `cleanup`",
                        "write the call where it happens",
                    );
                }
            }
            if specifiers.storage.is_typedef {
                self.declare_typedef(name, ty);
            } else if let Type::Function(_) = self.types.get(ty.id) {
                self.declare_function(name, ty, false);
            } else if specifiers.storage.is_extern {
                match self.scopes.find_in_file(name.symbol) {
                    Some(entity) => self.scopes.declare(name.symbol, entity),
                    None => self.define_global(name, ty, declarator, false),
                }
            } else if specifiers.storage.is_thread_local {
                self.refuse_thread_local(name);
                self.scopes.declare(name.symbol, Entity::Error);
            } else if specifiers.storage.is_static {
                self.declare_static(name, ty, declarator);
            } else {
                self.declare_variable(name, ty, declarator.initializer.as_ref().map(Init::from));
            }
        }
    }

    fn declare_auto(&mut self, declarator: &'u InitDeclarator) {
        let (Some(name), Some(Initializer::Expr(value))) =
            (declarator.declarator.name, &declarator.initializer)
        else {
            return self.error(declarator.declarator.span, "`__auto_type` needs a name and an initial value");
        };
        let ty = self.auto_type(value);
        self.declare_variable(name, ty, declarator.initializer.as_ref().map(Init::from));
    }

    fn auto_type(&mut self, value: &'u Expr) -> QualType {
        let ty = self.type_of(value);
        self.types.decay(ty).into()
    }

    fn declare_static(&mut self, name: Name, ty: QualType, declarator: &'u InitDeclarator) {
        let ty = self.complete_array(ty, declarator.initializer.as_ref().map(Init::from));
        // Lowered again (by `typeof`, say), a declaration still means the same object.
        let addr = match self.builder.statics.get(&name.span) {
            Some(&addr) => addr,
            None => {
                let (size, align) = (self.size_of(ty, name.span), self.types.align(ty.id));
                let addr = self.place_global(size, align);
                self.builder.statics.insert(name.span, addr);
                let full = format!("{}.{}", self.builder.name, self.text(name.symbol));
                self.add_global(full, addr, ty, declarator.initializer.as_ref().map(Init::from), name.span);
                addr
            }
        };
        self.scopes.declare(name.symbol, Entity::Global { ty, addr, defined: true });
    }

    /// A variable with automatic storage: in a register if its address is never taken and it fits one.
    pub(super) fn declare_variable(&mut self, name: Name, ty: QualType, value: Option<Init<'u>>) {
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
            if value.is_none_or(|value| jumps::mentions(value, name.symbol)) {
                let undefined = Operand::Const(fencepost_lsl::value::Value::UNDEFINED);
                self.builder.assign(reg, undefined, name.span);
            }
            if let Some(value) = value {
                let start = self.register_init(ty, value);
                self.builder.assign(reg, start, name.span);
            }
        } else {
            let layout = Some(self.layout(ty.id));
            let size = self.size_of(ty, name.span);
            let addr = self.builder.stack(size, layout, name.span);
            self.scopes.declare(name.symbol, Entity::Stack { ty, addr });
            if let Some(value) = value {
                self.dynamic_init(ty, addr.into(), value, name.span);
            }
        }
    }

    /// Whether a variable can live in a register.
    pub(super) fn fits_register(&self, name: Name, ty: QualType) -> bool {
        let word = self.types.scalar(ty.id).is_some()
            || self.types.word_record(ty.id).is_some() && !self.types.has_array(ty.id);
        word && !self.builder.addressed.contains(&name.symbol)
    }

    /// The initial value of a global, as pieces.
    fn static_init(&mut self, ty: QualType, value: Init<'u>) -> Vec<InitPart> {
        let mut parts = Vec::new();
        for item in self.flatten(ty, value) {
            self.static_part(item, &mut parts);
        }
        parts
    }
}
