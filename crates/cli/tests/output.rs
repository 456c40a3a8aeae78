//! What the program prints: counterexamples as text and as JSON, and how it ends when it is interrupted.

mod common;

use common::{Ran, Run, corpus, fencepost, folder};
use serde_json::Value;
use std::time::Duration;

fn in_corpus(arguments: &[&str]) -> Run {
    fencepost(arguments).within(&corpus("checkfence"))
}

fn text(arguments: &[&str]) -> String {
    in_corpus(arguments).run().timeless()
}

/// A check of a program that is given as files; the first is checked.
fn check(files: &[(&str, &str)], arguments: &[&str]) -> Ran {
    fencepost(&["check", files[0].0]).args(arguments).within(&folder(files)).run()
}

fn text_of(files: &[(&str, &str)], arguments: &[&str]) -> String {
    check(files, arguments).timeless()
}

#[test]
fn counterexample_by_observation() {
    insta::assert_snapshot!(text(&["check", "msn.c", "-DNO_FENCE=1", "-m", "relaxed", "-t", "T0"]));
}

#[test]
fn counterexample_by_fault() {
    insta::assert_snapshot!(text(&["check", "msn.c", "-DNO_FENCE=4", "-m", "relaxed", "-t", "T0"]));
}

const STORE_BUFFERING: &str = "int x, y;
int left(void)
{
    x = 1;
    return y;
}
int right(void)
{
    y = 1;
    return x;
}
#pragma fencepost op l = left()
#pragma fencepost op r = right()
#pragma fencepost test T = ( l | r )
";

/// Accesses to a bit-field are accesses to all that share its unit, and so they are shown.
#[test]
fn bit_fields() {
    let text = "#include <assert.h>
#include <pthread.h>
static struct record {
    int before;
    unsigned a : 4;
    int b : 4;
} s[2];
static void *other(void *r)
{
    ((struct record *)r)->b = -1;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, &s[1]);
    s[1].a = 5;
    pthread_join(thread, 0);
    assert(s[1].b == -1);
    return 0;
}
";
    let files = [("bits.c", text)];
    insta::assert_snapshot!(text_of(&files, &["-m", "sc"]));
    let result = check(&files, &["-m", "sc", "--json"]).result();
    let events = result["trace"]["events"].as_array().expect("events");
    let of = |event: &&Value| event["place"] == "s[1].{a, b}" && event["kind"] == "store";
    let stored: Vec<&Value> = events.iter().filter(of).map(|event| &event["bit_fields"]).collect();
    assert_eq!(stored, [&serde_json::json!({"a": "5", "b": "0"}), &serde_json::json!({"a": "0", "b": "-1"})]);
    assert!(events.iter().filter(|event| event["place"] == "thread").all(|e| e.get("bit_fields").is_none()));
}

/// Neither thread alone must have reordered anything: together they must.
#[test]
fn store_buffering() {
    insta::assert_snapshot!(text_of(&[("sb.c", STORE_BUFFERING)], &["-m", "tso"]));
}

/// The memory order has the `free`, and no value for what is read after it.
#[test]
fn access_to_freed_memory() {
    let text = "#include <stdlib.h>
struct node { int key; struct node *next; };
struct node *head;
void start(void)
{
    head = malloc(sizeof *head);
    head->key = 5;
    head->next = 0;
}
int look(void)
{
    struct node *node = head;
    return node ? node->key : 0;
}
void drop(void)
{
    struct node *node = head;
    head = 0;
    free(node);
}
#pragma fencepost init start()
#pragma fencepost op l = look()
#pragma fencepost op d = drop()
#pragma fencepost test T = ( l | d )
";
    insta::assert_snapshot!(text_of(&[("freed.c", text)], &["-m", "sc"]));
    let trace = &check(&[("freed.c", text)], &["-m", "sc", "--json"]).result()["trace"];
    let events = trace["events"].as_array().expect("there are events");
    let dead = events.iter().find(|event| !event["freed_by"].is_null()).expect("one finds its object dead");
    assert_eq!((&dead["kind"], &dead["value"]), (&"load".into(), &Value::Null));
    assert_eq!(events[dead["freed_by"].as_u64().expect("a number") as usize]["kind"], "free");
    let order = trace["memory_order"].as_array().expect("there is an order");
    let place = |id: &Value| order.iter().position(|other| other == id).expect("it is in the order");
    assert!(place(&dead["freed_by"]) < place(&dead["id"]));
}

