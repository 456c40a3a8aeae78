//! Declaration specifiers: storage classes, qualifiers and the base type, in any order.

use super::basic_type::{basic_type, is_type_word};
use super::scope::Meaning;
use super::{Failed, Parse, Parser};
use crate::ast::{
    Alignment, Attribute, BasicType, Name, Qualifiers, Specifiers, Storage, TypeName, TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::token::{Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

/// Whether there must be a type among the specifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeNeed {
    /// An old-style function may leave it out.
    Optional,
    /// A name that was not declared can only be meant as a type.
    Required,
}

/// Specifiers read so far.
#[derive(Default)]
struct Partial {
    storage: Storage,
    qualifiers: Qualifiers,
    /// Keywords of a basic type.
    words: Vec<Keyword>,
    /// A type that is not named by such keywords.
    base: Option<TypeSpecifier>,
    alignments: Vec<Alignment>,
    attributes: Vec<Attribute>,
}

impl Partial {
    fn has_type(&self) -> bool {
        self.base.is_some() || !self.words.is_empty()
    }
}

impl TypeSpecifier {
    /// Whether this is a struct, union or enum with its body.
    pub(super) fn is_definition(&self) -> bool {
        match self {
            TypeSpecifier::Record(record) => record.members.is_some(),
            TypeSpecifier::Enum(enumeration) => enumeration.enumerators.is_some(),
            _ => false,
        }
    }
}

impl Parser<'_> {
    /// Whether the tokens from `ahead` on start a type or a declaration, as far as that is certain.
    pub(super) fn starts_type(&self, ahead: usize) -> bool {
        let is_extension = |ahead: &usize| *self.kind_ahead(*ahead) == TokenKind::Keyword(Keyword::Extension);
        let extensions = (ahead..).take_while(is_extension).count();
        match self.kind_ahead(ahead + extensions) {
            TokenKind::Keyword(keyword) => starts_specifier(*keyword),
            TokenKind::Identifier(symbol) => self.is_type(*symbol),
            _ => false,
        }
    }

    pub(super) fn is_type(&self, symbol: Symbol) -> bool {
        self.scopes.meaning(symbol).is_some_and(|meaning| meaning != Meaning::Value)
    }

    /// Reads all specifiers; without a type among them, the base is [`TypeSpecifier::Implicit`].
    pub(super) fn specifiers(&mut self, need: TypeNeed) -> Parse<Specifiers> {
        self.nested(|parser| {
            let start = parser.start();
            let mut partial = Partial::default();
            while parser.specifier(&mut partial, need)? {}
            let base = parser.base_type(&mut partial);
            let Partial { storage, qualifiers, alignments, attributes, .. } = partial;
            let specifiers =
                Specifiers { storage, qualifiers, base, alignments, attributes, span: parser.since(start) };
            if need == TypeNeed::Required && matches!(specifiers.base, TypeSpecifier::Implicit) {
                return parser.unexpected("a type");
            }
            Ok(specifiers)
        })
    }

    fn base_type(&mut self, partial: &mut Partial) -> TypeSpecifier {
        match partial.base.take() {
            Some(base) => base,
            None if partial.words.is_empty() => TypeSpecifier::Implicit,
            None => TypeSpecifier::Basic(basic_type(&partial.words).unwrap_or_else(|| {
                let words: Vec<&str> = partial.words.iter().map(|word| word.text()).collect();
                let message = format!("`{}` is not a type", words.join(" "));
                self.complain(Diagnostic::error(self.cursor.previous_span(), message));
                BasicType::Int
            })),
        }
    }

    /// Reads one specifier; false if the next token is none.
    fn specifier(&mut self, partial: &mut Partial, need: TypeNeed) -> Parse<bool> {
        // Behind the body of a struct, a type at the start of a line means that `;` was forgotten.
        let defines = partial.base.as_ref().is_some_and(TypeSpecifier::is_definition);
        if defines && self.is_next_declaration() {
            return Ok(false);
        }
        match *self.kind() {
            TokenKind::Identifier(symbol) if !partial.has_type() => {
                Ok(self.type_name_word(symbol, partial, need))
            }
            TokenKind::Punctuator(Punctuator::OpenBracket) if self.at_attribute() => {
                self.attributes(&mut partial.attributes)?;
                Ok(true)
            }
            TokenKind::Keyword(keyword) => self.keyword_specifier(keyword, partial),
            _ => Ok(false),
        }
    }

    /// Whether another declaration starts here, on a line of its own.
    pub(super) fn is_next_declaration(&self) -> bool {
        if !self.cursor.first_on_line(0) || self.at_attribute() || !self.starts_type(0) {
            return false;
        }
        // The name of a type may be declared anew: `struct { … } node_t;`.
        let declares = |next: &TokenKind| {
            matches!(next, TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::Star))
        };
        matches!(self.kind(), TokenKind::Keyword(_)) || declares(self.cursor.kind(1))
    }

    /// Reads a name as the base type, if it can be one.
    fn type_name_word(&mut self, symbol: Symbol, partial: &mut Partial, need: TypeNeed) -> bool {
        let name = Name { symbol, span: self.span() };
        partial.base = Some(match self.scopes.meaning(symbol) {
            Some(Meaning::Builtin(builtin)) => builtin.specifier(),
            Some(Meaning::Typedef) => TypeSpecifier::Typedef(name),
            meaning => {
                // Values stand before declarators too, as operands of `*`.
                if need == TypeNeed::Optional && meaning.is_some() || !self.is_meant_as_type(need) {
                    return false;
                }
                self.report_unknown_type(name);
                TypeSpecifier::Typedef(name)
            }
        });
        self.cursor.advance();
        true
    }

    fn keyword_specifier(&mut self, keyword: Keyword, partial: &mut Partial) -> Parse<bool> {
        if keyword == Keyword::Atomic && self.at_ahead(1, Punctuator::OpenParen) {
            self.cursor.advance();
            let type_name = self.parenthesized_type("after `_Atomic`")?;
            self.set_base(partial, TypeSpecifier::Atomic(Box::new(type_name)));
            return Ok(true);
        }
        if storage(&mut partial.storage, keyword) || qualifier(&mut partial.qualifiers, keyword) {
            self.cursor.advance();
            return Ok(true);
        }
        if is_type_word(keyword) {
            if partial.base.is_some() {
                let message = format!("`{}` behind another type", keyword.text());
                self.complain(Diagnostic::error(self.span(), message));
            } else {
                partial.words.push(keyword);
            }
            self.cursor.advance();
            return Ok(true);
        }
        let base = match keyword {
            Keyword::Attribute => {
                self.attributes(&mut partial.attributes)?;
                return Ok(true);
            }
            Keyword::Extension => {
                self.cursor.advance();
                return Ok(true);
            }
            Keyword::Alignas => {
                let alignment = self.alignment()?;
                partial.alignments.push(alignment);
                return Ok(true);
            }
            Keyword::AutoType => {
                self.cursor.advance();
                TypeSpecifier::Auto
            }
            Keyword::Typeof => self.type_of()?,
            Keyword::Struct | Keyword::Union => TypeSpecifier::Record(Box::new(self.record()?)),
            Keyword::Enum => TypeSpecifier::Enum(Box::new(self.enumeration()?)),
            _ => return Ok(false),
        };
        self.set_base(partial, base);
        Ok(true)
    }

    fn set_base(&mut self, partial: &mut Partial, base: TypeSpecifier) {
        if partial.has_type() {
            let message = "two types in one declaration";
            self.complain(Diagnostic::error(self.cursor.previous_span(), message));
        }
        partial.words.clear();
        partial.base = Some(base);
    }

    fn type_of(&mut self) -> Parse<TypeSpecifier> {
        self.cursor.advance();
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `typeof`")?;
        let base = if self.starts_type(0) {
            TypeSpecifier::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
        };
        self.close(Punctuator::CloseParen, open, "after operand of `typeof`")?;
        Ok(base)
    }

    fn alignment(&mut self) -> Parse<Alignment> {
        self.cursor.advance();
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `_Alignas`")?;
        let alignment = if self.starts_type(0) {
            Alignment::Type(self.type_name()?)
        } else {
            Alignment::Expr(self.constant()?)
        };
        self.close(Punctuator::CloseParen, open, "after alignment")?;
        Ok(alignment)
    }

    /// Reads qualifiers, and attributes among them.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Parse<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            match *self.kind() {
                TokenKind::Keyword(keyword) if qualifier(&mut qualifiers, keyword) => self.cursor.advance(),
                TokenKind::Keyword(Keyword::Extension) => self.cursor.advance(),
                _ if self.at_attribute() => self.attributes(attributes)?,
                _ => return Ok(qualifiers),
            }
        }
    }

    /// Reads a type without a name.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let start = self.start();
        let specifiers = self.specifiers(TypeNeed::Required)?;
        let declarator = self.declarator(true)?;
        self.check_prototypes(&declarator);
        if let Some(name) = declarator.name {
            let message = format!("expected a type without a name, found `{}`", self.text(name.symbol));
            self.complain(Diagnostic::error(name.span, message));
            return Err(Failed);
        }
        Ok(TypeName { specifiers, declarator, span: self.since(start) })
    }

    /// Reads a type between parentheses.
    pub(super) fn parenthesized_type(&mut self, place: &str) -> Parse<TypeName> {
        let open = self.span();
        self.expect(Punctuator::OpenParen, place)?;
        let type_name = self.type_name()?;
        self.close(Punctuator::CloseParen, open, "after type")?;
        Ok(type_name)
    }
}

