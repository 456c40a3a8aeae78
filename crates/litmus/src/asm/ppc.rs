//! Instructions of Power.

use super::{Code, INSTRUCTIONS, Instruction, Step, immediate, kinds, relation};
use crate::build::number;
use crate::text::{self, Piece, Result};
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order};
use fencepost_lsl::value::IntTy;

pub(super) fn decode(code: &mut Code, instruction: &Instruction) -> Result<()> {
    match instruction.mnemonic {
        "nop" => {}
        "sync" | "hwsync" => code.push(Step::Fence(Fence::of_order(Order::SeqCst))),
        "lwsync" => code.push(Step::Fence(Fence::of_order(Order::AcqRel))),
        "eieio" => code.push(Step::Fence(kinds(false, false, false, true))),
        "isync" => code.push(Step::Fence(INSTRUCTIONS)),
        "li" | "mr" => {
            let [dst, value] = instruction.operands()?;
            let (dst, value) = (code.register(dst)?, source(code, value)?);
            code.assign(dst, PrimOp::Copy, &[value]);
        }
        "cmpw" | "cmpwi" | "cmpd" | "cmpdi" => {
            let [a, b] = instruction.operands()?;
            let (a, b) = (source(code, a)?, source(code, b)?);
            let ty = if instruction.mnemonic.contains('w') { IntTy::U32 } else { IntTy::U64 };
            code.compare(a, b, ty);
        }
        "b" => {
            let [label] = instruction.operands()?;
            code.branch(label, None);
        }
        _ => return others(code, instruction),
    }
    Ok(())
}

fn others(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let mnemonic = instruction.mnemonic;
    if let Some(op) = arithmetic(mnemonic) {
        let [dst, a, b] = instruction.operands()?;
        let (dst, a, b) = (code.register(dst)?, source(code, a)?, source(code, b)?);
        // `subf` subtracts its first from its second.
        let args = if mnemonic == "subf" { [b, a] } else { [a, b] };
        code.assign(dst, PrimOp::Bin(op, IntTy::U64), &args);
        return Ok(());
    }
    if let Some(relation) =
        mnemonic.strip_prefix('b').and_then(|name| relation(name.trim_end_matches(['+', '-'])))
    {
        let [label] = instruction.operands()?;
        let when = code.condition(relation, instruction.whole)?;
        code.branch(label, Some(when));
        return Ok(());
    }
    access(code, instruction)
}

fn access(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let (ty, order) =
        (if instruction.mnemonic.contains('w') { IntTy::U32 } else { IntTy::U64 }, Order::Plain);
    match instruction.mnemonic {
        "lwz" | "ld" => {
            let [dst, address] = instruction.operands()?;
            let (dst, addr) = (code.register(dst)?, addressed(code, address)?);
            code.push(Step::Load { dst, addr, ty, order, exclusive: false });
        }
        "stw" | "std" => {
            let [value, address] = instruction.operands()?;
            let (value, addr) = (source(code, value)?, addressed(code, address)?);
            code.push(Step::Store { addr, value, ty, order });
        }
        "lwzx" | "ldx" | "lwarx" | "ldarx" => {
            let [dst, base, index] = instruction.operands()?;
            let (dst, addr) = (code.register(dst)?, indexed(code, base, index)?);
            let exclusive = instruction.mnemonic.contains('r');
            code.push(Step::Load { dst, addr, ty, order, exclusive });
        }
        "stwx" | "stdx" => {
            let [value, base, index] = instruction.operands()?;
            let (value, addr) = (source(code, value)?, indexed(code, base, index)?);
            code.push(Step::Store { addr, value, ty, order });
        }
        "stwcx." | "stdcx." => {
            let [value, base, index] = instruction.operands()?;
            let (value, addr) = (source(code, value)?, indexed(code, base, index)?);
            // The condition register tells whether it succeeds: equal if so.
            let failed = code.builder.temporary();
            code.push(Step::StoreExclusive { failed, addr, value, ty, order });
            code.compare(failed.into(), number(0), IntTy::U64);
        }
        _ => return Err(instruction.unknown()),
    }
    Ok(())
}

fn arithmetic(mnemonic: &str) -> Option<BinOp> {
    Some(match mnemonic {
        "add" | "addi" => BinOp::Add,
        "sub" | "subf" | "subi" => BinOp::Sub,
        "and" | "andi" => BinOp::And,
        "or" | "ori" => BinOp::Or,
        "xor" | "xori" => BinOp::Xor,
        "mullw" => BinOp::Mul,
        _ => return None,
    })
}

fn source(code: &mut Code, operand: Piece) -> Result<Operand> {
    match immediate(operand, &[]) {
        Some(number) => Ok(number),
        None => code.register(operand).map(Operand::from),
    }
}

/// The sum of two registers, of which the first is none if it is `r0` or `0`.
fn indexed(code: &mut Code, base: Piece, index: Piece) -> Result<Operand> {
    let index = code.register(index)?.into();
    match base.text {
        "r0" | "0" => Ok(index),
        _ => {
            let base = code.register(base)?.into();
            Ok(code.sum(base, index))
        }
    }
}

/// `0(r5)`.
fn addressed(code: &mut Code, address: Piece) -> Result<Operand> {
    let wrong = || address.error("an address, as in `0(r5)`, is missing here");
    let open = address.text.find('(').ok_or_else(wrong)?;
    let offset = text::number(address.text[..open].trim()).ok_or_else(wrong)?;
    let base = address.part(open, address.text.len()).inside('(', ')').ok_or_else(wrong)?;
    let base = code.register(base)?.into();
    Ok(code.sum(base, number(offset)))
}
