//! Names for parts of objects: how offset 8 of `q` comes to be written `q.tail`.
//!
//! LSL is untyped (CheckFence, Section 3.1); these trees exist only so that traces speak C.

use crate::value::{IntTy, Value};
use std::ops::Range;

/// Index of a layout in [`Layouts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LayoutId(pub u32);

/// The shape of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One value; for a pointer, the layout of what it points to.
    Scalar {
        /// Layout of the pointee, where this is a pointer to an object type.
        target: Option<LayoutId>,
    },
    /// A struct or union: members with offsets. An anonymous member has an empty name.
    Record(Vec<Member>),
    /// Equal elements side by side.
    Array {
        /// Layout of an element.
        element: LayoutId,
        /// Size of an element in bytes, not zero.
        stride: u64,
    },
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Its name; empty if anonymous.
    pub name: String,
    /// Its offset in bytes; of a bit-field, that of the unit it is accessed by.
    pub offset: u64,
    /// Its layout; of a bit-field, that of its unit.
    pub layout: LayoutId,
    /// Where in its unit it lies, if it is a bit-field.
    pub bits: Option<Bits>,
}

/// Where a bit-field lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    /// Its lowest bit in its unit.
    pub low: u8,
    /// Its width and sign.
    pub ty: IntTy,
}

impl Member {
    /// The bits of the record that a bit-field has.
    fn bit_range(&self) -> Option<Range<u64>> {
        let Bits { low, ty } = self.bits?;
        let start = 8 * self.offset + u64::from(low);
        Some(start..start + u64::from(ty.bits))
    }
}

/// A part of an object.
#[derive(Default)]
struct Part<'l> {
    /// The way to it.
    path: String,
    /// Its layout, if it starts there.
    layout: Option<LayoutId>,
    /// The bit-fields in it, if it is accessed for their sake: names, and lowest bits with types. No bit is that of two, and
    /// none of them reaches out of the part.
    fields: Vec<(&'l str, u64, IntTy)>,
}

/// A layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// The type's name for people, such as `node_t`.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Its parts.
    pub shape: Shape,
}

/// All layouts of a program.
#[derive(Clone, Default, Debug)]
pub struct Layouts {
    table: Vec<Layout>,
}

impl Layouts {
    /// Adds a layout.
    pub fn add(&mut self, layout: Layout) -> LayoutId {
        self.table.push(layout);
        LayoutId(self.table.len() as u32 - 1)
    }

    /// Replaces a layout, to close the knot of a recursive type.
    pub fn set(&mut self, id: LayoutId, layout: Layout) {
        self.table[id.0 as usize] = layout;
    }

    /// The layout with this id.
    pub(crate) fn get(&self, id: LayoutId) -> &Layout {
        &self.table[id.0 as usize]
    }

    /// The path to the part at `offset`, such as `.slots[2].seq`, and the layout found there. Goes to the
    /// innermost part that holds `size` bytes; in unions, to the first such member. Bit-fields that are accessed together
    /// are one part, `.{a, b}`.
    pub(crate) fn path(&self, id: LayoutId, offset: u64, size: u64) -> (String, Option<LayoutId>) {
        let part = self.part(id, offset, size);
        (part.path, part.layout)
    }

