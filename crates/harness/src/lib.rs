//! How a program is exercised and judged: operations and tests, observations and the specification
//! mined from serial executions, traces, and verdicts; schedules, and the oracles and consistency
//! properties that judge their histories.
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
