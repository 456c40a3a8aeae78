//! Assembler text: statements, at file level, and as the name of a declaration.

use super::{Parse, Parser};
use crate::ast::{Asm, AsmOperand, StringLiteral};
use crate::token::{Encoding, Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Reads `asm` with what stands between its parentheses.
    pub(super) fn asm(&mut self) -> Parse<Asm> {
        let start = self.start();
        self.cursor.advance();
        let mut is_volatile = false;
        loop {
            if self.take_keyword(Keyword::Volatile) {
                is_volatile = true;
            } else if !self.take_keyword(Keyword::Goto) && !self.take_keyword(Keyword::Inline) {
                break;
            }
        }
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `asm`")?;
        let template = self.strings()?.bytes;
        let mut asm = Asm {
            template,
            is_volatile,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            span: start.span,
        };
        if self.take(Punctuator::Colon) {
            asm.outputs = self.asm_list(Self::asm_operand)?;
        }
        if self.take(Punctuator::Colon) {
            asm.inputs = self.asm_list(Self::asm_operand)?;
        }
        if self.take(Punctuator::Colon) {
            asm.clobbers = self.asm_list(|parser| Ok(parser.strings()?.bytes))?;
        }
        if self.take(Punctuator::Colon) {
            asm.labels = self.asm_list(|parser| parser.expect_name("a label"))?;
        }
        self.close(Punctuator::CloseParen, open, "after assembler text")?;
        asm.span = self.since(start);
        Ok(asm)
    }

    /// Reads what stands between two colons.
    fn asm_list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut list = Vec::new();
        if self.at(Punctuator::Colon) || self.at(Punctuator::CloseParen) {
            return Ok(list);
        }
        loop {
            list.push(element(self)?);
            if !self.take(Punctuator::Comma) {
                return Ok(list);
            }
        }
    }

    fn asm_operand(&mut self) -> Parse<AsmOperand> {
        let mut name = None;
        let bracket = self.span();
        if self.take(Punctuator::OpenBracket) {
            name = Some(self.expect_name("the name of an operand")?);
            self.close(Punctuator::CloseBracket, bracket, "after operand's name")?;
        }
        let constraint = self.strings()?.bytes;
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after constraint")?;
        let value = self.expression()?;
        self.close(Punctuator::CloseParen, open, "after operand")?;
        Ok(AsmOperand { name, constraint, value })
    }

    /// Reads the name that a declaration has for the assembler, if one follows.
    pub(super) fn asm_name(&mut self) -> Parse<Option<StringLiteral>> {
        if !self.take_keyword(Keyword::Asm) {
            return Ok(None);
        }
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `asm`")?;
        let name = self.strings()?;
        self.close(Punctuator::CloseParen, open, "after assembler name")?;
        Ok(Some(name))
    }

    /// Reads adjacent string literals as one.
    pub(super) fn strings(&mut self) -> Parse<StringLiteral> {
        let mut joined = StringLiteral { bytes: Vec::new(), encoding: Encoding::Plain };
        let mut found = false;
        while let TokenKind::String(literal) = self.kind() {
            found = true;
            if !joined.append(literal) {
                let message = "string literals with different prefixes cannot be joined";
                self.complain(Diagnostic::error(self.span(), message));
            }
            self.cursor.advance();
        }
        if found { Ok(joined) } else { self.unexpected("a string literal") }
    }
}
