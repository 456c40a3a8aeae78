//! Values as a reader of C would write them.

use fencepost_harness::trace::Explanation;
use fencepost_lsl::program::address;
use fencepost_lsl::value::Value;

/// A value: a number, or the name of the object that it is the address of.
pub(crate) fn show(value: Value, explanation: &Explanation) -> String {
    match value.defined() {
        Some(bits) if (address::GLOBALS..address::END).contains(&bits) => {
            let holds = |(base, size, _): &&(u64, u64, String)| *base <= bits && bits < base + size.max(&1);
            match explanation.objects.iter().find(holds) {
                Some((base, _, name)) if *base == bits => format!("&{name}"),
                Some((base, _, name)) => format!("&{name}+{}", bits - base),
                None => value.to_string(),
            }
        }
        _ => value.to_string(),
    }
}
