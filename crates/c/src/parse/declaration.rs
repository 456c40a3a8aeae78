//! Declarations, function definitions and static assertions.

use super::scope::Meaning;
use super::specifier::TypeNeed;
use super::{Failed, Parse, Parser, Start};
use crate::ast::{
    Declaration, Declarator, Derivation, Function, FunctionDerivation, InitDeclarator, Specifiers,
    StaticAssert, TypeSpecifier,
};
use crate::token::{Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

/// What a declaration turned out to be.
pub(super) enum Declared {
    /// Anything but a function with its body.
    Variables(Declaration),
    /// A function with its body.
    Function(Function),
}

impl Parser<'_> {
    /// Whether a declaration starts here, rather than a statement.
    pub(super) fn starts_declaration(&self) -> bool {
        let ahead = self.attribute_length();
        if self.at_ahead(ahead + 1, Punctuator::Colon)
            && matches!(self.cursor.kind(ahead), TokenKind::Identifier(_))
        {
            return false;
        }
        self.starts_type(ahead) || self.starts_with_unknown_type(ahead)
    }

    /// Reads a declaration or a function definition.
    pub(super) fn declaration(&mut self) -> Parse<Declared> {
        let start = self.start();
        let specifiers = self.specifiers(TypeNeed::Optional)?;
        let only_type =
            self.at(Punctuator::Semicolon) || specifiers.base.is_definition() && self.is_next_declaration();
        if only_type {
            self.expect(Punctuator::Semicolon, "after declaration")?;
            let declaration = Declaration { specifiers, declarators: Vec::new(), span: self.since(start) };
            return Ok(Declared::Variables(declaration));
        }
        self.check_can_declare(&specifiers, start)?;
        let first = self.declarator(false)?;
        if let Some(Derivation::Function(derivation)) = first.derivations.first() {
            let has_types_below = derivation.old_style && !derivation.parameters.is_empty();
            if self.at(Punctuator::OpenBrace) || has_types_below && self.starts_declaration() {
                return Ok(Declared::Function(self.function(start, specifiers, first)?));
            }
        }
        if matches!(specifiers.base, TypeSpecifier::Implicit)
            && let Some(name) = first.name
        {
            let message = format!("expected a type before `{}`", self.text(name.symbol));
            self.complain(Diagnostic::error(name.span, message));
        }
        let declares_function = matches!(first.derivations.first(), Some(Derivation::Function(_)));
        let declarators = self.init_declarators(first, &specifiers)?;
        let is_complete = self.at(Punctuator::Semicolon);
        self.expect(Punctuator::Semicolon, "after declaration")?;
        // What is missing may as well be the brace before the function's body.
        self.lost_at_file_level |= declares_function && !is_complete;
        Ok(Declared::Variables(Declaration { specifiers, declarators, span: self.since(start) }))
    }

    /// Fails if no declarator can follow. Without a type, only the name of an old-style function can.
    fn check_can_declare(&mut self, specifiers: &Specifiers, start: Start) -> Parse<()> {
        if !matches!(specifiers.base, TypeSpecifier::Implicit) {
            return Ok(());
        }
        let nothing_read = self.cursor.index() == start.index;
        let names_function =
            matches!(self.kind(), TokenKind::Identifier(_)) && self.at_ahead(1, Punctuator::OpenParen);
        if names_function {
            Ok(())
        } else if nothing_read && self.lost_at_file_level {
            Err(Failed)
        } else if nothing_read {
            self.unexpected("a declaration")
        } else {
            self.unexpected("a type")
        }
    }

    fn init_declarators(&mut self, first: Declarator, specifiers: &Specifiers) -> Parse<Vec<InitDeclarator>> {
        let meaning = if specifiers.storage.is_typedef { Meaning::Typedef } else { Meaning::Value };
        let mut declarators = Vec::new();
        let mut next = first;
        loop {
            let mut declarator = next;
            if !matches!(specifiers.base, TypeSpecifier::Implicit) {
                self.check_prototypes(&declarator);
            }
            declarator.asm_name = self.asm_name()?;
            self.attributes(&mut declarator.attributes)?;
            if let Some(name) = declarator.name {
                self.scopes.declare(name.symbol, meaning);
            }
            let initializer = if self.take(Punctuator::Equal) { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, initializer });
            if !self.take(Punctuator::Comma) {
                return Ok(declarators);
            }
            next = self.declarator(false)?;
        }
    }

    /// Reads a function from behind its declarator on.
    fn function(&mut self, start: Start, specifiers: Specifiers, declarator: Declarator) -> Parse<Function> {
        if let Some(name) = declarator.name {
            self.scopes.declare(name.symbol, Meaning::Value);
        }
        self.scopes.push();
        let rest = self.function_body(&declarator);
        self.scopes.pop();
        let (old_style_parameters, body) = rest?;
        Ok(Function { specifiers, declarator, old_style_parameters, body, span: self.since(start) })
    }

    fn function_body(&mut self, declarator: &Declarator) -> Parse<(Vec<Declaration>, crate::ast::Block)> {
        if let Some(Derivation::Function(FunctionDerivation { parameters, .. })) =
            declarator.derivations.first()
        {
            for name in parameters.iter().filter_map(|parameter| parameter.declarator.name) {
                self.scopes.declare(name.symbol, Meaning::Value);
            }
        }
        let mut old_style_parameters = Vec::new();
        while !self.at(Punctuator::OpenBrace) {
            let start = self.start();
            let specifiers = self.specifiers(TypeNeed::Required)?;
            let first = self.declarator(false)?;
            let declarators = self.init_declarators(first, &specifiers)?;
            self.expect(Punctuator::Semicolon, "after parameter's type")?;
            old_style_parameters.push(Declaration { specifiers, declarators, span: self.since(start) });
        }
        Ok((old_style_parameters, self.block()?))
    }

    /// Reads a static assertion with its semicolon.
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let start = self.start();
        self.cursor.advance();
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `_Static_assert`")?;
        let condition = self.constant()?;
        let message = if self.take(Punctuator::Comma) { Some(self.strings()?) } else { None };
        self.close(Punctuator::CloseParen, open, "after assertion")?;
        self.expect(Punctuator::Semicolon, "after assertion")?;
        Ok(StaticAssert { condition, message, span: self.since(start) })
    }
}
