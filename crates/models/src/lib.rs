//! Memory models: small texts that a reader can check against a paper.
//!
//! A model lives in a file of its own under `texts/`, written in a subset of [cat]. This crate reads
//! it; the engines and replay each evaluate it in their own way, so that they can check each other.
//!
//! ```
//! use fencepost_lsl::source::SourceMap;
//! use fencepost_models::{Buffering, load};
//!
//! let mut sources = SourceMap::default();
//! let text = "\"as Lamport has it\"\ninclude \"base.cat\"\n\
//!             acyclic uninterrupted(po | rf | co | fr | start) as memory-order";
//! let model = load("mine", "mine.cat", text, &mut sources).unwrap();
//! // It says the same as a model that ships, so the same machine runs it.
//! assert_eq!(model.buffering, Some(Buffering::Sc));
//!
//! let mistakes = load("mine", "mine.cat", &text.replace("fr", "rfo"), &mut sources).unwrap_err();
//! assert!(mistakes[0].message.contains("rfo"));
//! ```
//!
//! Begin with `texts/base.cat` and `texts/tso.cat`, then [`cat`], the form in which they are read.
//!
//! Deliberately absent: executions. What an event is and how a relation is computed is the engines'.

pub mod cat;
mod expression;
mod lex;
mod library;
mod parse;

pub use cat::{Buffering, Model};
pub use library::{
    ALL, HARDWARE, MODERN, builtin, load, load_mapped, mapped, mappings, of_architecture, sc, serial,
};
