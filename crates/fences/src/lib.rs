//! Fence inference: which orderings a program needs, where to put which fences, at what cost, and the patches
//! that do it.
//!
//! Each counterexample can be ruled out by one of some places; the cheapest placement hits each of these sets:
//!
//! ```
//! use fencepost_fences::hitting::Hitting;
//! use fencepost_harness::budget::Poll;
//!
//! let mut places = Hitting::new(vec![2, 2, 3]);
//! places.add(vec![0, 2]);
//! places.add(vec![1, 2]);
//! assert_eq!(places.minimum(&Poll::never()), Ok(Some(vec![2])));
//! ```
//!
//! Begin with [`place`] and [`guided`]; `avoid` is where [`store_buffers`] and [`rlx`] meet.
//!
//! Deliberately absent: printing, reading and writing of files, and trust. A placement found here is a
//! claim until the patched program was checked like any other.

pub mod asking;
mod avoid;
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
