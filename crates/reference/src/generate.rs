//! Random tiny programs, and smaller ones of a given one.

use crate::program::{Change, Condition, Fence, Instruction, Location, Operand, Order, Program};
use crate::random::Random;

/// How large programs may be.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Threads.
    pub threads: usize,
    /// Accesses of all threads together, at most.
    pub accesses: usize,
    /// Whether fences of single kinds, C11 orders and fences in atomic blocks occur, which the store
    /// buffers of pso do not know.
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
            let mut generator = Generator { random, size, budget, loaded: 0, atomic: false };
            operations.push(generator.block(0));
            budget = generator.budget;
            if random.below(4) > 0 {
                break;
            }
        }
        threads.push(operations);
    }
    let finals = if random.below(8) == 0 { vec![0, 1] } else { Vec::new() };
    Program { variables: 3, registers: REGISTERS, threads, finals }
}

struct Generator<'a> {
    random: &'a mut Random,
    size: Size,
    /// Accesses that may still be made.
    budget: usize,
    /// Registers of the operation that were loaded so far.
    loaded: usize,
    /// Whether an atomic block is under way.
    atomic: bool,
}

/// Registers of an operation.
const REGISTERS: usize = 4;

impl Generator<'_> {
    fn block(&mut self, depth: u32) -> Vec<Instruction> {
        let mut block = Vec::new();
        let length = if depth == 0 { 4 + self.random.below(5) } else { 1 + self.random.below(2) };
        for _ in 0..length {
            if self.budget == 0 {
                break;
            }
            block.push(self.instruction(depth));
        }
        block
    }

    /// A register to load to: mostly one that holds nothing yet, so that all is observed.
    fn target(&mut self) -> usize {
        if self.loaded == REGISTERS || self.random.below(16) == 0 {
            return self.random.below(REGISTERS as u64) as usize;
        }
        self.loaded += 1;
        self.loaded - 1
    }

    /// A register to read: mostly one that was loaded, so that things depend on it.
    fn register(&mut self) -> usize {
        let limit = if self.loaded == 0 || self.random.below(16) == 0 { REGISTERS } else { self.loaded };
        self.random.below(limit as u64) as usize
    }

    /// Mostly the first two variables, so that threads meet.
    fn location(&mut self) -> Location {
        match self.random.below(10) {
            0 => Location::Indexed(self.random.below(2) as usize, self.register()),
            1 => Location::Variable(2),
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
        let orders = [Order::Relaxed, Order::SeqCst, Order::Acquire, Order::Release, Order::AcqRel];
        let known = if self.size.partial_fences { 5 } else { 2 };
        Instruction::OrderFence(orders[self.random.below(known) as usize])
    }

    fn condition(&mut self) -> Condition {
        match self.random.below(2) {
            0 => Condition::NotZero(self.register()),
            _ => Condition::Is(self.register(), self.random.below(3)),
        }
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
            let location = self.location();
            Instruction::Load(self.target(), location, self.order(true, false))
        } else {
            Instruction::Store(self.location(), self.operand(), self.order(false, true))
        }
    }

    fn instruction(&mut self, depth: u32) -> Instruction {
        match self.random.below(21) {
            0..14 => self.access(),
            14 if self.budget >= 2 => {
                self.budget -= 2;
                let change = match self.random.below(3) {
                    0 => Change::Swap(self.operand()),
                    1 => Change::Add(1),
                    _ => Change::CompareAndSwap(self.random.below(2), self.operand()),
                };
                let location = self.location();
                Instruction::Modify(self.target(), location, change, self.order(true, true))
            }
            15 if self.budget >= 2 => {
                let around = std::mem::replace(&mut self.atomic, true);
                let mut block = vec![self.access()];
                block.extend(self.block(depth + 1));
                self.atomic = around;
                Instruction::Atomic(block)
            }
            16 if self.size.partial_fences || !self.atomic => Instruction::Fence(self.fence()),
            17 if self.size.partial_fences || !self.atomic => self.order_fence(),
            18 | 19 if depth < 2 => {
                let condition = self.condition();
                let yes = self.block(depth + 1);
                let no = if self.random.below(2) == 0 { self.block(depth + 1) } else { Vec::new() };
                Instruction::If(condition, yes, no)
            }
            _ => {
                let from = self.register();
                Instruction::Mix(self.target(), from, self.random.below(2))
            }
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
            Instruction::Modify(register, location, change, order) if *order != Order::Plain => {
                replace(vec![Instruction::Modify(*register, *location, *change, Order::Plain)]);
            }
            _ => {}
        }
    }
    found
}

