//! Values and places as a reader of C would write them.

use fencepost_harness::operation::Harness;
use fencepost_harness::trace::{Explanation, NamedObject};
use fencepost_lsl::program::address;
use fencepost_lsl::value::Value;

/// A value: a number, or the place that it is the address of.
pub(crate) fn show(value: Value, harness: &Harness, explanation: &Explanation) -> String {
    let pointer = value.defined().filter(|bits| (address::GLOBALS..address::END).contains(bits));
    match pointer.and_then(|bits| at(bits, harness, explanation)) {
        Some(place) => format!("&{place}"),
        None => value.to_string(),
    }
}

/// What begins at an address.
pub(crate) fn at(addr: u64, harness: &Harness, explanation: &Explanation) -> Option<String> {
    let NamedObject { base, size, name, layout } = object(addr, explanation)?;
    let path = match (addr - base, layout) {
        (0, _) => String::new(),
        (offset, Some(layout)) => harness.program.layouts.start_within(*layout, *size, offset),
        (offset, None) => format!("+{offset}"),
    };
    Some(format!("{name}{path}"))
}

/// What some bytes are.
pub(crate) fn part(addr: u64, bytes: u64, harness: &Harness, explanation: &Explanation) -> Option<String> {
    let NamedObject { base, size, name, layout } = object(addr, explanation)?;
    let path = match (addr - base, layout) {
        (offset, Some(layout)) => harness.program.layouts.path_within(*layout, *size, offset, bytes),
        (0, None) => String::new(),
        (offset, None) => format!("+{offset}"),
    };
    Some(format!("{name}{path}"))
}

/// The object that an address lies in.
pub(crate) fn object(addr: u64, explanation: &Explanation) -> Option<&NamedObject> {
    explanation.objects.iter().find(|object| (object.base..object.base + object.size.max(1)).contains(&addr))
}
