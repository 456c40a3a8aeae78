//! Names for parts of objects: how offset 8 of `q` comes to be written `q.tail`.
//!
//! LSL is untyped (CheckFence, Section 3.1); these trees exist only so that traces speak C.

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
    /// Its offset in bytes.
    pub offset: u64,
    /// Its layout.
    pub layout: LayoutId,
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
    pub fn get(&self, id: LayoutId) -> &Layout {
        &self.table[id.0 as usize]
    }

    /// The path to the part at `offset`, such as `.slots[2].seq`, and the layout found there. Goes to the
    /// innermost part that holds `size` bytes; in unions, to the first such member.
    pub fn path(&self, id: LayoutId, offset: u64, size: u64) -> (String, Option<LayoutId>) {
        let mut path = String::new();
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
                    let Some(member) = members.iter().find(fits).or_else(|| members.iter().find(holds))
                    else {
                        break;
                    };
                    if !member.name.is_empty() {
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
            return (path, None);
        }
        (path, Some(at))
    }

    /// As [`Self::path`], in an object that may be longer than its layout: then it is an array of such.
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

    /// The layout a pointer of layout `id` points to.
    pub fn target(&self, id: LayoutId) -> Option<LayoutId> {
        match self.get(id).shape {
            Shape::Scalar { target } => target,
            _ => None,
        }
    }
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
        let member = |name: &str, offset, layout| Member { name: name.into(), offset, layout };
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
    fn arrays_of_records() {
        let mut all = Layouts::default();
        let int = scalar(&mut all, "int", 4);
        let member = |name: &str, offset, layout| Member { name: name.into(), offset, layout };
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
