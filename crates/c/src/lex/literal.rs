//! Character constants and string literals: prefixes and escapes (C11 6.4.4.4, 6.4.5).

use crate::token::{CharacterLiteral, Encoding, StringLiteral};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

/// One element of a literal before it is encoded.
enum Element {
    /// A character or a `\u` escape, to be encoded as the prefix says.
    Character(char),
    /// An octal or hexadecimal escape: one element with this value.
    Code(u32),
}

/// Reads a character constant with its quotes.
pub(super) fn character(
    text: &str,
    closed: bool,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> CharacterLiteral {
    let (encoding, body) = split(text, '\'');
    let bytes = decode(body, encoding, span, diagnostics);
    let elements = bytes.chunks(encoding.element_size());
    let count = elements.len();
    if count == 0 && closed {
        diagnostics.push(Diagnostic::error(span, "empty character constant"));
    }
    // Several characters fill an `int` from the left, as compilers do; it keeps the last four.
    let limit = if encoding == Encoding::Plain { 4 } else { 1 };
    if count > limit && closed {
        diagnostics.push(Diagnostic::warning(span, "character constant too long for its type"));
    }
    let value = match encoding {
        Encoding::Plain if count == 1 => i64::from(bytes.first().map_or(0, |&byte| byte as i8)),
        Encoding::Plain => i64::from(bytes.iter().fold(0i32, |value, &byte| value << 8 | i32::from(byte))),
        // A wide constant has the value of its last element.
        _ => elements.last().map_or(0, |element| little_endian(element, encoding)),
    };
    CharacterLiteral { value, encoding }
}

fn little_endian(element: &[u8], encoding: Encoding) -> i64 {
    let value = element.iter().rev().fold(0i64, |value, &byte| value << 8 | i64::from(byte));
    // `wchar_t` is a signed 32-bit type, `char16_t` and `char32_t` are unsigned.
    if encoding == Encoding::Wide { i64::from(value as i32) } else { value }
}

/// Reads a string literal with its quotes.
pub(super) fn string(text: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> StringLiteral {
    let (encoding, body) = split(text, '"');
    StringLiteral { bytes: decode(body, encoding, span, diagnostics), encoding }
}

impl StringLiteral {
    /// Joins the literal that stands next to this one; false if their prefixes do not go together.
    pub(crate) fn append(&mut self, other: &StringLiteral) -> bool {
        match (self.encoding, other.encoding) {
            (mine, theirs) if mine == theirs => self.bytes.extend_from_slice(&other.bytes),
            (_, Encoding::Plain) => self.bytes.extend(widen(&other.bytes, self.encoding)),
            (Encoding::Plain, theirs) => {
                self.bytes = widen(&self.bytes, theirs);
                self.bytes.extend_from_slice(&other.bytes);
                self.encoding = theirs;
            }
            _ => return false,
        }
        true
    }
}

/// A plain string's bytes as a prefix would have encoded them.
fn widen(bytes: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut wide = Vec::new();
    for chunk in bytes.utf8_chunks() {
        chunk
            .valid()
            .chars()
            .for_each(|character| encode(Element::Character(character), encoding, &mut wide));
        chunk.invalid().iter().for_each(|&byte| encode(Element::Code(byte.into()), encoding, &mut wide));
    }
    wide
}

/// The prefix of a literal and what stands between its quotes, of which the closing one may be missing.
fn split(text: &str, quote: char) -> (Encoding, &str) {
    let (prefix, rest) = text.split_once(quote).unwrap_or(("", text));
    let encoding = match prefix {
        "L" => Encoding::Wide,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "u8" => Encoding::Utf8,
        _ => Encoding::Plain,
    };
    (encoding, rest.strip_suffix(quote).unwrap_or(rest))
}

/// The elements of a literal as bytes in memory.
fn decode(body: &str, encoding: Encoding, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        let element = match character {
            '\\' => escape(&mut rest, span, diagnostics),
            _ => Some(Element::Character(character)),
        };
        let size = encoding.element_size();
        if let Some(Element::Code(code)) = element
            && size < 4
            && code >> (8 * size) != 0
        {
            diagnostics.push(Diagnostic::error(span, "escape sequence out of range"));
        }
        if let Some(element) = element {
            encode(element, encoding, &mut bytes);
        }
    }
    bytes
}

fn encode(element: Element, encoding: Encoding, bytes: &mut Vec<u8>) {
    match (element, encoding) {
        (Element::Code(code), _) => bytes.extend_from_slice(&code.to_le_bytes()[..encoding.element_size()]),
        (Element::Character(character), Encoding::Plain | Encoding::Utf8) => {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        (Element::Character(character), Encoding::Utf16) => {
            bytes.extend(character.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()));
        }
        (Element::Character(character), Encoding::Utf32 | Encoding::Wide) => {
            bytes.extend_from_slice(&u32::from(character).to_le_bytes());
        }
    }
}

/// Reads what follows a backslash; none for a spliced line.
fn escape(rest: &mut std::str::Chars<'_>, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Option<Element> {
    let character = rest.next()?;
    let code = match character {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => u32::from(character),
        '\n' => return None,
        '\r' if rest.as_str().starts_with('\n') => {
            rest.next();
            return None;
        }
        '0'..='7' => {
            let more = take_digits(rest, 8, 2);
            more.chars().fold(character.to_digit(8).unwrap_or(0), |code, digit| {
                code * 8 + digit.to_digit(8).unwrap_or(0)
            })
        }
        'x' => {
            let digits = take_digits(rest, 16, usize::MAX);
            if digits.is_empty() {
                diagnostics.push(Diagnostic::error(span, "`\\x` without digits"));
            }
            let significant = digits.trim_start_matches('0');
            if significant.len() > 8 {
                diagnostics.push(Diagnostic::error(span, "escape sequence out of range"));
                return None;
            }
            u32::from_str_radix(significant, 16).unwrap_or(0)
        }
        'u' | 'U' => {
            let length = if character == 'u' { 4 } else { 8 };
            let digits = take_digits(rest, 16, length);
            let named = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            if digits.len() < length || named.is_none() {
                diagnostics.push(Diagnostic::error(span, "escape sequence does not name a character"));
            }
            return named.map(Element::Character);
        }
        _ => {
            let message = format!("unknown escape sequence `\\{character}`");
            diagnostics.push(Diagnostic::warning(span, message));
            return Some(Element::Character(character));
        }
    };
    Some(Element::Code(code))
}

/// Takes up to `limit` digits.
fn take_digits<'a>(rest: &mut std::str::Chars<'a>, radix: u32, limit: usize) -> &'a str {
    let text = rest.as_str();
    let length = text.bytes().take(limit).take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let (digits, behind) = text.split_at(length);
    *rest = behind.chars();
    digits
}
