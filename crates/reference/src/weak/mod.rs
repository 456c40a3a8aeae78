//! The models of C11 and of machines that are defined by relations: reads-from, coherence, and what follows.
//!
//! Every execution graph of a program is made (`execution`) and put before the model, which is written by hand from its
//! published definition: `rc11`, `x86`, `armv8`, `riscv`, `power`. Machines run what the usual mapping makes of C11
//! orders (`events`); to them, plain and relaxed are the same.
//!
//! All models agree on two things that the definitions leave open. What a thread does before it starts another happens before
//! all that the other does, as if there were the strongest fence between. And atomic blocks run in order and uninterrupted,
//! as transactions do in Chong, Sorensen and Wickerson, "The Semantics of Transactions and Weak Memory in x86, Power, ARM,
//! and C++", PLDI 2018, but without the fences that their machines put around them.

mod armv8;
mod events;
mod execution;
mod power;
mod rc11;
mod relation;
mod riscv;
#[cfg(test)]
mod tests;
mod x86;

use crate::program::{Outcome, Program};
use crate::runs::each_choice;
use execution::{Execution, executions};
use std::collections::BTreeSet;

/// A model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Lahav, Vafeiadis, Kang, Hur and Dreyer: "Repairing Sequential Consistency in C/C++11", PLDI 2017.
    Rc11,
    /// Owens, Sarkar and Sewell: "A Better x86 Memory Model: x86-TSO", TPHOLs 2009.
    X86,
    /// Pulte, Flur, Deacon, French, Sarkar and Sewell: "Simplifying ARM Concurrency", POPL 2018.
    Armv8,
    /// The RISC-V Instruction Set Manual, volume I, RVWMO.
    Riscv,
    /// Alglave, Maranget and Tautschnig: "Herding Cats", TOPLAS 2014.
    Power,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 5] = [Model::Rc11, Model::X86, Model::Armv8, Model::Riscv, Model::Power];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Model::Rc11 => "rc11",
            Model::X86 => "x86",
            Model::Armv8 => "armv8",
            Model::Riscv => "riscv",
            Model::Power => "power",
        }
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    fn allows(self, execution: &Execution) -> bool {
        match self {
            Model::Rc11 => rc11::Orders::new(execution).are_consistent(),
            Model::X86 => x86::allows(execution),
            Model::Armv8 => armv8::allows(execution),
            Model::Riscv => riscv::allows(execution),
            Model::Power => power::allows(execution),
        }
    }
}

/// All outcomes of a program on a model. `guesses` are the values loads may read, zero among them. On rc11, a program with a
/// data race ([`races`]) has the outcomes of its consistent executions here, although C11 promises nothing of it.
pub fn outcomes(program: &Program, model: Model, guesses: &[u64]) -> BTreeSet<Outcome> {
    let mut found = BTreeSet::new();
    each_choice(program, guesses, |threads| {
        let registers: Outcome = threads.iter().flat_map(|run| run.registers.clone()).collect();
        executions(program, model, threads, &mut |execution, finals| {
            let outcome = [&registers[..], &finals].concat();
            if !found.contains(&outcome) && model.allows(execution) {
                found.insert(outcome);
            }
            program.finals.is_empty() && found.contains(&registers)
        });
    });
    found
}

/// Whether a consistent execution of a program on rc11 has a data race: accesses of two threads to one variable, a store and
/// something plain among them, neither of which happens before the other.
pub fn races(program: &Program, guesses: &[u64]) -> bool {
    let mut found = false;
    each_choice(program, guesses, |threads| {
        found = found
            || executions(program, Model::Rc11, threads, &mut |execution, _| {
                let orders = rc11::Orders::new(execution);
                orders.race() && orders.are_consistent()
            });
    });
    found
}
