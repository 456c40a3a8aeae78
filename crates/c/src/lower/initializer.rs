//! Which value of an initialiser goes to which part of an object (C11 6.7.9).
//!
//! A list fills the parts of an object in order. Where braces are left out, it goes on inside of a part
//! until that is full; a designator starts over from the outside. So the place reached is a stack of
//! aggregates, each with the number of its next part.

use super::Lowerer;
use crate::ast::{
    Designator, Encoding, Expr, ExprKind, Initializer, InitializerList, RecordKind, StringLiteral, Symbol,
};
use crate::types::{BitField, Field, QualType, RecordId, Type, TypeId};
use fencepost_lsl::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An initialiser, by reference.
#[derive(Clone, Copy)]
pub(super) enum Init<'u> {
    Expr(&'u Expr),
    List(&'u InitializerList),
}

impl<'u> From<&'u Initializer> for Init<'u> {
    fn from(value: &'u Initializer) -> Init<'u> {
        match value {
            Initializer::Expr(expr) => Init::Expr(expr),
            Initializer::List(list) => Init::List(list),
        }
    }
}

impl Init<'_> {
    pub(super) fn span(self) -> Span {
        match self {
            Init::Expr(expr) => expr.span,
            Init::List(list) => list.span,
        }
    }
}

/// A value and the part it is for.
#[derive(Clone)]
pub(super) struct Part<'u> {
    pub(super) offset: u64,
    /// Further parts that get the same value, evaluated once: the other elements of a range.
    pub(super) copies: Vec<u64>,
    pub(super) ty: QualType,
    pub(super) bits: Option<BitField>,
    pub(super) source: Source<'u>,
}

/// Where the value of a part comes from.
#[derive(Clone, Copy)]
pub(super) enum Source<'u> {
    Expr(&'u Expr),
    /// Bytes of a string, for an array of characters.
    Bytes(&'u [u8]),
}

impl Part<'_> {
    /// All places that get the value.
    pub(super) fn offsets(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.offset).chain(self.copies.iter().copied())
    }
}

/// An aggregate that is being filled.
struct Level {
    ty: QualType,
    offset: u64,
    /// Number of the part that gets the next value.
    next: u64,
}

/// A range of elements: how many besides the last, and their size.
type Elements = Option<(u64, u64)>;

/// No list names more elements than this at once.
const MAX_RANGE: u64 = 1 << 16;

impl<'u> Lowerer<'u> {
    /// How many elements an initialiser gives to an array of open length.
    pub(super) fn initialized_length(&mut self, element: QualType, value: Init<'u>) -> u64 {
        if let Some(text) = self.string_for(element, value) {
            return text.bytes.len() as u64 / text.encoding.element_size() as u64 + 1;
        }
        match value {
            Init::List(list) => {
                let open = self.types.array(element, None);
                self.flatten_list(open.into(), 0, list, &mut Vec::new())
            }
            Init::Expr(expr) => {
                let given = self.type_of(expr);
                match self.types.get(given.id) {
                    Type::Array(_, Some(length)) => *length,
                    _ => 0,
                }
            }
        }
    }

