//! Random tiny programs, and smaller ones of a given one.

use crate::program::{Change, Condition, Fence, Instruction, Location, Operand, Order, Program};

/// A small generator of random numbers (xorshift), so that a seed names a program for ever.
pub struct Random(u64);

impl Random {
    /// A generator that starts from a seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = random.below(2));
        random
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit
    }
}

/// How large programs may be.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Threads.
    pub threads: usize,
    /// Accesses of all threads together, at most.
    pub accesses: usize,
    /// Whether fences of single kinds and C11 orders occur, which store buffers do not know.
    pub partial_fences: bool,
}

/// A random program.
pub fn program(random: &mut Random, size: Size) -> Program {
    let mut left = size.accesses;
    let mut threads = Vec::new();
    for thread in 0..size.threads {
        let rest = size.threads - thread;
        let share = (left / rest).max(1);
        left -= share.min(left);
        let mut operations = Vec::new();
        let mut budget = share;
        while budget > 0 {
            let mut generator = Generator { random, size, budget };
            operations.push(generator.block(0));
            budget = generator.budget;
            if random.below(4) > 0 {
                break;
            }
        }
        threads.push(operations);
    }
    let variables = 2 + random.below(2) as usize;
    let finals = if random.below(8) == 0 { vec![0, 1] } else { Vec::new() };
    Program { variables, registers: 3, threads, finals }
}

struct Generator<'a> {
    random: &'a mut Random,
    size: Size,
    /// Accesses that may still be made.
    budget: usize,
}

impl Generator<'_> {
    fn block(&mut self, depth: u32) -> Vec<Instruction> {
        let mut block = Vec::new();
        let length = if depth == 0 { 3 + self.random.below(4) } else { 1 + self.random.below(2) };
        for _ in 0..length {
            if self.budget == 0 {
                break;
            }
            block.push(self.instruction(depth));
        }
        block
    }

    fn register(&mut self) -> usize {
        self.random.below(3) as usize
    }

    fn location(&mut self) -> Location {
        match self.random.below(9) {
            0 => Location::Indexed(0, self.register()),
            n => Location::Variable((n % 2) as usize),
        }
    }

    fn operand(&mut self) -> Operand {
        match self.random.below(3) {
            0 => Operand::Register(self.register()),
            n => Operand::Constant(n),
        }
    }

    fn order(&mut self, load: bool, store: bool) -> Order {
        match self.random.below(10) {
            0 if self.size.partial_fences && load => Order::Acquire,
            1 if self.size.partial_fences && store => Order::Release,
            2 if self.size.partial_fences => Order::SeqCst,
            3 if self.size.partial_fences && load && store => Order::AcqRel,
            4 => Order::Relaxed,
            _ => Order::Plain,
        }
    }

    fn order_fence(&mut self) -> Instruction {
        let orders = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        Instruction::OrderFence(orders[self.random.below(4) as usize])
    }

    fn fence(&mut self) -> Fence {
        if !self.size.partial_fences {
            return Fence::FULL;
        }
        let kinds = self.random.below(16);
        Fence {
            load_load: kinds & 1 != 0,
            load_store: kinds & 2 != 0,
            store_load: kinds & 4 != 0,
            store_store: kinds & 8 != 0,
        }
    }

    fn access(&mut self) -> Instruction {
        self.budget -= 1;
        if self.random.below(2) == 0 {
            Instruction::Load(self.register(), self.location(), self.order(true, false))
        } else {
            Instruction::Store(self.location(), self.operand(), self.order(false, true))
        }
    }

    fn instruction(&mut self, depth: u32) -> Instruction {
        match self.random.below(22) {
            0..14 => self.access(),
            14 if self.budget >= 2 => {
                self.budget -= 2;
                let change = match self.random.below(3) {
                    0 => Change::Swap(self.operand()),
                    1 => Change::Add(1),
                    _ => Change::CompareAndSwap(self.random.below(2), self.operand()),
                };
                Instruction::Modify(self.register(), self.location(), change, self.order(true, true))
            }
            15 if self.budget >= 2 => {
                let length = 2 + self.random.below(self.budget.min(3) as u64 - 1);
                Instruction::Atomic((0..length).map(|_| self.access()).collect())
            }
            16 | 17 => Instruction::Fence(self.fence()),
            18 if self.size.partial_fences => self.order_fence(),
            19 if depth < 2 => {
                let condition = Condition::NotZero(self.register());
                let yes = self.block(depth + 1);
                let no = if self.random.below(2) == 0 { self.block(depth + 1) } else { Vec::new() };
                Instruction::If(condition, yes, no)
            }
            _ => Instruction::Mix(self.register(), self.register(), self.random.below(2)),
        }
    }
}

/// Programs with one thing less.
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    if !program.finals.is_empty() {
        found.push(Program { finals: Vec::new(), ..program.clone() });
    }
    for thread in 0..program.threads.len() {
        if program.threads.len() > 1 {
            let mut less = program.clone();
            less.threads.remove(thread);
            found.push(less);
        }
        for operation in 0..program.threads[thread].len() {
            if program.threads[thread].len() > 1 {
                let mut less = program.clone();
                less.threads[thread].remove(operation);
                found.push(less);
            }
            for block in smaller_blocks(&program.threads[thread][operation]) {
                let mut less = program.clone();
                less.threads[thread][operation] = block;
                found.push(less);
            }
        }
    }
    found
}

fn smaller_blocks(block: &[Instruction]) -> Vec<Vec<Instruction>> {
    let mut found = Vec::new();
    for (at, instruction) in block.iter().enumerate() {
        let mut replace = |with: Vec<Instruction>| {
            let mut less = block.to_vec();
            less.splice(at..=at, with);
            found.push(less);
        };
        replace(Vec::new());
        match instruction {
            Instruction::If(condition, yes, no) => {
                replace(yes.clone());
                replace(no.clone());
                for less in smaller_blocks(yes) {
                    replace(vec![Instruction::If(*condition, less, no.clone())]);
                }
                for less in smaller_blocks(no) {
                    replace(vec![Instruction::If(*condition, yes.clone(), less)]);
                }
            }
            Instruction::Atomic(inner) => {
                replace(inner.clone());
                smaller_blocks(inner).into_iter().for_each(|less| replace(vec![Instruction::Atomic(less)]));
            }
            Instruction::Load(register, location, order) if *order != Order::Plain => {
                replace(vec![Instruction::Load(*register, *location, Order::Plain)]);
            }
            Instruction::Store(location, operand, order) if *order != Order::Plain => {
                replace(vec![Instruction::Store(*location, *operand, Order::Plain)]);
            }
            _ => {}
        }
    }
    found
}
