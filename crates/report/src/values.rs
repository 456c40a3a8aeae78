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

/// The values of the bit-fields in some bytes, with their names, where these are accessed for such.
pub(crate) fn bit_fields<'h>(
    addr: u64,
    bytes: u64,
    value: Value,
    harness: &'h Harness,
    explanation: &Explanation,
) -> Vec<(&'h str, Value)> {
    let Some(NamedObject { base, size, layout: Some(layout), .. }) = object(addr, explanation) else {
        return Vec::new();
    };
    harness.program.layouts.bit_fields_within(*layout, *size, addr - base, bytes, value)
}

/// What some bytes hold: a value, or for bit-fields `{0, 1}`.
pub(crate) fn content(
    addr: u64,
    bytes: u64,
    value: Value,
    harness: &Harness,
    explanation: &Explanation,
) -> String {
    let fields = bit_fields(addr, bytes, value, harness, explanation);
    if fields.is_empty() {
        return show(value, harness, explanation);
    }
    let values: Vec<String> = fields.iter().map(|(_, value)| value.to_string()).collect();
    format!("{{{}}}", values.join(", "))
}

/// The object that an address lies in.
pub(crate) fn object(addr: u64, explanation: &Explanation) -> Option<&NamedObject> {
    explanation.objects.iter().find(|object| (object.base..object.base + object.size.max(1)).contains(&addr))
}
