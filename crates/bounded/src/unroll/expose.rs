//! Which registers an iteration of a loop reads from the one before: those it may read before it writes
//! them.

use fencepost_lsl::program::{Operand, Reg, Stmt, StmtKind};
use rustc_hash::FxHashSet;

/// Registers that `body` may read before writing them.
pub(super) fn exposed(body: &[Stmt]) -> FxHashSet<Reg> {
    let mut found = FxHashSet::default();
    scan(body, FxHashSet::default(), &mut found);
    found
}

/// Adds what `body` reads before writing, given what is `written` before it. Returns what is written
/// whenever control leaves `body`: by its end or by any jump in it.
fn scan(body: &[Stmt], mut written: FxHashSet<Reg>, found: &mut FxHashSet<Reg>) -> FxHashSet<Reg> {
    let mut at_first_jump: Option<FxHashSet<Reg>> = None;
    for stmt in body {
        for operand in operands(&stmt.kind) {
            if let Operand::Reg(reg) = operand
                && !written.contains(&reg)
            {
                found.insert(reg);
            }
        }
        match &stmt.kind {
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => written = scan(body, written, found),
            StmtKind::Break { .. } | StmtKind::Continue { .. } => {
                at_first_jump.get_or_insert_with(|| written.clone());
            }
            _ => written.extend(results(&stmt.kind)),
        }
    }
    at_first_jump.unwrap_or(written)
}

/// Registers a statement writes, nested statements aside.
fn results(kind: &StmtKind) -> Vec<Reg> {
    match kind {
        StmtKind::Assign { dst, .. }
        | StmtKind::Load { dst, .. }
        | StmtKind::Alloc { dst, .. }
        | StmtKind::Choose { dst, .. } => vec![*dst],
        StmtKind::Call { results, .. } => results.clone(),
        _ => Vec::new(),
    }
}

/// What a statement reads, nested statements aside.
fn operands(kind: &StmtKind) -> Vec<Operand> {
    match kind {
        StmtKind::Assign { args, .. } | StmtKind::Call { args, .. } | StmtKind::Spawn { args, .. } => {
            args.clone()
        }
        StmtKind::Load { addr, .. } | StmtKind::Free { addr } => vec![*addr],
        StmtKind::Store { addr, value, .. } => vec![*addr, *value],
        StmtKind::Break { when, .. } | StmtKind::Continue { when, .. } => when.iter().copied().collect(),
        StmtKind::Assert { cond, .. } | StmtKind::Assume { cond } => vec![*cond],
        StmtKind::Within { base, result } => vec![*base, *result],
        StmtKind::Alloc { size, .. } => vec![*size],
        StmtKind::Fence(_)
        | StmtKind::Slot(_)
        | StmtKind::Choose { .. }
        | StmtKind::Atomic(_)
        | StmtKind::Block { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::op::PrimOp;
    use fencepost_lsl::program::Label;
    use fencepost_lsl::source::{FileId, Span};

    fn stmt(kind: StmtKind) -> Stmt {
        Stmt { kind, span: Span::new(FileId(0), 0, 0) }
    }

    fn copy(dst: u32, src: u32) -> Stmt {
        stmt(StmtKind::Assign { dst: Reg(dst), op: PrimOp::Copy, args: vec![Reg(src).into()] })
    }

    #[test]
    fn writes_behind_a_jump_do_not_count() {
        // r1 = r0; { if (r1) break; r2 = r1 }; r3 = r2
        let jump = stmt(StmtKind::Break { label: Label(0), when: Some(Reg(1).into()), predicated: false });
        let block = StmtKind::Block { label: Label(0), body: vec![jump, copy(2, 1)], retry: false };
        let body = vec![copy(1, 0), stmt(block), copy(3, 2)];
        let mut found: Vec<u32> = exposed(&body).into_iter().map(|reg| reg.0).collect();
        found.sort();
        assert_eq!(found, [0, 2]);
    }
}
