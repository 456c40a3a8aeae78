//! The three methods of fence inference, and trying all placements, find the same on small closed programs.
//!
//! Store buffers, execution buffers and counterexamples share the front end that marks slots; the first two also the
//! solver of avoid formulas, on transition systems of different machines. Trying shares the bounded engine with
//! counterexamples, and needs neither switches nor a search. Fences are full ones. All methods name places by slots,
//! so that placements are compared as sets of slots as they are.
//! Where methods differ on purpose, a test says how; `docs/fences.md` says why.

mod methods;
mod random;

use fencepost_explore::Reductions;
use fencepost_harness::operation::Harness;
use fencepost_lsl::program::SlotId;
use methods::{
    Client, Minimal, by_counterexamples, by_execution_buffers, by_store_buffers, by_store_buffers_with,
    by_trying, inner_slots, places, slots,
};
use std::collections::BTreeSet;

/// Has all methods infer placements for a model, and compares with trying those of `slots`. `heads` are the
/// abstractions of store buffers that are precise enough. Returns what they agree on.
fn agree(client: &Client, harness: &Harness, model: &str, slots: &[SlotId], heads: &[&str]) -> Minimal {
    let expected = by_trying(harness, model, slots);
    let same = |method: &str, found: &Minimal| {
        let (found, tried) = (places(harness, found), places(harness, &expected));
        assert_eq!(found, tried, "{method} and trying all, {model}\n{}", client.text());
    };
    same("counterexamples", &by_counterexamples(harness, model));
    same("execution buffers", &by_execution_buffers(harness, model));
    // There are no store buffers for other models.
    for head in heads.iter().filter(|_| ["tso", "pso"].contains(&model)) {
        same(head, &by_store_buffers(harness, model, head));
    }
    expected
}

/// The fewest fences of a placement; none if fences do not help.
fn fewest(placements: &Minimal) -> Option<usize> {
    placements.iter().map(BTreeSet::len).min()
}

/// No thread has eight stores under way: with such a head, abstract buffers are real ones.
const EXACT: &str = "fd:8";

/// Compares on three models, where this many fences are needed.
fn compare(client: &Client, tso: usize, pso: usize, rmo: usize) {
    let harness = client.load();
    for (model, fences) in [("tso", tso), ("pso", pso), ("rmo", rmo)] {
        let found = agree(client, &harness, model, &inner_slots(&harness), &[EXACT, "fd:2"]);
        assert_eq!(fewest(&found), Some(fences), "{model}\n{}", client.text());
    }
}

#[test]
fn store_buffering() {
    let threads = &["x = 1;\n    a = y;", "y = 1;\n    b = x;"];
    let client = Client { threads, never: "a == 0 && b == 0" };
    compare(&client, 2, 2, 2);
    // Fences in front of all accesses of a thread, and behind them, are of no use.
    let harness = client.load();
    for model in ["tso", "pso", "rmo"] {
        let inner = by_trying(&harness, model, &inner_slots(&harness));
        assert_eq!(by_trying(&harness, model, &slots(&harness)), inner, "{model}");
    }
}

#[test]
fn message_passing() {
    let threads = &["x = 1;\n    y = 1;", "a = y;\n    b = x;"];
    compare(&Client { threads, never: "a == 1 && b == 0" }, 0, 1, 2);
}

#[test]
fn two_writes_each() {
    let threads = &["x = 1;\n    y = 2;", "y = 1;\n    x = 2;"];
    compare(&Client { threads, never: "x == 1 && y == 1" }, 0, 2, 2);
}

#[test]
fn store_buffering_with_a_store_in_the_middle() {
    let threads = &["x = 1;\n    z = 1;\n    a = y;", "y = 1;\n    b = x;"];
    compare(&Client { threads, never: "a == 0 && b == 0" }, 2, 2, 2);
}

#[test]
fn store_buffering_in_a_ring() {
    let threads = &["x = 1;\n    a = y;", "y = 1;\n    b = z;", "z = 1;\n    c = x;"];
    compare(&Client { threads, never: "a == 0 && b == 0 && c == 0" }, 3, 3, 3);
}

#[test]
fn independent_reads_of_independent_writes() {
    let threads = &["x = 1;", "y = 1;", "a = x;\n    b = y;", "c = y;\n    d = x;"];
    compare(&Client { threads, never: "a == 1 && b == 0 && c == 1 && d == 0" }, 0, 0, 2);
}

