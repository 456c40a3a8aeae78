//! Tests: which operations each thread calls, in the notation of CheckFence's Figure 8.
//!
//! `e e ( d' | d e )` first calls `e` twice, then runs two threads side by side. A prime marks an
//! operation whose retry loops run only once. Operations with one-letter names may be written without
//! blanks between them: `( eee | ddd )`.

use crate::operation::{Harness, OpId};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{FileId, Span};

/// A call of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Invocation {
    /// What is called.
    pub op: OpId,
    /// Whether its retry loops are limited to one iteration.
    pub primed: bool,
}

/// A test program.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Calls made before the threads start.
    pub initial: Vec<Invocation>,
    /// The calls of each thread, in order; no thread is empty.
    pub threads: Vec<Vec<Invocation>>,
    /// Where it is written.
    pub span: Span,
}

impl Test {
    /// All calls, the initial ones first, then thread by thread.
    pub fn invocations(&self) -> impl Iterator<Item = Invocation> {
        self.initial.iter().chain(self.threads.iter().flatten()).copied()
    }

    /// The test in its notation.
    pub fn show(&self, harness: &Harness) -> String {
        let sequence = |calls: &[Invocation]| {
            let name = |call: &Invocation| {
                format!("{}{}", harness.op(call.op).name, if call.primed { "'" } else { "" })
            };
            calls.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        let threads: Vec<String> = self.threads.iter().map(|calls| sequence(calls)).collect();
        let initial = if self.initial.is_empty() { String::new() } else { sequence(&self.initial) + " " };
        format!("{initial}( {} )", threads.join(" | "))
    }
}

/// Parses the notation. `at` is where `text` starts in `file`.
pub fn parse(harness: &Harness, name: &str, text: &str, file: FileId, at: u32) -> Result<Test, Diagnostic> {
    let whole = Span::new(file, at, at + text.len() as u32);
    let mut parser = Parser { harness, text, file, at, pos: 0 };
    let first = parser.sequence()?;
    let test = match parser.peek() {
        None => Test { name: name.into(), initial: Vec::new(), threads: vec![first], span: whole },
        Some('(') => Test { name: name.into(), initial: first, threads: parser.threads()?, span: whole },
        Some(_) => return Err(parser.unexpected("expected an operation or `(`")),
    };
    if parser.peek().is_some() {
        return Err(parser.unexpected("expected the test to end after `)`"));
    }
    if test.threads.iter().any(Vec::is_empty) {
        let (what, help) = if test.threads.len() == 1 {
            ("test calls no operation", "write for example `( e | d )`")
        } else {
            ("test has a thread that calls no operation", "remove the empty thread, or give it a call")
        };
        return Err(Diagnostic::error(whole, what).help(help));
    }
    Ok(test)
}

struct Parser<'a> {
    harness: &'a Harness,
    text: &'a str,
    file: FileId,
    /// Offset of `text` in the file.
    at: u32,
    /// Offset in `text` of the next character.
    pos: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.pos..];
        let blank = rest.len() - rest.trim_start().len();
        self.pos += blank;
        self.text[self.pos..].chars().next()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.at + start as u32, self.at + end as u32)
    }

    fn unexpected(&mut self, message: &str) -> Diagnostic {
        let found = self.peek();
        let span = self.span(self.pos, self.pos + found.map_or(0, char::len_utf8));
        let found = found.map_or("the end".to_string(), |c| format!("`{c}`"));
        Diagnostic::error(span, format!("{message}, found {found}"))
            .help("a test is written `e ( e d | d e )`: initial calls, then threads separated by `|`")
    }

    fn threads(&mut self) -> Result<Vec<Vec<Invocation>>, Diagnostic> {
        self.pos += 1;
        let mut threads = vec![self.sequence()?];
        loop {
            match self.peek() {
                Some('|') => {
                    self.pos += 1;
                    threads.push(self.sequence()?);
                }
                Some(')') => {
                    self.pos += 1;
                    return Ok(threads);
                }
                _ => return Err(self.unexpected("expected an operation, `|` or `)`")),
            }
        }
    }

    fn sequence(&mut self) -> Result<Vec<Invocation>, Diagnostic> {
        let mut calls = Vec::new();
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            let start = self.pos;
            let word_char = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            let len = self.text[start..].find(|c| !word_char(c)).unwrap_or(self.text.len() - start);
            self.pos += len;
            self.word(start, &mut calls)?;
        }
        Ok(calls)
    }

    /// Reads one word: an operation, primed or not, or several with one-letter names.
    fn word(&self, start: usize, calls: &mut Vec<Invocation>) -> Result<(), Diagnostic> {
        let word = &self.text[start..self.pos];
        let name = word.trim_end_matches('\'');
        if let Some(op) = self.harness.find_op(name)
            && word.len() - name.len() <= 1
        {
            calls.push(Invocation { op, primed: name.len() < word.len() });
            return Ok(());
        }
        let mut letters = word.char_indices().peekable();
        let mut split = Vec::new();
        while let Some((at, letter)) = letters.next() {
            let Some(op) = self.harness.find_op(letter.encode_utf8(&mut [0; 4])) else {
                return Err(self.unknown(start, at, word, letter));
            };
            let primed = letters.next_if(|next| next.1 == '\'').is_some();
            split.push(Invocation { op, primed });
        }
        calls.extend(split);
        Ok(())
    }

    fn unknown(&self, start: usize, at: usize, word: &str, letter: char) -> Diagnostic {
        let known: Vec<&str> = self.harness.ops.iter().map(|op| op.name.as_str()).collect();
        let (span, what) = if at == 0 {
            (self.span(start, start + word.len()), word.trim_end_matches('\''))
        } else {
            (self.span(start + at, start + at + letter.len_utf8()), &word[at..at + letter.len_utf8()])
        };
        let error = Diagnostic::error(span, format!("unknown operation `{what}`"));
        if known.is_empty() {
            return error.help("declare operations with `#pragma fencepost op name = function(arguments)`");
        }
        error.help(format!("the operations are: {}", known.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;
    use fencepost_lsl::program::ProcId;

    fn harness(names: &[&str]) -> Harness {
        let op = |name: &&str| Operation {
            name: name.to_string(),
            proc: ProcId(0),
            inputs: vec![],
            outputs: vec![],
            function: name.to_string(),
            span: Span::new(FileId(0), 0, 0),
        };
        Harness { ops: names.iter().map(op).collect(), ..Harness::default() }
    }

    fn check(names: &[&str], text: &str, expected: Result<&str, &str>) {
        let harness = harness(names);
        let result = parse(&harness, "T", text, FileId(0), 100);
        let shown = result.map(|test| test.show(&harness)).map_err(|error| {
            let (span, _) = error.primary.unwrap();
            format!("{}..{}: {}", span.start - 100, span.end - 100, error.message)
        });
        assert_eq!(shown.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn notation() {
        let queue = &["e", "d"];
        check(queue, "( e | d )", Ok("( e | d )"));
        check(queue, "e(ed|de)", Ok("e ( e d | d e )"));
        check(queue, " ( eee' | d'dd ) ", Ok("( e e e' | d' d d )"));
        check(queue, "e d", Ok("( e d )"));
        check(&["al", "ar", "rl", "rr"], "al al ( rr' rr | rl )", Ok("al al ( rr' rr | rl )"));
    }

    #[test]
    fn mistakes() {
        let queue = &["e", "d"];
        check(queue, "", Err("0..0: test calls no operation"));
        check(queue, "( e | )", Err("0..7: test has a thread that calls no operation"));
        check(queue, "( e | x )", Err("6..7: unknown operation `x`"));
        check(queue, "( ede | edxd )", Err("10..11: unknown operation `x`"));
        check(queue, "( e | d", Err("7..7: expected an operation, `|` or `)`, found the end"));
        check(queue, "( e | d ) e", Err("10..11: expected the test to end after `)`, found `e`"));
        check(queue, "+", Err("0..1: expected an operation or `(`, found `+`"));
        check(queue, "e''", Err("2..3: unknown operation `'`"));
    }
}
