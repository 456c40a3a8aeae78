//! Syntax errors: how they are reported, and how the parser goes on behind them.

use super::{Delimiters, Failed, Parse, Parser};
use crate::ast::Name;
use crate::token::{Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

/// How deep constructs may nest, and how high trees may grow. Both bounds keep hostile input from
/// overflowing the stack, here and in whatever walks the tree; a level takes up to 5 KiB here.
const NESTING_LIMIT: u32 = 200;

impl Parser<'_> {
    /// Reports a syntax error at the next token, unless one was reported there.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let here = Some(self.cursor.index());
        if !self.abandoned && self.last_error != here {
            self.diagnostics.push(diagnostic);
        }
        self.last_error = here;
    }

    /// Reports something wrong with what was read, behind which parsing goes on as if it were right.
    pub(super) fn complain(&mut self, diagnostic: Diagnostic) {
        if !self.abandoned {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The next token, for a message.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => self.end_name.to_owned(),
            kind => kind.describe(self.names),
        }
    }

    /// Fails because the next token does not start what is wanted.
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let message = format!("expected {wanted}, found {}", self.found());
        self.report(Diagnostic::error(self.span(), message));
        Err(Failed)
    }

    /// Steps over a punctuator that must be next. If it is likely that it was merely forgotten, parsing
    /// goes on as if it were there.
    pub(super) fn expect(&mut self, wanted: Punctuator, place: &str) -> Parse<()> {
        if self.take(wanted) {
            return Ok(());
        }
        let diagnostic = self.missing(wanted, place);
        self.report(diagnostic);
        if self.is_forgotten(wanted) { Ok(()) } else { Err(Failed) }
    }

    /// Steps over the punctuator that closes what was opened at `open`.
    pub(super) fn close(&mut self, wanted: Punctuator, open: Span, place: &str) -> Parse<()> {
        if self.take(wanted) {
            return Ok(());
        }
        let opener = match wanted {
            Punctuator::CloseBrace => "{",
            Punctuator::CloseBracket => "[",
            _ => "(",
        };
        if self.at_end() {
            self.report_unclosed(opener, open);
            return Err(Failed);
        }
        let diagnostic = self.missing(wanted, place).related(open, format!("to close this `{opener}`"));
        self.report(diagnostic);
        if !self.is_forgotten(wanted) {
            return Err(Failed);
        }
        self.cursor.count_as_read(wanted);
        Ok(())
    }

    /// Reports that the tokens end before a bracket is closed.
    pub(super) fn report_unclosed(&mut self, opener: &str, open: Span) {
        let diagnostic = Diagnostic::error(self.span(), format!("unclosed `{opener}`"))
            .label(format!("{} reached here", self.end_name))
            .related(open, format!("this `{opener}` is never closed"));
        self.report(diagnostic);
    }

    /// Steps over a keyword that must be next.
    pub(super) fn expect_keyword(&mut self, wanted: Keyword, place: &str) -> Parse<()> {
        if self.take_keyword(wanted) {
            return Ok(());
        }
        self.unexpected(&format!("`{}` {place}", wanted.text()))
    }

    /// Reads an identifier that must be next.
    pub(super) fn expect_name(&mut self, wanted: &str) -> Parse<Name> {
        match self.take_name() {
            Some(name) => Ok(name),
            None => self.unexpected(wanted),
        }
    }

    /// The message for a punctuator that is not there. Where a new line starts, the place is behind the
    /// old one: that is where it belongs.
    fn missing(&self, wanted: Punctuator, place: &str) -> Diagnostic {
        let behind = self.at_end() || self.cursor.first_on_line(0);
        let span = if behind { self.cursor.behind_previous() } else { self.span() };
        Diagnostic::error(span, format!("expected `{}` {place}, found {}", wanted.text(), self.found()))
    }

    /// Whether what follows looks as if only this punctuator were missing.
    fn is_forgotten(&self, wanted: Punctuator) -> bool {
        let before = |punctuators: &[Punctuator]| punctuators.iter().any(|&next| self.at(next));
        match wanted {
            Punctuator::Semicolon | Punctuator::Colon => {
                self.cursor.first_on_line(0) || before(&[Punctuator::CloseBrace])
            }
            Punctuator::CloseParen | Punctuator::CloseBracket => {
                before(&[Punctuator::Semicolon, Punctuator::OpenBrace, Punctuator::CloseBrace])
            }
            Punctuator::CloseBrace => before(&[Punctuator::Semicolon]),
            _ => false,
        }
    }

    /// Skips to behind the statement, member or declaration that failed, which started where `start`
    /// was open. Stops before the brace that closes what it stands in.
    pub(super) fn skip_construct(&mut self, start: Delimiters) {
        loop {
            let open = self.cursor.delimiters;
            match self.kind() {
                TokenKind::End => break,
                TokenKind::Punctuator(Punctuator::CloseBrace) if open.braces <= start.braces => break,
                TokenKind::Punctuator(Punctuator::CloseBrace) => {
                    self.cursor.advance();
                    if self.cursor.delimiters.braces <= start.braces && !self.goes_on_behind_brace() {
                        break;
                    }
                }
                TokenKind::Punctuator(Punctuator::Semicolon) if open.braces <= start.braces => {
                    self.cursor.advance();
                    // One inside the parentheses of `for` ends nothing, unless they were never closed.
                    if open.parens <= start.parens || self.cursor.first_on_line(0) {
                        break;
                    }
                }
                _ => self.cursor.advance(),
            }
        }
        self.cursor.delimiters = start;
    }

    /// Whether a failed construct is not yet over though its outermost brace was closed.
    fn goes_on_behind_brace(&self) -> bool {
        match self.kind() {
            TokenKind::Punctuator(punctuator) => matches!(
                punctuator,
                Punctuator::Semicolon
                    | Punctuator::Comma
                    | Punctuator::Equal
                    | Punctuator::CloseParen
                    | Punctuator::CloseBracket
            ),
            TokenKind::Keyword(keyword) => *keyword == Keyword::Else,
            _ => false,
        }
    }

    /// Runs a rule that can contain itself. All recursion of the parser goes through here.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= NESTING_LIMIT {
            return self.abandon();
        }
        self.depth += 1;
        let result = self.apart(|parser| {
            let tree = rule(parser);
            parser.grow()?;
            tree
        });
        self.depth -= 1;
        result
    }

    /// Runs a rule whose tree stands beside those finished before, rather than on top of them.
    pub(super) fn apart<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let height_of_siblings = std::mem::take(&mut self.height);
        let result = rule(self);
        self.height = self.height.max(height_of_siblings);
        result
    }

    /// Counts one more level on top of the trees just finished: `a + b + c` nests without recursion.
    pub(super) fn grow(&mut self) -> Parse<()> {
        self.height += 1;
        if self.height > NESTING_LIMIT { self.abandon() } else { Ok(()) }
    }

    /// Gives up on the rest of the tokens: unlike other errors, this one would come again and again.
    fn abandon<T>(&mut self) -> Parse<T> {
        self.complain(Diagnostic::error(self.span(), "nesting too deep"));
        self.abandoned = true;
        self.cursor.advance_to_end();
        Err(Failed)
    }
}
