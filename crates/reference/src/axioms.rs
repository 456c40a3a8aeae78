//! All executions of a tiny program by the paper's axioms.
//!
//! A memory order is built by placing accesses one after the other. An access may be placed once all that
//! its model wants before it are placed; a load must then find its value: that of its own thread's latest
//! earlier store to the location if that is not yet placed, else of the last store placed there, else
//! zero. This is the set `S(l)` of Section 2.3.2 with its maximum, read operationally.

use crate::program::{Change, Fence, Instruction, Location, Operand, Order, Outcome, Program};
use std::collections::BTreeSet;

/// A memory model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Whole operations one after the other.
    Serial,
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
    /// Relaxed with dependencies.
    Rmo,
    /// The paper's model.
    Relaxed,
}

impl Model {
    /// The model of this name.
    pub fn named(name: &str) -> Option<Model> {
        Some(match name {
            "serial" => Model::Serial,
            "sc" => Model::Sc,
            "tso" => Model::Tso,
            "pso" => Model::Pso,
            "rmo" => Model::Rmo,
            "relaxed" => Model::Relaxed,
            _ => return None,
        })
    }
}

/// An access of a thread that was run on guessed values.
#[derive(Clone, Debug)]
struct Step {
    store: bool,
    variable: usize,
    value: u64,
    /// Part of a read-modify-write; equal numbers, same one.
    block: Option<usize>,
    operation: usize,
    /// Positions in the thread of the loads its address was computed from.
    addr: BTreeSet<usize>,
    /// The same for its value.
    data: BTreeSet<usize>,
    /// The same for branches before it.
    ctrl: BTreeSet<usize>,
    /// Fences before it, as (how many accesses came before the fence, what it orders).
    fences: Vec<(usize, Fence)>,
}

/// A thread's accesses and final registers, for one way to guess its loads.
#[derive(Clone, Debug, Default)]
struct Run {
    steps: Vec<Step>,
    registers: Vec<u64>,
}