    fn part(&self, id: LayoutId, offset: u64, size: u64) -> Part<'_> {
        let mut path = String::new();
        let mut fields = Vec::new();
        let mut at = id;
        let mut rest = offset;
        loop {
            let layout = self.get(at);
            let whole = rest == 0 && layout.size == size;
            match &layout.shape {
                Shape::Array { element, stride } if !whole || *stride == size => {
                    path.push_str(&format!("[{}]", rest / stride));
                    rest %= stride;
                    at = *element;
                }
                Shape::Record(members) => {
                    let end = |m: &Member| m.offset + self.get(m.layout).size;
                    let fits = |m: &&Member| m.offset <= rest && rest + size <= end(m);
                    let holds = |m: &&Member| !whole && m.offset <= rest && rest < end(m);
                    let whole_member = members.iter().filter(|m| m.bits.is_none()).find(fits);
                    let member = whole_member.or_else(|| members.iter().find(fits));
                    let Some(member) = member.or_else(|| members.iter().find(holds)) else { break };
                    if member.bits.is_some() {
                        let names;
                        (names, fields) = bit_fields(members, rest, size);
                        path.push_str(&names);
                    } else if !member.name.is_empty() {
                        path.push('.');
                        path.push_str(&member.name);
                    }
                    rest -= member.offset;
                    at = member.layout;
                }
                _ => break,
            }
        }
        if rest != 0 {
            path.push_str(&format!("+{rest}"));
            return Part { path, layout: None, fields };
        }
        Part { path, layout: Some(at), fields }
    }

    /// The values of the bit-fields in some bytes of an object, with their names, if these are accessed for them alone;
    /// the object may be longer than its layout.
    pub fn bit_fields_within(
        &self,
        id: LayoutId,
        object: u64,
        offset: u64,
        size: u64,
        value: Value,
    ) -> Vec<(&str, Value)> {
        let offset = self.elements(id, object).map_or(offset, |stride| offset % stride);
        let field = |(name, low, ty): (_, u64, _)| {
            (name, Value::partial(value.bits() >> low, value.undef() >> low).wrap(ty))
        };
        self.part(id, offset, size).fields.into_iter().map(field).collect()
    }

    /// As `path`, in an object that may be longer than its layout: then it is an array of such.
    pub fn path_within(&self, id: LayoutId, object: u64, offset: u64, size: u64) -> String {
        match self.elements(id, object) {
            Some(stride) => format!("[{}]{}", offset / stride, self.path(id, offset % stride, size).0),
            None => self.path(id, offset, size).0,
        }
    }

    /// The path to the outermost part that starts at `offset`, as a pointer there would be written; the object
    /// may be longer than its layout.
    pub fn start_within(&self, id: LayoutId, object: u64, offset: u64) -> String {
        if offset == 0 {
            return String::new();
        }
        let (mut path, mut rest) = match self.elements(id, object) {
            Some(stride) => (format!("[{}]", offset / stride), offset % stride),
            None => (String::new(), offset),
        };
        let mut at = id;
        while rest != 0 {
            match &self.get(at).shape {
                Shape::Array { element, stride } => {
                    path.push_str(&format!("[{}]", rest / stride));
                    (rest, at) = (rest % stride, *element);
                }
                Shape::Record(members) => {
                    let end = |m: &Member| m.offset + self.get(m.layout).size;
                    let Some(member) = members.iter().find(|m| m.offset <= rest && rest < end(m)) else {
                        return format!("{path}+{rest}");
                    };
                    if !member.name.is_empty() {
                        path.push('.');
                        path.push_str(&member.name);
                    }
                    (rest, at) = (rest - member.offset, member.layout);
                }
                Shape::Scalar { .. } => return format!("{path}+{rest}"),
            }
        }
        path
    }

    /// The size of the elements of an object that is longer than its layout and looks like an array of such. One
    /// that ends with a flexible array is something else.
    fn elements(&self, id: LayoutId, object: u64) -> Option<u64> {
        let layout = self.get(id);
        let flexible = match &layout.shape {
            Shape::Record(members) => members.last().is_some_and(|last| self.get(last.layout).size == 0),
            _ => false,
        };
        let fits = layout.size > 0 && object > layout.size && object.is_multiple_of(layout.size);
        (fits && !flexible).then_some(layout.size)
    }

    /// The name of a type, or of what it is an array of.
    pub fn element_name(&self, id: LayoutId) -> &str {
        match self.get(id) {
            Layout { shape: Shape::Array { element, .. }, .. } => self.element_name(*element),
            layout => &layout.name,
        }
    }
}

