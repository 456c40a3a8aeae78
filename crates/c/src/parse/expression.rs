//! Expressions: operators by precedence (C11 6.5.3 to 6.5.17).

use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::token::{Keyword, Punctuator, TokenKind};

impl Parser<'_> {
    /// Reads an expression, commas included.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.apart(Self::comma_chain)
    }

    fn comma_chain(&mut self) -> Parse<Expr> {
        let mut left = self.assignment()?;
        while self.take(Punctuator::Comma) {
            let right = self.assignment()?;
            self.grow()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// Reads an expression that ends before a comma.
    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        let target = self.conditional()?;
        let TokenKind::Punctuator(punctuator) = *self.kind() else { return Ok(target) };
        let Some(op) = assign_op(punctuator) else { return Ok(target) };
        self.cursor.advance();
        let value = self.nested(Self::assignment)?;
        let span = target.span.to(value.span);
        Ok(Expr { kind: ExprKind::Assign { op, target: Box::new(target), value: Box::new(value) }, span })
    }

    /// Reads an expression that may stand where a constant must.
    pub(super) fn constant(&mut self) -> Parse<Expr> {
        self.conditional()
    }

    fn conditional(&mut self) -> Parse<Expr> {
        let condition = self.apart(|parser| parser.binary(LOWEST_PRECEDENCE))?;
        if !self.take(Punctuator::Question) {
            return Ok(condition);
        }
        let then =
            if self.at(Punctuator::Colon) { None } else { Some(Box::new(self.nested(Self::expression)?)) };
        self.expect(Punctuator::Colon, "in conditional expression")?;
        let otherwise = Box::new(self.nested(Self::conditional)?);
        let span = condition.span.to(otherwise.span);
        Ok(Expr { kind: ExprKind::Conditional { condition: Box::new(condition), then, otherwise }, span })
    }

    /// Reads operands joined by operators that bind at least as tight as `least`.
    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.unary()?;
        while let TokenKind::Punctuator(punctuator) = *self.kind() {
            let Some((op, precedence)) = binary_op(punctuator).filter(|(_, precedence)| *precedence >= least)
            else {
                break;
            };
            self.cursor.advance();
            let right = self.apart(|parser| parser.binary(precedence + 1))?;
            self.grow()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// Reads an operand with the operators before it.
    pub(super) fn unary(&mut self) -> Parse<Expr> {
        self.nested(Self::unary_here)
    }

    fn unary_here(&mut self) -> Parse<Expr> {
        let start = self.start();
        let kind = match *self.kind() {
            TokenKind::Punctuator(Punctuator::AndAnd) => {
                self.cursor.advance();
                ExprKind::LabelAddress(self.expect_name("a label")?)
            }
            TokenKind::Punctuator(Punctuator::OpenParen)
                if self.starts_type(1) || self.casts_to_unknown_type() =>
            {
                return self.cast();
            }
            TokenKind::Punctuator(punctuator) => match prefix_op(punctuator) {
                Some(op) => self.prefix(op)?,
                None => return self.postfix(),
            },
            TokenKind::Keyword(Keyword::Real) => self.prefix(UnaryOp::Real)?,
            TokenKind::Keyword(Keyword::Imaginary) => self.prefix(UnaryOp::Imaginary)?,
            TokenKind::Keyword(Keyword::Extension) => {
                self.cursor.advance();
                return self.unary();
            }
            TokenKind::Keyword(Keyword::Sizeof) => self.size_of()?,
            TokenKind::Keyword(Keyword::Alignof) => self.align_of()?,
            _ => return self.postfix(),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn prefix(&mut self, op: UnaryOp) -> Parse<ExprKind> {
        self.cursor.advance();
        Ok(ExprKind::Unary(op, Box::new(self.unary()?)))
    }

    /// Reads a cast or a compound literal.
    fn cast(&mut self) -> Parse<Expr> {
        let start = self.start();
        let type_name = Box::new(self.parenthesized_type("before type")?);
        if self.at(Punctuator::OpenBrace) {
            let kind = ExprKind::CompoundLiteral(type_name, self.initializer_list()?);
            let literal = Expr { kind, span: self.since(start) };
            return self.suffixed(literal, start);
        }
        let operand = self.unary()?;
        Ok(Expr { kind: ExprKind::Cast(type_name, Box::new(operand)), span: self.since(start) })
    }

    fn size_of(&mut self) -> Parse<ExprKind> {
        self.cursor.advance();
        Ok(match self.type_operand()? {
            Ok(type_name) => ExprKind::SizeofType(type_name),
            Err(operand) => ExprKind::SizeofExpr(operand),
        })
    }

    fn align_of(&mut self) -> Parse<ExprKind> {
        self.cursor.advance();
        Ok(match self.type_operand()? {
            Ok(type_name) => ExprKind::AlignofType(type_name),
            Err(operand) => ExprKind::AlignofExpr(operand),
        })
    }

    /// Reads a type between parentheses, or else an operand; one that starts so is a compound literal.
    fn type_operand(&mut self) -> Parse<Result<Box<crate::ast::TypeName>, Box<Expr>>> {
        let is_type = self.at(Punctuator::OpenParen) && (self.starts_type(1) || self.casts_to_unknown_type());
        if !is_type {
            return Ok(Err(Box::new(self.unary()?)));
        }
        let start = self.start();
        let type_name = Box::new(self.parenthesized_type("before type")?);
        if !self.at(Punctuator::OpenBrace) {
            return Ok(Ok(type_name));
        }
        let kind = ExprKind::CompoundLiteral(type_name, self.initializer_list()?);
        let literal = Expr { kind, span: self.since(start) };
        Ok(Err(Box::new(self.suffixed(literal, start)?)))
    }
}

/// The operator in front of an operand.
fn prefix_op(punctuator: Punctuator) -> Option<UnaryOp> {
    Some(match punctuator {
        Punctuator::Plus => UnaryOp::Plus,
        Punctuator::Minus => UnaryOp::Minus,
        Punctuator::Exclamation => UnaryOp::Not,
        Punctuator::Tilde => UnaryOp::BitNot,
        Punctuator::Star => UnaryOp::Dereference,
        Punctuator::Ampersand => UnaryOp::AddressOf,
        Punctuator::Increment => UnaryOp::PreIncrement,
        Punctuator::Decrement => UnaryOp::PreDecrement,
        _ => return None,
    })
}

const LOWEST_PRECEDENCE: u8 = 1;

/// The operator between two operands, and how tight it binds.
fn binary_op(punctuator: Punctuator) -> Option<(BinaryOp, u8)> {
    Some(match punctuator {
        Punctuator::Star => (BinaryOp::Multiply, 10),
        Punctuator::Slash => (BinaryOp::Divide, 10),
        Punctuator::Percent => (BinaryOp::Remainder, 10),
        Punctuator::Plus => (BinaryOp::Add, 9),
        Punctuator::Minus => (BinaryOp::Subtract, 9),
        Punctuator::ShiftLeft => (BinaryOp::ShiftLeft, 8),
        Punctuator::ShiftRight => (BinaryOp::ShiftRight, 8),
        Punctuator::Less => (BinaryOp::Less, 7),
        Punctuator::Greater => (BinaryOp::Greater, 7),
        Punctuator::LessEqual => (BinaryOp::LessEqual, 7),
        Punctuator::GreaterEqual => (BinaryOp::GreaterEqual, 7),
        Punctuator::EqualEqual => (BinaryOp::Equal, 6),
        Punctuator::NotEqual => (BinaryOp::NotEqual, 6),
        Punctuator::Ampersand => (BinaryOp::BitAnd, 5),
        Punctuator::Caret => (BinaryOp::BitXor, 4),
        Punctuator::Bar => (BinaryOp::BitOr, 3),
        Punctuator::AndAnd => (BinaryOp::LogicalAnd, 2),
        Punctuator::OrOr => (BinaryOp::LogicalOr, LOWEST_PRECEDENCE),
        _ => return None,
    })
}

/// What an assignment does before it writes; nothing for `=`.
fn assign_op(punctuator: Punctuator) -> Option<Option<BinaryOp>> {
    Some(match punctuator {
        Punctuator::Equal => None,
        Punctuator::MultiplyAssign => Some(BinaryOp::Multiply),
        Punctuator::DivideAssign => Some(BinaryOp::Divide),
        Punctuator::RemainderAssign => Some(BinaryOp::Remainder),
        Punctuator::AddAssign => Some(BinaryOp::Add),
        Punctuator::SubtractAssign => Some(BinaryOp::Subtract),
        Punctuator::ShiftLeftAssign => Some(BinaryOp::ShiftLeft),
        Punctuator::ShiftRightAssign => Some(BinaryOp::ShiftRight),
        Punctuator::AndAssign => Some(BinaryOp::BitAnd),
        Punctuator::XorAssign => Some(BinaryOp::BitXor),
        Punctuator::OrAssign => Some(BinaryOp::BitOr),
        _ => return None,
    })
}