/// Who sees that the other does not want to enter does. One of them takes back its wish if not.
#[test]
fn an_entry_after_dekker() {
    let threads = &[
        "x = 1;\n    if (!y) {\n        a = 1;\n    } else {\n        x = 0;\n    }",
        "y = 1;\n    b = !x;",
    ];
    compare(&Client { threads, never: "a && b" }, 2, 2, 2);
}

/// Peterson's entry, tried once.
#[test]
fn an_entry_after_peterson() {
    let threads = &["x = 1;\n    z = 1;\n    a = !y || z != 1;", "y = 1;\n    z = 2;\n    b = !x || z != 2;"];
    compare(&Client { threads, never: "a && b" }, 2, 4, 4);
}

/// Fences do not help what fails on sc.
#[test]
fn what_no_fence_repairs() {
    let client = Client { threads: &["x = 1;\n    a = y;", "y = 1;\n    b = x;"], never: "a == 1 && b == 1" };
    let harness = client.load();
    for model in ["tso", "pso", "rmo"] {
        let found = agree(&client, &harness, model, &inner_slots(&harness), &[EXACT, "fd:2"]);
        assert_eq!(found, Minimal::new(), "{model}");
    }
}

/// Four stores are under way on tso: with a head of two, the two of the second round are a set without order, and
/// a fence in the loop is asked for that is not needed. A head of three is precise.
#[test]
fn messages_in_a_loop() {
    let sender = "for (int i = 1; i <= 2; i++) {\n        x = i;\n        y = i;\n    }";
    let client = Client { threads: &[sender, "a = y;\n    b = x;"], never: "b < a" };
    let harness = client.load();
    for (model, fences) in [("tso", 0), ("pso", 1), ("rmo", 2)] {
        let found = agree(&client, &harness, model, &inner_slots(&harness), &[EXACT, "fd:3"]);
        assert_eq!(fewest(&found), Some(fences), "{model}");
    }
    let coarse = by_store_buffers(&harness, "tso", "fd:2");
    assert_eq!(fewest(&coarse), Some(1), "{:?}", places(&harness, &coarse));
}

/// Buffers ask for a fence on every way through the text from the one access to the other, also on ways that are
/// never gone. Counterexamples find that one in the body of the `if` does.
#[test]
fn ways_that_are_never_gone() {
    let one = "int always = !p;\n    x = 1;\n    if (always)\n        z = 1;\n    a = y;";
    let client = Client { threads: &[one, "y = 1;\n    b = x;"], never: "a == 0 && b == 0" };
    let harness = client.load();
    // In the other thread there is one place. In this one: two around the `if`, and two inside of it.
    for (model, from_execution, from_stores) in [("tso", 3, 4), ("pso", 2, 3), ("rmo", 2, 0)] {
        let tried = by_trying(&harness, model, &inner_slots(&harness));
        assert_eq!(by_counterexamples(&harness, model), tried, "{model}");
        assert_eq!(tried.len(), 4, "{model}");
        let some = |found: Minimal, count: usize| {
            assert!(
                found.len() == count && found.is_subset(&tried),
                "{model}: {:?}",
                places(&harness, &found)
            );
        };
        // On tso, the load of `y` overtakes no store if it does not overtake the last: the place behind `z = 1`.
        some(by_execution_buffers(&harness, model), from_execution);
        if model != "rmo" {
            // That a store enters the buffer behind another is a step to prevent, too: the place before `z = 1`.
            some(by_store_buffers_with(&harness, model, EXACT, Reductions::NONE), from_stores);
            // But no other thread reads `z`: with reductions, its store does not enter the buffer.
            some(by_store_buffers(&harness, model, EXACT), 2);
        }
    }
}

/// The first of the differences between the machine and the model of rmo: the address depends on `y` by way of `z`,
/// which the machine follows and the model does not. On the others they agree.
#[test]
fn dependencies_through_memory() {
    let client =
        Client { threads: &["v[1] = 1;\n    y = 1;", "z = y;\n    a = v[z];"], never: "z == 1 && a == 0" };
    let harness = client.load();
    for (model, fences) in [("tso", 0), ("pso", 1)] {
        let found = agree(&client, &harness, model, &inner_slots(&harness), &[EXACT, "fd:2"]);
        assert_eq!(fewest(&found), Some(fences), "{model}");
    }
    let tried = by_trying(&harness, "rmo", &inner_slots(&harness));
    assert_eq!(by_counterexamples(&harness, "rmo"), tried);
    assert_eq!(fewest(&tried), Some(2));
    assert_eq!(fewest(&by_execution_buffers(&harness, "rmo")), Some(1));
}
