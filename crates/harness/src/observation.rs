//! Observations: the argument and return values of the calls of one execution (CheckFence, Section 2.2).

use crate::operation::{Harness, OpId, ValueTy};
use crate::test::Test;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashSet;

/// What one slot of an observation holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The call, counted as in [`Test::invocations`].
    pub invocation: usize,
    /// Whether it is an input, and which input or output of the operation it is.
    pub input: bool,
    /// Index among the operation's inputs or outputs.
    pub index: usize,
    /// How to print it.
    pub ty: ValueTy,
}

/// The slots of a test's observations: per call its inputs, then its outputs.
pub fn slots(harness: &Harness, test: &Test) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (invocation, call) in test.invocations().enumerate() {
        let op = harness.op(call.op);
        let inputs = op.inputs.iter().map(|input| (true, input.ty)).enumerate();
        let outputs = op.outputs.iter().map(|output| (false, output.ty)).enumerate();
        slots.extend(inputs.chain(outputs).map(|(index, (input, ty))| Slot { invocation, input, index, ty }));
    }
    slots
}

/// One value for each slot.
pub type Observation = Vec<Value>;

/// The observations of all serial executions of a test: its specification.
///
/// An output that a serial execution leaves unwritten is undefined in its observation: the data type
/// promises nothing about it, so any value matches there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservationSet {
    set: FxHashSet<Observation>,
}

impl ObservationSet {
    /// Adds an observation; says whether it is new.
    pub fn insert(&mut self, observation: Observation) -> bool {
        self.set.insert(observation)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The observations, sorted.
    pub fn sorted(&self) -> Vec<&Observation> {
        let mut all: Vec<&Observation> = self.set.iter().collect();
        all.sort();
        all
    }

    /// Whether an execution with this observation looks serial.
    pub fn admits(&self, observation: &Observation) -> bool {
        self.set.contains(observation) || self.set.iter().any(|serial| matches(serial, observation))
    }

    /// The observations that differ from `observation` in the fewest slots, with those slots; of these, those
    /// that promise most.
    pub fn nearest(&self, observation: &Observation) -> Vec<(&Observation, Vec<usize>)> {
        let differing = |serial: &Observation| -> Vec<usize> {
            (0..serial.len()).filter(|&i| !value_matches(serial[i], observation[i])).collect()
        };
        let mut all: Vec<(&Observation, Vec<usize>)> = self.set.iter().map(|o| (o, differing(o))).collect();
        let fewest = all.iter().map(|(_, slots)| slots.len()).min().unwrap_or(0);
        all.retain(|(_, slots)| slots.len() == fewest);
        let open = |serial: &Observation| serial.iter().filter(|value| value.undef() != 0).count();
        let least = all.iter().map(|(serial, _)| open(serial)).min().unwrap_or(0);
        all.retain(|(serial, _)| open(serial) == least);
        all.sort();
        all
    }
}

/// Whether a serial observation stands for this one.
pub fn matches(serial: &Observation, observation: &Observation) -> bool {
    serial.iter().zip(observation).all(|(&serial, &value)| value_matches(serial, value))
}

fn value_matches(serial: Value, value: Value) -> bool {
    serial.undef() != 0 || serial == value
}

/// A call with its values, for people: `enqueue(1)`, `dequeue() = true, 1`.
pub fn show_call(harness: &Harness, op: OpId, inputs: &[Value], outputs: Option<&[Value]>) -> String {
    let op = harness.op(op);
    let list = |values: &[Value], tys: &mut dyn Iterator<Item = ValueTy>| {
        values.iter().zip(tys).map(|(value, ty)| ty.show(*value)).collect::<Vec<_>>().join(", ")
    };
    let call = format!("{}({})", op.name, list(inputs, &mut op.inputs.iter().map(|input| input.ty)));
    match outputs {
        None => format!("{call} = ?"),
        Some([]) => call,
        Some(outputs) => {
            format!("{call} = {}", list(outputs, &mut op.outputs.iter().map(|output| output.ty)))
        }
    }
}

/// The calls of an observation, one string for each invocation of the test.
///
/// In an observation of a serial execution, `any` stands where it promises nothing.
pub fn show(harness: &Harness, test: &Test, observation: &Observation, serial: bool) -> Vec<String> {
    let mut rest = &observation[..];
    let mut take = |n: usize| {
        let (head, tail) = rest.split_at(n);
        rest = tail;
        head
    };
    test.invocations()
        .map(|call| {
            let op = harness.op(call.op);
            let inputs = take(op.inputs.len());
            let shown = show_call(harness, call.op, inputs, Some(take(op.outputs.len())));
            if serial { shown.replace("undefined", "any") } else { shown }
        })
        .collect()
}
