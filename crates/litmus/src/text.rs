//! A cursor over the text of a litmus test, with positions for diagnostics.

use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Span};

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// Where we are in a stretch of text.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
    end: usize,
    /// How many parentheses, operators and blocks are open.
    depth: u32,
}

/// How deep what a test says may be nested: reading it takes stack.
const DEEPEST: u32 = 200;

/// A piece of text and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

impl<'t> Piece<'t> {
    /// The part of it that begins and ends at these offsets, without blanks around it.
    pub(crate) fn part(self, start: usize, end: usize) -> Piece<'t> {
        let text = &self.text[start..end];
        let (front, text) = (text.len() - text.trim_start().len(), text.trim());
        let start = self.span.start + (start + front) as u32;
        Piece { text, span: Span::new(self.span.file, start, start + text.len() as u32) }
    }

    /// The same without blanks around it.
    pub(crate) fn trimmed(self) -> Piece<'t> {
        self.part(0, self.text.len())
    }

    /// What stands between a first and a last character, if these are its first and last.
    pub(crate) fn inside(self, first: char, last: char) -> Option<Piece<'t>> {
        let whole = self.text.starts_with(first) && self.text.ends_with(last) && self.text.len() >= 2;
        whole.then(|| self.part(1, self.text.len() - 1))
    }

    /// Its parts between separators that stand in no brackets.
    pub(crate) fn split(self, separator: char) -> Vec<Piece<'t>> {
        let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
        for (at, c) in self.text.char_indices() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ if c == separator && depth == 0 => {
                    parts.push(self.part(start, at));
                    start = at + c.len_utf8();
                }
                _ => {}
            }
        }
        parts.push(self.part(start, self.text.len()));
        parts
    }

    /// An error here.
    pub(crate) fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span, message)
    }
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str, file: FileId) -> Cursor<'t> {
        Cursor { text, file, at: 0, end: text.len(), depth: 0 }
    }

    /// A cursor over a piece of the same text.
    pub(crate) fn over(&self, piece: Piece) -> Cursor<'t> {
        Cursor { at: piece.span.start as usize, end: piece.span.end as usize, ..self.clone() }
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    /// Goes on by so many bytes, and returns them.
    pub(crate) fn take(&mut self, bytes: usize) -> Piece<'t> {
        let piece = Piece {
            text: &self.text[self.at..self.at + bytes],
            span: Span::new(self.file, self.at as u32, (self.at + bytes) as u32),
        };
        self.at += bytes;
        piece
    }

    pub(crate) fn blanks(&mut self) {
        self.at = self.end - self.rest().trim_start().len();
    }

    pub(crate) fn done(&mut self) -> bool {
        self.blanks();
        self.at == self.end
    }

    /// Whether this comes next, blanks aside.
    pub(crate) fn sees(&mut self, what: &str) -> bool {
        self.blanks();
        let more = self.rest().strip_prefix(what);
        more.is_some_and(|more| !(what.ends_with(is_name) && more.starts_with(is_name)))
    }

    pub(crate) fn eat(&mut self, what: &str) -> bool {
        let sees = self.sees(what);
        if sees {
            self.at += what.len();
        }
        sees
    }

    pub(crate) fn expect(&mut self, what: &str) -> Result<()> {
        match self.eat(what) {
            true => Ok(()),
            false => Err(self.error(format!("`{what}` is missing here"))),
        }
    }

    /// A name.
    pub(crate) fn word(&mut self) -> Option<Piece<'t>> {
        self.blanks();
        let rest = self.rest();
        let starts = rest.starts_with(|c: char| is_name(c) && !c.is_ascii_digit());
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        starts.then(|| self.take(length))
    }

    /// A number: decimal or hexadecimal, maybe negative.
    pub(crate) fn number(&mut self) -> Option<i64> {
        self.blanks();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let length = rest[sign..].find(|c: char| !is_name(c)).unwrap_or(rest.len() - sign);
        let value = number(&rest[..sign + length])?;
        self.at += sign + length;
        Some(value)
    }

    /// Reads something nested, unless it is nested too deeply.
    pub(crate) fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.error("this is nested too deeply")) } else { Ok(()) }
    }

    /// What was nested is read.
    pub(crate) fn back(&mut self) {
        self.depth -= 1;
    }

    /// What comes up to a character, which is passed too.
    pub(crate) fn until(&mut self, end: char) -> Option<Piece<'t>> {
        let length = self.rest().find(end)?;
        let piece = self.take(length);
        self.at += end.len_utf8();
        Some(piece)
    }

    /// The next character, for an error.
    pub(crate) fn here(&mut self) -> Span {
        self.blanks();
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.file, self.at as u32, (self.at + next) as u32)
    }

    /// An error at what comes next.
    pub(crate) fn error(&mut self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.here(), message)
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The number that a text is.
pub(crate) fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as i64,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(value.wrapping_mul(sign))
}

/// The text with blanks for comments, every other byte where it was.
pub(crate) fn without_comments(text: &str, c: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match () {
            () if next == '"' => {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            () if c && rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            () if c && rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            () if !c && rest.starts_with("(*") => nested(rest),
            () => 0,
        };
        if length == 0 {
            out.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        }
        out.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    out
}

/// The length of the comment that a text begins with; comments nest.
fn nested(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(next) = text[at..].chars().next() {
        let step = match () {
            () if text[at..].starts_with("(*") => 1,
            () if text[at..].starts_with("*)") => -1,
            () => 0,
        };
        depth += step;
        at += if step == 0 { next.len_utf8() } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}
