//! Statements (C11 6.8), with GNU's and our own.

use super::declaration::Declared;
use super::{Parse, Parser};
use crate::ast::{Block, Expr, Stmt, StmtKind};
use crate::token::{Keyword, Punctuator, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Reads statements between braces. Broken ones are reported and left out.
    pub(super) fn block(&mut self) -> Parse<Block> {
        let start = self.start();
        self.expect(Punctuator::OpenBrace, "before statements")?;
        self.scopes.push();
        let mut statements = Vec::new();
        while !self.take(Punctuator::CloseBrace) {
            if self.at_end() {
                self.report_unclosed("{", start.span);
                break;
            }
            let delimiters = self.cursor.delimiters;
            if self.block_item(&mut statements).is_err() {
                self.skip_construct(delimiters);
            }
        }
        self.scopes.pop();
        Ok(Block { statements, span: self.since(start) })
    }

    /// Reads a declaration or statement; a label is one.
    fn block_item(&mut self, statements: &mut Vec<Stmt>) -> Parse<()> {
        if self.starts_declaration() {
            statements.push(self.declaration_statement()?);
            return Ok(());
        }
        statements.push(self.statement()?);
        Ok(())
    }

    fn declaration_statement(&mut self) -> Parse<Stmt> {
        let start = self.start();
        let kind = match self.nested(Self::declaration)? {
            Declared::Variables(declaration) => StmtKind::Declaration(declaration),
            Declared::Function(function) => StmtKind::NestedFunction(Box::new(function)),
        };
        Ok(Stmt { kind, span: self.since(start) })
    }

    /// Reads the one statement that belongs to an `if` or a loop, with its labels.
    fn body(&mut self) -> Parse<Box<Stmt>> {
        let start = self.start();
        if self.starts_declaration() {
            return self.unexpected("a statement");
        }
        let first = self.statement()?;
        if !is_label(&first) {
            return Ok(Box::new(first));
        }
        let mut statements = vec![first];
        while statements.last().is_some_and(is_label) && !self.at(Punctuator::CloseBrace) {
            statements.push(self.statement()?);
        }
        let span = self.since(start);
        Ok(Box::new(Stmt { kind: StmtKind::Block(Block { statements, span }), span }))
    }

    fn statement(&mut self) -> Parse<Stmt> {
        self.nested(|parser| {
            let start = parser.start();
            parser.ignore_attributes()?;
            let kind = match *parser.kind() {
                TokenKind::Keyword(keyword) => parser.keyword_statement(keyword)?,
                TokenKind::Punctuator(Punctuator::OpenBrace) => StmtKind::Block(parser.block()?),
                TokenKind::Punctuator(Punctuator::Semicolon) => {
                    parser.cursor.advance();
                    StmtKind::Empty
                }
                TokenKind::Identifier(_) if parser.at_ahead(1, Punctuator::Colon) => {
                    let name = parser.expect_name("a label")?;
                    parser.cursor.advance();
                    parser.label_attributes()?;
                    StmtKind::Label(name)
                }
                _ => parser.expression_statement()?,
            };
            Ok(Stmt { kind, span: parser.since(start) })
        })
    }

    /// Reads the attributes of a label; those of a declaration behind it are its own.
    fn label_attributes(&mut self) -> Parse<()> {
        if self.at_attribute() && !self.starts_declaration() { self.ignore_attributes() } else { Ok(()) }
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let expression = self.expression()?;
        self.expect(Punctuator::Semicolon, "after expression")?;
        Ok(StmtKind::Expr(expression))
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parse<StmtKind> {
        match keyword {
            Keyword::If => self.if_statement(),
            Keyword::While => {
                self.cursor.advance();
                let condition = self.condition("while")?;
                Ok(StmtKind::While { condition, body: self.body()? })
            }
            Keyword::Do => self.do_statement(),
            Keyword::For => self.for_statement(),
            Keyword::Switch => {
                self.cursor.advance();
                let value = self.condition("switch")?;
                Ok(StmtKind::Switch { value, body: self.body()? })
            }
            Keyword::Case => self.case(),
            Keyword::Default => {
                self.cursor.advance();
                self.expect(Punctuator::Colon, "after `default`")?;
                Ok(StmtKind::Default)
            }
            Keyword::Goto => self.goto(),
            Keyword::Break => self.jump(StmtKind::Break, "after `break`"),
            Keyword::Continue => self.jump(StmtKind::Continue, "after `continue`"),
            Keyword::Return => {
                self.cursor.advance();
                let value = if self.at(Punctuator::Semicolon) { None } else { Some(self.expression()?) };
                self.expect(Punctuator::Semicolon, "after `return`")?;
                Ok(StmtKind::Return(value))
            }
            Keyword::Asm => {
                let asm = self.asm()?;
                self.expect(Punctuator::Semicolon, "after `asm`")?;
                Ok(StmtKind::Asm(asm))
            }
            Keyword::StaticAssert => Ok(StmtKind::StaticAssert(self.static_assert()?)),
            Keyword::Label => self.local_labels(),
            Keyword::FencepostAtomic => {
                self.cursor.advance();
                Ok(StmtKind::Atomic(self.block()?))
            }
            Keyword::FencepostGhost => {
                self.cursor.advance();
                Ok(StmtKind::Ghost(self.block()?))
            }
            Keyword::Else => {
                self.report(Diagnostic::error(self.span(), "`else` without `if`"));
                self.cursor.advance();
                Ok(self.body()?.kind)
            }
            _ => self.expression_statement(),
        }
    }

    /// Reads the expression in parentheses behind a keyword.
    fn condition(&mut self, keyword: &str) -> Parse<Expr> {
        let open = self.span();
        self.expect(Punctuator::OpenParen, &format!("after `{keyword}`"))?;
        let condition = self.expression()?;
        self.close(Punctuator::CloseParen, open, &format!("after condition of `{keyword}`"))?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        let condition = self.condition("if")?;
        let then = self.body()?;
        let otherwise = if self.take_keyword(Keyword::Else) { Some(self.body()?) } else { None };
        Ok(StmtKind::If { condition, then, otherwise })
    }

    fn do_statement(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        let body = self.body()?;
        self.expect_keyword(Keyword::While, "after body of `do`")?;
        let condition = self.condition("while")?;
        self.expect(Punctuator::Semicolon, "after `do` loop")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        // What the head declares ends with the loop.
        self.scopes.push();
        let result = self.for_rest();
        self.scopes.pop();
        result
    }

    fn for_rest(&mut self) -> Parse<StmtKind> {
        let open = self.span();
        self.expect(Punctuator::OpenParen, "after `for`")?;
        let start = if self.take(Punctuator::Semicolon) {
            None
        } else if self.starts_declaration() {
            Some(Box::new(self.declaration_statement()?))
        } else {
            let place = self.start();
            let kind = StmtKind::Expr(self.expression()?);
            self.expect(Punctuator::Semicolon, "after start of `for`")?;
            Some(Box::new(Stmt { kind, span: self.since(place) }))
        };
        let condition = if self.at(Punctuator::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punctuator::Semicolon, "after condition of `for`")?;
        let step = if self.at(Punctuator::CloseParen) { None } else { Some(self.expression()?) };
        self.close(Punctuator::CloseParen, open, "after head of `for`")?;
        Ok(StmtKind::For { start, condition, step, body: self.body()? })
    }

    fn case(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        let low = self.constant()?;
        let high = if self.take(Punctuator::Ellipsis) { Some(self.constant()?) } else { None };
        self.expect(Punctuator::Colon, "after `case`")?;
        Ok(StmtKind::Case { low, high })
    }

    fn goto(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        let kind = if self.take(Punctuator::Star) {
            StmtKind::ComputedGoto(self.expression()?)
        } else {
            StmtKind::Goto(self.expect_name("a label")?)
        };
        self.expect(Punctuator::Semicolon, "after `goto`")?;
        Ok(kind)
    }

    fn jump(&mut self, kind: StmtKind, place: &str) -> Parse<StmtKind> {
        self.cursor.advance();
        self.expect(Punctuator::Semicolon, place)?;
        Ok(kind)
    }

    fn local_labels(&mut self) -> Parse<StmtKind> {
        self.cursor.advance();
        let mut labels = vec![self.expect_name("a label")?];
        while self.take(Punctuator::Comma) {
            labels.push(self.expect_name("a label")?);
        }
        self.expect(Punctuator::Semicolon, "after labels")?;
        Ok(StmtKind::LocalLabels(labels))
    }
}

fn is_label(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Label(_) | StmtKind::Case { .. } | StmtKind::Default)
}
