//! Instructions of ARMv8. A register has 64 bits; what is written to its lower half clears the upper.

use super::{Code, DIFFERENT, EQUAL, INSTRUCTIONS, Instruction, Relation, Step, immediate, kinds, relation};
use crate::build::{Change, Modify, number};
use crate::text::{Piece, Result};
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, Reg};
use fencepost_lsl::value::IntTy;

pub(super) fn decode(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let upper = instruction.mnemonic.to_ascii_uppercase();
    match upper.as_str() {
        "NOP" => {}
        "DMB" | "DSB" => {
            let [option] = instruction.operands()?;
            code.push(Step::Fence(barrier(option)?));
        }
        "ISB" => code.push(Step::Fence(INSTRUCTIONS)),
        "MOV" | "MOVZ" => {
            let [dst, value] = instruction.operands()?;
            let (dst, ty) = destination(code, dst)?;
            let value = source(code, value)?;
            code.assign(dst, PrimOp::Convert(ty), &[value]);
        }
        "CMP" => {
            let [a, b] = instruction.operands()?;
            let ty = width(a);
            let (a, b) = (source(code, a)?, source(code, b)?);
            code.compare(a, b, ty);
        }
        "B" => {
            let [label] = instruction.operands()?;
            code.branch(label, None);
        }
        "CBZ" | "CBNZ" => {
            let [register, label] = instruction.operands()?;
            let register = source(code, register)?;
            let zero = if upper == "CBZ" { EQUAL } else { DIFFERENT };
            let when = code.test(zero, register, number(0));
            code.branch(label, Some(when));
        }
        _ => return others(code, instruction, &upper),
    }
    Ok(())
}

fn others(code: &mut Code, instruction: &Instruction, upper: &str) -> Result<()> {
    if let Some(op) = arithmetic(upper) {
        let [dst, a, b] = instruction.operands()?;
        let (dst, ty) = destination(code, dst)?;
        let (a, b) = (source(code, a)?, source(code, b)?);
        code.assign(dst, PrimOp::Bin(op, ty), &[a, b]);
        return Ok(());
    }
    if let Some(relation) = upper.strip_prefix("B.").or_else(|| upper.strip_prefix('B')).and_then(condition) {
        let [label] = instruction.operands()?;
        let when = code.condition(relation, instruction.whole)?;
        code.branch(label, Some(when));
        return Ok(());
    }
    if let Some((order, exclusive)) = load(upper) {
        let [dst, address] = instruction.operands()?;
        let (dst, ty) = destination(code, dst)?;
        let addr = addressed(code, address)?;
        code.push(Step::Load { dst, addr, ty, order, exclusive });
        return Ok(());
    }
    match upper {
        "STR" | "STUR" | "STLR" => {
            let [value, address] = instruction.operands()?;
            let (value, ty) = (source(code, value)?, width(value));
            let addr = addressed(code, address)?;
            let order = if upper == "STLR" { Order::Release } else { Order::Plain };
            code.push(Step::Store { addr, value, ty, order });
        }
        "STXR" | "STLXR" => {
            let [status, value, address] = instruction.operands()?;
            let (failed, _) = destination(code, status)?;
            let (value, ty) = (source(code, value)?, width(value));
            let addr = addressed(code, address)?;
            let order = if upper == "STLXR" { Order::Release } else { Order::Plain };
            code.push(Step::StoreExclusive { failed, addr, value, ty, order });
        }
        _ => return read_modify_write(code, instruction, upper),
    }
    Ok(())
}

/// The order of a load, and whether it is exclusive.
fn load(mnemonic: &str) -> Option<(Order, bool)> {
    Some(match mnemonic {
        "LDR" | "LDUR" => (Order::Plain, false),
        "LDAR" => (Order::Acquire, false),
        "LDAPR" | "LDAPUR" => (Order::AcquirePc, false),
        "LDXR" => (Order::Plain, true),
        "LDAXR" => (Order::Acquire, true),
        _ => return None,
    })
}

fn arithmetic(mnemonic: &str) -> Option<BinOp> {
    Some(match mnemonic {
        "ADD" => BinOp::Add,
        "SUB" => BinOp::Sub,
        "AND" => BinOp::And,
        "ORR" => BinOp::Or,
        "EOR" => BinOp::Xor,
        "MUL" => BinOp::Mul,
        "LSL" => BinOp::Shl,
        "LSR" => BinOp::Shr,
        _ => return None,
    })
}

fn condition(name: &str) -> Option<Relation> {
    relation(match name {
        "LO" | "CC" => "ltu",
        "LS" => "leu",
        "HI" => "gtu",
        "HS" | "CS" => "geu",
        "EQ" | "NE" | "LT" | "LE" | "GT" | "GE" => return relation(&name.to_ascii_lowercase()),
        _ => return None,
    })
}