/// The name of some bytes of a record that are accessed for the bit-fields in them, and these bit-fields, if each has bits of
/// its own among these bytes.
fn bit_fields(members: &[Member], offset: u64, size: u64) -> (String, Vec<(&str, u64, IntTy)>) {
    let bytes = 8 * offset..8 * (offset + size);
    let among = members.iter().filter_map(|member| {
        let range = member.bit_range()?;
        (range.start < bytes.end && bytes.start < range.end).then_some((member, range))
    });
    let among: Vec<(&Member, Range<u64>)> = among.collect();
    let names: Vec<&str> = among.iter().map(|(member, _)| member.name.as_str()).collect();
    if let ([name], [(_, range)]) = (&names[..], &among[..])
        && *range == bytes
    {
        return (format!(".{name}"), Vec::new());
    }
    let inside = among.iter().all(|(_, range)| bytes.start <= range.start && range.end <= bytes.end);
    let apart = among.windows(2).all(|pair| pair[0].1.end <= pair[1].1.start);
    let field = |(member, range): &(&'_ Member, Range<u64>)| {
        member.bits.map(|bits| (range.start - bytes.start, bits.ty))
    };
    let placed = among.iter().filter_map(field);
    let fields = match inside && apart {
        true => names.iter().zip(placed).map(|(name, (low, ty))| (*name, low, ty)).collect(),
        false => Vec::new(),
    };
    (format!(".{{{}}}", names.join(", ")), fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(layouts: &mut Layouts, name: &str, size: u64) -> LayoutId {
        layouts.add(Layout { name: name.into(), size, shape: Shape::Scalar { target: None } })
    }

    #[test]
    fn paths_name_fields_elements_and_anonymous_members() {
        let mut all = Layouts::default();
        let int = scalar(&mut all, "int", 4);
        let long = scalar(&mut all, "long", 8);
        let member = |name: &str, offset, layout| Member { name: name.into(), offset, layout, bits: None };
        let inner = all.add(Layout {
            name: "slot".into(),
            size: 8,
            shape: Shape::Record(vec![member("seq", 0, int), member("data", 4, int)]),
        });
        let anonymous = all.add(Layout {
            name: "union".into(),
            size: 8,
            shape: Shape::Record(vec![member("whole", 0, long), member("half", 0, int)]),
        });
        let array = all.add(Layout {
            name: "slot[4]".into(),
            size: 32,
            shape: Shape::Array { element: inner, stride: 8 },
        });
        let ring = all.add(Layout {
            name: "ring".into(),
            size: 40,
            shape: Shape::Record(vec![member("slots", 0, array), member("", 32, anonymous)]),
        });
        assert_eq!(all.path(ring, 20, 4).0, ".slots[2].data");
        assert_eq!(all.path(ring, 32, 8).0, ".whole");
        assert_eq!(all.path(ring, 16, 8).0, ".slots[2]");
        assert_eq!(all.path(ring, 33, 1).0, ".whole+1");
    }

    #[test]
    fn bit_fields_are_named_together() {
        let mut all = Layouts::default();
        let int = scalar(&mut all, "int", 4);
        let field = |name: &str, low, bits| Member {
            name: name.into(),
            offset: 0,
            layout: int,
            bits: Some(Bits { low, ty: IntTy { bits, signed: true } }),
        };
        let record = |all: &mut Layouts, members| {
            all.add(Layout { name: "s".into(), size: 4, shape: Shape::Record(members) })
        };
        let both = record(&mut all, vec![field("a", 0, 4), field("b", 4, 4)]);
        assert_eq!(all.path(both, 0, 4).0, ".{a, b}");
        let values = all.bit_fields_within(both, 4, 0, 4, Value::new(0xf5));
        assert_eq!(values, [("a", Value::new(5)), ("b", Value::new(u64::MAX))]);
        // In an array, and one that stands in the middle.
        let one = record(&mut all, vec![field("b", 4, 4)]);
        assert_eq!(all.path_within(one, 8, 4, 4), "[1].{b}");
        assert_eq!(all.bit_fields_within(one, 8, 4, 4, Value::new(0x17)), [("b", Value::new(1))]);
        // A union does not tell which of them is meant, nor does a part of a bit-field.
        let union = record(&mut all, vec![field("a", 0, 4), field("b", 0, 8)]);
        assert_eq!(all.path(union, 0, 4).0, ".{a, b}");
        assert_eq!(all.bit_fields_within(union, 4, 0, 4, Value::new(0x17)), []);
        let wide = record(&mut all, vec![field("a", 4, 20)]);
        assert_eq!(all.path(wide, 0, 1).0, ".{a}");
        assert_eq!(all.bit_fields_within(wide, 4, 0, 1, Value::new(0x17)), []);
        // A whole word is nothing special, and a member that is no bit-field says more.
        let whole = record(&mut all, vec![field("a", 0, 32)]);
        assert_eq!(all.path(whole, 0, 4).0, ".a");
        assert_eq!(all.bit_fields_within(whole, 4, 0, 4, Value::new(7)), []);
        let member = Member { name: "all".into(), offset: 0, layout: int, bits: None };
        let either = record(&mut all, vec![field("a", 0, 4), member]);
        assert_eq!(all.path(either, 0, 4).0, ".all");
    }

    #[test]
    fn arrays_of_records() {
        let mut all = Layouts::default();
        let int = scalar(&mut all, "int", 4);
        let member = |name: &str, offset, layout| Member { name: name.into(), offset, layout, bits: None };
        let members = vec![member("key", 0, int), member("next", 4, int)];
        let node = all.add(Layout { name: "node".into(), size: 8, shape: Shape::Record(members) });
        let shape = Shape::Array { element: node, stride: 8 };
        let nodes = all.add(Layout { name: "node[2]".into(), size: 16, shape });
        // Declared as an array, and allocated as several.
        for layout in [nodes, node] {
            assert_eq!(all.path_within(layout, 16, 12, 4), "[1].next");
            assert_eq!(all.path_within(layout, 16, 4, 4), "[0].next");
            assert_eq!(all.start_within(layout, 16, 0), "");
            assert_eq!(all.start_within(layout, 16, 8), "[1]");
            assert_eq!(all.start_within(layout, 16, 12), "[1].next");
            assert_eq!(all.start_within(layout, 16, 13), "[1].next+1");
        }
        // One, and one with something behind it.
        assert_eq!(all.path_within(node, 8, 4, 4), ".next");
        assert_eq!(all.start_within(node, 8, 4), ".next");
        assert_eq!(all.path_within(node, 12, 4, 4), ".next");
    }
}
