//! The lexer: from the text `cc -E` printed to tokens placed in the original files.
//!
//! The text is cut into pieces, line markers say which original line each piece came from, the pieces of
//! one line are placed on it together, and each becomes a token with its value. `#pragma fencepost` lines are
//! set aside with their tokens, and so is what `#pragma pack` says; all other directives mean nothing here.

mod literal;
mod number;
mod pack;

use crate::line_map::LineMap;
use crate::positions::Positions;
use crate::scan::{Piece, PieceKind, Scanner, plain_identifier};
use crate::symbol::Interner;
use crate::token::{Keyword, Token, TokenKind};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, SourceMap, Span};
use pack::Packs;
use std::borrow::Cow;

/// A `#pragma fencepost` directive.
#[derive(Clone, Debug)]
pub struct Pragma {
    /// The whole directive.
    pub span: Span,
    /// What follows `#pragma fencepost`. A quote right behind a name is
    /// [`Punctuator::Prime`](crate::token::Punctuator::Prime), as test notation writes it.
    pub tokens: Vec<Token>,
}

/// What the lexer makes of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexed {
    /// All tokens; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The pragmas in order of appearance.
    pub pragmas: Vec<Pragma>,
    /// The alignment that `#pragma pack` leaves to members, with the index of the token from which it
    /// holds.
    pub packs: Vec<(usize, Option<u64>)>,
    /// The names in tokens and pragmas.
    pub names: Interner,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lexes the text that `cc -E` printed.
