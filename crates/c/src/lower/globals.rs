//! Objects that exist from the start: variables of the file, static variables of functions, literals.
//!
//! Each gets its address when it is declared. Its initial value is made once something uses it, when
//! all of the file is known: an initialiser may name what is defined further down.

use super::Lowerer;
use super::init::Init;
use super::place::Place;
use crate::ast::{InitializerList, StringLiteral};
use crate::types::QualType;
use fencepost_lsl::program::{Global, InitPart, address};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashMap;

/// The least distance between objects.
const LEAST_ROOM: u64 = 1024;

/// A defined object.
pub(super) struct Definition<'u> {
    pub(super) name: String,
    pub(super) addr: u64,
    pub(super) ty: QualType,
    /// Its initial value; none for zeros.
    pub(super) value: Option<Init<'u>>,
    pub(super) span: Span,
}

/// All objects that exist from the start.
pub(super) struct Globals<'u> {
    /// Where the next one goes.
    next: u64,
    /// Addresses and sizes of all, by address.
    placed: Vec<(u64, u64)>,
    /// Addresses of string literals.
    strings: FxHashMap<Vec<u8>, u64>,
    /// Addresses of compound literals outside of functions, by their places in the tree.
    literals: FxHashMap<*const InitializerList, u64>,
    /// Defined, but used by nothing so far; by address.
    unused: FxHashMap<u64, Definition<'u>>,
    /// Used, but without initial value so far.
    pending: Vec<Definition<'u>>,
}

impl Default for Globals<'_> {
    fn default() -> Self {
        Globals {
            next: address::GLOBALS,
            placed: Vec::new(),
            strings: FxHashMap::default(),
            literals: FxHashMap::default(),
            unused: FxHashMap::default(),
            pending: Vec::new(),
        }
    }
}

impl<'u> Lowerer<'u> {
    /// Makes room for an object and returns its address.
    pub(super) fn place_global(&mut self, size: u64, align: u64, span: Span) -> u64 {
        // With room for its margins, at distances that make addresses differ in few bits.
        let room = (address::place(0, align) + size + address::MARGIN).next_power_of_two().max(LEAST_ROOM);
        let start = self.globals.next.next_multiple_of(room);
        let addr = address::place(start, align);
        if start + room > address::STACK {
            self.error(span, "the objects of this file need more memory than there is");
            return addr;
        }
        self.globals.next = start + room;
        self.globals.placed.push((addr, size));
        addr
    }

    /// Whether two addresses belong to the same object of those placed so far.
    pub(super) fn is_same_global(&self, a: u64, b: u64) -> bool {
        let after =
            self.globals.placed.partition_point(|(addr, _)| *addr <= a.saturating_add(address::MARGIN));
        let object = self.globals.placed[..after].last();
        object.is_some_and(|object| address::belongs(*object, a) && address::belongs(*object, b))
    }

    /// Notes the definition of an object; one with an initial value replaces a tentative one.
    pub(super) fn define_object(&mut self, definition: Definition<'u>) {
        let Globals { unused, pending, .. } = &mut self.globals;
        let known = unused
            .get_mut(&definition.addr)
            .or_else(|| pending.iter_mut().find(|known| known.addr == definition.addr));
        match known {
            Some(Definition { value: Some(_), .. }) if definition.value.is_some() => {
                self.error(definition.span, format!("`{}` is defined twice", definition.name));
            }
            Some(known) if definition.value.is_some() => *known = definition,
            Some(_) => {}
            None => _ = unused.insert(definition.addr, definition),
        }
    }

    /// Takes back a tentative definition, whose object needs more room than it was given; false if it is none. Nothing has
    /// kept its address: code is made when all of the file is known.
    pub(super) fn take_back_tentative(&mut self, addr: u64) -> bool {
        let Globals { unused, pending, .. } = &mut self.globals;
        let tentative = |known: &Definition| known.addr == addr && known.value.is_none();
        let found = unused.get(&addr).is_some_and(tentative) || pending.iter().any(tentative);
        unused.retain(|_, known| !tentative(known));
        pending.retain(|known| !tentative(known));
        found
    }

    /// Notes that the object at an address is used, so that it must exist.
    pub(super) fn use_object(&mut self, addr: u64) {
        if let Some(definition) = self.globals.unused.remove(&addr) {
            self.globals.pending.push(definition);
        }
    }

    /// Gives all used objects their initial values; false if there was none left.
    pub(super) fn make_pending_objects(&mut self) -> bool {
        let mut any = false;
        while let Some(definition) = self.globals.pending.pop() {
            self.make_object(definition);
            any = true;
        }
        any
    }

    /// Makes an object with its initial value.
    pub(super) fn make_object(&mut self, definition: Definition<'u>) {
        let Definition { name, addr, ty, value, span } = definition;
        let size = self.object_size(ty, value, span);
        let init = value.map_or(Vec::new(), |value| self.static_init(ty, size, value));
        let layout = Some(self.layout(ty.id));
        let constant = self.types.is_const(ty);
        self.program.globals.push(Global { name, addr, size, init, constant, layout });
    }

    /// A compound literal outside of functions: one object, however often its expression is looked at.
    pub(super) fn static_literal(&mut self, ty: QualType, list: &'u InitializerList, span: Span) -> Place {
        if let Some(&addr) = self.globals.literals.get(&std::ptr::from_ref(list)) {
            return Place::memory(ty, addr);
        }
        if self.unevaluated > 0 {
            return Place::memory(ty, 0);
        }
        let value = Init::List(list);
        let size = self.object_size(ty, Some(value), span);
        let addr = self.place_global(size, self.types.align_of(ty), span);
        self.globals.literals.insert(list, addr);
        let name = format!("literal@{addr:x}");
        self.make_object(Definition { name, addr, ty, value: Some(value), span });
        Place::memory(ty, addr)
    }

    /// The address of a string literal; equal literals share an object.
    pub(super) fn string(&mut self, text: &StringLiteral, span: Span) -> u64 {
        let size = text.encoding.element_size() as u64;
        let mut bytes = text.bytes.clone();
        bytes.extend(std::iter::repeat_n(0, size as usize));
        if let Some(&addr) = self.globals.strings.get(&bytes) {
            return addr;
        }
        if self.unevaluated > 0 {
            return 0;
        }
        let addr = self.place_global(bytes.len() as u64, size, span);
        let init = bytes.iter().enumerate().map(|(i, &byte)| InitPart {
            offset: i as u64,
            ty: IntTy::U8,
            value: Value::new(byte.into()),
        });
        let shown: String = String::from_utf8_lossy(&text.bytes).chars().take(20).collect();
        self.program.globals.push(Global {
            name: format!("{shown:?}"),
            addr,
            size: bytes.len() as u64,
            init: init.collect(),
            constant: true,
            layout: None,
        });
        self.globals.strings.insert(bytes, addr);
        addr
    }
}
