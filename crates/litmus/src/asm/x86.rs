//! Instructions of x86: as herd writes them for X86 (`MOV EAX,[x]`, destination first), or as assemblers of Unix do for
//! X86_64 (`movl (x),%eax`, destination last).

use super::{Code, Instruction, Step, immediate, kinds, relation};
use crate::build::{Change, Modify, number};
use crate::text::{Piece, Result};
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, Reg};
use fencepost_lsl::value::IntTy;

/// An operand.
#[derive(Clone, Copy)]
enum Operator {
    Value(Operand),
    Register(Reg),
    Memory(Operand),
}

pub(super) fn decode(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let lower = instruction.mnemonic.to_ascii_lowercase();
    if lower != "lock" {
        return unlocked(code, instruction, &lower, false);
    }
    // The instruction stands where operands would.
    let Some((first, rest)) = instruction.operands.split_first() else { return Err(instruction.unknown()) };
    let end = first.text.find(char::is_whitespace).unwrap_or(first.text.len());
    let mut operands = vec![first.part(end, first.text.len())];
    operands.extend(rest);
    operands.retain(|operand| !operand.text.is_empty());
    let inner = Instruction { mnemonic: &first.text[..end], operands, whole: instruction.whole };
    unlocked(code, &inner, &inner.mnemonic.to_ascii_lowercase(), true)
}

fn unlocked(code: &mut Code, instruction: &Instruction, lower: &str, locked: bool) -> Result<()> {
    match lower {
        "nop" => return Ok(()),
        "mfence" => code.push(Step::Fence(Fence::of_order(Order::SeqCst))),
        "lfence" => code.push(Step::Fence(kinds(true, true, false, false))),
        "sfence" => code.push(Step::Fence(kinds(false, false, false, true))),
        "jmp" => {
            let [label] = instruction.operands()?;
            code.branch(label, None);
        }
        _ if lower.starts_with('j') => {
            let relation = relation(jump(&lower[1..])).ok_or_else(|| instruction.unknown())?;
            let [label] = instruction.operands()?;
            let when = code.condition(relation, instruction.whole)?;
            code.branch(label, Some(when));
        }
        _ => {
            let (name, ty) = sized(lower, instruction);
            return computes(code, instruction, name, ty, locked);
        }
    }
    Ok(())
}

/// The comparison of a jump.
fn jump(name: &str) -> &str {
    match name {
        "e" | "z" => "eq",
        "ne" | "nz" => "ne",
        "l" => "lt",
        "le" => "le",
        "g" => "gt",
        "ge" => "ge",
        "b" => "ltu",
        "be" => "leu",
        "a" => "gtu",
        "ae" => "geu",
        other => other,
    }
}

const NAMES: [&str; 13] =
    ["mov", "xchg", "xadd", "cmpxchg", "cmp", "test", "inc", "dec", "add", "sub", "and", "or", "xor"];

/// The name without a suffix of width, and the width: that of the suffix, or of a register, or 32 bits.
fn sized<'m>(name: &'m str, instruction: &Instruction) -> (&'m str, IntTy) {
    let wide = |piece: &Piece| {
        let text = piece.text.trim_start_matches('%');
        text.starts_with(['r', 'R']) && !text.ends_with(['d', 'D'])
    };
    let natural = if instruction.operands.iter().any(wide) { IntTy::U64 } else { IntTy::U32 };
    if NAMES.contains(&name) {
        return (name, natural);
    }
    match (name.strip_suffix('l'), name.strip_suffix('q')) {
        (Some(short), _) if NAMES.contains(&short) => (short, IntTy::U32),
        (_, Some(short)) if NAMES.contains(&short) => (short, IntTy::U64),
        _ => (name, natural),
    }
}

