//! Tokens of cat.

use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Span};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Word(String),
    Text(String),
    /// A constant of an `enum`, such as `'acquire`.
    Tag(String),
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

pub(crate) fn unexpected(token: &Token, expected: &str) -> Diagnostic {
    let found = match &token.kind {
        Kind::Word(word) => format!("`{word}`"),
        Kind::Text(text) => format!("\"{text}\""),
        Kind::Tag(tag) => format!("`'{tag}`"),
        Kind::Sign(sign) => format!("`{sign}`"),
        Kind::End => "the end of the file".into(),
    };
    Diagnostic::error(token.span, format!("{expected}, found {found}"))
}

/// Reads tokens; stays on the last, which is `End`.
pub(crate) struct Cursor<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) at: usize,
}

impl Cursor<'_> {
    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token behind the next.
    pub(crate) fn second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Sign(next) if *next == sign);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Word(next) if next == word);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn need(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(unexpected(self.peek(), &format!("expected `{sign}`"))) }
    }

    pub(crate) fn need_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(unexpected(self.peek(), &format!("expected `{word}`"))) }
    }

    /// A name, which is what `expected` says.
    pub(crate) fn name(&mut self, expected: &str) -> Result<(String, Span)> {
        let token = self.next();
        match token.kind {
            Kind::Word(word) => Ok((word, token.span)),
            _ => Err(unexpected(&token, expected)),
        }
    }
}

const SIGNS: [&str; 21] = [
    "^-1", "||", "&&", "->", "++", "|", ";", "\\", "&", "*", "?", "+", "(", ")", "[", "]", ",", "=", "~",
    "{", "}",
];

pub(crate) fn lex(text: &str, file: FileId) -> Result<Vec<Token>> {
    let word_char = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    let word = |rest: &str| rest.find(|c| !word_char(c)).unwrap_or(rest.len());
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let span = |len: usize| Span::new(file, at as u32, (at + len) as u32);
        let (kind, len) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("(*") {
            let Some(end) = comment(rest) else {
                return Err(Diagnostic::error(span(2), "comment has no end").help("close it with `*)`"));
            };
            at += end;
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c == '"' {
            let Some(end) = rest[1..].find('"') else {
                return Err(Diagnostic::error(span(1), "string has no end"));
            };
            (Kind::Text(rest[1..=end].into()), end + 2)
        } else if c == '\'' && rest[1..].starts_with(char::is_alphabetic) {
            let len = word(&rest[1..]);
            (Kind::Tag(rest[1..=len].into()), len + 1)
        } else if c.is_alphanumeric() || c == '_' {
            let len = word(rest);
            (Kind::Word(rest[..len].into()), len)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign(sign), sign.len())
        } else {
            return Err(Diagnostic::error(span(c.len_utf8()), format!("unexpected character `{c}`")));
        };
        tokens.push(Token { kind, span: span(len) });
        at += len;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, at as u32, at as u32) });
    Ok(tokens)
}

/// The length of the comment that a text begins with; comments nest.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let step = if rest.starts_with("(*") {
            depth += 1;
            2
        } else if rest.starts_with("*)") {
            depth -= 1;
            2
        } else {
            rest.chars().next()?.len_utf8()
        };
        at += step;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