/// Whether a keyword can start a declaration.
fn starts_specifier(keyword: Keyword) -> bool {
    use Keyword::*;
    is_type_word(keyword)
        || matches!(keyword, Struct | Union | Enum | Typeof | AutoType | Alignas | Attribute)
        || storage(&mut Storage::default(), keyword)
        || qualifier(&mut Qualifiers::default(), keyword)
}

/// Notes a storage class or function specifier; false if the keyword is none.
fn storage(storage: &mut Storage, keyword: Keyword) -> bool {
    let flag = match keyword {
        Keyword::Typedef => &mut storage.is_typedef,
        Keyword::Extern => &mut storage.is_extern,
        Keyword::Static => &mut storage.is_static,
        Keyword::Auto => &mut storage.is_auto,
        Keyword::Register => &mut storage.is_register,
        Keyword::ThreadLocal => &mut storage.is_thread_local,
        Keyword::Inline => &mut storage.is_inline,
        Keyword::Noreturn => &mut storage.is_noreturn,
        _ => return false,
    };
    *flag = true;
    true
}

/// Notes a qualifier; false if the keyword is none.
fn qualifier(qualifiers: &mut Qualifiers, keyword: Keyword) -> bool {
    let flag = match keyword {
        Keyword::Const => &mut qualifiers.is_const,
        Keyword::Volatile => &mut qualifiers.is_volatile,
        Keyword::Restrict => &mut qualifiers.is_restrict,
        Keyword::Atomic => &mut qualifiers.is_atomic,
        _ => return false,
    };
    *flag = true;
    true
}
