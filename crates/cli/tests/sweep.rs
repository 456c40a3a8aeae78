//! Sweeps: verdicts on the collections of the corpus, exact numbers of schedules, logs that are cut off, and
//! bad input.

mod common;

use common::{Ran, fencepost, folder};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn corpus(name: &str) -> String {
    common::corpus("amp").join(format!("{name}.c")).display().to_string()
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    fencepost(&["sweep"]).args(arguments).within(folder).run()
}

/// The exit code and the document of a sweep.
fn sweep(name: &str, arguments: &[&str]) -> (i32, Value) {
    let ran = fencepost(&["sweep", &corpus(name), "--json"]).args(arguments).run();
    (ran.code, ran.result())
}

fn check(name: &str, configuration: &str, arguments: &[&str], verdict: &str) -> Value {
    let (code, result) = sweep(name, &[&["--configuration", configuration], arguments].concat());
    assert_eq!(result["verdict"], verdict, "{name}: {}", result["reason"]);
    assert_eq!(code, if verdict == "holds" { 0 } else { 1 }, "{name}");
    // A verdict has something behind it.
    let ends = result["complete"].as_u64().unwrap_or(0) + result["stuck"].as_u64().unwrap_or(0);
    assert!(ends > 0 || verdict == "violated", "{name}: {result}");
    result
}

/// The smallest violated schedule, and what is wrong.
fn violation(result: &Value) -> (&str, &str) {
    let first = &result["violations"][0];
    let trace = &result["trace"];
    assert_eq!(trace["replayed"], true);
    assert_eq!(first["notation"], trace["notation"]);
    (trace["notation"].as_str().expect("a notation"), trace["wrong"].as_str().expect("a word"))
}

#[test]
fn lists() {
    for name in ["coarse-list", "lazy-list", "lock-free-list"] {
        let result = check(name, "B", &[], "holds");
        assert_eq!((&result["explored"], &result["schedules"]), (&270.into(), &270.into()));
    }
    let result = check("lock-free-list-first-edition", "B", &[], "violated");
    assert_eq!(violation(&result), ("a(0) ( r(0) | r(0) )", "unexplained"));
    let results = |at: usize| result["trace"]["history"][at]["results"].clone();
    assert_eq!((results(2), results(3)), (serde_json::json!(["1"]), serde_json::json!(["1"])));
}

#[test]
fn queues() {
    for name in ["unbounded-queue", "lock-free-queue", "bounded-queue"] {
        let result = check(name, "B", &[], "holds");
        assert_eq!(result["explored"], 18);
        assert_eq!(result["stuck"].as_u64() > Some(0), name == "bounded-queue", "{name}");
    }
    // Too small a capacity: the oracle does not wait where the queue does.
    let result = check("bounded-queue", "B", &["-DCAPACITY=1"], "violated");
    assert_eq!(violation(&result), ("e(0) ( e(1) )", "stuck"));
    assert_eq!(result["trace"]["waiting"], serde_json::json!([1]));
}

/// On machines with store buffers.
#[test]
fn lock_free_structures_on_weaker_models() {
    for model in ["tso", "pso"] {
        for name in ["lock-free-list", "lock-free-queue", "lock-free-hash-set-patched", "lock-free-stack"] {
            check(name, "B", &["--model", model], "holds");
        }
        check("skip-queue", "B", &["--model", model, "--property", "quiescent"], "holds");
        check("lock-free-list-first-edition", "B", &["--model", model], "violated");
    }
    // Written for tso: without the fence between a node's content and the link to it, pso is too weak.
    let fender = |name: &str, arguments: &[&str]| {
        sweep(&format!("../fender/{name}"), &[&["--configuration", "B"], arguments].concat())
    };
    let names = ["--oracle", "stack", "--operations", "u, o"];
    for (model, verdict) in [("sc", "holds"), ("tso", "holds"), ("pso", "violated")] {
        let (_, result) = fender("treiber-unfenced", &[&names[..], &["--model", model]].concat());
        assert_eq!(result["verdict"], verdict, "{model}");
    }
    let (_, result) = fender("treiber", &[&names[..], &["--model", "pso"]].concat());
    assert_eq!(result["verdict"], "holds");
}

/// Memory that is freed by hand: accesses to freed objects, objects that are lost, and used again too soon.
#[test]
fn manual_memory() {
    for (name, schedule) in [
        ("lock-free-list-naive-free", "a(0) ( a(0) | r(0) )"),
        ("lock-free-queue-naive-free", "e(0) ( d() | d() )"),
    ] {
        let result = check(name, "B", &[], "violated");
        assert_eq!(violation(&result), (schedule, "fault"));
        // What twins compete for is learned although one starts first.
        let result = check(name, "B", &["--with", "symmetry"], "violated");
        assert_eq!(violation(&result), (schedule, "fault"));
        let result = check(name, "B", &["--reuse"], "violated");
        assert_eq!(violation(&result), (schedule, "fault"));
    }
    let result = check("lock-free-queue", "B", &["--leaks"], "violated");
    assert_eq!(violation(&result), ("e(0) ( d() )", "leak"));
    check("lock-free-queue", "A", &["--preadds", "0", "--steps", "1"], "holds");
    let five = ["--threads", "2", "--steps", "5", "--preadds", "2"];
    let result = check("lock-free-stack-unstamped", "B", &five, "violated");
    assert_eq!(violation(&result), ("u(0) u(1) ( o() u(2) u(3) o() | o() )", "unexplained"));
    check("lock-free-stack", "B", &five, "holds");
}

