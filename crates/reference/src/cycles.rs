//! Random programs that tell models apart more often than programs at large: threads in a circle, each of
//! which meets its neighbours at one variable on either side, with something between its two accesses.
//!
//! These are the classic shapes with two to four threads, and all that can be put into them.

use crate::program::{Change, Condition, Fence, Instruction, Location, Operand, Order, Program, Register};
use crate::random::Random;

/// Registers: what the first access loads, the second, and one between them; a value that depends on one.
const FIRST: Register = 0;
const SECOND: Register = 1;
const BETWEEN: Register = 2;
const MIXED: Register = 3;

/// A random program of some threads, at least two, and of at most some accesses, at least two for each
/// thread. Stores write 1 or 2; additions add one.
pub fn program(random: &mut Random, threads: usize, accesses: usize) -> Program {
    loop {
        let program = circle(random, threads);
        if program.threads.iter().flatten().map(|block| count(block)).sum::<usize>() <= accesses {
            return program;
        }
    }
}

/// How many accesses a block has.
fn count(block: &[Instruction]) -> usize {
    let count = |instruction: &Instruction| match instruction {
        Instruction::Load(..) | Instruction::Store(..) => 1,
        Instruction::Modify(..) => 2,
        Instruction::Atomic(inner) => count(inner),
        Instruction::If(_, yes, no) => count(yes) + count(no),
        _ => 0,
    };
    block.iter().map(count).sum()
}

fn circle(random: &mut Random, threads: usize) -> Program {
    // Whether the two accesses of each thread store. Of two threads that meet, one has to.
    let mut stores: Vec<[bool; 2]> =
        (0..threads).map(|_| [random.below(2) == 0, random.below(2) == 0]).collect();
    for thread in 0..threads {
        let next = (thread + 1) % threads;
        stores[next][0] |= !stores[thread][1];
    }
    let thread = |(number, stores): (usize, &[bool; 2])| {
        let next = (number + 1) % threads;
        vec![Circle { random: &mut *random, own: number, next, spare: threads }.thread(*stores)]
    };
    let threads_made = stores.iter().enumerate().map(thread).collect();
    // Loads tell what they meet; of two stores, only the end tells which came first.
    let both = |variable: &usize| stores[(variable + threads - 1) % threads][1] && stores[*variable][0];
    let finals = (0..threads).filter(both).collect();
    Program { variables: threads + 1, registers: 4, threads: threads_made, finals }
}

/// Makes one thread.
struct Circle<'a> {
    random: &'a mut Random,
    /// The variables where it meets the thread before it and the one after it.
    own: usize,
    next: usize,
    /// A variable for other uses.
    spare: usize,
}

impl Circle<'_> {
    fn thread(mut self, stores: [bool; 2]) -> Vec<Instruction> {
        let first = self.access(stores[0], FIRST, Location::Variable(self.own), Operand::Constant(2));
        let mut between = Vec::new();
        // A register that the second access can depend on.
        let mut source = (!stores[0]).then_some(FIRST);
        for _ in 0..self.random.below(3) {
            self.between(&mut between, &mut source);
        }
        let (mut location, mut value) = (Location::Variable(self.next), Operand::Constant(1));
        let mut condition = None;
        if let Some(source) = source {
            match self.random.below(6) {
                0 => {
                    between.push(Instruction::Mix(MIXED, source, 0));
                    location = Location::Indexed(self.next, MIXED);
                }
                1 => {
                    between.push(Instruction::Mix(MIXED, source, 1));
                    value = Operand::Register(MIXED);
                }
                2 => value = Operand::Register(source),
                3 => condition = Some(Condition::NotZero(source)),
                _ => {}
            }
        }
        let second = self.access(stores[1], SECOND, location, value);
        let second = match condition {
            Some(condition) if self.random.one_in(2) => {
                vec![Instruction::If(condition, vec![second], Vec::new())]
            }
            Some(condition) => vec![Instruction::If(condition, Vec::new(), Vec::new()), second],
            None => vec![second],
        };
        match self.random.below(12) {
            0 => vec![Instruction::Atomic([vec![first], between, second].concat())],
            1 => [vec![first], vec![Instruction::Atomic([between, second].concat())]].concat(),
            2 => [vec![Instruction::Atomic([vec![first], between].concat())], second].concat(),
            _ => [vec![first], between, second].concat(),
        }
    }

    /// A load or store, or a read-modify-write that does as much.
    fn access(&mut self, store: bool, to: Register, location: Location, value: Operand) -> Instruction {
        if self.random.one_in(8) {
            let change = if store { Change::Swap(value) } else { Change::CompareAndSwap(7, value) };
            return Instruction::Modify(to, location, change, self.order(true, true));
        }
        if store {
            Instruction::Store(location, value, self.order(false, true))
        } else {
            Instruction::Load(to, location, self.order(true, false))
        }
    }

    fn order(&mut self, load: bool, store: bool) -> Order {
        match self.random.below(16) {
            0 if load => Order::Acquire,
            1 if store => Order::Release,
            2 if load && store => Order::AcqRel,
            3 => Order::SeqCst,
            4 => Order::Relaxed,
            _ => Order::Plain,
        }
    }

    /// Something that orders, or might look as if it did.
    fn between(&mut self, out: &mut Vec<Instruction>, source: &mut Option<Register>) {
        let places = [self.own, self.next, self.spare];
        let place = Location::Variable(places[self.random.below(3) as usize]);
        out.push(match self.random.below(8) {
            0 | 1 => {
                let kind = 1 << self.random.below(4);
                let kinds = if self.random.one_in(3) { kind | self.random.below(16) } else { kind };
                Instruction::Fence(Fence {
                    load_load: kinds & 1 != 0,
                    load_store: kinds & 2 != 0,
                    store_load: kinds & 4 != 0,
                    store_store: kinds & 8 != 0,
                })
            }
            2 | 3 => {
                let orders = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
                Instruction::OrderFence(orders[self.random.below(4) as usize])
            }
            4 => {
                let change = match self.random.below(3) {
                    0 => Change::Swap(Operand::Constant(1)),
                    1 => Change::Add(1),
                    _ => Change::CompareAndSwap(self.random.below(2), Operand::Constant(2)),
                };
                Instruction::Modify(BETWEEN, place, change, self.order(true, true))
            }
            5 => Instruction::Store(
                place,
                source.map_or(Operand::Constant(1), Operand::Register),
                self.order(false, true),
            ),
            _ => {
                *source = Some(BETWEEN);
                Instruction::Load(BETWEEN, place, self.order(true, false))
            }
        });
    }
}
