//! Oracles against what they stand for: the standard library's collections, and the automata of COLLECT's
//! Figure 1.

mod support;

use fencepost_harness::client::FixedCall;
use fencepost_harness::operation::OpId;
use fencepost_harness::oracle::collection::Contents;
use fencepost_harness::oracle::role::Role;
use fencepost_harness::oracle::{Kind, Oracle, Protocol, agrees};
use fencepost_harness::schedule::Method;
use fencepost_lsl::value::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use support::{Random, binding, oracle};

/// A collection of the standard library.
#[derive(Default)]
struct Model {
    set: BTreeSet<u64>,
    sequence: VecDeque<u64>,
    map: BTreeMap<u64, u64>,
    /// Scores and items.
    scored: Vec<(u64, u64)>,
}

impl Model {
    /// The results of a call; of several right ones of `remove min`, one with the item `wished` if possible.
    fn call(&mut self, role: Role, args: &[u64], wished: Option<u64>) -> Vec<u64> {
        let item = |found: Option<u64>| found.map_or(vec![0], |item| vec![1, item]);
        match role {
            Role::Add => vec![self.set.insert(args[0]) as u64],
            Role::Remove => vec![self.set.remove(&args[0]) as u64],
            Role::Contains => vec![self.set.contains(&args[0]) as u64],
            Role::Enqueue | Role::Push | Role::PushRight => {
                self.sequence.push_back(args[0]);
                vec![1]
            }
            Role::PushLeft => {
                self.sequence.push_front(args[0]);
                vec![1]
            }
            Role::Dequeue | Role::PopLeft => item(self.sequence.pop_front()),
            Role::Pop | Role::PopRight => item(self.sequence.pop_back()),
            Role::Put => item(self.map.insert(args[0], args[1])),
            Role::Get => item(self.map.get(&args[0]).copied()),
            Role::RemoveKey => item(self.map.remove(&args[0])),
            Role::ContainsKey => vec![self.map.contains_key(&args[0]) as u64],
            Role::PutIfAbsent => {
                let absent = !self.map.contains_key(&args[0]);
                self.map.entry(args[0]).or_insert(args[1]);
                vec![absent as u64]
            }
            Role::Other(..) => unreachable!("collections have roles of their own"),
            Role::Insert => {
                self.scored.push((args[1], args[0]));
                vec![1]
            }
            Role::RemoveMin => {
                let least = self.scored.iter().map(|entry| entry.0).min();
                let right = |entry: &(u64, u64)| Some(entry.0) == least;
                let place = (self.scored.iter())
                    .position(|entry| right(entry) && Some(entry.1) == wished)
                    .or(self.scored.iter().position(right));
                place
                    .map(|place| self.scored.remove(place))
                    .map_or(vec![0], |(score, item)| vec![1, item, score])
            }
        }
    }
}

#[test]
fn collections_of_the_standard_library() {
    for kind in Kind::ALL {
        let (oracle, binding) = (oracle(kind, Protocol::NonBlocking), binding(kind, Protocol::NonBlocking));
        for seed in 0..300 {
            let mut random = Random(seed);
            let (mut model, mut state) = (Model::default(), oracle.initial());
            for _ in 0..20 {
                let op = OpId(random.below(binding.methods().len()) as u32);
                let shape = binding.shape(op);
                let args: Vec<u64> = (0..shape.inputs).map(|_| random.below(3) as u64).collect();
                let call = FixedCall { op, args: args.iter().copied().map(Value::new).collect() };
                let outcomes = oracle.outcomes(&state, &call);
                let outcome = outcomes[random.below(outcomes.len())].clone();
                let wished = outcome.results.get(1).and_then(|value| value.defined());
                let mut results: Vec<Value> =
                    model.call(shape.role, &args, wished).into_iter().map(Value::new).collect();
                results.resize(outcome.results.len(), Value::UNDEFINED);
                assert_eq!(outcome.results, results, "{:?}, seed {seed}", shape.role);
                state = outcome.next;
            }
        }
    }
}

/// All sequences of so many calls that enqueue 0 or dequeue.
fn sequences(length: usize) -> Vec<Vec<Role>> {
    let role = |bits: usize, place: usize| if bits >> place & 1 == 0 { Role::Enqueue } else { Role::Dequeue };
    (0..1 << length).map(|bits| (0..length).map(|place| role(bits, place)).collect()).collect()
}

/// Whether the oracle accepts a sequence whose calls all return `true` and zero, or whose last never returns.
fn accepts(protocol: Protocol, roles: &[Role], stuck: bool) -> bool {
    let (oracle, binding) = (oracle(Kind::Queue, protocol), binding(Kind::Queue, protocol));
    let call = |role: Role| {
        binding.call(Method::first(role), &[Value::ZERO][..role.adds() as usize]).expect("it is played")
    };
    let (last, done) = if stuck { (roles.last(), &roles[..roles.len() - 1]) } else { (None, roles) };
    let mut states: Vec<Contents> = vec![oracle.initial()];
    for &role in done {
        let results = [Value::ONE, Value::ZERO];
        let results = if role.adds() { &results[..1] } else { &results };
        states = states
            .iter()
            .flat_map(|state| oracle.outcomes(state, &call(role)))
            .filter(|outcome| agrees(&outcome.results, results))
            .map(|outcome| outcome.next)
            .collect();
    }
    states.iter().any(|state| last.map_or(oracle.accepts(state), |&role| oracle.blocks(state, &call(role))))
}

/// Figure 1 (c): 0 –enqueue→ 1 –dequeue→ 0, 0 –dequeue→ 2, all else → 3; 0 accepts, 1 and 2 accept as stuck.
#[test]
fn the_synchronous_automaton() {
    for length in 1..=6 {
        for roles in sequences(length) {
            let step = |state, role: &Role| match (state, role) {
                (0, Role::Enqueue) => 1,
                (1, Role::Dequeue) => 0,
                (0, Role::Dequeue) => 2,
                _ => 3,
            };
            let end = roles.iter().fold(0, step);
            assert_eq!(accepts(Protocol::Synchronous, &roles, false), end == 0, "{roles:?}");
            assert_eq!(accepts(Protocol::Synchronous, &roles, true), end == 1 || end == 2, "{roles:?}");
        }
    }
}

/// Figure 1 (b): items 0, 1, 2; a full enqueue or an empty dequeue is accepted as stuck, and by nothing else.
#[test]
fn the_bounded_automaton() {
    for length in 1..=6 {
        for roles in sequences(length) {
            let step = |state: Option<i32>, role: &Role| {
                let next = state.filter(|items| (0..=2).contains(items))? + if role.adds() { 1 } else { -1 };
                Some(next)
            };
            let end = roles.iter().fold(Some(0), step);
            let fits = end.is_some_and(|items| (0..=2).contains(&items));
            assert_eq!(accepts(Protocol::Bounded(2), &roles, false), fits, "{roles:?}");
            assert_eq!(accepts(Protocol::Bounded(2), &roles, true), end.is_some() && !fits, "{roles:?}");
        }
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for (kind, protocol) in support::oracles() {
        assert_eq!(Kind::named(kind.name()), Some(kind));
        assert_eq!(Protocol::named(&protocol.name()), Some(protocol));
    }
    assert_eq!(Kind::named("pqueue"), Some(Kind::PriorityQueue));
    for wrong in ["bounded", "bounded(", "bounded(x)", "nonblocking(2)", ""] {
        assert_eq!(Protocol::named(wrong), None, "{wrong}");
    }
}
