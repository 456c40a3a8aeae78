//! A specification written as sequential C: a file with operations of the same names.
//!
//! A state is a memory. A call runs the operation on it, once for every way that its choices may go. It may wait if one of these comes to where it
//! would wait for others; ways that the user's assumptions rule out, and those that end the program, do not count. Pointers are given back as what
//! they stand for in the file. Memories are numbered as they are met, so that states are small.

use super::{Oracle, Outcome};
use crate::budget::{Budget, Poll};
use crate::client::FixedCall;
use crate::counterpart::Counterparts;
use crate::observation::NewObjects;
use crate::operation::{Harness, OpId, Operation, ValueTy};
use crate::serial::{Script, SerialWorld, unfinished};
use crate::verdict::Reason;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::interp::{Stop, Thread, Word};
use fencepost_lsl::memory::Memory;
use fencepost_lsl::program::{ProcId, Program};
use fencepost_lsl::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The oracle of a file's operations that another file gives.
#[derive(Clone)]
pub struct Reference {
    harness: Arc<Harness>,
    /// For each operation of the file, that of the reference.
    ops: Vec<OpId>,
    /// What its pointers stand for in the file.
    counterparts: Arc<Counterparts>,
    known: Arc<Mutex<Known>>,
    /// What it may cost: that of all the work, and of the part under way.
    budgets: Vec<Budget>,
    /// Why it was stopped, if it was; then nothing that was judged by it since counts.
    cut: Arc<Mutex<Option<Reason>>>,
}

#[derive(Default)]
struct Known {
    memories: Vec<Memory>,
    numbers: FxHashMap<Memory, u32>,
    answers: FxHashMap<(u32, FixedCall), Answer>,
    /// The first thing that went wrong.
    problem: Option<Reason>,
}

/// What may become of a call.
#[derive(Clone, Default)]
struct Answer {
    outcomes: Vec<Outcome<u32>>,
    /// Whether it may wait for ever.
    waits: bool,
}

/// All ends of a procedure: results with the memory after it.
#[derive(Default)]
struct Ends {
    returned: FxHashSet<(Vec<Value>, Memory)>,
    /// Whether one of its ways waits for ever.
    waits: bool,
}

impl Known {
    fn number(&mut self, memory: Memory) -> Result<u32, Reason> {
        if let Some(number) = self.numbers.get(&memory) {
            return Ok(*number);
        }
        let next = u32::try_from(self.memories.len()).map_err(|_| Reason::Memory)?;
        self.memories.push(memory.clone());
        self.numbers.insert(memory, next);
        Ok(next)
    }
}

impl Reference {
    /// Takes the operations of `reference` for what those of `harness` should do. All that it is asked is within the budget.
    pub fn new(harness: &Harness, reference: Harness, budget: Budget) -> Result<Reference, Vec<Diagnostic>> {
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
            let kinds = |op: &Operation| -> Vec<bool> {
                op.outputs.iter().map(|output| output.ty == ValueTy::Pointer).collect()
            };
            if op.outputs.len() == other.outputs.len() && kinds(op) != kinds(other) {
                let problem = format!("`{}` gives something else in the reference", op.name);
                problems.push(
                    Diagnostic::error(op.span, problem)
                        .help("what is a pointer here is a number there, or the other way round"),
                );
            }
            ops.push(found);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let counterparts = Arc::new(Counterparts::new(&reference.program, &harness.program));
        let made = Reference {
            harness: Arc::new(reference),
            ops,
            counterparts,
            known: Arc::default(),
            budgets: vec![budget],
            cut: Arc::default(),
        };
        let memory = Memory::initial(&made.harness.program);
        let started = match made.harness.init {
            Some(init) => made.run(&memory, init, &[]),
            None => Ok(Ends { returned: [(Vec::new(), memory.clone())].into_iter().collect(), waits: false }),
        };
        let only = |ends: Ends| match (ends.returned.len(), ends.waits) {
            (1, false) => ends.returned.into_iter().next().map(|(_, memory)| memory),
            _ => None,
        };
        let start = match started.map(only) {
            Ok(Some(start)) => start,
            Ok(None) => {
                return Err(vec![
                    Diagnostic::general("the reference does not start in one state")
                        .help("let its initialisation make no choices, and not wait"),
                ]);
            }
            Err(Reason::Specification(problem)) => {
                return Err(vec![Diagnostic::general(format!(
                    "the initialisation of the reference {problem}"
                ))]);
            }
            // Out of time or memory: it will judge nothing.
            Err(reason) => {
                made.lock().problem = Some(reason);
                memory
            }
        };
        // The first of all states has a number.
        let _ = made.lock().number(start);
        Ok(made)
    }

