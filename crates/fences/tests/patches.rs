//! What fences look like in the text: each test puts one kind of fence at every place of a program. The text
//! must then have as many statements more, and still be read as the same program with fences.

use fencepost_c::{Options, load_with};
use fencepost_fences::patch::patches;
use fencepost_fences::place::{count, keep_within, resolve};
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Program, SlotId, Stmt, StmtKind, Switch};
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
    let slot = |slot| Switch { slot: SlotId(slot), kind: FenceKind::Full };
    let all: BTreeSet<_> = (0..program.slots.len() as u32).map(slot).collect();
    let alone = all.iter().map(|switch| BTreeSet::from([*switch]));
    for placement in alone.chain([all.clone()]) {
        let [patch] = &patches(&program, &placement, &[])[..] else { panic!("one file is changed") };
        let read = load(&patch.text, false);
        assert_eq!(shape(&read), shape(&resolve(&program, &placement)), "{}", patch.text);
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

/// Where fencepost.h is included by a patch.
#[test]
fn the_header_is_included_where_it_counts() {
    let body = "int x;\nint main(void)\n{\n    x = 1;\n    return x;\n}\n";
    for (before, behind) in [
        ("", ""),
        ("", "#include <assert.h>\n"),
        ("/* For example:\n#include <assert.h>\n*/\n", "#include <limits.h>\n"),
        (
            "// \\\n#include <assert.h>\n#if 0\n#include <assert.h>\n#endif\n#define FIRST\n",
            "#include <limits.h>\n",
        ),
        ("", "#if 0\n#include <assert.h>\n#endif\n"),
        ("#define FIRST\n", "#ifdef FIRST\n#if 1\n#include <assert.h>\n#endif\n#endif\n"),
        ("const char *text = \"\\\n#include <assert.h>\";\n", "#include <assert.h>\n"),
    ] {
        let text = format!("{before}{behind}{body}");
        let program = load(&text, true);
        let placement = BTreeSet::from([Switch { slot: SlotId(0), kind: FenceKind::Full }]);
        let [patch] = &patches(&program, &placement, &[])[..] else { panic!("one file is changed") };
        let header = "#define FENCEPOST_LONG_NAMES\n#include <fencepost.h>\n";
        let expected = format!("{before}{header}{behind}{body}").replacen(
            "    x = 1;",
            "    fp_fence(\"full\");\n    x = 1;",
            1,
        );
        assert_eq!(patch.text, expected);
        let fences = shape(&load(&patch.text, false)).iter().filter(|line| line.starts_with("Fence")).count();
        assert_eq!(fences, 1, "{}", patch.text);
    }
}

/// A text that is included twice makes two functions; each can be named.
#[test]
fn places_of_a_text_included_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("set.h"), "void NAME(void)\n{\n    TARGET = 1;\n    TARGET = 2;\n}\n")
        .expect("written");
    let text = "int x, y;\n#define NAME set_x\n#define TARGET x\n#include \"set.h\"\n#undef NAME\n#undef TARGET\n\
                #define NAME set_y\n#define TARGET y\n#include \"set.h\"\nint main(void)\n{\n    set_x();\n    set_y();\n    return x;\n}\n";
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let load = || load_with(&path, &[], Options { slots: true }).expect("it is right").0.program;
    let left = |names: &[&str]| {
        let mut program = load();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let unknown: Vec<String> = keep_within(&mut program, &names).into_iter().map(str::to_owned).collect();
        (count(&program), unknown)
    };
    let (both, none) = left(&["set_x", "set_y"]);
    assert!(both > 0 && none.is_empty());
    assert_eq!(left(&["set_x"]), (both, vec![]));
    assert_eq!(left(&["set_y"]), (both, vec![]));
    assert_eq!(left(&["set.h"]), (both, vec![]));
    assert_eq!(left(&["set_z"]), (0, vec!["set_z".to_owned()]));
}
