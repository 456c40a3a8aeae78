//! Operands: names, literals, parentheses, built-in forms, and what may follow them (C11 6.5.1, 6.5.2).

use super::{Failed, Parse, Parser, Start};
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::token::{Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Reads an operand with the operators behind it.
    pub(super) fn postfix(&mut self) -> Parse<Expr> {
        let start = self.start();
        let operand = self.primary()?;
        self.suffixed(operand, start)
    }

    /// Reads the operators behind an operand.
    pub(super) fn suffixed(&mut self, mut operand: Expr, start: Start) -> Parse<Expr> {
        while let TokenKind::Punctuator(punctuator) = *self.kind() {
            let open = self.span();
            let kind = match punctuator {
                Punctuator::OpenBracket => {
                    self.cursor.advance();
                    let index = Box::new(self.expression()?);
                    self.close(Punctuator::CloseBracket, open, "after index")?;
                    ExprKind::Index { array: Box::new(operand), index }
                }
                Punctuator::OpenParen => {
                    let arguments = self.arguments()?;
                    ExprKind::Call { callee: Box::new(operand), arguments }
                }
                Punctuator::Dot | Punctuator::Arrow => {
                    self.cursor.advance();
                    let field = self.expect_name("a field")?;
                    ExprKind::Member {
                        object: Box::new(operand),
                        field,
                        arrow: punctuator == Punctuator::Arrow,
                    }
                }
                Punctuator::Increment => {
                    self.cursor.advance();
                    ExprKind::Unary(UnaryOp::PostIncrement, Box::new(operand))
                }
                Punctuator::Decrement => {
                    self.cursor.advance();
                    ExprKind::Unary(UnaryOp::PostDecrement, Box::new(operand))
                }
                _ => break,
            };
            self.grow()?;
            operand = Expr { kind, span: self.since(start) };
        }
        Ok(operand)
    }

    /// Reads arguments between parentheses.
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        let open = self.span();
        self.expect(Punctuator::OpenParen, "before arguments")?;
        let mut arguments = Vec::new();
        if !self.at(Punctuator::CloseParen) {
            loop {
                arguments.push(self.assignment()?);
                if !self.take(Punctuator::Comma) {
                    break;
                }
            }
        }
        self.close(Punctuator::CloseParen, open, "after arguments")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Integer(integer) => ExprKind::Integer(*integer),
            TokenKind::Float(spelling) => ExprKind::Float(*spelling),
            TokenKind::Character(character) => ExprKind::Character(*character),
            TokenKind::Identifier(symbol) if !self.is_type(*symbol) => ExprKind::Name(*symbol),
            TokenKind::Identifier(symbol) => {
                let message = format!("expected expression, found type name `{}`", self.text(*symbol));
                self.report(Diagnostic::error(self.span(), message));
                return Err(Failed);
            }
            TokenKind::String(_) => {
                let kind = ExprKind::String(self.strings()?);
                return Ok(Expr { kind, span: self.since(start) });
            }
            TokenKind::Punctuator(Punctuator::OpenParen) => return self.parenthesized(),
            TokenKind::Keyword(keyword) => return self.built_in(*keyword),
            _ => return self.unexpected("expression"),
        };
        self.cursor.advance();
        Ok(Expr { kind, span: start.span })
    }

    fn parenthesized(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.cursor.advance();
        let kind = if self.at(Punctuator::OpenBrace) {
            ExprKind::Statements(self.block()?)
        } else {
            self.expression()?.kind
        };
        self.close(Punctuator::CloseParen, start.span, "after expression")?;
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Reads one of the forms that look like calls but take types.
    fn built_in(&mut self, keyword: Keyword) -> Parse<Expr> {
        let is_built_in = matches!(
            keyword,
            Keyword::Generic | Keyword::OffsetOf | Keyword::VaArg | Keyword::TypesCompatible
        );
        if !is_built_in {
            return self.unexpected("expression");
        }
        let start = self.start();
        self.cursor.advance();
        let open = self.span();
        self.expect(Punctuator::OpenParen, &format!("after `{}`", keyword.text()))?;
        let kind = match keyword {
            Keyword::Generic => self.generic()?,
            Keyword::OffsetOf => {
                let record = Box::new(self.type_name()?);
                self.expect(Punctuator::Comma, "after type")?;
                ExprKind::OffsetOf { record, path: self.member_path()? }
            }
            Keyword::VaArg => {
                let list = Box::new(self.assignment()?);
                self.expect(Punctuator::Comma, "after argument list")?;
                ExprKind::VaArg(list, Box::new(self.type_name()?))
            }
            _ => {
                let left = Box::new(self.type_name()?);
                self.expect(Punctuator::Comma, "after type")?;
                ExprKind::TypesCompatible(left, Box::new(self.type_name()?))
            }
        };
        self.close(Punctuator::CloseParen, open, &format!("after operands of `{}`", keyword.text()))?;
        Ok(Expr { kind, span: self.since(start) })
    }

    fn generic(&mut self) -> Parse<ExprKind> {
        let operand = Box::new(self.assignment()?);
        let mut choices = Vec::new();
        while self.take(Punctuator::Comma) {
            let choice = if self.take_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punctuator::Colon, "after type")?;
            choices.push((choice, self.assignment()?));
        }
        Ok(ExprKind::Generic { operand, choices })
    }
}
