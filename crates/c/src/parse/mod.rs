//! The parser: recursive descent over C11 and the GNU extensions that real code uses.
//!
//! It looks ahead but never goes back, and knows just enough of C's scopes to tell the names of types
//! from those of values. After a syntax error it skips to where the next statement, member or
//! declaration is likely to start, so that independent mistakes all get their diagnostic; a fault is
//! reported once, where the token that does not fit was found.

mod asm;
mod attribute;
mod basic_type;
mod cursor;
mod declaration;
mod declarator;
mod expression;
mod fragment;
mod initializer;
mod primary;
mod record;
mod recover;
mod scope;
mod specifier;
mod statement;
mod suggest;
mod unknown_type;

pub use fragment::{Fragment, Word};
pub use scope::FileScope;
pub(crate) use suggest::nearest as similar;

use crate::ast::{Item, Name, Unit};
use crate::lex::{Lexed, lex};
use crate::symbol::{Interner, Symbol};
use crate::token::{Keyword, Punctuator, Token, TokenKind};
use cursor::{Cursor, Delimiters};
use declaration::Declared;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{SourceMap, Span};
use rustc_hash::FxHashSet;
use scope::Scopes;

/// Parses the text that `cc -E` printed.
///
/// Spans point into the files its line markers name, which are entered in `sources` unless they are
/// there already; `load` gives the text of a file, if it can be read. However broken the text, a tree
/// of all that could be understood comes back.
pub fn parse(
    text: &str,
    sources: &mut SourceMap,
    load: &mut dyn FnMut(&str) -> Option<String>,
) -> (Unit, Vec<Diagnostic>) {
    let _span = tracing::info_span!("parse", bytes = text.len()).entered();
    let Lexed { tokens, pragmas, packs, names, mut diagnostics } = lex(text, sources, load);
    let mut parser = Parser::new(&tokens, &names, FileScope::new(&names));
    parser.packs = packs;
    let items = parser.unit();
    diagnostics.append(&mut parser.diagnostics);
    let file_scope = parser.scopes.into_file();
    (Unit { items, pragmas, names, file_scope }, diagnostics)
}

/// A syntax error that has been reported.
struct Failed;

/// What a rule of the grammar makes of the tokens before it.
type Parse<T> = Result<T, Failed>;

/// Where a construct starts.
#[derive(Clone, Copy)]
struct Start {
    index: usize,
    span: Span,
}

/// Words that are keywords only since C23: they are so for us where the file does not declare them.
static LATE_KEYWORDS: [(&str, TokenKind); 4] = [
    ("alignas", TokenKind::Keyword(Keyword::Alignas)),
    ("alignof", TokenKind::Keyword(Keyword::Alignof)),
    ("static_assert", TokenKind::Keyword(Keyword::StaticAssert)),
    ("thread_local", TokenKind::Keyword(Keyword::ThreadLocal)),
];

