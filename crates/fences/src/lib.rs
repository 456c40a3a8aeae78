//! Fence inference: which orderings a program needs, where to put which fences, at what cost, and the patches
//! that do it.
//!
//! Deliberately absent: printing, reading and writing of files, and trust. A placement found here is a
//! claim until the patched program was checked like any other.

pub mod asking;
pub mod avoid;
pub mod constraints;
pub mod cost;
pub mod guided;
pub mod hitting;
pub mod orders;
pub mod patch;
pub mod place;
pub mod proved;
pub mod rlx;
pub mod store_buffers;
mod text;
