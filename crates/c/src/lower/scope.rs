//! What names mean, scope by scope.

use crate::ast::Symbol;
use crate::types::{QualType, TypeId};
use fencepost_lsl::program::Reg;
use rustc_hash::FxHashMap;

/// What an ordinary name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A type.
    Typedef(QualType),
    /// An enumeration constant.
    Constant(i64, TypeId),
    /// An object that exists from the start; not `defined` if only `extern` declarations were seen.
    Global {
        ty: QualType,
        addr: u64,
        defined: bool,
    },
    Function(Symbol),
    /// A local in a register.
    Register {
        ty: QualType,
        reg: Reg,
    },
    /// A local in memory; the register holds its address.
    Stack {
        ty: QualType,
        addr: Reg,
    },
    /// A parameter of `main`.
    CommandLine,
    /// Something that was reported.
    Error,
}

impl Entity {
    /// What it is, for people; none for what was reported.
    pub(super) fn kind(&self) -> Option<&'static str> {
        Some(match self {
            Entity::Typedef(..) => "a type",
            Entity::Constant(..) => "an enumeration constant",
            Entity::Function(_) => "a function",
            Entity::Global { .. } | Entity::Register { .. } | Entity::Stack { .. } | Entity::CommandLine => {
                "a variable"
            }
            Entity::Error => return None,
        })
    }
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<Symbol, Entity>,
    tags: FxHashMap<Symbol, TypeId>,
}

/// The scopes around a place; the first is the file's.
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { stack: vec![Scope::default()] }
    }
}

impl Scopes {
    pub(super) fn push(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    pub(super) fn is_file(&self) -> bool {
        self.stack.len() == 1
    }

    /// Leaves all scopes but the file's, to lower another function; to be given back to `restore`.
    pub(super) fn suspend(&mut self) -> Suspended {
        Suspended(self.stack.split_off(1))
    }

    pub(super) fn restore(&mut self, suspended: Suspended) {
        self.stack.truncate(1);
        self.stack.extend(suspended.0);
    }

    pub(super) fn declare(&mut self, name: Symbol, entity: Entity) {
        if let Some(scope) = self.stack.last_mut() {
            scope.names.insert(name, entity);
        }
    }

    pub(super) fn declare_in_file(&mut self, name: Symbol, entity: Entity) {
        self.stack[0].names.insert(name, entity);
    }

    pub(super) fn find(&self, name: Symbol) -> Option<Entity> {
        self.stack.iter().rev().find_map(|scope| scope.names.get(&name)).copied()
    }

    pub(super) fn find_here(&self, name: Symbol) -> Option<Entity> {
        self.stack.last().and_then(|scope| scope.names.get(&name)).copied()
    }

    pub(super) fn find_in_file(&self, name: Symbol) -> Option<Entity> {
        self.stack[0].names.get(&name).copied()
    }

    pub(super) fn declare_tag(&mut self, tag: Symbol, ty: TypeId) {
        if let Some(scope) = self.stack.last_mut() {
            scope.tags.insert(tag, ty);
        }
    }

    pub(super) fn find_tag(&self, tag: Symbol) -> Option<TypeId> {
        self.stack.iter().rev().find_map(|scope| scope.tags.get(&tag)).copied()
    }

    pub(super) fn find_tag_here(&self, tag: Symbol) -> Option<TypeId> {
        self.stack.last().and_then(|scope| scope.tags.get(&tag)).copied()
    }

    /// All ordinary names that are visible.
    pub(super) fn visible(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.stack.iter().flat_map(|scope| scope.names.keys().copied())
    }
}

/// Scopes set aside.
pub(super) struct Suspended(Vec<Scope>);