    /// The same reference for a part of the work, which has a budget of its own as well.
    pub fn until(&self, budget: Budget) -> Reference {
        let budgets = self.budgets.iter().cloned().chain([budget]).collect();
        Reference { budgets, cut: Arc::default(), ..self.clone() }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.harness.program
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing is half done when a holder panics.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cut(&self) -> MutexGuard<'_, Option<Reason>> {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if something went wrong with it, or it was stopped; then nothing that was judged by it counts.
    pub fn sound(&self) -> Result<(), Reason> {
        let problem = self.lock().problem.clone();
        problem.or_else(|| self.cut().clone()).map_or(Ok(()), Err)
    }

    /// All ways in which a procedure may end.
    fn run(&self, memory: &Memory, proc: ProcId, args: &[Value]) -> Result<Ends, Reason> {
        let stop = || {
            let exhausted = self.budgets.iter().find_map(Budget::exhausted);
            let mut cut = self.cut();
            *cut = cut.take().or(exhausted.map(Reason::from));
            exhausted
        };
        let poll = Poll::asking(&stop);
        let mut ends = Ends::default();
        let mut script = Some(Script::default());
        while let Some(current) = script {
            poll.ask()?;
            let world = SerialWorld::new(memory.clone(), 0, current, &poll);
            let mut thread = Thread::new(&self.harness.program, world);
            let words = args.iter().map(|&value| Word { value, deps: () }).collect();
            match thread.call(proc, words) {
                Ok(results) => {
                    let results = results.iter().map(|word| word.value).collect();
                    ends.returned.insert((results, thread.world.memory.clone()));
                }
                Err(halt) => match halt.stop {
                    Stop::Blocked => ends.waits = true,
                    Stop::RuledOut | Stop::Exited => {}
                    Stop::Fault(fault) => {
                        return Err(Reason::Specification(format!("cannot be run: {fault}")));
                    }
                    Stop::Cut => return Err(self.cut().clone().unwrap_or(Reason::Interrupted)),
                    _ => return Err(Reason::Specification(unfinished(&halt))),
                },
            }
            script = thread.world.script.next();
        }
        Ok(ends)
    }

    /// What may become of a call; nothing, if that cannot be told.
    fn answer(&self, state: u32, call: &FixedCall) -> Answer {
        let memory = {
            let known = self.lock();
            if let Some(answer) = known.answers.get(&(state, call.clone())) {
                return answer.clone();
            }
            if known.problem.is_some() {
                return Answer::default();
            }
            known.memories[state as usize].clone()
        };
        let op = self.harness.op(self.ops[call.op.0 as usize]);
        let found = self.run(&memory, op.proc, &call.args).and_then(|ends| self.told(op, ends));
        let mut known = self.lock();
        match found {
            Ok(answer) => {
                known.answers.insert((state, call.clone()), answer.clone());
                answer
            }
            Err(Reason::Specification(problem)) => {
                let problem = format!("the reference's `{}` {problem}", op.name);
                known.problem.get_or_insert(Reason::Specification(problem));
                Answer::default()
            }
            // It was stopped by the budget, which is no problem of the reference.
            Err(reason) => {
                drop(known);
                self.cut().get_or_insert(reason);
                Answer::default()
            }
        }
    }

    /// The ends of an operation in terms of the file.
    fn told(&self, op: &Operation, ends: Ends) -> Result<Answer, Reason> {
        let mut outcomes = Vec::new();
        for (mut results, memory) in ends.returned {
            if gives_new_object(op, &results, &memory) {
                return Err(Reason::Specification(
                    "gives back a pointer to an object that it made, and a sweep compares pointers as addresses"
                        .into(),
                ));
            }
            for (output, value) in op.outputs.iter().zip(&mut results) {
                if output.ty == ValueTy::Pointer {
                    let there = self.counterparts.of(*value);
                    *value = there.ok_or_else(|| {
                        Reason::Specification(format!("gives back {}", Counterparts::MISSING))
                    })?;
                }
            }
            outcomes.push(Outcome { results, next: self.lock().number(memory)? });
        }
        outcomes.sort();
        outcomes.dedup();
        Ok(Answer { outcomes, waits: ends.waits })
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
        self.answer(*state, call).outcomes
    }

    /// A call may wait if one of its ways does, whatever others give back.
    fn blocks(&self, state: &u32, call: &FixedCall) -> bool {
        self.answer(*state, call).waits
    }

    /// Where a call may wait or return, it needs nobody to serve it.
    fn serves(&self) -> bool {
        false
    }
}
