//! Cuts C text into pieces: where each token starts and ends, on which line, and of what sort it is.
//!
//! The same scanner reads the preprocessed text and the original files, so that both are cut alike and
//! their pieces can be compared by their text. It never fails: what is no token is [`PieceKind::Stray`],
//! and a literal that the line does not close ends there.

use crate::token::Punctuator;
use std::borrow::Cow;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PieceKind {
    /// An identifier or keyword.
    Identifier,
    /// A preprocessing number: integer, floating, or malformed.
    Number,
    /// A character constant.
    Character {
        /// Whether its closing quote was found.
        closed: bool,
    },
    /// A string literal.
    String {
        /// Whether its closing quote was found.
        closed: bool,
    },
    /// An operator or separator.
    Punctuator(Punctuator),
    /// A line that starts with `#`, with its continuation lines.
    Directive,
    /// A comment that is never closed; it reaches to the end of the text.
    OpenComment,
    /// A character that starts no token.
    Stray,
}

/// A piece of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// What it is.
    pub(crate) kind: PieceKind,
    /// Offset of its first byte.
    pub(crate) start: u32,
    /// Offset behind its last byte.
    pub(crate) end: u32,
    /// The 1-based line it starts on.
    pub(crate) line: u32,
}

impl Piece {
    /// The piece's text, out of the text it was scanned from.
    pub(crate) fn text(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// Yields the pieces of a text in order.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Offset of the next byte to read.
    at: usize,
    /// The 1-based line of `at`.
    line: u32,
    /// Whether only white space precedes `at` on its line, so that `#` would open a directive.
    line_start: bool,
    /// Whether a quote right behind an identifier is [`Punctuator::Prime`].
    primes: bool,
}

impl<'a> Scanner<'a> {
    /// Scans C text.
    pub(crate) fn new(text: &'a str) -> Scanner<'a> {
        // A byte order mark would otherwise join the first identifier.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { text, bytes: text.as_bytes(), at, line: 1, line_start: true, primes: false }
    }

    /// Scans the inside of a `#pragma fencepost` directive, which is a piece of `text`. Test notation
    /// writes `e'` for an operation without retries, and two of those must not look like a character.
    pub(crate) fn of_pragma(text: &'a str, directive: Piece) -> Scanner<'a> {
        let end = (directive.end as usize).min(text.len());
        let text = text.get(..end).unwrap_or("");
        let at = (directive.start as usize).min(text.len());
        Scanner { text, bytes: text.as_bytes(), at, line: directive.line, line_start: false, primes: true }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Steps over white space, comments and spliced lines; an unclosed comment comes back as a piece.
    fn skip_blank(&mut self) -> Option<Piece> {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.splice_at(self.at).is_some() => {
                    self.at = self.splice_at(self.at).unwrap_or(self.at + 1);
                    self.line += 1;
                }
                b'/' if self.byte(1) == Some(b'/') => self.skip_to_line_break(),
                b'/' if self.byte(1) == Some(b'*') => {
                    let (start, line) = (self.at, self.line);
                    if !self.skip_comment() {
                        return Some(self.piece(PieceKind::OpenComment, start, line));
                    }
                }
                _ => break,
            }
        }
        None
    }

    fn skip_to_line_break(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Steps over the block comment at the cursor; false if the text ends first.
    fn skip_comment(&mut self) -> bool {
        let inside = self.text.get(self.at + 2..).unwrap_or("");
        let length = inside.find("*/");
        let comment = &inside[..length.unwrap_or(inside.len())];
        self.line += comment.bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.at = self.at + 2 + comment.len() + if length.is_some() { 2 } else { 0 };
        length.is_some()
    }

    /// The offset behind the backslash and line break at `at`, if they are there.
    fn splice_at(&self, at: usize) -> Option<usize> {
        match self.bytes.get(at..)? {
            [b'\\', b'\n', ..] => Some(at + 2),
            [b'\\', b'\r', b'\n', ..] => Some(at + 3),
            _ => None,
        }
    }

    fn piece(&self, kind: PieceKind, start: usize, line: u32) -> Piece {
        Piece { kind, start: start as u32, end: self.at as u32, line }
    }

    /// Steps over a directive, to the line break that ends it.
    fn skip_directive(&mut self) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => break,
                b'\\' if self.splice_at(self.at).is_some() => {
                    self.at = self.splice_at(self.at).unwrap_or(self.at + 1);
                    self.line += 1;
                }
                b'/' if self.byte(1) == Some(b'/') => self.skip_to_line_break(),
                b'/' if self.byte(1) == Some(b'*') => {
                    self.skip_comment();
                }
                b'"' | b'\'' => {
                    self.skip_literal(self.at);
                }
                _ => self.at += 1,
            }
        }
        // The directive ends before the carriage return of its line break.
        while self.at > 0 && self.bytes.get(self.at - 1) == Some(&b'\r') {
            self.at -= 1;
        }
    }

