//! Atomic blocks: executed as one, on memory as it is.
//!
//! What computes or checks is read by [`What::of`] and decided by `Machine::decide`, as when it is fetched outside of a block
//! ([`super::fetch`]). What differs is the rest: here a load has its value at once, a branch goes one way, and what needs a
//! value that is not known makes the whole block wait, while a thread that fetches goes on. [`crate::step::run`] says why the
//! store-buffer machines do not run on this interpreter.

use super::info::{Block, Item, Way};
use super::machine::{self, Machine, as_address, condition};
use super::settle::Next;
use super::state::{Opd, Spot, What, World};
use crate::code::registers::{Frame, Registers};
use crate::code::{Instr, Src, register};
use fencepost_lsl::fault::Fault;
use fencepost_lsl::value::{IntTy, Value};

/// Instructions after which a block is taken not to end.
const LIMIT: u32 = 1_000_000;

/// What a block did.
pub(super) struct Ran {
    /// Values of its output registers.
    pub(super) results: Vec<Value>,
    pub(super) spots: Vec<Spot>,
    pub(super) way: Way,
}

/// Why it did nothing.
pub(super) enum Stop {
    Fault(Fault),
    /// An assumption does not hold now, or it needs a value that is not known yet.
    Blocked,
    /// The machine cannot go on.
    Other(machine::Stop),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<machine::Stop> for Stop {
    fn from(stop: machine::Stop) -> Stop {
        Stop::Other(stop)
    }
}

/// What is not known in a block.
const UNKNOWN: Opd = Opd::Of(u32::MAX, 0);

/// Runs a block on a world, which is of use only after success.
pub(super) fn run(
    machine: &Machine,
    world: &mut World,
    start: u32,
    block: &Block,
    inputs: &[Opd],
) -> Result<Ran, Stop> {
    let code = machine.code;
    let values = vec![Opd::UNDEFINED; code.proc_at(start).regs as usize];
    let mut regs = Registers { frames: vec![Frame { pc: start, base: 0 }], values };
    block.inputs.iter().zip(inputs).for_each(|(reg, value)| regs.set(*reg, *value));
    let mut run = Run { machine, world, regs, spots: Vec::new(), items: Vec::new() };
    for _ in 0..LIMIT {
        let pc = run.regs.pc();
        if run.regs.frames.len() == 1 && !(start..=block.end).contains(&pc) {
            let results = block.outputs.iter().map(|reg| run.regs.get(code, register(*reg)).known());
            let Some(results) = results.collect() else { return Err(Stop::Blocked) };
            return Ok(Ran { results, spots: run.spots, way: Way::new(pc, &run.items) });
        }
        run.step()?;
    }
    Err(Stop::Other(machine::Stop::Unsupported(format!("more than {LIMIT} instructions in an atomic block"))))
}

struct Run<'m, 'w> {
    machine: &'m Machine<'m>,
    world: &'w mut World,
    regs: Registers<Opd>,
    spots: Vec<Spot>,
    items: Vec<Item>,
}

impl Run<'_, '_> {
    fn value(&self, src: Src) -> Result<Value, Stop> {
        self.regs.get(self.machine.code, src).known().ok_or(Stop::Blocked)
    }

    /// Checks an access, and takes note of it.
    fn access(&mut self, addr: u64, ty: IntTy, stores: bool) -> Result<(), Stop> {
        self.machine.check(self.world, addr, ty.bytes(), stores)?;
        self.spots.push(Spot { addr, bytes: ty.bytes(), stores });
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stop> {
        let (machine, code) = (self.machine, self.machine.code);
        let pc = self.regs.pc();
        let mut next = pc + 1;
        let instr = &code.instrs[pc as usize];
        Item::list(instr, &mut self.items);
        match instr {
            Instr::Load { dst, addr, ty, .. } => {
                let addr = as_address(self.value(*addr)?)?;
                self.access(addr, *ty, false)?;
                self.regs.set(*dst, machine.read(self.world, addr, *ty)?.into());
            }
            Instr::Store { addr, value, ty, .. } => {
                let (addr, value) = (as_address(self.value(*addr)?)?, self.value(*value)?);
                self.access(addr, *ty, true)?;
                machine.write(self.world, addr, *ty, value)?;
            }
            Instr::Jump { to, .. } => next = *to,
            Instr::JumpIf { cond, to, .. } => {
                if condition(self.value(*cond)?)? {
                    next = *to;
                }
            }
            Instr::Call { proc, args, .. } => {
                self.regs.call(code, *proc, args).map_err(machine::Stop::Unsupported)?;
                return Ok(());
            }
            Instr::Return => {
                self.regs.leave(code);
                next = self.regs.pc() + 1;
            }
            Instr::Fence(_) | Instr::Enter | Instr::Leave => {}
            _ => {
                let Some(what) = What::of(instr, |src| self.regs.get(code, src)) else {
                    let why = format!("what an atomic block does at {}: {}", machine.at(pc), name(instr));
                    return Err(machine::Stop::Unsupported(why).into());
                };
                match (machine.decide(self.world, &[], &what), instr) {
                    (Ok(Next::Result(value)), Instr::Op { dst, .. }) => self.regs.set(*dst, value.into()),
                    (Ok(Next::Keep), Instr::Op { dst, .. }) => self.regs.set(*dst, UNKNOWN),
                    (Ok(Next::Remove), _) => {}
                    (Ok(Next::Fault(fault)), _) => return Err(fault.into()),
                    _ => return Err(Stop::Blocked),
                }
            }
        }
        self.regs.goto(next);
        Ok(())
    }
}

fn name(instr: &Instr) -> &'static str {
    match instr {
        Instr::Alloc { .. } => "allocation",
        Instr::Free { .. } => "free",
        Instr::Choose { .. } => "a choice",
        _ => "starting a thread",
    }
}
