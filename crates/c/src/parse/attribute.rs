//! Attributes, in GNU's form `__attribute__((…))` and in C23's `[[…]]`.

use super::{Parse, Parser};
use crate::ast::{Attribute, AttributeKind, Name};
use crate::token::{Keyword, Punctuator, TokenKind};

/// How many tokens of attributes are looked at before a statement: all of them, unless they are made to
/// be looked at again and again.
const LOOKAHEAD_LIMIT: usize = 4096;

impl Parser<'_> {
    pub(super) fn at_attribute(&self) -> bool {
        self.attribute_starts(0)
    }

    fn attribute_starts(&self, ahead: usize) -> bool {
        *self.cursor.kind(ahead) == TokenKind::Keyword(Keyword::Attribute)
            || self.at_ahead(ahead, Punctuator::OpenBracket)
                && self.at_ahead(ahead + 1, Punctuator::OpenBracket)
    }

    /// How many tokens at the cursor are attributes, as far as one looks.
    pub(super) fn attribute_length(&self) -> usize {
        let mut ahead = 0;
        while ahead < LOOKAHEAD_LIMIT && self.attribute_starts(ahead) {
            let mut depth = 0u32;
            ahead += usize::from(!self.at_ahead(ahead, Punctuator::OpenBracket));
            loop {
                match self.cursor.kind(ahead) {
                    _ if ahead > LOOKAHEAD_LIMIT => return ahead,
                    TokenKind::End => return ahead,
                    TokenKind::Punctuator(Punctuator::OpenParen | Punctuator::OpenBracket) => depth += 1,
                    TokenKind::Punctuator(Punctuator::CloseParen | Punctuator::CloseBracket) => {
                        depth = depth.saturating_sub(1);
                    }
                    _ => {}
                }
                ahead += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        ahead
    }

    /// Reads all attributes that are next.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            let open = self.span();
            if self.take_keyword(Keyword::Attribute) {
                let open = self.span();
                self.expect(Punctuator::OpenParen, "after `__attribute__`")?;
                self.expect(Punctuator::OpenParen, "after `__attribute__(`")?;
                self.attribute_list(Punctuator::CloseParen, attributes)?;
                self.close(Punctuator::CloseParen, open, "after attributes")?;
                self.close(Punctuator::CloseParen, open, "after attributes")?;
            } else if self.at_attribute() {
                self.cursor.advance();
                self.cursor.advance();
                self.attribute_list(Punctuator::CloseBracket, attributes)?;
                self.close(Punctuator::CloseBracket, open, "after attributes")?;
                self.close(Punctuator::CloseBracket, open, "after attributes")?;
            } else {
                return Ok(());
            }
        }
    }

    fn attribute_list(&mut self, end: Punctuator, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            if !self.at(Punctuator::Comma) && !self.at(end) {
                attributes.push(self.attribute()?);
            }
            if !self.take(Punctuator::Comma) {
                return Ok(());
            }
        }
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let mut name = self.attribute_name()?;
        // A namespace: `gnu::packed`.
        if self.at(Punctuator::Colon) && self.at_ahead(1, Punctuator::Colon) {
            self.cursor.advance();
            self.cursor.advance();
            name = self.attribute_name()?;
        }
        let plain = self.text(name.symbol).trim_matches('_');
        let open = self.span();
        let has_arguments = self.take(Punctuator::OpenParen);
        let first = self.cursor.index();
        let kind = match plain {
            "packed" => AttributeKind::Packed,
            "aligned" if has_arguments => AttributeKind::Aligned(Some(Box::new(self.constant()?))),
            "aligned" => AttributeKind::Aligned(None),
            "noreturn" => AttributeKind::Noreturn,
            "unused" => AttributeKind::Unused,
            "cleanup" if has_arguments => AttributeKind::Cleanup(self.expect_name("the name of a function")?),
            "constructor" => AttributeKind::Constructor,
            "destructor" => AttributeKind::Destructor,
            _ => AttributeKind::Other,
        };
        if !has_arguments {
            return Ok(Attribute { name, kind, arguments: Vec::new() });
        }
        self.skip_arguments();
        let arguments = self.cursor.between(first, self.cursor.index()).to_vec();
        self.close(Punctuator::CloseParen, open, "after attribute's arguments")?;
        Ok(Attribute { name, kind, arguments })
    }

    /// Reads a word, for `const` is an attribute too.
    fn attribute_name(&mut self) -> Parse<Name> {
        let symbol = match self.kind() {
            TokenKind::Identifier(symbol) => Some(*symbol),
            TokenKind::Keyword(keyword) => self.names.find(keyword.text()),
            _ => None,
        };
        let Some(symbol) = symbol else { return self.unexpected("the name of an attribute") };
        let name = Name { symbol, span: self.span() };
        self.cursor.advance();
        Ok(name)
    }

    /// Skips to the parenthesis that closes the one just read.
    fn skip_arguments(&mut self) {
        let outside = self.cursor.delimiters.parens.saturating_sub(1);
        while !self.at_end() {
            let closes = self.at(Punctuator::CloseParen) && self.cursor.delimiters.parens <= outside + 1;
            if closes {
                break;
            }
            self.cursor.advance();
        }
    }

    /// Reads attributes that say nothing to us, such as `fallthrough`.
    pub(super) fn ignore_attributes(&mut self) -> Parse<()> {
        self.attributes(&mut Vec::new())
    }
}
