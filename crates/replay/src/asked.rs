//! Whether a trace is about what was asked: a test, with arguments that it leaves open, or `main`.

use fencepost_harness::operation::Harness;
use fencepost_harness::test::{Invocation, Test};
use fencepost_harness::trace::{Call, Start, Trace};

/// Checks that the calls of a trace are those of a test, or of `main` if there is none. Threads may stop before their
/// last call. An error says what is wrong with it.
pub fn asked(harness: &Harness, test: Option<&Test>, trace: &Trace) -> Result<(), String> {
    let first = trace.threads.first().ok_or("the trace has no thread")?;
    let Some(test) = test else {
        let main = |call: &Call| call.op.is_none() && Some(call.proc) == harness.main;
        return match first.calls.len() <= 1 && first.calls.iter().all(main) {
            true => Ok(()),
            false => Err("the first thread does not run `main`".into()),
        };
    };
    let mut number = 0;
    let (init, initial) = match harness.init {
        Some(_) => first.calls.split_at(first.calls.len().min(1)),
        None => first.calls.split_at(0),
    };
    if !init.iter().all(|call| call.op.is_none() && Some(call.proc) == harness.init) {
        return Err("the first thread does not begin with the initialisation".into());
    }
    calls(harness, &test.initial, initial, &mut number)?;
    let mut threads = trace.threads.iter().filter(|thread| thread.start == Start::AfterFirst);
    for expected in &test.threads {
        let made = threads.next().map_or(&[][..], |thread| &thread.calls);
        calls(harness, expected, made, &mut number)?;
    }
    match threads.next() {
        Some(_) => Err("the trace has more threads than the test".into()),
        None => Ok(()),
    }
}

/// The calls that a thread of the test makes, which are numbered over all threads.
fn calls(
    harness: &Harness,
    expected: &[Invocation],
    made: &[Call],
    number: &mut usize,
) -> Result<(), String> {
    if made.len() > expected.len() {
        return Err("a thread makes more calls than the test".into());
    }
    for (call, invocation) in made.iter().zip(expected) {
        if call.op != Some((invocation.op, *number)) {
            return Err(format!("call {number} of the test is another operation"));
        }
        let inputs = &harness.op(invocation.op).inputs;
        let open = inputs.iter().zip(&call.args).all(|(input, arg)| input.choices.contains(arg));
        if inputs.len() != call.args.len() || !open {
            return Err(format!("call {number} of the test has arguments that it does not leave open"));
        }
        *number += 1;
    }
    *number += expected.len() - made.len();
    Ok(())
}
