//! Preprocessing, by the system's C compiler, against the model headers.

use crate::headers::HEADERS;
use crate::line_map::LineMap;
use crate::scan::{Piece, Scanner};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{Origin, SourceMap, Span};
use std::path::Path;
use std::process::Command;
use std::str::Utf8Error;

/// Why there is no preprocessed text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The compiler cannot be run.
    #[error("cannot run the C compiler `{compiler}`: {source}")]
    NoCompiler {
        /// Its name.
        compiler: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The model headers cannot be laid out.
    #[error("cannot write the model headers to a temporary folder: {0}")]
    Headers(std::io::Error),
    /// The compiler found mistakes.
    #[error("the preprocessor found mistakes")]
    Mistakes(Vec<Diagnostic>),
}

/// Runs the preprocessor on a file. `arguments` are `-D`, `-U`, `-I`, `-include`, `-std` and the like. Positions
/// of its complaints point into `sources`, to which the files they speak of are added.
pub(crate) fn preprocess(
    path: &Path,
    arguments: &[String],
    sources: &mut SourceMap,
) -> Result<String, Error> {
    let _span = tracing::info_span!("preprocess", file = %path.display()).entered();
    let folder = tempfile::tempdir().map_err(Error::Headers)?;
    for (name, text) in HEADERS {
        let path = folder.path().join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text)).map_err(Error::Headers)?;
    }
    let compiler = std::env::var("CC").ok().filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        // Compilers differ in the standard they take for granted; the last one named counts.
        .args(["-E", "-std=gnu11", "-nostdinc", "-D__FENCEPOST__=1", "-isystem"])
        .arg(folder.path())
        .arg("-include")
        .arg(folder.path().join("fencepost_prelude.h"))
        .args(arguments)
        .arg(path)
        .env("LC_ALL", "C")
        .output()
        .map_err(|source| Error::NoCompiler { compiler, source })?;
    let prefix = format!("{}/", folder.path().display());
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).replace(&prefix, "");
        return Err(Error::Mistakes(complaints(&text, sources)));
    }
    match String::from_utf8(output.stdout) {
        Ok(text) => Ok(rename_headers(&text, &prefix)),
        Err(error) => Err(Error::Mistakes(not_utf8(error.as_bytes(), &prefix, sources))),
    }
}

/// What is said of preprocessed text that is no UTF-8: comments are gone by then, so the bytes would mean
/// something, and which characters they are nobody knows.
fn not_utf8(bytes: &[u8], prefix: &str, sources: &mut SourceMap) -> Vec<Diagnostic> {
    let text = rename_headers(&String::from_utf8_lossy(bytes), prefix);
    let pieces: Vec<Piece> = Scanner::new(&text).collect();
    let map = LineMap::new(&text, &pieces, sources, &mut quotable);
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    let wrong = lines.filter_map(|(line, number)| Some((std::str::from_utf8(line).err()?, line, number)));
    let report = |(error, line, number): (Utf8Error, &[u8], u32)| {
        let byte =
            line.get(error.valid_up_to()).map_or(String::new(), |byte| format!("the byte 0x{byte:02x} is "));
        let (file, line) = map.origin(number);
        let range = sources.file(file).line_range(line);
        let span = Span::new(file, range.start as u32, range.end as u32);
        Diagnostic::error(span, format!("{byte}no UTF-8"))
            .help("save the file as UTF-8, or write the byte as an escape sequence, such as \"\\xe9\"")
    };
    wrong.map(report).collect()
}

/// The text of a file, for quoting alone: where its bytes are no UTF-8, it is not quite what is there.
pub(crate) fn quotable(name: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&std::fs::read(name).ok()?).into_owned())
}

/// Line markers name the headers as programs include them: `<stdlib.h>`.
fn rename_headers(text: &str, prefix: &str) -> String {
    let mut renamed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("# ").and_then(|marker| marker.split_once(&format!("\"{prefix}"))) {
            Some((number, rest)) => {
                let (name, flags) = rest.split_once('"').unwrap_or((rest, ""));
                renamed.push_str(&format!("# {number}\"<{name}>\"{flags}"));
            }
            None => renamed.push_str(line),
        }
    }
    renamed
}

/// The compiler's complaints, `file:line:column: error: message`, as diagnostics.
fn complaints(text: &str, sources: &mut SourceMap) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once("error: ") else { continue };
        let mut parts =
            place.trim_end().trim_end_matches("fatal").trim_end().trim_end_matches(':').rsplitn(3, ':');
        let column = parts.next().and_then(|column| column.trim().parse::<u32>().ok());
        let number = parts.next().and_then(|number| number.parse::<u32>().ok());
        let span = match (parts.next(), number, column) {
            (Some(file), Some(number), Some(column)) => locate(file, number, column, sources),
            _ => None,
        };
        let mut diagnostic = match span {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::general(message),
        };
        if let Some(header) = message.strip_suffix(": No such file or directory") {
            diagnostic.message = format!("cannot find `{header}`");
            if header.ends_with(".h") {
                diagnostic = diagnostic
                    .note("standard headers are replaced by models, and there is none for this one")
                    .help("if the file does not need it, leave it out under `#ifndef __FENCEPOST__`; else add its folder with `-I`");
            }
        }
        found.push(diagnostic);
    }
    if found.is_empty() {
        let text = text.trim();
        let message = if text.is_empty() { "the C preprocessor failed" } else { text };
        found.push(Diagnostic::general(message));
    }
    found
}

fn locate(file: &str, line: u32, column: u32, sources: &mut SourceMap) -> Option<Span> {
    let id = match sources.find(file) {
        Some(id) => id,
        None => sources.add(file, quotable(file)?, Origin::User),
    };
    let range = sources.file(id).line_range(line);
    let start = (range.start + column.saturating_sub(1) as usize).min(range.end);
    let rest = &sources.file(id).text[start..range.end];
    let length = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    Some(Span::new(id, start as u32, (start + length) as u32))
}
