//! From a C file to verdicts: loads files, asks engines, has the referee judge what they say, sweeps clients, infers fences and patches
//! the text. Plain data in, plain data out; who calls prints.
//!
//! ```no_run
//! use fencepost_driver::check::{Terms, check};
//! use fencepost_driver::session::Session;
//!
//! let session = Session::load("queue.c".as_ref(), &[], None).expect("the file is fine");
//! let model = fencepost_models::builtin("relaxed").expect("it ships");
//! for question in session.questions() {
//!     let result = check(&session, &question, &model, &Terms::default(), &|_| {});
//!     println!("{}: {}", result.test, result.verdict.kind());
//! }
//! ```
//!
//! `examples/` has this as a program, and one each that infers fences and that sweeps a collection.

pub mod check;
pub mod clients;
pub mod fences;
pub mod open;
pub mod session;
pub mod sweep;
pub mod verify;