///
/// The files its line markers name are entered in `sources` unless they are there already; `load` gives
/// the text of a file, if it can be read. Files marked as system headers get the system's origin.
pub(crate) fn lex(
    text: &str,
    sources: &mut SourceMap,
    load: &mut dyn FnMut(&str) -> Option<String>,
) -> Lexed {
    let mut names = Interner::default();
    // Keywords take the first symbols, so that telling them from names is one comparison.
    let keywords: Vec<Keyword> = Keyword::SPELLINGS.iter().map(|&(_, keyword)| keyword).collect();
    for (spelling, _) in Keyword::SPELLINGS {
        names.intern(spelling);
    }
    let lexed =
        Lexed { tokens: Vec::new(), pragmas: Vec::new(), packs: Vec::new(), names, diagnostics: Vec::new() };
    // Offsets have 32 bits.
    let (text, too_large) = if u32::try_from(text.len()).is_ok() { (text, false) } else { ("", true) };
    let pieces: Vec<Piece> = Scanner::new(text).collect();
    let lines = LineMap::new(text, &pieces, sources, load);
    let (positions, packs) = (Positions::default(), Packs::default());
    let mut lexer = Lexer { text, sources, lines, positions, packs, keywords, lexed };
    if too_large {
        lexer.lexed.diagnostics.push(Diagnostic::general("the preprocessed file is larger than 4 GiB"));
    }
    lexer.run(&pieces);
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    sources: &'a SourceMap,
    lines: LineMap,
    positions: Positions,
    packs: Packs,
    /// By symbol number.
    keywords: Vec<Keyword>,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self, pieces: &[Piece]) {
        // The pieces printed for one original line; markers may interrupt them where a macro of a system
        // header expands.
        let mut line: Vec<Piece> = Vec::new();
        let mut line_origin = self.lines.origin(1);
        for &piece in pieces {
            let origin = self.lines.origin(piece.line);
            if piece.kind == PieceKind::Directive {
                self.pragma(piece, origin, self.lexed.tokens.len() + line.len());
                continue;
            }
            if origin != line_origin {
                self.line(&line, line_origin);
                line.clear();
                line_origin = origin;
            }
            line.push(piece);
        }
        self.line(&line, line_origin);
        let start = Span::new(line_origin.0, 0, 0);
        let last = self.lexed.tokens.last().map_or(start, |token| token.span);
        let end = Span::new(last.file, last.end, last.end);
        self.lexed.tokens.push(Token { kind: TokenKind::End, span: end, first_on_line: true });
    }

    /// Lexes all pieces printed for one original line.
    fn line(&mut self, pieces: &[Piece], (file, line): (FileId, u32)) {
        if pieces.is_empty() {
            return;
        }
        let plain: Vec<Cow<'_, str>> = pieces.iter().map(|piece| word(*piece, self.text)).collect();
        let words: Vec<&str> = plain.iter().map(|word| &**word).collect();
        let spans = self.positions.locate(self.sources, file, line, &words);
        let mut first_on_line = true;
        for (piece, span) in pieces.iter().zip(spans) {
            if let Some(kind) = self.token(*piece, span) {
                self.lexed.tokens.push(Token { kind, span, first_on_line });
                first_on_line = false;
            }
        }
    }

    /// Lexes a directive if it is ours; `at` is the index of the token that follows it.
    fn pragma(&mut self, directive: Piece, (file, line): (FileId, u32), at: usize) {
        let pieces: Vec<Piece> = Scanner::of_pragma(self.text, directive).collect();
        let words: Vec<&str> = pieces.iter().map(|piece| piece.text(self.text)).collect();
        match words[..] {
            ["#", "pragma", "fencepost", ..] => {}
            ["#", "pragma", "pack", ref arguments @ ..] => match self.packs.follow(arguments) {
                Some(limit) => return self.lexed.packs.push((at, limit)),
                None => return self.refuse(&words, (file, line), "this `#pragma pack` makes no sense"),
            },
            ["#", "pragma", "scalar_storage_order", ..] => {
                let message = "`#pragma scalar_storage_order` is not supported";
                return self.refuse(&words, (file, line), message);
            }
            _ => return,
        }
        let spans = self.positions.locate_directive(self.sources, file, line, &words);
        let span = spans.iter().copied().reduce(Span::to).unwrap_or(Span::new(file, 0, 0));
        let mut tokens = Vec::new();
        for (piece, span) in pieces.iter().zip(spans).skip(3) {
            let kind = self.token(*piece, span);
            tokens.extend(kind.map(|kind| Token { kind, span, first_on_line: false }));
        }
        self.lexed.pragmas.push(Pragma { span, tokens });
    }

    /// Reports a directive that changes what the file means, but not in a way that is understood.
    fn refuse(&mut self, words: &[&str], (file, line): (FileId, u32), message: &str) {
        let spans = self.positions.locate_directive(self.sources, file, line, words);
        let span = spans.iter().copied().reduce(Span::to).unwrap_or(Span::new(file, 0, 0));
        self.lexed.diagnostics.push(Diagnostic::error(span, message));
    }

    /// The token that a piece is; none where it is not one.
    fn token(&mut self, piece: Piece, span: Span) -> Option<TokenKind> {
        let text = piece.text(self.text);
        let Lexed { names, diagnostics, .. } = &mut self.lexed;
        match piece.kind {
            PieceKind::Identifier => {
                let symbol = names.intern(&plain_identifier(text));
                let keyword = self.keywords.get(symbol.0 as usize);
                Some(keyword.map_or(TokenKind::Identifier(symbol), |keyword| TokenKind::Keyword(*keyword)))
            }
            PieceKind::Number if number::is_float(text) => Some(TokenKind::Float(names.intern(text))),
            PieceKind::Number => Some(TokenKind::Integer(number::integer(text, span, diagnostics))),
            PieceKind::Character { closed } => {
                if !closed {
                    diagnostics.push(Diagnostic::error(span, "unterminated character constant"));
                }
                Some(TokenKind::Character(literal::character(text, closed, span, diagnostics)))
            }
            PieceKind::String { closed } => {
                if !closed {
                    diagnostics.push(Diagnostic::error(span, "unterminated string literal"));
                }
                Some(TokenKind::String(literal::string(text, span, diagnostics)))
            }
            PieceKind::Punctuator(punctuator) => Some(TokenKind::Punctuator(punctuator)),
            PieceKind::OpenComment => {
                diagnostics.push(Diagnostic::error(span, "unterminated comment"));
                None
            }
            PieceKind::Stray | PieceKind::Directive => {
                let shown = match text.chars().next() {
                    Some(character) if !character.is_control() => format!("`{character}`"),
                    character => format!("U+{:04X}", character.map_or(0, u32::from)),
                };
                diagnostics.push(Diagnostic::error(span, format!("stray character {shown}")));
                None
            }
        }
    }
}

/// A piece's text as the original would have it.
fn word(piece: Piece, text: &str) -> Cow<'_, str> {
    match piece.kind {
        PieceKind::Identifier => plain_identifier(piece.text(text)),
        _ => Cow::Borrowed(piece.text(text)),
    }
}

#[cfg(test)]
mod tests;
