//! The words and signs of a litmus test, and a cursor over them.

use super::Mistake;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// Letters, digits and underscores, a letter first.
    Word(&'a str),
    /// A number.
    Number(u64),
    /// Anything else.
    Sign(&'static str),
}

pub(super) type Result<T> = std::result::Result<T, Mistake>;

/// All signs, longer ones before those they start with.
const SIGNS: [&str; 17] =
    [";;", "==", ";", "=", "|", "?", ":", "{", "}", "(", ")", "[", "]", ".", ",", "^", "+"];

/// A place in the tokens of a line.
#[derive(Default)]
pub(super) struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a line.
    pub(super) fn new(line: usize, text: &'a str) -> Result<Cursor<'a>> {
        let mut cursor = Cursor { line, ..Cursor::default() };
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = if word(first) {
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                let found = &rest[..length];
                cursor.tokens.push(if first.is_ascii_digit() {
                    let number = found.parse();
                    Token::Number(number.map_err(|_| cursor.mistake(format!("`{found}` is no number")))?)
                } else {
                    Token::Word(found)
                });
                length
            } else {
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                    return Err(cursor.mistake(format!("unexpected character `{first}`")));
                };
                cursor.tokens.push(Token::Sign(sign));
                sign.len()
            };
            rest = rest[length..].trim_start();
        }
        Ok(cursor)
    }

    /// Something wrong in this line.
    pub(super) fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake { line: self.line, message: message.into() }
    }

    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.peek() {
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Number(number)) => format!("`{number}`"),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
            None => "the end".into(),
        };
        Err(self.mistake(format!("expected {wanted}, found {found}")))
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// Goes past a token if it is the next one.
    pub(super) fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += found as usize;
        found
    }

    pub(super) fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.eat(Token::Sign(sign))
    }

    pub(super) fn need(&mut self, sign: &'static str) -> Result<()> {
        if self.eat_sign(sign) { Ok(()) } else { self.unexpected(&format!("`{sign}`")) }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.eat(Token::Word(word))
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        let Some(Token::Word(word)) = self.peek() else { return self.unexpected(what) };
        self.at += 1;
        Ok(word)
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let Some(Token::Number(number)) = self.peek() else { return self.unexpected("a number") };
        self.at += 1;
        Ok(number)
    }
}
