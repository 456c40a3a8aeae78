//! Clients with fixed arguments, watched by a monitor: a small one for sets, written for obviousness.

mod support;

use fencepost_explore::{Buffering, Exploration, Options, Reductions, Search, explore};
use fencepost_harness::client::{Client, FixedCall};
use fencepost_harness::engine::Finding;
use fencepost_harness::monitor::{Monitor, MonitorState};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_lsl::value::Value;
use fencepost_reference::random::Random;
use std::collections::BTreeSet;
use support::{corpus, program, replays};

/// A call of a thread: not made, made and not yet taken effect, or with its result.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pending {
    Nothing,
    Called(FixedCall),
    Done(u64),
}

/// The set's content and what each thread is in the middle of.
type Configuration = (BTreeSet<u64>, Vec<Pending>);

/// Linearizability of sets with the operations `a`, `c` and `r`, and of `w`, which waits until 0 is in.
struct Sets<'a> {
    harness: &'a Harness,
    threads: usize,
    /// All sets of configurations met; states are positions in it.
    known: Vec<BTreeSet<Configuration>>,
}

impl Sets<'_> {
    fn apply(&self, set: &mut BTreeSet<u64>, call: &FixedCall) -> Option<u64> {
        let key = call.args.first().map_or(0, |value| value.bits());
        match self.harness.op(call.op).name.as_str() {
            "a" => Some(set.insert(key) as u64),
            "r" => Some(set.remove(&key) as u64),
            "c" => Some(set.contains(&key) as u64),
            "w" => set.contains(&0).then_some(1),
            other => panic!("no operation {other}"),
        }
    }

    /// Lets pending calls take effect, in all ways.
    fn close(&mut self, mut all: BTreeSet<Configuration>) -> Option<MonitorState> {
        let mut work: Vec<Configuration> = all.iter().cloned().collect();
        while let Some((set, pending)) = work.pop() {
            for thread in 0..self.threads {
                let Pending::Called(call) = &pending[thread] else { continue };
                let (mut set, mut next) = (set.clone(), pending.clone());
                let Some(result) = self.apply(&mut set, call) else { continue };
                next[thread] = Pending::Done(result);
                if all.insert((set.clone(), next.clone())) {
                    work.push((set, next));
                }
            }
        }
        if all.is_empty() {
            return None;
        }
        let number = self.known.iter().position(|known| *known == all).unwrap_or_else(|| {
            self.known.push(all);
            self.known.len() - 1
        });
        Some(MonitorState(number as u32))
    }
}

impl Monitor for Sets<'_> {
    fn start(&mut self, initial: &[(FixedCall, Vec<Value>)]) -> Option<MonitorState> {
        let mut set = BTreeSet::new();
        for (call, results) in initial {
            let result = self.apply(&mut set, call);
            assert_eq!(result, results.first().map(|value| value.bits()), "the initial calls are serial");
        }
        self.close(BTreeSet::from([(set, vec![Pending::Nothing; self.threads])]))
    }

    fn invoke(&mut self, state: MonitorState, thread: usize, call: &FixedCall) -> Option<MonitorState> {
        let called = |(set, pending): &Configuration| {
            let mut pending = pending.clone();
            assert_eq!(pending[thread], Pending::Nothing);
            pending[thread] = Pending::Called(call.clone());
            (set.clone(), pending)
        };
        let next = self.known[state.0 as usize].iter().map(called).collect();
        self.close(next)
    }

    fn respond(&mut self, state: MonitorState, thread: usize, results: &[Value]) -> Option<MonitorState> {
        let returned = |(set, pending): &Configuration| {
            let mut pending = pending.clone();
            let fits = pending[thread] == Pending::Done(results[0].bits());
            pending[thread] = Pending::Nothing;
            fits.then(|| (set.clone(), pending))
        };
        let next = self.known[state.0 as usize].iter().filter_map(returned).collect();
        self.close(next)
    }

    fn accepts(&mut self, state: MonitorState) -> bool {
        let idle = |(_, pending): &Configuration| pending.iter().all(|p| *p == Pending::Nothing);
        self.known[state.0 as usize].iter().any(idle)
    }

    fn waits_initially(&mut self, _: &[FixedCall]) -> bool {
        false
    }

    fn accepts_stuck(&mut self, state: MonitorState, stuck: &[usize]) -> bool {
        let waits = |(set, pending): &Configuration| {
            stuck.iter().all(|thread| match &pending[*thread] {
                Pending::Called(call) => self.apply(&mut set.clone(), call).is_none(),
                _ => false,
            })
        };
        self.known[state.0 as usize].iter().any(waits)
    }
}