/// Steps so long that they are cut, with a bound on preemptions: nothing is lost where they are.
#[test]
fn long_steps() {
    let scope = ["--threads", "1", "--steps", "4", "--preadds", "0", "--preemptions", "2"];
    let result = check("skip-queue", "B", &[&scope[..], &["--values", "5"]].concat(), "holds");
    assert_eq!(result["explored"], 60);
}

const COUNTER: &str = "
int n;
static int next(void) { NEXT }
static int get(void) { return n; }
static void put(int a, int b) { n = a + b; }
#pragma fencepost op next = next()
#pragma fencepost op get = get()
#pragma fencepost op put = put(any(0), any(0))
";

/// What operations should do, as sequential C.
#[test]
fn references() {
    let folder = folder(&[]);
    let counter = |name: &str, next: &str| {
        fs::write(folder.path().join(name), COUNTER.replace("NEXT", next)).expect("written");
    };
    counter("reference.c", "return n++;");
    counter("torn.c", "return n++;");
    counter("whole.c", "return __sync_fetch_and_add(&n, 1);");
    counter("other.c", "return __sync_add_and_fetch(&n, 1);");
    counter("waits.c", "while (n != 1) ; return n++;");
    counter("wrong.c", "return 1 / n;");
    let sweep = |file: &str, reference: &str, more: &[&str]| {
        let ran = run(folder.path(), &[&[file, "--reference", reference, "--json"], more].concat());
        (ran.code, ran.result())
    };
    // One call of three operations, one of which has four arguments; two calls of one or two threads.
    let (code, result) = sweep("whole.c", "reference.c", &[]);
    assert_eq!((code, &result["schedules"]), (0, &(6 + 36 + 36).into()), "{result}");
    let (code, result) = sweep("torn.c", "reference.c", &[]);
    assert_eq!((code, violation(&result)), (1, ("( next() | next() )", "unexplained")));
    let (code, result) = sweep("other.c", "reference.c", &[]);
    assert_eq!((code, violation(&result)), (1, ("( next() )", "unexplained")));
    // A call that the reference does not let return may wait, and must.
    let (code, result) = sweep("waits.c", "waits.c", &["--property", "sc"]);
    assert_eq!((code, result["stuck"].as_u64() > Some(0)), (0, true), "{result}");
    let (code, result) = sweep("whole.c", "waits.c", &[]);
    assert_eq!((code, violation(&result)), (1, ("( next() )", "unexplained")));
    let (code, result) = sweep("waits.c", "reference.c", &[]);
    assert_eq!((code, violation(&result)), (1, ("( next() )", "stuck")));
    // A reference that fails decides nothing.
    let (code, result) = sweep("whole.c", "wrong.c", &[]);
    assert_eq!(code, 3);
    assert!(result["reason"].as_str().is_some_and(|why| why.contains("`next` cannot be run")), "{result}");
    // Of a collection, the roles count, and the reference says what they do.
    let reference = common::corpus("checkfence/refqueue.c").display().to_string();
    let result = check("lock-free-queue", "B", &["--reference", &reference], "holds");
    assert_eq!(result["explored"], 18);
    let ran = run(folder.path(), &["whole.c", "--reference", &reference]).exits(2);
    ran.says("the reference has no operation `next`");
}

#[test]
fn synchronous_queues() {
    let result = check("synchronous-queue", "B", &[], "holds");
    assert_eq!(result["explored"], 25);
    assert!(result["stuck"].as_u64() > Some(0));
}

/// All operations of a role are called, and those that are not are named.
#[test]
fn no_operation_goes_unchecked() {
    let name = "../attacks/second-operation-of-a-role";
    let result = check(name, "B", &[], "violated");
    let (notation, wrong) = violation(&result);
    assert_eq!((notation, wrong), ("a(0) ( r(0) | f(0) )", "unexplained"));
    assert_eq!(result["not_called"], serde_json::json!([]));
    // Four operations with three values each, with a pre-add and without: 12 + 144 + 78 schedules.
    assert_eq!(result["schedules"], 2 * (12 + 144 + 78));
    let without = ["--oracle", "set", "--operations", "a, r, c"];
    let result = check(name, "B", &without, "holds");
    assert_eq!((&result["not_called"], &result["schedules"]), (&serde_json::json!(["f"]), &270.into()));
    let ran = fencepost(&["sweep", &corpus(name), "--configuration", "A"]).args(&without).run();
    ran.says("threads in one order, not called: f");
    // Without additions before it, the only removal that fits is none.
    let bounds = ["--preadds", "0", "--steps", "1", "--adds-dominate"];
    let (_, result) = sweep("lock-free-queue", &[&bounds[..], &["--threads", "1"]].concat());
    assert_eq!((&result["verdict"], &result["not_called"]), (&"holds".into(), &serde_json::json!(["d"])));
}

