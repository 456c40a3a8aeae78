//! Reading the inside of a pragma: words and punctuation by hand, C expressions by the parser.

use super::{Delimiters, Failed, Parse, Parser};
use crate::ast::{Expr, Name, Unit};
use crate::token::{Punctuator, Token, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

/// An identifier or keyword, for notations in which C's reserved words mean nothing special.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// Its text; a keyword's in its usual spelling.
    pub text: &'a str,
    /// Its place.
    pub span: Span,
}

/// A list of tokens that is read from left to right, where names mean what they mean at the end of a
/// file.
///
/// ```
/// use fencepost_c::ast::{Expr, Pragma, Unit};
/// use fencepost_c::parse::Fragment;
/// use fencepost_c::token::Punctuator;
/// use fencepost_lsl::diagnostic::Diagnostic;
///
/// /// Reads `#pragma fencepost op e = enqueue(&q, any(0, 1))`.
/// fn operation(unit: &Unit, pragma: &Pragma) -> Result<(String, Expr), Vec<Diagnostic>> {
///     let mut line = Fragment::new(unit, &pragma.tokens);
///     let directive = line.expect_word("a directive");
///     let name = line.expect_word("the operation's name");
///     line.expect(Punctuator::Equal, "after the operation's name");
///     let call = line.expression();
///     line.expect_end();
///     match (directive, name, call) {
///         (Some(_), Some(name), Some(call)) => Ok((name.text.to_owned(), call)),
///         _ => Err(line.finish()),
///     }
/// }
/// ```
pub struct Fragment<'a> {
    parser: Parser<'a>,
}

impl<'a> Fragment<'a> {
    /// Starts before the first of `tokens`, which are part of a pragma of `unit`.
    pub fn new(unit: &'a Unit, tokens: &'a [Token]) -> Fragment<'a> {
        let mut parser = Parser::new(tokens, &unit.names, unit.file_scope.clone());
        parser.end_name = "end of pragma";
        Fragment { parser }
    }

    /// The next token.
    pub(crate) fn peek(&self) -> &'a TokenKind {
        self.parser.kind()
    }

    /// The place of the next token; at the end, the empty one behind the last.
    pub(crate) fn span(&self) -> Span {
        self.parser.span()
    }

    /// Whether all tokens are read.
    pub fn at_end(&self) -> bool {
        self.parser.at_end()
    }

    /// Steps over the next token.
    pub fn advance(&mut self) {
        self.parser.cursor.advance();
    }

    /// Whether this punctuator is next.
    pub fn at(&self, punctuator: Punctuator) -> bool {
        self.parser.at(punctuator)
    }

    /// Steps over a punctuator if it is next.
    pub fn take(&mut self, punctuator: Punctuator) -> bool {
        self.parser.take(punctuator)
    }

    /// Reads an identifier if it is next.
    pub fn take_name(&mut self) -> Option<Name> {
        self.parser.take_name()
    }

    /// Reads an identifier or keyword if it is next.
    pub fn take_word(&mut self) -> Option<Word<'a>> {
        let text = match self.peek() {
            TokenKind::Identifier(symbol) => self.parser.text(*symbol),
            TokenKind::Keyword(keyword) => keyword.text(),
            _ => return None,
        };
        let word = Word { text, span: self.span() };
        self.advance();
        Some(word)
    }

    /// Reads an identifier or keyword; reports what was found instead of the one `wanted`.
    pub fn expect_word(&mut self, wanted: &str) -> Option<Word<'a>> {
        let word = self.take_word();
        if word.is_none() {
            self.unexpected(wanted);
        }
        word
    }

    /// Steps over a punctuator, or reports that it is missing at this `place`: "after the name".
    pub fn expect(&mut self, punctuator: Punctuator, place: &str) -> bool {
        let there = self.take(punctuator);
        if !there {
            self.unexpected(&format!("`{}` {place}", punctuator.text()));
        }
        there
    }

    /// Reports that tokens follow, if they do.
    pub fn expect_end(&mut self) -> bool {
        let end = self.at_end();
        if !end {
            self.unexpected("end of pragma");
        }
        end
    }

    /// Reads a C expression, commas included; reports why, if there is none.
    pub fn expression(&mut self) -> Option<Expr> {
        self.recovered(Parser::expression)
    }

    /// Reads a C expression that ends before a comma.
    pub fn argument(&mut self) -> Option<Expr> {
        self.recovered(Parser::assignment)
    }

    /// Reads C expressions between parentheses, with commas between them.
    pub fn arguments(&mut self) -> Option<Vec<Expr>> {
        self.recovered(Parser::arguments)
    }

    /// Reports that something else was `wanted` where the next token is.
    pub(crate) fn unexpected(&mut self, wanted: &str) {
        // The failure is in the diagnostics; callers of a fragment decide themselves how to go on.
        let _: Parse<()> = self.parser.unexpected(wanted);
    }

    /// Reports something else.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.parser.complain(diagnostic);
    }

    /// Gives back what was reported.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.parser.diagnostics
    }

    fn recovered<T>(&mut self, rule: impl FnOnce(&mut Parser<'a>) -> Parse<T>) -> Option<T> {
        let result = rule(&mut self.parser);
        if let Err(Failed) = result {
            // A pragma is one line: there is nothing to go on with.
            self.parser.cursor.advance_to_end();
            self.parser.cursor.delimiters = Delimiters::default();
        }
        result.ok()
    }
}
