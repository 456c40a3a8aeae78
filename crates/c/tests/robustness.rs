//! Broken input of any kind gives diagnostics, never a panic: every prefix of a file, and thousands of
//! random mutations of it.

mod support;

use fencepost_c::ast::dump;
use fencepost_c::parse::{Fragment, parse};
use fencepost_lsl::source::SourceMap;
use support::{parse_file, render};

const FILE: &str = include_str!("robustness/queue.c");

/// Parses preprocessed text, and uses all that comes back so that wrong spans show. The original
/// file is sometimes there, sometimes not, and never the right one.
fn parse_anything(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::default();
    let original = bytes.len().is_multiple_of(2).then(|| FILE.replace("node", "n\u{f6}de"));
    let (unit, mut diagnostics) = parse(&text, &mut sources, &mut |_| original.clone());
    dump(&unit);
    for pragma in &unit.pragmas {
        let mut fragment = Fragment::new(&unit, &pragma.tokens);
        while !fragment.at_end() {
            fragment.advance();
            fragment.argument();
        }
        diagnostics.append(&mut fragment.finish());
    }
    render(&diagnostics, &sources);
}

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn the_file_itself_is_fine() {
    let mut sources = SourceMap::default();
    let (unit, diagnostics) = parse(FILE, &mut sources, &mut |_| None);
    assert_eq!(render(&diagnostics, &sources), "");
    assert_eq!(unit.items.len(), 15);
    assert_eq!(unit.pragmas.len(), 3);
}

#[test]
fn every_prefix() {
    for length in 0..FILE.len() {
        parse_anything(&FILE.as_bytes()[..length]);
    }
}

#[test]
fn mutations() {
    let interesting = b"(){}[];,*&=#'\"\\\n.:?<>-+0a \x00\x80\xff";
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4000 {
        let mut bytes = FILE.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            let length = random.below(12);
            let end = (at + length).min(bytes.len());
            match random.below(4) {
                0 => bytes[at] = interesting[random.below(interesting.len())],
                1 => drop(bytes.drain(at..end)),
                2 => bytes.insert(at, interesting[random.below(interesting.len())]),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        parse_anything(&bytes);
    }
}

#[test]
fn noise() {
    let words = [
        "int",
        "struct",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        "x",
        "T",
        "=",
        "*",
        "typedef",
        "if",
        "else",
        "for",
        ",",
        "1",
        "\"s\"",
        "__attribute__",
        ":",
        "case",
        "asm",
        "...",
        "\n",
        "#pragma fencepost",
        "# 7 \"b.c\"\n",
        "&&",
    ];
    let mut random = Random(42);
    for _ in 0..2000 {
        let count = random.below(60);
        let text: Vec<&str> = (0..count).map(|_| words[random.below(words.len())]).collect();
        let text = text.join(" ");
        parse_anything(text.as_bytes());
        let (_, diagnostics, sources) = parse_file(&text);
        render(&diagnostics, &sources);
    }
}