/// The smallest program that still fails.
pub fn shrink(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut current = program.clone();
    while let Some(less) = smaller(&current).into_iter().find(|less| fails(less)) {
        current = less;
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Names of what occurs in a block, with what it stands in.
    fn collect(block: &[Instruction], place: &str, found: &mut BTreeSet<String>) {
        for instruction in block {
            let indexed = |location: &Location| match location {
                Location::Indexed(..) => " indexed",
                Location::Variable(_) => "",
            };
            let name = match instruction {
                Instruction::Load(_, location, order) => format!("load {order:?}{}", indexed(location)),
                Instruction::Store(location, operand, order) => {
                    let value = if matches!(operand, Operand::Register(_)) { " register" } else { "" };
                    format!("store {order:?}{}{value}", indexed(location))
                }
                Instruction::Modify(_, _, change, order) => {
                    let name = match change {
                        Change::Swap(_) => "swap",
                        Change::Add(_) => "add",
                        Change::CompareAndSwap(..) => "cas",
                    };
                    format!("{name} {order:?}")
                }
                Instruction::Fence(fence) => {
                    let Fence { load_load, load_store, store_load, store_store } = *fence;
                    let kinds = [load_load, load_store, store_load, store_store];
                    format!("fence {:?}", kinds.map(|kind| kind as u8))
                }
                Instruction::OrderFence(order) => format!("fence {order:?}"),
                Instruction::Atomic(inner) => {
                    collect(inner, "atomic: ", found);
                    "atomic".into()
                }
                Instruction::If(_, yes, no) => {
                    collect(yes, "if: ", found);
                    collect(no, "else: ", found);
                    "if".into()
                }
                Instruction::Mix(..) => "mix".into(),
                Instruction::Start(_) => "start".into(),
            };
            found.insert(format!("{place}{name}"));
        }
    }

    /// What the comparison with brute force can find depends on what occurs.
    #[test]
    fn everything_occurs() {
        let mut found = BTreeSet::new();
        let size = Size { threads: 3, accesses: 9, partial_fences: true };
        for seed in 0..4000 {
            let program = program(&mut Random::new(seed), size);
            program.threads.iter().flatten().for_each(|operation| collect(operation, "", &mut found));
        }
        let mut wanted: Vec<String> = Vec::new();
        let orders = |names: &[&str], orders: &[Order]| -> Vec<String> {
            names
                .iter()
                .flat_map(|name| orders.iter().map(move |order| format!("{name} {order:?}")))
                .collect()
        };
        use Order::*;
        wanted.extend(orders(&["load", "atomic: load", "if: load"], &[Plain, Relaxed, Acquire, SeqCst]));
        wanted.extend(orders(&["store", "atomic: store", "else: store"], &[Plain, Relaxed, Release, SeqCst]));
        wanted.extend(orders(&["swap", "add", "cas"], &[Plain, Relaxed, Acquire, Release, AcqRel, SeqCst]));
        wanted.extend(orders(&["fence", "atomic: fence"], &[Relaxed, Acquire, Release, AcqRel, SeqCst]));
        for kinds in 1..16u8 {
            wanted.push(format!("fence {:?}", [kinds & 1, kinds >> 1 & 1, kinds >> 2 & 1, kinds >> 3]));
        }
        let others =
            ["load Plain indexed", "store Plain indexed", "store Plain register", "mix", "atomic: if"];
        wanted.extend(others.map(String::from));
        wanted.extend(["atomic: cas Plain", "if: atomic", "if: if"].map(String::from));
        let missing: Vec<_> = wanted.iter().filter(|name| !found.contains(*name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
