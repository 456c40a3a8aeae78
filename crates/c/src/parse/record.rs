//! Structs, unions and enumerations.

use super::scope::Meaning;
use super::specifier::TypeNeed;
use super::{Delimiters, Failed, Parse, Parser};
use crate::ast::{
    Declarator, EnumSpecifier, Enumerator, Field, FieldDeclaration, Member, RecordKind, RecordSpecifier,
};
use crate::token::{Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

impl Parser<'_> {
    /// Reads a struct or union, from its keyword on.
    pub(super) fn record(&mut self) -> Parse<RecordSpecifier> {
        let start = self.start();
        let kind = if self.at_keyword(Keyword::Union) { RecordKind::Union } else { RecordKind::Struct };
        self.cursor.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.take_name();
        self.attributes(&mut attributes)?;
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag.symbol, kind.text());
        }
        let members = if self.at(Punctuator::OpenBrace) { Some(self.members()?) } else { None };
        if tag.is_none() && members.is_none() {
            return self.unexpected(&format!("a tag or `{{` after `{}`", kind.text()));
        }
        let span = self.since(start);
        let pack = self.pack();
        if members.is_some() {
            self.attributes(&mut attributes)?;
        }
        Ok(RecordSpecifier { kind, tag, members, attributes, pack, span })
    }

    /// The alignment that `#pragma pack` leaves to the members of a record that ends here.
    fn pack(&self) -> Option<u64> {
        let behind = self.packs.partition_point(|(from, _)| *from < self.cursor.index());
        behind.checked_sub(1).and_then(|index| self.packs[index].1)
    }

    fn members(&mut self) -> Parse<Vec<Member>> {
        let open = self.span();
        self.cursor.advance();
        let mut members = Vec::new();
        while !self.take(Punctuator::CloseBrace) {
            if self.at_end() {
                self.report_unclosed("{", open);
                return Err(Failed);
            }
            if self.take(Punctuator::Semicolon) {
                continue;
            }
            let delimiters = self.cursor.delimiters;
            if self.starts_outside_record() {
                self.close_lost_record(open);
                break;
            }
            match self.member() {
                Ok(member) => members.push(member),
                Err(Failed) => self.skip_construct(delimiters),
            }
        }
        Ok(members)
    }

    /// Whether the next token starts a declaration that cannot be a member.
    fn starts_outside_record(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Keyword(Keyword::Typedef | Keyword::Extern | Keyword::Static | Keyword::Inline)
        )
    }

    /// Ends a record whose closing brace is missing, so that what follows is not taken for members.
    fn close_lost_record(&mut self, open: Span) {
        let message = format!("expected `}}` after members, found {}", self.found());
        self.report(Diagnostic::error(self.span(), message).related(open, "to close this `{`"));
        self.cursor.count_as_read(Punctuator::CloseBrace);
    }

    fn member(&mut self) -> Parse<Member> {
        if self.at_keyword(Keyword::StaticAssert) {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        let start = self.start();
        let specifiers = self.specifiers(TypeNeed::Required)?;
        let mut fields = Vec::new();
        let missing_semicolon = specifiers.base.is_definition() && self.is_next_declaration();
        if !self.at(Punctuator::Semicolon) && !missing_semicolon {
            loop {
                fields.push(self.field()?);
                if !self.take(Punctuator::Comma) {
                    break;
                }
            }
        }
        self.expect(Punctuator::Semicolon, "after field")?;
        Ok(Member::Fields(FieldDeclaration { specifiers, fields, span: self.since(start) }))
    }

    fn field(&mut self) -> Parse<Field> {
        let mut declarator = if self.at(Punctuator::Colon) {
            let span = self.since(self.start());
            Declarator { name: None, derivations: Vec::new(), attributes: Vec::new(), asm_name: None, span }
        } else {
            let declarator = self.declarator(false)?;
            self.check_prototypes(&declarator);
            declarator
        };
        let width = if self.take(Punctuator::Colon) { Some(self.constant()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(Field { declarator, width })
    }

    /// Reads an enumeration, from its keyword on.
    pub(super) fn enumeration(&mut self) -> Parse<EnumSpecifier> {
        let start = self.start();
        self.cursor.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.take_name();
        self.attributes(&mut attributes)?;
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag.symbol, "enum");
        }
        // `enum tag : type` is a bit-field where no type follows.
        let has_underlying = self.at(Punctuator::Colon) && self.starts_type(1);
        let underlying = if has_underlying {
            self.cursor.advance();
            Some(Box::new(self.type_name()?))
        } else {
            None
        };
        let enumerators = if self.at(Punctuator::OpenBrace) { Some(self.enumerators()?) } else { None };
        if tag.is_none() && enumerators.is_none() {
            return self.unexpected("a tag or `{` after `enum`");
        }
        let span = self.since(start);
        if enumerators.is_some() {
            self.attributes(&mut attributes)?;
        }
        Ok(EnumSpecifier { tag, underlying, enumerators, attributes, span })
    }

    fn enumerators(&mut self) -> Parse<Vec<Enumerator>> {
        let open = self.span();
        self.cursor.advance();
        let delimiters = self.cursor.delimiters;
        let mut enumerators = Vec::new();
        while !self.at(Punctuator::CloseBrace) {
            match self.enumerator() {
                Ok(enumerator) => enumerators.push(enumerator),
                Err(Failed) => self.skip_to_brace(delimiters),
            }
            if !self.take(Punctuator::Comma) {
                break;
            }
        }
        let is_closed = self.at(Punctuator::CloseBrace) || self.at(Punctuator::Semicolon) || self.at_end();
        if !is_closed {
            self.report(Diagnostic::error(
                self.span(),
                format!("expected `,` or `}}` after enumeration constant, found {}", self.found()),
            ));
            self.skip_to_brace(delimiters);
        }
        self.close(Punctuator::CloseBrace, open, "after enumeration constants")?;
        Ok(enumerators)
    }

    fn enumerator(&mut self) -> Parse<Enumerator> {
        let name = self.expect_name("the name of an enumeration constant")?;
        self.attributes(&mut Vec::new())?;
        let value = if self.take(Punctuator::Equal) { Some(self.constant()?) } else { None };
        self.scopes.declare(name.symbol, Meaning::Value);
        Ok(Enumerator { name, value })
    }

    /// Skips to the brace that closes the list in which `inside` is open, so that the type is still
    /// declared though its list is broken.
    fn skip_to_brace(&mut self, inside: Delimiters) {
        loop {
            let closes = self.at(Punctuator::CloseBrace) && self.cursor.delimiters.braces <= inside.braces;
            if closes || *self.kind() == TokenKind::End {
                break;
            }
            self.cursor.advance();
        }
        self.cursor.delimiters = inside;
    }
}
