//! Lexer tests: each input is one line of a file `a.c`.

use super::*;
use crate::token::{Encoding, IntegerLength, Punctuator, StringLiteral};

/// Lexes a file that looks the same before and after preprocessing.
fn lex_plain(text: &str) -> (Lexed, SourceMap) {
    let mut sources = SourceMap::default();
    let printed = format!("# 1 \"a.c\"\n{text}");
    let lexed = lex(&printed, &mut sources, &mut |_| Some(text.to_owned()));
    (lexed, sources)
}

fn messages(lexed: &Lexed) -> Vec<&str> {
    lexed.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect()
}

/// A token in a form that is short to write.
fn show(kind: &TokenKind, names: &Interner) -> String {
    match kind {
        TokenKind::Identifier(symbol) => names.text(*symbol).to_owned(),
        TokenKind::Keyword(keyword) => format!("<{}>", keyword.text()),
        TokenKind::Punctuator(punctuator) => punctuator.text().to_owned(),
        TokenKind::Integer(integer) => {
            let length = match integer.length {
                IntegerLength::Int => "",
                IntegerLength::Long => "l",
                IntegerLength::LongLong => "ll",
            };
            let sign = if integer.unsigned { "u" } else { "" };
            let base = if integer.decimal { "" } else { "#" };
            format!("{base}{}{sign}{length}", integer.value)
        }
        TokenKind::Float(symbol) => format!("float:{}", names.text(*symbol)),
        TokenKind::Character(character) => format!("{}'{}'", character.encoding.prefix(), character.value),
        TokenKind::String(string) => format!("{}{:?}", string.encoding.prefix(), string.bytes),
        TokenKind::End => "end".to_owned(),
    }
}

/// Checks the tokens of a line, which must be without fault.
fn check(text: &str, expected: &str) {
    let (lexed, _) = lex_plain(text);
    let shown: Vec<String> = lexed.tokens.iter().map(|token| show(&token.kind, &lexed.names)).collect();
    assert_eq!(shown.join(" "), format!("{expected} end"), "{text}");
    assert_eq!(messages(&lexed), [""; 0], "{text}");
}

/// Checks the tokens of a line and its messages.
fn check_fault(text: &str, expected: &str, expected_messages: &[&str]) {
    let (lexed, _) = lex_plain(text);
    let shown: Vec<String> = lexed.tokens.iter().map(|token| show(&token.kind, &lexed.names)).collect();
    assert_eq!(shown.join(" "), format!("{expected} end"), "{text}");
    assert_eq!(messages(&lexed), expected_messages, "{text}");
}

#[test]
fn words_and_punctuation() {
    check("int x; /* c */ y->z... // end", "<int> x ; y -> z ...");
    check("__const__ __inline foo __typeof__", "<const> <inline> foo <typeof>");
    check("a<<=b>>c>=d", "a <<= b >> c >= d");
    check("<: :> <% %>", "[ ] { }");
    check("größe $x _y1", "größe $x _y1");
    check("a\\\n+b", "a + b");
}

#[test]
fn integers() {
    check("0 7 10u 0x1F 017 0b101 1'000'000", "0 7 10u #31 #15 #5 1000000");
    check("1l 1L 1ul 1LU 1ll 1ULL 1llu", "1l 1l 1ul 1ul 1ll 1ull 1ull");
    check("18446744073709551615u 0xFFFFFFFFFFFFFFFF", "18446744073709551615u #18446744073709551615");
    check_fault(
        "99999999999999999999",
        "18446744073709551615",
        &["`99999999999999999999` is too large for any integer type"],
    );
    check_fault("089", "#0", &["digit `8` in octal number"]);
    check_fault("0b12", "#1", &["digit `2` in binary number"]);
    check_fault("0x", "#0", &["hexadecimal number without digits"]);
    check_fault(
        "12abc 1lul 1lL",
        "12 1 1",
        &[
            "unknown suffix `abc` on an integer",
            "unknown suffix `lul` on an integer",
            "unknown suffix `lL` on an integer",
        ],
    );
}

#[test]
fn floats_stay_apart() {
    check("1.5 1e10 .5f 0x1p-3 1E+3", "float:1.5 float:1e10 float:.5f float:0x1p-3 float:1E+3");
    check("0xE+1 1..", "#14 + 1 float:1..");
}

#[test]
fn characters() {
    check(r"'a' '\n' '\0' '\x41' '\377' '\'' '\\'", "'97' '10' '0' '65' '-1' '39' '92'");
    check("'ab' L'é' u'é' U'\\U0001F600'", "'24930' L'233' u'233' U'128512'");
    check_fault("''", "'0'", &["empty character constant"]);
    check_fault("'a;", "'97' ;", &["unterminated character constant"]);
    check_fault("'abcde'", "'1650680933'", &["character constant too long for its type"]);
    check_fault(
        r"'\x100' '\q' '\u12'",
        "'0' '113' '18'",
        &[
            "escape sequence out of range",
            "unknown escape sequence `\\q`",
            "escape sequence does not name a character",
        ],
    );
}

