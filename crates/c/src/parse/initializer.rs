//! Initialisers and designators (C11 6.7.9).

use super::{Failed, Parse, Parser};
use crate::ast::{Designator, Initializer, InitializerItem, InitializerList};
use crate::token::{Punctuator, TokenKind};

impl Parser<'_> {
    /// Reads what stands behind `=`.
    pub(super) fn initializer(&mut self) -> Parse<Initializer> {
        if self.at(Punctuator::OpenBrace) {
            return self.nested(|parser| Ok(Initializer::List(parser.initializer_list()?)));
        }
        Ok(Initializer::Expr(self.assignment()?))
    }

    /// Reads values between braces.
    pub(super) fn initializer_list(&mut self) -> Parse<InitializerList> {
        let start = self.start();
        self.expect(Punctuator::OpenBrace, "before initial values")?;
        let mut items = Vec::new();
        while !self.at(Punctuator::CloseBrace) {
            if self.at_end() {
                self.report_unclosed("{", start.span);
                return Err(Failed);
            }
            let designators = self.designators()?;
            items.push(InitializerItem { designators, value: self.initializer()? });
            if !self.take(Punctuator::Comma) {
                break;
            }
        }
        self.close(Punctuator::CloseBrace, start.span, "after initial values")?;
        Ok(InitializerList { items, span: self.since(start) })
    }

    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        // GNU's old form of `.field = value`.
        if matches!(self.kind(), TokenKind::Identifier(_)) && self.at_ahead(1, Punctuator::Colon) {
            designators.push(Designator::Field(self.expect_name("a field")?));
            self.cursor.advance();
            return Ok(designators);
        }
        loop {
            if self.at(Punctuator::OpenBracket) {
                designators.push(self.index_designator()?);
            } else if self.take(Punctuator::Dot) {
                designators.push(Designator::Field(self.expect_name("a field")?));
            } else {
                break;
            }
        }
        // GNU's old form `[3] value` has no `=`.
        let old_index = matches!(designators.last(), Some(Designator::Index(_) | Designator::Range(..)));
        if !designators.is_empty() && !self.take(Punctuator::Equal) && !old_index {
            self.expect(Punctuator::Equal, "after designator")?;
        }
        Ok(designators)
    }

    fn index_designator(&mut self) -> Parse<Designator> {
        let open = self.span();
        self.cursor.advance();
        let first = self.constant()?;
        let designator = if self.take(Punctuator::Ellipsis) {
            Designator::Range(first, self.constant()?)
        } else {
            Designator::Index(first)
        };
        self.close(Punctuator::CloseBracket, open, "after index")?;
        Ok(designator)
    }

    /// Reads the way to a part of a record: `field.field[index]`.
    pub(super) fn member_path(&mut self) -> Parse<Vec<Designator>> {
        let mut path = vec![Designator::Field(self.expect_name("a field")?)];
        loop {
            let open = self.span();
            if self.take(Punctuator::Dot) {
                path.push(Designator::Field(self.expect_name("a field")?));
            } else if self.take(Punctuator::OpenBracket) {
                path.push(Designator::Index(self.expression()?));
                self.close(Punctuator::CloseBracket, open, "after index")?;
            } else {
                return Ok(path);
            }
        }
    }
}
