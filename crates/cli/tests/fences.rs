//! `fencepost fences`: what it prints, what it writes, and what it finds in the corpus.

mod common;

use common::{Ran, corpus, fencepost};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn fences(folder: &Path, arguments: &[&str]) -> Ran {
    run(folder, &[&["fences"], arguments].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    fencepost(arguments).within(folder).run()
}

/// A folder with a file `a.c`.
fn folder(text: &str) -> tempfile::TempDir {
    common::folder(&[("a.c", text)])
}

/// The kinds and functions of the fences of each placement.
fn placements(result: &Value) -> Vec<Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let fences = |placement: &Value| {
        let fences = placement["fences"].as_array().expect("fences").iter();
        fences.map(|fence| (text(&fence["kind"]), text(&fence["function"]))).collect()
    };
    result["placements"].as_array().expect("placements").iter().map(fences).collect()
}

const MESSAGE: &str = "\
int data, flag;

void send(int value)
{
    data = value;
    flag = 1;
}

int receive(void)
{
    if (flag)
        return data;
    return -1;
}

#pragma fencepost op s = send(any(1, 2))
#pragma fencepost op r = receive()
#pragma fencepost test T = ( s | r )
";

const C11: &str = "\
#include <stdatomic.h>

int data;
atomic_int flag;

void send(int value)
{
    data = value;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

int receive(void)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) return data;
    return -1;
}

#pragma fencepost op s = send(any(1, 2))
#pragma fencepost op r = receive()
#pragma fencepost test T = ( s | r )
";

const MUTEX: &str = "\
#include <assert.h>
#include <pthread.h>

int wants[2], inside;

