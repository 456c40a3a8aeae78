//! Histories whose verdicts are known, and what is said about the wrong ones.

mod support;

use End::{Complete, Open, Stuck};
use Waiting::{Each, Together};
use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::explain::{Attempt, Reason, explain};
use fencepost_harness::consistency::history::{End, Event, History};
use fencepost_harness::consistency::{Property, Waiting, monitor, naive};
use fencepost_harness::observation::show_call;
use fencepost_harness::oracle::{Kind, Protocol};
use fencepost_lsl::value::Value;
use support::{harness, oracle};

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// Reads a history: `add 1 2` before `|` is initial; `0:enqueue 5` begins a call, `0=1,7` ends it.
fn read(kind: Kind, text: &str, end: End) -> History {
    let harness = harness(kind);
    let numbers = |text: &str| -> Vec<Value> {
        text.split([',', ' '])
            .filter(|n| !n.is_empty())
            .map(|n| Value::new(n.parse().expect("a number")))
            .collect()
    };
    let call = |text: &str| {
        let (name, args) = text.split_once(' ').unwrap_or((text, ""));
        FixedCall { op: harness.find_op(name).expect("an operation"), args: numbers(args) }
    };
    let (initial, events) = text.split_once('|').unwrap_or(("", text));
    let event = |text: &str| {
        let thread = text[..1].parse().expect("a thread");
        match &text[1..2] {
            ":" => Event::Invoke(thread, call(&text[2..])),
            _ => Event::Respond(thread, numbers(&text[2..])),
        }
    };
    let initial = parts(initial)
        .map(|text| text.split_once('=').expect("results"))
        .map(|(text, results)| (call(text), numbers(results)))
        .collect();
    History { initial, events: parts(events).map(event).collect(), end }
}

/// Checks which of `sc`, `linear` and `quiescent` hold, by all three ways to decide it, whatever justifies stuck threads.
fn check(kind: Kind, protocol: Protocol, text: &str, end: End, holds: &[Property]) {
    for waiting in [Each, Together] {
        check_waiting(kind, protocol, waiting, text, end, holds);
    }
}

fn check_waiting(kind: Kind, protocol: Protocol, waiting: Waiting, text: &str, end: End, holds: &[Property]) {
    let history = read(kind, text, end);
    for property in Property::ALL {
        let expected = holds.contains(&property);
        let what = format!("{} of {text}, {}", property.name(), waiting.name());
        let oracle = || oracle(kind, protocol);
        assert_eq!(naive::accepts(property, waiting, &oracle(), &history), expected, "{what}");
        assert_eq!(history.judge(&mut *monitor(property, waiting, oracle())), expected, "{what}");
        assert_eq!(explain(property, waiting, &oracle(), &history, 1).is_empty(), expected, "{what}");
    }
}

const ALL: &[Property] = &Property::ALL;
const PLAIN: Protocol = Protocol::NonBlocking;

#[test]
fn a_queue_that_is_only_sequentially_consistent() {
    // Herlihy and Wing's example: the second item overtakes the first, across a return.
    let text = "0:enqueue 1; 0=1; 1:enqueue 2; 1=1; 0:dequeue; 0=1,2";
    check(Kind::Queue, PLAIN, text, Complete, &[Property::Sequential]);
    let text = "0:enqueue 1; 1:enqueue 2; 0=1; 1=1; 0:dequeue; 0=1,2";
    check(Kind::Queue, PLAIN, text, Complete, ALL);
}

#[test]
fn a_skip_queue_that_is_only_quiescently_consistent() {
    // Pre-add (0, 1); then add(1, 0) add(2, 2) beside two removals that return 2 and 0: the walk passed
    // where 1 was not yet, and 1 stays behind.
    let text = "add 0 1=1 | 1:remove_min; 2:remove_min; 2=1,0,1; 0:add 1 0; 0=1; 0:add 2 2; 0=1; 1=1,2,2";
    check(Kind::PriorityQueue, PLAIN, text, Complete, &[Property::Quiescent]);
    // A moment of rest in between, and it is wrong by all.
    let text = "add 0 1=1 | 2:remove_min; 2=1,0,1; 0:add 1 0; 0=1; 1:remove_min; 0:add 2 2; 0=1; 1=1,2,2";
    check(Kind::PriorityQueue, PLAIN, text, Complete, &[]);
}

#[test]
fn equal_scores_leave_a_choice() {
    for item in [4, 5] {
        let text = format!("add 4 1=1; add 5 1=1 | 0:remove_min; 0=1,{item},1");
        check(Kind::PriorityQueue, PLAIN, &text, Complete, ALL);
    }
    check(Kind::PriorityQueue, PLAIN, "add 4 1=1; add 5 2=1 | 0:remove_min; 0=1,5,2", Complete, &[]);
}

