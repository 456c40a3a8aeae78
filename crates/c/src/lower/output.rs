//! Functions that print. Nothing is printed, and output never fails; but arguments are evaluated, strings are read, and
//! where a result is used it is one that the function may give.

use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind, Symbol};
use crate::types::TypeId;
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Choice, Operand, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// The function of the model headers that reads a string, of at most so many characters.
const READ_STRING: &str = "fencepost_read_string";

/// What a format does with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Prints a number or an address.
    Value,
    /// Reads it as the precision of what follows.
    Precision,
    /// Prints a string, of at most so many characters.
    String(Most),
}

/// How many characters of a string are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Most {
    All,
    Constant(u64),
    /// As the argument before it says.
    Argument,
}

/// A format of `printf`, taken apart.
#[derive(PartialEq, Eq, Debug)]
struct Format {
    /// What happens to each argument.
    uses: Vec<Use>,
    /// How many characters are printed, if that does not depend on arguments.
    length: Option<u64>,
    /// Whether `%n` stores through an argument.
    stores: bool,
}

impl<'u> Lowerer<'u> {
    /// Calls a function that only prints or passes time. `wanted` says whether its result is used.
    pub(super) fn ignored_call(
        &mut self,
        symbol: Symbol,
        result: TypeId,
        arguments: &'u [Expr],
        wanted: bool,
        span: Span,
    ) -> Value {
        let name = self.text(symbol);
        let (format, strings) = match name {
            "printf" => (Some(0), 0..0),
            "fprintf" => (Some(1), 0..0),
            "puts" | "fputs" | "perror" => (None, 0..1),
            _ => (None, 0..0),
        };
        let parsed =
            format.and_then(|at| arguments.get(at)).and_then(|format| match &self.resolve(format).kind {
                ExprKind::String(text) => Some(parse(&text.bytes)),
                _ => None,
            });
        if parsed.as_ref().is_some_and(|parsed| parsed.stores) {
            self.unsupported(span, "`%n`", "nothing is printed, so nothing is counted");
        }
        let first = format.map_or(0, |at| at + 1);
        let mut values = Vec::new();
        let mut read: Vec<(Operand, Operand, Span)> = Vec::new();
        let all: Operand = u64::from(i32::MAX as u32).into();
        for (index, argument) in arguments.iter().enumerate() {
            let usage = match &parsed {
                Some(parsed) if index >= first => parsed.uses.get(index - first).copied(),
                _ if strings.contains(&index) || format == Some(index) => Some(Use::String(Most::All)),
                _ => None,
            };
            let literal = matches!(self.resolve(argument).kind, ExprKind::String(_));
            let word = match usage {
                None | Some(Use::Value)
                    if index > 0 || name != "putchar" && name != "putc" && name != "fputc" =>
                {
                    self.discard(argument);
                    0.into()
                }
                _ if literal => 0.into(),
                _ => {
                    let value = self.rvalue(argument);
                    match value.data {
                        Data::Word(word) => word,
                        _ => 0.into(),
                    }
                }
            };
            if let (Some(Use::String(most)), false) = (usage, literal) {
                let most = match most {
                    Most::All => all,
                    Most::Constant(most) => most.into(),
                    Most::Argument => values.last().copied().unwrap_or(all),
                };
                read.push((word, most, argument.span));
            }
            values.push(word);
        }
        for (text, most, span) in read {
            if let (0, Some(reader)) = (self.unevaluated, self.names.find(READ_STRING))
                && let Some(proc) = self.reach(reader)
            {
                self.builder.emit(StmtKind::Call { proc, args: vec![text, most], results: Vec::new() }, span);
            }
        }
        let Some(scalar) = self.types.word(result) else {
            return Value { ty: result, data: Data::Nothing };
        };
        let word = match (name, parsed) {
            _ if !wanted => 0.into(),
            ("putchar" | "putc" | "fputc", _) => {
                let word = values.first().copied().unwrap_or(0.into());
                self.builder.op(PrimOp::Convert(IntTy::U8), &[word], span)
            }
            ("printf" | "fprintf", Some(Format { length: Some(length), .. })) => length.into(),
            ("printf" | "fprintf" | "puts" | "fputs", _) => {
                let dst = self.builder.reg();
                self.builder.emit(StmtKind::Choose { dst, from: Choice::Any(scalar) }, span);
                self.builder.op(PrimOp::Bin(BinOp::And, scalar), &[dst.into(), all], span)
            }
            _ => 0.into(),
        };
        Value::word(result, word)
    }
}

/// Takes a format of `printf` apart (C11 7.21.6.1).
fn parse(text: &[u8]) -> Format {
    let mut format = Format { uses: Vec::new(), length: Some(0), stores: false };
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            format.length = format.length.map(|length| length + 1);
            continue;
        }
        while rest.next_if(|byte| b"-+ #0'".contains(byte)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            format.uses.push(Use::Value);
        }
        while rest.next_if(u8::is_ascii_digit).is_some() {}
        let mut most = Most::All;
        if rest.next_if_eq(&b'.').is_some() {
            if rest.next_if_eq(&b'*').is_some() {
                format.uses.push(Use::Precision);
                most = Most::Argument;
            } else {
                let mut digits = 0u64;
                while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                    digits = digits.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                }
                most = Most::Constant(digits.min(i32::MAX as u64));
            }
        }
        let mut wide = false;
        while let Some(letter) = rest.next_if(|byte| b"hlLqjzt".contains(byte)) {
            wide |= letter == b'l';
        }
        match rest.next() {
            Some(b'%') => format.length = format.length.map(|length| length + 1),
            Some(b's') if !wide => {
                format.uses.push(Use::String(most));
                format.length = None;
            }
            Some(b'm') | None => format.length = None,
            Some(conversion) => {
                format.stores |= conversion == b'n';
                format.uses.push(Use::Value);
                format.length = None;
            }
        }
    }
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_say_what_they_do_with_arguments() {
        let all = Use::String(Most::All);
        for (text, uses) in [
            ("plain", vec![]),
            ("%d %5.2lu%%\n", vec![Use::Value, Use::Value]),
            ("%s%-8s", vec![all, all]),
            ("%.3s", vec![Use::String(Most::Constant(3))]),
            ("%*.*s", vec![Use::Value, Use::Precision, Use::String(Most::Argument)]),
            ("%ls%p", vec![Use::Value, Use::Value]),
        ] {
            assert_eq!(parse(text.as_bytes()).uses, uses, "{text}");
        }
        assert_eq!(parse(b"a 100%% b\n").length, Some(9));
        assert_eq!(parse(b"%d").length, None);
        assert!(parse(b"%d%n").stores);
    }
}
