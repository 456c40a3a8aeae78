//! Collections to test with, and random histories of them.

#![allow(dead_code, reason = "each test uses a part of it")]

use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::history::{End, Event, History};
use fencepost_harness::operation::{Harness, Input, Operation, Output, ValueTy};
use fencepost_harness::oracle::binding::{Binding, bind};
use fencepost_harness::oracle::collection::{Contents, Specification};
use fencepost_harness::oracle::role::{Role, Tells};
use fencepost_harness::oracle::{Kind, Oracle, Protocol};
use fencepost_lsl::program::ProcId;
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::{IntTy, Value};

/// How an operation is written in C.
pub(crate) fn operation(name: &str, inputs: usize, outputs: &[(&str, ValueTy)]) -> Operation {
    let input = Input { choices: vec![Value::ZERO, Value::ONE], ty: ValueTy::Int(IntTy::I32) };
    Operation {
        name: name.into(),
        proc: ProcId(0),
        inputs: vec![input; inputs],
        outputs: outputs
            .iter()
            .map(|&(name, ty)| Output { name: name.into(), member: String::new(), ty })
            .collect(),
        function: name.into(),
        span: Span::new(FileId(0), 0, 0),
    }
}

/// A file with one operation for each role: `bool add(set *, int)`, `bool dequeue(queue *, int *out)`.
pub(crate) fn harness(kind: Kind) -> Harness {
    let op = |role: Role| {
        let entry = role.entry();
        let mut outputs = vec![("", ValueTy::Bool)];
        if let Tells::Items(count) = entry.tells {
            outputs.extend([("item", ValueTy::Int(IntTy::I32)); 2].into_iter().take(count));
        }
        operation(&role.name().replace(' ', "_"), entry.inputs, &outputs)
    };
    Harness { ops: Role::of(kind).map(op).collect(), ..Harness::default() }
}

/// The operations of that file.
pub(crate) fn binding(kind: Kind, protocol: Protocol) -> Binding {
    bind(&harness(kind), kind, protocol, None).expect("it fits")
}

/// The oracle of that file.
pub(crate) fn oracle(kind: Kind, protocol: Protocol) -> Specification {
    Specification::new(binding(kind, protocol), protocol).expect("it suits")
}

/// All oracles worth testing.
pub(crate) fn oracles() -> Vec<(Kind, Protocol)> {
    let protocols = [
        Protocol::NonBlocking,
        Protocol::Limited(1),
        Protocol::Bounded(1),
        Protocol::Bounded(2),
        Protocol::Synchronous,
    ];
    let all = Kind::ALL.into_iter().flat_map(|kind| protocols.map(|protocol| (kind, protocol)));
    all.filter(|(kind, protocol)| protocol.suits(*kind)).collect()
}

/// Random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// A thread's call while its history is made.
enum Phase {
    Idle,
    /// Called, without effect so far.
    Called(FixedCall),
    /// Took effect; these results are to be returned.
    Effective(Vec<Value>),
}

/// A random history, right by some property or by none.
pub(crate) fn history(random: &mut Random, kind: Kind, oracle: &Specification) -> History {
    let ops = harness(kind).ops;
    let mut state = oracle.initial();
    let mut initial = Vec::new();
    if random.one_in(3) {
        let call = random_call(random, &ops);
        if let Some(results) = effect(random, oracle, &mut state, &call) {
            initial.push((call, results));
        }
    }
    let mut events = if random.one_in(2) {
        live(random, &ops, oracle, state)
    } else {
        replayed(random, &ops, oracle, state)
    };
    for _ in 0..random.below(4).saturating_sub(1) {
        tamper(random, &mut events);
    }
    let mut history = History { initial, events, end: End::Complete };
    let pending = !history.pending().is_empty();
    history.end = match (pending, random.one_in(5)) {
        (_, true) => End::Open,
        (true, false) => End::Stuck,
        (false, false) => End::Complete,
    };
    history
}

/// Threads that call, take effect on one oracle, and return: linearizable, but for some lies.
fn live(random: &mut Random, ops: &[Operation], oracle: &Specification, mut state: Contents) -> Vec<Event> {
    let (threads, mut calls) = (1 + random.below(3), 1 + random.below(5));
    let mut phases: Vec<Phase> = (0..threads).map(|_| Phase::Idle).collect();
    let mut events = Vec::new();
    let ends_early = random.one_in(3);
    for _ in 0..60 {
        let thread = random.below(threads);
        match &phases[thread] {
            Phase::Idle if calls > 0 => {
                calls -= 1;
                let call = random_call(random, ops);
                events.push(Event::Invoke(thread, call.clone()));
                phases[thread] = Phase::Called(call);
            }
            Phase::Called(call) if !random.one_in(8) => {
                if let Some(results) = effect(random, oracle, &mut state, call) {
                    phases[thread] = Phase::Effective(results);
                }
            }
            Phase::Effective(results) => {
                events.push(Event::Respond(thread, results.clone()));
                phases[thread] = Phase::Idle;
            }
            // A call that returns without effect: wrong in most histories, right in some.
            Phase::Called(call) if random.one_in(4) => {
                let results = lie(random, ops[call.op.0 as usize].outputs.len());
                events.push(Event::Respond(thread, results));
                phases[thread] = Phase::Idle;
            }
            _ => {}
        }
        if ends_early && random.one_in(12) {
            break;
        }
    }
    events
}

