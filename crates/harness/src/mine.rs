//! Specification mining: the observations of all serial executions (CheckFence, Section 3.2), found by
//! running the operations one after the other in every order and with every argument.
//!
//! States of the search are (memory, how far each thread is, what was observed so far); equal states are
//! explored once. The paper asks a SAT solver for serial executions instead; running them is faster and
//! independent of the encoding, so the bounded engine keeps the solver's way as a cross-check.

use crate::budget::{Exhausted, Poll};
use crate::observation::{self, NewObjects, ObservationSet, observe};
use crate::operation::{Harness, Operation};
use crate::serial::{Outcome, Script, SerialWorld, unfinished};
use crate::test::{Invocation, Test};
use crate::trace::Trace;
use fencepost_lsl::interp::{Halt, Stop, Thread, Word};
use fencepost_lsl::memory::Memory;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tracing::field::Empty;

/// What mining found.
#[derive(Debug)]
pub enum Mined {
    /// The specification, and how many serial executions of single calls it took.
    Specification {
        /// What may be observed.
        observations: ObservationSet,
        /// How many calls were run.
        calls: u64,
    },
    /// A serial execution fails by itself; it is the first found among those with the fewest calls.
    Fault(Box<Trace>),
    /// It could not be mined; why.
    Impossible(String),
}

/// A state of the search.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    /// Calls made, per thread.
    done: Vec<usize>,
    /// Values observed so far, per call of the test; empty where the call is still to come.
    observed: Vec<Vec<Value>>,
}

/// How a state was reached, for the trace of a fault.
struct Step {
    call: usize,
    inputs: Vec<Value>,
    script: Script,
    before: Option<Rc<Step>>,
}

/// Enumerates the serial executions of a test, unless there is no time for it.
pub fn mine(harness: &Harness, test: &Test, poll: &Poll) -> Result<Mined, Exhausted> {
    let span = tracing::info_span!("mine", test = test.name, calls = Empty).entered();
    let mut search = Search { harness, test, calls: 0, poll };
    let mined = match search.run() {
        Ok(observations) if observations.is_empty() => {
            Mined::Impossible("no order of the calls lets all of them return".into())
        }
        Ok(observations) => Mined::Specification { observations, calls: search.calls },
        Err(mined) => *mined,
    };
    span.record("calls", search.calls);
    match (mined, poll.told()) {
        (Mined::Impossible(_), Some(exhausted)) => Err(exhausted),
        (mined, _) => Ok(mined),
    }
}

struct Search<'a> {
    harness: &'a Harness,
    test: &'a Test,
    calls: u64,
    poll: &'a Poll<'a>,
}

type Layer = FxHashMap<State, Option<Rc<Step>>>;

