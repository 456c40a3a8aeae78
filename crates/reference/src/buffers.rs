//! All executions of a tiny program on machines with store buffers: one for each thread (tso), or one
//! for each thread and variable (pso), or none (sc).
//!
//! An atomic block runs in one go: it waits until the buffers of what it accesses are empty and goes to
//! memory itself. A fence waits until all buffers are empty, which is more than some kinds ask for; see
//! [`Machine::knows`].

use crate::program::{Change, Fence, Instruction, Location, Operand, Order, Outcome, Program};
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

impl Machine {
    /// Whether it runs a program as the model of its name does. Starting threads is beyond all of them.
    /// Stores leave the queues of pso in any order, which only fences of all kinds can keep it from;
    /// elsewhere only store-load order needs a fence. And as a block runs in one go, there all of it waits
    /// for a fence inside, also what stands before it; elsewhere blocks wait for all stores anyway.
    pub fn knows(self, program: &Program) -> bool {
        program.threads.iter().flatten().all(|operation| self.knows_block(operation, false))
    }

    fn knows_block(self, block: &[Instruction], atomic: bool) -> bool {
        let free = |order: Order| matches!(order, Order::Plain | Order::Relaxed);
        block.iter().all(|instruction| match instruction {
            Instruction::Start(_) => false,
            Instruction::Atomic(inner) => self.knows_block(inner, true),
            Instruction::If(_, yes, no) => self.knows_block(yes, atomic) && self.knows_block(no, atomic),
            _ if self != Machine::Pso => true,
            Instruction::Load(_, _, order)
            | Instruction::Store(_, _, order)
            | Instruction::Modify(_, _, _, order) => free(*order),
            Instruction::Fence(fence) => *fence == Fence::FULL && !atomic,
            Instruction::OrderFence(order) => free(*order) || *order == Order::SeqCst && !atomic,
            Instruction::Mix(..) => true,
        })
    }
}

/// What is left to do of a thread.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread<'p> {
    /// The operation under way.
    operation: usize,
    /// Instructions of it still to come, the next one last.
    rest: Vec<&'p Instruction>,
    registers: Vec<u64>,
    /// Registers of finished operations.
    results: Vec<u64>,
    /// Stores under way; with one buffer, all in the first.
    buffers: Vec<VecDeque<(usize, u64)>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State<'p> {
    memory: Vec<u64>,
    threads: Vec<Thread<'p>>,
}

/// All outcomes of a program on a machine.
pub fn outcomes(program: &Program, machine: Machine) -> BTreeSet<Outcome> {
    // Indexed locations reach one variable further.
    let variables = program.variables + 1;
    let mut threads = Vec::new();
    for operations in &program.threads {
        threads.push(Thread {
            operation: 0,
            rest: operations.first().map_or(Vec::new(), |first| first.iter().rev().collect()),
            registers: vec![0; program.registers],
            results: Vec::new(),
            buffers: vec![VecDeque::new(); variables],
        });
    }
    let start = State { memory: vec![0; variables], threads };
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
            let registers = state.threads.iter().flat_map(|thread| thread.results.iter().copied());
            let finals = program.finals.iter().map(|&variable| state.memory[variable]);
            found.insert(registers.chain(finals).collect());
        }
        work.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    found
}

/// States after the oldest store of a buffer reaches memory.
fn flushes<'p>(state: &State<'p>, thread: usize) -> Vec<State<'p>> {
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
fn step<'p>(program: &'p Program, machine: Machine, state: &State<'p>, index: usize) -> Option<State<'p>> {
    let mut after = state.clone();
    let operations = &program.threads[index];
    let thread = &mut after.threads[index];
    operations.get(thread.operation)?;
    let Some(instruction) = thread.rest.pop() else {
        thread.results.append(&mut thread.registers);
        thread.registers = vec![0; program.registers];
        thread.operation += 1;
        thread.rest = operations.get(thread.operation).map_or(Vec::new(), |next| next.iter().rev().collect());
        return Some(after);
    };
    if let Instruction::If(condition, yes, no) = instruction {
        let way = if condition.holds(thread.registers[condition.register()]) { yes } else { no };
        thread.rest.extend(way.iter().rev());
        return Some(after);
    }
    Core { machine, memory: &mut after.memory, thread, atomic: false }.run(instruction)?;
    Some(after)
}

