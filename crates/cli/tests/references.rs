//! References: what a result of another file stands for in this one, in tests and in sweeps, and which calls may wait.
//! Each pair of files is put to both engines, where they have an opinion, and to a sweep.

mod common;

use common::{Ran, fencepost, folder};
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_driver::session::Session;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::{Kind, Reason};
use std::path::Path;

/// What both engines say of the first test of a file, held to a reference.
fn checked(folder: &Path, file: &str, reference: &str) -> [Verdict; 2] {
    let reference = folder.join(reference);
    let session = Session::load(&folder.join(file), &[], Some(&reference))
        .map_err(|rejected| rejected.diagnostics)
        .expect("both load");
    let subject = session.questions().remove(0);
    let model = fencepost_models::builtin("sc").expect("it ships");
    [Decider::Bounded, Decider::Explicit(fencepost_explore::Options::default())].map(|engine| {
        check(&session, &subject, &model, &Terms { engine, ..Terms::default() }, &|_| {}).verdict
    })
}

fn kinds(folder: &Path, file: &str, reference: &str) -> [Kind; 2] {
    checked(folder, file, reference).map(|verdict| verdict.kind())
}

fn swept(folder: &Path, file: &str, reference: &str, more: &[&str]) -> Ran {
    let arguments = ["sweep", file, "--reference", reference, "--threads", "1", "--steps", "1..2"];
    fencepost(&arguments).args(more).within(folder).run()
}

/// Holds a file to itself and to another: the first is right, the second wrong, in tests and in sweeps.
fn told_apart(right: &str, wrong: &str) {
    let folder = folder(&[("right.c", right), ("wrong.c", wrong)]);
    let path = folder.path();
    for (file, kind, code) in [("right.c", Kind::Holds, 0), ("wrong.c", Kind::Violated, 1)] {
        assert_eq!(kinds(path, file, "right.c"), [kind; 2], "{file}");
        swept(path, file, "right.c", &[]).exits(code);
    }
}

