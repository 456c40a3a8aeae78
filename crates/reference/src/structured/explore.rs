//! All executions of a program on a machine with store buffers, state by state, without any reduction but that
//! instructions on registers run along with the access before them.

use super::flat::{Flat, Instr, flatten};
use super::{Cond, Expr, Machine, REGISTERS, Stmt, VARIABLES};
use std::collections::{BTreeSet, HashSet};

/// What executions end in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// The registers of all threads at the ends of complete executions.
    pub ends: BTreeSet<Vec<[u8; REGISTERS]>>,
    /// Whether an assertion can fail.
    pub fails: bool,
}

/// A thread: its next instruction and its registers; nowhere if it goes round for ever without an access.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    at: Option<usize>,
    registers: Vec<u8>,
    /// Stores that have not reached memory, oldest first.
    buffer: Vec<(usize, u8)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    memory: [u8; VARIABLES],
}

/// Why a thread makes no step.
enum Halt {
    /// It waits.
    Waits,
    /// An assertion fails.
    Fails,
}

/// The outcomes of a program of these threads; none if it has more states than the limit.
pub fn explore(threads: &[Vec<Stmt>], machine: Machine, limit: usize) -> Option<Outcomes> {
    let flats: Vec<Flat> = threads.iter().map(|body| flatten(body)).collect();
    let mut outcomes = Outcomes::default();
    let mut start = State { threads: Vec::new(), memory: [0; VARIABLES] };
    for flat in &flats {
        let mut thread = Thread { at: Some(0), registers: vec![0; flat.registers], buffer: Vec::new() };
        if settle(flat, &mut thread).is_err() {
            outcomes.fails = true;
        }
        start.threads.push(thread);
    }
    if outcomes.fails {
        return Some(outcomes);
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        let done =
            |(thread, flat): (&Thread, &Flat)| thread.at.is_some_and(|at| flat.code[at] == Instr::Done);
        if state.threads.iter().zip(&flats).all(done) {
            let registers = |thread: &Thread| [0, 1, 2].map(|reg| thread.registers[reg]);
            outcomes.ends.insert(state.threads.iter().map(registers).collect());
        }
        for (thread, flat) in flats.iter().enumerate() {
            let mut next = flushes(&state, thread, machine);
            match step(flat, &state, thread, machine) {
                Ok(state) => next.push(state),
                Err(Halt::Waits) => {}
                Err(Halt::Fails) => outcomes.fails = true,
            }
            for state in next {
                if seen.insert(state.clone()) {
                    work.push(state);
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(outcomes)
}

/// Each store of a thread that may be the next to reach memory does so.
fn flushes(state: &State, thread: usize, machine: Machine) -> Vec<State> {
    let buffer = &state.threads[thread].buffer;
    let oldest = |&at: &usize| match machine {
        Machine::Sc | Machine::Tso => at == 0,
        Machine::Pso => buffer[..at].iter().all(|(var, _)| *var != buffer[at].0),
    };
    (0..buffer.len())
        .filter(oldest)
        .map(|at| {
            let mut next = state.clone();
            let (var, value) = next.threads[thread].buffer.remove(at);
            next.memory[var] = value;
            next
        })
        .collect()
}

/// The thread's next access, with the instructions on registers behind it.
fn step(flat: &Flat, state: &State, thread: usize, machine: Machine) -> Result<State, Halt> {
    let mut next = state.clone();
    let State { threads, memory } = &mut next;
    let thread = &mut threads[thread];
    let at = thread.at.ok_or(Halt::Waits)?;
    let mut behind = at + 1;
    match flat.code[at] {
        Instr::Load(reg, var) => {
            let own = thread.buffer.iter().rev().find(|(other, _)| *other == var);
            thread.registers[reg] = own.map_or(memory[var], |(_, value)| *value);
        }
        Instr::Store(var, expr) => {
            let value = evaluate(expr, &thread.registers);
            match machine {
                Machine::Sc => memory[var] = value,
                Machine::Tso | Machine::Pso => thread.buffer.push((var, value)),
            }
        }
        Instr::Swap(reg, var, expr) => {
            reach(thread, var, machine)?;
            let value = evaluate(expr, &thread.registers);
            thread.registers[reg] = std::mem::replace(&mut memory[var], value);
        }
        Instr::Cas(reg, var, old, new) => {
            reach(thread, var, machine)?;
            let swaps = memory[var] == old;
            if swaps {
                memory[var] = new;
            }
            thread.registers[reg] = swaps.into();
        }
        Instr::Fence if thread.buffer.is_empty() => {}
        Instr::Assume(cond) if holds(cond, &thread.registers) => {}
        Instr::Fence | Instr::Assume(_) | Instr::Done => return Err(Halt::Waits),
        Instr::Begin => behind = block(flat, thread, memory, machine)?,
        other => unreachable!("{other:?} is no access"),
    }
    thread.at = Some(behind);
    settle(flat, thread)?;
    Ok(next)
}

/// A read-modify-write goes to memory itself, when no store of its thread that it must not overtake is left.
fn reach(thread: &Thread, var: usize, machine: Machine) -> Result<(), Halt> {
    let waits = match machine {
        Machine::Sc | Machine::Tso => !thread.buffer.is_empty(),
        Machine::Pso => thread.buffer.iter().any(|(other, _)| *other == var),
    };
    if waits { Err(Halt::Waits) } else { Ok(()) }
}

/// An atomic block as a whole. Returns where it ends; one that does not end has not happened.
fn block(
    flat: &Flat,
    thread: &mut Thread,
    memory: &mut [u8; VARIABLES],
    machine: Machine,
) -> Result<usize, Halt> {
    if machine == Machine::Tso {
        reach(thread, 0, machine)?;
    }
    let mut seen = HashSet::new();
    loop {
        thread.at = thread.at.map(|at| at + 1);
        settle(flat, thread)?;
        let at = thread.at.ok_or(Halt::Waits)?;
        match flat.code[at] {
            Instr::Load(reg, var) => {
                reach(thread, var, machine)?;
                thread.registers[reg] = memory[var];
            }
            Instr::Store(var, expr) => {
                reach(thread, var, machine)?;
                memory[var] = evaluate(expr, &thread.registers);
            }
            Instr::Assume(cond) if holds(cond, &thread.registers) => {}
            Instr::Assume(_) => return Err(Halt::Waits),
            Instr::End => return Ok(at + 1),
            other => unreachable!("{other:?} in an atomic block"),
        }
        if !seen.insert((at, thread.registers.clone(), *memory)) {
            return Err(Halt::Waits);
        }
    }
}

/// Runs instructions on registers up to the next that is more than that.
fn settle(flat: &Flat, thread: &mut Thread) -> Result<(), Halt> {
    let mut seen = HashSet::new();
    while let Some(at) = thread.at {
        let mut next = at + 1;
        match flat.code[at] {
            Instr::Set(reg, expr) => thread.registers[reg] = evaluate(expr, &thread.registers),
            Instr::Count(counter) => thread.registers[counter] += 1,
            Instr::Jump(target) => next = target,
            Instr::Unless(cond, target) if !holds(cond, &thread.registers) => next = target,
            Instr::Unless(..) => {}
            Instr::Reached(counter, times, target) if thread.registers[counter] >= times => next = target,
            Instr::Reached(..) => {}
            Instr::Assert(cond) if !holds(cond, &thread.registers) => return Err(Halt::Fails),
            Instr::Assert(_) => {}
            _ => return Ok(()),
        }
        let again = !seen.insert((next, thread.registers.clone()));
        thread.at = (!again).then_some(next);
    }
    Ok(())
}

fn evaluate(expr: Expr, registers: &[u8]) -> u8 {
    match expr {
        Expr::Const(value) => value,
        Expr::Reg(reg) => registers[reg],
        Expr::Next(reg) => (registers[reg] + 1) % 3,
        Expr::Flip(reg) => (registers[reg] ^ 1) & 1,
    }
}

fn holds(cond: Cond, registers: &[u8]) -> bool {
    match cond {
        Cond::Set(reg) => registers[reg] != 0,
        Cond::Clear(reg) => registers[reg] == 0,
        Cond::Same(a, b) => registers[a] == registers[b],
        Cond::Is(reg, value) => registers[reg] == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(threads: &[Vec<Stmt>], machine: Machine) -> usize {
        explore(threads, machine, 10_000).expect("it is small").ends.len()
    }

    #[test]
    fn store_buffering() {
        let thread = |own, other| vec![Stmt::Store(own, Expr::Const(1)), Stmt::Load(0, other)];
        let threads = [thread(0, 1), thread(1, 0)];
        assert_eq!(ends(&threads, Machine::Sc), 3);
        assert_eq!(ends(&threads, Machine::Tso), 4);
    }

    #[test]
    fn message_passing_behind_a_loop() {
        let sender = vec![Stmt::Store(0, Expr::Const(1)), Stmt::Store(1, Expr::Const(1))];
        let receiver = vec![Stmt::Wait(1, vec![Stmt::Load(0, 0)]), Stmt::Load(1, 0)];
        let threads = [sender, receiver];
        // What the loop read last is old, new, or nothing; what is read behind it is new, except on pso.
        assert_eq!(ends(&threads, Machine::Tso), 2);
        assert!(ends(&threads, Machine::Pso) > 2);
    }

    #[test]
    fn a_block_that_waits_has_not_happened() {
        let waiting = vec![Stmt::Atomic(vec![
            Stmt::Store(0, Expr::Const(1)),
            Stmt::Load(0, 1),
            Stmt::Assume(Cond::Set(0)),
            Stmt::Store(0, Expr::Const(0)),
        ])];
        let looking = vec![Stmt::Load(0, 0), Stmt::Assert(Cond::Clear(0)), Stmt::Store(1, Expr::Const(1))];
        let outcomes = explore(&[waiting, looking], Machine::Sc, 10_000).expect("it is small");
        assert!(!outcomes.fails);
        assert_eq!(outcomes.ends.len(), 1);
    }

    #[test]
    fn endless_registers_never_end() {
        let endless = vec![Stmt::While(Cond::Clear(0), vec![Stmt::Set(1, Expr::Flip(1))])];
        assert_eq!(ends(&[endless, vec![Stmt::Load(0, 0)]], Machine::Sc), 0);
    }
}
