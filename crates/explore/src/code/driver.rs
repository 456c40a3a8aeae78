//! Drivers: what each thread runs, made from a test, a client or the start of a closed program.
//!
//! The first thread runs initialisation and the initial calls and then launches the others. Open
//! arguments of a test are choices of its drivers.

use crate::code::compile::Compiler;
use crate::code::confine;
use crate::code::small;
use crate::code::{CallSite, Code, Instr, ProcCode, Src, register};
use fencepost_harness::client::FixedCall;
use fencepost_harness::observation;
use fencepost_harness::operation::{Harness, OpId};
use fencepost_harness::question::Question;
use fencepost_lsl::program::{Choice, ProcId};
use fencepost_lsl::source::{FileId, Span};
use fencepost_lsl::value::Value;

/// A call to be made by a driver.
#[derive(PartialEq)]
struct Planned {
    op: OpId,
    primed: bool,
    /// Its arguments; open ones are chosen.
    args: Option<Vec<Value>>,
}

/// Compiles what is asked about. `watched` says whether a monitor looks at the calls of its threads.
pub(crate) fn compile(harness: &Harness, question: &Question, watched: bool) -> Code {
    let mut compiler = Compiler::new(&harness.program);
    let mut drivers = Drivers { harness, watched, number: 0, observes: false };
    let span = Span::new(FileId(0), 0, 0);
    let mut placed = Vec::new();
    match question {
        &Question::Main(proc) => {
            let entry = compiler.here();
            let results = small(harness.program.proc(proc).results.len());
            compiler.call_site(None, proc, Vec::new(), (0..results).collect(), None, false, span);
            compiler.emit(Instr::Exit, span);
            let first = compiler.reserve();
            compiler.code.first = first;
            placed.push((first, compiler.driver_code(entry, results, Vec::new(), Vec::new())));
        }
        Question::Test(test) => {
            drivers.observes = true;
            compiler.code.pointers = observation::pointers(harness, test);
            let plan = |calls: &[fencepost_harness::test::Invocation]| -> Vec<Planned> {
                calls.iter().map(|c| Planned { op: c.op, primed: c.primed, args: None }).collect()
            };
            let threads: Vec<Vec<Planned>> = test.threads.iter().map(|calls| plan(calls)).collect();
            drivers.place(&mut compiler, plan(&test.initial), threads, &mut placed);
        }
        Question::Client(client) => {
            let plan = |calls: &[FixedCall]| -> Vec<Planned> {
                let planned =
                    |call: &FixedCall| Planned { op: call.op, primed: false, args: Some(call.args.clone()) };
                calls.iter().map(planned).collect()
            };
            let threads: Vec<Vec<Planned>> = client.threads.iter().map(|calls| plan(calls)).collect();
            drivers.place(&mut compiler, plan(&client.initial), threads, &mut placed);
        }
    }
    let mut code = compiler.finish(placed);
    confine::mark(&mut code);
    code
}

/// For each thread, counting the first one that runs initialisation, the last one before it that does the same.
fn twins(threads: &[Vec<Planned>], drivers: &[u32]) -> Vec<Option<(usize, u32)>> {
    let twin = |thread: usize| {
        let before = threads[..thread].iter().rposition(|calls| *calls == threads[thread])?;
        Some((before + 1, drivers[before]))
    };
    std::iter::once(None).chain((0..threads.len()).map(twin)).collect()
}

struct Drivers<'a> {
    harness: &'a Harness,
    watched: bool,
    /// Calls of operations planned so far.
    number: usize,
    /// Whether arguments and results are observed in the end.
    observes: bool,
}

impl Drivers<'_> {
    fn place(
        &mut self,
        compiler: &mut Compiler,
        initial: Vec<Planned>,
        threads: Vec<Vec<Planned>>,
        placed: &mut Vec<(u32, ProcCode)>,
    ) {
        let first = compiler.reserve();
        let numbers: Vec<u32> = threads.iter().map(|_| compiler.reserve()).collect();
        compiler.code.first = first;
        if self.watched {
            compiler.code.twins = twins(&threads, &numbers);
        }
        placed.push((first, self.driver(compiler, initial, 0, &numbers)));
        for (thread, (calls, number)) in threads.into_iter().zip(numbers).enumerate() {
            placed.push((number, self.driver(compiler, calls, small(thread) + 1, &[])));
        }
    }

    fn driver(
        &mut self,
        compiler: &mut Compiler,
        calls: Vec<Planned>,
        thread: u32,
        launch: &[u32],
    ) -> ProcCode {
        let first = thread == 0;
        let entry = compiler.here();
        let mut regs = 0;
        let mut observed: Vec<u32> = Vec::new();
        let span = Span::new(FileId(0), 0, 0);
        if let Some(init) = self.harness.init.filter(|_| first) {
            let results = small(self.harness.program.proc(init).results.len());
            compiler.call_site(None, init, Vec::new(), (0..results).collect(), None, false, span);
            regs += results;
        }
        for Planned { op, primed, args: fixed } in calls {
            let operation = self.harness.op(op);
            let mut args: Vec<Src> = Vec::new();
            for (index, input) in operation.inputs.iter().enumerate() {
                let value = fixed.as_ref().map(|values| values[index]);
                match (value, input.choices.as_slice()) {
                    (Some(only), _) | (None, &[only]) => args.push(compiler.code.constant(only)),
                    (None, choices) => {
                        compiler.code.choices.push(Choice::OneOf(choices.to_vec()));
                        let from = small(compiler.code.choices.len()) - 1;
                        compiler.emit(Instr::Choose { dst: regs, from }, operation.span);
                        observed.push(regs);
                        args.push(register(regs));
                        regs += 1;
                    }
                }
            }
            let results: Vec<u32> = (regs..regs + small(operation.outputs.len())).collect();
            regs += small(results.len());
            observed.extend(&results);
            let call = FixedCall { op, args: fixed.unwrap_or_default() };
            let watched = (self.watched && !first).then_some(call.clone());
            let number = small(compiler.code.calls.len());
            let numbered = Some((op, self.number));
            compiler.call_site(numbered, operation.proc, args, results, watched, primed, operation.span);
            self.number += 1;
            if self.observes {
                compiler.code.observed.push((thread, number));
            } else if first && self.watched {
                compiler.code.initial.push(number);
                compiler.code.calls[number as usize].watched = Some(call);
            }
        }
        if !launch.is_empty() {
            compiler.emit(Instr::Launch { drivers: launch.into() }, span);
        }
        compiler.emit(Instr::Exit, span);
        let results = if self.observes { observed } else { Vec::new() };
        compiler.driver_code(entry, regs, Vec::new(), results)
    }
}

impl Compiler<'_> {
    /// A call that a driver makes, with its beginning and end.
    #[allow(clippy::too_many_arguments)] // They are the fields of a call site, and two things more.
    pub(crate) fn call_site(
        &mut self,
        op: Option<(OpId, usize)>,
        proc: ProcId,
        args: Vec<Src>,
        results: Vec<u32>,
        watched: Option<FixedCall>,
        primed: bool,
        span: Span,
    ) {
        let call = small(self.code.calls.len());
        self.emit(Instr::Begin { call }, span);
        let number = self.proc(proc, primed);
        let instr = Instr::Call { proc: number, args: args.clone().into(), results: results.clone().into() };
        self.emit(instr, span);
        self.emit(Instr::End { call }, span);
        self.code.calls.push(CallSite { op, proc, args, results, watched });
    }
}
