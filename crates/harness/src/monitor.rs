//! Monitors: what watches the calls of an execution while an engine explores it, and says when they can no
//! longer be explained.
//!
//! An engine that stores states stores that of the monitor with them. So a monitor's state is one number, and the
//! monitor keeps what it stands for. Equal numbers mean equal futures.

use crate::client::FixedCall;
use fencepost_lsl::value::Value;

/// A state of a monitor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MonitorState(pub u32);

/// Judges histories step by step. `None` means that no explanation is left: a violation.
pub trait Monitor {
    /// Before any call of a thread; the client's initial calls with their results are part of it.
    fn start(&mut self, initial: &[(FixedCall, Vec<Value>)]) -> Option<MonitorState>;
    /// A thread calls.
    fn invoke(&mut self, state: MonitorState, thread: usize, call: &FixedCall) -> Option<MonitorState>;
    /// A thread's pending call returns.
    fn respond(&mut self, state: MonitorState, thread: usize, results: &[Value]) -> Option<MonitorState>;
    /// Whether an execution may end here with all calls done.
    fn accepts(&mut self, state: MonitorState) -> bool;
    /// Whether some of these calls, made one after the other before any thread starts, may wait for ever.
    fn waits_initially(&mut self, initial: &[FixedCall]) -> bool;
    /// Whether these threads may be stuck here, each in its pending call, all others being done.
    fn accepts_stuck(&mut self, state: MonitorState, stuck: &[usize]) -> bool;
}
