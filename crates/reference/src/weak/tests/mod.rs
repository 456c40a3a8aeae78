//! The models against verdicts that were argued by hand, theorems about them, and each other.

use super::execution::{Execution, executions};
use super::{Model, outcomes, races};
use crate::axioms::{self, guesses};
use crate::buffers::{self, Machine};
use crate::cycles;
use crate::generate::{self, Size};
use crate::litmus;
use crate::litmus::corpus::modern_rows;
use crate::program::{Fence, Instruction, Order, Outcome, Program};
use crate::random::Random;
use crate::random::setting;
use crate::runs::each_choice;
use std::collections::BTreeSet;

#[test]
fn verdicts() {
    let rows = modern_rows();
    let mut wrong = Vec::new();
    for (_, row) in &rows {
        for (name, expected) in &row.verdicts {
            let model = Model::named(name).expect("the table names models");
            let found = outcomes(&row.program, model, &row.guesses());
            if found.iter().any(|outcome| row.matches(outcome)) != *expected {
                wrong.push(format!("line {} {} on {name}: expected {expected}", row.line, row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn data_races() {
    let check = |text: &str, expected: bool| {
        // What is asked about does not matter, but something has to be.
        let outcome = if text.contains("r1") { "r1=0" } else { "x=0" };
        let table = format!("models sc\nT {text} ? {outcome} : no");
        let row = &litmus::parse(&table).expect("it is well written")[0];
        assert_eq!(races(&row.program, &row.guesses()), expected, "{text}");
    };
    check("x=1 | r1=x", true);
    check("x=1 | x=1", true);
    check("r1=x | r2=x", false);
    check("x.rlx=1 | r1=x.rlx", false);
    check("x.rlx=1 | r1=x", true);
    check("x=1; y=1 | r1=y; r2=x", true);
    // A flag passes on what was stored before, if both sides care for it and the reader looks at it.
    check("x=1; y.rel=1 | r1=y.acq; if (r1) r2=x", false);
    check("x=1; y.rel=1 | r1=y.acq; r2=x", true);
    check("x=1; y.rlx=1 | r1=y.acq; if (r1) r2=x", true);
    check("x=1; y.rel=1 | r1=y.rlx; if (r1) r2=x", true);
    check("x=1; y.rel=1 | r1=y.rlx; if (r1) { fence acq; r2=x }", false);
    check("x=1; fence rel; y.rlx=1 | r1=y.acq; if (r1) r2=x", false);
    check("x=1; fence ls ss; y.rlx=1 | r1=y.rlx; if (r1) { fence ll ls; r2=x }", false);
    check("x=1; fence ss; y.rlx=1 | r1=y.rlx; if (r1) { fence ll; r2=x }", true);
    // Release sequences.
    check("x=1; y.rel=1; y.rlx=2 | r1=y.acq; if (r1==2) r2=x", false);
    check("x=1; y.rel=1 | r3=add(y.rlx,1) | r1=y.acq; if (r1==2) r2=x", false);
    check("x=1; y.rel=1 | y.rlx=2 | r1=y.acq; if (r1==2) r2=x", true);
    // Only one of two exchanges reads from the other thread.
    check("r1=swap(y.acq,1); if (r1==0) x=1 | r2=swap(y.acq,1); if (r2==0) x=1", false);
    // A lock that is taken once more after it was released.
    check("r1=cas(y.acq,0,1); if (r1==0) {x=1; y.rel=0} | r2=cas(y.acq,0,1); if (r2==0) x=2", false);
    check("r1=cas(y.acq,0,1); if (r1==0) {x=1; y.rlx=0} | r2=cas(y.acq,0,1); if (r2==0) x=2", true);
    // No execution has a value out of thin air, nor the stores behind it.
    check("r1=y.rlx; if (r1) {x=1; z.rlx=1} | r2=z.rlx; if (r2) {x=1; y.rlx=1}", false);
    // What a thread does before it starts another happens before all of that one.
    check("x=1; start P1 | r1=x", false);
    check("x=1; start P1 | start P2 | r1=x", false);
    check("start P1; x=1 | r1=x", true);
    // Blocks do not race with blocks, and pass on what was stored before.
    check("atomic {x=1} | atomic {r1=x}", false);
    check("atomic {x=1} | r1=x", true);
    check("x=1; atomic {y=1} | atomic {r1=y}; if (r1) r2=x", false);
    check("x=1; atomic {y=1} | atomic {r1=z}; r2=x", true);
}

/// A copy in which each instruction gave way to others.
fn rewritten(program: &Program, with: &dyn Fn(&Instruction) -> Vec<Instruction>) -> Program {
    fn block(from: &[Instruction], with: &dyn Fn(&Instruction) -> Vec<Instruction>) -> Vec<Instruction> {
        let inner = |instruction: &Instruction| match instruction {
            Instruction::Atomic(inner) => Instruction::Atomic(block(inner, with)),
            Instruction::If(condition, yes, no) => {
                Instruction::If(*condition, block(yes, with), block(no, with))
            }
            other => other.clone(),
        };
        from.iter().flat_map(|instruction| with(&inner(instruction))).collect()
    }
    let thread = |thread: &Vec<Vec<Instruction>>| -> Vec<Vec<Instruction>> {
        thread.iter().map(|operation| block(operation, with)).collect()
    };
    Program { threads: program.threads.iter().map(thread).collect(), ..program.clone() }
}

/// The same with other orders of accesses.
fn reordered(instruction: &Instruction, order: impl Fn(Order) -> Order) -> Instruction {
    match instruction {
        Instruction::Load(to, from, old) => Instruction::Load(*to, *from, order(*old)),
        Instruction::Store(to, value, old) => Instruction::Store(*to, *value, order(*old)),
        Instruction::Modify(to, at, change, old) => Instruction::Modify(*to, *at, *change, order(*old)),
        other => other.clone(),
    }
}

fn is_fence(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Fence(_) | Instruction::OrderFence(_))
}

/// Without C11 orders.
fn unordered(program: &Program) -> Program {
    rewritten(program, &|instruction| match instruction {
        Instruction::OrderFence(_) => Vec::new(),
        other => vec![reordered(other, |_| Order::Plain)],
    })
}

/// With what is in atomic blocks outside of them.
fn without_blocks(program: &Program) -> Program {
    rewritten(program, &|instruction| match instruction {
        Instruction::Atomic(inner) => inner.clone(),
        other => vec![other.clone()],
    })
}

/// With random orders for all accesses.
fn ordered(random: Random, program: &Program) -> Program {
    let random = std::cell::RefCell::new(random);
    let pick = |orders: &[Order]| orders[random.borrow_mut().below(orders.len() as u64) as usize];
    use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    rewritten(program, &|instruction| {
        let order = match instruction {
            Instruction::Load(..) => pick(&[Relaxed, Acquire, SeqCst]),
            Instruction::Store(..) => pick(&[Relaxed, Release, SeqCst]),
            _ => pick(&[Relaxed, Acquire, Release, AcqRel, SeqCst]),
        };
        vec![reordered(instruction, |_| order)]
    })
}

/// Calls a check for random programs, every other one a circle of threads, and shrinks one on which it fails.
fn for_programs(first_seed: u64, check: &dyn Fn(&Program) -> Result<(), String>) {
    for number in 0..setting("PROGRAMS", 150) {
        let random = &mut Random::new(first_seed + number);
        let program = match number % 4 {
            0 => generate::program(random, Size { threads: 2, accesses: 6, partial_fences: true }),
            1 => cycles::program(random, 2, 7),
            2 => generate::program(random, Size { threads: 3, accesses: 6, partial_fences: true }),
            _ => cycles::program(random, 3, 8),
        };
        // Few accesses have an order by then.
        let program = if number % 8 < 4 { program } else { ordered(Random::new(number), &program) };
        if check(&program).is_err() {
            let small = generate::shrink(&program, &|program| check(program).is_err());
            panic!("seed {}:\n{small}{}", first_seed + number, check(&small).expect_err("it failed before"));
        }
    }
}

/// Fails unless the first outcomes are among the second.
fn among(what: &str, first: &BTreeSet<Outcome>, second: &BTreeSet<Outcome>) -> Result<(), String> {
    let more: Vec<_> = first.difference(second).collect();
    if more.is_empty() { Ok(()) } else { Err(format!("{what}: {more:?}")) }
}

fn equal(what: &str, first: &BTreeSet<Outcome>, second: &BTreeSet<Outcome>) -> Result<(), String> {
    among(&format!("{what}, only the first"), first, second)?;
    among(&format!("{what}, only the second"), second, first)
}

fn sequential(program: &Program) -> BTreeSet<Outcome> {
    axioms::outcomes(program, axioms::Model::Sc, &guesses(program))
}

/// Store buffers, and the axioms of tso, do what x86 allows, with all orders and blocks.
#[test]
fn x86_has_store_buffers() {
    for_programs(1_000_000, &|program| {
        let found = outcomes(program, Model::X86, &guesses(program));
        equal("x86 and store buffers", &found, &buffers::outcomes(program, Machine::Tso))?;
        equal("x86 and tso", &found, &axioms::outcomes(program, axioms::Model::Tso, &guesses(program)))
    });
}

/// Without orders, whatever x86 allows is also allowed on machines that keep less in order, and all of sc on all.
#[test]
fn machines_are_weaker_than_x86() {
    for_programs(2_000_000, &|program| {
        let program = &unordered(program);
        let x86 = outcomes(program, Model::X86, &guesses(program));
        among("sc but not x86", &sequential(program), &x86)?;
        [Model::Armv8, Model::Riscv, Model::Power].into_iter().try_for_each(|model| {
            among(&format!("x86 but not {model:?}"), &x86, &outcomes(program, model, &guesses(program)))
        })
    });
}

/// Of plain accesses, dependencies and full fences, ARMv8 and RISC-V have the same opinion. Power is not always weaker:
/// there, what depends on an access also stays behind earlier accesses to the same address.
#[test]
fn armv8_is_riscv_but_for_what_orders() {
    for_programs(8_000_000, &|program| {
        let program = &rewritten(&unordered(program), &|instruction| match instruction {
            Instruction::Fence(_) => vec![Instruction::Fence(Fence::FULL)],
            Instruction::Modify(to, at, ..) => vec![Instruction::Load(*to, *at, Order::Plain)],
            other => vec![other.clone()],
        });
        let armv8 = outcomes(program, Model::Armv8, &guesses(program));
        equal("armv8 and riscv", &armv8, &outcomes(program, Model::Riscv, &guesses(program)))
    });
}

/// Everything has the outcomes of sc, whatever the orders.
#[test]
fn sc_is_strongest() {
    for_programs(3_000_000, &|program| {
        Model::ALL.into_iter().try_for_each(|model| {
            among(
                &format!("sc but not {model:?}"),
                &sequential(program),
                &outcomes(program, model, &guesses(program)),
            )
        })
    });
}

/// What can happen on a model in executions that have something in common.
fn outcomes_where(program: &Program, model: Model, holds: &dyn Fn(&Execution) -> bool) -> BTreeSet<Outcome> {
    let mut found = BTreeSet::new();
    each_choice(program, &guesses(program), |threads| {
        let registers: Outcome = threads.iter().flat_map(|run| run.registers.clone()).collect();
        executions(program, model, threads, &mut |execution, finals| {
            if holds(execution) && model.allows(execution) {
                found.insert([&registers[..], &finals].concat());
            }
            false
        });
    });
    found
}

/// The mappings are sound: a machine does what rc11 allows, but for load buffering, which rc11 excludes and they do not.
/// Blocks are no barriers on machines other than x86, so that there only programs without them are asked about.
#[test]
fn mappings_are_sound() {
    for_programs(4_000_000, &|program| {
        let sound = |program: &Program, model: Model| {
            let found =
                outcomes_where(program, model, &|execution| (execution.po | execution.rf).is_acyclic());
            let allowed = outcomes(program, Model::Rc11, &guesses(program));
            among(&format!("{model:?} but not rc11"), &found, &allowed)
        };
        sound(program, Model::X86)?;
        let program = without_blocks(program);
        [Model::Armv8, Model::Riscv, Model::Power].into_iter().try_for_each(|model| sound(&program, model))
    });
}

/// With an order for all accesses that promises sc, all models are sc.
#[test]
fn seq_cst_is_sc() {
    for_programs(5_000_000, &|program| {
        let program = without_blocks(program);
        let program = rewritten(&program, &|instruction| vec![reordered(instruction, |_| Order::SeqCst)]);
        Model::ALL.into_iter().try_for_each(|model| {
            let found = outcomes(&program, model, &guesses(&program));
            equal(&format!("{model:?} and sc"), &found, &sequential(&program))
        })
    });
}

/// With a seq_cst fence between any two accesses, all models are sc.
#[test]
fn fences_restore_sc() {
    for_programs(6_000_000, &|program| {
        let program = without_blocks(program);
        for fence in [Instruction::OrderFence(Order::SeqCst), Instruction::Fence(Fence::FULL)] {
            let program = rewritten(&program, &|instruction| match instruction {
                other if is_fence(other) => Vec::new(),
                Instruction::Mix(..) | Instruction::If(..) => vec![instruction.clone()],
                access => vec![access.clone(), fence.clone()],
            });
            Model::ALL.into_iter().try_for_each(|model| {
                let found = outcomes(&program, model, &guesses(&program));
                equal(&format!("{model:?} and sc"), &found, &sequential(&program))
            })?;
        }
        Ok(())
    });
}

/// A program whose only atomic accesses are seq_cst and that has no race is sc on rc11.
#[test]
fn programs_without_races_are_sc() {
    let counts = std::cell::Cell::new((0, 0));
    for_programs(7_000_000, &|program| {
        let program = without_blocks(program);
        let program = rewritten(&program, &|instruction| match instruction {
            other if is_fence(other) => Vec::new(),
            Instruction::Modify(..) => vec![reordered(instruction, |_| Order::SeqCst)],
            // Half of the variables are atomic.
            Instruction::Load(_, location, _) | Instruction::Store(location, ..) => {
                let atomic = !matches!(location, crate::program::Location::Variable(0 | 3));
                vec![reordered(instruction, |_| if atomic { Order::SeqCst } else { Order::Plain })]
            }
            other => vec![other.clone()],
        });
        let (free, all) = counts.get();
        counts.set((free, all + 1));
        if races(&program, &guesses(&program)) {
            return Ok(());
        }
        counts.set((free + 1, all + 1));
        let found = outcomes(&program, Model::Rc11, &guesses(&program));
        equal("rc11 and sc", &found, &sequential(&program))
    });
    let (free, all) = counts.get();
    assert!(free * 10 > all, "{free} of {all} programs have no race: too few to tell");
}
