//! Source files and positions in them.
//!
//! Every statement of an LSL program points into the file its author wrote, so that a trace line can
//! name `file:line` and quote the text. Front ends map their own token positions to these spans once,
//! when they lex; nothing downstream knows of preprocessors or macros.

use std::fmt;

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A stretch of text in one source file, as byte offsets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte; `start <= end`.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end` in `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        debug_assert!(start <= end);
        Span { file, start, end }
    }

    /// The smallest span around both, or `self` where they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Whose text a file is: traces and diagnostics prefer positions in the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Written by the user, or included by them from their own folders.
    User,
    /// A model header that ships with Fencepost, or generated text.
    System,
}

/// One file: its name as the user would write it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown to people.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Whose it is.
    pub origin: Origin,
    /// Offset of the first byte of each line; starts with 0.
    lines: Vec<u32>,
}

impl SourceFile {
    /// The 1-based line that holds `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines.partition_point(|&start| start <= offset) as u32
    }

    /// Byte range of a 1-based line, without its line break; empty if there is no such line.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let Some(&start) = self.lines.get((line as usize).wrapping_sub(1)) else {
            return 0..0;
        };
        let end = self.lines.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        let end = start as usize + self.text[start as usize..end].trim_end_matches(['\n', '\r']).len();
        start as usize..end
    }

    /// The text of a 1-based line.
    pub fn line_text(&self, line: u32) -> &str {
        &self.text[self.line_range(line)]
    }
}

/// A position for people: file name, 1-based line, 1-based column in characters.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The file's name.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// All source files of a program.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>, origin: Origin) -> FileId {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, origin, lines });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files with their ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, file)| (FileId(i as u32), file))
    }

    /// The file of this name, if it was added.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.name == name).map(|i| FileId(i as u32))
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        let line = file.line_of(span.start);
        let before = &file.text[file.line_range(line).start..span.start as usize];
        Position { file: file.name.clone(), line, column: before.chars().count() as u32 + 1 }
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.start as usize..span.end as usize]
    }

    /// The whole line in which a span starts, trimmed.
    pub fn line(&self, span: Span) -> &str {
        let file = self.file(span.file);
        file.line_text(file.line_of(span.start)).trim()
    }

    /// Whether the span lies in the user's own text; what lies in no file counts as such.
    pub fn is_user(&self, span: Span) -> bool {
        self.files.get(span.file.0 as usize).is_none_or(|file| file.origin == Origin::User)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let mut map = SourceMap::default();
        let id = map.add("a.c", "int x;\r\n/* é */ int y;\n", Origin::User);
        let at = map.file(id).text.find('y').unwrap() as u32;
        let span = Span::new(id, at, at + 1);
        assert_eq!(map.position(span), Position { file: "a.c".into(), line: 2, column: 13 });
        assert_eq!(map.line(span), "/* é */ int y;");
        assert_eq!(map.text(span), "y");
        assert_eq!(map.file(id).line_text(1), "int x;");
        assert_eq!(map.file(id).line_text(9), "");
    }
}