/// An item is never what stands for nothing.
#[test]
fn items_are_something() {
    let result = check("../attacks/queue-that-holds-nothing", "B", &[], "violated");
    assert_eq!(violation(&result), ("e(0x1) ( d() )", "unexplained"));
    // What a reference takes for nothing counts as well: here it is 0.
    let folder = folder(&[]);
    let queue = |name: &str, put: &str, get: &str| {
        let text = QUEUE.replace("item = value; full = 1;", put).replace("return full ? item : -1;", get);
        fs::write(folder.path().join(name), text).expect("written");
    };
    queue(
        "reference.c",
        "if (!full) item = value; full = 1;",
        "int was = full ? item : 0; full = 0; return was;",
    );
    queue("nothing.c", "", "return 0;");
    let arguments = ["nothing.c", "--oracle", "queue", "--reference", "reference.c", "--configuration", "B"];
    let (code, said) = in_folder(folder.path(), &arguments);
    assert!(code == 1 && said.contains("p(1) ( g() )"), "{said}");
    let narrow = says(
        &QUEUE.replace("put(int value)", "put(_Bool value)"),
        &["--oracle", "queue", "--values", "3", "--dry-run"],
    );
    assert!(
        narrow.contains("an argument of `put` is too narrow for 2") && narrow.ends_with("exit code 2"),
        "{narrow}"
    );
}

/// A call before the threads that never returns is wrong, as is one that goes on for ever.
#[test]
fn pre_adds_return() {
    const SET: &str = "
        int x;
        _Bool add(int k) { BODY return 1; }
        _Bool contains(int k) { return 1; }
        #pragma fencepost op a = add(any(0))
        #pragma fencepost op c = contains(any(0))
        #pragma fencepost oracle set
        ";
    for body in ["while (!x) ;", "while (1) { x = 1; x = 0; }"] {
        for model in ["sc", "tso"] {
            let arguments = ["--preadds", "1", "--threads", "1", "--steps", "1", "--model", model];
            let said = says(&SET.replace("BODY", body), &arguments);
            assert!(said.contains("schedule 0: a(0) ( a(0) )"), "{body}: {said}");
            assert!(
                said.ends_with("exit code 1") && said.contains("initialisation waits for ever in a(0)"),
                "{body}: {said}"
            );
        }
    }
    // Where the reference waits as well, nothing is wrong, but nothing was checked.
    let waits = SET.replace("BODY", "while (!x) ;");
    let arguments =
        ["sweep", "set.c", "--reference", "set.c", "--preadds", "1", "--threads", "1", "--steps", "1"];
    fencepost(&arguments).file("set.c", waits).run().exits(3);
}

/// Calls that never return, although they could serve each other.
#[test]
fn synchronous_calls_meet() {
    const NEVER: &str = "
        int x;
        void enqueue(int item) { while (!x) ; }
        int dequeue(void) { while (!x) ; return 0; }
        #pragma fencepost op e = enqueue(any(0))
        #pragma fencepost op d = dequeue()
        #pragma fencepost oracle queue, synchronous
        ";
    let said = says(NEVER, &["--configuration", "B"]);
    assert!(said.contains("schedule 7: ( e(0) | d() )") && said.ends_with("exit code 1"), "{said}");
    assert!(said.contains("why threads 1 and 2 wait:"), "{said}");
    assert!(said.contains("but then e(0) of thread 1 and d() of thread 2 could return, not wait"), "{said}");
    // As the paper has it, nothing is wrong; but that nothing ever returned is said.
    let said = says(NEVER, &["--configuration", "B", "--stuck", "each"]);
    assert!(
        said.contains("stuck threads justified one by one") && said.contains("ends: 0 complete"),
        "{said}"
    );
    assert!(
        said.contains("in no execution have all calls returned") && said.ends_with("exit code 0"),
        "{said}"
    );
    // One thread alone waits rightly.
    let said = says(NEVER, &["--configuration", "B", "--threads", "1"]);
    assert!(
        said.contains("in no execution have all calls returned") && said.ends_with("exit code 0"),
        "{said}"
    );
}

#[test]
fn priority_queues() {
    let scope = ["--property", "quiescent", "--threads", "2", "--steps", "3", "--preadds", "1"];
    let result = check("simple-tree", "D", &scope, "violated");
    let (notation, wrong) = violation(&result);
    assert_eq!(wrong, "unexplained");
    assert_eq!(notation, "add(0, 1) ( r() add(1, 0) | r() )");
    check("simple-linear", "B", &["--property", "quiescent"], "holds");
    let result = check("fine-grained-heap", "A", &[], "violated");
    assert_eq!(violation(&result), ("( add(0, 0) | add(1, 1) )", "endless"));
    let result = check("fine-grained-heap-fair", "B", &[], "violated");
    assert_eq!(violation(&result), ("add(0, 0) ( add(1, 1) | r() )", "stuck"));
}

