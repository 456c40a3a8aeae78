//! Types that were never declared: recognising and reporting them.
//!
//! C cannot be parsed without knowing which names are types, so a misspelt type would otherwise turn
//! into a puzzling syntax error. A name that was not declared, in a place where only a type makes sense,
//! is reported the first time and taken for a type.

use super::scope::Meaning;
use super::specifier::TypeNeed;
use super::{Parser, suggest};
use crate::ast::Name;
use crate::symbol::Symbol;
use crate::token::{Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

/// How many unknown types are compared with all known ones: a file with more lacks an `#include`.
const SUGGESTION_LIMIT: usize = 50;

impl Parser<'_> {
    fn is_undeclared(&self, ahead: usize) -> bool {
        matches!(self.cursor.kind(ahead), TokenKind::Identifier(symbol) if self.scopes.meaning(*symbol).is_none())
    }

    fn is_identifier(&self, ahead: usize) -> bool {
        matches!(self.cursor.kind(ahead), TokenKind::Identifier(_))
    }

    /// The number of `*` from `ahead` on.
    fn stars(&self, ahead: usize) -> usize {
        (ahead..).take_while(|&ahead| self.at_ahead(ahead, Punctuator::Star)).count()
    }

    /// Whether a statement starts with an unknown type, as in `nodet x` or `nodet *x = …`.
    pub(super) fn starts_with_unknown_type(&self, ahead: usize) -> bool {
        if !self.is_undeclared(ahead) {
            return false;
        }
        if self.is_identifier(ahead + 1) {
            return !self.cursor.first_on_line(ahead + 1);
        }
        let stars = self.stars(ahead + 1);
        let name = ahead + 1 + stars;
        let declares = [Punctuator::Semicolon, Punctuator::Equal, Punctuator::Comma, Punctuator::OpenBracket];
        stars > 0
            && self.is_identifier(name)
            && declares.into_iter().any(|punctuator| self.at_ahead(name + 1, punctuator))
    }

    /// Whether the parenthesis that is next opens a cast to an unknown type: `(nodet *)`, `(nodet) x`.
    pub(super) fn casts_to_unknown_type(&self) -> bool {
        if !self.is_undeclared(1) {
            return false;
        }
        let stars = self.stars(2);
        if !self.at_ahead(2 + stars, Punctuator::CloseParen) {
            return false;
        }
        let operand_follows =
            !matches!(self.cursor.kind(3), TokenKind::Punctuator(_) | TokenKind::Keyword(_) | TokenKind::End);
        stars > 0 || operand_follows && !self.cursor.first_on_line(3)
    }

    /// Whether the name that is next can only be meant as a type, by what stands behind it.
    pub(super) fn is_meant_as_type(&self, need: TypeNeed) -> bool {
        match self.cursor.kind(1) {
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::Star) => true,
            TokenKind::Punctuator(Punctuator::CloseParen | Punctuator::Comma | Punctuator::OpenParen) => {
                need == TypeNeed::Required
            }
            _ => false,
        }
    }

    /// Reports that a name is not a type, once.
    pub(super) fn report_unknown_type(&mut self, name: Name) {
        if !self.reported_types.insert(name.symbol) {
            return;
        }
        let text = self.text(name.symbol);
        if self.scopes.meaning(name.symbol) == Some(Meaning::Value) {
            self.complain(Diagnostic::error(name.span, format!("`{text}` is not a type")));
            return;
        }
        let mut diagnostic = Diagnostic::error(name.span, format!("unknown type name `{text}`"));
        if let Some(keyword) = self.scopes.tag_keyword(name.symbol) {
            diagnostic = diagnostic.help(format!("write `{keyword} {text}`"));
        } else if let Some(nearest) = self.nearest_type(name.symbol) {
            diagnostic = diagnostic.help(format!("a type with a similar name exists: `{nearest}`"));
        }
        self.complain(diagnostic);
    }

    fn nearest_type(&self, name: Symbol) -> Option<&str> {
        if self.reported_types.len() > SUGGESTION_LIMIT {
            return None;
        }
        suggest::nearest(self.text(name), self.scopes.types().map(|symbol| self.text(symbol)))
    }
}
