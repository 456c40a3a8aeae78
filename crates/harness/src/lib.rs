//! How a program is exercised and judged: operations and tests, observations and the specification
//! mined from serial executions, traces, and verdicts; schedules, and the oracles and consistency
//! properties that judge their histories.
//!
//! ```
//! use fencepost_harness::client::FixedCall;
//! use fencepost_harness::consistency::history::{End, Event, History};
//! use fencepost_harness::consistency::{Property, Waiting, monitor};
//! use fencepost_harness::operation::OpId;
//! use fencepost_harness::oracle::{Oracle, Outcome};
//! use fencepost_lsl::value::Value;
//!
//! /// Its one operation gives out numbers, from zero on.
//! struct Tickets;
//!
//! impl Oracle for Tickets {
//!     type State = u64;
//!     fn initial(&self) -> u64 {
//!         0
//!     }
//!     fn outcomes(&self, next: &u64, _: &FixedCall) -> Vec<Outcome<u64>> {
//!         vec![Outcome { results: vec![Value::new(*next)], next: next + 1 }]
//!     }
//! }
//!
//! let take = |thread| Event::Invoke(thread, FixedCall { op: OpId(0), args: vec![] });
//! let get = |thread, ticket| Event::Respond(thread, vec![Value::new(ticket)]);
//! // One after the other, yet the second gets the first number: the order of calls in each thread allows that, real time does not.
//! let events = vec![take(0), get(0, 1), take(1), get(1, 0)];
//! let history = History { initial: vec![], events, end: End::Complete };
//! let holds = |property| history.judge(&mut *monitor(property, Waiting::Together, Tickets));
//! assert!(holds(Property::Sequential) && !holds(Property::Linear));
//! ```
//!
//! Begin with [`operation`] and [`test`](mod@test), how a file is exercised; [`observation`] and [`mine`], what it is held against;
//! [`trace`] and [`result`], what comes out. Sweeps begin with [`schedule`].
//!
//! Deliberately absent: memory models and engines. A trace says what happened; whether a model allows it
//! is replay's question.

pub mod budget;
pub mod client;
pub mod consistency;
pub mod counterpart;
pub mod engine;
pub mod inference;
pub mod mine;
pub mod monitor;
pub mod observation;
pub mod operation;
pub mod oracle;
pub mod question;
pub mod result;
pub mod schedule;
pub mod serial;
pub mod sweep;
pub mod test;
pub mod trace;
pub mod verdict;
