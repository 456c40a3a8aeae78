//! Random histories: monitors and explanations against all permutations.
//!
//! `HISTORIES=100000 cargo test -p fencepost-harness --test random_histories` is the slow tier; a failure
//! prints the history, shrunk, and its seed.

mod support;

use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::explain::explain;
use fencepost_harness::consistency::history::{End, Event, History};
use fencepost_harness::consistency::{Property, Waiting, monitor, naive};
use fencepost_harness::monitor::Monitor;
use fencepost_harness::oracle::collection::Specification;
use fencepost_harness::oracle::{Kind, Oracle, Outcome, Protocol};
use std::collections::BTreeMap;
use support::{Random, oracle, oracles};

/// A monitor for each property and for what justifies stuck threads.
type Monitors = Vec<(Property, Waiting, Box<dyn Monitor + Send>)>;

const WAITING: [Waiting; 2] = [Waiting::Each, Waiting::Together];

fn histories() -> usize {
    std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

/// What is wrong with the judgement of a history, if something is.
fn mistake<O: Oracle>(oracle: &O, monitors: &mut Monitors, history: &History) -> Option<String> {
    for (property, waiting, monitor) in monitors {
        // Only linearizability says something of what may still go on.
        if history.end == End::Open && *property != Property::Linear {
            continue;
        }
        let right = naive::accepts(*property, *waiting, oracle, history);
        if history.judge(&mut **monitor) != right {
            return Some(format!("the monitor of `{}` does not say {right}", property.name()));
        }
        if explain(*property, *waiting, oracle, history, 3).is_empty() != right {
            return Some(format!("the explanation of `{}` does not say {right}", property.name()));
        }
    }
    None
}

/// The histories with one call less, or ended earlier.
fn smaller(history: &History) -> Vec<History> {
    let mut smaller = Vec::new();
    for at in 0..history.events.len() {
        if let Event::Invoke(thread, _) = history.events[at] {
            let mut events = history.events.clone();
            events.remove(at);
            let same = |event: &Event| matches!(event, Event::Respond(t, _) if *t == thread);
            if let Some(end) = (at..events.len()).find(|&end| same(&events[end])) {
                events.remove(end);
            }
            smaller.push(History { events, ..history.clone() });
        }
    }
    if !history.initial.is_empty() {
        smaller.push(History { initial: Vec::new(), ..history.clone() });
    }
    smaller.retain(|less| (less.end == End::Stuck) <= !less.pending().is_empty());
    smaller
}

/// How many histories there are by how they end and which properties they have: sc, linear, quiescent.
type Tally = BTreeMap<(End, [bool; 3]), usize>;

fn compare(kind: Kind, protocol: Protocol, count: usize, seed: u64, tally: &mut Tally) -> usize {
    let differ = &mut 0;
    let oracle_of = || oracle(kind, protocol);
    let specification = oracle_of();
    // One monitor for all histories: what it remembers of some must not disturb others.
    let fresh = || -> Monitors {
        let all = Property::ALL.into_iter().flat_map(|property| WAITING.map(|waiting| (property, waiting)));
        all.map(|(property, waiting)| (property, waiting, monitor(property, waiting, oracle_of()))).collect()
    };
    let mut monitors = fresh();
    for number in 0..count as u64 {
        let mut random = Random(seed + number);
        let mut history = support::history(&mut random, kind, &specification);
        if mistake(&specification, &mut monitors, &history).is_some() {
            let fails = |history: &History| mistake(&specification, &mut fresh(), history);
            while let Some(less) = smaller(&history).into_iter().find(|less| fails(less).is_some()) {
                history = less;
            }
            let what = fails(&history).unwrap_or("only a monitor that has seen others errs".into());
            panic!("{} {}, seed {}: {what}\n{history:#?}", protocol.name(), kind.name(), seed + number);
        }
        let has = |waiting| {
            Property::ALL.map(|property| naive::accepts(property, waiting, &specification, &history))
        };
        let (each, together) = (has(Waiting::Each), has(Waiting::Together));
        *tally.entry((history.end, each)).or_default() += 1;
        if each != together {
            *differ += 1;
        }
    }
    *differ
}

#[test]
fn monitors_and_explanations_agree_with_all_permutations() {
    let oracles = oracles();
    let (mut tally, mut differ) = (Tally::default(), 0);
    for (number, &(kind, protocol)) in oracles.iter().enumerate() {
        let count = histories().div_ceil(oracles.len());
        let series: u64 = std::env::var("SEED").map_or(1, |text| text.parse().expect("a number"));
        let seed = (number as u64) << 32 | (series - 1).wrapping_mul(count as u64) & 0xffff_ffff;
        differ += compare(kind, protocol, count, seed, &mut tally);
    }
    println!("{tally:#?}, {differ} that only justified together are wrong");
    assert!(differ >= histories() / 2000, "{differ}");
    // No combination of properties may be a rarity, or the comparison says little of it.
    for end in [End::Complete, End::Stuck] {
        for (sc, linear, quiescent) in [
            (true, true, true),
            (true, false, true),
            (true, false, false),
            (false, false, true),
            (false, false, false),
        ] {
            let count = tally.get(&(end, [sc, linear, quiescent])).copied().unwrap_or(0);
            assert!(count >= histories() / 5000, "{end:?}, {sc}, {linear}, {quiescent}: {count}");
        }
    }
}

/// An oracle whose calls may also wait where they could return, as those of a reference may: every other one does.
struct Moody(Specification);

impl Oracle for Moody {
    type State = <Specification as Oracle>::State;

    fn initial(&self) -> Self::State {
        self.0.initial()
    }

    fn outcomes(&self, state: &Self::State, call: &FixedCall) -> Vec<Outcome<Self::State>> {
        self.0.outcomes(state, call)
    }

    fn blocks(&self, state: &Self::State, call: &FixedCall) -> bool {
        self.0.blocks(state, call) || call.op.0.is_multiple_of(2)
    }

    fn serves(&self) -> bool {
        false
    }

    fn accepts(&self, state: &Self::State) -> bool {
        self.0.accepts(state)
    }
}

#[test]
fn calls_may_wait_that_could_return() {
    let (mut stuck, mut each_only) = (0, 0);
    for (number, kind) in (0u64..).zip(Kind::ALL) {
        let specification = oracle(kind, Protocol::NonBlocking);
        let moody = || Moody(oracle(kind, Protocol::NonBlocking));
        let all = Property::ALL.into_iter().flat_map(|property| WAITING.map(|waiting| (property, waiting)));
        let mut monitors: Monitors =
            all.map(|(property, waiting)| (property, waiting, monitor(property, waiting, moody()))).collect();
        for seed in 0..histories().div_ceil(10) as u64 {
            let mut random = Random((number << 40) + seed);
            let history = support::history(&mut random, kind, &specification);
            let found = mistake(&moody(), &mut monitors, &history);
            assert_eq!(found, None, "{} {seed}: {history:#?}", kind.name());
            if history.end == End::Stuck {
                let accepts = |waiting| naive::accepts(Property::Linear, waiting, &moody(), &history);
                stuck += usize::from(accepts(Waiting::Together));
                each_only += usize::from(accepts(Waiting::Each) && !accepts(Waiting::Together));
            }
        }
    }
    // They are accepted although pending calls could return.
    assert!(stuck >= histories() / 100, "{stuck}, {each_only}");
}
