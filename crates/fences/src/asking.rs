//! Correction sets found by asking: for checks that answer in milliseconds whether a placement fails, and say
//! nothing about others.
//!
//! A correction set is what is left out of a largest set of fences with which a check still fails: every placement
//! that does not fail has a fence outside of it.

use fencepost_harness::verdict::Reason;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Placement, SlotId, Switch};

/// Says whether a placement fails. If it does not know, it says no: correction sets are then larger than need be.
pub type Fails<'f> = dyn FnMut(&Placement) -> Result<bool, Reason> + 'f;

/// A correction set of a placement that failed, for a program with so many slots and these kinds of fences.
pub fn correction(
    slots: usize,
    kinds: &[FenceKind],
    mut failed: Placement,
    fails: &mut Fails,
) -> Result<Placement, Reason> {
    let all = all(slots, kinds);
    let off: Vec<Switch> = all.iter().filter(|switch| !failed.contains(switch)).copied().collect();
    grow(&mut failed, &off, fails)?;
    Ok(all.into_iter().filter(|switch| !failed.contains(switch)).collect())
}

/// Every fence at every slot.
pub fn all(slots: usize, kinds: &[FenceKind]) -> Placement {
    let slots = 0..slots as u32;
    slots.flat_map(|slot| kinds.iter().map(move |&kind| Switch { slot: SlotId(slot), kind })).collect()
}

/// Adds to a failing placement as many of some fences as it fails with.
fn grow(on: &mut Placement, more: &[Switch], fails: &mut Fails) -> Result<(), Reason> {
    if more.is_empty() {
        return Ok(());
    }
    let all: Placement = on.iter().chain(more).copied().collect();
    if fails(&all)? {
        *on = all;
    } else if more.len() > 1 {
        let (left, right) = more.split_at(more.len() / 2);
        grow(on, left, fails)?;
        grow(on, right, fails)?;
    }
    Ok(())
}
