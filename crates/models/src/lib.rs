//! Memory models: small texts that a reader can check against a paper.
//!
//! A model lives in a file of its own under `texts/`, written in a subset of [cat]. This crate reads
//! it; the engines and replay each evaluate it in their own way, so that they can check each other.
//!
//! Deliberately absent: executions. What an event is and how a relation is computed is the engines'.

pub mod cat;
mod library;
mod parse;

pub use cat::{Buffering, Model};
pub use library::{ALL, HARDWARE, builtin, load, sc, serial};
