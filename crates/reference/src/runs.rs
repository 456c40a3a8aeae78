//! The runs of one thread: its accesses and final registers, for each way to guess what its loads read.
//!
//! A C11 order is also there as the fences that it stands for on simple hardware, where the thread passes it.

use crate::program::{Change, Fence, Instruction, Location, Operand, Order, Program};
use std::collections::BTreeSet;

/// An access of a thread that was run on guessed values.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) store: bool,
    pub(crate) variable: usize,
    /// What it loads or stores.
    pub(crate) value: u64,
    /// The atomic block it is part of; equal numbers, same one.
    pub(crate) block: Option<usize>,
    pub(crate) operation: usize,
    /// Positions in the thread of the loads its address was computed from.
    pub(crate) addr: BTreeSet<usize>,
    /// The same for its value.
    pub(crate) data: BTreeSet<usize>,
    /// The same for branches before it.
    pub(crate) ctrl: BTreeSet<usize>,
    /// The order it is given: for both parts of a read-modify-write, that of the whole.
    pub(crate) order: Order,
    /// Whether it is part of a read-modify-write. The store of one stands right behind the load.
    pub(crate) modify: bool,
    /// Whether its block is one that the program has, not just a read-modify-write.
    pub(crate) written: bool,
    /// Whether it is the load of a compare-and-swap that does not swap.
    pub(crate) fails: bool,
    /// Fences before it, as (how many accesses came before the fence, what it orders).
    pub(crate) fences: Vec<(usize, Fence)>,
}

/// What a thread does besides accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// A fence given by kind.
    Fence(Fence),
    /// A C11 fence.
    OrderFence(Order),
    /// The start of a thread.
    Start(usize),
}

/// What a thread does for one way to guess its loads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) steps: Vec<Step>,
    /// Final registers, operation by operation.
    pub(crate) registers: Vec<u64>,
    /// What else it does, in order, each with how many of its accesses come before.
    pub(crate) marks: Vec<(usize, Mark)>,
}

impl Run {
    /// Threads it starts, each with how many of its accesses come before.
    pub(crate) fn starts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.marks.iter().filter_map(|(before, mark)| match mark {
            Mark::Start(thread) => Some((*thread, *before)),
            _ => None,
        })
    }
}

/// Visits each choice of one run for each thread in which every guess but zero is written by some store.
pub(crate) fn each_choice(program: &Program, guesses: &[u64], mut visit: impl FnMut(&[&Run])) {
    let runs: Vec<Vec<Run>> =
        program.threads.iter().map(|thread| run_thread(program, thread, guesses)).collect();
    let mut chosen = vec![0; runs.len()];
    loop {
        let threads: Vec<&Run> = runs.iter().zip(&chosen).map(|(runs, &at)| &runs[at]).collect();
        if sources_exist(&threads) {
            visit(&threads);
        }
        // Count on to the next choice of runs.
        let mut at = 0;
        loop {
            if at == runs.len() {
                return;
            }
            chosen[at] += 1;
            if chosen[at] < runs[at].len() {
                break;
            }
            chosen[at] = 0;
            at += 1;
        }
    }
}

/// Whether every guess but zero is written by some store: a quick way to rule out most choices.
fn sources_exist(threads: &[&Run]) -> bool {
    let steps = || threads.iter().flat_map(|run| &run.steps);
    let written =
        |load: &Step| steps().any(|s| s.store && s.variable == load.variable && s.value == load.value);
    steps().all(|step| step.store || step.value == 0 || written(step))
}

/// Runs a thread once for each way to guess what its loads read.
fn run_thread(program: &Program, operations: &[Vec<Instruction>], guesses: &[u64]) -> Vec<Run> {
    let mut finished = Vec::new();
    let mut scripts: Vec<Vec<u64>> = vec![Vec::new()];
    while let Some(script) = scripts.pop() {
        let mut runner = Runner { script: &script, ..Runner::default() };
        let mut complete = true;
        for (number, operation) in operations.iter().enumerate() {
            runner.operation = number;
            let mut registers: Registers = vec![Word::default(); program.registers];
            complete = runner.instructions(operation, &mut registers);
            runner.run.registers.extend(registers.iter().map(|register| register.0));
            if !complete {
                break;
            }
        }
        if complete {
            finished.push(runner.run);
        } else {
            scripts.extend(guesses.iter().map(|&guess| [&script[..], &[guess]].concat()));
        }
    }
    finished
}

/// A value with the loads it was computed from.
type Word = (u64, BTreeSet<usize>);

type Registers = Vec<Word>;