/// As the book prints it, the fine-grained heap does not ask whether it is empty. One thread shows that.
#[test]
fn fine_grained_heap_as_printed() {
    let alone = |steps| ["--threads", "1", "--steps", steps, "--preadds", "0", "--keep-going"];
    let (code, result) = sweep("fine-grained-heap-as-printed", &alone("2"));
    assert_eq!((code, violation(&result)), (1, ("( r() r() )", "fault")));
    let (code, result) = sweep("fine-grained-heap-as-printed", &alone("3"));
    let violations = result["violations"].as_array().expect("a list");
    let lost =
        violations.iter().find(|found| found["notation"] == "( r() add(0, 0) r() )").expect("it is lost");
    assert_eq!((code, &lost["reason"]), (1, &"unexplained".into()));
    let (code, _) = sweep("fine-grained-heap", &alone("3"));
    assert_eq!(code, 0, "the one that asks is right");
}

/// The two hash functions of cuckoo sets need have nothing to do with each other; some pairs make growing endless, which
/// an assertion ends.
#[test]
fn cuckoo_sets_with_pairs_of_hash_functions() {
    let pair =
        |second| ["-DHASH(x)=0", second, "--threads", "1", "--steps", "3", "--preadds", "1", "--values", "4"];
    let (code, result) = sweep("striped-cuckoo-hash-set", &pair("-DSECOND_HASH(x)=((x)/2)"));
    assert_eq!((code, violation(&result)), (1, ("a(0) ( a(1) a(2) a(3) )", "fault")));
    let (code, _) = sweep("striped-cuckoo-hash-set", &pair("-DSECOND_HASH(x)=(x)"));
    assert_eq!(code, 0, "four places for four values");
    // Any two functions: the sweep meets pairs that make it endless.
    let any = ["--hash", "nd:3:2", "--threads", "1", "--steps", "2", "--preadds", "1", "--values", "3"];
    let (code, result) = sweep("striped-cuckoo-hash-set", &any);
    assert_eq!((code, violation(&result)), (1, ("a(0) ( a(1) a(2) )", "fault")));
}

/// The numbers of the paper's Table 1.
#[test]
fn numbers_of_schedules() {
    for (name, numbers) in [
        ("coarse-list", [63, 270, 8_108, 322_930]),
        ("unbounded-queue", [9, 18, 58, 166]),
        ("synchronous-queue", [9, 25, 83, 223]),
        ("simple-tree", [7, 25, 156, 1_096]),
    ] {
        for (configuration, number) in ["A", "B", "D", "E"].into_iter().zip(numbers) {
            let (code, result) = sweep(name, &["--configuration", configuration, "--dry-run"]);
            assert_eq!((code, result["schedules"].as_u64()), (0, Some(number)), "{name} {configuration}");
        }
    }
    // By hand: two threads with one of six calls each.
    let scope = ["--threads", "2", "--steps", "2", "--preadds", "0", "--dry-run"];
    assert_eq!(sweep("coarse-list", &scope).1["schedules"], 36);
    assert_eq!(sweep("coarse-list", &[&scope[..], &["--thread-symmetry"]].concat()).1["schedules"], 21);
    assert_eq!(sweep("coarse-list", &[&scope[..], &["--shard", "2/5"]].concat()).1["schedules"], 7);
}

/// What a result says apart from how long it took and which threads did it.
fn facts(mut result: Value) -> Value {
    let fields = result.as_object_mut().expect("an object");
    for name in ["explore_seconds", "total_seconds", "peak_memory_bytes"] {
        fields.remove(name);
    }
    for violation in fields["violations"].as_array_mut().expect("an array") {
        violation.as_object_mut().expect("an object").remove("seconds");
    }
    result
}

#[test]
fn results_do_not_depend_on_threads() {
    for (name, more) in [("lock-free-list-first-edition", &["--keep-going"][..]), ("lock-free-hash-set", &[])]
    {
        let with =
            |jobs: &str| facts(sweep(name, &[&["--configuration", "B", "--jobs", jobs], more].concat()).1);
        assert_eq!(with("1"), with("3"), "{name}");
    }
}

#[test]
fn a_sweep_goes_on_where_it_was_cut_off() {
    let folder = folder(&[]);
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().expect("a path");
    for name in ["lock-free-list", "lock-free-list-first-edition"] {
        let scope = ["--configuration", "B", "--jobs", "1"];
        let whole = facts(sweep(name, &[&scope[..], &["--out", log, "--force"]].concat()).1);
        let text = fs::read_to_string(log).expect("written");
        // At the end of a line, inside of one, inside of the first, at the very beginning.
        let line = text.lines().take(100).map(|line| line.len() + 1).sum::<usize>();
        for cut in [line, line + 30, 20, 0, text.len()] {
            fs::write(log, &text[..cut]).expect("written");
            let again = facts(sweep(name, &[&scope[..], &["--resume", log]].concat()).1);
            assert_eq!(again, whole, "{name}, cut at {cut}");
            let count = |text: &str| text.lines().count();
            assert_eq!(count(&fs::read_to_string(log).expect("written")), count(&text));
        }
    }
}

#[test]
fn shares_make_up_the_whole() {
    let whole = check("lazy-list", "A", &[], "holds");
    let sum = |name: &str| {
        let part = |shard: &str| check("lazy-list", "A", &["--shard", shard], "holds")[name].as_u64();
        part("1/3").zip(part("2/3")).zip(part("3/3")).map(|((a, b), c)| a + b + c)
    };
    for name in ["explored", "states", "complete"] {
        assert_eq!(sum(name), whole[name].as_u64(), "{name}");
    }
}

