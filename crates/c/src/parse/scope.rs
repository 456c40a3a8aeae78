//! What names mean where: enough to tell types from values, and no more.

use crate::ast::{BasicType, TypeSpecifier};
use crate::symbol::{Interner, Symbol};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A variable, function, parameter or enumeration constant.
    Value,
    /// A type by `typedef`.
    Typedef,
    /// A type that is there from the start, unless the file declares the name anew.
    Builtin(Builtin),
}

/// Types that are there from the start but are not keywords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Builtin {
    Basic(BasicType),
    VaList,
}

impl Builtin {
    pub(super) fn specifier(self) -> TypeSpecifier {
        match self {
            Builtin::Basic(basic) => TypeSpecifier::Basic(basic),
            Builtin::VaList => TypeSpecifier::VaList,
        }
    }
}

const BUILTINS: [(&str, Builtin); 4] = [
    // A keyword only since C23: older code declares it.
    ("bool", Builtin::Basic(BasicType::Bool)),
    ("__int128_t", Builtin::Basic(BasicType::Int128)),
    ("__uint128_t", Builtin::Basic(BasicType::UnsignedInt128)),
    ("__builtin_va_list", Builtin::VaList),
];

/// What names mean at file level.
#[derive(Clone, Default, Debug)]
pub struct FileScope {
    meanings: FxHashMap<Symbol, Meaning>,
    /// The tags seen anywhere, with the keyword they need.
    tags: FxHashMap<Symbol, &'static str>,
}

impl FileScope {
    /// The scope at the start of a file that uses these names.
    pub(super) fn new(names: &Interner) -> FileScope {
        let meanings = BUILTINS
            .iter()
            .filter_map(|&(name, builtin)| Some((names.find(name)?, Meaning::Builtin(builtin))));
        FileScope { meanings: meanings.collect(), tags: FxHashMap::default() }
    }
}

/// The scopes around a place, the file's outermost.
pub(super) struct Scopes {
    file: FileScope,
    inner: Vec<FxHashMap<Symbol, Meaning>>,
}

impl Scopes {
    pub(super) fn new(file: FileScope) -> Scopes {
        Scopes { file, inner: Vec::new() }
    }

    pub(super) fn into_file(self) -> FileScope {
        self.file
    }

    pub(super) fn push(&mut self) {
        self.inner.push(FxHashMap::default());
    }

    pub(super) fn pop(&mut self) {
        self.inner.pop();
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        self.inner.last_mut().unwrap_or(&mut self.file.meanings).insert(name, meaning);
    }

    /// What a name means here; none if it was not declared.
    pub(super) fn meaning(&self, name: Symbol) -> Option<Meaning> {
        let inner = self.inner.iter().rev().find_map(|scope| scope.get(&name));
        inner.or_else(|| self.file.meanings.get(&name)).copied()
    }

    /// All names of types that are visible here or were shadowed.
    pub(super) fn types(&self) -> impl Iterator<Item = Symbol> {
        let scopes = self.inner.iter().chain([&self.file.meanings]);
        scopes.flatten().filter(|(_, meaning)| **meaning != Meaning::Value).map(|(name, _)| *name)
    }

    /// Remembers that a tag exists.
    pub(super) fn declare_tag(&mut self, tag: Symbol, keyword: &'static str) {
        self.file.tags.insert(tag, keyword);
    }

    /// The keyword that a tag needs.
    pub(super) fn tag_keyword(&self, tag: Symbol) -> Option<&'static str> {
        self.file.tags.get(&tag).copied()
    }
}