static void *enter(void *argument)
{
    int me = argument != 0;
    wants[me] = 1;
    if (!wants[1 - me]) {
        assert(inside == 0);
        inside = 1;
        inside = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, 0);
    pthread_create(&b, 0, enter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// What is loaded depends, by way of memory, on what was loaded before: a machine must wait for that, the model of
/// rmo need not.
const DEPENDENT: &str = "\
#include <assert.h>
#include <pthread.h>
#include <fencepost.h>

int flag, copy, data[2] = { 1, 0 };

static void *send(void *argument)
{
    data[1] = 1;
    fence(\"store-store\");
    flag = 1;
    return 0;
}

static void *receive(void *argument)
{
    copy = flag;
    assert(data[copy]);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, send, 0);
    pthread_create(&b, 0, receive, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Two threads add one each; fences do not make that atomic.
const LOST_UPDATE: &str = "\
int x;
int add(void) { return x++; }
#pragma fencepost op a = add()
#pragma fencepost test T = ( a | a )
";

macro_rules! cases {
    ($($name:ident: $text:expr, $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            let run = fencepost(&["fences", "a.c"]).args::<&str>(&$arguments).file("a.c", $text);
            insta::assert_snapshot!(run.file("costs", "store-store = 3\nfence = 2\n").run().shown());
        }
    )*};
}

cases! {
    message: MESSAGE, ["-m", "rmo"];
    message_explained: MESSAGE, ["-m", "pso", "--explain"];
    message_needs_none: MESSAGE, ["-m", "tso"];
    message_in_all_ways: MESSAGE, ["-m", "pso", "--all", "3", "--fence-kinds", "store-store,full"];
    c11: C11, ["-m", "relaxed"];
    c11_fences: C11, ["-m", "relaxed", "--fence-kinds", "c11"];
    store_buffers_of_tests: MESSAGE, ["-m", "pso", "--method", "store-buffers"];
    store_buffers_of_typed_fences: MUTEX, ["-m", "pso", "--method", "store-buffers", "--fence-kinds", "typed"];
    execution_buffers: MESSAGE, ["-m", "rmo", "--method", "rlx"];
    execution_buffers_on_relaxed: MESSAGE, ["-m", "relaxed", "--method", "rlx"];
    machine_and_model_differ: DEPENDENT, ["-m", "rmo", "--method", "rlx"];
    sweep_on_rmo: MESSAGE, ["-m", "rmo", "--sweep"];
    scope_without_sweep: MESSAGE, ["-m", "pso", "--threads", "2", "--oracle", "set"];
    sweep_without_oracle: MESSAGE, ["-m", "pso", "--sweep"];
    abstraction_of_tests: MESSAGE, ["-m", "pso", "--abstraction", "fd:1"];
    unknown_abstraction: MUTEX, ["-m", "pso", "--abstraction", "fd"];
    closed_program: MUTEX, ["-m", "tso", "--fence-kinds", "full"];
    wrong_on_sc: LOST_UPDATE, ["-m", "tso"];
    wrong_with_all: MESSAGE, ["-m", "rmo", "--fence-kinds", "store-store"];
    no_time: MESSAGE, ["-m", "rmo", "--timeout", "0"];
    no_model: MESSAGE, [];
    unknown_kind: MESSAGE, ["-m", "tso", "--fence-kinds", "store-store,mfence"];
    c11_kind_without_header: MESSAGE, ["-m", "tso", "--fence-kinds", "acquire"];
    unknown_test: MESSAGE, ["-m", "tso", "-t", "U"];
    unknown_model: MESSAGE, ["-m", "alpha"];
    bad_costs: MESSAGE, ["-m", "tso", "--costs", "costs"];
    missing_costs: MESSAGE, ["-m", "tso", "--costs", "nowhere"];
    unknown_function: MESSAGE, ["-m", "tso", "--within", "send,sned"];
    syntax_error: "int f(void) { return 1 }\n", ["-m", "tso"];
}

/// Applies the fences for a model, and checks that the file then holds, needs no more, and compiles.
fn check_applied(text: &str, model: &str, more: &[&str], count: usize) -> String {
    let folder = folder(text);
    let before = fences(folder.path(), &[&["a.c", "-m", model, "--json", "--apply"], more].concat()).exits(0);
    assert_eq!(placements(&before.result())[0].len(), count);
    run(folder.path(), &["check", "a.c", "-m", model, "-q"]).exits(0);
    let again = fences(folder.path(), &["a.c", "-m", model, "--json"]);
    assert_eq!(placements(&again.result()), [vec![]], "no further fence is needed");
    compile(folder.path());
    fs::read_to_string(folder.path().join("a.c")).expect("readable")
}

/// Compiles `a.c` with the header that other compilers get.
fn compile(folder: &Path) {
    let header = run(folder, &["header"]);
    fs::write(folder.join("fencepost.h"), header.out).expect("written");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Werror=implicit-function-declaration", "-Wno-unknown-pragmas"])
        .args(["-Werror", "-Wno-unused", "-I.", "-c", "a.c", "-o", "a.o"])
        .current_dir(folder)
        .output()
        .expect("there is a compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn applied_fences_are_those_of_the_header() {
    let text = check_applied(MESSAGE, "relaxed", &[], 2);
    assert!(text.starts_with("#define FENCEPOST_LONG_NAMES\n#include <fencepost.h>\n"), "{text}");
    assert!(text.contains("    fp_fence(\"store-store\");\n    flag = 1;\n"), "{text}");
    // The lone statement behind the `if` gets braces.
    let body = "if (flag) {\n        fp_fence(\"load-load\");\n        return data;\n    }\n";
    assert!(text.contains(body), "{text}");
}

#[test]
fn applied_fences_are_those_of_c11() {
    let text = check_applied(C11, "relaxed", &["--fence-kinds", "c11"], 2);
    assert!(!text.contains("fencepost.h"), "{text}");
    assert!(
        text.contains("    atomic_thread_fence(memory_order_release);\n    atomic_store_explicit"),
        "{text}"
    );
    assert!(text.contains("{ atomic_thread_fence(memory_order_acquire); return data; }"), "{text}");
}

#[test]
fn stronger_orders_are_applied_instead_of_fences() {
    let text = check_applied(C11, "relaxed", &[], 2);
    assert!(text.contains("atomic_store_explicit(&flag, 1, memory_order_release);"), "{text}");
    assert!(text.contains("atomic_load_explicit(&flag, memory_order_acquire)"), "{text}");
    assert!(!text.contains("atomic_thread_fence"), "{text}");
}

/// A seq_cst store releases, too: the fence in front of it is no longer needed.
#[test]
fn idle_fences_are_taken_out() {
    let text = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int x, y;
int seen[2];

static void *one(void *unused)
{
    data = 1;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    seen[0] = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *two(void *unused)
{
    atomic_store(&y, 1);
    seen[1] = atomic_load(&x);
    if (seen[1])
        assert(data);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen[0] || seen[1]);
    return 0;
}
";
    let text = check_applied(text, "pso", &[], 1);
    assert_eq!(text.matches("memory_order_seq_cst").count(), 2, "{text}");
    assert!(!text.contains("fence"), "{text}");
}

#[test]
fn fences_stay_where_orders_are_not_enough() {
    // The order of one load says nothing of the load before it, which is not atomic.
    let text = C11
        .replace("int data;\natomic_int flag;", "int data, flag;\natomic_int unrelated;")
        .replace(
            "    atomic_store_explicit(&flag, 1",
            "    flag = 1;\n    atomic_store_explicit(&unrelated, 1",
        )
        .replace(
            "    if (atomic_load_explicit(&flag, memory_order_relaxed)) return data;",
            "    atomic_load_explicit(&unrelated, memory_order_relaxed);\n    if (flag) return data;",
        );
    let applied = check_applied(&text, "relaxed", &[], 2);
    assert_eq!(applied.matches("atomic_thread_fence").count(), 2, "{applied}");
}

#[test]
fn applied_fences_keep_threads_apart() {
    // Between the store of one's wish and the look at the other's; nothing is asked of inside.
    check_applied(MUTEX, "tso", &[], 1);
}

#[test]
fn fences_go_into_included_files() {
    let folder = folder("#include \"message.h\"\n");
    fs::write(folder.path().join("message.h"), MESSAGE).expect("written");
    let found = fences(folder.path(), &["a.c", "-m", "pso", "--apply"]);
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);
    assert!(found.out.contains("wrote message.h\n"), "{}", found.out);
    assert_eq!(run(folder.path(), &["check", "a.c", "-m", "pso", "-q"]).code, 0);
    assert_eq!(fs::read_to_string(folder.path().join("a.c")).expect("readable"), "#include \"message.h\"\n");
}

#[test]
fn files_stay_as_they_are_unless_asked_for() {
    let folder = folder(MESSAGE);
    fences(folder.path(), &["a.c", "-m", "rmo"]);
    assert_eq!(fs::read_to_string(folder.path().join("a.c")).expect("readable"), MESSAGE);
}

#[test]
fn costs_decide() {
    let folder = folder(MESSAGE);
    fs::write(folder.path().join("costs"), "store-store = 9\nfull = 2\n").expect("written");
    let found = fences(folder.path(), &["a.c", "-m", "pso", "--costs", "costs", "--json"]).result();
    assert_eq!(placements(&found), [[("full".to_owned(), "send".to_owned())]]);
    assert_eq!(found["placements"][0]["cost"], 2);
}

#[test]
fn fences_go_where_they_are_let() {
    let folder = folder(MESSAGE);
    let found = |within: &str| fences(folder.path(), &["a.c", "-m", "rmo", "--json", "--within", within]);
    assert_eq!(placements(&found("a.c").result())[0].len(), 2);
    assert_eq!(placements(&found("send,receive").result())[0].len(), 2);
    let half = found("send");
    assert_eq!((half.code, &half.result()["answer"]), (1, &Value::from("wrong with all fences")));
}

#[test]
fn a_model_of_ones_own() {
    let folder = folder(MESSAGE);
    // As pso, but loads of different threads may also be reordered: the fence of the reader is needed, too.
    let model = "\"mine\"\ninclude \"base.cat\"\nlet ppo = po-loc & (M * W)\n\
                 acyclic uninterrupted(ppo | fence | seen) as order\nirreflexive fr ; po as own\n";
    fs::write(folder.path().join("mine.cat"), model).expect("written");
    let found = fences(folder.path(), &["a.c", "-m", "mine.cat", "--json"]).result();
    assert_eq!(placements(&found)[0].len(), 2);
    assert_eq!(found["cheapest"], true);
}

/// A model of one's own is not taken for one that ships because of its name: here, what is called tso is relaxed.
#[test]
fn a_model_with_a_known_name() {
    let text = "\
#include <assert.h>
#include <pthread.h>
#include <fencepost.h>
int x, y, inside;
static void *tells(void *unused) { x = 1; y = 1; return unused; }
static void *looks(void *unused) { if (y) assert(x); GHOST return unused; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, tells, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";
    let folder = folder(text);
    let relaxed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/texts/relaxed.cat");
    fs::copy(relaxed, folder.path().join("tso.cat")).expect("copied");
    let count = |model: &str| {
        let output = fences(folder.path(), &["a.c", "-m", model, "--json", "-DGHOST="]);
        assert_eq!(output.code, 0, "{}{}", output.out, output.err);
        placements(&output.result())[0].len()
    };
    assert_eq!((count("tso"), count("tso.cat")), (0, 2));
    let check =
        |more: &[&str]| run(folder.path(), &[&["check", "a.c", "-q", "-m", "tso.cat"], more].concat()).code;
    assert_eq!(check(&["-DGHOST="]), 1);
    // Nor does it know of ghosts, or is it a machine.
    assert_eq!(check(&["-DGHOST=fp_ghost { inside = 1; }"]), 3);
    assert_eq!(check(&["-DGHOST=", "--engine", "explicit"]), 2);
    let method = ["a.c", "-m", "tso.cat", "-DGHOST=", "--fence-kinds", "full", "--method", "store-buffers"];
    assert_eq!(fences(folder.path(), &method).code, 2);
}

#[test]
fn michael_and_scott() {
    let folder = corpus("fender");
    let found = |model: &str, more: &[&str]| {
        let arguments = ["msn-unfenced.c", "--json", "-m", model, "-t", "ED"];
        placements(&fences(&folder, &[&arguments, more].concat()).result())
    };
    assert_eq!(found("tso", &[]), [vec![]]);
    let store_store = |function: &str| vec![("store-store".to_owned(), function.to_owned())];
    assert_eq!(found("pso", &[]), [store_store("enqueue")]);
    // Behind the stores in new_node, or in enqueue.
    let all = found("pso", &["--all", "--fence-kinds", "store-store"]);
    assert!(all.contains(&store_store("new_node")) && all.contains(&store_store("enqueue")), "{all:?}");
    let rmo = found("rmo", &[]);
    assert_eq!(rmo[0].len(), 2, "{rmo:?}");
}

/// Programs that run for ever: every placement that is tried is proved or refuted without bounds.
#[test]
fn programs_without_end() {
    let folder = corpus("blender");
    let found = |file: &str, model: &str| -> Vec<u64> {
        let define = if file == "figure-6.c" { "-DNOTHING" } else { "-DUNFENCED" };
        let arguments = [file, define, "--json", "-m", model, "--fence-kinds", "full"];
        let output = fences(&folder, &arguments);
        let result = output.result();
        // The same fences if mutual exclusion is stated by ghosts.
        let lines = |result: &Value| needed(result).iter().map(|(line, _)| *line).collect::<Vec<_>>();
        let ghosts = fences(&folder, &[&arguments[..], &["-DGHOST"]].concat()).result();
        assert_eq!(lines(&ghosts), lines(&result), "{file} on {model}");
        assert_eq!((output.code, &result["cheapest"]), (0, &true.into()), "{file} on {model}: {result}");
        let fences = result["placements"][0]["fences"].as_array().expect("fences").iter();
        fences
            .map(|fence| {
                assert_eq!(fence["without"]["verdict"], "violated", "{file} on {model}: {fence}");
                fence["line"].as_u64().expect("a line")
            })
            .collect()
    };
    // The two of the paper's Figure 2.
    assert_eq!(found("peterson.c", "pso"), [21, 23]);
    assert_eq!(found("peterson.c", "tso"), [23]);
    assert_eq!((found("figure-6.c", "pso").len(), found("clh.c", "tso").len()), (0, 0));
    for (file, counts) in [("dekker.c", [1, 1]), ("bakery.c", [2, 2]), ("fast-mutex.c", [3, 2])] {
        assert_eq!([found(file, "pso").len(), found(file, "tso").len()], counts, "{file}");
    }
    for file in ["clh.c", "sense-barrier.c"] {
        assert_eq!(found(file, "pso").len(), 1, "{file}");
    }
}

/// Lines of fences, and whether each is needed.
fn needed(result: &Value) -> Vec<(u64, Option<bool>)> {
    let fences = result["placements"][0]["fences"].as_array().expect("fences").iter();
    fences.map(|fence| (fence["line"].as_u64().expect("a line"), fence["needed"].as_bool())).collect()
}

/// Peterson on pso has the two fences of BLENDER's Figure 2. On tso, heads shorter than two stores ask for both, and
/// one is not needed.
#[test]
fn store_buffers() {
    let folder = corpus("blender");
    let found = |file: &str, model: &str, abstraction: &str| {
        let method = ["--method", "store-buffers", "--abstraction", abstraction];
        let define = if file == "figure-6.c" { "-DNOTHING" } else { "-DUNFENCED" };
        let output = fences(&folder, &[&[file, define, "--json", "-m", model], &method[..]].concat());
        assert_eq!(output.code, 0, "{}{}", output.out, output.err);
        needed(&output.result())
    };
    for abstraction in ["auto", "fd:0", "fd:1", "pd:1"] {
        assert_eq!(found("peterson.c", "pso", abstraction), [(21, Some(true)), (23, Some(true))]);
    }
    assert_eq!(found("peterson.c", "tso", "fd:1"), [(23, Some(true)), (30, Some(false))]);
    assert_eq!(found("peterson.c", "tso", "fd:2"), [(23, Some(true))]);
    assert_eq!(found("peterson.c", "tso", "auto"), [(23, Some(true))]);
    assert_eq!(found("figure-6.c", "pso", "fd:0").len(), 1);
    assert_eq!(found("figure-6.c", "pso", "fd:1"), []);
    assert_eq!(found("figure-6.c", "pso", "auto"), []);
}

/// Without abstraction, for a program that ends: both methods find what the others do.
#[test]
fn store_buffers_as_they_are() {
    let folder = folder(MUTEX);
    for method in ["store-buffers", "search"] {
        let arguments =
            ["a.c", "-m", "pso", "--json", "--fence-kinds", "full", "-a", "none", "--method", method];
        let output = fences(folder.path(), &arguments);
        assert_eq!(output.code, 0, "{}{}", output.out, output.err);
        assert_eq!(needed(&output.result()), [(10, Some(true))], "{method}");
    }
}

/// A search in which one abstraction has to prove each placement finds what that abstraction can.
#[test]
fn search_with_one_abstraction() {
    let folder = corpus("blender");
    let found = |file: &str, define: &str, abstraction: &str| {
        let arguments = [file, define, "--json", "-m", "pso", "--fence-kinds", "full", "-a", abstraction];
        fences(&folder, &arguments)
    };
    let spare = found("figure-6.c", "-DNOTHING", "fd:0").result();
    assert_eq!(needed(&spare).iter().map(|(_, needed)| *needed).collect::<Vec<_>>(), [Some(false)]);
    assert_eq!(spare["cheapest"], false);
    assert_eq!(needed(&found("figure-6.c", "-DNOTHING", "fd:1").result()), []);
    // No fences help, as far as this abstraction can tell; the program itself they do help.
    let hopeless = found("fast-mutex.c", "-DUNFENCED", "fd:0");
    assert_eq!((hopeless.code, &hopeless.result()["answer"]), (3, &"inconclusive".into()));
    assert_eq!(needed(&found("fast-mutex.c", "-DUNFENCED", "fd:1").result()).len(), 3);
}

#[test]
fn fences_by_execution_buffers() {
    let folder = corpus("fender");
    let found = |model: &str, more: &[&str]| {
        let arguments = ["msn-unfenced.c", "--json", "-m", model, "--method", "rlx"];
        let output = fences(&folder, &[&arguments, more].concat());
        assert_eq!(output.code, 0, "{}{}", output.out, output.err);
        output.result()
    };
    let tests = ["-t", "ED", "-t", "EEDD"];
    assert_eq!(placements(&found("tso", &tests)), [vec![]]);
    let pso = found("pso", &tests);
    assert_eq!((placements(&pso)[0].len(), needed(&pso)[0].1), (1, Some(true)));
    assert_eq!(placements(&pso)[0][0].0, "store-store");
    // On the machine's own model, what it finds is enough; and both methods find the same.
    let rmo = found("rlx", &["-t", "ED"]);
    let searched = fences(&folder, &["msn-unfenced.c", "--json", "-m", "rlx", "-t", "ED"]).result();
    assert_eq!((placements(&rmo)[0].len(), placements(&searched)[0].len()), (2, 2));
    assert_eq!(rmo["placements"][0]["cost"], searched["placements"][0]["cost"]);
    let full = found("pso", &[&tests[..], &["--fence-kinds", "full", "--all"]].concat());
    assert!(placements(&full).len() > 2 && full["complete"] == true, "{full}");
}

const SWEPT: &str = "\
#include <stdlib.h>
#include <fencepost.h>

struct cell { int value; struct cell *next; };
struct cell *top;

void push(int value)
{
    struct cell *cell = malloc(sizeof *cell);
    cell->value = value;
    do
        cell->next = top;
    while (!cas(&top, cell->next, cell));
}

int pop(int *value)
{
    struct cell *cell;
    do {
        cell = top;
        if (!cell)
            return 0;
    } while (!cas(&top, cell, cell->next));
    *value = cell->value;
    return 1;
}

#pragma fencepost op push = push(any(0, 1))
#pragma fencepost op pop = pop(out)
#pragma fencepost oracle stack
";

/// A sweep finds the clients by itself. The text that it leads to passes a sweep, and not without the fence.
#[test]
fn fences_for_sweeps() {
    let folder = folder(SWEPT);
    let sweep = |model: &str| run(folder.path(), &["sweep", "a.c", "-m", model]).code;
    assert_eq!((sweep("tso"), sweep("pso")), (0, 1));
    let output = fences(folder.path(), &["a.c", "-m", "tso,pso", "--sweep", "--apply", "--json"]);
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let found = output.result();
    assert_eq!(placements(&found), [[("store-store".to_owned(), "push".to_owned())]]);
    let without = &found["placements"][0]["fences"][0]["without"];
    assert_eq!((&without["property"], &without["trace"]["replayed"]), (&"schedules".into(), &true.into()));
    assert_eq!((sweep("tso"), sweep("pso")), (0, 0));
    // On sc the fault lies elsewhere.
    fs::write(folder.path().join("a.c"), SWEPT.replace("return 1;", "return 0;")).expect("written");
    let wrong = fences(folder.path(), &["a.c", "-m", "pso", "--sweep"]);
    assert!(wrong.code == 1 && wrong.out.contains("is wrong on sc"), "{}", wrong.out);
}

/// The fences that seven tests ask for pass all rows of CheckFence's table; the paper has seven as well.
/// `cargo test --release -p fencepost --test fences -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn checkfence_msn_on_relaxed_in_all_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(corpus("checkfence")).expect("the corpus").map(|entry| entry.expect("readable"))
    {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let output = fences(folder.path(), &["msn-unfenced.c", "-m", "relaxed", "--apply", "--json"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert_eq!(placements(&output.result())[0].len(), 7);
    let rows = ["T0", "T1", "T53", "Ti2", "Ti3", "Tpc2", "Tpc3", "Tpc4", "Tpc5", "Tpc6"];
    let mut arguments = vec!["check", "msn-unfenced.c", "-m", "relaxed", "--json"];
    arguments.extend(rows.iter().flat_map(|row| ["-t", row]));
    // The file expects violations without fences, so that the exit code says nothing.
    let checked = run(folder.path(), &arguments).json();
    let verdicts = checked["results"].as_array().expect("results").iter();
    let verdicts: Vec<&Value> = verdicts.map(|result| &result["verdict"]).collect();
    assert!(
        verdicts.len() == rows.len() && verdicts.iter().all(|verdict| *verdict == "holds"),
        "{verdicts:?}"
    );
}

#[test]
fn checkfence_msn_on_relaxed() {
    let folder = corpus("checkfence");
    let arguments = ["msn-unfenced.c", "-m", "relaxed", "-t", "T0", "-t", "Ti2", "--json"];
    let output = fences(&folder, &arguments);
    assert_eq!(output.code, 0, "{}", output.err);
    let found = output.result();
    let [placement] = &placements(&found)[..] else { panic!("one placement") };
    let of = |kind: &str, function: &str| {
        placement.iter().filter(|fence| fence.0 == kind && fence.1 == function).count()
    };
    let counts = [of("store-store", "enqueue"), of("load-load", "enqueue"), of("load-load", "dequeue")];
    assert_eq!((placement.len(), counts), (4, [2, 1, 1]), "{placement:?}");
    // Each fence comes with what goes wrong without it.
    for fence in found["placements"][0]["fences"].as_array().expect("fences") {
        assert_eq!(fence["without"]["verdict"], "violated", "{fence}");
        assert_eq!(fence["without"]["trace"]["replayed"], true);
    }
}