/// What a sweep of a file in a folder says, and its exit code.
fn in_folder(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let ran = run(folder, arguments);
    (ran.code, ran.said())
}

/// A part is not taken for the whole, and the parts together are.
#[test]
fn logs_of_shares_are_merged() {
    let folder = folder(&[]);
    let (file, broken) = (corpus("lazy-list"), corpus("lock-free-list-first-edition"));
    let share = |file: &str, shard: &str, log: &str| {
        in_folder(folder.path(), &[file, "--configuration", "A", "--shard", shard, "--out", log])
    };
    for (shard, log) in [("1/3", "1.jsonl"), ("2/3", "2.jsonl"), ("3/3", "3.jsonl")] {
        let (code, said) = share(&file, shard, log);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains(&format!("holds for shard {shard}")), "{said}");
        assert!(said.contains("21 of 63 schedules") && !said.contains("all "), "{said}");
    }
    let merge = |logs: &[&str]| in_folder(folder.path(), &[&["--merge"], logs].concat());
    let (code, said) = merge(&["3.jsonl", "1.jsonl", "2.jsonl"]);
    assert!(code == 0 && said.contains("holds") && said.contains("all 63 schedules"), "{said}");
    let (code, said) = merge(&["1.jsonl", "3.jsonl"]);
    assert!(code == 3 && said.contains("inconclusive"), "{said}");
    assert!(said.contains("42 of 63 schedules") && said.contains("missing: shard 2/3"), "{said}");
    // One that was cut off.
    let text = fs::read_to_string(folder.path().join("2.jsonl")).expect("written");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(folder.path().join("cut.jsonl"), lines[..11].concat() + &lines[11][..20]).expect("written");
    let (code, said) = merge(&["1.jsonl", "cut.jsonl", "3.jsonl"]);
    assert!(code == 3 && said.contains("missing: 11 schedules of shard 2/3, from"), "{said}");
    // Of another sweep.
    let (_, said) =
        in_folder(folder.path(), &[&file, "--configuration", "B", "--shard", "2/3", "--out", "b.jsonl"]);
    assert!(said.contains("holds for shard 2/3"), "{said}");
    let (code, said) = merge(&["1.jsonl", "b.jsonl", "3.jsonl"]);
    assert!(code == 2 && said.contains("it is of another sweep"), "{said}");
    let (code, said) = merge(&["1.jsonl", "none.jsonl"]);
    assert!(code == 2 && said.contains("cannot use the log `none.jsonl`"), "{said}");
    let (code, said) = in_folder(folder.path(), &["--merge", "1.jsonl", "--threads", "2"]);
    assert!(code == 2 && said.contains("--merge does not go with --threads"), "{said}");
    // A violation in one part is one of the whole, whatever is missing.
    let all = ["--configuration", "B", "--preadds", "1", "--threads", "2", "--jobs", "1"];
    let (mut codes, mut logs) = (Vec::new(), Vec::new());
    for index in 1..=4 {
        let (shard, log) = (format!("{index}/4"), format!("v{index}.jsonl"));
        let arguments = [&[broken.as_str(), "--shard", &shard, "--out", &log], &all[..]].concat();
        codes.push(in_folder(folder.path(), &arguments).0);
        logs.push(log);
    }
    assert!(codes.contains(&1) && codes.contains(&0), "{codes:?}");
    let violated = codes.iter().position(|code| *code == 1).expect("one is violated");
    let (code, said) = merge(&[&logs[violated]]);
    assert!(code == 1 && said.contains("smaller schedules were not explored"), "{said}");
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    let (code, said) = merge(&logs);
    assert!(code == 1 && said.contains("a(0) ( r(0) | r(0) ): unexplained"), "{said}");
}

/// The checksum of a log's line, as the format has it: FNV-1a of the first line's checksum and of the line's text.
fn checksum(seal: &str, text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", seal.bytes().chain(text.bytes()).fold(0xcbf2_9ce4_8422_2325, step))
}

