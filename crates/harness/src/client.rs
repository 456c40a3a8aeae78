//! Clients with fixed arguments: what COLLECT calls a schedule (Section 3).

use crate::operation::{Harness, OpId};
use crate::test::{Invocation, Test};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::Value;

/// A call with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FixedCall {
    /// What is called.
    pub op: OpId,
    /// One value for each of the operation's inputs.
    pub args: Vec<Value>,
}

/// Calls made before the threads start (the pre-adds), and those of each thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Client {
    /// Run to their ends, in order, before any thread starts.
    pub initial: Vec<FixedCall>,
    /// The calls of each thread, in order; no thread is empty.
    pub threads: Vec<Vec<FixedCall>>,
}

impl FixedCall {
    /// The call as a person would write it: `add(1)`.
    pub fn show(&self, harness: &Harness) -> String {
        let op = harness.op(self.op);
        let args: Vec<String> =
            op.inputs.iter().zip(&self.args).map(|(input, &value)| input.ty.show(value)).collect();
        format!("{}({})", op.name, args.join(", "))
    }
}

impl Client {
    /// The client as a test of this name, for what is said of tests and clients alike.
    pub fn as_test(&self, name: String) -> Test {
        let invocations = |calls: &[FixedCall]| -> Vec<Invocation> {
            calls.iter().map(|call| Invocation { op: call.op, primed: false }).collect()
        };
        Test {
            name,
            initial: invocations(&self.initial),
            threads: self.threads.iter().map(|calls| invocations(calls)).collect(),
            span: Span::new(FileId(0), 0, 0),
        }
    }

    /// The client in the notation of tests, with arguments.
    pub fn show(&self, harness: &Harness) -> String {
        let sequence =
            |calls: &[FixedCall]| calls.iter().map(|call| call.show(harness)).collect::<Vec<_>>().join(" ");
        let threads: Vec<String> = self.threads.iter().map(|calls| sequence(calls)).collect();
        let initial = if self.initial.is_empty() { String::new() } else { sequence(&self.initial) + " " };
        format!("{initial}( {} )", threads.join(" | "))
    }
}
