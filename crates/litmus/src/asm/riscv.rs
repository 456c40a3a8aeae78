//! Instructions of RISC-V.

use super::{Code, INSTRUCTIONS, Instruction, Step, immediate, kinds, relation};
use crate::build::{Change, Modify, number};
use crate::text::{self, Piece, Result};
use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, Reg};
use fencepost_lsl::value::IntTy;

pub(super) fn decode(code: &mut Code, instruction: &Instruction) -> Result<()> {
    match instruction.mnemonic {
        "nop" => {}
        "fence" => {
            let fence = match instruction.operands[..] {
                [] => kinds(true, true, true, true),
                _ => {
                    let [before, behind] = instruction.operands()?;
                    fence(before, behind)?
                }
            };
            code.push(Step::Fence(fence));
        }
        "fence.tso" => code.push(Step::Fence(kinds(true, true, false, true))),
        "fence.i" => code.push(Step::Fence(INSTRUCTIONS)),
        "li" | "mv" => {
            let [dst, value] = instruction.operands()?;
            let (dst, value) = (destination(code, dst)?, source(code, value)?);
            code.assign(dst, PrimOp::Copy, &[value]);
        }
        "j" => {
            let [label] = instruction.operands()?;
            code.branch(label, None);
        }
        _ => return others(code, instruction),
    }
    Ok(())
}

fn others(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let mnemonic = instruction.mnemonic;
    if let Some((op, ty)) = arithmetic(mnemonic) {
        let [dst, a, b] = instruction.operands()?;
        let (a, b) = (source(code, a)?, source(code, b)?);
        let dst = destination(code, dst)?;
        code.assign(dst, PrimOp::Bin(op, ty), &[a, b]);
        return Ok(());
    }
    if let Some(test) = mnemonic.strip_prefix('b') {
        if let Some(relation) = test.strip_suffix('z').and_then(relation) {
            let [a, label] = instruction.operands()?;
            let a = source(code, a)?;
            let when = code.test(relation, a, number(0));
            code.branch(label, Some(when));
            return Ok(());
        }
        let relation = relation(test).ok_or_else(|| instruction.unknown())?;
        let [a, b, label] = instruction.operands()?;
        let (a, b) = (source(code, a)?, source(code, b)?);
        let when = code.test(relation, a, b);
        code.branch(label, Some(when));
        return Ok(());
    }
    access(code, instruction)
}

/// Loads, stores and read-modify-writes: a name, a width, and an order.
fn access(code: &mut Code, instruction: &Instruction) -> Result<()> {
    let mut parts = instruction.mnemonic.splitn(3, '.');
    let name = parts.next().unwrap_or_default();
    let simple = match name {
        "lw" => Some((true, IntTy::I32)),
        "ld" => Some((true, IntTy::U64)),
        "sw" => Some((false, IntTy::I32)),
        "sd" => Some((false, IntTy::U64)),
        _ => None,
    };
    if let Some((load, ty)) = simple {
        let order = instruction.mnemonic.split_once('.').map_or("", |(_, order)| order);
        let order = ordered(order).ok_or_else(|| instruction.unknown())?;
        let [register, address] = instruction.operands()?;
        let addr = addressed(code, address)?;
        let step = match load {
            true => Step::Load { dst: destination(code, register)?, addr, ty, order, exclusive: false },
            false => Step::Store { addr, value: source(code, register)?, ty, order },
        };
        code.push(step);
        return Ok(());
    }
    let ty = match parts.next() {
        Some("w") => IntTy::I32,
        Some("d") => IntTy::U64,
        _ => return Err(instruction.unknown()),
    };
    let order = ordered(parts.next().unwrap_or_default()).ok_or_else(|| instruction.unknown())?;
    match name {
        "lr" => {
            let [dst, address] = instruction.operands()?;
            let (addr, dst) = (addressed(code, address)?, destination(code, dst)?);
            code.push(Step::Load { dst, addr, ty, order, exclusive: true });
        }
        "sc" => {
            let [status, value, address] = instruction.operands()?;
            let (addr, value) = (addressed(code, address)?, source(code, value)?);
            let failed = destination(code, status)?;
            code.push(Step::StoreExclusive { failed, addr, value, ty, order });
        }
        _ => {
            let [dst, value, address] = instruction.operands()?;
            let (addr, value) = (addressed(code, address)?, source(code, value)?);
            let change = match name {
                "amoswap" => Change::Swap(value),
                "amoadd" => Change::Compute(BinOp::Add, value),
                "amoand" => Change::Compute(BinOp::And, value),
                "amoor" => Change::Compute(BinOp::Or, value),
                "amoxor" => Change::Compute(BinOp::Xor, value),
                _ => return Err(instruction.unknown()),
            };
            let (read, write) = match order {
                Order::Acquire => (Order::Acquire, Order::Plain),
                Order::Release => (Order::Plain, Order::Release),
                both => (both, both),
            };
            let dst = Some(destination(code, dst)?);
            code.push(Step::Modify { dst, modify: Modify { addr, change, read, write, ty } });
        }
    }
    Ok(())
}

