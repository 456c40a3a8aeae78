//! The events of a thread's run on a model: its accesses, and the barriers that C11 orders and fences become.
//!
//! C11 has its fences as they stand. On machines, orders are compiled by the mappings that the models' papers and manuals
//! give: what an access can carry itself (LDAR, STLR, `aq`, `rl`, a locked prefix) stays with it, anything else becomes
//! a barrier in front of it or behind it.

use super::Model;
use super::relation::Set;
use crate::program::{Fence, Order};
use crate::runs::{Mark, Run, Step};

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Read,
    Write,
    Barrier(Barrier),
}

/// What is no access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Barrier {
    /// A C11 fence.
    C11(Order),
    /// The fence of x86.
    Mfence,
    /// Those of ARMv8.
    DmbSy,
    DmbLd,
    DmbSt,
    /// That of RISC-V: which pairs it keeps in order.
    Pairs(Fence),
    /// Those of Power.
    Sync,
    Lwsync,
    Eieio,
    Isync,
    /// Where a thread starts another, and where that one begins.
    Start(usize),
    Begin,
}

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) thread: usize,
    pub(super) kind: Kind,
    /// Of accesses.
    pub(super) variable: usize,
    pub(super) value: u64,
    /// Of accesses; a part of a read-modify-write has the part of the order that is about it.
    pub(super) order: Order,
    /// Events its address, its value, and whether its thread comes to it were computed from.
    pub(super) addr: Set,
    pub(super) data: Set,
    pub(super) ctrl: Set,
    /// Whether it is part of a read-modify-write.
    pub(super) modify: bool,
    /// The atomic block that it is part of, with the same number for the same block of its thread.
    pub(super) block: Option<usize>,
}

/// Whether an order acquires.
pub(super) fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

/// Whether an order releases.
pub(super) fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

/// What an order asks of a load, or of a store. A read-modify-write is atomic without one, too.
fn part(order: Order, modify: bool, store: bool) -> Order {
    match order {
        Order::Plain if modify => Order::Relaxed,
        Order::AcqRel if store => Order::Release,
        Order::AcqRel => Order::Acquire,
        Order::Acquire if store => Order::Relaxed,
        Order::Release if !store => Order::Relaxed,
        other => other,
    }
}

/// The events of all threads, thread by thread, each in program order.
pub(super) fn events(model: Model, threads: &[&Run]) -> Vec<Event> {
    let mut out = Vec::new();
    for (thread, run) in threads.iter().enumerate() {
        let started = threads.iter().any(|other| other.starts().any(|start| start.0 == thread));
        let mut compiler = Compiler { model, thread, places: Vec::new(), ctrl: 0, out: &mut out };
        if started {
            compiler.barrier(Barrier::Begin);
        }
        let mut marks = run.marks.iter().peekable();
        for at in 0..=run.steps.len() {
            while let Some((_, mark)) = marks.next_if(|mark| mark.0 == at) {
                compiler.mark(*mark);
            }
            if at < run.steps.len() {
                compiler.step(&run.steps, at);
            }
        }
    }
    out
}

struct Compiler<'a> {
    model: Model,
    thread: usize,
    /// The event of each step so far.
    places: Vec<usize>,
    /// Reads on which branches that the mapping adds depend: they come on top of the program's.
    ctrl: Set,
    out: &'a mut Vec<Event>,
}

