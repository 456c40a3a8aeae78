//! Pragmas: how a file says to exercise it, as far as that can be read without knowing types.

use crate::ast::{Expr, Pragma, Unit};
use crate::parse::{Fragment, similar};
use crate::token::{Punctuator, TokenKind};
use fencepost_harness::operation::Expectation;
use fencepost_harness::verdict;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::Span;

const DIRECTIVES: [&str; 6] = ["init", "op", "test", "oracle", "model", "expect"];

/// `op name = call`.
pub(super) struct OpPragma {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) call: Expr,
}

/// `test name = notation`; the notation is read when the operations are known.
pub(super) struct TestPragma {
    pub(super) name: String,
    pub(super) span: Span,
    /// Behind the `=`, to the end of the line.
    pub(super) notation: Span,
}

/// All pragmas of a file, by kind.
#[derive(Default)]
pub(super) struct Pragmas {
    pub(super) inits: Vec<Expr>,
    pub(super) ops: Vec<OpPragma>,
    pub(super) tests: Vec<TestPragma>,
    /// Declarations of oracles, as they are written.
    pub(super) oracles: Vec<Span>,
    pub(super) models: Vec<(String, Span)>,
    pub(super) expectations: Vec<Expectation>,
}

/// Reads the pragmas of a unit.
pub(super) fn read(unit: &Unit, diagnostics: &mut Vec<Diagnostic>) -> Pragmas {
    let mut pragmas = Pragmas::default();
    for pragma in &unit.pragmas {
        let mut line = Fragment::new(unit, &pragma.tokens);
        read_line(&mut line, pragma, &mut pragmas);
        diagnostics.extend(line.finish());
    }
    pragmas
}

fn read_line(line: &mut Fragment, pragma: &Pragma, pragmas: &mut Pragmas) {
    let Some(word) = line.expect_word("a directive") else { return };
    match word.text {
        "init" => pragmas.inits.extend(line.expression()),
        "op" => pragmas.ops.extend(read_op(line)),
        // The rest of the line is in a notation of its own.
        "test" => return pragmas.tests.extend(read_test(line, pragma)),
        "oracle" => {
            let start = word.span.end;
            return pragmas.oracles.push(Span::new(word.span.file, start, pragma.span.end.max(start)));
        }
        "model" => read_models(line, pragmas),
        "expect" => pragmas.expectations.extend(read_expectations(line, pragma.span).unwrap_or_default()),
        other => {
            let diagnostic = Diagnostic::error(word.span, format!("unknown directive `{other}`"));
            return line.report(match similar(other, DIRECTIVES.into_iter()) {
                Some(near) => diagnostic.help(format!("there is `{near}`")),
                None => diagnostic.help(format!("the directives are: {}", DIRECTIVES.join(", "))),
            });
        }
    }
    line.expect_end();
}

fn read_op(line: &mut Fragment) -> Option<OpPragma> {
    let name = line.expect_word("the operation's name")?;
    if !line.expect(Punctuator::Equal, "after the operation's name") {
        return None;
    }
    let call = line.expression()?;
    Some(OpPragma { name: name.text.to_owned(), span: name.span, call })
}

fn read_test(line: &mut Fragment, pragma: &Pragma) -> Option<TestPragma> {
    let name = line.expect_word("the test's name")?;
    let equal = line.span();
    if !line.expect(Punctuator::Equal, "after the test's name") {
        return None;
    }
    let notation = Span::new(equal.file, equal.end, pragma.span.end.max(equal.end));
    Some(TestPragma { name: name.text.to_owned(), span: name.span, notation })
}

fn read_models(line: &mut Fragment, pragmas: &mut Pragmas) {
    while let Some(word) = line.expect_word("a memory model") {
        pragmas.models.push((word.text.to_owned(), word.span));
        line.take(Punctuator::Comma);
        if *line.peek() == TokenKind::End {
            break;
        }
    }
}

/// `T0, T1 sc, tso holds`: every test on every model.
fn read_expectations(line: &mut Fragment, span: Span) -> Option<Vec<Expectation>> {
    let tests = read_list(line, "a test's name")?;
    let models = read_list(line, "a memory model")?;
    let verdict = line.expect_word("`holds`, `violated` or `inconclusive`")?;
    let Some(kind) = verdict::Kind::named(verdict.text) else {
        let message = format!("unknown verdict `{}`", verdict.text);
        line.report(
            Diagnostic::error(verdict.span, message).help("write `holds`, `violated` or `inconclusive`"),
        );
        return None;
    };
    let pairs = tests.iter().flat_map(|test| models.iter().map(move |model| (test.clone(), model.clone())));
    Some(pairs.map(|(test, model)| Expectation { test, model, verdict: kind, span }).collect())
}

/// Words with commas between them.
fn read_list(line: &mut Fragment, wanted: &str) -> Option<Vec<String>> {
    let mut words = vec![line.expect_word(wanted)?.text.to_owned()];
    while line.take(Punctuator::Comma) {
        words.push(line.expect_word(wanted)?.text.to_owned());
    }
    Some(words)
}