/// All outcomes of a program on a model. `guesses` are the values loads may read, zero among them.
pub fn outcomes(program: &Program, model: Model, guesses: &[u64]) -> BTreeSet<Outcome> {
    let runs: Vec<Vec<Run>> =
        program.threads.iter().map(|thread| run_thread(program, thread, guesses)).collect();
    let mut found = BTreeSet::new();
    let mut chosen = vec![0; runs.len()];
    loop {
        let threads: Vec<&Run> = runs.iter().zip(&chosen).map(|(runs, &at)| &runs[at]).collect();
        let outcome: Outcome = threads.iter().flat_map(|run| run.registers.clone()).collect();
        if !found.contains(&outcome)
            && sources_exist(&threads)
            && Placing::new(model, &threads, program.variables).possible()
        {
            found.insert(outcome);
        }
        // Count on to the next choice of runs.
        let mut at = 0;
        loop {
            if at == runs.len() {
                return found;
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

/// Registers with the loads they were computed from.
type Registers = Vec<(u64, BTreeSet<usize>)>;

/// Runs a thread once for each way to guess what its loads read.
fn run_thread(program: &Program, operations: &[Vec<Instruction>], guesses: &[u64]) -> Vec<Run> {
    let mut finished = Vec::new();
    let mut scripts: Vec<Vec<u64>> = vec![Vec::new()];
    while let Some(script) = scripts.pop() {
        let mut runner = Runner {
            run: Run::default(),
            ctrl: BTreeSet::new(),
            fences: Vec::new(),
            blocks: 0,
            operation: 0,
            script: &script,
            read: 0,
        };
        let mut complete = true;
        for (number, operation) in operations.iter().enumerate() {
            runner.operation = number;
            let mut registers: Registers = vec![(0, BTreeSet::new()); program.registers];
            complete = runner.block(operation, &mut registers);
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

struct Runner<'a> {
    run: Run,
    ctrl: BTreeSet<usize>,
    fences: Vec<(usize, Fence)>,
    blocks: usize,
    operation: usize,
    script: &'a [u64],
    read: usize,
}

impl Runner<'_> {
    /// Runs instructions; false if the script has no value for a load.
    fn block(&mut self, block: &[Instruction], registers: &mut Registers) -> bool {
        block.iter().all(|instruction| self.instruction(instruction, registers))
    }

    fn fence(&mut self, fence: Fence) {
        self.fences.push((self.run.steps.len(), fence));
    }

    /// What a store's order puts before it.
    fn before(&mut self, order: Order) {
        if matches!(order, Order::Release | Order::SeqCst) {
            self.fence(Fence { load_store: true, store_store: true, ..Fence::default() });
        }
    }

    /// What a load's order puts behind it.
    fn after(&mut self, order: Order) {
        if matches!(order, Order::Acquire | Order::SeqCst) {
            self.fence(Fence { load_load: true, load_store: true, ..Fence::default() });
        }
    }

    fn access(
        &mut self,
        store: bool,
        location: Location,
        registers: &Registers,
        value: (u64, BTreeSet<usize>),
        block: Option<usize>,
    ) {
        let (variable, addr) = match location {
            Location::Variable(variable) => (variable, BTreeSet::new()),
            Location::Indexed(register) => {
                ((registers[register].0 & 1) as usize, registers[register].1.clone())
            }
        };
        self.run.steps.push(Step {
            store,
            variable,
            value: value.0,
            block,
            operation: self.operation,
            addr,
            data: value.1,
            ctrl: self.ctrl.clone(),
            fences: self.fences.clone(),
        });
    }

    fn load(&mut self, location: Location, registers: &Registers, block: Option<usize>) -> Option<u64> {
        let value = *self.script.get(self.read)?;
        self.read += 1;
        self.access(false, location, registers, (value, BTreeSet::new()), block);
        Some(value)
    }

    fn instruction(&mut self, instruction: &Instruction, registers: &mut Registers) -> bool {
        let operand = |operand: Operand, registers: &Registers| match operand {
            Operand::Constant(value) => (value, BTreeSet::new()),
            Operand::Register(register) => registers[register].clone(),
        };
        match instruction {
            Instruction::Load(register, location, order) => {
                let Some(value) = self.load(*location, registers, None) else { return false };
                registers[*register] = (value, BTreeSet::from([self.run.steps.len() - 1]));
                self.after(*order);
            }
            Instruction::Store(location, value, order) => {
                self.before(*order);
                self.access(true, *location, registers, operand(*value, registers), None);
                if *order == Order::SeqCst {
                    self.fence(Fence { store_load: true, ..Fence::default() });
                }
            }
            Instruction::Modify(register, location, change, order) => {
                self.blocks += 1;
                let block = Some(self.blocks);
                let order = *order;
                let at = self.run.steps.len();
                let Some(value) = self.load(*location, registers, block) else { return false };
                let old = (value, BTreeSet::from([at]));
                let new = match *change {
                    Change::Swap(to) => Some(operand(to, registers)),
                    Change::Add(number) => Some((value + number, old.1.clone())),
                    Change::CompareAndSwap(expected, to) => {
                        (value == expected).then(|| operand(to, registers))
                    }
                };
                self.after(order);
                if let Some(new) = new {
                    self.before(order);
                    self.access(true, *location, registers, new, block);
                    if order == Order::SeqCst {
                        self.fence(Fence { store_load: true, ..Fence::default() });
                    }
                }
                registers[*register] = old;
            }
            Instruction::Fence(fence) => self.fence(*fence),
            Instruction::Mix(register, from, number) => {
                registers[*register] = (*number, registers[*from].1.clone());
            }
            Instruction::If(register, yes, no) => {
                self.ctrl.extend(registers[*register].1.iter());
                let way = if registers[*register].0 != 0 { yes } else { no };
                return self.block(way, registers);
            }
        }
        true
    }
}

/// The search for a memory order.
struct Placing<'a> {
    model: Model,
    threads: &'a [&'a Run],
    /// What is placed already, per thread and step.
    placed: Vec<Vec<bool>>,
    /// The last store placed to each variable: thread and step.
    last: Vec<Option<(usize, usize)>>,
    /// Where each load placed reads from.
    from: Vec<((usize, usize), (usize, usize))>,
    left: usize,
}

impl<'a> Placing<'a> {
    fn new(model: Model, threads: &'a [&'a Run], variables: usize) -> Placing<'a> {
        let placed: Vec<Vec<bool>> = threads.iter().map(|run| vec![false; run.steps.len()]).collect();
        let left = threads.iter().map(|run| run.steps.len()).sum();
        Placing { model, threads, placed, last: vec![None; variables.max(2)], from: Vec::new(), left }
    }

    /// Whether the rest can be placed.
    fn possible(&mut self) -> bool {
        if self.left == 0 {
            return !self.thin_air();
        }
        for thread in 0..self.threads.len() {
            for step in 0..self.threads[thread].steps.len() {
                let group = self.group(thread, step);
                if group.start != step || group.clone().any(|member| self.placed[thread][member]) {
                    continue;
                }
                let saved = (self.last.clone(), self.from.len());
                let mut count = 0;
                let fits = group.clone().all(|member| {
                    let fits = self.place(thread, member, &group);
                    count += fits as usize;
                    fits
                });
                if fits && self.possible() {
                    return true;
                }
                group.take(count).for_each(|member| self.placed[thread][member] = false);
                self.left += count;
                self.last = saved.0;
                self.from.truncate(saved.1);
            }
        }
        false
    }

    /// The steps that must be placed together: a read-modify-write, or for `serial` a whole operation.
    fn group(&self, thread: usize, step: usize) -> std::ops::Range<usize> {
        let steps = &self.threads[thread].steps;
        let together = |a: &Step, b: &Step| {
            a.block.is_some() && a.block == b.block
                || self.model == Model::Serial && a.operation == b.operation
        };
        let start = (0..=step).find(|&other| (other..step).all(|s| together(&steps[s], &steps[step])));
        let end =
            (step..steps.len()).take_while(|&other| together(&steps[other], &steps[step]) || other == step);
        start.unwrap_or(step)..end.last().map_or(step + 1, |last| last + 1)
    }

    /// Places a step if it may be placed now.
    fn place(&mut self, thread: usize, step: usize, group: &std::ops::Range<usize>) -> bool {
        let steps = &self.threads[thread].steps;
        let waits = (0..step).any(|before| {
            !self.placed[thread][before]
                && !group.contains(&before)
                && must_precede(self.model, steps, before, step)
        });
        // What is placed must not have to come after this one.
        let late = (step + 1..steps.len())
            .any(|after| self.placed[thread][after] && must_precede(self.model, steps, step, after));
        if waits || late {
            return false;
        }
        let Step { store, variable, value, .. } = steps[step];
        if store {
            self.last[variable] = Some((thread, step));
        } else {
            let own = (0..step).rev().find(|&s| steps[s].store && steps[s].variable == variable);
            let own = own.filter(|&s| !self.placed[thread][s]).map(|s| (thread, s));
            let source = own.or(self.last[variable]);
            let found = source.map_or(0, |(thread, step)| self.threads[thread].steps[step].value);
            if found != value {
                return false;
            }
            if let Some(source) = source {
                self.from.push((source, (thread, step)));
            }
        }
        self.placed[thread][step] = true;
        self.left -= 1;
        true
    }

    /// Whether some value depends on itself.
    fn thin_air(&self) -> bool {
        let first: Vec<usize> = self
            .threads
            .iter()
            .scan(0, |sum, run| {
                *sum += run.steps.len();
                Some(*sum - run.steps.len())
            })
            .collect();
        let number = |(thread, step): (usize, usize)| first[thread] + step;
        let size: usize = self.threads.iter().map(|run| run.steps.len()).sum();
        let mut reach = vec![vec![false; size]; size];
        for (from, to) in &self.from {
            reach[number(*from)][number(*to)] = true;
        }
        for (thread, run) in self.threads.iter().enumerate() {
            for (at, step) in run.steps.iter().enumerate() {
                for &load in step.addr.iter().chain(&step.data) {
                    reach[number((thread, load))][number((thread, at))] = true;
                }
            }
        }
        for k in 0..size {
            for i in 0..size {
                for j in 0..size {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        (0..size).any(|i| reach[i][i])
    }
}

/// Whether a step must come before a later one of its thread in the memory order.
fn must_precede(model: Model, steps: &[Step], first: usize, second: usize) -> bool {
    let (a, b) = (&steps[first], &steps[second]);
    let same = a.variable == b.variable;
    let modify = |step: &Step| step.block.is_some();
    let fenced = b.fences.iter().any(|(before, fence)| first < *before && fence.orders(a.store, b.store));
    let preserved = match model {
        Model::Serial | Model::Sc => true,
        Model::Tso => !a.store || b.store || modify(a) || modify(b),
        Model::Pso => !a.store || modify(a) || same && (b.store || modify(b)),
        Model::Rmo => {
            let depends = b.addr.contains(&first) || b.data.contains(&first);
            same && b.store || depends || b.store && b.ctrl.contains(&first)
        }
        Model::Relaxed => same && b.store,
    };
    preserved || fenced
}
