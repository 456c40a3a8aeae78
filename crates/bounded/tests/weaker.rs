//! Every fence and every memory order has, on every model where it orders something, a litmus test whose
//! verdict changes when it is made weaker; where it orders nothing, no verdict does.
//!
//! Which these are was written down from the models' definitions, see `docs/models.md`. The axioms decide,
//! by brute force; that the engine agrees with them is for other tests.

use fencepost_models::ALL;
use fencepost_reference::axioms::{self, Model};
use fencepost_reference::litmus::Row;
use fencepost_reference::litmus::corpus::rows;
use fencepost_reference::program::{Fence, Instruction, Order, Program};

/// What an order stands on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Load,
    Store,
    Modify,
    Fence,
}

/// A way to make programs weaker.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// One order for another, on one kind of instruction.
    Order(Kind, Order, Order),
    /// One kind less in all fences given by kind, named as in the tables.
    Less(&'static str),
    /// Atomic blocks, read-modify-writes aside, taken apart.
    Blocks,
}

/// All steps, each with the models on which it changes a verdict. Sequential consistency and seriality have
/// all order already. tso lacks store-load order, pso store-store order too, rmo and relaxed all four.
const STEPS: &[(Step, &[&str])] = &[
    (Step::Less("ll"), &["rmo", "relaxed"]),
    (Step::Less("ls"), &["rmo", "relaxed"]),
    (Step::Less("sl"), &["tso", "pso", "rmo", "relaxed"]),
    (Step::Less("ss"), &["pso", "rmo", "relaxed"]),
    // Fences: seq_cst has store-load more than acq_rel, which is acquire and release.
    (Step::Order(Kind::Fence, Order::SeqCst, Order::AcqRel), &["tso", "pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Fence, Order::AcqRel, Order::Acquire), &["pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Fence, Order::AcqRel, Order::Release), &["rmo", "relaxed"]),
    (Step::Order(Kind::Fence, Order::Acquire, Order::Relaxed), &["rmo", "relaxed"]),
    (Step::Order(Kind::Fence, Order::Release, Order::Relaxed), &["pso", "rmo", "relaxed"]),
    // The store-load fence of seq_cst stands behind stores: to a load it is acquire.
    (Step::Order(Kind::Load, Order::SeqCst, Order::Acquire), &[]),
    (Step::Order(Kind::Load, Order::Acquire, Order::Relaxed), &["rmo", "relaxed"]),
    (Step::Order(Kind::Load, Order::Relaxed, Order::Plain), &[]),
    (Step::Order(Kind::Store, Order::SeqCst, Order::Release), &["tso", "pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Store, Order::Release, Order::Relaxed), &["pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Store, Order::Relaxed, Order::Plain), &[]),
    // What is before one that releases is before all of it, what is after one that acquires is after all
    // of it: seq_cst has no more to add. On pso what follows one is after it anyway.
    (Step::Order(Kind::Modify, Order::SeqCst, Order::AcqRel), &[]),
    (Step::Order(Kind::Modify, Order::AcqRel, Order::Acquire), &["pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Modify, Order::AcqRel, Order::Release), &["rmo", "relaxed"]),
    (Step::Order(Kind::Modify, Order::Acquire, Order::Relaxed), &["rmo", "relaxed"]),
    (Step::Order(Kind::Modify, Order::Release, Order::Relaxed), &["pso", "rmo", "relaxed"]),
    (Step::Order(Kind::Modify, Order::Relaxed, Order::Plain), &[]),
    // A block is more than order, except where nothing comes between its accesses anyway.
    (Step::Blocks, &["sc", "tso", "pso", "rmo", "relaxed"]),
];

impl Step {
    fn order(self, kind: Kind, order: &mut Order) {
        if let Step::Order(on, from, to) = self
            && on == kind
            && *order == from
        {
            *order = to;
        }
    }

    fn fence(self, fence: &mut Fence) {
        match self {
            Step::Less("ll") => fence.load_load = false,
            Step::Less("ls") => fence.load_store = false,
            Step::Less("sl") => fence.store_load = false,
            Step::Less("ss") => fence.store_store = false,
            _ => {}
        }
    }

    fn block(self, block: &[Instruction]) -> Vec<Instruction> {
        let mut weaker = Vec::new();
        for instruction in block {
            let mut instruction = instruction.clone();
            match &mut instruction {
                Instruction::Load(_, _, order) => self.order(Kind::Load, order),
                Instruction::Store(_, _, order) => self.order(Kind::Store, order),
                Instruction::Modify(_, _, _, order) => self.order(Kind::Modify, order),
                Instruction::OrderFence(order) => self.order(Kind::Fence, order),
                Instruction::Fence(fence) => self.fence(fence),
                Instruction::Atomic(inner) => {
                    *inner = self.block(inner);
                    if matches!(self, Step::Blocks) {
                        weaker.append(inner);
                        continue;
                    }
                }
                Instruction::If(_, yes, no) => [yes, no].into_iter().for_each(|way| *way = self.block(way)),
                Instruction::Mix(..) | Instruction::Start(_) => {}
            }
            weaker.push(instruction);
        }
        weaker
    }

    fn program(self, program: &Program) -> Program {
        let threads = program.threads.iter();
        let threads = threads.map(|operations| operations.iter().map(|block| self.block(block)).collect());
        Program { threads: threads.collect(), ..program.clone() }
    }
}

fn allowed(row: &Row, model: &str) -> bool {
    let model = Model::named(model).expect("the reference knows all models that ship");
    axioms::outcomes(&row.program, model, &row.guesses()).iter().any(|outcome| row.matches(outcome))
}

#[test]
fn every_order_is_tested() {
    let rows = rows();
    let mut wrong = Vec::new();
    for &(step, models) in STEPS {
        let weaker = rows.iter().map(|(place, row)| (place, row, step.program(&row.program)));
        let weaker: Vec<_> = weaker
            .filter(|(_, row, program)| row.program != *program)
            .map(|(place, row, program)| (place, row, Row { program, ..row.clone() }))
            .collect();
        assert!(!weaker.is_empty(), "{step:?}: in no row");
        for model in ALL {
            let changed = weaker.iter().find(|(place, row, weaker)| {
                let (before, after) =
                    (row.verdict(model).expect("every row has one"), allowed(weaker, model));
                assert!(after || !before, "{place} on {model}: {step:?} makes it stronger");
                before != after
            });
            match (changed, models.contains(model)) {
                (Some((place, ..)), false) => wrong.push(format!("{step:?} changes {place} on {model}")),
                (None, true) => wrong.push(format!("{step:?} changes nothing on {model}")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
