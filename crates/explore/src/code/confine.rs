//! Which objects stay with the thread that makes them: allocation sites none of whose addresses is ever
//! stored to memory, given to a new thread, or used inside of an atomic block.
//!
//! Addresses are followed through registers, calls and returns, without regard to the order of
//! instructions. Local variables whose address is passed down to be filled in are the common case.
//!
//! # Soundness
//!
//! A thread gets addresses from its own allocations, from constants, from memory, and from the one that
//! starts it. An object whose address goes to neither of the latter two is accessed by one thread only. In
//! the relations of the models, its accesses then communicate with nothing; what is ordered through them
//! is ordered without them, except by an atomic block that accesses it, hence the last condition.

use crate::code::small;
use crate::code::{Code, Instr};
use fencepost_lsl::op::PrimOp;
use rustc_hash::FxHashSet;

/// Marks the confined allocation sites.
pub(crate) fn mark(code: &mut Code) {
    let proc_of: Vec<u32> = (0..code.procs.len())
        .flat_map(|p| (code.procs[p].entry..code.procs[p].end).map(move |_| small(p)))
        .collect();
    for site in 0..code.sites.len() {
        code.sites[site].confined = !escapes(code, &proc_of, small(site));
    }
}

/// Whether an address of a site's objects may leave the thread.
fn escapes(code: &Code, proc_of: &[u32], site: u32) -> bool {
    // Registers that may hold such an address, by procedure.
    let mut held: FxHashSet<(u32, u32)> = FxHashSet::default();
    loop {
        let before = held.len();
        for (pc, instr) in code.instrs.iter().enumerate() {
            let proc = proc_of[pc];
            let holds =
                |held: &FxHashSet<(u32, u32)>, src: i32| src >= 0 && held.contains(&(proc, src as u32));
            match instr {
                Instr::Alloc { dst, site: other, .. } if *other == site => _ = held.insert((proc, *dst)),
                Instr::Op { op: PrimOp::Cmp(..) | PrimOp::Not | PrimOp::Truth, .. } => {}
                Instr::Op { dst, a, b, .. } if holds(&held, *a) || holds(&held, *b) => {
                    held.insert((proc, *dst));
                }
                Instr::Load { addr, .. } | Instr::Free { addr } | Instr::Store { addr, .. }
                    if code.atomic[pc] && holds(&held, *addr) =>
                {
                    return true;
                }
                // There, only what is in memory can be told from other objects.
                Instr::Within { base, .. } if code.atomic[pc] && holds(&held, *base) => return true,
                Instr::Store { value, .. } if holds(&held, *value) => return true,
                Instr::Spawn { args, .. } if args.iter().any(|arg| holds(&held, *arg)) => return true,
                Instr::Call { proc: callee, args, results } => {
                    let code = &code.procs[*callee as usize];
                    for (arg, param) in args.iter().zip(&code.params) {
                        if holds(&held, *arg) {
                            held.insert((*callee, *param));
                        }
                    }
                    for (result, register) in code.results.iter().zip(results.iter()) {
                        if held.contains(&(*callee, *result)) {
                            held.insert((proc, *register));
                        }
                    }
                }
                _ => {}
            }
        }
        if held.len() == before {
            return false;
        }
    }
}