#[test]
fn strings() {
    check(r#""a\tb" "" u8"x""#, "[97, 9, 98] [] u8[120]");
    check(r#"L"é" u"é""#, "L[233, 0, 0, 0] u[233, 0]");
    check(r#""é\x80\1019""#, "[195, 169, 128, 65, 57]");
    check_fault("puts(\"hi);", "puts ( [104, 105] ) ;", &["unterminated string literal"]);
}

#[test]
fn strings_join_in_the_wider_encoding() {
    let literal = |bytes: &[u8], encoding| StringLiteral { bytes: bytes.to_vec(), encoding };
    let mut plain = literal("é".as_bytes(), Encoding::Plain);
    assert!(plain.append(&literal(&[1, 0], Encoding::Utf16)));
    assert_eq!(plain, literal(&[233, 0, 1, 0], Encoding::Utf16));
    assert!(plain.append(&literal(&[255], Encoding::Plain)));
    assert_eq!(plain, literal(&[233, 0, 1, 0, 255, 0], Encoding::Utf16));
    assert!(!plain.append(&literal(&[], Encoding::Wide)));
}

#[test]
fn stray_characters() {
    check_fault(
        "a @ b ` \u{1} #",
        "a b",
        &["stray character `@`", "stray character ``` ", "stray character U+0001", "stray character `#`"]
            .map(str::trim_end),
    );
    check_fault("a /* b", "a", &["unterminated comment"]);
}

#[test]
fn spans_point_into_the_original() {
    let mut sources = SourceMap::default();
    let printed = "# 1 \"a.c\"\nint *p = \n# 1 \"a.c\" 3 4\n         ((void *)0)\n# 1 \"a.c\"\n             ;\nint q;\n";
    let lexed = lex(printed, &mut sources, &mut |_| Some("int *p = NULL;\nint q;\n".to_owned()));
    let texts: Vec<&str> = lexed.tokens.iter().map(|token| sources.text(token.span)).collect();
    assert_eq!(texts.join(" "), "int * p = NULL NULL NULL NULL NULL NULL NULL ; int q ; ");
    let firsts = lexed.tokens.iter().filter(|token| token.first_on_line);
    assert_eq!(firsts.map(|token| sources.position(token.span).line).collect::<Vec<_>>(), [1, 2, 2]);
}

#[test]
fn pragmas_are_set_aside() {
    let original = "int x;\n#pragma once\n# pragma fencepost test T = \\\n  ( e' | d' ) // two\n#pragma fencepost op c = f('a')\n";
    let printed = "# 1 \"a.c\"\nint x;\n#pragma once\n#pragma fencepost test T = ( e' | d' )\n\n#pragma fencepost op c = f('a')\n";
    let mut sources = SourceMap::default();
    let lexed = lex(printed, &mut sources, &mut |_| Some(original.to_owned()));
    assert_eq!(messages(&lexed), [""; 0]);
    let [test, operation] = lexed.pragmas.as_slice() else { panic!("two pragmas") };
    let texts: Vec<&str> = test.tokens.iter().map(|token| sources.text(token.span)).collect();
    assert_eq!(texts, ["test", "T", "=", "(", "e", "'", "|", "d", "'", ")"]);
    assert_eq!(test.tokens[5].kind, TokenKind::Punctuator(Punctuator::Prime));
    assert_eq!(sources.text(test.span), "# pragma fencepost test T = \\\n  ( e' | d' )");
    let kinds = operation.tokens.iter().map(|token| show(&token.kind, &lexed.names));
    assert_eq!(kinds.collect::<Vec<_>>().join(" "), "op c = f ( '97' )");
    assert_eq!(sources.position(operation.span).line, 5);
    assert_eq!(lexed.tokens.len(), 4);
}

#[test]
fn a_pragma_written_by_a_macro_gets_the_line() {
    let printed = "# 1 \"a.c\"\n\n# 1 \"a.c\"\n#pragma fencepost op e = f()\n# 1 \"a.c\"\n;\n";
    let mut sources = SourceMap::default();
    let lexed = lex(printed, &mut sources, &mut |_| Some("OPERATION(f);\n".to_owned()));
    assert_eq!(lexed.pragmas.len(), 1);
    assert_eq!(sources.position(lexed.pragmas[0].span).line, 1);
    assert_eq!(sources.text(lexed.tokens[0].span), ";");
}

#[test]
fn a_missing_file_is_quoted_from_the_preprocessed_text() {
    let mut sources = SourceMap::default();
    let lexed = lex("# 7 \"gone.c\"\nint x;\n  int @;\n", &mut sources, &mut |_| None);
    let texts: Vec<&str> = lexed.tokens.iter().map(|token| sources.text(token.span)).collect();
    assert_eq!(texts.join(" "), "int x ; int ; ");
    let (span, _) = lexed.diagnostics[0].primary.clone().expect("a place");
    let position = sources.position(span);
    assert_eq!((position.file.as_str(), position.line, position.column), ("gone.c", 8, 7));
}

#[test]
fn named_characters_in_identifiers() {
    let mut sources = SourceMap::default();
    let printed = "# 1 \"a.c\"\nint gr\\u00f6\\U000000dfe = 1;\n";
    let lexed = lex(printed, &mut sources, &mut |_| Some("int größe = 1;\n".to_owned()));
    assert_eq!(show(&lexed.tokens[1].kind, &lexed.names), "größe");
    assert_eq!(sources.text(lexed.tokens[1].span), "größe");
    assert_eq!(sources.text(lexed.tokens[3].span), "1");
}
