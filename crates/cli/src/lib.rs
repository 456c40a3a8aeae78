//! Fencepost as a library: from a C file to verdicts.
//!
//! ```no_run
//! use fencepost::session::Session;
//! use fencepost::run::{Limits, check};
//!
//! let session = Session::load("queue.c".as_ref(), &[], None).expect("the file is fine");
//! let model = fencepost_models::builtin("relaxed").expect("it ships");
//! for subject in session.subjects() {
//!     let result = check(&session, &subject, &model, &Limits::default(), &|_| {});
//!     println!("{}: {}", result.test, result.verdict.kind());
//! }
//! ```

pub mod fences;
pub mod open;
pub mod run;
pub mod session;
pub mod sweep;
pub mod verify;
