//! A specification written as sequential C: a file with operations of the same names.
//!
//! A state is a memory. A call runs the operation on it, once for every way that its choices may go; a call that
//! comes to where it would wait for others blocks. Memories are numbered as they are met, so that states are small.

use super::{Oracle, Outcome};
use crate::client::FixedCall;
use crate::observation::NewObjects;
use crate::operation::{Harness, OpId, Operation, ValueTy};
use crate::serial::{Script, SerialWorld};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::interp::{Stop, Thread, Word};
use fencepost_lsl::memory::Memory;
use fencepost_lsl::program::{ProcId, Program};
use fencepost_lsl::value::Value;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The oracle of a file's operations that another file gives.
#[derive(Clone)]
pub struct Reference {
    harness: Arc<Harness>,
    /// For each operation of the file, that of the reference.
    ops: Vec<OpId>,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    memories: Vec<Memory>,
    numbers: FxHashMap<Memory, u32>,
    /// The first thing that went wrong.
    problem: Option<String>,
}

impl Known {
    fn number(&mut self, memory: Memory) -> u32 {
        let next = self.memories.len() as u32;
        let number = *self.numbers.entry(memory.clone()).or_insert(next);
        if number == next {
            self.memories.push(memory);
        }
        number
    }
}

impl Reference {
    /// Takes the operations of `reference` for what those of `harness` should do.
    pub fn new(harness: &Harness, reference: Harness) -> Result<Reference, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut ops = Vec::new();
        for op in &harness.ops {
            let Some(found) = reference.find_op(&op.name) else {
                let problem = format!("the reference has no operation `{}`", op.name);
                problems
                    .push(Diagnostic::error(op.span, problem).help("declare it there under the same name"));
                continue;
            };
            let other = reference.op(found);
            if (op.inputs.len(), op.outputs.len()) != (other.inputs.len(), other.outputs.len()) {
                let problem = format!("`{}` takes or gives something else in the reference", op.name);
                problems.push(Diagnostic::error(op.span, problem).help(format!(
                    "here it has {} arguments and {} results, there {} and {}",
                    op.inputs.len(),
                    op.outputs.len(),
                    other.inputs.len(),
                    other.outputs.len()
                )));
            }
            ops.push(found);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let made = Reference { harness: Arc::new(reference), ops, known: Arc::default() };
        let memory = Memory::initial(&made.harness.program);
        let started = match made.harness.init {
            Some(init) => made.run(&memory, init, &[]),
            None => Ok(vec![(Vec::new(), memory)]),
        };
        match started.as_deref() {
            Ok([(_, memory)]) => {
                made.lock().number(memory.clone());
                Ok(made)
            }
            Ok(_) => Err(vec![
                Diagnostic::general("the reference does not start in one state")
                    .help("let its initialisation make no choices, and not wait"),
            ]),
            Err(problem) => Err(vec![Diagnostic::general(format!(
                "the initialisation of the reference cannot be run: {problem}"
            ))]),
        }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.harness.program
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        // Nothing is half done when a holder panics.
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What went wrong with it, if anything did; then nothing that was judged by it counts.
    pub fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// All ways in which a procedure may end, with the memory after it.
    fn run(
        &self,
        memory: &Memory,
        proc: ProcId,
        args: &[Value],
    ) -> Result<Vec<(Vec<Value>, Memory)>, String> {
        let mut ends = Vec::new();
        let mut script = Some(Script::default());
        while let Some(current) = script {
            let world = SerialWorld::new(memory.clone(), 0, current);
            let mut thread = Thread::new(&self.harness.program, world);
            let words = args.iter().map(|&value| Word { value, deps: () }).collect();
            match thread.call(proc, words).map_err(|halt| halt.stop) {
                Ok(results) => {
                    let results = results.iter().map(|word| word.value).collect();
                    ends.push((results, thread.world.memory.clone()));
                }
                Err(Stop::Blocked) => {}
                Err(stop) => return Err(stop.to_string()),
            }
            script = thread.world.script.next();
        }
        Ok(ends)
    }
}

/// Whether results have a pointer to an object of the execution's own making. Its address means nothing to others, and
/// histories are compared call by call, where nobody remembers which object stands for which.
fn gives_new_object(op: &Operation, results: &[Value], memory: &Memory) -> bool {
    let objects = NewObjects::of(memory);
    let mut results = op.outputs.iter().zip(results);
    results.any(|(output, value)| {
        let addr = value.defined().filter(|_| output.ty == ValueTy::Pointer);
        addr.is_some_and(|addr| objects.find(addr).is_some())
    })
}

impl Oracle for Reference {
    type State = u32;

    fn initial(&self) -> u32 {
        0
    }

    fn outcomes(&self, state: &u32, call: &FixedCall) -> Vec<Outcome<u32>> {
        let op = self.harness.op(self.ops[call.op.0 as usize]);
        let memory = self.lock().memories[*state as usize].clone();
        let ends = self.run(&memory, op.proc, &call.args);
        let mut known = self.lock();
        match ends {
            Ok(ends) if ends.iter().any(|(results, memory)| gives_new_object(op, results, memory)) => {
                let problem =
                    format!("the reference's `{}` gives back a pointer to an object that it made", op.name);
                known.problem.get_or_insert(format!("{problem}, and a sweep compares pointers as addresses"));
                Vec::new()
            }
            Ok(ends) => {
                let outcome = |(results, memory)| Outcome { results, next: known.number(memory) };
                let mut outcomes: Vec<Outcome<u32>> = ends.into_iter().map(outcome).collect();
                outcomes.sort();
                outcomes.dedup();
                outcomes
            }
            Err(problem) => {
                let problem = format!("the reference's `{}` cannot be run: {problem}", op.name);
                known.problem.get_or_insert(problem);
                Vec::new()
            }
        }
    }
}