/// Elements of one array have names of their own, and files are named where there are several.
#[test]
fn arrays_and_files() {
    let header = "struct node { int value; struct node *next; };
static inline void link(struct node *from, struct node *to)
{
    from->next = to;
}
";
    let text = "#include \"nodes.h\"
struct node nodes[3];
void put(void)
{
    struct node *node = nodes;
    node[2].value = 7;
    link(&node[1], &node[2]);
}
int get(void)
{
    struct node *node = nodes[1].next;
    return node ? node->value : 7;
}
#pragma fencepost op p = put()
#pragma fencepost op g = get()
#pragma fencepost test T = ( p | g )
";
    insta::assert_snapshot!(text_of(&[("main.c", text), ("nodes.h", header)], &["-m", "pso"]));
}

const TWO_LOCKS: &str = "#include <pthread.h>
struct account { pthread_mutex_t mutex; int balance; } accounts[2];
void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->mutex);
    pthread_mutex_lock(&to->mutex);
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&to->mutex);
    pthread_mutex_unlock(&from->mutex);
}
#pragma fencepost op f = transfer(&accounts[0], &accounts[1])
#pragma fencepost op b = transfer(&accounts[1], &accounts[0])
#pragma fencepost test T = ( f | b )
";

/// Waits for a flag that nobody sets, and for a lock that is never free.
const TWO_LOOPS: &str = "#include <pthread.h>
int flags[2], lock = 1;
void *await(void *argument)
{
    int ready = 0;
    while (!ready)
        ready = flags[1];
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, await, 0);
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        ;
    pthread_join(thread, 0);
}
";

/// What each thread of a stuck execution waits for: thread, place and value.
fn waits_for(name: &str, text: &str) -> Vec<String> {
    let arguments = ["-m", "tso", "--engine", "explicit", "--stuck", "--json"];
    let looks = check(&[(name, text)], &arguments).result()["trace"]["looks_at"].as_array().cloned();
    let show = |look: &Value| format!("{} {} {}", look["thread"], look["place"], look["value"]);
    looks.expect("a list").iter().map(|look| show(look).replace('"', "")).collect()
}

#[test]
fn stuck_at_locks() {
    let arguments = ["-m", "sc", "--engine", "explicit", "--stuck"];
    insta::assert_snapshot!(text_of(&[("locks.c", TWO_LOCKS)], &arguments));
    assert_eq!(waits_for("locks.c", TWO_LOCKS), ["1 accounts[1].mutex.held 2", "2 accounts[0].mutex.held 2"]);
}

#[test]
fn stuck_in_loops() {
    let arguments = ["-m", "sc", "--engine", "explicit", "--stuck"];
    insta::assert_snapshot!(text_of(&[("loops.c", TWO_LOOPS)], &arguments));
    assert_eq!(waits_for("loops.c", TWO_LOOPS), ["0 lock 1", "1 flags[1] 0"]);
}

/// The steps that repeat, and only those.
#[test]
fn endless() {
    let text = "int want[2];
void polite(int me)
{
    want[me] = 1;
    while (want[1 - me]) {
        want[me] = 0;
        want[me] = 1;
    }
    want[me] = 0;
}
#pragma fencepost op l = polite(0)
#pragma fencepost op r = polite(1)
#pragma fencepost test T = ( l | r )
";
    let arguments = ["-m", "sc", "--engine", "explicit", "--endless", "fair"];
    insta::assert_snapshot!(text_of(&[("polite.c", text)], &arguments));
    let trace = &check(&[("polite.c", text)], &[&arguments[..], &["--json"]].concat()).result()["trace"];
    let repeats = trace["repeats"].as_array().expect("some repeat");
    let lines: std::collections::BTreeSet<u64> = repeats
        .iter()
        .map(|id| trace["events"][id.as_u64().expect("an id") as usize]["line"].as_u64().expect("a line"))
        .collect();
    assert!(!repeats.is_empty() && lines.iter().all(|line| (5..=7).contains(line)), "{lines:?}");
}

#[test]
fn scope_of_a_verdict() {
    insta::assert_snapshot!(text(&["check", "ms2.c", "-m", "tso", "-t", "e ( e d | d )", "-v"]));
}

