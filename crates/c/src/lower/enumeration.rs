//! Enumerations: the values of their constants, and the type that holds them.

use super::Lowerer;
use super::scope::Entity;
use crate::ast::{BasicType, EnumSpecifier};
use crate::types::{Type, TypeId};

impl<'u> Lowerer<'u> {
    /// The type of `enum tag { … }`, with its constants declared.
    pub(super) fn enum_type(&mut self, spec: &'u EnumSpecifier) -> TypeId {
        let tag = spec.tag.map(|tag| tag.symbol);
        let Some(enumerators) = &spec.enumerators else {
            return match tag.and_then(|tag| self.scopes.find_tag(tag)) {
                Some(known) if matches!(self.types.get(known), Type::Enum { .. }) => known,
                Some(known) => {
                    let shown = self.types.show(known);
                    self.error(spec.span, format!("this is declared as `{shown}`"));
                    self.types.error()
                }
                // Declared before it is defined, as GCC allows: an `unsigned int`.
                None => self.types.unsigned_int(),
            };
        };
        let mut next = 0i128;
        let mut constants = Vec::new();
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value
                && let Some(constant) = self.constant(value)
            {
                let signed = self.types.scalar(constant.ty).is_some_and(|ty| ty.signed);
                next = if signed { i128::from(constant.bits as i64) } else { i128::from(constant.bits) };
            }
            let ty = self.constant_type(next);
            self.check_clash(enumerator.name, Entity::Constant(next as i64, ty));
            self.scopes.declare(enumerator.name.symbol, Entity::Constant(next as i64, ty));
            constants.push((enumerator.name.symbol, next));
            next += 1;
        }
        let packed = super::typing::is_packed(&spec.attributes);
        let underlying = match &spec.underlying {
            Some(name) => self.type_name(name).id,
            None => self.holding_type(constants.iter().map(|(_, value)| *value), packed),
        };
        // Constants that do not fit an `int` have the enumeration's own type.
        for (name, value) in constants {
            if i32::try_from(value).is_err() {
                self.scopes.declare(name, Entity::Constant(value as i64, underlying));
            }
        }
        let node = std::ptr::from_ref(spec) as usize;
        let id = match self.definitions.get(&node) {
            Some(&known) => known,
            None => {
                let name = tag.map_or("enum {…}".to_owned(), |tag| format!("enum {}", self.text(tag)));
                self.types.new_enum(name, underlying)
            }
        };
        self.definitions.insert(node, id);
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, id);
        }
        id
    }

    /// The type of a constant before the whole enumeration is known.
    fn constant_type(&self, value: i128) -> TypeId {
        match (i32::try_from(value), i64::try_from(value)) {
            (Ok(_), _) => self.types.int(),
            (_, Ok(_)) => self.types.long(),
            _ => self.types.unsigned_long(),
        }
    }

    /// The integer type in which GCC keeps an enumeration: at least an `int`, unless packed.
    fn holding_type(&mut self, values: impl Iterator<Item = i128>, packed: bool) -> TypeId {
        let (least, most) = values.fold((0, 0), |(least, most), value| (value.min(least), value.max(most)));
        let types = [
            (8, BasicType::SignedChar, BasicType::UnsignedChar),
            (16, BasicType::Short, BasicType::UnsignedShort),
            (32, BasicType::Int, BasicType::UnsignedInt),
            (64, BasicType::Long, BasicType::UnsignedLong),
        ];
        let fits = |bits: u32| match least < 0 {
            true => -(1i128 << (bits - 1)) <= least && most < 1i128 << (bits - 1),
            false => most < 1i128 << bits,
        };
        let found = types.into_iter().find(|(bits, ..)| (packed || *bits >= 32) && fits(*bits));
        let (_, signed, unsigned) = found.unwrap_or(types[3]);
        self.types.basic(if least < 0 { signed } else { unsigned })
    }
}
