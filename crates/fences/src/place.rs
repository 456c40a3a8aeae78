//! Places of fences: what can be put where, how it is written, and the program that has it.

use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Fence, Placement, Program, Slot, SlotId, Stmt, StmtKind, Switch};
use fencepost_lsl::source::Origin;

/// The kinds that a program is offered if nobody says otherwise: C11's own where it uses C11 atomics.
pub fn defaults(program: &Program) -> Vec<FenceKind> {
    let c11 = includes(program, "stdatomic.h");
    FenceKind::ALL.into_iter().filter(|kind| kind.is_c11() == c11).collect()
}

/// The statement that is a fence, as C text. `long` asks for the names that start with `fp_`.
pub fn statement(kind: FenceKind, long: bool) -> String {
    match (kind.is_c11(), long) {
        (true, _) => format!("atomic_thread_fence(memory_order_{kind});"),
        (false, true) => format!("fp_fence(\"{kind}\");"),
        (false, false) => format!("fence(\"{kind}\");"),
    }
}

/// Whether a program was made with one of our headers.
pub fn includes(program: &Program, header: &str) -> bool {
    program.sources.files().any(|(_, file)| {
        let name = file.name.trim_end_matches('>');
        file.origin == Origin::System && name.rsplit(['/', '<']).next() == Some(header)
    })
}

/// The slot of a switch.
pub fn slot(program: &Program, switch: Switch) -> &Slot {
    &program.slots[switch.slot.index()]
}

/// Takes slots out of a program: all but those in functions or files of these names. Numbers stay as they are. Returns
/// the names that fit nothing. A text that is included twice has one place for each of its statements, in all functions
/// that it makes.
pub fn keep_within<'n>(program: &mut Program, names: &'n [String]) -> Vec<&'n str> {
    let mut functions: Vec<Vec<&str>> = vec![Vec::new(); program.slots.len()];
    for proc in &program.procs {
        each_slot(&proc.body, &mut |slot| functions[slot.index()].push(&proc.name));
    }
    let matches = |name: &str, slot: usize| {
        let file = &program.sources.file(program.slots[slot].at.file).name;
        let short = file.rsplit('/').next().unwrap_or(file);
        functions[slot].contains(&name) || file == name || short == name
    };
    let slots = 0..program.slots.len();
    let kept: Vec<bool> = slots.clone().map(|slot| names.iter().any(|name| matches(name, slot))).collect();
    let unknown = names.iter().filter(|name| !slots.clone().any(|slot| matches(name, slot)));
    let unknown = unknown.map(String::as_str).collect();
    program.procs.iter_mut().for_each(|proc| keep(&mut proc.body, &kept));
    unknown
}

/// How many slots a program has that were not taken out.
pub fn count(program: &Program) -> usize {
    let mut there = vec![false; program.slots.len()];
    program.procs.iter().for_each(|proc| each_slot(&proc.body, &mut |slot| there[slot.index()] = true));
    there.into_iter().filter(|there| *there).count()
}

fn each_slot(body: &[Stmt], f: &mut dyn FnMut(SlotId)) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Slot(slot) => f(*slot),
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => each_slot(body, f),
            _ => {}
        }
    }
}

fn keep(body: &mut Vec<Stmt>, kept: &[bool]) {
    body.retain(|stmt| !matches!(stmt.kind, StmtKind::Slot(slot) if !kept[slot.index()]));
    for stmt in body {
        if let StmtKind::Block { body, .. } | StmtKind::Atomic(body) = &mut stmt.kind {
            keep(body, kept);
        }
    }
}

/// The program with the fences of a placement at its slots, and no slots.
pub fn resolve(program: &Program, placement: &Placement) -> Program {
    fenced(program, &|slot| {
        let on = placement.iter().filter(|switch| switch.slot == slot);
        on.map(|switch| switch.kind.fence()).collect()
    })
}

/// The program with fences at its slots, and no slots.
pub fn fenced(program: &Program, fences: &dyn Fn(SlotId) -> Vec<Fence>) -> Program {
    let mut program = program.clone();
    for proc in &mut program.procs {
        proc.body = resolved(&proc.body, fences);
    }
    program
}

fn resolved(body: &[Stmt], fences: &dyn Fn(SlotId) -> Vec<Fence>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for stmt in body {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Slot(slot) => {
                out.extend(
                    fences(*slot).into_iter().map(|fence| Stmt { kind: StmtKind::Fence(fence), span }),
                );
            }
            StmtKind::Block { label, body, retry } => {
                let body = resolved(body, fences);
                out.push(Stmt { kind: StmtKind::Block { label: *label, body, retry: *retry }, span });
            }
            StmtKind::Atomic(body) => {
                out.push(Stmt { kind: StmtKind::Atomic(resolved(body, fences)), span });
            }
            _ => out.push(stmt.clone()),
        }
    }
    out
}
