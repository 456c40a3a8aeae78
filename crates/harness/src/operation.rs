//! Operations: how a test calls the data type, and what it observes of each call.

use fencepost_lsl::program::{ProcId, Program};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{IntTy, Value};

/// Index of an operation in [`Harness::ops`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OpId(pub u32);

/// An argument that the test leaves open.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The values it may take, at least one.
    pub choices: Vec<Value>,
    /// Its C type, to print it.
    pub ty: ValueTy,
}

/// A value that a call gives back.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The out-parameter it came through; empty for the return value.
    pub name: String,
    /// Which part of it, as in `.key` or `[1].next`; empty if it is no record.
    pub member: String,
    /// Its C type: how it is printed, and whether it is compared as a pointer.
    pub ty: ValueTy,
}

/// How to print an observed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueTy {
    /// `true` or `false`.
    Bool,
    /// A number.
    Int(IntTy),
    /// An address.
    Pointer,
}

/// An operation of the data type under test.
///
/// The front end wraps the user's call in a procedure of its own: its parameters are the open
/// arguments, its results the observed outputs. Neither engines nor oracles see how C passes them.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// The name that tests use.
    pub name: String,
    /// The wrapper.
    pub proc: ProcId,
    /// Open arguments, one for each of the wrapper's parameters.
    pub inputs: Vec<Input>,
    /// Observed values, one for each of the wrapper's results.
    pub outputs: Vec<Output>,
    /// The C function's name, to print a call of it.
    pub function: String,
    /// Where it is declared.
    pub span: Span,
}

/// What a file says about how to check it.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// The program.
    pub program: Program,
    /// Runs before every test: the wrapper of the `init` calls.
    pub init: Option<ProcId>,
    /// The start of a closed program, if there is one.
    pub main: Option<ProcId>,
    /// The operations.
    pub ops: Vec<Operation>,
    /// The tests, as written.
    pub tests: Vec<crate::test::Test>,
    /// The memory models the file asks for, by name.
    pub models: Vec<(String, Span)>,
    /// The verdicts the file expects.
    pub expectations: Vec<Expectation>,
    /// The oracle it declares, if there is one.
    pub oracle: Option<crate::oracle::declaration::Declaration>,
    /// What the program may do and the front end left out, for people.
    pub caveats: Vec<String>,
}

/// A verdict that a file expects of itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The test's name.
    pub test: String,
    /// The memory model's name.
    pub model: String,
    /// The verdict.
    pub verdict: crate::verdict::Kind,
    /// The pragma.
    pub span: Span,
}

impl Harness {
    /// The operation with this id.
    pub fn op(&self, id: OpId) -> &Operation {
        &self.ops[id.0 as usize]
    }

    /// The operation of this name.
    pub fn find_op(&self, name: &str) -> Option<OpId> {
        self.ops.iter().position(|op| op.name == name).map(|i| OpId(i as u32))
    }
}

impl Output {
    /// Its value, already shown, with the part that it is.
    pub fn label(&self, shown: String) -> String {
        if self.member.is_empty() { shown } else { format!("{}: {shown}", self.member) }
    }
}

impl ValueTy {
    /// The bits that a value of the type has.
    fn mask(self) -> u64 {
        match self {
            ValueTy::Bool => IntTy::U8.mask(),
            ValueTy::Int(ty) => ty.mask(),
            ValueTy::Pointer => u64::MAX,
        }
    }

    /// Whether nothing of a value is defined.
    pub(crate) fn unwritten(self, value: Value) -> bool {
        value.undef() & self.mask() == self.mask()
    }

    /// The value as C would write it. Where some bits are undefined, it has a question mark for each digit
    /// that they are part of.
    pub fn show(self, value: Value) -> String {
        match (self, value.defined()) {
            (_, None) if self.unwritten(value) => "undefined".into(),
            (_, None) => {
                let digits = self.mask().count_ones().div_ceil(4);
                let digit = |i: u32| match value.undef() >> (4 * i) & 0xf {
                    0 => format!("{:x}", value.bits() >> (4 * i) & 0xf),
                    _ => "?".into(),
                };
                format!("0x{}", (0..digits).rev().map(digit).collect::<String>())
            }
            (ValueTy::Bool, Some(0)) => "false".into(),
            (ValueTy::Bool, Some(1)) => "true".into(),
            (ValueTy::Int(ty), Some(bits)) if ty.signed => format!("{}", bits as i64),
            (ValueTy::Int(_), Some(bits)) => format!("{bits}"),
            (ValueTy::Pointer, Some(0)) => "NULL".into(),
            (_, Some(bits)) => format!("{bits:#x}"),
        }
    }
}
