//! A loaded file, and what there is to check in it.

use fencepost_c::Rejected;
use fencepost_harness::budget::{Exhausted, Poll};
use fencepost_harness::counterpart::Counterparts;
use fencepost_harness::mine::{self, Mined};
use fencepost_harness::observation;
use fencepost_harness::operation::{Harness, Input, Operation, ValueTy};
use fencepost_harness::question::Question;
use fencepost_harness::test::{self, Test};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::Program;
use fencepost_lsl::source::{Origin, SourceMap};
use fencepost_lsl::value::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// A file with its tests, and the specifications mined so far.
pub struct Session {
    /// The name it was loaded by.
    pub file: String,
    /// Its program and tests.
    pub harness: Harness,
    /// A reference implementation to mine from, instead of the file itself.
    reference: Option<Harness>,
    /// Warnings of the front end.
    pub warnings: Vec<Diagnostic>,
    specifications: RefCell<HashMap<String, Rc<Mined>>>,
}

impl Session {
    /// Its reference implementation.
    pub fn reference(&self) -> Option<&Harness> {
        self.reference.as_ref()
    }

    /// The file, and its reference implementation.
    pub fn into_harnesses(self) -> (Harness, Option<Harness>) {
        (self.harness, self.reference)
    }

    /// Loads a file, and a reference implementation if there is one.
    pub fn load(file: &Path, arguments: &[String], reference: Option<&Path>) -> Result<Session, Rejected> {
        Session::load_with(file, arguments, reference, fencepost_c::Options::default())
    }

    /// As [`Session::load`], with options of the front end for the file itself.
    pub fn load_with(
        file: &Path,
        arguments: &[String],
        reference: Option<&Path>,
        options: fencepost_c::Options,
    ) -> Result<Session, Rejected> {
        let (harness, warnings) = fencepost_c::load_with(file, arguments, options)?;
        let reference = match reference {
            Some(path) => Some(fencepost_c::load(path, arguments)?.0),
            None => None,
        };
        let file = file.display().to_string();
        Ok(Session { file, harness, reference, warnings, specifications: RefCell::default() })
    }

    /// The same file with other fences: what its operations do one after the other stays the same.
    pub(crate) fn with_program(&self, program: Program) -> Session {
        Session {
            file: self.file.clone(),
            harness: Harness { program, ..self.harness.clone() },
            reference: self.reference.clone(),
            warnings: Vec::new(),
            specifications: self.specifications.clone(),
        }
    }

    /// All there is to check: the tests, or the closed program of a file without tests.
    pub fn questions(&self) -> Vec<Question> {
        match self.harness.main {
            Some(main) if self.harness.tests.is_empty() => vec![Question::Main(main)],
            _ => self.harness.tests.iter().cloned().map(Question::Test).collect(),
        }
    }

    /// What the user asks for: a test by its name, or one written out.
    pub fn question(&mut self, wanted: &str) -> Result<Question, Diagnostic> {
        if let Some(found) = self.questions().into_iter().find(|question| question.name() == wanted) {
            return Ok(found);
        }
        let looks_written = wanted.contains(['(', '|', ' ']) || self.harness.find_op(wanted).is_some();
        if !looks_written {
            let names: Vec<String> =
                self.questions().iter().map(|question| question.name().to_owned()).collect();
            let error = Diagnostic::general(format!("no test `{wanted}` in {}", self.file));
            return Err(if names.is_empty() {
                error.help("write it out, as in --test '( e | d )'")
            } else {
                error.help(format!(
                    "the tests are: {}; or write one out, as in --test '( e | d )'",
                    names.join(", ")
                ))
            });
        }
        let sources = &mut self.harness.program.sources;
        let file = sources.add("<command line>", wanted, Origin::User);
        test::parse(&self.harness, "test", wanted, file, 0).map(Question::Test)
    }

    /// The specification of a test, mined once.
    pub fn specification(&self, test: &Test, poll: &Poll) -> Result<Rc<Mined>, Exhausted> {
        let key = test.show(&self.harness);
        if let Some(known) = self.specifications.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mined = Rc::new(match &self.reference {
            None => mine::mine(&self.harness, test, poll)?,
            Some(reference) => self.mine_reference(reference, test, &key, poll)?,
        });
        self.specifications.borrow_mut().insert(key, mined.clone());
        Ok(mined)
    }

    /// Mines the same test of the reference implementation, whose operations must look the same.
    fn mine_reference(
        &self,
        reference: &Harness,
        test: &Test,
        notation: &str,
        poll: &Poll,
    ) -> Result<Mined, Exhausted> {
        let file = SourceMap::default().add("<reference>", notation, Origin::User);
        let same = match test::parse(reference, &test.name, notation, file, 0) {
            Ok(same) => same,
            Err(diagnostic) => {
                let why = format!("in the reference implementation, {}", diagnostic.message);
                return Ok(Mined::Impossible(why));
            }
        };
        let counterparts = Counterparts::new(&reference.program, &self.harness.program);
        for call in test.invocations() {
            let ours = self.harness.op(call.op);
            let theirs = reference.ops.iter().find(|op| op.name == ours.name);
            let pointers = |op: &Operation| -> Vec<bool> {
                op.outputs.iter().map(|output| output.ty == ValueTy::Pointer).collect()
            };
            let alike = theirs.is_some_and(|theirs| {
                let chosen = theirs.inputs.iter().map(|input| choices(input, &counterparts));
                let wanted = ours.inputs.iter().map(|input| Some(input.choices.clone()));
                chosen.eq(wanted) && pointers(theirs) == pointers(ours)
            });
            if !alike {
                return Ok(Mined::Impossible(format!(
                    "operation `{}` takes or returns something else in the reference implementation",
                    ours.name
                )));
            }
        }
        Ok(match mine::mine(reference, &same, poll)? {
            Mined::Fault(trace) => {
                let fault = trace.fault().map_or(String::new(), |(_, fault, _)| fault.to_string());
                Mined::Impossible(format!("the reference implementation fails: {fault}"))
            }
            Mined::Specification { observations, calls } => {
                let pointers = observation::pointers(&self.harness, test);
                match observations.with_pointers(&pointers, |value| counterparts.of(value)) {
                    Some(observations) => Mined::Specification { observations, calls },
                    None => Mined::Impossible(format!(
                        "the reference implementation gives back {}",
                        Counterparts::MISSING
                    )),
                }
            }
            mined => mined,
        })
    }
}

/// What an argument of a reference is chosen from, in terms of the file; none if that is not there.
fn choices(input: &Input, counterparts: &Counterparts) -> Option<Vec<Value>> {
    if input.ty != ValueTy::Pointer {
        return Some(input.choices.clone());
    }
    let mut choices: Vec<Value> =
        input.choices.iter().map(|&value| counterparts.of(value)).collect::<Option<_>>()?;
    choices.sort();
    Some(choices)
}
