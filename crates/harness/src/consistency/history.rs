//! Histories: when calls begin and return, and how an execution ends.

use crate::client::FixedCall;
use crate::monitor::Monitor;
use fencepost_lsl::value::Value;

/// The beginning or the end of a call.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Event {
    /// A thread calls; it has no pending call.
    Invoke(usize, FixedCall),
    /// A thread's pending call returns.
    Respond(usize, Vec<Value>),
}

/// How a history ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum End {
    /// All calls have returned.
    Complete,
    /// The pending calls will never return.
    Stuck,
    /// It may go on: only what no continuation can repair is wrong.
    Open,
}

/// What an execution did, as far as a property can see it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct History {
    /// Calls made before the threads started, in order.
    pub initial: Vec<(FixedCall, Vec<Value>)>,
    /// What happened since.
    pub events: Vec<Event>,
    /// How it ends. A complete history has no pending call, a stuck one at least one.
    pub end: End,
}

/// A call of a history, which COLLECT calls an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryCall {
    /// Who called.
    pub thread: usize,
    /// What was called.
    pub call: FixedCall,
    /// Index of the event that began it.
    pub invoked: usize,
    /// Index of the event that ended it, and the results; none while it is pending.
    pub responded: Option<(usize, Vec<Value>)>,
}

impl HistoryCall {
    /// Whether this one returned before the other began: `x < y` in the paper.
    pub fn before(&self, other: &HistoryCall) -> bool {
        self.responded.as_ref().is_some_and(|(end, _)| *end < other.invoked)
    }

    /// Its results, if it returned.
    pub fn results(&self) -> Option<&[Value]> {
        self.responded.as_ref().map(|(_, results)| &results[..])
    }
}

impl History {
    /// Its calls, in the order in which they began. A response without a call is left out.
    pub fn calls(&self) -> Vec<HistoryCall> {
        let mut operations: Vec<HistoryCall> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            match event {
                Event::Invoke(thread, call) => operations.push(HistoryCall {
                    thread: *thread,
                    call: call.clone(),
                    invoked: at,
                    responded: None,
                }),
                Event::Respond(thread, results) => {
                    let mut latest = operations.iter_mut().rev();
                    if let Some(operation) = latest.find(|operation| operation.thread == *thread) {
                        operation.responded = Some((at, results.clone()));
                    }
                }
            }
        }
        operations
    }

    /// The threads that have a pending call at the end.
    pub fn pending(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self
            .calls()
            .iter()
            .filter(|operation| operation.responded.is_none())
            .map(|operation| operation.thread)
            .collect();
        threads.sort();
        threads
    }

    /// What a monitor says of it. Of an open history only a definite violation counts.
    pub fn judge(&self, monitor: &mut dyn Monitor) -> bool {
        let mut state = monitor.start(&self.initial);
        for event in &self.events {
            state = state.and_then(|state| match event {
                Event::Invoke(thread, call) => monitor.invoke(state, *thread, call),
                Event::Respond(thread, results) => monitor.respond(state, *thread, results),
            });
        }
        state.is_some_and(|state| match self.end {
            End::Complete => monitor.accepts(state),
            End::Stuck => monitor.accepts_stuck(state, &self.pending()),
            End::Open => true,
        })
    }
}
