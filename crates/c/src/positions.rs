//! Columns: where on its original line each preprocessed token was written.
//!
//! Line markers give lines only. To find columns, the original file is cut into pieces too, and the
//! words printed for a line are explained by the pieces of that line: most are the same, the others come
//! from macros. Words of an expansion that stand in its arguments are placed there, all others at the
//! whole invocation. A wrong explanation costs precision, never more than the line: what cannot be
//! explained is placed at the whole line.

use crate::explain::{Step, explain};
use crate::scan::{Piece, PieceKind, Scanner};
use fencepost_lsl::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many pieces of an argument are searched for a word of an expansion.
const ARGUMENT_WINDOW: usize = 256;

/// Places the words of preprocessed lines, which come in the order of the text.
#[derive(Default)]
pub(crate) struct Positions {
    originals: FxHashMap<FileId, Vec<Piece>>,
    /// Where the last line ended: an invocation may have led into later lines.
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
        let mut placement =
            Placement { text, pieces, words, at: start, ranges: Vec::with_capacity(words.len()) };
        let explained = placement.run(line);
        self.resume = explained.then_some(Resume { file, line, piece: placement.at });
        let whole_line = whole_line(sources, file, line);
        let span = |range: Option<Range<u32>>| range.map_or(whole_line, |r| Span::new(file, r.start, r.end));
        placement.ranges.into_iter().map(span).collect()
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

/// The words of one line and the places found for them.
struct Placement<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    words: &'a [&'a str],
    /// Index of the next piece.
    at: usize,
    /// The ranges of the words placed so far; none for the whole line.
    ranges: Vec<Option<Range<u32>>>,
}

impl Placement<'_> {
    fn original(&self, index: usize) -> Option<&str> {
        self.pieces.get(index).map(|piece| piece.text(self.text))
    }

    /// The range from one piece to before another.
    fn range(&self, from: usize, to: usize) -> Option<Range<u32>> {
        let first = self.pieces.get(from)?;
        let last = self.pieces.get(to.checked_sub(1)?)?;
        (first.start <= last.end).then_some(first.start..last.end)
    }

    /// Places all words; false if they could not be explained.
    fn run(&mut self, line: u32) -> bool {
        let equal = |(offset, word): (usize, &&str)| self.original(self.at + offset) == Some(*word);
        let rest = self.pieces.get(self.at..).unwrap_or_default();
        let on_line = rest.partition_point(|piece| piece.line <= line);
        // Pragmas may be continued on further lines, which are printed as one.
        if self.words.len() >= on_line && self.words.iter().enumerate().all(equal) {
            self.words.iter().for_each(|_| self.place_equal());
            return true;
        }
        match explain(self.words, self.text, self.pieces, self.at, self.at + on_line) {
            Some(steps) => {
                for step in steps {
                    match step {
                        Step::Equal => self.place_equal(),
                        Step::Macro { words_end, pieces_end } => self.place_expansion(words_end, pieces_end),
                    }
                }
                true
            }
            None => self.place_ends(self.at + on_line),
        }
    }

    fn place_equal(&mut self) {
        self.ranges.push(self.range(self.at, self.at + 1));
        self.at += 1;
    }

    /// Places the words of an expansion: at the argument they stand in, else at the invocation.
    fn place_expansion(&mut self, words_end: usize, pieces_end: usize) {
        let invocation = self.range(self.at, pieces_end);
        let arguments = self.at + 2..pieces_end.saturating_sub(1);
        let mut previous = None;
        let words = self.words.get(self.ranges.len()..words_end).unwrap_or_default();
        for word in words {
            previous = self.find_argument(&arguments, previous, word);
            let range = previous.and_then(|piece| self.range(piece, piece + 1)).or(invocation.clone());
            self.ranges.push(range);
        }
        self.at = pieces_end;
    }

    /// The argument piece that a word of the expansion stands for: the one behind the word before it,
    /// or, for names and literals, the next one with its text, starting over at the end.
    fn find_argument(&self, arguments: &Range<usize>, previous: Option<usize>, word: &str) -> Option<usize> {
        let next = previous.map_or(arguments.start, |piece| piece + 1);
        let equal = |piece: &usize| self.original(*piece) == Some(word);
        if previous.is_some() && arguments.contains(&next) && equal(&next) {
            return Some(next);
        }
        let first = word.bytes().next()?;
        if !(first == b'_' || first == b'"' || first == b'\'' || first.is_ascii_alphanumeric()) {
            return None;
        }
        let ahead = (next..arguments.end).take(ARGUMENT_WINDOW);
        ahead.chain(arguments.clone().take(ARGUMENT_WINDOW)).find(equal)
    }

    /// Places the words at both ends of the line that are equal to the pieces there, and those between
    /// at what lies between; false if the ends of the line differ.
    fn place_ends(&mut self, line_end: usize) -> bool {
        while self.at < line_end && self.original(self.at) == self.words.get(self.ranges.len()).copied() {
            self.place_equal();
        }
        let words = self.words.get(self.ranges.len()..).unwrap_or_default();
        let pairs = words.iter().rev().zip((self.at..line_end).rev());
        let tail = pairs.take_while(|(word, piece)| self.original(*piece) == Some(**word)).count();
        let between = self.range(self.at, line_end - tail).filter(|_| self.at < line_end - tail);
        self.ranges.extend(std::iter::repeat_n(between, words.len() - tail));
        self.at = line_end - tail;
        (0..tail).for_each(|_| self.place_equal());
        tail > 0
    }
}

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
        check(
            "CHECK(x); y = 1;",
            &[(
                1,
                "if (!x) { fail(1); }; y = 1;",
                &format!("{0}|{0}|{0}|x|{0}|{0}|{0}|{0}|{0}|{0}|{0}|{0}|;|y|=|1|;", "CHECK(x)"),
            )],
        );
    }

    #[test]
    fn several_macros_on_a_line() {
        let expected = "if|(|A|A|A|A|L|A|A|2|A|A|!=|OK|OK|OK|)|B|B|B|B|B|B|L|B|B|B|1|)|B|B|;";
        let expected = expected.replace('A', "GET(L, 2)").replace('B', "FAIL(GET(L, -1))");
        let printed = "if ((get((L),2)) != (0)) fail((get((L),-1)));";
        check("if (GET(L, 2) != OK) FAIL(GET(L, -1));", &[(1, printed, &expected)]);
    }

    #[test]
    fn macro_with_the_name_of_its_function() {
        check("f(3);", &[(1, "f(3, 1);", "f(3)|f(3)|3|f(3)|f(3)|f(3)|;")]);
    }

    #[test]
    fn macro_that_vanishes() {
        check("static INLINE int f() NOTHROW(1);", &[(1, "static int f() ;", "static|int|f|(|)|;")]);
    }

    #[test]
    fn two_macros_side_by_side() {
        check("WORD NAME = 1;", &[(1, "unsigned n = 1;", "WORD|NAME|=|1|;")]);
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
        check("a = 1 + 2;", &[(1, "a = 3;", "a|=|1 + 2|;")]);
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