#[derive(Default)]
struct Runner<'a> {
    run: Run,
    /// Loads on which branches so far depend.
    ctrl: BTreeSet<usize>,
    fences: Vec<(usize, Fence)>,
    /// The atomic block under way, and how many there were.
    block: Option<usize>,
    blocks: usize,
    /// Whether the program has that block, and whether a read-modify-write is under way.
    written: bool,
    modify: bool,
    operation: usize,
    /// What loads read, in order, and how many have.
    script: &'a [u64],
    read: usize,
}

impl Runner<'_> {
    /// Runs instructions; false if the script has no value for a load.
    fn instructions(&mut self, block: &[Instruction], registers: &mut Registers) -> bool {
        block.iter().all(|instruction| self.instruction(instruction, registers))
    }

    fn instruction(&mut self, instruction: &Instruction, registers: &mut Registers) -> bool {
        match instruction {
            Instruction::Load(register, location, order) => {
                let Some(word) = self.load(*location, registers, *order) else { return false };
                registers[*register] = word;
                self.fence(order.behind_load());
            }
            Instruction::Store(location, value, order) => {
                self.fence(order.before_store());
                self.access(true, *location, registers, read(*value, registers), *order);
                self.fence(order.behind_store());
            }
            Instruction::Modify(register, location, change, order) => {
                let outer = self.enter();
                self.modify = true;
                let Some(old) = self.load(*location, registers, *order) else { return false };
                self.fence(order.behind_load());
                let new = match *change {
                    Change::Swap(to) => Some(read(to, registers)),
                    Change::Add(number) => Some((old.0 + number, old.1.clone())),
                    Change::CompareAndSwap(expected, to) => (old.0 == expected).then(|| read(to, registers)),
                };
                if new.is_none()
                    && let Some(load) = self.run.steps.last_mut()
                {
                    load.fails = true;
                }
                if let Some(new) = new {
                    self.fence(order.before_store());
                    self.access(true, *location, registers, new, *order);
                    self.fence(order.behind_store());
                }
                self.block = outer;
                self.modify = false;
                registers[*register] = old;
            }
            Instruction::Fence(fence) => {
                self.mark(Mark::Fence(*fence));
                self.fence(Some(*fence));
            }
            Instruction::OrderFence(order) => {
                self.mark(Mark::OrderFence(*order));
                order.fences().for_each(|fence| self.fence(Some(fence)));
            }
            Instruction::Atomic(block) => {
                let outer = self.enter();
                self.written = true;
                let complete = self.instructions(block, registers);
                self.block = outer;
                self.written = outer.is_some();
                return complete;
            }
            Instruction::Mix(register, from, number) => {
                registers[*register] = (*number, registers[*from].1.clone());
            }
            Instruction::If(condition, yes, no) => {
                let (value, loads) = &registers[condition.register()];
                self.ctrl.extend(loads);
                let way = if condition.holds(*value) { yes } else { no };
                return self.instructions(way, registers);
            }
            Instruction::Start(thread) => self.mark(Mark::Start(*thread)),
        }
        true
    }

    /// Enters an atomic block; returns the one around it, to go back to. Inner ones are part of outer ones.
    fn enter(&mut self) -> Option<usize> {
        let outer = self.block;
        if outer.is_none() {
            self.blocks += 1;
            self.block = Some(self.blocks);
        }
        outer
    }

    fn mark(&mut self, mark: Mark) {
        self.run.marks.push((self.run.steps.len(), mark));
    }

    fn fence(&mut self, fence: Option<Fence>) {
        self.fences.extend(fence.map(|fence| (self.run.steps.len(), fence)));
    }

    fn load(&mut self, location: Location, registers: &Registers, order: Order) -> Option<Word> {
        let value = *self.script.get(self.read)?;
        self.read += 1;
        let at = self.run.steps.len();
        self.access(false, location, registers, (value, BTreeSet::new()), order);
        Some((value, BTreeSet::from([at])))
    }

    fn access(
        &mut self,
        store: bool,
        location: Location,
        registers: &Registers,
        (value, data): Word,
        order: Order,
    ) {
        let (variable, addr) = match location {
            Location::Variable(variable) => (variable, BTreeSet::new()),
            Location::Indexed(first, register) => {
                let (index, loads) = &registers[register];
                (first + (index & 1) as usize, loads.clone())
            }
        };
        self.run.steps.push(Step {
            store,
            variable,
            value,
            block: self.block,
            operation: self.operation,
            addr,
            data,
            ctrl: self.ctrl.clone(),
            order,
            modify: self.modify,
            written: self.written,
            fails: false,
            fences: self.fences.clone(),
        });
    }
}

fn read(operand: Operand, registers: &Registers) -> Word {
    match operand {
        Operand::Constant(value) => (value, BTreeSet::new()),
        Operand::Register(register) => registers[register].clone(),
    }
}