/// SWP, CAS, LDADD and their like, with `A` for acquire and `L` for release behind the name.
fn read_modify_write(code: &mut Code, instruction: &Instruction, upper: &str) -> Result<()> {
    let known = ["SWP", "CAS", "LDADD", "LDCLR", "LDEOR", "LDSET", "STADD", "STCLR", "STEOR", "STSET"];
    let found = known.iter().find_map(|base| Some((*base, upper.strip_prefix(base)?)));
    let Some((base, suffix @ ("" | "A" | "L" | "AL"))) = found else { return Err(instruction.unknown()) };
    let (read, write) = (
        if suffix.contains('A') { Order::Acquire } else { Order::Plain },
        if suffix.contains('L') { Order::Release } else { Order::Plain },
    );
    let returns = !base.starts_with("ST");
    let (first, second, address) = match returns {
        true => {
            let [first, second, address] = instruction.operands()?;
            (first, Some(second), address)
        }
        false => {
            let [first, address] = instruction.operands()?;
            (first, None, address)
        }
    };
    let (value, ty) = (source(code, first)?, width(first));
    let addr = addressed(code, address)?;
    let change = match &base[base.len() - 3..] {
        "SWP" => Change::Swap(value),
        "CAS" => {
            let new = source(code, second.unwrap_or(first))?;
            Change::Compare { expected: value, new, weak: false }
        }
        "ADD" => Change::Compute(BinOp::Add, value),
        "EOR" => Change::Compute(BinOp::Xor, value),
        "SET" => Change::Compute(BinOp::Or, value),
        _ => Change::Clear(value),
    };
    // CAS returns what was there in the register that it compared with.
    let dst = if base == "CAS" { Some(first) } else { second };
    let dst = dst.map(|dst| destination(code, dst)).transpose()?.map(|(dst, _)| dst);
    code.push(Step::Modify { dst, modify: Modify { addr, change, read, write, ty } });
    Ok(())
}

fn barrier(option: Piece) -> Result<Fence> {
    let upper = option.text.to_ascii_uppercase();
    let known = ["ISH", "OSH", "NSH"].iter().find_map(|domain| upper.strip_prefix(domain));
    match known.unwrap_or(&upper) {
        "LD" => Ok(kinds(true, true, false, false)),
        "ST" => Ok(kinds(false, false, false, true)),
        "SY" => Ok(Fence::of_order(Order::SeqCst)),
        "" => Ok(Fence::of_order(Order::SeqCst)),
        _ => Err(option.error(format!("the barrier `{}` is not understood", option.text))),
    }
}

/// The width of what is accessed with a register.
fn width(register: Piece) -> IntTy {
    if register.text.starts_with(['W', 'w']) { IntTy::U32 } else { IntTy::U64 }
}

fn is_zero(register: Piece) -> bool {
    ["XZR", "WZR"].contains(&register.text.to_ascii_uppercase().as_str())
}

/// A register to write, and how wide.
fn destination(code: &mut Code, register: Piece) -> Result<(Reg, IntTy)> {
    let reg = if is_zero(register) { code.builder.temporary() } else { code.register(register)? };
    Ok((reg, width(register)))
}

fn source(code: &mut Code, operand: Piece) -> Result<Operand> {
    match immediate(operand, &['#']) {
        Some(number) => Ok(number),
        None if is_zero(operand) => Ok(number(0)),
        None => code.register(operand).map(Operand::from),
    }
}

/// `[X1]`, `[X1,#4]`, `[X1,X2]`, `[X1,W2,SXTW]`, `[X1,X2,LSL #3]`.
fn addressed(code: &mut Code, address: Piece) -> Result<Operand> {
    let inside =
        address.inside('[', ']').ok_or_else(|| address.error("an address, as in `[X1]`, is missing here"))?;
    let parts = inside.split(',');
    let mut addr = code.register(parts[0])?.into();
    if let Some(&offset) = parts.get(1) {
        let mut index = source(code, offset)?;
        if let Some(&extend) = parts.get(2) {
            index = extended(code, index, extend)?;
        }
        addr = code.sum(addr, index);
    }
    match parts.get(3) {
        Some(more) => Err(more.error("this address is not understood")),
        None => Ok(addr),
    }
}

/// An index, extended and shifted as `SXTW #2` says.
fn extended(code: &mut Code, index: Operand, extend: Piece) -> Result<Operand> {
    let mut words = extend.text.split_whitespace();
    let kind = words.next().unwrap_or_default().to_ascii_uppercase();
    let extended = match kind.as_str() {
        "SXTW" => code.compute(PrimOp::Convert(IntTy::I32), &[index]),
        "UXTW" => code.compute(PrimOp::Convert(IntTy::U32), &[index]),
        "LSL" | "SXTX" | "UXTX" => index,
        _ => return Err(extend.error(format!("the extension `{kind}` is not understood"))),
    };
    let Some(shift) = words.next() else { return Ok(extended) };
    let shift = shift.trim_start_matches('#').parse().ok().filter(|shift| *shift < 64);
    let shift = shift.ok_or_else(|| extend.error("how far to shift is missing here"))?;
    Ok(match shift {
        0 => extended,
        _ => code.compute(PrimOp::Bin(BinOp::Shl, IntTy::U64), &[extended, number(shift)]),
    })
}
