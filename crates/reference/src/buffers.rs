//! All executions of a tiny program on machines with store buffers: one for each thread (tso), or one
//! for each thread and variable (pso), or none (sc). Knows only full fences.

use crate::program::{Change, Instruction, Location, Operand, Outcome, Program};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// Stores go to memory at once.
    Sc,
    /// A queue of stores for each thread.
    Tso,
    /// A queue of stores for each thread and variable.
    Pso,
}

/// What is left to do of a thread: a stack of instructions, last first.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    /// Operations still to come.
    operation: usize,
    /// Instructions of the current one still to come, in reverse, as paths into the program.
    rest: Vec<Vec<usize>>,
    registers: Vec<u64>,
    /// Registers of finished operations.
    results: Vec<u64>,
    /// Stores under way; with one buffer, all in the first.
    buffers: Vec<VecDeque<(usize, u64)>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<u64>,
    threads: Vec<Thread>,
}

/// All outcomes of a program on a machine.
pub fn outcomes(program: &Program, machine: Machine) -> BTreeSet<Outcome> {
    let variables = program.variables.max(2);
    let thread = |operations: &Vec<Vec<Instruction>>| Thread {
        operation: 0,
        rest: (0..operations.first().map_or(0, Vec::len)).rev().map(|at| vec![at]).collect(),
        registers: vec![0; program.registers],
        results: Vec::new(),
        buffers: vec![VecDeque::new(); variables],
    };
    let start = State { memory: vec![0; variables], threads: program.threads.iter().map(thread).collect() };
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    let mut found = BTreeSet::new();
    while let Some(state) = work.pop() {
        let mut next = Vec::new();
        for index in 0..state.threads.len() {
            next.extend(flushes(&state, index));
            next.extend(step(program, machine, &state, index));
        }
        if next.is_empty() {
            found.insert(state.threads.iter().flat_map(|thread| thread.results.clone()).collect());
        }
        work.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    found
}

/// States after the oldest store of a buffer reaches memory.
fn flushes(state: &State, thread: usize) -> Vec<State> {
    let mut next = Vec::new();
    for buffer in 0..state.threads[thread].buffers.len() {
        let mut after = state.clone();
        if let Some((variable, value)) = after.threads[thread].buffers[buffer].pop_front() {
            after.memory[variable] = value;
            next.push(after);
        }
    }
    next
}

/// The state after a thread's next instruction, if it can run.
fn step(program: &Program, machine: Machine, state: &State, index: usize) -> Option<State> {
    let mut after = state.clone();
    let operations = &program.threads[index];
    let memory = &mut after.memory;
    let thread = &mut after.threads[index];
    let current = operations.get(thread.operation)?;
    let Some(path) = thread.rest.pop() else {
        thread.results.append(&mut thread.registers);
        thread.registers = vec![0; program.registers];
        thread.operation += 1;
        let length = operations.get(thread.operation).map_or(0, Vec::len);
        thread.rest = (0..length).rev().map(|at| vec![at]).collect();
        return Some(after);
    };
    let instruction = find(current, &path);
    let place = |location: Location, registers: &[u64]| match location {
        Location::Variable(variable) => variable,
        Location::Indexed(register) => (registers[register] & 1) as usize,
    };
    let value = |operand: Operand, registers: &[u64]| match operand {
        Operand::Constant(value) => value,
        Operand::Register(register) => registers[register],
    };
    let buffer_of = |variable: usize| if machine == Machine::Pso { variable } else { 0 };
    match instruction {
        Instruction::Load(register, location, _) => {
            let variable = place(*location, &thread.registers);
            let pending = thread.buffers[buffer_of(variable)].iter().rev().find(|store| store.0 == variable);
            thread.registers[*register] = pending.map_or(memory[variable], |store| store.1);
        }
        Instruction::Store(location, operand, _) => {
            let variable = place(*location, &thread.registers);
            let value = value(*operand, &thread.registers);
            match machine {
                Machine::Sc => memory[variable] = value,
                _ => thread.buffers[buffer_of(variable)].push_back((variable, value)),
            }
        }
        Instruction::Modify(register, location, change, _) => {
            let variable = place(*location, &thread.registers);
            if !thread.buffers[buffer_of(variable)].is_empty() {
                return None;
            }
            let old = memory[variable];
            match *change {
                Change::Swap(to) => memory[variable] = value(to, &thread.registers),
                Change::Add(number) => memory[variable] = old + number,
                Change::CompareAndSwap(expected, to) => {
                    if old == expected {
                        memory[variable] = value(to, &thread.registers);
                    }
                }
            }
            thread.registers[*register] = old;
        }
        Instruction::Fence(_) => {
            if thread.buffers.iter().any(|buffer| !buffer.is_empty()) {
                return None;
            }
        }
        Instruction::Mix(register, _, number) => thread.registers[*register] = *number,
        Instruction::If(register, yes, no) => {
            let (way, length) = if thread.registers[*register] != 0 { (0, yes.len()) } else { (1, no.len()) };
            thread.rest.extend((0..length).rev().map(|at| [&path[..], &[way, at]].concat()));
        }
    }
    Some(after)
}

/// The instruction at a path: positions, with 0 or 1 for the way at each `if` between them.
fn find<'a>(block: &'a [Instruction], path: &[usize]) -> &'a Instruction {
    match (&block[path[0]], path) {
        (instruction, [_]) => instruction,
        (Instruction::If(_, yes, no), [_, way, rest @ ..]) => find(if *way == 0 { yes } else { no }, rest),
        _ => unreachable!("paths lead through branches"),
    }
}
