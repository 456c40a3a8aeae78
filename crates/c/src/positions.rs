//! Columns: where on its original line each preprocessed token was written.
//!
//! Line markers give lines only. To find columns, the original file is cut into pieces too, and the
//! tokens printed for a line are walked beside the pieces of that line. While both have the same text,
//! they are the same token. Where they part, the original must show the name of a macro: we guess how
//! far its invocation and its expansion reach, by looking for the place behind both from which the
//! texts agree again. Tokens of an expansion that stand in its arguments are placed there, all others
//! at the whole invocation. A wrong guess costs precision, never more than the line: what cannot be
//! matched is placed at the whole line.

use crate::scan::{Piece, PieceKind, Scanner};
use crate::token::Punctuator;
use fencepost_lsl::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many tokens an expansion may have before we no longer look for its end.
const EXPANSION_LIMIT: usize = 4096;
/// How many agreeing tokens are as convincing as any larger number.
const CONVINCING_RUN: usize = 16;
/// How many pieces behind a macro's name are tried as the place from which the texts agree again.
const REJOIN_LIMIT: usize = 16;
/// How many argument pieces are searched for a token of an expansion.
const ARGUMENT_WINDOW: usize = 256;

/// Places the tokens of preprocessed lines, which come in the order of the text.
#[derive(Default)]
pub(crate) struct Positions {
    originals: FxHashMap<FileId, Vec<Piece>>,
    /// Where the walk along the last line ended: an invocation may have led it into later lines.
    resume: Option<Resume>,
}

struct Resume {
    file: FileId,
    line: u32,
    /// Index of the next piece of the original.
    piece: usize,
}

impl Positions {
    /// The spans of `words`, the texts of all tokens printed for one line of a file.
    pub(crate) fn locate(
        &mut self,
        sources: &SourceMap,
        file: FileId,
        line: u32,
        words: &[&str],
    ) -> Vec<Span> {
        let text = sources.file(file).text.as_str();
        let pieces = self.originals.entry(file).or_insert_with(|| cut(text));
        let first = pieces.partition_point(|piece| piece.line < line);
        let resumed = self.resume.as_ref().filter(|last| last.file == file && last.line < line);
        let start = resumed.map_or(first, |last| last.piece.max(first));
        let mut walk = Walk { text, pieces, words, line, at: start, ranges: Vec::with_capacity(words.len()) };
        let in_step = walk.run();
        self.resume = in_step.then_some(Resume { file, line, piece: walk.at });
        let whole_line = whole_line(sources, file, line);
        let to_span =
            |range: Option<Range<u32>>| range.map_or(whole_line, |r| Span::new(file, r.start, r.end));
        walk.ranges.into_iter().map(to_span).collect()
    }

    /// The spans of the words of a directive, which stands outside the run of ordinary tokens.
    pub(crate) fn locate_directive(
        &mut self,
        sources: &SourceMap,
        file: FileId,
        line: u32,
        words: &[&str],
    ) -> Vec<Span> {
        let resume = self.resume.take();
        let spans = self.locate(sources, file, line, words);
        self.resume = resume;
        spans
    }
}

/// Cuts an original file into the pieces that can show in preprocessed text.
fn cut(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for piece in Scanner::new(text) {
        match piece.kind {
            PieceKind::Directive => {
                let name = piece.text(text).trim_start_matches('#').trim_start();
                if name.starts_with("pragma") {
                    pieces.extend(Scanner::of_pragma(text, piece));
                }
            }
            _ => pieces.push(piece),
        }
    }
    pieces
}

fn whole_line(sources: &SourceMap, file: FileId, line: u32) -> Span {
    let range = sources.file(file).line_range(line);
    let text = sources.file(file).line_text(line);
    let start = range.start + (text.len() - text.trim_start().len());
    Span::new(file, start as u32, (start + text.trim().len()) as u32)
}

/// One line's walk along its words and the original pieces.
struct Walk<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    words: &'a [&'a str],
    line: u32,
    /// Index of the next piece.
    at: usize,
    /// The ranges of the words placed so far; none for the whole line.
    ranges: Vec<Option<Range<u32>>>,
}

