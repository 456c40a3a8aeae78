//! The schedules of a scope: their numbers are COLLECT's, and no two are the same.

mod support;

use fencepost_harness::oracle::role::Role;
use fencepost_harness::oracle::{Kind, Protocol};
use fencepost_harness::schedule::{Configuration, Method, Schedule, Schedules, Scope};
use std::collections::BTreeSet;
use support::{binding, harness};

/// Table 1 of the paper.
#[test]
fn numbers_of_the_case_study() {
    let table = [
        (Kind::Set, Protocol::NonBlocking, [63, 270, 270, 8108, 322_930]),
        (Kind::Queue, Protocol::NonBlocking, [9, 18, 18, 58, 166]),
        (Kind::Queue, Protocol::Synchronous, [9, 25, 25, 83, 223]),
        (Kind::PriorityQueue, Protocol::NonBlocking, [7, 25, 25, 156, 1096]),
    ];
    for (kind, protocol, expected) in table {
        for (configuration, expected) in Configuration::ALL.into_iter().zip(expected) {
            let scope = Scope::of(configuration, kind, protocol);
            assert_eq!(scope.count(), expected, "{} {configuration:?}", kind.name());
            assert!(scope.problems(protocol).is_empty());
        }
    }
}

/// What remains the same when threads change places; items that are only numbered do not count.
fn class(scope: &Scope, schedule: &Schedule) -> Schedule {
    let mut schedule = schedule.clone();
    for step in schedule.threads.iter_mut().flatten().chain(&mut schedule.initial) {
        match step.method.role {
            Role::Insert if scope.generic_values => _ = step.args.remove(0),
            Role::Put | Role::PutIfAbsent if scope.generic_values => _ = step.args.pop(),
            role if role.adds() && role != Role::Add && scope.generic_values => step.args.clear(),
            _ => {}
        }
    }
    if scope.thread_symmetry {
        schedule.threads.sort();
    }
    schedule
}

fn scopes() -> Vec<Scope> {
    let mut scopes = Vec::new();
    for kind in Kind::ALL {
        for options in 0..16 {
            scopes.push(Scope {
                values: 2,
                generic_values: options & 1 != 0,
                distinct_priorities: options & 2 != 0,
                adds_dominate: options & 4 != 0,
                thread_symmetry: options & 8 != 0,
                pre_adds: 0..=2,
                methods: Role::of(kind).take(4).map(Method::first).collect(),
                ..Scope::of(Configuration::D, kind, Protocol::NonBlocking)
            });
        }
    }
    scopes
}

#[test]
fn no_schedule_comes_twice() {
    for scope in scopes() {
        let classes: BTreeSet<Schedule> =
            Schedules::new(scope.clone()).map(|(_, schedule)| class(&scope, &schedule)).collect();
        assert_eq!(classes.len() as u64, scope.count(), "{scope:?}");
    }
}

/// Several operations of one role: each has steps of its own, and none is left out.
#[test]
fn every_operation_is_called() {
    let twice = |role: Role| (0..2).map(move |variant| Method { role, variant });
    for kind in [Kind::Set, Kind::Queue, Kind::PriorityQueue] {
        for options in 0..16 {
            let scope = Scope {
                values: 2,
                generic_values: options & 1 != 0,
                distinct_priorities: options & 2 != 0,
                adds_dominate: options & 4 != 0,
                thread_symmetry: options & 8 != 0,
                methods: Role::of(kind).take(2).flat_map(twice).collect(),
                ..Scope::of(Configuration::B, kind, Protocol::NonBlocking)
            };
            let all: Vec<Schedule> = Schedules::new(scope.clone()).map(|(_, schedule)| schedule).collect();
            let classes: BTreeSet<Schedule> = all.iter().map(|schedule| class(&scope, schedule)).collect();
            assert_eq!((all.len() as u64, classes.len() as u64), (scope.count(), scope.count()), "{scope:?}");
            let called: BTreeSet<Method> =
                all.iter().flat_map(|all| all.threads.iter().flatten()).map(|step| step.method).collect();
            assert_eq!(called.len(), scope.methods.len(), "{scope:?}");
            assert!(scope.idle().is_empty());
        }
    }
    // Two sets of two operations each: as many schedules as with four operations of their own.
    let base = Scope::of(Configuration::B, Kind::Set, Protocol::NonBlocking);
    let pairs = Scope { methods: [Role::Add, Role::Remove].into_iter().flat_map(twice).collect(), ..base };
    assert_eq!(pairs.count(), 2 * (12 + 144 + 12 * 13 / 2));
    let idle = Scope {
        adds_dominate: true,
        steps: 1..=1,
        pre_adds: 0..=0,
        ..Scope::of(Configuration::A, Kind::Queue, Protocol::NonBlocking)
    };
    assert_eq!(idle.idle(), [Method::first(Role::Dequeue)]);
    assert!(Schedules::new(idle).all(|(_, schedule)| schedule.threads[0][0].method.role == Role::Enqueue));
}