#[test]
fn both_remove_the_same_element() {
    // LockFreeList, first edition.
    check(Kind::Set, PLAIN, "add 0=1 | 0:remove 0; 1:remove 0; 0=1; 1=1", Complete, &[]);
    check(Kind::Set, PLAIN, "add 0=1 | 0:remove 0; 1:remove 0; 0=1; 1=0", Complete, ALL);
}

#[test]
fn synchronous_queues() {
    let synchronous = Protocol::Synchronous;
    // Example 2.2 of the paper.
    let text = "0:enqueue 1; 1:enqueue 2; 2:dequeue; 0=1; 3:dequeue; 1=1; 2=1,1; 3=1,2";
    check(Kind::Queue, synchronous, text, Complete, ALL);
    // An enqueue that returns alone, as if it were a queue.
    check(Kind::Queue, synchronous, "0:enqueue 1; 0=1", Complete, &[]);
    // Calls that overlap nothing do not meet, but only linearizability and quiescence see it.
    check(Kind::Queue, synchronous, "0:dequeue; 0=1,1; 1:enqueue 1; 1=1", Complete, &[Property::Sequential]);
    // Each alone waits for ever; two of a kind, too.
    check(Kind::Queue, synchronous, "0:enqueue 1", Stuck, ALL);
    check(Kind::Queue, synchronous, "0:dequeue; 1:dequeue", Stuck, ALL);
    check(Kind::Queue, synchronous, "0:enqueue 1; 1:enqueue 2; 2:dequeue; 2=1,2; 1=1", Stuck, ALL);
    // The paper's definition looks at one stuck thread at a time, so it cannot object that these two could meet.
    for text in [
        "0:enqueue 1; 1:dequeue",
        "0:enqueue 1; 1:enqueue 2; 2:dequeue",
        "0:enqueue 1; 1:dequeue; 0=1; 1=1,1; 0:dequeue; 1:enqueue 2",
    ] {
        check_waiting(Kind::Queue, synchronous, Each, text, Stuck, ALL);
        check_waiting(Kind::Queue, synchronous, Together, text, Stuck, &[]);
    }
    // The item was taken from a call that did not return.
    check(Kind::Queue, synchronous, "0:enqueue 1; 1:dequeue; 1=1,1", Stuck, &[]);
    // One returned without a partner, and nobody is there for it.
    check(Kind::Queue, synchronous, "0:enqueue 1; 0=1; 1:enqueue 2", Stuck, &[]);
}

#[test]
fn bounded_queues() {
    let bounded = Protocol::Bounded(2);
    check(Kind::Queue, bounded, "0:dequeue", Stuck, ALL);
    check(Kind::Queue, bounded, "0:enqueue 1; 0=1; 0:enqueue 2; 0=1; 0:enqueue 3", Stuck, ALL);
    check(Kind::Queue, bounded, "0:enqueue 1; 0=1; 0:enqueue 2", Stuck, &[]);
    // One may be stuck, the other not: each needs its own justification.
    check(Kind::Queue, bounded, "0:dequeue; 1:enqueue 1", Stuck, &[]);
    check(Kind::Queue, PLAIN, "0:dequeue", Stuck, &[]);
    check(Kind::Queue, PLAIN, "0:dequeue; 0=0,9", Complete, ALL);
}

#[test]
fn a_stuck_call_of_another_hides_no_quiescent_moment() {
    // Thread 0 waits all the time, so nothing is quiescent, and any order of the other calls justifies it.
    // Justifying thread 1, the call of thread 0 counts no more: thread 1 added to a full queue.
    let text = "enqueue 1=1 | 0:enqueue 2; 1:enqueue 3; 1=1; 1:dequeue; 1=1,1; 1:enqueue 4";
    check(Kind::Queue, Protocol::Bounded(1), text, Stuck, &[]);
    let text = "enqueue 1=1 | 0:enqueue 2; 1:dequeue; 1=1,1; 1:enqueue 3; 1=1; 1:enqueue 4";
    check(Kind::Queue, Protocol::Bounded(1), text, Stuck, ALL);
}

#[test]
fn open_histories() {
    let wrong = |text: &str| {
        let history = read(Kind::Queue, text, Open);
        !history.judge(&mut *monitor(Property::Linear, Together, oracle(Kind::Queue, PLAIN)))
    };
    assert!(!wrong("0:enqueue 1; 1:dequeue; 1=1,1"));
    assert!(wrong("0:enqueue 1; 1:dequeue; 1=1,2"));
    assert!(wrong("1:dequeue; 1=1,1; 0:enqueue 1"));
}

