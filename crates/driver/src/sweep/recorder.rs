//! A monitor that remembers the history behind each of its states.
//!
//! An engine's trace says what each thread did, not when calls began and returned. Where states of the monitor
//! stand for whole histories, that of the wrong execution is known in the end. This takes more states, so only
//! the schedule that is reported is explored so.

use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::history::{End, Event, History};
use fencepost_harness::monitor::{Monitor, MonitorState};
use fencepost_lsl::value::Value;
use std::collections::HashMap;

/// A history, as one event more than another.
struct Node {
    before: Option<(MonitorState, Event)>,
    /// What the monitor says of it; none if it rejects it.
    verdict: Option<MonitorState>,
}

/// The initial calls with their results.
type Initial = Vec<(FixedCall, Vec<Value>)>;

/// Watches with another monitor, and remembers.
pub(crate) struct Recorder<'a> {
    inner: &'a mut dyn Monitor,
    /// The initial calls with which it was started, and the state then.
    starts: Vec<(Initial, MonitorState)>,
    nodes: Vec<Node>,
    known: HashMap<(MonitorState, Event), MonitorState>,
    /// The history that was rejected last, and how it ends.
    rejected: Option<(MonitorState, End)>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(inner: &'a mut dyn Monitor) -> Recorder<'a> {
        Recorder { inner, starts: Vec::new(), nodes: Vec::new(), known: HashMap::new(), rejected: None }
    }

    /// The history that was rejected last: an engine ends its search with it.
    pub(crate) fn history(self) -> Option<History> {
        let (mut at, end) = self.rejected?;
        let mut events = Vec::new();
        while let Some((before, event)) = &self.nodes[at.0 as usize].before {
            events.push(event.clone());
            at = *before;
        }
        events.reverse();
        let (initial, _) = self.starts.into_iter().find(|(_, start)| *start == at)?;
        Some(History { initial, events, end })
    }

    fn step(&mut self, state: MonitorState, event: Event) -> Option<MonitorState> {
        let key = (state, event);
        let next = match self.known.get(&key) {
            Some(next) => *next,
            None => {
                let verdict = self.nodes[state.0 as usize].verdict.and_then(|inner| match &key.1 {
                    Event::Invoke(thread, call) => self.inner.invoke(inner, *thread, call),
                    Event::Respond(thread, results) => self.inner.respond(inner, *thread, results),
                });
                let next = MonitorState(self.nodes.len() as u32);
                self.nodes.push(Node { before: Some(key.clone()), verdict });
                self.known.insert(key, next);
                next
            }
        };
        let accepted = self.nodes[next.0 as usize].verdict.is_some();
        if !accepted {
            self.rejected = Some((next, End::Open));
        }
        accepted.then_some(next)
    }

    fn end(
        &mut self,
        state: MonitorState,
        end: End,
        ask: impl FnOnce(&mut dyn Monitor, MonitorState) -> bool,
    ) -> bool {
        let accepted = self.nodes[state.0 as usize].verdict.is_some_and(|inner| ask(self.inner, inner));
        if !accepted {
            self.rejected = Some((state, end));
        }
        accepted
    }
}

impl Monitor for Recorder<'_> {
    fn start(&mut self, initial: &[(FixedCall, Vec<Value>)]) -> Option<MonitorState> {
        let known = self.starts.iter().find(|(calls, _)| calls == initial);
        let state = match known {
            Some((_, state)) => *state,
            None => {
                let state = MonitorState(self.nodes.len() as u32);
                let verdict = self.inner.start(initial);
                self.nodes.push(Node { before: None, verdict });
                self.starts.push((initial.to_vec(), state));
                state
            }
        };
        let accepted = self.nodes[state.0 as usize].verdict.is_some();
        if !accepted {
            self.rejected = Some((state, End::Open));
        }
        accepted.then_some(state)
    }

    fn invoke(&mut self, state: MonitorState, thread: usize, call: &FixedCall) -> Option<MonitorState> {
        self.step(state, Event::Invoke(thread, call.clone()))
    }

    fn respond(&mut self, state: MonitorState, thread: usize, results: &[Value]) -> Option<MonitorState> {
        self.step(state, Event::Respond(thread, results.to_vec()))
    }

    fn accepts(&mut self, state: MonitorState) -> bool {
        self.end(state, End::Complete, |monitor, inner| monitor.accepts(inner))
    }

    fn waits_initially(&mut self, initial: &[FixedCall]) -> bool {
        self.inner.waits_initially(initial)
    }

    fn accepts_stuck(&mut self, state: MonitorState, stuck: &[usize]) -> bool {
        self.end(state, End::Stuck, |monitor, inner| monitor.accepts_stuck(inner, stuck))
    }
}