/// A log is believed only as it was written, by one writer, and is not overwritten by accident.
#[test]
fn logs_are_not_believed_blindly() {
    let folder = folder(&[]);
    let (file, path) = (corpus("lazy-list"), folder.path().join("log.jsonl"));
    let scope = [file.as_str(), "--configuration", "A"];
    let with = |more: &[&str]| in_folder(folder.path(), &[&scope[..], more].concat());
    assert_eq!(with(&["--out", "log.jsonl"]).0, 0);
    let text = fs::read_to_string(&path).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 64);
    let split = |line: &str| -> (String, String) {
        let (open, sum) = line.rsplit_once(",\"sum\":\"").expect("a checksum");
        (format!("{open}}}"), sum.trim_end_matches("\"}").to_owned())
    };
    let seal = |seal: &str, text: &str| {
        format!("{},\"sum\":\"{}\"}}", &text[..text.len() - 1], checksum(seal, text))
    };
    let (head, head_sum) = split(lines[0]);
    assert_eq!(checksum("", &head), head_sum, "the format is as documented");
    let (tenth, _) = split(lines[9]);
    let resumed = |lines: &[String]| {
        fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
        with(&["--resume", "log.jsonl"])
    };
    let changed = |at: usize, line: String| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = line;
        lines
    };
    let number =
        tenth.rsplit_once("\"schedule\":").expect("a number").1.split([',', '}']).next().expect("it");
    let renumbered =
        |new: &str| tenth.replace(&format!("\"schedule\":{number}"), &format!("\"schedule\":{new}"));
    for (lines, expected) in [
        (changed(9, lines[9].replace("holds", "violated")), "line 10 is not as it was written"),
        (changed(9, lines[9][..40].to_owned()), "line 10 is not as it was written"),
        (changed(9, seal("", &tenth)), "line 10 is not as it was written"),
        (
            changed(9, seal(&head_sum, &renumbered("299"))),
            "line 10 is of schedule 299, and the sweep has 63: 0 to 62",
        ),
        (changed(9, seal(&head_sum, &tenth.replace("a(", "r("))), "is not said of that schedule"),
        (
            changed(10, seal(&head_sum, &tenth.replace("\"holds\"", "\"violated\""))),
            "line 11 contradicts an earlier one",
        ),
        (
            changed(0, seal("", &head.replace("\"log\":1", "\"log\":2"))),
            "it has version 2 of the form of logs",
        ),
        (changed(0, "{}".into()), "line 1 does not say that it is a log of this program"),
    ] {
        let (code, said) = resumed(&lines);
        assert!(code == 2 && said.contains(expected), "{expected}: {code} {said}");
    }
    // Not overwritten, unless asked for.
    fs::write(&path, &text).expect("written");
    let (code, said) = with(&["--out", "log.jsonl"]);
    assert!(code == 2 && said.contains("it exists") && said.contains("--force"), "{said}");
    assert_eq!(fs::read_to_string(&path).expect("written"), text);
    assert_eq!(with(&["--out", "log.jsonl", "--resume", "log.jsonl"]).0, 0);
    assert_eq!(fs::read_to_string(&path).expect("written"), text);
    assert_eq!(with(&["--out", "log.jsonl", "--force"]).0, 0);
    // Not while somebody else writes it.
    let writer = fs::File::open(&path).expect("it opens");
    writer.lock().expect("nobody has it");
    for arguments in [&["--resume", "log.jsonl"][..], &["--out", "log.jsonl", "--force"]] {
        let (code, said) = with(arguments);
        assert!(code == 2 && said.contains("another process is writing it"), "{said}");
    }
    let (code, said) = in_folder(folder.path(), &["--merge", "log.jsonl"]);
    assert!(code == 2 && said.contains("another process is writing it"), "{said}");
}

/// Schedules that nobody could list are counted, and a limit ends the sweep of them.
#[test]
fn large_scopes() {
    let scope = ["--threads", "2", "--steps", "16"];
    let (code, result) = sweep("coarse-list", &[&scope[..], &["--dry-run"]].concat());
    // Six calls, two threads in 15 ways to share 16 steps, with a pre-add and without.
    assert_eq!((code, result["schedules"].as_u64()), (0, Some(2 * 15 * 6u64.pow(16))));
    let (code, result) = sweep("coarse-list", &[&scope[..], &["--timeout", "1"]].concat());
    assert_eq!((code, &result["verdict"]), (3, &"inconclusive".into()));
    let said = says(QUEUE, &["--oracle", "queue", "--threads", "1..40", "--steps", "1..80", "--dry-run"]);
    assert!(said.starts_with("more than 10^19 schedules"), "{said}");
}

const REGISTERS: &str = "
static int values[4] = { -1, -1, -1, -1 };
static void put(int key, int value) { values[key] = value; }
static int get(int key) { return values[key]; }
#pragma fencepost op p = put(any(0, 1), any(0, 1))
#pragma fencepost op g = get(any(0, 1))
#pragma fencepost oracle map
";

/// On machines with store buffers a call can return before its stores reach memory: `linear` counts that, and
/// `linear-fenced` is about clients that wait for them.
#[test]
fn when_a_call_returns() {
    let scope = ["--threads", "2", "--steps", "2", "--preadds", "0"];
    let with = |more: &[&str]| says(REGISTERS, &[&scope[..], more].concat());
    let holds = |said: &str| said.ends_with("exit code 0") && said.contains("holds");
    for model in ["tso", "pso"] {
        let said = with(&["--model", model]);
        assert!(
            said.contains("calls return when their code is done, even before their stores reach memory"),
            "{said}"
        );
        assert!(said.contains("( p(0, 0) | g(0) )") && said.contains("not linearizable"), "{said}");
        assert!(said.ends_with("exit code 1"), "{said}");
        let said = with(&["--model", model, "--property", "linear-fenced"]);
        assert!(holds(&said) && said.contains("a fence after each call"), "{said}");
        // Nobody looks at the time.
        let said = with(&["--model", model, "--property", "sc"]);
        assert!(holds(&said) && !said.contains("calls return"), "{said}");
        // Store buffering: both calls return, and neither is seen.
        let more =
            ["--model", model, "--values", "2", "--steps", "4", "--generic-values", "--thread-symmetry"];
        assert!(
            says(REGISTERS, &[&["--threads", "2", "--preadds", "0", "--property", "sc"], &more[..]].concat())
                .contains("not sequentially consistent")
        );
        let fenced =
            [&["--threads", "2", "--preadds", "0", "--property", "linear-fenced"], &more[..]].concat();
        assert!(holds(&says(REGISTERS, &fenced)), "{}", says(REGISTERS, &fenced));
    }
    assert!(holds(&with(&["--model", "sc"])) && holds(&with(&["--property", "linear-fenced"])));
    // What goes wrong inside of calls still does.
    let names =
        ["--oracle", "stack", "--operations", "u, o", "--model", "pso", "--property", "linear-fenced"];
    let (code, result) =
        sweep("../fender/treiber-unfenced", &[&["--configuration", "B"], &names[..]].concat());
    assert_eq!((code, &result["property"]), (1, &"linear-fenced".into()));
}

