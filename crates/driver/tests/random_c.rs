//! Random C functions, compiled and run natively, interpreted, and checked by the engine: all agree.
//!
//! `PROGRAMS` sets how many functions there are, `SEED` which.

#[path = "random_c/expression.rs"]
mod expression;
#[path = "random_c/generate.rs"]
mod generate;

mod common;

use common::{native, session as load};
use fencepost_driver::check::{Terms, check};
use fencepost_harness::budget::Poll;
use fencepost_harness::serial::{Script, SerialWorld};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::interp::Thread;
use fencepost_lsl::memory::Memory;
use fencepost_reference::random::{Random, setting};
use generate::function;

/// As many functions are loaded at once.
const BATCH: usize = 100;

/// Every so many functions, one is also checked by the engine, which takes longer.
const ENGINE_STEP: usize = 10;

/// What the functions return when compiled.
fn values(functions: &[String]) -> Vec<u64> {
    let calls: Vec<String> =
        (0..functions.len()).map(|i| format!("    printf(\"%lu\\n\", f{i}());\n")).collect();
    let text = format!(
        "int printf(const char *, ...);\n{}int main(void)\n{{\n{}    return 0;\n}}\n",
        functions.concat(),
        calls.concat()
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("native.c");
    std::fs::write(&source, text).expect("written");
    native(&source).lines().map(|line| line.parse().expect("a number")).collect()
}

/// A closed program that expects these values of functions.
fn closed(functions: &[(usize, &String, u64)]) -> String {
    let texts: String = functions.iter().map(|(_, text, _)| text.as_str()).collect();
    let checks: String =
        functions.iter().map(|(i, _, value)| format!("    assert(f{i}() == {value}u);\n")).collect();
    format!("#include <assert.h>\n{texts}int main(void)\n{{\n{checks}    return 0;\n}}\n")
}

#[test]
fn functions_return_what_compiled_ones_do() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 100) as usize);
    println!("SEED={seed} PROGRAMS={programs}");
    let mut random = Random::new(seed);
    let functions: Vec<String> = (0..programs).map(|number| function(&mut random, number)).collect();
    let values = values(&functions);
    let all: Vec<(usize, &String, u64)> = (0..programs).map(|i| (i, &functions[i], values[i])).collect();

    let mut wrong: Vec<String> = all.chunks(BATCH).flat_map(interpret).collect();
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} of {programs} are wrong, as\n{}", wrong.len(), wrong[0]);

    for group in all.chunks(ENGINE_STEP) {
        // The shortest: what the engine must get right here is in each of them.
        let Some(one) = group.iter().min_by_key(|(_, text, _)| text.len()) else { continue };
        let session = load(&closed(&[*one]));
        let subject = session.questions().remove(0);
        let model = fencepost_models::builtin("sc").expect("the model ships");
        let result = check(&session, &subject, &model, &Terms::default(), &|_| {});
        assert_eq!(result.verdict.kind(), Kind::Holds, "{}{:#?}", one.1, result.verdict);
    }
}

/// Runs functions with the interpreter; returns those that disagree.
fn interpret(functions: &[(usize, &String, u64)]) -> Vec<String> {
    let session = load(&closed(functions));
    let program = &session.harness.program;
    let disagreement = |(number, text, expected): &(usize, &String, u64)| {
        let poll = Poll::never();
        let world = SerialWorld::new(Memory::initial(program), 0, Script::default(), &poll);
        let proc = program.find(&format!("f{number}")).expect("it is called");
        match Thread::new(program, world).call(proc, Vec::new()) {
            Ok(results) if results[0].value.defined() == Some(*expected) => None,
            Ok(results) => Some(format!("{text}returns {expected}, not {:?}", results[0].value)),
            Err(halt) => Some(format!("{text}returns {expected}, but stops: {halt:?}")),
        }
    };
    functions.iter().filter_map(disagreement).collect()
}