/// How well words and pieces agree from some place on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Agreement {
    /// Both reach the end of the line together.
    complete: bool,
    /// Number of equal tokens.
    run: usize,
}

/// A guess at what a macro's name at the cursor stands for.
#[derive(Clone, Copy)]
struct Expansion {
    agreement: Agreement,
    /// Index of the first word behind the expansion.
    words_end: usize,
    /// Index of the first piece behind the invocation.
    pieces_end: usize,
}

impl Walk<'_> {
    fn word(&self, index: usize) -> Option<&str> {
        self.words.get(index).copied()
    }

    fn original(&self, index: usize) -> Option<&str> {
        self.pieces.get(index).map(|piece| piece.text(self.text))
    }

    /// Whether the pieces from `index` on belong to later lines.
    fn line_ends_at(&self, index: usize) -> bool {
        self.pieces.get(index).is_none_or(|piece| piece.line > self.line)
    }

    /// The range from one piece to before another.
    fn range(&self, from: usize, to: usize) -> Option<Range<u32>> {
        let first = self.pieces.get(from)?;
        let last = self.pieces.get(to.checked_sub(1)?)?;
        (first.start <= last.end).then_some(first.start..last.end)
    }

    /// Places all words; false if the original and the preprocessed line fell out of step.
    fn run(&mut self) -> bool {
        while let Some(word) = self.word(self.ranges.len()) {
            if self.original(self.at) == Some(word) {
                self.ranges.push(self.range(self.at, self.at + 1));
                self.at += 1;
                continue;
            }
            let is_name = self.pieces.get(self.at).is_some_and(|piece| piece.kind == PieceKind::Identifier);
            match self.expansion().filter(|_| is_name) {
                Some(expansion) => self.place_expansion(expansion),
                None => return self.place_rest(),
            }
        }
        true
    }

    /// The most convincing guess at the macro whose name is at the cursor.
    fn expansion(&self) -> Option<Expansion> {
        let with_arguments = self.behind_arguments(self.at + 1);
        let candidates = [with_arguments, Some(self.at + 1)];
        let guesses = |balanced| candidates.into_iter().flatten().map(move |end| self.rejoin(end, balanced));
        // An expansion nearly always has balanced brackets; `#define BEGIN {` is the exception. The
        // arguments belong to the invocation whenever that explains the whole line.
        for balanced in [true, false] {
            let mut best: Option<Expansion> = None;
            for guess in guesses(balanced) {
                let better =
                    best.is_none_or(|best| !best.agreement.complete && guess.agreement > best.agreement);
                if better {
                    best = Some(guess);
                }
            }
            if let Some(best) = best.filter(|best| best.agreement > NO_AGREEMENT) {
                return Some(best);
            }
        }
        // Two macros side by side: place both expansions at both.
        (self.at + 2..self.at + REJOIN_LIMIT)
            .take_while(|&end| !self.line_ends_at(end))
            .map(|end| self.rejoin(end, true))
            .find(|guess| guess.agreement > NO_AGREEMENT)
    }

    /// The index behind a bracketed list of arguments at `open`.
    fn behind_arguments(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (index, piece) in self.pieces.iter().enumerate().skip(open) {
            match piece.kind {
                PieceKind::Punctuator(Punctuator::OpenParen) => depth += 1,
                PieceKind::Punctuator(Punctuator::CloseParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return (index > open).then_some(index + 1);
            }
            if index - open > EXPANSION_LIMIT {
                break;
            }
        }
        None
    }

    /// Where the words agree best with the pieces from `pieces_end` on.
    fn rejoin(&self, pieces_end: usize, balanced: bool) -> Expansion {
        let start = self.ranges.len();
        let limit = self.words.len().min(start + EXPANSION_LIMIT);
        let mut best = Expansion { agreement: NO_AGREEMENT, words_end: start, pieces_end };
        let mut depth = 0i32;
        for words_end in start..=limit {
            if depth == 0 || !balanced {
                let agreement = self.agreement(words_end, pieces_end);
                if agreement > best.agreement {
                    best = Expansion { agreement, words_end, pieces_end };
                }
            }
            match self.word(words_end) {
                Some("(" | "[" | "{") => depth += 1,
                Some(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
        }
        best
    }

    fn agreement(&self, word: usize, piece: usize) -> Agreement {
        let equal =
            |&run: &usize| self.word(word + run).is_some_and(|text| self.original(piece + run) == Some(text));
        let run = (0..CONVINCING_RUN).take_while(equal).count();
        let complete = word + run == self.words.len() && self.line_ends_at(piece + run);
        Agreement { complete, run }
    }

    /// Places the words of an expansion: at the argument they stand in, else at the invocation.
    fn place_expansion(&mut self, expansion: Expansion) {
        let invocation = self.range(self.at, expansion.pieces_end);
        let arguments = self.at + 2..expansion.pieces_end.saturating_sub(1);
        let mut previous = None;
        for index in self.ranges.len()..expansion.words_end {
            previous = self.word(index).and_then(|word| self.find_argument(&arguments, previous, word));
            let range = previous.and_then(|piece| self.range(piece, piece + 1)).or(invocation.clone());
            self.ranges.push(range);
        }
        self.at = expansion.pieces_end;
    }

    /// The argument piece that a word of the expansion stands for: the one behind the word before it,
    /// or, for names and literals, the next one with its text, starting over at the end.
    fn find_argument(&self, arguments: &Range<usize>, previous: Option<usize>, word: &str) -> Option<usize> {
        let next = previous.map_or(arguments.start, |piece| piece + 1);
        let equal = |piece: &usize| self.original(*piece) == Some(word);
        if arguments.contains(&next) && previous.is_some() && equal(&next) {
            return Some(next);
        }
        let first = word.bytes().next()?;
        if !(first == b'_' || first == b'"' || first == b'\'' || first.is_ascii_alphanumeric()) {
            return None;
        }
        let ahead = (next..arguments.end).take(ARGUMENT_WINDOW);
        ahead.chain(arguments.clone().take(ARGUMENT_WINDOW)).find(equal)
    }

    /// Places the words from a mismatch on: the last ones where the ends of the lines agree, the others
    /// at what lies between. False if not even the ends agree.
    fn place_rest(&mut self) -> bool {
        let start = self.ranges.len();
        let line_end = (self.at..).find(|&index| self.line_ends_at(index)).unwrap_or(self.at);
        let words = self.words.get(start..).unwrap_or_default();
        let pieces = (self.at..line_end).rev();
        let tail = words
            .iter()
            .rev()
            .zip(pieces)
            .take_while(|(word, piece)| self.original(*piece) == Some(**word))
            .count();
        let between = self.range(self.at, line_end - tail).filter(|_| self.at < line_end - tail);
        self.ranges.extend(std::iter::repeat_n(between, words.len() - tail));
        for piece in line_end - tail..line_end {
            let range = self.range(piece, piece + 1);
            self.ranges.push(range);
        }
        self.at = line_end;
        tail > 0
    }
}

/// Words and pieces that do not agree at all.
const NO_AGREEMENT: Agreement = Agreement { complete: false, run: 0 };

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_lsl::source::Origin;

    /// Locates each printed line and checks the original texts of its tokens, joined by a bar.
    fn check(original: &str, printed: &[(u32, &str, &str)]) {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", original, Origin::User);
        let mut positions = Positions::default();
        for &(line, text, expected) in printed {
            let words: Vec<&str> = Scanner::new(text).map(|piece| piece.text(text)).collect();
            let spans = positions.locate(&sources, file, line, &words);
            let found: Vec<&str> = spans.iter().map(|span| sources.text(*span)).collect();
            assert_eq!(found.join("|"), expected, "line {line}: {text}");
        }
    }

    #[test]
    fn plain_line() {
        check("\n  int x = 3; // three\n", &[(2, "int x = 3;", "int|x|=|3|;")]);
    }

    #[test]
    fn object_macro() {
        check(
            "p = NULL; q = NULL;",
            &[(
                1,
                "p = ((void *)0); q = ((void *)0);",
                "p|=|NULL|NULL|NULL|NULL|NULL|NULL|NULL|;|q|=|NULL|NULL|NULL|NULL|NULL|NULL|NULL|;",
            )],
        );
    }

    #[test]
    fn function_macro_places_arguments() {
        check(
            "x = ADD(a, b) + 1;",
            &[(
                1,
                "x = ((a)+(b)) + 1;",
                "x|=|ADD(a, b)|ADD(a, b)|a|ADD(a, b)|ADD(a, b)|ADD(a, b)|b|ADD(a, b)|ADD(a, b)|+|1|;",
            )],
        );
    }

    #[test]
    fn expansion_that_contains_what_follows_the_macro() {
        let inside = ["assert(x)"; 15].join("|");
        let text = "if (!(y)) { fail(1); abort(); }; y = 1;";
        let expected = format!("{inside}|assert(x)|assert(x)|assert(x)|;|y|=|1|;");
        check("assert(x); y = 1;", &[(1, &text.replace("(y)", "(z)"), &expected)]);
    }

    #[test]
    fn macro_that_vanishes() {
        check("static INLINE int f() NOTHROW(1);", &[(1, "static int f() ;", "static|int|f|(|)|;")]);
    }

    #[test]
    fn two_macros_side_by_side() {
        check("WORD NAME = 1;", &[(1, "unsigned n = 1;", "WORD NAME|WORD NAME|=|1|;")]);
    }

    #[test]
    fn equal_tokens_keep_their_order() {
        check("a = a + a;", &[(1, "a = a + a;", "a|=|a|+|a|;")]);
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", "a = a + a;", Origin::User);
        let spans = Positions::default().locate(&sources, file, 1, &["a", "=", "a", "+", "a", ";"]);
        assert_eq!(spans.iter().map(|span| span.start).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 9]);
    }

    #[test]
    fn macro_spanning_lines() {
        check(
            "g(TWICE(x,\n   y)); z = 1;\nw;",
            &[
                (
                    1,
                    "g(((x) + (y))",
                    "g|(|TWICE(x,\n   y)|TWICE(x,\n   y)|x|TWICE(x,\n   y)|TWICE(x,\n   y)|TWICE(x,\n   y)|y|TWICE(x,\n   y)|TWICE(x,\n   y)",
                ),
                (2, "); z = 1;", ")|;|z|=|1|;"),
                (3, "w;", "w|;"),
            ],
        );
    }

    #[test]
    fn statements_in_an_argument_keep_their_lines() {
        check(
            "LOCKED(\n  x = 1;\n  y = 2;\n);",
            &[(
                1,
                "{ x = 1; y = 2; }",
                "LOCKED(\n  x = 1;\n  y = 2;\n)|x|=|1|;|y|=|2|;|LOCKED(\n  x = 1;\n  y = 2;\n)",
            )],
        );
    }

    #[test]
    fn unbalanced_macros() {
        check(
            "BEGIN x = 1; END",
            &[(1, "do { x = 1; } while (0)", "BEGIN|BEGIN|x|=|1|;|END|END|END|END|END")],
        );
    }

    #[test]
    fn what_cannot_be_matched_gets_the_line() {
        check("  1 2 3\nnext;", &[(1, "x y z", "1 2 3|1 2 3|1 2 3"), (2, "next;", "next|;")]);
        check("f(3);", &[(1, "f(3, 1);", "f|(|3|f(3);|f(3);|)|;")]);
    }

    #[test]
    fn lines_that_do_not_exist() {
        check("", &[(1, "x;", "|"), (0, "y", ""), (9, "z", "")]);
    }

    #[test]
    fn directives_do_not_disturb_the_walk() {
        check("#define A /* two\nlines */ 1\nx = A;", &[(3, "x = 1;", "x|=|A|;")]);
    }
}
