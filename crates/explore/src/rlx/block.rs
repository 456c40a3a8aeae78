//! Atomic blocks: executed as one, on memory as it is.

use super::info::{Block, Item, Way};
use super::machine::{self, Machine};
use super::state::{Spot, World};
use crate::code::{Instr, Src};
use fencepost_lsl::fault::{Fault, Use};
use fencepost_lsl::value::Value;

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

struct Frame {
    pc: u32,
    /// None where not known yet.
    regs: Vec<Option<Value>>,
}

/// Runs a block on a world, which is of use only after success.
pub(super) fn run(
    machine: &Machine,
    world: &mut World,
    start: u32,
    block: &Block,
    inputs: &[Option<Value>],
) -> Result<Ran, Stop> {
    let code = machine.code;
    let mut regs = vec![Some(Value::UNDEFINED); code.proc_at(start).regs as usize];
    for (reg, value) in block.inputs.iter().zip(inputs) {
        regs[*reg as usize] = *value;
    }
    let mut run =
        Run { machine, world, frames: vec![Frame { pc: start, regs }], spots: Vec::new(), items: Vec::new() };
    for _ in 0..LIMIT {
        let outermost = run.frames.len() == 1;
        let pc = run.top().pc;
        if outermost && !(start..=block.end).contains(&pc) {
            let regs = &run.top().regs;
            let results: Option<Vec<Value>> = block.outputs.iter().map(|reg| regs[*reg as usize]).collect();
            let Some(results) = results else { return Err(Stop::Blocked) };
            return Ok(Ran { results, spots: run.spots, way: Way::new(pc, &run.items) });
        }
        run.step()?;
    }
    Err(Stop::Other(machine::Stop::Unsupported(format!("more than {LIMIT} instructions in an atomic block"))))
}

struct Run<'m, 'w> {
    machine: &'m Machine<'m>,
    world: &'w mut World,
    frames: Vec<Frame>,
    spots: Vec<Spot>,
    items: Vec<Item>,
}

impl Run<'_, '_> {
    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn look(&mut self, src: Src) -> Option<Value> {
        match src < 0 {
            true => Some(self.machine.code.consts[!src as usize]),
            false => self.top().regs[src as usize],
        }
    }

    fn value(&mut self, src: Src) -> Result<Value, Stop> {
        self.look(src).ok_or(Stop::Blocked)
    }

    fn defined(&mut self, src: Src, usage: Use) -> Result<u64, Stop> {
        self.value(src)?.defined().ok_or(Stop::Fault(Fault::Undefined(usage)))
    }

    fn step(&mut self) -> Result<(), Stop> {
        let code = self.machine.code;
        let pc = self.top().pc;
        let mut next = pc + 1;
        Item::list(&code.instrs[pc as usize], &mut self.items);
        match &code.instrs[pc as usize] {
            Instr::Op { dst, op, a, b } => {
                let b = if op.arity() == 1 { *a } else { *b };
                let value = match (self.look(*a), self.look(b)) {
                    (Some(a), Some(b)) => Some(op.eval(&[a, b][..op.arity()])?),
                    _ => None,
                };
                self.top().regs[*dst as usize] = value;
            }
            Instr::Load { dst, addr, ty, .. } => {
                let addr = self.defined(*addr, Use::Address)?;
                self.machine.check(self.world, addr, ty.bytes(), false)?;
                self.spots.push(Spot { addr, bytes: ty.bytes(), stores: false });
                let value = self.machine.read(self.world, addr, *ty)?;
                self.top().regs[*dst as usize] = Some(value);
            }
            Instr::Store { addr, value, ty, .. } => {
                let addr = self.defined(*addr, Use::Address)?;
                let value = self.value(*value)?;
                self.machine.check(self.world, addr, ty.bytes(), true)?;
                self.spots.push(Spot { addr, bytes: ty.bytes(), stores: true });
                self.machine.write(self.world, addr, *ty, value)?;
            }
            Instr::Jump { to, .. } => next = *to,
            Instr::JumpIf { cond, to, .. } => {
                if self.defined(*cond, Use::Condition)? != 0 {
                    next = *to;
                }
            }
            Instr::Call { proc, args, .. } => {
                let callee = &code.procs[*proc as usize];
                let mut regs = vec![Some(Value::UNDEFINED); callee.regs as usize];
                for (param, arg) in callee.params.iter().zip(args) {
                    regs[*param as usize] = self.look(*arg);
                }
                self.frames.push(Frame { pc: callee.entry, regs });
                return Ok(());
            }
            Instr::Return => {
                let inner = self.frames.pop().ok_or(machine::Stop::Internal("a return from no call"))?.regs;
                let callee = code.proc_at(pc);
                let outer = self.top().pc;
                if let Instr::Call { results, .. } = &code.instrs[outer as usize] {
                    for (from, to) in callee.results.iter().zip(results.iter()) {
                        self.top().regs[*to as usize] = inner[*from as usize];
                    }
                }
                next = outer + 1;
            }
            Instr::Assert { cond, fault } => {
                if self.defined(*cond, Use::Condition)? == 0 {
                    return Err(code.faults[*fault as usize].clone().into());
                }
            }
            Instr::Within { base, result } => {
                let base = self.defined(*base, Use::Address)?;
                let result = self.defined(*result, Use::Address)?;
                self.machine.within(self.world, &[], base, result)?;
            }
            Instr::Assume { cond, .. } => {
                if self.defined(*cond, Use::Condition)? == 0 {
                    return Err(Stop::Blocked);
                }
            }
            Instr::Prune { cond } => {
                let pruned = match cond {
                    Some(cond) => self.defined(*cond, Use::Condition)? != 0,
                    None => true,
                };
                if pruned {
                    return Err(Stop::Blocked);
                }
            }
            Instr::Fence(_) | Instr::Enter | Instr::Leave => {}
            other => {
                let why = format!("what an atomic block does at {}: {}", self.machine.at(pc), name(other));
                return Err(Stop::Other(machine::Stop::Unsupported(why)));
            }
        }
        self.top().pc = next;
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