/// Calls at random times, with the results of an order that may have little to do with them.
fn replayed(
    random: &mut Random,
    ops: &[Operation],
    oracle: &Specification,
    mut state: Contents,
) -> Vec<Event> {
    let (threads, mut calls) = (1 + random.below(3), 3 + random.below(3));
    let stays = random.one_in(3);
    let mut events = Vec::new();
    let mut pending: Vec<Option<usize>> = vec![None; threads];
    // Of each call: thread, quiescent moments before it, where it begins and ends.
    let mut made: Vec<(usize, usize, usize, Option<usize>)> = Vec::new();
    let mut moments = 0;
    for _ in 0..40 {
        let thread = random.below(threads);
        let overlap = pending.iter().flatten().count();
        match pending[thread] {
            None if calls > 0 && (overlap == 0 || random.one_in(2)) => {
                calls -= 1;
                pending[thread] = Some(made.len());
                made.push((thread, moments, events.len(), None));
                events.push(Event::Invoke(thread, random_call(random, ops)));
            }
            Some(call) if !(stays && random.one_in(2) && calls < 2) => {
                made[call].3 = Some(events.len());
                events.push(Event::Respond(thread, Vec::new()));
                pending[thread] = None;
                moments += (overlap == 1) as usize;
            }
            _ => {}
        }
    }
    let mut order: Vec<usize> = (0..made.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    match random.below(3) {
        // Sequentially consistent: the calls of a thread in order, at the places that the thread has.
        0 => {
            let threads_at: Vec<usize> = order.iter().map(|&call| made[call].0).collect();
            let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); threads];
            for call in (0..made.len()).rev() {
                of_thread[made[call].0].push(call);
            }
            order = threads_at.iter().filter_map(|&thread| of_thread[thread].pop()).collect();
        }
        1 => order.sort_by_key(|&call| made[call].1),
        _ => {}
    }
    let mut gone = Vec::new();
    for call in order {
        let (_, _, begin, end) = made[call];
        let Event::Invoke(thread, invoked) = events[begin].clone() else { continue };
        let Some(end) = end else { continue };
        let results = effect(random, oracle, &mut state, &invoked);
        let last = !made.iter().skip(call + 1).any(|later| later.0 == thread);
        if results.is_none() && last {
            gone.push(end);
        }
        let results = results.unwrap_or_else(|| lie(random, ops[invoked.op.0 as usize].outputs.len()));
        events[end] = Event::Respond(thread, results);
    }
    gone.sort();
    for end in gone.into_iter().rev() {
        events.remove(end);
    }
    events
}

fn random_call(random: &mut Random, ops: &[Operation]) -> FixedCall {
    let op = random.below(ops.len());
    let args = ops[op].inputs.iter().map(|_| Value::new(random.below(2) as u64)).collect();
    FixedCall { op: fencepost_harness::operation::OpId(op as u32), args }
}

fn effect(
    random: &mut Random,
    oracle: &Specification,
    state: &mut Contents,
    call: &FixedCall,
) -> Option<Vec<Value>> {
    let outcomes = oracle.outcomes(state, call);
    if outcomes.is_empty() {
        return None;
    }
    let outcome = outcomes[random.below(outcomes.len())].clone();
    *state = outcome.next;
    // Where nothing is promised, anything comes.
    let concrete = |value: Value| value.defined().map_or(Value::new(7), Value::new);
    Some(outcome.results.into_iter().map(concrete).collect())
}

fn lie(random: &mut Random, outputs: usize) -> Vec<Value> {
    (0..outputs).map(|_| Value::new(random.below(2) as u64)).collect()
}

/// Changes a result, or lets two neighbouring events of different threads change places.
fn tamper(random: &mut Random, events: &mut [Event]) {
    if events.len() < 2 {
        return;
    }
    let at = random.below(events.len() - 1);
    let thread = |event: &Event| match event {
        Event::Invoke(thread, _) | Event::Respond(thread, _) => *thread,
    };
    if random.one_in(2) {
        if thread(&events[at]) != thread(&events[at + 1]) {
            events.swap(at, at + 1);
        }
    } else if let Event::Respond(_, results) = &mut events[at]
        && !results.is_empty()
    {
        let place = random.below(results.len());
        results[place] = Value::new(random.below(2) as u64);
    }
}
