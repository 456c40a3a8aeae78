//! All executions of a tiny program by the paper's axioms.
//!
//! A memory order is built by placing accesses one after the other. An access may be placed once all that
//! its model wants before it are placed; a load must then find its value: that of its own thread's latest
//! earlier store to the location if that is not yet placed, else of the last store placed there, else
//! zero. This is the set `S(l)` of Section 2.3.2 with its maximum, read operationally.

use crate::program::{Change, Fence, Instruction, Outcome, Program};
use crate::runs::{Run, Step, each_choice};
use crate::weak;
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
    /// Relaxed with dependencies, as machines with execution buffers have it: see `docs/fences.md`.
    Rlx,
    /// One that is defined by relations between accesses instead of a memory order.
    Weak(weak::Model),
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
            "rlx" => Model::Rlx,
            other => Model::Weak(weak::Model::named(other)?),
        })
    }
}

/// All outcomes of a program on a model. `guesses` are the values loads may read, zero among them.
pub fn outcomes(program: &Program, model: Model, guesses: &[u64]) -> BTreeSet<Outcome> {
    if let Model::Weak(model) = model {
        return weak::outcomes(program, model, guesses);
    }
    let mut found = BTreeSet::new();
    each_choice(program, guesses, |threads| {
        let registers: Outcome = threads.iter().flat_map(|run| run.registers.clone()).collect();
        if !found.contains(&registers) {
            let mut placing = Placing::new(program, model, threads);
            placing.place_rest();
            found.extend(placing.finals.into_iter().map(|finals| [&registers[..], &finals].concat()));
        }
    });
    found
}

/// The search for memory orders.
struct Placing<'a> {
    program: &'a Program,
    model: Model,
    threads: &'a [&'a Run],
    /// What is placed already, per thread and step.
    placed: Vec<Vec<bool>>,
    /// The last store placed to each variable: thread and step.
    last: Vec<Option<(usize, usize)>>,
    /// Where each load placed reads from.
    from: Vec<((usize, usize), (usize, usize))>,
    left: usize,
    /// What the memory orders found leave in the observed variables.
    finals: BTreeSet<Vec<u64>>,
}

impl<'a> Placing<'a> {
    fn new(program: &'a Program, model: Model, threads: &'a [&'a Run]) -> Placing<'a> {
        Placing {
            program,
            model,
            threads,
            placed: threads.iter().map(|run| vec![false; run.steps.len()]).collect(),
            // Indexed locations reach one variable further.
            last: vec![None; program.variables + 1],
            from: Vec::new(),
            left: threads.iter().map(|run| run.steps.len()).sum(),
            finals: BTreeSet::new(),
        }
    }

    /// Places what is left in all ways; true once nothing new can be found.
    fn place_rest(&mut self) -> bool {
        if self.left == 0 {
            if self.thin_air() {
                return false;
            }
            let value = |&variable: &usize| self.value(self.last[variable]);
            self.finals.insert(self.program.finals.iter().map(value).collect());
            return self.program.finals.is_empty();
        }
        for thread in 0..self.threads.len() {
            if !self.started(thread) {
                continue;
            }
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
                if fits && self.place_rest() {
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

    /// Whether nobody starts a thread, or all is placed that the one who does did before.
    fn started(&self, thread: usize) -> bool {
        let mut starts = self.threads.iter().enumerate().flat_map(|(parent, run)| {
            run.starts().filter(move |start| start.0 == thread).map(move |start| (parent, start.1))
        });
        starts
            .all(|(parent, before)| self.started(parent) && self.placed[parent][..before].iter().all(|p| *p))
    }

    /// The value of a store; zero for none.
    fn value(&self, store: Option<(usize, usize)>) -> u64 {
        store.map_or(0, |(thread, step)| self.threads[thread].steps[step].value)
    }

    /// The steps that must be placed together: an atomic block, or for `serial` a whole operation.
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
            // A machine can hand on only what it has computed.
            let computed = |&(_, s): &(usize, usize)| {
                steps[s].addr.iter().chain(&steps[s].data).all(|&load| self.placed[thread][load])
            };
            if self.model == Model::Rlx && !own.iter().all(computed) {
                return false;
            }
            let source = own.or(self.last[variable]);
            if self.value(source) != value {
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
    let atomic = |step: &Step| step.block.is_some();
    let fenced = b.fences.iter().any(|(before, fence)| first < *before && fence.orders(a.store, b.store));
    let preserved = match model {
        Model::Serial | Model::Sc => true,
        Model::Tso => !a.store || b.store || atomic(a) || atomic(b),
        Model::Pso => !a.store || atomic(a) || same && (b.store || atomic(b)),
        Model::Rmo => {
            let depends = b.addr.contains(&first) || b.data.contains(&first);
            same && b.store || depends || b.store && b.ctrl.contains(&first)
        }
        Model::Relaxed => same && b.store,
        Model::Weak(_) => unreachable!("it has no memory order"),
        Model::Rlx => {
            // Blocks neither take values from stores that are not done, nor hand theirs on; and one that
            // could store is ordered like one that does.
            let may = |step: &Step| step.store || step.fails;
            let meets = may(b) || a.store && atomic(b) || may(a) && atomic(a);
            let depends = b.addr.contains(&first) || b.data.contains(&first);
            let orders = |(before, fence): &(usize, Fence)| {
                let kinds = |step: &Step| if step.fails { vec![false, true] } else { vec![step.store] };
                let pair = |first: bool| kinds(b).into_iter().any(|second| fence.orders(first, second));
                first < *before && kinds(a).into_iter().any(pair)
            };
            same && meets || depends || may(b) && b.ctrl.contains(&first) || b.fences.iter().any(orders)
        }
    };
    preserved || fenced
}

/// Values that loads may read: constants are at most 2, and each addition adds one.
pub fn guesses(program: &Program) -> Vec<u64> {
    fn additions(block: &[Instruction]) -> u64 {
        let count = |instruction: &Instruction| match instruction {
            Instruction::Modify(_, _, Change::Add(_), _) => 1,
            Instruction::Atomic(inner) => additions(inner),
            Instruction::If(_, yes, no) => additions(yes) + additions(no),
            _ => 0,
        };
        block.iter().map(count).sum()
    }
    (0..=2 + program.threads.iter().flatten().map(|operation| additions(operation)).sum::<u64>()).collect()
}
