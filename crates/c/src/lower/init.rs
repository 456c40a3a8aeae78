//! Initialisers: which value goes to which part of an object (C11 6.7.9).

use super::place::{Place, Target};
use super::{Data, Lowerer, Value};
use crate::ast::{Designator, Expr, ExprKind, Initializer, InitializerItem, InitializerList, RecordKind};
use crate::types::{BitField, Field, QualType, Type};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::program::{InitPart, Operand, Order};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{self, IntTy};

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

/// A value and the part it is for.
pub(super) struct Part<'u> {
    offset: u64,
    ty: QualType,
    bits: Option<BitField>,
    source: PartSource<'u>,
}

enum PartSource<'u> {
    Expr(&'u Expr),
    /// Bytes of a string, for an array of characters.
    Bytes(&'u [u8]),
}

impl<'u> Lowerer<'u> {
    /// How many elements an initialiser gives to an array of open length.
    pub(super) fn initialized_length(&mut self, element: QualType, value: Init<'u>) -> u64 {
        if let Some((bytes, size)) = string_of(value) {
            return bytes.len() as u64 / size + 1;
        }
        let Init::List(list) = value else { return 0 };
        // An array longer than any list: count how far the list reaches.
        let size = self.types.size(element.id).unwrap_or(1).max(1);
        let open = self.types.array(element, Some(1 << 20));
        let mut parts = Vec::new();
        self.flatten_list(open.into(), 0, list, &mut parts);
        parts.iter().map(|part| part.offset / size + 1).max().unwrap_or(0)
    }

    /// The values of an initialiser with the parts they are for, in order.
    pub(super) fn flatten(&mut self, ty: QualType, value: Init<'u>) -> Vec<Part<'u>> {
        let mut parts = Vec::new();
        self.flatten_value(ty, 0, None, value, &mut parts);
        parts
    }

    fn flatten_value(
        &mut self,
        ty: QualType,
        offset: u64,
        bits: Option<BitField>,
        value: Init<'u>,
        parts: &mut Vec<Part<'u>>,
    ) {
        if let (Type::Array(element, Some(length)), Some((bytes, unit))) =
            (self.types.get(ty.id).clone(), string_of(value))
            && self.types.is_integer(element.id)
        {
            let room = (length * unit) as usize;
            parts.push(Part { offset, ty, bits, source: PartSource::Bytes(&bytes[..bytes.len().min(room)]) });
            return;
        }
        match value {
            Init::List(list) => self.flatten_list(ty, offset, list, parts),
            Init::Expr(expr) => parts.push(Part { offset, ty, bits, source: PartSource::Expr(expr) }),
        }
    }

    fn flatten_list(
        &mut self,
        ty: QualType,
        offset: u64,
        list: &'u InitializerList,
        parts: &mut Vec<Part<'u>>,
    ) {
        let mut items = list.items.iter().peekable();
        if !self.is_aggregate(ty) {
            // `int x = { 1 };`
            if let Some(item) = items.next() {
                self.flatten_value(ty, offset, None, (&item.value).into(), parts);
            }
            if let Some(extra) = items.next() {
                self.error(value_span((&extra.value).into()), "more initial values than there are parts");
            }
            return;
        }
        let mut next = 0;
        while let Some(item) = items.peek() {
            if let [first, rest @ ..] = item.designators.as_slice() {
                let item = *item;
                items.next();
                if let Some(last) = self.designated(ty, offset, first, rest, (&item.value).into(), parts) {
                    next = last + 1;
                }
                continue;
            }
            let Some(child) = self.child(ty, next) else {
                self.error(value_span((&item.value).into()), "more initial values than there are parts");
                return;
            };
            self.fill(offset, &child, &mut items, parts);
            next += 1;
        }
    }

    fn is_aggregate(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.id), Type::Array(..) | Type::Record(_))
    }

    /// A part of an aggregate, by number.
    fn child(&self, ty: QualType, index: u64) -> Option<Field> {
        match self.types.get(ty.id) {
            Type::Array(element, length) if length.is_none_or(|length| index < length) => {
                let offset = index * self.types.size(element.id)?;
                Some(Field { name: None, ty: *element, offset, bits: None })
            }
            Type::Record(record) => {
                let record = self.types.record(*record);
                let limit = if record.kind == RecordKind::Union { 1 } else { usize::MAX };
                record.layout()?.fields.get(index as usize).filter(|_| (index as usize) < limit).cloned()
            }
            _ => None,
        }
    }

    /// Gives the next value or values to a part: braces around those of an aggregate may be left out.
    fn fill(
        &mut self,
        offset: u64,
        child: &Field,
        items: &mut std::iter::Peekable<std::slice::Iter<'u, InitializerItem>>,
        parts: &mut Vec<Part<'u>>,
    ) {
        let Some(item) = items.peek() else { return };
        let at = offset + child.offset;
        let elided = match &item.value {
            Initializer::Expr(expr) => self.is_aggregate(child.ty) && !self.initializes_whole(child.ty, expr),
            Initializer::List(_) => false,
        };
        if !elided {
            let item = *item;
            items.next();
            self.flatten_value(child.ty, at, child.bits, (&item.value).into(), parts);
            return;
        }
        let mut index = 0;
        while let Some(inner) = self.child(child.ty, index) {
            if items.peek().is_none_or(|item| !item.designators.is_empty()) {
                return;
            }
            self.fill(at, &inner, items, parts);
            index += 1;
        }
    }

    /// Whether an expression gives an aggregate all of its value.
    fn initializes_whole(&mut self, ty: QualType, expr: &'u Expr) -> bool {
        if let ExprKind::String(_) = expr.kind {
            return matches!(self.types.get(ty.id), Type::Array(element, _) if self.types.is_integer(element.id));
        }
        let given = self.type_of(expr);
        matches!(self.types.get(given.id), Type::Record(_)) && self.types.compatible(given.id, ty.id)
    }

    /// Gives a value to the part that designators name; returns the last direct part touched.
    fn designated(
        &mut self,
        ty: QualType,
        offset: u64,
        first: &'u Designator,
        rest: &'u [Designator],
        value: Init<'u>,
        parts: &mut Vec<Part<'u>>,
    ) -> Option<u64> {
        let (from, to, fields): (u64, u64, Vec<Field>) = match (first, self.types.get(ty.id).clone()) {
            (Designator::Field(name), Type::Record(record)) => {
                let Some(field) = self.types.find_field(record, name.symbol) else {
                    let (text, shown) = (self.text(name.symbol), self.types.show(ty));
                    self.error(name.span, format!("`{shown}` has no member `{text}`"));
                    return None;
                };
                let all = self.types.record(record).layout().map_or(&[][..], |layout| &layout.fields);
                // The direct member that is, or holds, the one named.
                let index = all.iter().rposition(|f| f.offset <= field.offset).unwrap_or(0) as u64;
                let index = all.iter().position(|f| f.name == Some(name.symbol)).map_or(index, |i| i as u64);
                (index, index, vec![field])
            }
            (Designator::Index(index), Type::Array(..)) => {
                let index = self.constant(index)?.bits;
                (index, index, self.child(ty, index).into_iter().collect())
            }
            (Designator::Range(low, high), Type::Array(..)) => {
                let (low, high) = (self.constant(low)?.bits, self.constant(high)?.bits);
                let children = (low..=high.min(low + (1 << 16))).filter_map(|index| self.child(ty, index));
                (low, high, children.collect())
            }
            (Designator::Field(name), _) => {
                self.error(name.span, "a member is named in an initialiser of something that has none");
                return None;
            }
            (Designator::Index(expr) | Designator::Range(expr, _), _) => {
                self.error(expr.span, "an element is named in an initialiser of something that is no array");
                return None;
            }
        };
        if fields.is_empty() {
            self.error(value_span(value), format!("element {from} is beyond the end of the array"));
        }
        for field in fields {
            let at = offset + field.offset;
            match rest {
                [] => self.flatten_value(field.ty, at, field.bits, value, parts),
                [next, more @ ..] => _ = self.designated(field.ty, at, next, more, value, parts),
            }
        }
        Some(to)
    }

    /// A piece of a global's initial value.
    pub(super) fn static_part(&mut self, part: Part<'u>, out: &mut Vec<InitPart>) {
        let Part { offset, ty, bits, source } = part;
        let expr = match source {
            PartSource::Bytes(bytes) => {
                for (i, &byte) in bytes.iter().enumerate() {
                    let value = value::Value::new(byte.into());
                    out.push(InitPart { offset: offset + i as u64, ty: IntTy::U8, value });
                }
                return;
            }
            PartSource::Expr(expr) => expr,
        };
        // `static struct s x = (struct s){ … };`
        if let ExprKind::CompoundLiteral(name, list) = &expr.kind
            && self.types.scalar(ty.id).is_none()
        {
            let literal = self.type_name(name);
            let mut parts = Vec::new();
            self.flatten_list(literal, offset, list, &mut parts);
            parts.into_iter().for_each(|part| self.static_part(part, out));
            return;
        }
        let Some(scalar) = self.types.scalar(ty.id) else {
            self.error(expr.span, "the initial value of a global must be a constant");
            return;
        };
        let Some(constant) = self.constant(expr) else { return };
        let value = self.convert(Value::word(constant.ty, constant.bits), ty.id, expr.span);
        let Data::Word(Operand::Const(word)) = value.data else {
            return self.error(expr.span, "the initial value of a global must be a constant");
        };
        match bits {
            None => out.push(InitPart { offset, ty: IntTy::unsigned(scalar.bits), value: word }),
            Some(bits) => {
                // Bit-fields of one unit share a piece.
                let unit = bits.unit_ty();
                let at = out.iter().position(|part| part.offset == offset && part.ty == unit).unwrap_or_else(
                    || {
                        out.push(InitPart { offset, ty: unit, value: value::Value::ZERO });
                        out.len() - 1
                    },
                );
                let insert = PrimOp::Insert { low: bits.low, bits: bits.width };
                if let Ok(joined) = insert.eval(&[out[at].value, word]) {
                    out[at].value = joined;
                }
            }
        }
    }

    /// The initial value of a variable in a register.
    pub(super) fn register_init(&mut self, ty: QualType, value: Init<'u>) -> Operand {
        if let Init::Expr(expr) = value {
            let value = self.rvalue(expr);
            let value = self.convert(value, ty.id, expr.span);
            return self.operand(value, expr.span);
        }
        let parts = self.flatten(ty, value);
        let mut word: Operand = 0.into();
        for part in parts {
            let PartSource::Expr(expr) = part.source else { continue };
            let value = self.rvalue(expr);
            let value = self.convert(value, part.ty.id, expr.span);
            let operand = self.operand(value, expr.span);
            let low = 8 * part.offset as u8 + part.bits.map_or(0, |bits| bits.low);
            let width = self.types.word(part.ty.id).map_or(64, |ty| ty.bits);
            let bits = part.bits.map_or(width, |bits| bits.width);
            word = match (low, self.types.scalar(ty.id)) {
                (0, Some(_)) => operand,
                _ => self.builder.op(PrimOp::Insert { low, bits }, &[word, operand], expr.span),
            };
        }
        word
    }

    /// Gives a local object in memory its initial value.
    pub(super) fn dynamic_init(&mut self, ty: QualType, addr: Operand, value: Init<'u>, span: Span) {
        if self.is_aggregate(ty) && (matches!(value, Init::List(_)) || string_of(value).is_some()) {
            // What no value is given for is zero.
            for (offset, leaf) in self.types.leaves(ty.id) {
                let at = self.offset(addr, offset, span);
                self.builder.store(at, 0.into(), leaf, Order::Plain, span);
            }
        }
        for part in self.flatten(ty, value) {
            match part.source {
                PartSource::Bytes(bytes) => {
                    for (i, &byte) in bytes.iter().enumerate() {
                        let at = self.offset(addr, part.offset + i as u64, span);
                        self.builder.store(at, u64::from(byte).into(), IntTy::U8, Order::Plain, span);
                    }
                }
                PartSource::Expr(expr) => {
                    let value = self.rvalue(expr);
                    let at = self.offset(addr, part.offset, expr.span);
                    // Initialisation is no atomic access, even of an atomic object.
                    let mut ty = part.ty;
                    ty.qualifiers.is_atomic = false;
                    let target = match part.bits {
                        None => Target::Memory(at),
                        Some(bits) => Target::Bits(at, bits),
                    };
                    self.write(Place { ty, target }, value, expr.span);
                }
            }
        }
    }
}

/// The bytes of a string that initialises an array, and the size of its elements.
fn string_of<'u>(value: Init<'u>) -> Option<(&'u [u8], u64)> {
    match value {
        Init::Expr(Expr { kind: ExprKind::String(text), .. }) => {
            Some((&text.bytes, text.encoding.element_size() as u64))
        }
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

fn value_span(value: Init) -> Span {
    match value {
        Init::Expr(expr) => expr.span,
        Init::List(list) => list.span,
    }
}
