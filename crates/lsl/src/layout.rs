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
}
