//! From a placement to the text that has it: insertions into the user's files, and the difference to show.

use crate::orders::Stronger;
use crate::place::{includes, slot, statement};
use crate::text;
use fencepost_lsl::program::{Placement, Program, Slot};
use fencepost_lsl::source::{FileId, SourceFile};
use std::collections::BTreeMap;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// A file with fences put in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Patch {
    /// The file.
    pub file: FileId,
    /// Its new text.
    pub text: String,
}

/// Text put in at an offset, in place of some that is there. Of those at one offset, what ends a statement comes first, inner ones before
/// outer ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    at: u32,
    rank: (u8, u32),
    text: String,
    drops: u32,
}

/// The files that a placement changes, and stronger orders of accesses.
pub fn patches(program: &Program, placement: &Placement, orders: &[Stronger]) -> Vec<Patch> {
    let header = !includes(program, "fencepost.h") && placement.iter().any(|switch| !switch.kind.is_c11());
    let long = header || uses_long_names(program);
    // Statements by place.
    let mut places: BTreeMap<u32, (&Slot, Vec<String>)> = BTreeMap::new();
    for switch in placement {
        let place = places.entry(switch.slot.0).or_insert((slot(program, *switch), Vec::new()));
        place.1.push(statement(switch.kind, long));
    }
    let mut files: BTreeMap<FileId, Vec<Insertion>> = BTreeMap::new();
    // Bodies that get braces: what stands in front and behind.
    let mut bodies: BTreeMap<(FileId, u32, u32), [Vec<String>; 2]> = BTreeMap::new();
    for (slot, statements) in places.values() {
        match slot.alone {
            None => {
                let file = program.sources.file(slot.at.file);
                let (at, text) = in_list(file, slot.at.start, statements);
                files.entry(slot.at.file).or_default().push(Insertion { at, rank: (1, 0), text, drops: 0 });
            }
            Some(body) => {
                let around = bodies.entry((body.file, body.start, body.end)).or_default();
                around[usize::from(slot.at.start != body.start)].extend(statements.iter().cloned());
            }
        }
    }
    for ((id, start, end), around) in bodies {
        files.entry(id).or_default().extend(in_braces(program.sources.file(id), start, end, &around));
    }
    for stronger in orders {
        let (at, drops) = (stronger.at.start, stronger.at.end - stronger.at.start);
        let name = Insertion { at, rank: (1, 0), text: stronger.name(), drops };
        files.entry(stronger.at.file).or_default().push(name);
    }
    let patch = |(id, mut list): (FileId, Vec<Insertion>)| {
        let file = program.sources.file(id);
        if header {
            let first = list.iter().map(|insertion| insertion.at).min();
            list.push(include(file, first.unwrap_or(0)));
        }
        list.sort();
        Patch { file: id, text: insert(&file.text, &list) }
    };
    files.into_iter().map(patch).collect()
}

/// Whether the user's files ask for the long names of fencepost.h alone.
fn uses_long_names(program: &Program) -> bool {
    let mut files = program.sources.files();
    files.any(|(_, file)| {
        let code = text::code(&file.text);
        file.origin == fencepost_lsl::source::Origin::User
            && text::directives(&code)
                .iter()
                .any(|directive| directive.name == "define" && directive.rest == "FENCEPOST_LONG_NAMES")
    })
}

/// Where statements in a list go, and as what text: on lines of their own where the place begins a line.
fn in_list(file: &SourceFile, at: u32, statements: &[String]) -> (u32, String) {
    let line = file.line_range(file.line_of(at));
    let indent = &file.text[line.start..at as usize];
    if !indent.trim().is_empty() {
        return (at, format!("{} ", statements.join(" ")));
    }
    let mut indent = indent.to_owned();
    if file.text[at as usize..].starts_with('}') {
        indent += one_level(file);
    }
    let lines: Vec<String> = statements.iter().map(|statement| format!("{indent}{statement}\n")).collect();
    (line.start as u32, lines.concat())
}

/// Braces around the lone body of an `if` or a loop, with statements in front of it and behind it.
fn in_braces(file: &SourceFile, start: u32, end: u32, around: &[Vec<String>; 2]) -> Vec<Insertion> {
    let [before, behind] = around;
    let closing = (0, u32::MAX - start);
    let line = file.line_range(file.line_of(start));
    let indent = &file.text[line.start..start as usize];
    let head = file.text[..start as usize].trim_end();
    let last = head.rsplit('\n').next().unwrap_or(head);
    // A directive or a comment may end the line above.
    let plain = !last.trim_start().starts_with('#') && !last.contains("//") && !last.contains("*/");
    if !indent.trim().is_empty() || !plain {
        let join = |list: &[String]| list.iter().map(|statement| format!("{statement} ")).collect::<String>();
        let first = Insertion { at: start, rank: (1, 0), text: format!("{{ {}", join(before)), drops: 0 };
        let text = format!(" {}}}", join(behind));
        return vec![first, Insertion { at: end, rank: closing, text, drops: 0 }];
    }
    let outer = indent.strip_suffix(one_level(file)).unwrap_or(indent);
    let own =
        |list: &[String]| list.iter().map(|statement| format!("{statement}\n{indent}")).collect::<String>();
    let behind: String = behind.iter().map(|statement| format!("\n{indent}{statement}")).collect();
    vec![
        Insertion { at: head.len() as u32, rank: (0, u32::MAX), text: " {".into(), drops: 0 },
        Insertion { at: start, rank: (1, 0), text: own(before), drops: 0 },
        Insertion { at: end, rank: closing, text: format!("{behind}\n{outer}}}"), drops: 0 },
    ]
}

