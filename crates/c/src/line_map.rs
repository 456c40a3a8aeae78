//! Line markers: which original line each line of preprocessed text came from.
//!
//! `cc -E` prints `# 12 "queue.c" 1 3` before text that came from line 12 of that file; the flag 3 marks
//! a system header. Every file named so is entered in the [`SourceMap`]: with its own text if the caller
//! can load it, else with the preprocessed lines themselves in their places, so that diagnostics can
//! still quote something.

use crate::scan::{Piece, PieceKind};
use fencepost_lsl::source::{FileId, Origin, SourceMap};
use rustc_hash::FxHashMap;

/// Lines past this one of a file that cannot be read are not kept: a marker may name any line.
const KEPT_LINES: u32 = 1 << 20;

/// The name given to text without any marker.
const UNMARKED: &str = "<input>";

/// From lines of the preprocessed text to lines of files.
pub(crate) struct LineMap {
    /// In order of `first`, which starts at 1.
    segments: Vec<Segment>,
}

/// A run of lines that one marker speaks of.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// First line of the run in the preprocessed text, 1-based.
    first: u32,
    /// The file the run came from.
    file: FileId,
    /// The line of that file which `first` came from.
    line: u32,
}

/// A marker as printed.
struct Marker {
    line: u32,
    file: Option<String>,
    system: bool,
}

/// A file that a marker names.
struct NamedFile {
    name: String,
    /// None until the file is known to be in the source map.
    id: Option<FileId>,
    origin: Origin,
}

impl LineMap {
    /// Reads the markers among `pieces` of `text`, entering the files they name in `sources`.
    pub(crate) fn new(
        text: &str,
        pieces: &[Piece],
        sources: &mut SourceMap,
        load: &mut dyn FnMut(&str) -> Option<String>,
    ) -> LineMap {
        let known: FxHashMap<String, FileId> =
            sources.files().map(|(id, file)| (file.name.clone(), id)).collect();
        let mut files = Vec::new();
        let mut indices = FxHashMap::default();
        // Runs with an index into `files`, for ids of unreadable files come last.
        let mut runs: Vec<(u32, usize, u32)> = Vec::new();
        let unmarked = Marker { line: 1, file: Some(UNMARKED.to_owned()), system: false };
        let first_piece_is_marker = pieces.first().is_some_and(|piece| marker(*piece, text).is_some());
        let start = (!first_piece_is_marker).then_some((1, unmarked));
        let markers = pieces.iter().filter_map(|piece| Some((piece.line + 1, marker(*piece, text)?)));
        for (first, marker) in start.into_iter().chain(markers) {
            let file = match marker.file {
                Some(name) => *indices.entry(name.clone()).or_insert_with(|| {
                    let known = known.get(&name).copied();
                    files.push(enter(name, known, marker.system, sources, load));
                    files.len() - 1
                }),
                None => runs.last().map_or(0, |&(_, file, _)| file),
            };
            runs.push((first, file, marker.line));
        }
        add_unreadable(text, &mut files, &runs, sources);
        let segments = runs
            .iter()
            .filter_map(|&(first, file, line)| Some(Segment { first, file: files.get(file)?.id?, line }));
        LineMap { segments: segments.collect() }
    }

    /// The file and line that a line of the preprocessed text came from.
    pub(crate) fn origin(&self, line: u32) -> (FileId, u32) {
        let index = self.segments.partition_point(|segment| segment.first <= line).saturating_sub(1);
        match self.segments.get(index) {
            Some(segment) => (segment.file, segment.line.saturating_add(line.saturating_sub(segment.first))),
            None => (FileId(0), line),
        }
    }
}

/// Loads a file unless it is known already; one that cannot be read has no id yet.
fn enter(
    name: String,
    known: Option<FileId>,
    system: bool,
    sources: &mut SourceMap,
    load: &mut dyn FnMut(&str) -> Option<String>,
) -> NamedFile {
    // `<built-in>` and `<command-line>` are no files.
    let invented = name.starts_with('<');
    let origin = if system || invented && name != UNMARKED { Origin::System } else { Origin::User };
    let id = known.or_else(|| {
        let text = if invented { None } else { load(&name) };
        text.map(|text| sources.add(name.clone(), text, origin))
    });
    NamedFile { name, id, origin }
}

