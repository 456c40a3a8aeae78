//! What the Fender paper reports for rmo, inferred on a model of its machine, `rlx`.

mod common;

use common::{corpus, fencepost};
use serde_json::Value;
use std::collections::BTreeSet;

/// A kind of fence, the function it stands in, and the line of text that it stands in front of.
type Fence = (String, String, String);

/// Runs a command on a file with the model and some tests, and returns the results; it must succeed.
fn run(command: &str, file: &str, tests: &[&str], more: &[&str]) -> Value {
    let tests: Vec<&str> = tests.iter().flat_map(|test| ["--test", test]).collect();
    let run = fencepost(&[command, file, "--model", "rlx", "--json"]).args(&tests).args(more);
    run.within(&corpus("fender")).run().exits(0).json()["results"].clone()
}

/// The placements that are inferred; none is cheaper than the first, and it fails without any of its fences.
fn placements(file: &str, tests: &[&str], more: &[&str]) -> Vec<Vec<Fence>> {
    let result = run("fences", file, tests, more)[0].clone();
    assert_eq!(result["cheapest"], true, "{result}");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    for fence in list(&result["placements"][0]["fences"]) {
        assert_eq!(fence["without"]["verdict"], "violated", "{fence}");
        assert_eq!(fence["without"]["trace"]["replayed"], true, "{fence}");
    }
    let source =
        std::fs::read_to_string(corpus("fender").join(file.replace("-unfenced", ""))).expect("readable");
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let fence = |fence: &Value| {
        let text = |key: &str| fence[key].as_str().expect("a text").to_owned();
        let line = fence["line"].as_u64().expect("a line") as usize;
        (text("kind"), text("function"), lines[line - 1].to_owned())
    };
    let placement = |placement: &Value| list(&placement["fences"]).iter().map(fence).collect();
    list(&result["placements"]).iter().map(placement).collect()
}

/// The rows of the paper's Table 1, in the order of our text: 6, 1, 2, 3, 4, 5.
const TABLE_1: [(&str, &str, &str); 6] = [
    ("store-store", "expand", "wsq = newq;"),
    ("store-store", "push", "bottom = b + 1;"),
    ("store-load", "take", "t = top;"),
    ("load-load", "try_steal", "long b = bottom;"),
    ("load-load", "try_steal", "item_t *q = wsq;"),
    ("load-store", "try_steal", "if (!cas(&top, t, t + 1))"),
];

/// The rows of Table 1 are needed, are enough, and cannot be had otherwise but by other kinds of fences at the
/// same places.
fn table_1(tests: &[&str]) {
    let fences = |kind: Option<&str>| -> Vec<Fence> {
        let fence = |row: &(&str, &str, &str)| (kind.unwrap_or(row.0).into(), row.1.into(), row.2.into());
        TABLE_1.iter().map(fence).collect()
    };
    assert_eq!(placements("chase-lev-unfenced.c", tests, &[]), [fences(None)]);
    let full = ["--fence-kinds", "full", "--all"];
    assert_eq!(placements("chase-lev-unfenced.c", tests, &full), [fences(Some("full"))]);
}

#[test]
fn chase_and_lev() {
    table_1(&["TTSS", "Lap"]);
    let tests = ["PS", "TS", "TSS", "PTS", "PPSS", "TTSS", "Over", "Full", "Lap"];
    let results = run("check", "chase-lev.c", &tests, &["-D", "NO_FENCE=7"]);
    assert_eq!(results.as_array().map(Vec::len), Some(tests.len()));
}

/// `cargo test --release -p fencepost --test fender -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn chase_and_lev_with_more_clients() {
    table_1(&["PS", "TS", "TSS", "PTS", "PPSS", "TTSS", "Over", "Full", "Lap"]);
}

#[test]
fn michael_and_scott() {
    let tests = ["ED", "EDD", "EEDD", "Once", "Each"];
    let fence = |kind: &str, function: &str, text: &str| (kind.into(), function.into(), text.into());
    let [tail, next] = ["tail = queue->tail;", "next = head->next;"];
    let found = placements("msn-unfenced.c", &tests, &[]);
    let wanted = [
        fence("store-store", "enqueue", "while (true) {"),
        fence("load-load", "dequeue", tail),
        fence("load-load", "dequeue", next),
    ];
    assert_eq!(found, [wanted]);
    // All minimal placements have the same fences in dequeue, and one between the stores to a new node and the
    // compare-and-swap that links it.
    let found = placements("msn-unfenced.c", &tests, &["--fence-kinds", "full", "--all"]);
    let first: BTreeSet<&Fence> = found.iter().map(|placement| &placement[0]).collect();
    assert_eq!((found.len(), first.len()), (7, 7), "{found:?}");
    for placement in &found {
        assert!(["new_node", "enqueue"].contains(&placement[0].1.as_str()), "{placement:?}");
        assert_eq!(placement[1..], [fence("full", "dequeue", tail), fence("full", "dequeue", next)]);
    }
    let results = run("check", "msn.c", &tests, &["-D", "NO_FENCE=4"]);
    assert_eq!(results.as_array().map(Vec::len), Some(tests.len()));
}
