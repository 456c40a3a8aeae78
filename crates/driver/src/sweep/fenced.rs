//! Clients that make a fence after each call, so that a call has not returned before its stores have reached memory.
//!
//! A machine with store buffers lets a call return while what it stored is still on its way. A thread that learns
//! through memory that the call is done learns it after these stores have arrived, given a fence in between where
//! stores can overtake each other; one that learns it otherwise (by a clock, by a signal) may look before that. The
//! property `linear` is about the latter, `linear-fenced` about clients that do the former.

use fencepost_harness::operation::Harness;
use fencepost_lsl::program::{Fence, Global, Operand, Order, Reg, RegInfo, Stmt, StmtKind, address};
use fencepost_lsl::value::{IntTy, Value};

/// What the load behind the fence reads, for people.
const NAME: &str = "(fence after the call)";

/// Bytes between the last global and the one that is added.
const GAP: u64 = 0x1000;

/// Lets each operation end with a full fence and wait for it; false if there is no room for that.
///
/// A fence holds up accesses behind it, not its thread, so a load follows. It stands in an atomic block: loads of
/// what nobody writes do not wait elsewhere, since nobody could tell.
pub(crate) fn fence_calls(harness: &mut Harness) -> bool {
    let program = &mut harness.program;
    let end = program.globals.iter().map(|global| global.addr + global.size).max();
    let addr = (end.unwrap_or(address::GLOBALS) + GAP).next_multiple_of(GAP);
    if addr + GAP > address::STACK {
        return false;
    }
    program.globals.push(Global {
        name: NAME.into(),
        addr,
        size: 1,
        init: Vec::new(),
        constant: true,
        layout: None,
    });
    let mut procs: Vec<_> = harness.ops.iter().map(|op| (op.proc, op.span)).collect();
    procs.sort_by_key(|(proc, _)| proc.0);
    procs.dedup_by_key(|(proc, _)| proc.0);
    for (proc, span) in procs {
        let body = &mut program.procs[proc.0 as usize];
        let dst = Reg(body.regs.len() as u32);
        body.regs.push(RegInfo { name: None });
        let load = StmtKind::Load {
            dst,
            addr: Operand::Const(Value::new(addr)),
            ty: IntTy::U8,
            order: Order::Plain,
            failing: None,
        };
        body.body.push(Stmt { kind: StmtKind::Fence(Fence::FULL), span });
        body.body.push(Stmt { kind: StmtKind::Atomic(vec![Stmt { kind: load, span }]), span });
    }
    true
}