impl Compiler<'_> {
    fn step(&mut self, steps: &[Step], at: usize) {
        let step = &steps[at];
        let first = !step.store || !step.modify;
        let last = step.store || !step.modify || step.fails;
        if first {
            self.in_front(step);
        }
        self.places.push(self.out.len());
        let set = |places: &[usize], from: &std::collections::BTreeSet<usize>| -> Set {
            from.iter().fold(0, |set, &step| set | 1 << places[step])
        };
        self.out.push(Event {
            thread: self.thread,
            kind: if step.store { Kind::Write } else { Kind::Read },
            variable: step.variable,
            value: step.value,
            order: part(step.order, step.modify, step.store),
            addr: set(&self.places, &step.addr),
            data: set(&self.places, &step.data),
            ctrl: set(&self.places, &step.ctrl) | self.ctrl,
            modify: step.modify,
            block: step.block.filter(|_| step.written),
        });
        if last {
            let load = if step.store && step.modify { at - 1 } else { at };
            self.behind(&steps[load], self.places[load]);
        }
    }

    /// Barriers in front of an access, or of a whole read-modify-write.
    fn in_front(&mut self, step: &Step) {
        let order = step.order;
        match self.model {
            // A release in front of a store; everything in front of a seq_cst load. Others carry their bits themselves.
            Model::Riscv if step.modify => {}
            Model::Riscv if step.store => self.pairs(order.before_store()),
            Model::Riscv if order == Order::SeqCst => self.pairs(Some(Fence::FULL)),
            Model::Power if order == Order::SeqCst => self.barrier(Barrier::Sync),
            // Compilers put it in front of a compare-and-swap that fails, too, but nobody is promised that.
            Model::Power if (step.store || step.modify && !step.fails) && releases(order) => {
                self.barrier(Barrier::Lwsync);
            }
            _ => {}
        }
    }

    /// Barriers behind a load, or behind a read-modify-write with this load.
    fn behind(&mut self, load: &Step, place: usize) {
        if load.store || !acquires(load.order) {
            return;
        }
        match self.model {
            Model::Riscv if !load.modify => self.pairs(load.order.behind_load()),
            Model::Power => {
                // A branch that depends on the load, then isync.
                self.ctrl |= 1 << place;
                let ctrl = self.out[place].ctrl | self.ctrl;
                self.barrier(Barrier::Isync);
                self.out.last_mut().expect("it was just made").ctrl = ctrl;
            }
            _ => {}
        }
    }

    fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Start(thread) => self.barrier(Barrier::Start(thread)),
            Mark::OrderFence(Order::Plain | Order::Relaxed) => {}
            Mark::OrderFence(order) => self.order_fence(order),
            Mark::Fence(fence) => self.fence(fence),
        }
    }

    fn order_fence(&mut self, order: Order) {
        match (self.model, order) {
            (Model::Rc11, _) => self.barrier(Barrier::C11(order)),
            (Model::X86, Order::SeqCst) => self.barrier(Barrier::Mfence),
            (Model::X86, _) => {}
            (Model::Armv8, Order::Acquire) => self.barrier(Barrier::DmbLd),
            (Model::Armv8, _) => self.barrier(Barrier::DmbSy),
            (Model::Riscv, Order::SeqCst) => self.pairs(Some(Fence::FULL)),
            (Model::Riscv, Order::AcqRel) => self.pairs(Some(Fence { store_load: false, ..Fence::FULL })),
            (Model::Riscv, Order::Acquire) => self.pairs(order.behind_load()),
            (Model::Riscv, _) => self.pairs(order.before_store()),
            (Model::Power, Order::SeqCst) => self.barrier(Barrier::Sync),
            (Model::Power, _) => self.barrier(Barrier::Lwsync),
        }
    }

    fn fence(&mut self, fence: Fence) {
        let Fence { load_load, load_store, store_load, store_store } = fence;
        match self.model {
            Model::Rc11 => {
                let order = match (load_load && load_store, load_store && store_store) {
                    _ if fence == Fence::FULL => Order::SeqCst,
                    (true, true) => Order::AcqRel,
                    (true, false) => Order::Acquire,
                    (false, true) => Order::Release,
                    (false, false) => return,
                };
                self.barrier(Barrier::C11(order));
            }
            Model::X86 if store_load => self.barrier(Barrier::Mfence),
            Model::X86 => {}
            Model::Armv8 if store_load => self.barrier(Barrier::DmbSy),
            Model::Armv8 => {
                if load_load || load_store {
                    self.barrier(Barrier::DmbLd);
                }
                if store_store {
                    self.barrier(Barrier::DmbSt);
                }
            }
            Model::Riscv => self.pairs(Some(fence)),
            Model::Power if store_load => self.barrier(Barrier::Sync),
            Model::Power if fence == Fence::default() => {}
            Model::Power if !load_load && !load_store => self.barrier(Barrier::Eieio),
            Model::Power => self.barrier(Barrier::Lwsync),
        }
    }

    fn pairs(&mut self, fence: Option<Fence>) {
        fence.into_iter().for_each(|fence| self.barrier(Barrier::Pairs(fence)));
    }

    fn barrier(&mut self, barrier: Barrier) {
        self.out.push(Event {
            thread: self.thread,
            kind: Kind::Barrier(barrier),
            variable: usize::MAX,
            value: 0,
            order: Order::Plain,
            addr: 0,
            data: 0,
            ctrl: self.ctrl,
            modify: false,
            block: None,
        });
    }
}