/// What an instruction runs on.
struct Core<'s, 'p> {
    machine: Machine,
    memory: &'s mut Vec<u64>,
    thread: &'s mut Thread<'p>,
    /// Whether it is part of an atomic block.
    atomic: bool,
}

impl Core<'_, '_> {
    /// Runs an instruction; none if it has to wait.
    fn run(&mut self, instruction: &Instruction) -> Option<()> {
        match instruction {
            Instruction::Load(register, location, _) => {
                let variable = self.place(*location);
                self.thread.registers[*register] = self.load(variable)?;
            }
            Instruction::Store(location, operand, order) => {
                let (variable, value) = (self.place(*location), self.value(*operand));
                self.store(variable, value, *order)?;
            }
            Instruction::Modify(register, location, change, order) => {
                let around = std::mem::replace(&mut self.atomic, true);
                let variable = self.place(*location);
                let old = self.load(variable)?;
                let new = match *change {
                    Change::Swap(to) => Some(self.value(to)),
                    Change::Add(number) => Some(old + number),
                    Change::CompareAndSwap(expected, to) => (old == expected).then(|| self.value(to)),
                };
                if let Some(new) = new {
                    self.store(variable, new, *order)?;
                }
                self.thread.registers[*register] = old;
                self.atomic = around;
            }
            Instruction::Fence(fence) if fence.store_load => self.drained(None)?,
            Instruction::OrderFence(Order::SeqCst) => self.drained(None)?,
            // Only a machine that keeps all other pairs in order knows other fences.
            Instruction::Fence(_) | Instruction::OrderFence(_) => {}
            Instruction::Atomic(block) => {
                let around = std::mem::replace(&mut self.atomic, true);
                block.iter().try_for_each(|inner| self.run(inner))?;
                self.atomic = around;
            }
            Instruction::Mix(register, _, number) => self.thread.registers[*register] = *number,
            // Of an atomic block; others are steps of their own.
            Instruction::If(condition, yes, no) => {
                let way = if condition.holds(self.thread.registers[condition.register()]) { yes } else { no };
                way.iter().try_for_each(|inner| self.run(inner))?;
            }
            Instruction::Start(_) => unreachable!("no machine knows how to start threads"),
        }
        Some(())
    }

    fn place(&self, location: Location) -> usize {
        match location {
            Location::Variable(variable) => variable,
            Location::Indexed(first, register) => first + (self.thread.registers[register] & 1) as usize,
        }
    }

    fn value(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Constant(value) => value,
            Operand::Register(register) => self.thread.registers[register],
        }
    }

    /// The buffer that stores to a variable go through.
    fn buffer(&self, variable: usize) -> usize {
        if self.machine == Machine::Pso { variable } else { 0 }
    }

    /// Waits until the buffer of a variable, or all, are empty.
    fn drained(&self, variable: Option<usize>) -> Option<()> {
        let empty = match variable {
            Some(variable) => self.thread.buffers[self.buffer(variable)].is_empty(),
            None => self.thread.buffers.iter().all(VecDeque::is_empty),
        };
        empty.then_some(())
    }

    fn load(&self, variable: usize) -> Option<u64> {
        if self.atomic {
            self.drained(Some(variable))?;
        }
        let buffer = &self.thread.buffers[self.buffer(variable)];
        let pending = buffer.iter().rev().find(|store| store.0 == variable);
        Some(pending.map_or(self.memory[variable], |store| store.1))
    }

    fn store(&mut self, variable: usize, value: u64, order: Order) -> Option<()> {
        if self.machine == Machine::Sc {
            self.memory[variable] = value;
        } else if self.atomic || order == Order::SeqCst {
            self.drained(Some(variable))?;
            self.memory[variable] = value;
        } else {
            let buffer = self.buffer(variable);
            self.thread.buffers[buffer].push_back((variable, value));
        }
        Some(())
    }
}