/// The state of a parse.
struct Parser<'a> {
    cursor: Cursor<'a>,
    names: &'a Interner,
    /// The [`LATE_KEYWORDS`] that are used.
    late_keywords: Vec<(Symbol, &'static TokenKind)>,
    scopes: Scopes,
    /// What `#pragma pack` says, by the index of the token from which it holds.
    packs: Vec<(usize, Option<u64>)>,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the last syntax error was reported: a second one there would be its echo.
    last_error: Option<usize>,
    /// Names that were reported not to be types.
    reported_types: FxHashSet<Symbol>,
    /// Set by an error at file level: a function whose opening brace is lost would go on with errors,
    /// for its statements are no declarations.
    lost_at_file_level: bool,
    /// Set when the rest of the tokens is given up, and nothing more is worth saying.
    abandoned: bool,
    /// How many rules that can contain themselves are at work.
    depth: u32,
    /// The greatest height of the trees finished so far in the innermost of those rules.
    height: u32,
    /// What to call the end of the tokens.
    end_name: &'static str,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token], names: &'a Interner, file_scope: FileScope) -> Parser<'a> {
        let late_keywords = LATE_KEYWORDS.iter().filter_map(|(word, kind)| Some((names.find(word)?, kind)));
        Parser {
            cursor: Cursor::new(tokens),
            names,
            late_keywords: late_keywords.collect(),
            scopes: Scopes::new(file_scope),
            packs: Vec::new(),
            diagnostics: Vec::new(),
            last_error: None,
            reported_types: FxHashSet::default(),
            lost_at_file_level: false,
            abandoned: false,
            depth: 0,
            height: 0,
            end_name: "end of file",
        }
    }

    /// All declarations and functions of the file.
    fn unit(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at_end() {
            if self.take(Punctuator::Semicolon) {
                continue;
            }
            if self.at(Punctuator::CloseBrace) {
                if !self.lost_at_file_level {
                    self.report(Diagnostic::error(self.span(), "unmatched `}`"));
                }
                self.lost_at_file_level = false;
                self.cursor.advance();
                continue;
            }
            match self.item() {
                Ok(item) => {
                    self.lost_at_file_level &= !matches!(item, Item::Function(_));
                    items.push(item);
                }
                Err(Failed) => {
                    self.lost_at_file_level = true;
                    self.skip_construct(Delimiters::default());
                }
            }
        }
        items
    }

    fn item(&mut self) -> Parse<Item> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Asm) => {
                let asm = self.asm()?;
                self.expect(Punctuator::Semicolon, "after `asm`")?;
                Ok(Item::Asm(asm))
            }
            TokenKind::Keyword(Keyword::StaticAssert) => Ok(Item::StaticAssert(self.static_assert()?)),
            _ => Ok(match self.declaration()? {
                Declared::Variables(declaration) => Item::Declaration(declaration),
                Declared::Function(function) => Item::Function(function),
            }),
        }
    }

    fn kind(&self) -> &'a TokenKind {
        self.kind_ahead(0)
    }

    /// The token `ahead` places behind the next one, where late keywords are keywords.
    fn kind_ahead(&self, ahead: usize) -> &'a TokenKind {
        let kind = self.cursor.kind(ahead);
        if let TokenKind::Identifier(symbol) = kind
            && let Some((_, keyword)) = self.late_keywords.iter().find(|(late, _)| late == symbol)
            && self.scopes.meaning(*symbol).is_none()
        {
            return keyword;
        }
        kind
    }

    fn span(&self) -> Span {
        self.cursor.span()
    }

    fn at_end(&self) -> bool {
        *self.kind() == TokenKind::End
    }

    fn at(&self, punctuator: Punctuator) -> bool {
        self.at_ahead(0, punctuator)
    }

    fn at_ahead(&self, ahead: usize, punctuator: Punctuator) -> bool {
        *self.cursor.kind(ahead) == TokenKind::Punctuator(punctuator)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        *self.kind() == TokenKind::Keyword(keyword)
    }

    /// Steps over a punctuator if it is next.
    fn take(&mut self, punctuator: Punctuator) -> bool {
        let there = self.at(punctuator);
        if there {
            self.cursor.advance();
        }
        there
    }

    /// Steps over a keyword if it is next.
    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let there = self.at_keyword(keyword);
        if there {
            self.cursor.advance();
        }
        there
    }

    /// Steps over an identifier if it is next.
    fn take_name(&mut self) -> Option<Name> {
        let TokenKind::Identifier(symbol) = *self.cursor.kind(0) else { return None };
        let name = Name { symbol, span: self.span() };
        self.cursor.advance();
        Some(name)
    }

    fn text(&self, symbol: Symbol) -> &'a str {
        self.names.text(symbol)
    }

    fn start(&self) -> Start {
        Start { index: self.cursor.index(), span: self.span() }
    }

    /// The span of what was read since `start`; empty if that was nothing.
    fn since(&self, start: Start) -> Span {
        if self.cursor.index() == start.index {
            return Span::new(start.span.file, start.span.start, start.span.start);
        }
        start.span.to(self.cursor.previous_span())
    }
}
