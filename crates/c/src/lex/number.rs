//! Integer constants: value and suffix, in bases two, eight, ten and sixteen.

use crate::token::{IntegerLength, IntegerLiteral};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

/// The base a number is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Binary,
    Octal,
    Decimal,
    Hexadecimal,
}

impl Base {
    /// The base of a number, and its text behind the prefix. The zero of an octal number is a digit of it.
    fn of(text: &str) -> (Base, &str) {
        match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (Base::Hexadecimal, &text[2..]),
            [b'0', b'b' | b'B', ..] => (Base::Binary, &text[2..]),
            [b'0', ..] => (Base::Octal, text),
            _ => (Base::Decimal, text),
        }
    }

    fn radix(self) -> u32 {
        match self {
            Base::Binary => 2,
            Base::Octal => 8,
            Base::Decimal => 10,
            Base::Hexadecimal => 16,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Base::Binary => "binary",
            Base::Octal => "octal",
            Base::Decimal => "decimal",
            Base::Hexadecimal => "hexadecimal",
        }
    }
}

/// Whether a preprocessing number is a floating constant.
pub(super) fn is_float(text: &str) -> bool {
    let exponents = match Base::of(text).0 {
        Base::Hexadecimal => ['p', 'P'],
        Base::Binary => return false,
        Base::Octal | Base::Decimal => ['e', 'E'],
    };
    text.contains('.') || text.contains(exponents)
}

/// Reads an integer constant; whatever is wrong with it, something comes back.
pub(super) fn integer(text: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> IntegerLiteral {
    let (base, digits) = Base::of(text);
    // Decimal digits in too low a base are wrong digits, not the start of a suffix.
    let is_digit = |c: char| c.is_digit(base.radix().max(10)) || c == '\'';
    let suffix_at = digits.find(|c: char| !is_digit(c)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(suffix_at);
    let mut error = |message: String| diagnostics.push(Diagnostic::error(span, message));
    let mut value = 0u64;
    let mut overflow = false;
    if digits.is_empty() {
        error(format!("{} number without digits", base.name()));
    }
    for digit in digits.chars().filter(|&c| c != '\'') {
        let Some(digit) = digit.to_digit(base.radix()) else {
            error(format!("digit `{digit}` in {} number", base.name()));
            break;
        };
        let next = value.checked_mul(base.radix().into()).and_then(|value| value.checked_add(digit.into()));
        overflow |= next.is_none();
        value = next.unwrap_or(value);
    }
    if overflow {
        value = u64::MAX;
        error(format!("`{text}` is too large for any integer type"));
    }
    let (unsigned, length) = read_suffix(suffix).unwrap_or_else(|| {
        error(format!("unknown suffix `{suffix}` on an integer"));
        (false, IntegerLength::Int)
    });
    // A plain zero is octal to the grammar, which changes nothing about its type.
    IntegerLiteral { value, decimal: base == Base::Decimal || text == "0", unsigned, length }
}

/// `u` and one of `l` and `ll`, in either order; the two letters of `ll` have the same case.
fn read_suffix(suffix: &str) -> Option<(bool, IntegerLength)> {
    let without_u = suffix.trim_start_matches(['u', 'U']);
    let (unsigned, rest) = if without_u.len() < suffix.len() {
        (suffix.len() - without_u.len(), without_u)
    } else {
        let rest = suffix.trim_end_matches(['u', 'U']);
        (suffix.len() - rest.len(), rest)
    };
    let length = match rest {
        "" => IntegerLength::Int,
        "l" | "L" => IntegerLength::Long,
        "ll" | "LL" => IntegerLength::LongLong,
        _ => return None,
    };
    (unsigned <= 1).then_some((unsigned == 1, length))
}
