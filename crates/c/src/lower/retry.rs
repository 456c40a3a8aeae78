//! Which loops are retry loops: those that primed operations run once.
//!
//! A loop starts an attempt over if nothing but its own jumps ends it (`while (true)`, a backward `goto`),
//! or if it contains an atomic block that stores, directly or in what it calls: a compare-and-swap that may
//! fail, a lock that may be taken. A loop that walks a list or counts is none.

use fencepost_lsl::program::{Program, Stmt, StmtKind, continues};

/// Marks the retry loops of all procedures.
pub(super) fn mark(program: &mut Program) {
    let mut atomic = vec![false; program.procs.len()];
    // Calls may go in circles: until nothing changes.
    loop {
        let next: Vec<bool> = program.procs.iter().map(|proc| contains(&proc.body, &atomic)).collect();
        if next == atomic {
            break;
        }
        atomic = next;
    }
    for proc in &mut program.procs {
        mark_body(&mut proc.body, &atomic);
    }
}

fn contains(body: &[Stmt], atomic: &[bool]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Atomic(body) => stores(body),
        StmtKind::Call { proc, .. } => atomic[proc.index()],
        StmtKind::Block { body, .. } => contains(body, atomic),
        _ => false,
    })
}

fn stores(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Store { .. } => true,
        StmtKind::Block { body, .. } | StmtKind::Atomic(body) => stores(body),
        // Whatever it does, it does it atomically: the careful answer.
        StmtKind::Call { .. } => true,
        _ => false,
    })
}

fn mark_body(body: &mut [Stmt], atomic: &[bool]) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Block { label, body, retry } => {
                *retry = continues(body, *label) && (*retry || contains(body, atomic));
                mark_body(body, atomic);
            }
            StmtKind::Atomic(body) => mark_body(body, atomic),
            _ => {}
        }
    }
}
