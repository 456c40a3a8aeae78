//! Slots: where in a text a fence could be put. Each test shows its text with a mark at every place: `§`,
//! followed by the depth of loops around it, and by `«` or `»` where a lone statement would need braces.

use fencepost_c::{Options, load_with};
use fencepost_lsl::program::{Program, Stmt, StmtKind};

/// Loads a text that shows its slots; checks that it has those and no others.
fn check(marked: &str) {
    let mut text = String::new();
    let mut rest = marked;
    while let Some(at) = rest.find('§') {
        text.push_str(&rest[..at]);
        rest = rest[at + '§'.len_utf8()..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest = rest.strip_prefix(['«', '»']).unwrap_or(rest);
    }
    text.push_str(rest);
    let program = load(&text, true);
    let mut slots: Vec<_> = program.slots.iter().collect();
    slots.sort_by_key(|slot| std::cmp::Reverse(slot.at.start));
    let mut shown = text.clone();
    for slot in slots {
        let brace = match slot.alone {
            None => "",
            Some(body) if body.start == slot.at.start => "«",
            Some(_) => "»",
        };
        shown.insert_str(slot.at.start as usize, &format!("§{}{brace}", slot.loop_depth));
    }
    assert_eq!(shown, marked);
    assert_eq!(count(&load(&text, false)), 0, "slots that nobody asked for");
}

fn load(text: &str, slots: bool) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("it can be written");
    match load_with(&path, &[], Options { slots }) {
        Ok((harness, _)) => harness.program,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

fn count(program: &Program) -> usize {
    fn of(body: &[Stmt]) -> usize {
        body.iter()
            .map(|stmt| match &stmt.kind {
                StmtKind::Slot(_) => 1,
                StmtKind::Block { body, .. } | StmtKind::Atomic(body) => of(body),
                _ => 0,
            })
            .sum()
    }
    program.procs.iter().map(|proc| of(&proc.body)).sum()
}

#[test]
fn in_front_of_what_touches_memory_and_at_the_end() {
    check(
        "int x, y;\nint main(void)\n{\n    int a = 1;\n    §0x = a; §0y = 2;\n    a = 3;\n    §0return a;\n}\n",
    );
    check("int x;\nint main(void)\n{\n    /* x */ §0x = 1;\n§0}\n");
}

#[test]
fn between_nothing_there_is_one() {
    check("int x;\nint main(void)\n{\n    int a = 0;\n    a++;\n    §0return a + x;\n}\n");
}

#[test]
fn loops() {
    check(
        "int x;\nint main(void)\n{\n    §0while (x) {\n        §1x = 2;\n        §1if (x == 3)\n            §1«break;\n    §1}\n    §0x = 1;\n§0}\n",
    );
    check("int x;\nint main(void)\n{\n    §0while (x)\n        ;§1»\n§0}\n");
    check("int x;\nint main(void)\n{\n    §0do §1«x = 1;§1» while (x);\n§0}\n");
    check(
        "int x;\nint main(void)\n{\n    §0for (int i = x; i < 2; i++)\n        §1«x = i;§1»\n    again: §1x = 2;\n    §1if (x) §1«goto again;\n§0}\n",
    );
}

#[test]
fn branches() {
    check(
        "int x;\nint main(void)\n{\n    §0if (x)\n        §0«x = 1;§0»\n    else {\n        §0x = 2;\n    §0}\n    §0switch (x) {\n    case 1:\n        §0x = 2;\n        §0break;\n    default: §0x = 3;\n    §0}\n§0}\n",
    );
}

#[test]
fn in_front_of_the_use_of_a_macro() {
    check(
        "#define SET(p, v) p = v\n#define BOTH(v) do { x = v; y = v; } while (0)\n#define TWO x = 1; y = 2;\nint x, y;\nint main(void)\n{\n    §0SET(x, 1);\n    §0BOTH(2);\n    §0TWO\n    §0if (x)\n        SET(x, 2);\n§0}\n",
    );
}

#[test]
fn not_in_text_that_is_left_out() {
    check("int x;\nint main(void)\n{\n#if 0\n    x = 1;\n#else\n    §0x = 2;\n#endif\n    §0x = 3;\n§0}\n");
}

#[test]
fn not_in_atomic_blocks_nor_in_what_is_not_evaluated() {
    check(
        "#include <fencepost.h>\nint x;\nint main(void)\n{\n    §0fp_atomic { x = 1; x = 2; }\n    if (0) { x = 3; }\n    §0return sizeof(({ x = 4; x; }));\n}\n",
    );
}

#[test]
fn copies_of_a_text_share_a_slot() {
    let text = "#define TWICE(s) s s\nint x;\nint main(void)\n{\n    TWICE(x = 1;)\n    return 0;\n}\n";
    let program = load(text, true);
    let mut at: Vec<u32> = program.slots.iter().map(|slot| slot.at.start).collect();
    at.dedup();
    assert_eq!(at.len(), program.slots.len());
}