    /// The values of an initialiser with the parts they are for, in order. Of values for the same part,
    /// only the last is there.
    pub(super) fn flatten(&mut self, ty: QualType, value: Init<'u>) -> Vec<Part<'u>> {
        let mut parts = Vec::new();
        let whole = Field { name: None, ty, offset: 0, bits: None };
        self.flatten_value(&whole, value, &mut parts);
        let key = |part: &Part| (part.offset, part.bits.map(|bits| bits.low), part.ty.id);
        let mut seen = FxHashSet::default();
        let mut kept: Vec<Part> = Vec::new();
        for part in parts.into_iter().rev() {
            if seen.insert(key(&part)) || !part.copies.is_empty() {
                kept.push(part);
            }
        }
        kept.reverse();
        kept
    }

    /// Gives a value to a part.
    fn flatten_value(&mut self, part: &Field, value: Init<'u>, parts: &mut Vec<Part<'u>>) {
        let Field { ty, offset, bits, .. } = *part;
        if let Type::Array(element, length) = *self.types.get(ty.id)
            && let Some(text) = self.string_for(element, value)
        {
            let room = length.map_or(text.bytes.len() as u64, |n| n * text.encoding.element_size() as u64);
            let bytes = &text.bytes[..text.bytes.len().min(room as usize)];
            parts.push(Part { offset, copies: Vec::new(), ty, bits, source: Source::Bytes(bytes) });
            return;
        }
        match value {
            Init::List(list) if self.is_aggregate(ty) => _ = self.flatten_list(ty, offset, list, parts),
            Init::List(list) => self.flatten_scalar(part, list, parts),
            Init::Expr(expr) => {
                parts.push(Part { offset, copies: Vec::new(), ty, bits, source: Source::Expr(expr) });
            }
        }
    }

    /// `int x = { 1 };`, or for a part of something.
    fn flatten_scalar(&mut self, part: &Field, list: &'u InitializerList, parts: &mut Vec<Part<'u>>) {
        match list.items.as_slice() {
            [] => {}
            [first, rest @ ..] => {
                self.flatten_value(part, (&first.value).into(), parts);
                if let (Some(extra), false) = (rest.first(), self.types.is_error(part.ty.id)) {
                    self.too_many((&extra.value).into());
                }
            }
        }
    }

    fn too_many(&mut self, extra: Init<'u>) {
        self.error(extra.span(), "more initial values than there are parts");
    }

    /// Gives the values of a list to the parts of an aggregate; returns how many parts it has reached.
    fn flatten_list(
        &mut self,
        ty: QualType,
        offset: u64,
        list: &'u InitializerList,
        parts: &mut Vec<Part<'u>>,
    ) -> u64 {
        let mut levels = vec![Level { ty, offset, next: 0 }];
        let mut reached = 0;
        let own = parts.len();
        let mut chosen = FxHashMap::default();
        for item in &list.items {
            let value = Init::from(&item.value);
            let (target, range) = if item.designators.is_empty() {
                match self.advance(&mut levels) {
                    Some(field) => (field, None),
                    None => {
                        self.too_many(value);
                        return reached;
                    }
                }
            } else {
                levels.truncate(1);
                match self.designated(&mut levels, &item.designators, value) {
                    Some(found) => found,
                    None => continue,
                }
            };
            for range in self.left_members(&levels, &mut chosen) {
                forget(parts, own, range);
            }
            if let (Init::List(_), Some(size), None) = (value, self.types.size(target.ty.id), target.bits) {
                // A list sets all of its part: what earlier values gave to some of it is gone.
                let (count, stride) = range.unwrap_or((0, 0));
                for i in 0..=count {
                    let start = target.offset - i * stride;
                    forget(parts, own, start..start + size);
                }
            }
            let first = parts.len();
            self.descend(&mut levels, target, value, parts);
            self.left_members(&levels, &mut chosen);
            if let Some((count, stride)) = range {
                for part in &mut parts[first..] {
                    let bases: Vec<u64> = part.offsets().collect();
                    let others = (1..=count).flat_map(|i| bases.iter().map(move |at| at - i * stride));
                    part.copies.extend(others.collect::<Vec<_>>());
                }
            }
            reached = reached.max(levels[0].next);
        }
        reached
    }

    /// Notes which members of unions are being filled; returns the bytes of those unions of which another
    /// member was filled before, whose value is gone then.
    fn left_members(&self, levels: &[Level], chosen: &mut FxHashMap<(u64, TypeId), u64>) -> Vec<Range<u64>> {
        let unions = levels.iter().filter(|level| self.is_union(level.ty));
        let left = unions.filter(|level| {
            let before = chosen.insert((level.offset, level.ty.id), level.next);
            before.is_some_and(|before| before != level.next)
        });
        left.map(|level| level.offset..level.offset + self.types.size(level.ty.id).unwrap_or(0)).collect()
    }

    pub(super) fn is_aggregate(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.id), Type::Array(..) | Type::Record(_))
    }

    /// A part of an aggregate, by number.
    fn child(&self, level: &Level, index: u64) -> Option<Field> {
        match self.types.get(level.ty.id) {
            Type::Array(element, length) if length.is_none_or(|length| index < length) => {
                // An open array of nothing would take values for ever.
                let size = self.types.size(element.id).filter(|size| *size > 0 || length.is_some())?;
                let offset = level.offset.checked_add(index.checked_mul(size)?)?;
                Some(Field { name: None, ty: *element, offset, bits: None })
            }
            Type::Record(record) => {
                let field = self.types.record(*record).layout()?.fields.get(index as usize)?;
                Some(Field { offset: level.offset + field.offset, ..field.clone() })
            }
            _ => None,
        }
    }

    /// The part that gets the next value; leaves aggregates that are full.
    fn advance(&self, levels: &mut Vec<Level>) -> Option<Field> {
        loop {
            let level = levels.last_mut()?;
            // Of a union, a list fills one member.
            let full = level.next > 0 && self.is_union(level.ty);
            if !full && let Some(child) = self.child(level, level.next) {
                level.next += 1;
                return Some(child);
            }
            if levels.len() == 1 {
                return None;
            }
            levels.pop();
        }
    }

    fn is_union(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.id), Type::Record(id) if self.types.record(*id).kind == RecordKind::Union)
    }

    /// Gives a value to a part, or to the first part of it that can take it.
    fn descend(
        &mut self,
        levels: &mut Vec<Level>,
        mut target: Field,
        value: Init<'u>,
        parts: &mut Vec<Part<'u>>,
    ) {
        while let Init::Expr(expr) = value
            && self.is_aggregate(target.ty)
            && !self.initializes_whole(target.ty, expr)
        {
            levels.push(Level { ty: target.ty, offset: target.offset, next: 0 });
            match self.advance(levels) {
                Some(inner) => target = inner,
                None => return self.too_many(value),
            }
        }
        self.flatten_value(&target, value, parts);
    }

    /// Whether an expression gives an aggregate all of its value.
    fn initializes_whole(&mut self, ty: QualType, expr: &'u Expr) -> bool {
        match *self.types.get(ty.id) {
            Type::Array(element, _) => self.string_for(element, Init::Expr(expr)).is_some(),
            _ => {
                let given = self.type_of(expr);
                self.types.is_error(given.id)
                    || matches!(self.types.get(given.id), Type::Record(_))
                        && self.types.compatible(given.id, ty.id)
            }
        }
    }

    /// The part that designators name, with the range of elements if they name several.
    fn designated(
        &mut self,
        levels: &mut Vec<Level>,
        designators: &'u [Designator],
        value: Init<'u>,
    ) -> Option<(Field, Elements)> {
        let mut range = None;
        let mut target: Option<Field> = None;
        for designator in designators {
            if let Some(outer) = target.take() {
                levels.push(Level { ty: outer.ty, offset: outer.offset, next: 0 });
            }
            let ty = levels.last()?.ty;
            target = match (designator, self.types.get(ty.id).clone()) {
                (_, Type::Error) => return None,
                (Designator::Field(name), Type::Record(record)) => {
                    self.find_member(record, ty, *name)?;
                    self.named_part(levels, record, name.symbol)
                }
                (Designator::Index(index), Type::Array(..)) => {
                    let index = self.constant(index)?.bits;
                    self.element_part(levels, index, value)
                }
                (Designator::Range(low, high), Type::Array(element, _)) => {
                    let (first, last) = (self.constant(low)?.bits, self.constant(high)?.bits);
                    let Some(count) = last.checked_sub(first).filter(|count| *count < MAX_RANGE) else {
                        self.error(low.span, "the range is empty or too long");
                        return None;
                    };
                    range = Some((count, self.types.size(element.id).unwrap_or(0)));
                    self.element_part(levels, last, value)
                }
                (Designator::Field(name), _) => {
                    self.error(name.span, "a member is named in an initialiser of something that has none");
                    return None;
                }
                (Designator::Index(expr) | Designator::Range(expr, _), _) => {
                    let message = "an element is named in an initialiser of something that is no array";
                    self.error(expr.span, message);
                    return None;
                }
            };
            target.as_ref()?;
        }
        target.map(|target| (target, range))
    }

    fn element_part(&mut self, levels: &mut [Level], index: u64, value: Init<'u>) -> Option<Field> {
        let level = levels.last_mut()?;
        level.next = index.saturating_add(1);
        let found = levels.last().and_then(|level| self.child(level, index));
        if found.is_none() {
            self.error(value.span(), format!("element {index} is beyond the end of the array"));
        }
        found
    }

    /// A member by its name, through the anonymous records around it.
    fn named_part(&self, levels: &mut Vec<Level>, record: RecordId, name: Symbol) -> Option<Field> {
        let fields = &self.types.record(record).layout()?.fields;
        let holds = |field: &Field| match (field.name, self.types.get(field.ty.id)) {
            (Some(own), _) => own == name,
            (None, Type::Record(inner)) => self.types.find_field(*inner, name).is_some(),
            _ => false,
        };
        let index = fields.iter().position(holds)?;
        let level = levels.last_mut()?;
        level.next = index as u64 + 1;
        let found = self.child(level, index as u64)?;
        match (found.name, self.types.get(found.ty.id)) {
            (None, Type::Record(inner)) => {
                levels.push(Level { ty: found.ty, offset: found.offset, next: 0 });
                self.named_part(levels, *inner, name)
            }
            _ => Some(found),
        }
    }

    /// The string that initialises an array with such elements, if it is one.
    fn string_for(&self, element: QualType, value: Init<'u>) -> Option<&'u StringLiteral> {
        let text = string_of(value)?;
        let size = text.encoding.element_size() as u64;
        let narrow = matches!(text.encoding, Encoding::Plain | Encoding::Utf8);
        let fits = match self.types.get(element.id) {
            Type::Int { .. } => self.types.size(element.id) == Some(size),
            Type::Enum { .. } => !narrow && self.types.size(element.id) == Some(size),
            _ => false,
        };
        fits.then_some(text)
    }
}

/// Drops the values that parts from `own` on give to places in a range.
fn forget(parts: &mut Vec<Part>, own: usize, range: Range<u64>) {
    let later = parts.split_off(own);
    for mut part in later {
        part.copies.retain(|at| !range.contains(at));
        if range.contains(&part.offset) {
            if part.copies.is_empty() {
                continue;
            }
            part.offset = part.copies.remove(0);
        }
        parts.push(part);
    }
}

/// The string that an initialiser is, perhaps in braces.
fn string_of<'u>(value: Init<'u>) -> Option<&'u StringLiteral> {
    match value {
        Init::Expr(Expr { kind: ExprKind::String(text), .. }) => Some(text),
        Init::Expr(_) => None,
        Init::List(list) => match list.items.as_slice() {
            [item] if item.designators.is_empty() => match &item.value {
                Initializer::Expr(expr) => string_of(Init::Expr(expr)),
                Initializer::List(_) => None,
            },
            _ => None,
        },
    }
}