impl Search<'_> {
    /// Breadth first, one call deeper at a time.
    fn run(&mut self) -> Result<ObservationSet, Box<Mined>> {
        let calls: Vec<(usize, Invocation)> = self.test.invocations().enumerate().collect();
        let (initial, parallel) = calls.split_at(self.test.initial.len());
        let mut layer = self.initial()?;
        for &(number, call) in initial {
            layer = self.deepen(&layer, |_| vec![(None, number, call)])?;
        }
        let lengths: Vec<usize> = self.test.threads.iter().map(Vec::len).collect();
        for _ in 0..lengths.iter().sum() {
            layer = self.deepen(&layer, |state| {
                let mut next = Vec::new();
                let mut first = 0;
                for (thread, &length) in lengths.iter().enumerate() {
                    if state.done[thread] < length {
                        let (number, call) = parallel[first + state.done[thread]];
                        next.push((Some(thread), number, call));
                    }
                    first += length;
                }
                next
            })?;
        }
        let pointers = observation::pointers(self.harness, self.test);
        let mut observations = ObservationSet::default();
        for state in layer.into_keys() {
            let objects = NewObjects::of(&state.memory);
            observations.insert(observe(&pointers, &state.observed.concat(), &objects));
        }
        Ok(observations)
    }

    fn initial(&mut self) -> Result<Layer, Box<Mined>> {
        let state = State {
            memory: Memory::initial(&self.harness.program),
            done: vec![0; self.test.threads.len()],
            observed: vec![Vec::new(); self.test.invocations().count()],
        };
        let mut layer = Layer::default();
        let Some(init) = self.harness.init else {
            layer.insert(state, None);
            return Ok(layer);
        };
        let mut script = Some(Script::default());
        while let Some(current) = script {
            self.ask()?;
            let world = SerialWorld::new(state.memory.clone(), 0, current, self.poll);
            let mut thread = Thread::new(&self.harness.program, world);
            match thread.call(init, Vec::new()) {
                Ok(_) => {
                    let memory = thread.world.memory.clone();
                    let step = Step {
                        call: usize::MAX,
                        inputs: Vec::new(),
                        script: thread.world.script.clone(),
                        before: None,
                    };
                    layer.entry(State { memory, ..state.clone() }).or_insert(Some(Rc::new(step)));
                }
                Err(halt) => match halt.stop {
                    Stop::Blocked | Stop::RuledOut | Stop::Exited => {}
                    Stop::Fault(_) => {
                        let step = Step {
                            call: usize::MAX,
                            inputs: Vec::new(),
                            script: thread.world.script.clone(),
                            before: None,
                        };
                        return Err(Box::new(Mined::Fault(Box::new(self.trace(&step)))));
                    }
                    _ => return Err(impossible("the initialisation", &halt)),
                },
            }
            script = thread.world.script.next();
        }
        Ok(layer)
    }

    /// All states one call after those of `layer`.
    fn deepen(
        &mut self,
        layer: &Layer,
        enabled: impl Fn(&State) -> Vec<(Option<usize>, usize, Invocation)>,
    ) -> Result<Layer, Box<Mined>> {
        let mut next = Layer::default();
        for (state, step) in layer {
            for (thread, number, call) in enabled(state) {
                for inputs in Inputs::new(self.harness.op(call.op)) {
                    self.call(state, step.as_ref(), thread, number, call, &inputs, &mut next)?;
                }
            }
        }
        Ok(next)
    }

    /// Runs one call from one state, once for each way its own choices can go.
    #[allow(clippy::too_many_arguments)] // One place calls it; a struct for it would only rename them.
    fn call(
        &mut self,
        state: &State,
        step: Option<&Rc<Step>>,
        thread: Option<usize>,
        number: usize,
        call: Invocation,
        inputs: &[Value],
        next: &mut Layer,
    ) -> Result<(), Box<Mined>> {
        let op = self.harness.op(call.op);
        let region = thread.map_or(0, |thread| thread as u32 + 1);
        let mut script = Some(Script::default());
        while let Some(current) = script {
            self.calls += 1;
            self.ask()?;
            let world = SerialWorld::new(state.memory.clone(), region, current, self.poll);
            let mut interpreter = Thread::new(&self.harness.program, world);
            let args = inputs.iter().map(|&value| Word { value, deps: () }).collect();
            let result = interpreter.call(op.proc, args);
            let world = &interpreter.world;
            let taken = Step {
                call: number,
                inputs: inputs.to_vec(),
                script: world.script.clone(),
                before: step.cloned(),
            };
            match result {
                Ok(outputs) => {
                    let mut reached = State { memory: world.memory.clone(), ..state.clone() };
                    if let Some(thread) = thread {
                        reached.done[thread] += 1;
                    }
                    reached.observed[number] =
                        inputs.iter().copied().chain(outputs.iter().map(|word| word.value)).collect();
                    next.entry(reached).or_insert_with(|| Some(Rc::new(taken)));
                }
                Err(halt) => match halt.stop {
                    Stop::Blocked | Stop::RuledOut | Stop::Exited => {}
                    Stop::Fault(_) => return Err(Box::new(Mined::Fault(Box::new(self.trace(&taken))))),
                    _ => return Err(impossible(&format!("operation `{}`", op.name), &halt)),
                },
            }
            script = interpreter.world.script.next();
        }
        Ok(())
    }

    /// Fails if the search is to end.
    fn ask(&self) -> Result<(), Box<Mined>> {
        self.poll.ask().map_err(|_| Box::new(Mined::Impossible(STOPPED.into())))
    }

    /// Runs the steps that lead to a fault again, this time recording a trace.
    fn trace(&self, last: &Step) -> Trace {
        let mut steps = vec![last];
        while let Some(before) = steps.last().and_then(|step| step.before.as_deref()) {
            steps.push(before);
        }
        steps.reverse();
        let calls: Vec<Invocation> = self.test.invocations().collect();
        let first = self.test.initial.len() + usize::from(self.harness.init.is_some());
        let lengths = std::iter::once(first).chain(self.test.threads.iter().map(Vec::len));
        let mut outcome = Outcome::new(&self.harness.program, lengths.collect());
        for step in steps {
            match calls.get(step.call) {
                None => {
                    if let Some(init) = self.harness.init {
                        outcome.run(0, None, init, &[], step.script.clone());
                    }
                }
                Some(call) => {
                    let op = self.harness.op(call.op);
                    let thread = self.thread_of(step.call);
                    outcome.run(
                        thread,
                        Some((call.op, step.call)),
                        op.proc,
                        &step.inputs,
                        step.script.clone(),
                    );
                }
            }
        }
        outcome.into_trace()
    }

    /// The trace's thread that makes a call: 0 for the initial ones.
    fn thread_of(&self, number: usize) -> usize {
        let mut end = self.test.initial.len();
        if number < end {
            return 0;
        }
        for (thread, calls) in self.test.threads.iter().enumerate() {
            end += calls.len();
            if number < end {
                return thread + 1;
            }
        }
        self.test.threads.len()
    }
}

/// Why a search that was told to end has no result.
const STOPPED: &str = "stopped before all serial executions were run";

fn impossible(what: &str, halt: &Halt) -> Box<Mined> {
    Box::new(Mined::Impossible(match halt.stop {
        Stop::Cut => STOPPED.into(),
        _ => format!("{what} {}", unfinished(halt)),
    }))
}

/// All arguments of an operation, one list after the other: there can be more of them than anyone can hold.
struct Inputs<'a> {
    choices: Vec<&'a [Value]>,
    /// Which choice comes next for each argument, the last changing fastest; none after the last list.
    next: Option<Vec<usize>>,
}

impl<'a> Inputs<'a> {
    fn new(op: &'a Operation) -> Inputs<'a> {
        let choices: Vec<&[Value]> = op.inputs.iter().map(|input| &input.choices[..]).collect();
        let some = choices.iter().all(|choices| !choices.is_empty());
        Inputs { next: some.then(|| vec![0; choices.len()]), choices }
    }
}

impl Iterator for Inputs<'_> {
    type Item = Vec<Value>;

    fn next(&mut self) -> Option<Vec<Value>> {
        let at = self.next.take()?;
        let values = at.iter().zip(&self.choices).map(|(&place, choices)| choices[place]).collect();
        let mut next = at;
        for place in (0..next.len()).rev() {
            next[place] += 1;
            if next[place] < self.choices[place].len() {
                self.next = Some(next);
                break;
            }
            next[place] = 0;
        }
        Some(values)
    }
}
