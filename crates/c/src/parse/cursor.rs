//! A place in a list of tokens, and how many brackets are open there.

use crate::token::{Punctuator, Token, TokenKind};
use fencepost_lsl::source::{FileId, Span};

/// How many brackets are open.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Delimiters {
    /// Parentheses and square brackets.
    pub(super) parens: u32,
    /// Braces.
    pub(super) braces: u32,
}

/// Reads tokens from left to right; behind the last one, [`TokenKind::End`] for ever.
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    index: usize,
    /// What is open at `index`, as far as the parser did not reset it after an error.
    pub(super) delimiters: Delimiters,
}

static END: TokenKind = TokenKind::End;

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Cursor<'a> {
        Cursor { tokens, index: 0, delimiters: Delimiters::default() }
    }

    /// The index of the next token.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The tokens between two indices.
    pub(super) fn between(&self, from: usize, to: usize) -> &'a [Token] {
        self.tokens.get(from..to).unwrap_or_default()
    }

    /// The token `ahead` places behind the next one.
    pub(super) fn kind(&self, ahead: usize) -> &'a TokenKind {
        self.tokens.get(self.index + ahead).map_or(&END, |token| &token.kind)
    }

    /// Whether the token `ahead` places behind the next one opens a line.
    pub(super) fn first_on_line(&self, ahead: usize) -> bool {
        self.tokens.get(self.index + ahead).is_none_or(|token| token.first_on_line)
    }

    /// The place of the next token; at the end, behind the last one.
    pub(super) fn span(&self) -> Span {
        match self.tokens.get(self.index) {
            Some(token) => token.span,
            None => self.behind_previous(),
        }
    }

    /// The place of the token just read.
    pub(super) fn previous_span(&self) -> Span {
        let previous = self.index.min(self.tokens.len()).checked_sub(1);
        let token = previous.and_then(|index| self.tokens.get(index)).or(self.tokens.first());
        token.map_or(Span::new(FileId(0), 0, 0), |token| token.span)
    }

    /// The empty place behind the token just read.
    pub(super) fn behind_previous(&self) -> Span {
        let previous = self.previous_span();
        Span::new(previous.file, previous.end, previous.end)
    }

    /// Steps over a token; the end stays.
    pub(super) fn advance(&mut self) {
        match self.kind(0) {
            TokenKind::End => return,
            TokenKind::Punctuator(punctuator) => self.count_as_read(*punctuator),
            _ => {}
        }
        self.index += 1;
    }

    /// Keeps count of what is open, as if a punctuator were read here.
    pub(super) fn count_as_read(&mut self, punctuator: Punctuator) {
        let Delimiters { parens, braces } = &mut self.delimiters;
        match punctuator {
            Punctuator::OpenParen | Punctuator::OpenBracket => *parens += 1,
            Punctuator::CloseParen | Punctuator::CloseBracket => *parens = parens.saturating_sub(1),
            Punctuator::OpenBrace => *braces += 1,
            Punctuator::CloseBrace => *braces = braces.saturating_sub(1),
            _ => {}
        }
    }

    /// Steps over all tokens.
    pub(super) fn advance_to_end(&mut self) {
        let rest = self.tokens.get(self.index..).unwrap_or_default();
        self.index += rest.iter().take_while(|token| token.kind != TokenKind::End).count();
    }
}