/// A client from text such as `a0 | c0 r1`, with calls before it.
fn client(harness: &Harness, initial: &str, threads: &str) -> Client {
    let calls = |text: &str| -> Vec<FixedCall> {
        let call = |word: &str| {
            let (op, key) = word.split_at(1);
            let args = if key.is_empty() { vec![] } else { vec![Value::new(key.parse().expect("a key"))] };
            FixedCall { op: harness.find_op(op).expect("an operation"), args }
        };
        text.split_whitespace().map(call).collect()
    };
    Client { initial: calls(initial), threads: threads.split('|').map(calls).collect() }
}

/// Explores a client in several ways that must agree.
fn run(harness: &Harness, initial: &str, threads: &str, options: &Options) -> Exploration {
    let client = client(harness, initial, threads);
    let off = Reductions { collect: true, ..Reductions::NONE };
    let mut kept: Option<Exploration> = None;
    let all = options.reductions;
    let single = [
        Reductions { private: !all.private, ..all },
        Reductions { footprint: !all.footprint, ..all },
        Reductions { sole: !all.sole, ..all },
        Reductions { remember: !all.remember, ..all },
        Reductions { rename: !all.rename, ..all },
        Reductions { symmetry: !all.symmetry, ..all },
        off,
    ];
    let (depth, breadth) = (Search::Depth, Search::Breadth);
    for (reductions, search) in
        [(all, depth), (all, breadth)].into_iter().chain(single.map(|reductions| (reductions, depth)))
    {
        let mut monitor = Sets { harness, threads: client.threads.len(), known: Vec::new() };
        let options = Options { reductions, search, ..options.clone() };
        let found =
            explore(harness, &Question::Client(client.clone()), None, &options, Some(&mut monitor), &|_| {});
        println!("{initial} ( {threads} ): {:?}", found.statistics);
        let model = format!("{:?}", options.buffering).to_lowercase();
        if let Finding::Violated { trace, .. } = &found.finding {
            replays(harness, trace, &model);
        }
        if let Some(trace) = &found.witness {
            replays(harness, trace, &model);
        }
        if let Some(before) = &kept {
            let same = std::mem::discriminant(&before.finding) == std::mem::discriminant(&found.finding);
            assert!(same, "{threads}: {:?}\n{:?}", before.finding, found.finding);
        }
        kept = kept.or(Some(found));
    }
    kept.expect("it ran")
}

#[test]
fn lists_are_linearizable() {
    for file in ["lazylist.c", "harris.c"] {
        let harness = corpus(file, &[]);
        for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
            let options = Options { buffering: model, ..Options::default() };
            for (initial, threads) in [("", "a0 | c0 | r0"), ("a0", "r0 | r0"), ("a1", "a0 | r1 | c1")] {
                let found = run(&harness, initial, threads, &options);
                assert_eq!(found.finding, Finding::Holds, "{file} {initial} ( {threads} ) {model:?}");
            }
        }
    }
}

const BITS: &str = "
    #include <fencepost.h>
    int in[2];
    static int add(int key) { int was; fp_atomic { was = in[key]; in[key] = 1; } return !was; }
    static int take(int key) { REMOVE }
    static int has(int key) { CONTAINS }
    static int await(void) { while (!in[0]) ; return 1; }
    static void init(void) { }
    #pragma fencepost init init()
    #pragma fencepost op a = add(any(0, 1))
    #pragma fencepost op r = take(any(0, 1))
    #pragma fencepost op c = has(any(0, 1))
    #pragma fencepost op w = await()
    ";