#[test]
fn limits_are_no_verdicts() {
    for limit in [["--timeout", "0"], ["--memory", "1k"]] {
        let (code, result) = sweep("lazy-list", &[&["--configuration", "B"], &limit[..]].concat());
        assert_eq!((code, &result["verdict"]), (3, &"inconclusive".into()), "{limit:?}");
        assert!(result["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
}

const QUEUE: &str = "\
int full, item;
void put(int value) { item = value; full = 1; }
int get(void) { return full ? item : -1; }
#pragma fencepost op p = put(any(0, 1))
#pragma fencepost op g = get()
";

/// What a sweep of a small file says, and its exit code.
fn says(text: &str, arguments: &[&str]) -> String {
    let run = fencepost(&["sweep", "queue.c"]).args(arguments).file("queue.c", text);
    run.file("other.jsonl", "{\"sweep\":\"set.c\"}\n").run().shown()
}

macro_rules! cases {
    ($($name:ident: $text:expr, $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(says($text, &$arguments));
        }
    )*};
}

cases! {
    dry_run: QUEUE, ["--oracle", "queue", "--threads", "1..2", "--steps", "1..2", "--dry-run"];
    no_oracle: QUEUE, [];
    unknown_oracle: &(QUEUE.to_owned() + "#pragma fencepost oracle bag\n"), [];
    unknown_oracle_on_the_command_line: QUEUE, ["--oracle", "quene"];
    unknown_protocol: &(QUEUE.to_owned() + "#pragma fencepost oracle queue, eager /* for p */\n"), [];
    two_oracles: &(QUEUE.to_owned() + "#pragma fencepost oracle queue\n#pragma fencepost oracle stack\n"), [];
    binding_that_does_not_fit: QUEUE, ["--oracle", "set"];
    unknown_operation: QUEUE, ["--oracle", "queue", "--operations", "p, q"];
    unsuitable_protocol: QUEUE, ["--oracle", "map,synchronous"];
    unknown_property: QUEUE, ["--oracle", "queue", "--property", "serial", "--model", "relaxed"];
    unknown_configuration: QUEUE, ["--oracle", "queue", "--configuration", "F"];
    useless_scope: QUEUE, ["--oracle", "queue", "--threads", "3", "--steps", "1..2"];
    pre_adds_that_wait: QUEUE, ["--oracle", "queue,synchronous", "--preadds", "1"];
    malformed_share: QUEUE, ["--oracle", "queue", "--shard", "5/4"];
    log_of_another_sweep: QUEUE, ["--oracle", "queue", "--resume", "other.jsonl"];
    missing_log: QUEUE, ["--oracle", "queue", "--resume", "none.jsonl"];
}

#[test]
fn counterexample() {
    let text =
        says(QUEUE, &["--oracle", "queue", "--steps", "3", "--threads", "2", "--preadds", "0", "-j", "1"]);
    let shown: Vec<&str> = text.lines().filter(|line| !line.starts_with("violated")).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

/// What a sweep of a text prints, and its exit code.
fn shown(text: &str, arguments: &[&str]) -> (i32, String) {
    let ran = fencepost(&["sweep", "program.c"]).args(arguments).file("program.c", text).run();
    (ran.code, ran.said())
}

/// A lock that nobody gives back.
const LOST: &str = "#include <pthread.h>
int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void enqueue(int v) { pthread_mutex_lock(&m); n = v; }
int dequeue(void) { return -1; }
#pragma fencepost op e = enqueue(any(0, 1))
#pragma fencepost op d = dequeue()
#pragma fencepost oracle queue
";

/// Threads wait in the call that they are in, though nothing of it is to be seen; calls without results give nothing.
#[test]
fn what_is_said_of_waiting() {
    let (code, said) = shown(LOST, &["--threads", "1", "--steps", "2", "--preadds", "0", "--values", "1"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("( e(0) e(0) )") && said.contains("thread 1 waits for ever in e(0)\n"), "{said}");
    assert!(said.contains("reads m.held = 2"), "{said}");
    assert!(said.contains("then e(0) would return, not wait"), "{said}");
    let (_, said) = shown(LOST, &["--threads", "1", "--steps", "1", "--preadds", "1", "--values", "1"]);
    assert!(said.contains("before: e(0)\n") && said.contains("thread 1 waits for ever in e(0)\n"), "{said}");
}

/// One is one.
#[test]
fn numbers_of_things() {
    let one = ["--threads", "1", "--steps", "1", "--preadds", "0", "--values", "1"];
    let text = "int n; int next(void) { return n; }\n#pragma fencepost op n = next()\n";
    let (code, said) = shown(text, &[&one[..], &["--reference", "program.c"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 thread, 1 step, 0 pre-adds, 1 value\n"), "{said}");
    assert!(said.contains("  1 schedule, ") && !said.contains("1 schedules"), "{said}");
    let (_, said) = shown(text, &[&one[..], &["--reference", "program.c", "--dry-run"]].concat());
    assert!(said.starts_with("1 schedule\n"), "{said}");
    let (_, said) =
        shown(LOST, &["--threads", "1..2", "--steps", "2", "--preadds", "1", "--values", "2", "--dry-run"]);
    assert!(said.contains("1..2 threads, 2 steps, 1 pre-add, 2 values\n"), "{said}");
}

/// Executions that the user's assumptions rule out are not stuck, and those that `exit` ends are not either.
#[test]
fn what_is_ruled_out_is_not_judged() {
    let queue = |enqueue: &str| {
        format!(
            "#include <fencepost.h>\n#include <stdlib.h>\nint n, full;\n\
             void enqueue(int v) {{ fp_atomic {{ {enqueue} full = 1; n = v; }} }}\n\
             int dequeue(void) {{ int r; fp_atomic {{ r = full ? n : -1; full = 0; }} return r; }}\n\
             #pragma fencepost op e = enqueue(any(0, 1))\n#pragma fencepost op d = dequeue()\n\
             #pragma fencepost oracle queue\n"
        )
    };
    let assumes = queue("assume(!full);");
    // Room for one: beside a `d`, a second `e` may come after it.
    let (code, said) =
        shown(&assumes, &["--threads", "2", "--steps", "2", "--preadds", "0..1", "--adds-dominate"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("schedule 0, ( e(0) | e(0) ): nothing was checked"), "{said}");
    assert!(said.contains(" 0 stuck") && !said.contains("waits for ever in"), "{said}");
    let (code, said) =
        shown(&queue("if (full) exit(0);"), &["--threads", "1..2", "--steps", "2", "--preadds", "0"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("( e(0) e(0) ): nothing was checked") && said.contains(" 0 stuck"), "{said}");
    // Who waits in its place is stuck.
    let waits = queue("").replace("(int v) {", "(int v) { while (full) ;");
    let (code, said) = shown(&waits, &["--threads", "1", "--steps", "2", "--preadds", "0"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("waits for ever"), "{said}");
}

/// Threads that a collection starts by itself have numbers that no client has.
#[test]
fn collections_with_threads_of_their_own() {
    let text = |tick: &str, init: &str, add: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n\
             static atomic_int bits; static int ticks; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_t t;\n\
             static void *tick(void *p) {{ {tick} return 0; }}\nstatic void init(void) {{ {init} }}\n\
             static bool add(int k) {{ {add} return !(atomic_fetch_or(&bits, 1 << k) >> k & 1); }}\n\
             static bool contains(int k) {{ return bits >> k & 1; }}\n\
             #pragma fencepost init init()\n#pragma fencepost op a = add(any(0, 1))\n\
             #pragma fencepost op c = contains(any(0, 1))\n#pragma fencepost oracle set for a, c\n"
        )
    };
    let start = "pthread_create(&t, 0, tick, 0);";
    let waits = "pthread_mutex_lock(&m);";
    for text in [
        text("ticks = 1;", start, ""),
        text(waits, &format!("{waits} {start}"), ""),
        text("ticks = 1;", "", start),
        text("ticks = 1;", start, "").replace("return bits >> k & 1;", "return 0;"),
    ] {
        let (code, said) = shown(&text, &["--threads", "1..2", "--steps", "1..2", "--preadds", "0"]);
        assert_eq!(code, 3, "{said}");
        assert!(
            said.contains("not supported: a client whose initialisation or operations start threads"),
            "{said}"
        );
    }
}

/// `-q` leaves out counterexamples and nothing else, as its help says.
#[test]
fn quiet_sweeps() {
    let arguments = ["--threads", "1", "--steps", "2", "--preadds", "0", "--values", "1"];
    let (_, loud) = shown(LOST, &arguments);
    let (_, quiet) = shown(LOST, &[&arguments[..], &["-q"]].concat());
    let lines = |text: &str| text.lines().count();
    assert!(lines(&quiet) == 3 && lines(&loud) > 10, "{quiet}");
}

/// A call that looks nowhere still begins and returns at some time.
#[test]
fn calls_without_accesses() {
    let scope = ["--threads", "2", "--steps", "2", "--preadds", "0", "--values", "1"];
    for (property, code) in [("sc", 0), ("linear", 1), ("quiescent", 1)] {
        let (found, result) =
            sweep("../attacks/contains-of-nothing", &[&scope[..], &["--property", property]].concat());
        assert_eq!(found, code, "{property}: {}", result["reason"]);
    }
}
