//! What fences look like in the text: each test puts one kind of fence at every place of a program. The text
//! must then have as many statements more, and still be read as the same program with fences.

use fencepost_c::{Options, load_with};
use fencepost_fences::patch::patches;
use fencepost_fences::place::{Kind, resolve};
use fencepost_lsl::program::{Program, SlotId, Stmt, StmtKind};
use std::collections::BTreeSet;

fn load(text: &str, slots: bool) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("it can be written");
    match load_with(&path, &[], Options { slots }) {
        Ok((harness, _)) => harness.program,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

/// The program without names of registers and places.
fn shape(program: &Program) -> Vec<String> {
    fn lines(body: &[Stmt], out: &mut Vec<String>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Block { body, label, .. } => {
                    out.push(format!("{label} {{"));
                    lines(body, out);
                    out.push("}".into());
                }
                StmtKind::Atomic(body) => {
                    out.push("atomic {".into());
                    lines(body, out);
                    out.push("}".into());
                }
                kind => out.push(format!("{kind:?}")),
            }
        }
    }
    let mut out = Vec::new();
    for proc in &program.procs {
        out.push(proc.name.clone());
        lines(&proc.body, &mut out);
    }
    out
}

/// Puts fences at all places, or at each alone, and compares the program that the text gives with the one that
/// slots were replaced in.
fn check(text: &str, expected: &str) {
    let program = load(text, true);
    let kinds = [Kind::named("full").expect("a kind")];
    let slot = |slot| fencepost_bounded::unroll::Switch { slot: SlotId(slot), fence: 0 };
    let all: BTreeSet<_> = (0..program.slots.len() as u32).map(slot).collect();
    let alone = all.iter().map(|switch| BTreeSet::from([*switch]));
    for placement in alone.chain([all.clone()]) {
        let [patch] = &patches(&program, &kinds, &placement, &[])[..] else { panic!("one file is changed") };
        let read = load(&patch.text, false);
        assert_eq!(shape(&read), shape(&resolve(&program, &kinds, &placement)), "{}", patch.text);
        if placement == all {
            assert_eq!(patch.text, expected);
        }
    }
}

#[test]
fn lists_and_bodies() {
    let text = "#include <fencepost.h>
int x;
int main(void)
{
    x = 1; x = 2;
    if (x)
        x = 3;
    else
        x = 4;
    while (x) x = 5;
    do
        if (x == 7)
            break;
    while (x);
}
";
    let expected = "#include <fencepost.h>
int x;
int main(void)
{
    fence(\"full\");
    x = 1; fence(\"full\"); x = 2;
    fence(\"full\");
    if (x) {
        fence(\"full\");
        x = 3;
        fence(\"full\");
    }
    else {
        fence(\"full\");
        x = 4;
        fence(\"full\");
    }
    fence(\"full\");
    while (x) { fence(\"full\"); x = 5; fence(\"full\"); }
    fence(\"full\");
    do {
        fence(\"full\");
        if (x == 7) {
            fence(\"full\");
            break;
        }
        fence(\"full\");
    }
    while (x);
    fence(\"full\");
}
";
    check(text, expected);
}

#[test]
fn directives_and_comments() {
    let text = "#include <fencepost.h>
int x;
int main(void)
{
\tif (x) // why
\t\tx = 1;
#ifdef NEVER
\tx = 2;
#else
\tx = 3; /* so */
#endif
\tfor (int i = 0; i < 2; i++) { x = i; }
\tswitch (x) {
\tcase 1: x = 4;
\t}
}
";
    let expected = "#include <fencepost.h>
int x;
int main(void)
{
\tfence(\"full\");
\tif (x) // why
\t\tx = 1;
#ifdef NEVER
\tx = 2;
#else
\tfence(\"full\");
\tx = 3; /* so */
#endif
\tfence(\"full\");
\tfor (int i = 0; i < 2; i++) { fence(\"full\"); x = i; fence(\"full\"); }
\tfence(\"full\");
\tswitch (x) {
\tcase 1: fence(\"full\"); x = 4;
\t\tfence(\"full\");
\t}
\tfence(\"full\");
}
";
    check(text, expected);
}

#[test]
fn macros_are_left_alone() {
    let text = "#include <fencepost.h>
#define SET(p, v) p = v
#define BOTH(v) do { x = v; y = v; } while (0)
int x, y;
int main(void)
{
    SET(x, 1);
    BOTH(2);
    if (x) { SET(y, 3); }
    return x;
}
";
    let expected = "#include <fencepost.h>
#define SET(p, v) p = v
#define BOTH(v) do { x = v; y = v; } while (0)
int x, y;
int main(void)
{
    fence(\"full\");
    SET(x, 1);
    fence(\"full\");
    BOTH(2);
    fence(\"full\");
    if (x) { fence(\"full\"); SET(y, 3); fence(\"full\"); }
    fence(\"full\");
    return x;
}
";
    check(text, expected);
}
