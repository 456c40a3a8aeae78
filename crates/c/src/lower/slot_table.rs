//! The table of slots, once all procedures are made: numbered in the order of the text, each with the number
//! of loops around it.

use fencepost_lsl::program::{ProcId, Program, SlotId, Stmt, StmtKind, continues};

/// Recursion would count without end; nobody compares costs of loops this deep.
const DEEPEST: u32 = 8;

/// Numbers the slots of a program and counts the loops around them.
pub(super) fn finish(program: &mut Program) {
    if program.slots.is_empty() {
        return;
    }
    count_loops(program);
    let mut order: Vec<usize> = (0..program.slots.len()).collect();
    order.sort_by_key(|&old| (program.slots[old].at, program.slots[old].alone));
    let mut number = vec![SlotId(0); order.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = SlotId(new as u32);
    }
    program.slots = order.iter().map(|&old| program.slots[old].clone()).collect();
    program.procs.iter_mut().for_each(|proc| renumber(&mut proc.body, &number));
}

fn renumber(body: &mut [Stmt], number: &[SlotId]) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Slot(slot) => *slot = number[slot.index()],
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => renumber(body, number),
            _ => {}
        }
    }
}

/// Something in a procedure, and how many loops of it are around.
enum Inside {
    Slot(SlotId),
    Call(ProcId),
}

fn count_loops(program: &mut Program) {
    let mut found: Vec<Vec<(Inside, u32)>> = Vec::new();
    for proc in &program.procs {
        let mut inside = Vec::new();
        walk(&proc.body, 0, &mut inside);
        found.push(inside);
    }
    // How many loops are around a call of each procedure, at most.
    let mut around = vec![0u32; program.procs.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (caller, inside) in found.iter().enumerate() {
            for (what, depth) in inside {
                let Inside::Call(callee) = what else { continue };
                let depth = (around[caller] + depth).min(DEEPEST);
                if depth > around[callee.index()] {
                    around[callee.index()] = depth;
                    changed = true;
                }
            }
        }
    }
    for (proc, inside) in found.iter().enumerate() {
        for (what, depth) in inside {
            if let Inside::Slot(slot) = what {
                let slot = &mut program.slots[slot.index()];
                slot.loop_depth = slot.loop_depth.max((around[proc] + depth).min(DEEPEST));
            }
        }
    }
}

fn walk(body: &[Stmt], depth: u32, found: &mut Vec<(Inside, u32)>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Slot(slot) => found.push((Inside::Slot(*slot), depth)),
            StmtKind::Call { proc, .. } => found.push((Inside::Call(*proc), depth)),
            StmtKind::Atomic(body) => walk(body, depth, found),
            StmtKind::Block { label, body, .. } => {
                walk(body, depth + u32::from(continues(body, *label)), found);
            }
            _ => {}
        }
    }
}
