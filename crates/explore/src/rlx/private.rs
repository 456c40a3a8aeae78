//! Local variables that stay with their thread: what was written last is what is read.
//!
//! # Soundness
//!
//! Nobody else can access them, so that it makes no difference when they are written. What fences order with such an
//! access in between is ordered without it, unless two fences of different kinds order something only by way of that
//! access; leaving it out can then only add executions. Where it is not known at once what an access touches, or
//! where accesses overlap in part, the exploration begins anew with these objects in memory.

use super::machine::{Machine, Stop};
use super::state::{Opd, What, World};
use fencepost_lsl::op::PrimOp;
use fencepost_lsl::value::{IntTy, Value};

impl Machine<'_> {
    /// A load of an object that stays with its thread: what the thread wrote there last.
    pub(super) fn load_private(
        &self,
        world: &mut World,
        thread: usize,
        addr: Opd,
        ty: IntTy,
    ) -> Result<Option<Opd>, Stop> {
        let Some(at) = addr.known().and_then(Value::defined) else { return Ok(None) };
        let state = world.thread(thread);
        if !state.is_confined(at) {
            return Ok(None);
        }
        let overlaps =
            |(other, width, _): &&(u64, IntTy, Opd)| *other < at + ty.bytes() && at < *other + width.bytes();
        let found: Vec<(u64, IntTy, Opd)> = state.private.iter().filter(overlaps).copied().collect();
        match found[..] {
            [] if state.is_confined(at + ty.bytes() - 1) => Ok(Some(Opd::UNDEFINED)),
            [(other, width, opd)] if other == at && width.bytes() == ty.bytes() => Ok(Some(match opd {
                Opd::Known(value) => Opd::Known(value.wrap(ty)),
                _ if width == ty => opd,
                _ => {
                    let pc = state.regs.pc();
                    Opd::Of(state.push(pc, What::Op { op: PrimOp::Convert(ty), a: opd, b: opd }), 0)
                }
            })),
            _ => Err(Stop::NotPrivate),
        }
    }

    /// A store to such an object; false if it is none.
    pub(super) fn store_private(
        &self,
        world: &mut World,
        thread: usize,
        addr: Opd,
        value: Opd,
        ty: IntTy,
    ) -> Result<bool, Stop> {
        let Some(at) = addr.known().and_then(Value::defined) else { return Ok(false) };
        let state = world.thread(thread);
        if !state.is_confined(at) {
            return Ok(false);
        }
        let overlaps =
            |(other, width, _): &(u64, IntTy, Opd)| *other < at + ty.bytes() && at < *other + width.bytes();
        let exact = |(other, width, _): &(u64, IntTy, Opd)| *other == at && width.bytes() == ty.bytes();
        if !state.is_confined(at + ty.bytes() - 1)
            || state.private.iter().any(|known| overlaps(known) && !exact(known))
        {
            return Err(Stop::NotPrivate);
        }
        let value = match value {
            Opd::Known(value) => Opd::Known(value.wrap(ty)),
            _ => {
                let pc = state.regs.pc();
                Opd::Of(state.push(pc, What::Op { op: PrimOp::Convert(ty), a: value, b: value }), 0)
            }
        };
        state.private.retain(|known| !exact(known));
        state.private.push((at, ty, value));
        state.private.sort_by_key(|(at, _, _)| *at);
        // Rounds of loops are left out only if they change nothing here either.
        state.changed = true;
        Ok(true)
    }
}
