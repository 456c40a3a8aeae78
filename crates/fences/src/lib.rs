//! Which fences a program needs.
//!
//! Deliberately absent: exploring states and judging executions, which are the engines' work.

pub mod avoid;
pub mod constraints;
pub mod store_buffers;
