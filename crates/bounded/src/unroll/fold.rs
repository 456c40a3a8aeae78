//! What is known of memory while only one thread exists.
//!
//! Initialisation and initial calls run alone, mostly on known addresses: following their stores here
//! lets the loops they decide be unrolled exactly, without asking the solver. Knowledge is given up, not
//! guessed, when an address is not known.

use crate::guard::Guard;
use crate::ssa::{ValId, Values};
use fencepost_lsl::memory::{self, Object};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::value::IntTy;
use std::collections::BTreeMap;

/// Contents of memory, as far as known.
#[derive(Default)]
pub(super) struct Known {
    /// Values written, by address; not overlapping.
    written: BTreeMap<u64, (u64, ValId)>,
    /// What objects held before; empty after knowledge was given up.
    initial: BTreeMap<u64, Object>,
    lost: bool,
}

impl Known {
    /// An object comes to be.
    pub(super) fn add(&mut self, object: Object) {
        self.initial.insert(object.base, object);
    }

    /// An unknown address was written.
    pub(super) fn lose(&mut self) {
        *self = Known { lost: true, ..Known::default() };
    }

    /// The value at an address, if known.
    pub(super) fn load(&self, values: &mut Values, addr: u64, ty: IntTy) -> Option<ValId> {
        if self.lost {
            return None;
        }
        match self.overlapping(addr, ty.bytes()).as_slice() {
            [] => {
                let (_, object) = self.initial.range(..=addr).next_back()?;
                let content = object.holds(addr, ty.bytes()).then(|| object.read(addr - object.base, ty))?;
                Some(values.make_const(content))
            }
            [(at, size, value)] if memory::covers((*at, *size), (addr, ty.bytes())) => {
                Some(part(values, *value, addr - at, ty))
            }
            _ => None,
        }
    }

    /// A store under a guard.
    pub(super) fn store(&mut self, values: &mut Values, guard: Guard, addr: u64, ty: IntTy, value: ValId) {
        if self.lost {
            return;
        }
        let value = match guard {
            Guard::TRUE => value,
            _ => match self.load(values, addr, ty) {
                Some(before) => values.make_select(guard, value, before),
                None => return self.lose(),
            },
        };
        let size = ty.bytes();
        for (at, old_size, old) in self.overlapping(addr, size) {
            self.written.remove(&at);
            // What the new value leaves of the old one, in front and behind.
            let (end, old_end) = (addr.saturating_add(size), at.saturating_add(old_size));
            for (start, stop) in [(at, addr.min(old_end)), (end.max(at), old_end)] {
                if start < stop {
                    let rest = IntTy::unsigned(8 * (stop - start) as u8);
                    let piece = part(values, old, start - at, rest);
                    self.written.insert(start, (stop - start, piece));
                }
            }
        }
        self.written.insert(addr, (size, value));
    }

    /// Values written that overlap with a range: address, size and value.
    fn overlapping(&self, addr: u64, size: u64) -> Vec<(u64, u64, ValId)> {
        // A bad address may be so large that it wraps around.
        let near = self.written.range(addr.saturating_sub(8)..addr.saturating_add(size));
        near.filter(|(at, (len, _))| at.saturating_add(*len) > addr)
            .map(|(at, (len, value))| (*at, *len, *value))
            .collect()
    }
}

/// The bytes of a value from an offset on, as a type.
fn part(values: &mut Values, value: ValId, offset: u64, ty: IntTy) -> ValId {
    match offset {
        0 => values.make_op(PrimOp::Convert(ty), &[value]),
        _ => values.make_op(PrimOp::Extract { low: 8 * offset as u8, ty }, &[value]),
    }
}