/// By what the file indents: what its first indented line begins with.
fn one_level(file: &SourceFile) -> &str {
    let blank = |line: &str| line.len() - line.trim_start().len();
    let first = file.text.lines().find(|line| {
        let text = line.trim_start();
        blank(line) > 0 && !text.is_empty() && !text.starts_with('*')
    });
    first.map_or("    ", |line| &line[..blank(line)])
}

/// Includes fencepost.h, with names that clash with none of the file's, in front of `limit`: in front of the first
/// `#include` that no condition decides on, else of the condition around the first one, else of everything. What a
/// condition decides on may be left out.
fn include(file: &SourceFile, limit: u32) -> Insertion {
    let code = text::code(&file.text);
    let mut conditions: Vec<usize> = Vec::new();
    let (mut certain, mut decided) = (None, None);
    for directive in text::directives(&code) {
        match directive.name {
            "if" | "ifdef" | "ifndef" => conditions.push(directive.line),
            "endif" => _ = conditions.pop(),
            "include" => match conditions.first() {
                None => certain = certain.or(Some(directive.line)),
                Some(&outermost) => decided = decided.or(Some(outermost)),
            },
            _ => {}
        }
    }
    let in_front = |at: &usize| *at <= limit as usize;
    let at = certain.filter(in_front).or(decided.filter(in_front)).unwrap_or(0);
    let text = "#define FENCEPOST_LONG_NAMES\n#include <fencepost.h>\n".to_owned();
    Insertion { at: at as u32, rank: (0, 0), text, drops: 0 }
}

fn insert(text: &str, insertions: &[Insertion]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for Insertion { at, text: more, drops, .. } in insertions {
        out.push_str(&text[from..*at as usize]);
        out.push_str(more);
        from = (*at + drops) as usize;
    }
    out + &text[from..]
}

/// The difference between two texts, in the unified form.
pub fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let edits = edits(&old, &new);
    let mut out = format!("--- a/{name}\n+++ b/{name}\n", name = name.trim_start_matches('/'));
    let mut next = 0;
    while let Some(first) = (next..edits.len()).find(|&i| edits[i].0 != ' ') {
        let start = first.saturating_sub(CONTEXT).max(next);
        let mut end = first + 1;
        // Changes that share their context share a hunk.
        while let Some(more) = (end..edits.len().min(end + 2 * CONTEXT + 1)).find(|&i| edits[i].0 != ' ') {
            end = more + 1;
        }
        let end = (end + CONTEXT).min(edits.len());
        let lines = |marks: [char; 2], range: std::ops::Range<usize>| {
            edits[range].iter().filter(|(mark, _)| marks.contains(mark)).count()
        };
        let (old_before, new_before) = (lines([' ', '-'], 0..start), lines([' ', '+'], 0..start));
        let (old_count, new_count) = (lines([' ', '-'], start..end), lines([' ', '+'], start..end));
        out += &format!("@@ -{},{old_count} +{},{new_count} @@\n", old_before + 1, new_before + 1);
        for (mark, line) in &edits[start..end] {
            out += &format!("{mark}{line}\n");
        }
        next = end;
    }
    out
}

/// Lines that stay, go and come, by a longest common subsequence of what differs.
fn edits<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[same..], &new[same..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, rest) = a.split_at(a.len() - tail);
    let b = &b[..b.len() - tail];
    // lengths[i][j]: of the longest common subsequence of a[i..] and b[j..].
    let mut lengths = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i][j] = match a[i] == b[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let mut edits: Vec<(char, &str)> = old[..same].iter().map(|line| (' ', *line)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            edits.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (j == b.len() || lengths[i + 1][j] >= lengths[i][j + 1]) {
            edits.push(('-', a[i]));
            i += 1;
        } else {
            edits.push(('+', b[j]));
            j += 1;
        }
    }
    edits.extend(rest.iter().map(|line| (' ', *line)));
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_show_their_surroundings() {
        let old: Vec<String> = (1..=20).map(|n| format!("line {n}")).collect();
        let mut new = old.clone();
        new.insert(4, "new".into());
        new[15] = "changed".into();
        let shown = unified("a.c", &old.join("\n"), &new.join("\n"));
        let expected = "--- a/a.c\n+++ b/a.c\n@@ -2,6 +2,7 @@\n line 2\n line 3\n line 4\n+new\n line 5\n line 6\n line 7\n\
                        @@ -12,7 +13,7 @@\n line 12\n line 13\n line 14\n-line 15\n+changed\n line 16\n line 17\n line 18\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn equal_texts_have_none() {
        assert_eq!(unified("a.c", "x\n", "x\n"), "--- a/a.c\n+++ b/a.c\n");
    }
}