    /// Steps over the literal whose opening quote is at `quote`; false if its line does not close it.
    fn skip_literal(&mut self, quote: usize) -> bool {
        let delimiter = self.bytes.get(quote).copied();
        self.at = quote + 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => break,
                b'\\' if self.splice_at(self.at).is_some() => {
                    self.at = self.splice_at(self.at).unwrap_or(self.at + 1);
                    self.line += 1;
                }
                b'\\' if self.byte(1).is_some_and(|next| next != b'\n') => self.at += 2,
                _ => {
                    self.at += 1;
                    if Some(byte) == delimiter {
                        return true;
                    }
                }
            }
        }
        // What closes the statement most likely stands outside the quotes: `puts("hello);`.
        let tail = |byte: u8| matches!(byte, b')' | b';' | b',' | b'}' | b' ' | b'\t' | b'\r');
        while self.at > quote + 1 && self.bytes.get(self.at - 1).is_some_and(|&byte| tail(byte)) {
            self.at -= 1;
        }
        false
    }

    /// The offset of the opening quote of a literal that starts at the cursor, behind its prefix.
    fn literal_quote(&self) -> Option<usize> {
        let prefix = match self.bytes.get(self.at..)? {
            [b'"' | b'\'', ..] => 0,
            [b'L' | b'u' | b'U', b'"' | b'\'', ..] => 1,
            [b'u', b'8', b'"' | b'\'', ..] => 2,
            _ => return None,
        };
        let prime = self.primes && prefix > 0 && self.byte(prefix) == Some(b'\'');
        (!prime).then_some(self.at + prefix)
    }

    /// Steps over a preprocessing number (C11 6.4.8, with C23's digit separators).
    fn skip_number(&mut self) {
        let hexadecimal = self.byte(0) == Some(b'0') && matches!(self.byte(1), Some(b'x' | b'X'));
        while let Some(byte) = self.byte(0) {
            let next = self.byte(1);
            let sign_follows = matches!(next, Some(b'+' | b'-'));
            self.at += match byte {
                b'e' | b'E' if sign_follows && !hexadecimal => 2,
                b'p' | b'P' if sign_follows => 2,
                b'\'' if next.is_some_and(is_identifier_byte) => 2,
                b'.' => 1,
                _ if is_identifier_byte(byte) => 1,
                _ => return,
            };
        }
    }

    /// Steps over an identifier. Preprocessors print its non-ASCII characters as `\u00e9`.
    fn skip_identifier(&mut self) {
        while let Some(byte) = self.byte(0) {
            let digits = match self.byte(1) {
                Some(b'u') if byte == b'\\' => 4,
                Some(b'U') if byte == b'\\' => 8,
                _ => 0,
            };
            let named =
                digits > 0 && (2..2 + digits).all(|n| self.byte(n).is_some_and(|b| b.is_ascii_hexdigit()));
            if !named && !is_identifier_byte(byte) {
                break;
            }
            self.at += if named { 2 + digits } else { 1 };
        }
    }

    fn token(&mut self, first: u8) -> PieceKind {
        if let Some(quote) = self.literal_quote() {
            let closed = self.skip_literal(quote);
            return match self.bytes.get(quote) {
                Some(b'"') => PieceKind::String { closed },
                _ => PieceKind::Character { closed },
            };
        }
        if first.is_ascii_digit() || first == b'.' && self.byte(1).is_some_and(|next| next.is_ascii_digit()) {
            self.skip_number();
            return PieceKind::Number;
        }
        let start = self.at;
        self.skip_identifier();
        if self.at > start {
            return PieceKind::Identifier;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        // Most spellings differ in the first byte: comparing it here is quicker than asking for a prefix.
        let spelled =
            |text: &str| text.as_bytes().first() == Some(&first) && rest.starts_with(text.as_bytes());
        if let Some((text, punctuator)) = Punctuator::SPELLINGS.iter().find(|(text, _)| spelled(text)) {
            self.at += text.len();
            return PieceKind::Punctuator(*punctuator);
        }
        self.at += 1;
        PieceKind::Stray
    }
}

impl Iterator for Scanner<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let behind_previous = self.at;
        if let Some(open_comment) = self.skip_blank() {
            return Some(open_comment);
        }
        let (start, line) = (self.at, self.line);
        let behind_name = start > 0
            && start == behind_previous
            && self.bytes.get(start - 1).is_some_and(|&byte| is_identifier_byte(byte));
        let first = self.byte(0)?;
        let line_start = std::mem::replace(&mut self.line_start, false);
        if first == b'#' && line_start {
            self.skip_directive();
            return Some(self.piece(PieceKind::Directive, start, line));
        }
        if first == b'\'' && self.primes && behind_name {
            self.at += 1;
            return Some(self.piece(PieceKind::Punctuator(Punctuator::Prime), start, line));
        }
        let kind = self.token(first);
        Some(self.piece(kind, start, line))
    }
}

/// An identifier with the characters that it names by `\u00e9` put in.
pub(crate) fn plain_identifier(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('\\');
    let Some(mut plain) = parts.next().map(Cow::Borrowed) else { return Cow::Borrowed(text) };
    for part in parts {
        let length = if part.starts_with('u') { 5 } else { 9 };
        let (digits, rest) = part.split_at_checked(length).unwrap_or((part, ""));
        let named = digits.get(1..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        plain.to_mut().push(named.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
        plain.to_mut().push_str(rest);
    }
    plain
}

/// Whether a byte may stand in an identifier; those of non-ASCII characters all may.
fn is_identifier_byte(byte: u8) -> bool {
    byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric() || byte >= 0x80
}