fn ordered(suffix: &str) -> Option<Order> {
    Some(match suffix {
        "" => Order::Plain,
        "aq" => Order::Acquire,
        "rl" => Order::Release,
        "aqrl" | "aq.rl" => Order::AcqRel,
        _ => return None,
    })
}

fn arithmetic(mnemonic: &str) -> Option<(BinOp, IntTy)> {
    let (name, ty) = mnemonic.strip_suffix('w').map_or((mnemonic, IntTy::U64), |name| (name, IntTy::I32));
    let op = match name {
        "add" | "addi" => BinOp::Add,
        "sub" => BinOp::Sub,
        "and" | "andi" => BinOp::And,
        "or" | "ori" => BinOp::Or,
        "xor" | "xori" => BinOp::Xor,
        "sll" | "slli" => BinOp::Shl,
        "srl" | "srli" => BinOp::Shr,
        "mul" => BinOp::Mul,
        _ => return None,
    };
    Some((op, ty))
}

/// What stands before and behind the comma: sets of `r` and `w`; devices are no matter.
fn fence(before: Piece, behind: Piece) -> Result<Fence> {
    for set in [before, behind] {
        if set.text.is_empty() || !set.text.chars().all(|c| "iorw".contains(c)) {
            return Err(set.error("what the fence keeps in order is `r`, `w` or `rw`"));
        }
    }
    let has = |set: Piece, kind: char| set.text.contains(kind);
    let pair = |first, second| has(before, first) && has(behind, second);
    Ok(kinds(pair('r', 'r'), pair('r', 'w'), pair('w', 'r'), pair('w', 'w')))
}

fn is_zero(register: Piece) -> bool {
    matches!(register.text, "x0" | "zero")
}

fn destination(code: &mut Code, register: Piece) -> Result<Reg> {
    if is_zero(register) { Ok(code.builder.temporary()) } else { code.register(register) }
}

fn source(code: &mut Code, operand: Piece) -> Result<Operand> {
    match immediate(operand, &[]) {
        Some(number) => Ok(number),
        None if is_zero(operand) => Ok(number(0)),
        None => code.register(operand).map(Operand::from),
    }
}

/// `0(x5)` or `(x5)`.
fn addressed(code: &mut Code, address: Piece) -> Result<Operand> {
    let wrong = || address.error("an address, as in `0(x5)`, is missing here");
    let open = address.text.find('(').ok_or_else(wrong)?;
    let offset = match address.text[..open].trim() {
        "" => 0,
        digits => text::number(digits).ok_or_else(wrong)?,
    };
    let base = address.part(open, address.text.len()).inside('(', ')').ok_or_else(wrong)?;
    let base = source(code, base)?;
    Ok(code.sum(base, number(offset)))
}
