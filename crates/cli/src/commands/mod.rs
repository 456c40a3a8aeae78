//! The commands: what was asked for, done by the driver, printed.

pub(crate) mod check;
pub(crate) mod fences;
pub(crate) mod litmus;
pub(crate) mod sweep;
pub(crate) mod verify;