fn bits(remove: &str, contains: &str) -> Harness {
    program(&BITS.replace("REMOVE", remove).replace("CONTAINS", contains))
}

const TAKE: &str = "int was; fp_atomic { was = in[key]; in[key] = 0; } return was;";

#[test]
fn wrong_sets_are_found() {
    let good = bits(TAKE, "return in[key];");
    assert_eq!(run(&good, "a0", "r0 | r0", &Options::default()).finding, Finding::Holds);
    assert_eq!(run(&good, "", "a0 c1 | a1 c0", &Options::default()).finding, Finding::Holds);
    // Looks and then takes: two threads may take the same.
    let torn = bits("int was = in[key]; in[key] = 0; return was;", "return in[key];");
    let found = run(&torn, "a0", "r0 | r0", &Options::default());
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Unexplained, .. }));
    // Never looks: wrong only once another thread's call is over.
    let blind = bits(TAKE, "return 0;");
    let found = run(&blind, "", "a0 | c0", &Options::default());
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Unexplained, .. }));
    assert_eq!(run(&blind, "", "a0 | c1", &Options::default()).finding, Finding::Holds);
}

#[test]
fn stuck_calls_are_judged() {
    let harness = bits(TAKE, "return in[key];");
    let found = run(&harness, "", "w | a1", &Options::default());
    assert_eq!(found.finding, Finding::Holds);
    assert!(found.statistics.stuck > 0 && found.statistics.complete == 0);
    let found = run(&harness, "", "w | a0", &Options::default());
    assert_eq!((found.finding, found.statistics.stuck), (Finding::Holds, 0));
    // A thread that is alone does what comes before it waits.
    let found = run(&harness, "", "a1 w", &Options::default());
    assert_eq!((found.finding, found.statistics.stuck), (Finding::Holds, 1));
    let found = run(&harness, "", "a1 a0 w c1 | r0", &Options::default());
    assert_eq!(found.finding, Finding::Holds);
    assert!(found.statistics.stuck > 0 && found.statistics.complete > 0);
    // Waits for the wrong key.
    let wrong =
        program(&BITS.replace("REMOVE", TAKE).replace("CONTAINS", "return 0;").replace("!in[0]", "!in[1]"));
    let found = run(&wrong, "", "w | a0", &Options::default());
    let Finding::Violated { wrong: Wrong::Stuck(threads), .. } = &found.finding else {
        panic!("{:?}", found.finding)
    };
    assert_eq!(*threads, [1]);
}

/// Random clients of lists that are right on sc only: `run` compares with all reductions switched off.
#[test]
fn random_clients_agree() {
    let harness = corpus("lazylist.c", &["-DUNFENCED"]);
    let mut random = Random::new(7);
    let (mut right, mut wrong) = (0, 0);
    for number in 0..60 {
        let model = [Buffering::Sc, Buffering::Tso, Buffering::Pso][number % 3];
        let calls = |random: &mut Random, most: u64| {
            let call = |random: &mut Random| {
                format!("{}{}", ["a", "r", "c"][random.below(3) as usize], random.below(2))
            };
            (0..1 + random.below(most)).map(|_| call(random)).collect::<Vec<_>>().join(" ")
        };
        let initial = if random.below(2) == 0 { String::new() } else { format!("a{}", random.below(2)) };
        let short = model == Buffering::Pso || random.below(3) == 0;
        let threads = match short {
            true if random.below(2) == 0 => [calls(&mut random, 1).as_str(); 2].join(" | "),
            true => format!("{} | {}", calls(&mut random, 2), calls(&mut random, 1)),
            false => format!("{} | {}", calls(&mut random, 2), calls(&mut random, 2)),
        };
        let found = run(&harness, &initial, &threads, &Options { buffering: model, ..Options::default() });
        match found.finding {
            Finding::Holds => right += 1,
            Finding::Violated { .. } => wrong += 1,
            Finding::Inconclusive(reason) => panic!("{initial} ( {threads} ): {reason}"),
        }
        assert!(
            model == Buffering::Pso || matches!(found.finding, Finding::Holds),
            "{initial} ( {threads} )"
        );
    }
    assert!(right > 20 && wrong > 0, "{right} hold, {wrong} do not");
}