/// Blocks that nobody could list are counted, and their first schedules are there.
#[test]
fn large_scopes_are_counted_at_once() {
    let set = Scope::of(Configuration::B, Kind::Set, Protocol::NonBlocking);
    let scope = Scope { threads: 2..=2, steps: 16..=16, pre_adds: 0..=0, values: 1, ..set };
    // Pairs of programs of different lengths, and multisets of two of length eight.
    let programs = 3u64.pow(8);
    assert_eq!(scope.count(), 7 * 3u64.pow(16) + programs * (programs + 1) / 2);
    assert_eq!(Schedules::new(scope.clone()).take(3).count(), 3);
    let ordered = Scope { thread_symmetry: false, ..scope.clone() };
    assert_eq!(ordered.count(), 15 * 3u64.pow(16));
    let huge = Scope { threads: 1..=64, steps: 1..=200, ..scope };
    assert_eq!(huge.count(), u64::MAX);
    let queue = Scope::of(Configuration::E, Kind::PriorityQueue, Protocol::NonBlocking);
    let scores = Scope { threads: 1..=3, steps: 12..=12, ..queue };
    assert!(scores.count() > 1 << 32);
    assert_eq!(Schedules::new(scores).nth(5).map(|(number, _)| number), Some(5));
}

/// Generic items are 0, 1, … in the order of pre-adds and threads; distinct scores are those numbers in some.
#[test]
fn generic_items_and_distinct_scores_are_numbered() {
    for kind in [Kind::Queue, Kind::PriorityQueue] {
        for (_, schedule) in Schedules::new(Scope::of(Configuration::E, kind, Protocol::NonBlocking)) {
            let steps = || schedule.initial.iter().chain(schedule.threads.iter().flatten());
            let adds: Vec<Vec<u64>> = steps()
                .filter(|step| step.method.role.adds())
                .map(|step| step.args.iter().map(|value| value.bits()).collect())
                .collect();
            let mut scores: Vec<u64> = adds.iter().filter_map(|args| args.get(1)).copied().collect();
            scores.sort();
            let numbers: Vec<u64> = (0..adds.len() as u64).collect();
            assert_eq!(adds.iter().map(|args| args[0]).collect::<Vec<_>>(), numbers);
            assert!(scores.is_empty() || scores == numbers, "{schedule:?}");
        }
    }
}

/// Thread symmetry leaves one of each class, and leaves none out.
#[test]
fn symmetry_keeps_every_class() {
    for scope in scopes().into_iter().filter(|scope| scope.thread_symmetry) {
        let all = Scope { thread_symmetry: false, ..scope.clone() };
        let represented: BTreeSet<Schedule> =
            Schedules::new(scope.clone()).map(|(_, schedule)| class(&scope, &schedule)).collect();
        let classes: BTreeSet<Schedule> =
            Schedules::new(all).map(|(_, schedule)| class(&scope, &schedule)).collect();
        assert!(represented == classes, "{scope:?}");
    }
}

#[test]
fn shares_are_all_there_is() {
    let scope = Scope::of(Configuration::D, Kind::PriorityQueue, Protocol::NonBlocking);
    let all: Vec<_> = Schedules::new(scope.clone()).collect();
    let mut shared: Vec<_> = (0..3).flat_map(|shard| Schedules::new(scope.clone()).shard(shard, 3)).collect();
    shared.sort_by_key(|(number, _)| *number);
    assert_eq!(shared, all);
    let resumed: Vec<_> = Schedules::new(scope.clone()).shard(1, 3).resume(100).collect();
    assert_eq!(resumed[0].0, 100);
    assert_eq!(resumed.len(), all.iter().filter(|(number, _)| *number >= 100 && number % 3 == 1).count());
    assert_eq!(Schedules::new(scope.clone()).nth(77), Some(all[77].clone()));
    assert_eq!(Schedules::new(scope).get(156), None);
}

fn check(kind: Kind, protocol: Protocol, configuration: Configuration, number: u64, expected: &str) {
    let schedule = Schedules::new(Scope::of(configuration, kind, protocol)).get(number).expect("it exists");
    let client = schedule.client(&binding(kind, protocol)).expect("all roles are played");
    assert_eq!(client.show(&harness(kind)), expected);
}

#[test]
fn clients() {
    use Configuration::*;
    let plain = Protocol::NonBlocking;
    check(Kind::Set, plain, A, 0, "( add(0) )");
    check(Kind::Set, plain, A, 62, "( contains(1) | contains(1) )");
    check(Kind::Set, plain, B, 9, "add(0) ( add(0) )");
    check(Kind::Queue, plain, B, 17, "enqueue(0) ( dequeue() | dequeue() )");
    check(Kind::PriorityQueue, plain, D, 0, "( add(0, 0) )");
    check(Kind::PriorityQueue, plain, D, 155, "add(0, 1) ( add(1, 0) | remove_min() | remove_min() )");
}

/// The smallest scope that refutes sequential consistency of the skip list's priority queue.
#[test]
fn the_skip_queue_is_refuted_in_e() {
    let (kind, plain) = (Kind::PriorityQueue, Protocol::NonBlocking);
    let (binding, harness) = (binding(kind, plain), harness(kind));
    let clients = |configuration| -> Vec<String> {
        let schedules = Schedules::new(Scope::of(configuration, kind, plain));
        schedules.map(|(_, s)| s.client(&binding).expect("all roles are played").show(&harness)).collect()
    };
    let wanted = "add(0, 1) ( add(1, 0) add(2, 2) | remove_min() | remove_min() )".to_string();
    assert!(clients(Configuration::E).contains(&wanted));
    assert!(!clients(Configuration::D).contains(&wanted));
}