/// Histories that differ only in what no continuation can see lead a monitor to the same number.
#[test]
fn equal_futures() {
    let end = |property: Property, texts: [&str; 2]| {
        let mut monitor = monitor(property, Together, oracle(Kind::Queue, PLAIN));
        texts.map(|text| {
            let mut state = monitor.start(&[]).expect("nothing happened");
            for event in read(Kind::Queue, text, Open).events {
                let next = match event {
                    Event::Invoke(thread, call) => monitor.invoke(state, thread, &call),
                    Event::Respond(thread, results) => monitor.respond(state, thread, &results),
                };
                state = next.expect("it can be explained");
            }
            state
        })
    };
    let overlap = ["0:enqueue 1; 1:enqueue 2; 0=1; 1=1", "1:enqueue 2; 0:enqueue 1; 1=1; 0=1"];
    let emptied = ["0:enqueue 1; 0=1; 0:dequeue; 0=1,1", "1:enqueue 2; 1=1; 0:dequeue; 0=1,2"];
    let apart = ["0:enqueue 1; 0=1; 1:enqueue 2; 1=1", "1:enqueue 2; 1=1; 0:enqueue 1; 0=1"];
    for (texts, equal) in [
        (overlap, [Property::Sequential, Property::Linear, Property::Quiescent].as_slice()),
        (emptied, &[Property::Linear, Property::Quiescent]),
        (apart, &[Property::Sequential]),
    ] {
        for property in Property::ALL {
            let [first, second] = end(property, texts);
            assert_eq!(first == second, equal.contains(&property), "{} of {texts:?}", property.name());
        }
    }
}

/// The attempts, for people.
fn show(kind: Kind, history: &History, attempts: &[Attempt]) -> Vec<String> {
    let (harness, operations) = (harness(kind), history.calls());
    let shown_call = |i: &usize| {
        let operation = &operations[*i];
        show_call(&harness, operation.call.op, &operation.call.args, operation.results())
    };
    let shown = |attempt: &Attempt| {
        let order: Vec<String> = attempt.order.iter().map(shown_call).collect();
        let reasons: Vec<String> = attempt
            .reasons
            .iter()
            .map(|reason| match reason {
                Reason::Initial { index, answers } => format!("initial {index}: {answers:?}"),
                Reason::Disagrees { call, answers } => format!("{}, not {answers:?}", shown_call(call)),
                Reason::Returns { call, answers } => format!("{}, but {answers:?}", shown_call(call)),
                Reason::ReturnTogether { calls } => {
                    format!("{} return", calls.iter().map(shown_call).collect::<Vec<_>>().join("; "))
                }
                Reason::Unfinished => "unfinished".into(),
            })
            .collect();
        format!("{} then {}", order.join("; "), reasons.join(" / "))
    };
    attempts.iter().map(shown).collect()
}

#[test]
fn explanations() {
    let check = |kind: Kind, protocol: Protocol, text: &str, end: End, expected: &[&str]| {
        let history = read(kind, text, end);
        let attempts = explain(Property::Linear, Together, &oracle(kind, protocol), &history, 3);
        assert_eq!(show(kind, &history, &attempts), expected, "{text}");
    };
    let text = "0:enqueue 1; 0=1; 1:enqueue 2; 1=1; 0:dequeue; 0=1,2";
    check(
        Kind::Queue,
        PLAIN,
        text,
        Complete,
        &["enqueue(1) = true; enqueue(2) = true then dequeue() = true, 2, not [[1, 1]]"],
    );
    check(
        Kind::Set,
        PLAIN,
        "add 0=1 | 0:remove 0; 1:remove 0; 0=1; 1=1",
        Complete,
        &[
            "remove(0) = true then remove(0) = true, not [[0]]",
            "remove(0) = true then remove(0) = true, not [[0]]",
        ],
    );
    check(
        Kind::Queue,
        Protocol::Bounded(2),
        "0:dequeue; 1:enqueue 1",
        Stuck,
        &[" then enqueue(1) = ?, but [[1]]"],
    );
    check(
        Kind::Queue,
        Protocol::Synchronous,
        "0:enqueue 1; 0=1",
        Complete,
        &["enqueue(1) = true then unfinished"],
    );
    check(
        Kind::Queue,
        Protocol::Synchronous,
        "0:dequeue; 1:enqueue 1; 2:enqueue 2",
        Stuck,
        &[" then enqueue(1) = ?; dequeue() = ? return"],
    );
    check(Kind::Set, PLAIN, "add 0=0 | 0:add 1", Open, &[" then initial 0: [[1]]"]);
}