fn computes(code: &mut Code, instruction: &Instruction, name: &str, ty: IntTy, locked: bool) -> Result<()> {
    let op = match name {
        "add" | "inc" | "xadd" => Some(BinOp::Add),
        "sub" | "dec" => Some(BinOp::Sub),
        "and" | "test" => Some(BinOp::And),
        "or" => Some(BinOp::Or),
        "xor" => Some(BinOp::Xor),
        _ => None,
    };
    let mut operands = Vec::new();
    for &piece in &instruction.operands {
        operands.push(operand(code, piece)?);
    }
    // Destination first, however it is written.
    if instruction.operands.iter().any(|piece| piece.text.starts_with('%') || piece.text.contains('(')) {
        operands.reverse();
    }
    if matches!(name, "inc" | "dec") {
        operands.push(Operator::Value(number(1)));
    }
    let &[dst, src] = &operands[..] else { return Err(instruction.unknown()) };
    if locked && !matches!(dst, Operator::Memory(_)) {
        return Err(instruction.whole.error("only changes of memory can be locked"));
    }
    match (name, op) {
        ("mov", _) if !locked => {
            let value = read(code, src, ty);
            write(code, dst, value, ty, instruction)
        }
        ("cmp", _) if !locked => {
            let (a, b) = (read(code, dst, ty), read(code, src, ty));
            code.compare(a, b, ty);
            Ok(())
        }
        ("test", Some(op)) if !locked => {
            let (a, b) = (read(code, dst, ty), read(code, src, ty));
            let both = code.compute(PrimOp::Bin(op, ty), &[a, b]);
            code.compare(both, number(0), ty);
            Ok(())
        }
        // An exchange with memory is locked in any case.
        ("xchg", _) => match (dst, src) {
            (Operator::Memory(addr), Operator::Register(reg))
            | (Operator::Register(reg), Operator::Memory(addr)) => {
                modify(code, addr, Change::Swap(reg.into()), Some(reg), ty);
                Ok(())
            }
            _ => Err(instruction.unknown()),
        },
        ("xadd", Some(op)) if locked => match (dst, src) {
            (Operator::Memory(addr), Operator::Register(reg)) => {
                modify(code, addr, Change::Compute(op, reg.into()), Some(reg), ty);
                Ok(())
            }
            _ => Err(instruction.unknown()),
        },
        ("cmpxchg", _) if locked => compare_exchange(code, instruction, (dst, src), ty),
        ("add" | "sub" | "and" | "or" | "xor" | "inc" | "dec", Some(op)) => match (dst, locked) {
            (Operator::Memory(addr), true) => {
                let value = read(code, src, ty);
                modify(code, addr, Change::Compute(op, value), None, ty);
                Ok(())
            }
            _ => {
                let (a, b) = (read(code, dst, ty), read(code, src, ty));
                let result = code.compute(PrimOp::Bin(op, ty), &[a, b]);
                write(code, dst, result, ty, instruction)
            }
        },
        _ => Err(instruction.unknown()),
    }
}

/// The accumulator is compared, and receives what was there.
fn compare_exchange(
    code: &mut Code,
    instruction: &Instruction,
    operands: (Operator, Operator),
    ty: IntTy,
) -> Result<()> {
    let (Operator::Memory(addr), Operator::Register(new)) = operands else {
        return Err(instruction.unknown());
    };
    let accumulator = code.register(Piece { text: "RAX", span: instruction.whole.span })?;
    let expected = code.builder.temporary();
    code.assign(expected, PrimOp::Copy, &[accumulator.into()]);
    let change = Change::Compare { expected: expected.into(), new: new.into(), weak: false };
    modify(code, addr, change, Some(accumulator), ty);
    code.compare(accumulator.into(), expected.into(), ty);
    Ok(())
}

fn modify(code: &mut Code, addr: Operand, change: Change, dst: Option<Reg>, ty: IntTy) {
    let modify = Modify { addr, change, read: Order::Plain, write: Order::Plain, ty };
    code.push(Step::Modify { dst, modify });
}

fn read(code: &mut Code, operand: Operator, ty: IntTy) -> Operand {
    match operand {
        Operator::Value(value) => value,
        Operator::Register(reg) => reg.into(),
        Operator::Memory(addr) => {
            let dst = code.builder.temporary();
            code.push(Step::Load { dst, addr, ty, order: Order::Plain, exclusive: false });
            dst.into()
        }
    }
}

fn write(code: &mut Code, dst: Operator, value: Operand, ty: IntTy, instruction: &Instruction) -> Result<()> {
    match dst {
        Operator::Value(_) => return Err(instruction.whole.error("the destination is a number")),
        Operator::Register(reg) => code.assign(reg, PrimOp::Convert(ty), &[value]),
        Operator::Memory(addr) => code.push(Step::Store { addr, value, ty, order: Order::Plain }),
    }
    Ok(())
}

/// `$1`, `EAX`, `%eax`, `[x]`, `(x)`, `(%rax)`.
fn operand(code: &mut Code, piece: Piece) -> Result<Operator> {
    if let Some(number) = immediate(piece, &['$']) {
        return Ok(Operator::Value(number));
    }
    if let Some(inside) = piece.inside('[', ']').or_else(|| piece.inside('(', ')')) {
        let name = without_percent(inside);
        return Ok(Operator::Memory(match code.arch.register(name.text) {
            Some(_) => code.register(name)?.into(),
            None if name.text.is_empty()
                || name.text.contains(|c: char| !c.is_alphanumeric() && c != '_') =>
            {
                return Err(piece.error("this address is not understood"));
            }
            None => number(code.locations.address(name.text) as i64),
        }));
    }
    if let Some(name) = piece.text.strip_prefix('$') {
        return Ok(Operator::Value(number(code.locations.address(name) as i64)));
    }
    code.register(without_percent(piece)).map(Operator::Register)
}

fn without_percent(piece: Piece) -> Piece {
    if piece.text.starts_with('%') { piece.part(1, piece.text.len()) } else { piece }
}