/// Files with their globals at other addresses.
#[test]
fn globals_by_name() {
    let file = |before: &str, first: &str, second: &str| {
        format!(
            "{before} int n; int *get(void) {{ return n++ & 1 ? &{second} : &{first}; }}\n\
             #pragma fencepost op get = get()\n#pragma fencepost test T = ( get )\n"
        )
    };
    let files = [
        ("reference.c", file("int a, b;", "a", "b")),
        // The address of `a` there is that of `b` here.
        ("swapped.c", file("int b, a;", "b", "a")),
        ("moved.c", file("int pad[100]; int a, b;", "a", "b")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    let path = folder.path();
    assert_eq!(kinds(path, "swapped.c", "reference.c"), [Kind::Violated; 2]);
    assert_eq!(kinds(path, "moved.c", "reference.c"), [Kind::Holds; 2]);
    for (file, code) in [("swapped.c", 1), ("moved.c", 0)] {
        for property in ["linear", "linear-fenced"] {
            swept(path, file, "reference.c", &["--property", property]).exits(code);
        }
    }
}

#[test]
fn functions_by_name() {
    let file = |before: &str, given: &str| {
        format!(
            "{before} static int f(void) {{ return 1; }} static int g(void) {{ return 2; }} typedef int (*function)(void); \
             int n; function get(void) {{ n++; return n > 9 ? f : n > 8 ? g : {given}; }}\n\
             #pragma fencepost op get = get()\n#pragma fencepost test T = ( get )\n"
        )
    };
    told_apart(&file("", "f"), &file("", "g"));
    let folder = folder(&[
        ("a.c", &file("", "f")),
        ("b.c", &file("static int h(void) { return 3; } int m(void) { return h(); }", "f")),
    ]);
    assert_eq!(kinds(folder.path(), "a.c", "b.c"), [Kind::Holds; 2]);
    swept(folder.path(), "a.c", "b.c", &[]).exits(0);
}

/// Static variables of sibling blocks have one name.
#[test]
fn variables_of_one_name() {
    let file = |given: &str| {
        format!(
            "int n; static int *f(int w) {{ if (w) {{ static int s = 1; return &s; }} else {{ static int s = 2; return &s; }} }}\n\
             int *get(int w) {{ n = n + 1; return {given}; }}\n\
             #pragma fencepost op get = get(any(0, 1))\n#pragma fencepost test T = ( get )\n"
        )
    };
    told_apart(&file("f(w)"), &file("w ? f(1) : f(0) ? f(1) : 0"));
    // Nobody knows which of two is meant by one.
    let one = "int n; static int *f(int w) { if (w) { static int s = 1; return &s; } else { static int t = 2; return &t; } }\n\
               int *get(int w) { n = n + 1; return f(w); }\n\
               #pragma fencepost op get = get(any(0, 1))\n#pragma fencepost test T = ( get )\n";
    let folder = folder(&[("two.c", &file("f(w)")), ("one.c", one)]);
    for verdict in checked(folder.path(), "two.c", "one.c") {
        let Verdict::Inconclusive(Reason::Specification(why)) = verdict else { panic!("{verdict:?}") };
        assert!(why.contains("something that the file does not have"), "{why}");
    }
    let swept = swept(folder.path(), "two.c", "one.c", &[]).exits(3);
    swept.says("`get` gives back a pointer to something that the file does not have");
}

/// Texts are what they say, not what is shown of them.
#[test]
fn texts_by_content() {
    let file = |before: &str, second: &str| {
        format!(
            "int n; {before}\nconst char *get(int w) {{ n++; return w ? \"the queue is now at it\" : n > 99 ? \
             \"the queue is now at us\" : {second}; }}\n\
             #pragma fencepost op get = get(any(0, 1))\n#pragma fencepost test T = ( get )\n"
        )
    };
    let us = file("", "\"the queue is now at us\"");
    told_apart(&us, &file("", "\"the queue is now at it\""));
    let folder = folder(&[
        ("us.c", &us),
        ("moved.c", &file("const char *t = \"first\";", "\"the queue is now at us\"")),
    ]);
    assert_eq!(kinds(folder.path(), "moved.c", "us.c"), [Kind::Holds; 2]);
}

/// What has no name cannot be compared, and a pointer into a large object is none into a small one's neighbour.
#[test]
fn pointers_without_counterpart() {
    let file = |globals: &str, given: &str| {
        format!(
            "{globals} int n; int *get(void) {{ n++; return {given}; }}\n\
             #pragma fencepost op get = get()\n#pragma fencepost test T = ( get )\n"
        )
    };
    let files = [
        ("literal.c", file("int *p = (int[]){ 1, 2 };", "p")),
        ("large.c", file("int a[1000], b[1000];", "&a[900]")),
        ("small.c", file("int a[1], b[1000];", "&b[1]")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    for (file, reference) in [("literal.c", "literal.c"), ("small.c", "large.c")] {
        assert_eq!(kinds(folder.path(), file, reference), [Kind::Inconclusive; 2], "{file}");
        swept(folder.path(), file, reference, &[]).exits(3);
    }
}

/// Arguments that are chosen among pointers are the same by name, too.
#[test]
fn pointers_as_arguments() {
    let file = |globals: &str, chosen: &str| {
        format!(
            "{globals} int n; int which(int *p) {{ n++; return p == &a ? 1 : 2; }}\n\
             #pragma fencepost op w = which(any({chosen}))\n#pragma fencepost test T = ( w )\n"
        )
    };
    let files = [
        ("file.c", file("int a, b;", "&a, &b")),
        ("moved.c", file("int pad[9], b, a;", "&a, &b")),
        ("other.c", file("int b, a;", "&b")),
        ("one.c", file("int a, b;", "&a")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    assert_eq!(kinds(folder.path(), "file.c", "moved.c"), [Kind::Holds; 2]);
    for verdict in checked(folder.path(), "one.c", "other.c") {
        let Verdict::Inconclusive(Reason::Specification(why)) = verdict else { panic!("{verdict:?}") };
        assert!(why.contains("takes or returns something else"), "{why}");
    }
}

/// What is a pointer in one file only cannot be compared.
#[test]
fn pointers_and_numbers() {
    let number = "int n; long get(void) { return n++; }\n#pragma fencepost op get = get()\n";
    let pointer = "int n; int *get(void) { n++; return 0; }\n#pragma fencepost op get = get()\n";
    let folder = folder(&[("number.c", number), ("pointer.c", pointer)]);
    let swept = swept(folder.path(), "number.c", "pointer.c", &[]).exits(2);
    swept.says("`get` gives something else in the reference");
}

/// A call that waits in one of its ways may wait, whatever others do; one that the user rules out is no way.
#[test]
fn calls_that_may_wait() {
    let waits = "int n; int get(void) { while (!n) ; return n; }\n#pragma fencepost op get = get()\n";
    let returns = "int n; int get(void) { return n; }\n#pragma fencepost op get = get()\n";
    let reference = |body: &str| {
        format!(
            "#include <fencepost.h>\n#include <stdlib.h>\nint n; int get(void) {{ {body} }}\n#pragma fencepost op get = get()\n"
        )
    };
    let folder = folder(&[
        ("waits.c", waits),
        ("returns.c", returns),
        ("may.c", &reference("if (fp_any(0, 1)) for (;;) ; return n;")),
        ("assumes.c", &reference("assume(fp_any(0, 1)); return n;")),
        ("exits.c", &reference("if (fp_any(0, 1)) exit(0); return n;")),
        ("never.c", &reference("assume(0); return n;")),
    ]);
    let rows = [
        ("may.c", [0, 0]),
        ("assumes.c", [1, 0]),
        ("exits.c", [1, 0]),
        ("never.c", [1, 1]),
        ("waits.c", [0, 1]),
    ];
    for (reference, codes) in rows {
        for (file, code) in ["waits.c", "returns.c"].into_iter().zip(codes) {
            for stuck in ["together", "each"] {
                for threads in ["1", "2"] {
                    let more = ["--endless", "ignore", "--stuck", stuck];
                    let run = ["sweep", file, "--reference", reference, "--threads", threads, "--steps", "2"];
                    fencepost(&run).args(&more).within(&folder).run().exits(code);
                }
            }
        }
    }
}