/// Enters the files that could not be read, with their preprocessed lines as text.
fn add_unreadable(text: &str, files: &mut [NamedFile], runs: &[(u32, usize, u32)], sources: &mut SourceMap) {
    if files.iter().all(|file| file.id.is_some()) {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<FxHashMap<u32, &str>> = files.iter().map(|_| FxHashMap::default()).collect();
    let ends = runs.iter().skip(1).map(|run| run.0 - 1).chain([u32::MAX]);
    for (&(first, file, line), end) in runs.iter().zip(ends) {
        if files.get(file).is_none_or(|file| file.id.is_some()) {
            continue;
        }
        let range = (first as usize).saturating_sub(1)..(end as usize).saturating_sub(1).min(lines.len());
        for (line, text) in (line..KEPT_LINES).zip(lines.get(range).unwrap_or_default()) {
            if let Some(kept) = kept.get_mut(file)
                && !text.is_empty()
            {
                kept.entry(line).or_insert(text);
            }
        }
    }
    for (file, kept) in files.iter_mut().zip(kept).filter(|(file, _)| file.id.is_none()) {
        let count = kept.keys().max().copied().unwrap_or(0);
        let lines: Vec<&str> = (1..=count).map(|line| kept.get(&line).copied().unwrap_or("")).collect();
        file.id = Some(sources.add(file.name.clone(), lines.join("\n"), file.origin));
    }
}

/// Reads a directive as a line marker, `# 12 "file"` or `#line 12 "file"`.
fn marker(piece: Piece, text: &str) -> Option<Marker> {
    if piece.kind != PieceKind::Directive {
        return None;
    }
    let rest = piece.text(text).strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    if number.is_empty() {
        return None;
    }
    let (file, flags) = match rest.trim_start().strip_prefix('"') {
        Some(quoted) => {
            let (name, flags) = unquote(quoted);
            (Some(name), flags)
        }
        None => (None, rest),
    };
    let system = flags.split_whitespace().any(|flag| flag == "3");
    Some(Marker { line: number.parse().unwrap_or(KEPT_LINES), file, system })
}

/// The file name up to its closing quote, with `\"` and `\\` undone, and what follows it.
fn unquote(quoted: &str) -> (String, &str) {
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (name, quoted.get(at + 1..).unwrap_or("")),
            '\\' => name.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => name.push(character),
        }
    }
    (name, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scanner;

    fn map(text: &str, sources: &mut SourceMap) -> LineMap {
        let pieces: Vec<Piece> = Scanner::new(text).collect();
        LineMap::new(text, &pieces, sources, &mut |name| (name == "a.c").then(|| "int a;\n".to_owned()))
    }

    #[test]
    fn markers_lead_to_files_and_lines() {
        let mut sources = SourceMap::default();
        let text = "# 0 \"<built-in>\"\n# 1 \"a.c\"\nint a;\n# 7 \"lib/\\\"b\\\".h\" 1 3 4\nint b;\n\nint c;\n# 2 \"a.c\" 2\nx";
        let map = map(text, &mut sources);
        let at = |line| {
            let (file, line) = map.origin(line);
            (sources.file(file).name.as_str(), line)
        };
        assert_eq!(at(3), ("a.c", 1));
        assert_eq!(at(5), ("lib/\"b\".h", 7));
        assert_eq!(at(7), ("lib/\"b\".h", 9));
        assert_eq!(at(9), ("a.c", 2));
        assert_eq!(sources.file(map.origin(5).0).origin, Origin::System);
        assert_eq!(sources.file(map.origin(3).0).origin, Origin::User);
    }

    #[test]
    fn an_unreadable_file_shows_its_preprocessed_lines() {
        let mut sources = SourceMap::default();
        let text = "# 3 \"gone.c\"\nint a;\n# 4000000000 \"gone.c\"\nint far;\n# 1 \"gone.c\"\nint b;\n";
        let map = map(text, &mut sources);
        let (file, line) = map.origin(2);
        assert_eq!(line, 3);
        assert_eq!(sources.file(file).text, "int b;\n\nint a;");
    }

    #[test]
    fn text_without_markers_is_its_own_file() {
        let mut sources = SourceMap::default();
        let map = map("int a;\nint b;", &mut sources);
        let (file, line) = map.origin(2);
        assert_eq!((sources.file(file).text.as_str(), line), ("int a;\nint b;", 2));
        assert_eq!(map.origin(1), (file, 1));
    }
}
