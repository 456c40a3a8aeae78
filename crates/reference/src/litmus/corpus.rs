//! The litmus tables of the corpus.

use super::{Row, parse};
use std::path::Path;

/// Every row of every table, each named by its file and line. Panics if a table cannot be read: it is for tests.
pub fn rows() -> Vec<(String, Row)> {
    in_folder("../../corpus/litmus")
}

/// Those about the models of today's languages and machines.
pub fn modern_rows() -> Vec<(String, Row)> {
    in_folder("../../corpus/litmus/modern")
}

fn in_folder(folder: &str) -> Vec<(String, Row)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = folder
        .read_dir()
        .expect("the corpus is there")
        .map(|entry| entry.expect("it is readable").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it is readable");
        let rows = parse(&text).unwrap_or_else(|mistakes| {
            let list: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            panic!("{}:\n{}", file.display(), list.join("\n"))
        });
        assert!(!rows.is_empty(), "{}: no rows", file.display());
        let place = |row: &Row| {
            format!("{}:{} {}", file.file_name().expect("it has one").display(), row.line, row.name)
        };
        found.extend(rows.into_iter().map(|row| (place(&row), row)));
    }
    assert!(!found.is_empty(), "{}: no tables", folder.display());
    found
}
