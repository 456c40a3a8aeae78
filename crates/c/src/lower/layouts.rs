//! C types as the layouts by which traces name parts of objects.

use super::Lowerer;
use crate::types::{Type, TypeId};
use fencepost_lsl::layout::{Bits, Layout, LayoutId, Member, Shape};
use fencepost_lsl::value::IntTy;

impl Lowerer<'_> {
    /// The layout of objects of a type.
    pub(super) fn layout(&mut self, id: TypeId) -> LayoutId {
        if let Some(&known) = self.layouts.get(&id) {
            return known;
        }
        let size = self.types.size(id).unwrap_or(0);
        let name = match self.types.get(id) {
            // `node_t` or `node`, without the keyword.
            Type::Record(record) => {
                let record = self.types.record(*record);
                record.name.clone().unwrap_or_else(|| record.kind.text().to_owned())
            }
            _ => self.types.show(id),
        };
        let open = Shape::Scalar { target: None };
        let layout = self.program.layouts.add(Layout { name: name.clone(), size, shape: open });
        // Entered before its parts are looked at: types may contain pointers to themselves.
        self.layouts.insert(id, layout);
        let shape = match self.types.get(id).clone() {
            Type::Pointer(to) => {
                let complete = self.types.size(to.id).is_some();
                Shape::Scalar { target: complete.then(|| self.layout(to.id)) }
            }
            Type::Array(element, _) => match self.types.size(element.id) {
                Some(stride) if stride > 0 => Shape::Array { element: self.layout(element.id), stride },
                _ => Shape::Scalar { target: None },
            },
            Type::Record(record) => {
                let fields = self.types.record(record).layout().map_or(Vec::new(), |l| l.fields.clone());
                let mut members = Vec::new();
                for field in fields {
                    let name = field.name.map_or("", |name| self.names.text(name)).to_owned();
                    let layout = match field.bits {
                        None => self.layout(field.ty.id),
                        Some(bits) => {
                            let shape = Shape::Scalar { target: None };
                            let name = self.types.show(field.ty);
                            self.program.layouts.add(Layout { name, size: bits.unit, shape })
                        }
                    };
                    let bits = field.bits.map(|bits| {
                        let signed = self.types.scalar(field.ty.id).is_some_and(|ty| ty.signed);
                        Bits { low: bits.low, ty: IntTy { bits: bits.width, signed } }
                    });
                    members.push(Member { name, offset: field.offset, layout, bits });
                }
                Shape::Record(members)
            }
            _ => Shape::Scalar { target: None },
        };
        self.program.layouts.set(layout, Layout { name, size, shape });
        layout
    }
}