/// Threads that make the same calls start in one order, unless a program tells them apart by where their objects lie.
#[test]
fn twins() {
    let states = |harness: &Harness, threads: &str, symmetry: bool| {
        let reductions = Reductions { symmetry, ..Reductions::default() };
        let found = run(harness, "a1", threads, &Options { reductions, ..Options::default() });
        (found.finding, found.statistics.states)
    };
    let list = corpus("harris.c", &[]);
    for threads in ["a0 | a0", "r1 | r1 | r1", "a0 | c1 | a0"] {
        let ((one, fewer), (other, all)) = (states(&list, threads, true), states(&list, threads, false));
        assert_eq!((one, other), (Finding::Holds, Finding::Holds), "{threads}");
        assert!(fewer < all, "{threads}: {fewer} of {all} states");
    }
    let (_, fewer) = states(&list, "a0 | c0", true);
    assert_eq!(fewer, states(&list, "a0 | c0", false).1);
    // The first thread, whose objects lie first, is wrong if it begins after the second saw a removal that is still
    // under way: only then does the order of their calls matter.
    let has = "char *own = malloc(1);
         if (gone && own < gone && !over) return 1;
         if (in[key]) return 1;
         gone = own;
         return 0;";
    let take = "int was; fp_atomic { was = in[key]; in[key] = 0; } over = 1; return was;";
    let text = BITS.replace("int in[2];", "#include <stdlib.h>\nint in[2], over; char *gone;");
    let harness = program(&text.replace("REMOVE", take).replace("CONTAINS", has));
    for symmetry in [true, false] {
        let reductions = Reductions { symmetry, ..Reductions::default() };
        let found = run(&harness, "a0", "c0 | c0 | r0", &Options { reductions, ..Options::default() });
        assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Unexplained, .. }));
    }
}

/// The bound counts as part of a state: with room for one preemption the torn set is refuted.
#[test]
fn preemptions_of_clients() {
    let torn = bits("int was = in[key]; in[key] = 0; return was;", "return in[key];");
    let bound = |preemptions| Options { preemptions: Some(preemptions), ..Options::default() };
    assert_eq!(run(&torn, "a0", "r0 | r0", &bound(0)).finding, Finding::Holds);
    let found = run(&torn, "a0", "r0 | r0", &bound(1));
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Unexplained, .. }));
}

/// How fast it is: `cargo test --release -p fencepost-explore --test client speed -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn speed() {
    let harness = corpus("lazylist.c", &[]);
    for threads in ["a0 | c0 | r0", "a0 r1 a1 | c0 r0 | r1 a0 c1", "a0 r0 a1 | a1 r1 c0 | c0 r1 | a0 r0"] {
        let client = client(&harness, "a0 a1", threads);
        for (footprint, rename) in [(false, false), (true, false), (true, true)] {
            let reductions = Reductions { footprint, rename, ..Reductions::default() };
            let options = Options { reductions, ..Options::default() };
            let mut runs: Vec<Exploration> = Vec::new();
            while runs.iter().map(|run| run.statistics.time.as_secs_f64()).sum::<f64>() < 0.5 {
                runs.push(explore(
                    &harness,
                    &Question::Client(client.clone()),
                    None,
                    &options,
                    None,
                    &|_| {},
                ));
            }
            runs.sort_by_key(|run| run.statistics.time);
            let found = &runs[runs.len() / 2];
            let seconds = found.statistics.time.as_secs_f64();
            println!(
                "{threads}, footprint {footprint}, rename {rename}: {} states, {} transitions, {seconds:.4} s, {:.2} M states/s, \
                 {} bytes a state",
                found.statistics.states,
                found.statistics.transitions,
                found.statistics.states as f64 / seconds / 1e6,
                found.statistics.bytes / found.statistics.states
            );
        }
    }
}