#[test]
fn json_document() {
    let arguments = ["check", "msn.c", "-DNO_FENCE=1", "-m", "sc,relaxed", "-t", "T0", "--json"];
    // An expectation of the file is not met.
    let mut document = in_corpus(&arguments).run().exits(2).json();
    for result in document["results"].as_array_mut().expect("there are results") {
        let statistics = result["statistics"].as_object_mut().expect("there are statistics");
        for (name, value) in statistics {
            if name.ends_with("_seconds") || name == "peak_memory_bytes" {
                assert!(value.is_number(), "{name}");
                *value = Value::Null;
            }
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).expect("printable"));
}

#[test]
fn models_separated_by_commas_and_repeated() {
    let out = text(&["check", "ms2.c", "-m", "sc,tso", "-m", "pso", "-t", "T0", "-q"]);
    assert_eq!(out.lines().filter(|line| line.starts_with("T0")).count(), 3, "{out}");
}

#[test]
fn reference_implementation() {
    let folder = folder(&[]);
    let reference = folder.path().join("ref.c");
    let queue = "
#include <stdbool.h>
static int items[8], head, tail;
void put(int value) { items[tail++] = value; }
bool get(int *value) { if (head == tail) return false; *value = items[head++]; return true; }
#pragma fencepost op e = put(any(0, 1))
#pragma fencepost op d = get(out)
";
    std::fs::write(&reference, queue).expect("written");
    let path = reference.display().to_string();
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "Tpc2", "-q", "--reference", &path]);
    assert!(out.contains("holds") && out.contains("16 observations"), "{out}");
    // A stack is no queue: the specification must come from the reference.
    let stack = queue.replace("items[head++]", "items[--tail]");
    std::fs::write(&reference, stack).expect("written");
    let out = text(&["check", "msn.c", "-m", "sc", "-t", "( e e d d )", "-q", "--reference", &path]);
    assert!(out.contains("violated"), "{out}");
    // One with other operations cannot serve.
    std::fs::write(&reference, queue.replace("any(0, 1)", "any(0, 1, 2)")).expect("written");
    let out = text(&["check", "msn.c", "-m", "sc", "-t", "Tpc2", "-q", "--reference", &path]);
    assert!(out.contains("inconclusive") && out.contains("takes or returns something else"), "{out}");
}

/// An interrupt ends the check under way, keeps what is known, and says so.
#[test]
fn interrupt() {
    let arguments = ["check", "msn.c", "-m", "relaxed", "-t", "T0", "-t", "T56", "-t", "T55", "-q"];
    // Long enough for the first test, far too short for the second.
    let out = in_corpus(&arguments).interrupted_after(Duration::from_millis(1500)).run().exits(3).out;
    let lines: Vec<&str> = out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(lines.len(), 2, "the third test was not begun: {out}");
    assert!(lines[0].contains("holds") && lines[1].contains("interrupted"), "{out}");
}

/// A limit on memory is met before memory is gone.
#[test]
fn memory_limit() {
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "T56", "-q", "--memory", "20M"]);
    assert!(out.contains("inconclusive") && out.contains("memory limit"), "{out}");
}

#[test]
fn time_limit() {
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "T56", "-q", "--timeout", "500ms"]);
    assert!(out.contains("inconclusive") && out.contains("time limit"), "{out}");
}

/// Commands that print in every way there is.
const PRINTING: [&[&str]; 8] = [
    &["check", "msn.c", "-m", "sc", "-t", "T0"],
    &["check", "msn.c", "-m", "sc", "-t", "T0", "--json"],
    &["sweep", "../amp/coarse-list.c", "--configuration", "A"],
    &["sweep", "../amp/coarse-list.c", "--configuration", "A", "--dry-run"],
    &["verify", "../blender/dekker.c", "--model", "sc"],
    &["lsl", "msn.c"],
    &["header"],
    &["--help"],
];

/// What cannot be written is an error, not a crash.
#[test]
fn unwritable_output() {
    for arguments in PRINTING {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let ran = in_corpus(arguments).stdout(full).run().exits(2).says("error: cannot write the output");
        assert!(!ran.err.contains("panicked"), "{arguments:?}: {}", ran.err);
    }
}

/// That nobody reads the output ends the program without a word and without a verdict.
#[test]
fn closed_pipe() {
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = in_corpus(arguments).stdout(writer).run();
        assert_eq!((ran.code, ran.err.as_str()), (3, ""), "{arguments:?}");
    }
}
