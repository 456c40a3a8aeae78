//! Declarators: names with pointers, arrays and parameters around them (C11 6.7.6, 6.7.7).

use super::scope::Meaning;
use super::specifier::TypeNeed;
use super::{Parse, Parser};
use crate::ast::{
    ArrayDerivation, Attribute, Declarator, Derivation, FunctionDerivation, Parameter, Specifiers, Storage,
    TypeSpecifier,
};
use crate::token::{Keyword, Punctuator, TokenKind};

impl Parser<'_> {
    /// Reads a declarator; an abstract one may be without a name, and even empty.
    pub(super) fn declarator(&mut self, is_abstract: bool) -> Parse<Declarator> {
        self.nested(|parser| parser.declarator_here(is_abstract))
    }

    fn declarator_here(&mut self, is_abstract: bool) -> Parse<Declarator> {
        let start = self.start();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut pointers = Vec::new();
        while self.take(Punctuator::Star) {
            self.grow()?;
            pointers.push(Derivation::Pointer(self.qualifiers(&mut attributes)?));
        }
        self.attributes(&mut attributes)?;
        let mut declarator = if self.at(Punctuator::OpenParen) && self.opens_group(is_abstract) {
            let open = self.span();
            self.cursor.advance();
            let inner = self.declarator(is_abstract)?;
            self.close(Punctuator::CloseParen, open, "after declarator")?;
            inner
        } else {
            let name = self.take_name();
            if name.is_none() && !is_abstract {
                return self.unexpected("a name");
            }
            Declarator {
                name,
                derivations: Vec::new(),
                attributes: Vec::new(),
                asm_name: None,
                span: start.span,
            }
        };
        self.suffixes(&mut declarator.derivations, &mut attributes)?;
        self.attributes(&mut attributes)?;
        // The type is read from the name outwards: suffixes bind tighter than pointers.
        declarator.derivations.extend(pointers.into_iter().rev());
        declarator.attributes.append(&mut attributes);
        declarator.span = self.since(start);
        Ok(declarator)
    }

    /// Whether the parenthesis that is next groups a declarator, rather than opening parameters.
    fn opens_group(&self, is_abstract: bool) -> bool {
        match self.cursor.kind(1) {
            TokenKind::Punctuator(Punctuator::CloseParen) => false,
            _ if !is_abstract => true,
            TokenKind::Punctuator(Punctuator::Star | Punctuator::OpenParen | Punctuator::OpenBracket) => true,
            TokenKind::Keyword(Keyword::Attribute) => true,
            // A parameter may have the name of a type, but then the type wins (C11 6.7.6.3 p11).
            TokenKind::Identifier(symbol) => !self.is_type(*symbol),
            _ => false,
        }
    }

    fn suffixes(&mut self, derivations: &mut Vec<Derivation>, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            if self.at(Punctuator::OpenBracket) && !self.at_attribute() {
                derivations.push(Derivation::Array(self.array(attributes)?));
            } else if self.at(Punctuator::OpenParen) {
                derivations.push(Derivation::Function(self.parameters()?));
            } else {
                return Ok(());
            }
            self.grow()?;
        }
    }

    fn array(&mut self, attributes: &mut Vec<Attribute>) -> Parse<ArrayDerivation> {
        let open = self.span();
        self.cursor.advance();
        let mut qualifiers = self.qualifiers(attributes)?;
        let is_static = self.take_keyword(Keyword::Static);
        if is_static {
            let more = self.qualifiers(attributes)?;
            qualifiers.is_const |= more.is_const;
            qualifiers.is_volatile |= more.is_volatile;
            qualifiers.is_restrict |= more.is_restrict;
            qualifiers.is_atomic |= more.is_atomic;
        }
        let is_star = self.at(Punctuator::Star) && self.at_ahead(1, Punctuator::CloseBracket);
        if is_star {
            self.cursor.advance();
        }
        let sized = !is_star && !self.at(Punctuator::CloseBracket);
        let size = if sized { Some(Box::new(self.assignment()?)) } else { None };
        self.close(Punctuator::CloseBracket, open, "after array size")?;
        Ok(ArrayDerivation { size, is_static, is_star, qualifiers })
    }

    fn parameters(&mut self) -> Parse<FunctionDerivation> {
        let open = self.span();
        self.cursor.advance();
        if self.take(Punctuator::CloseParen) {
            return Ok(FunctionDerivation { parameters: Vec::new(), variadic: false, old_style: true });
        }
        if self.at_keyword(Keyword::Void) && self.at_ahead(1, Punctuator::CloseParen) {
            self.cursor.advance();
            self.cursor.advance();
            return Ok(FunctionDerivation { parameters: Vec::new(), variadic: false, old_style: false });
        }
        let lists_names = self.lists_names();
        self.scopes.push();
        let parameters = if lists_names { self.old_style_parameters() } else { self.typed_parameters() };
        self.scopes.pop();
        let parameters = parameters?;
        self.close(Punctuator::CloseParen, open, "after parameters")?;
        Ok(parameters)
    }

    /// Whether names without types stand before the closing parenthesis.
    fn lists_names(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.cursor.kind(ahead), TokenKind::Identifier(symbol) if !self.is_type(*symbol)) {
            match self.cursor.kind(ahead + 1) {
                TokenKind::Punctuator(Punctuator::CloseParen) => return true,
                TokenKind::Punctuator(Punctuator::Comma) => ahead += 2,
                _ => return false,
            }
        }
        false
    }

    fn typed_parameters(&mut self) -> Parse<FunctionDerivation> {
        let mut parameters = Vec::new();
        let mut variadic = false;
        loop {
            if self.take(Punctuator::Ellipsis) {
                variadic = true;
                break;
            }
            let specifiers = self.specifiers(TypeNeed::Required)?;
            let declarator = self.declarator(true)?;
            self.check_prototypes(&declarator);
            if let Some(name) = declarator.name {
                self.scopes.declare(name.symbol, Meaning::Value);
            }
            parameters.push(Parameter { specifiers, declarator });
            if !self.take(Punctuator::Comma) {
                break;
            }
        }
        Ok(FunctionDerivation { parameters, variadic, old_style: false })
    }

    /// Reads the names of parameters whose types follow the parenthesis.
    fn old_style_parameters(&mut self) -> Parse<FunctionDerivation> {
        let mut parameters = Vec::new();
        loop {
            let start = self.start();
            let specifiers = Specifiers {
                storage: Storage::default(),
                qualifiers: Default::default(),
                base: TypeSpecifier::Implicit,
                alignments: Vec::new(),
                attributes: Vec::new(),
                span: self.since(start),
            };
            let name = self.expect_name("the name of a parameter")?;
            let declarator = Declarator {
                name: Some(name),
                derivations: Vec::new(),
                attributes: Vec::new(),
                asm_name: None,
                span: name.span,
            };
            parameters.push(Parameter { specifiers, declarator });
            if !self.take(Punctuator::Comma) {
                break;
            }
        }
        Ok(FunctionDerivation { parameters, variadic: false, old_style: true })
    }

    /// Reports old-style parameters outside a definition: their names were meant as types.
    pub(super) fn check_prototypes(&mut self, declarator: &Declarator) {
        for derivation in &declarator.derivations {
            let Derivation::Function(FunctionDerivation { parameters, old_style: true, .. }) = derivation
            else {
                continue;
            };
            for name in parameters.iter().filter_map(|parameter| parameter.declarator.name) {
                if self.scopes.meaning(name.symbol).is_none() {
                    self.report_unknown_type(name);
                }
            }
        }
    }
}
