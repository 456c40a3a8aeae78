//! Binding: which operations of a file play which roles of a collection.
//!
//! The name that the pragma gives an operation decides, if it names a role; otherwise the C function's does.
//! Whatever does not fit is reported, all of it at once.

use super::role::{Argument, Role};
use super::shape::{Shape, fit};
use super::{Kind, Oracle, Protocol};
use crate::client::FixedCall;
use crate::operation::{Harness, Input, OpId, Operation, ValueTy};
use crate::schedule::{Method, Scope};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::value::Value;

/// The operations of a file as those of a collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// None if a reference says what operations do.
    kind: Option<Kind>,
    /// By operation.
    shapes: Vec<Shape>,
    /// Numbers that no key may be, and those that no item may be: what stands for nothing. Sorted.
    no_keys: Vec<u64>,
    no_items: Vec<u64>,
    /// Of operations in roles of their own, which arguments are pointers.
    pointers: Vec<Vec<bool>>,
}

/// Finds the role of every operation. `empty` is what a removal gives back for nothing where no flag says
/// so; without it, -1 or `NULL`.
pub fn bind(
    harness: &Harness,
    kind: Kind,
    protocol: Protocol,
    empty: Option<Value>,
) -> Result<Binding, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if !protocol.suits(kind) {
        let what = format!("a {} cannot be {}", kind.name(), protocol.name());
        errors.push(Diagnostic::general(what).note("none of its calls waits for another"));
    }
    let mut shapes = Vec::new();
    for op in &harness.ops {
        match role_of(op, kind).and_then(|shape| fit(op, shape, empty)) {
            Ok(shape) => shapes.push(shape),
            Err(error) => errors.push(error),
        }
    }
    if let (Protocol::Limited(_), true) = (protocol, errors.is_empty()) {
        let silent = harness.ops.iter().zip(&shapes).filter(|(_, shape)| shape.role.adds() && !shape.flag);
        errors.extend(silent.map(|(op, _)| {
            Diagnostic::error(
                op.span,
                format!("`{}` cannot say that the {} is full", op.function, kind.name()),
            )
            .help("let it return `bool`, or check it as `bounded`")
        }));
    }
    if !shapes.iter().any(|shape| shape.role.adds()) && errors.is_empty() {
        let adding: Vec<&str> = Role::of(kind).filter(|role| role.adds()).map(Role::name).collect();
        errors.push(
            Diagnostic::general(format!("nothing is ever added to the {}", kind.name()))
                .help(format!("declare an operation `{}`", adding.join("` or `"))),
        );
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let (no_keys, no_items) = nothings(harness, &shapes);
    Ok(Binding { kind: Some(kind), shapes, no_keys, no_items, pointers: Vec::new() })
}

/// The numbers that stand for nothing, and that neither keys nor items may be: `NULL` where these are pointers, and
/// what a removal gives back when there is no item. An item that looks like none would let an operation that
/// never finds anything pass for one that does.
fn nothings(harness: &Harness, shapes: &[Shape]) -> (Vec<u64>, Vec<u64>) {
    let (mut no_keys, mut no_items) = (Vec::new(), Vec::new());
    let mut own_scores = false;
    for (op, shape) in harness.ops.iter().zip(shapes) {
        let arguments = shape.role.arguments();
        // An item that is its own score is the last argument of the role.
        for (input, argument) in op.inputs.iter().rev().zip(arguments.iter().rev()) {
            let none = if *argument == Argument::Key { &mut no_keys } else { &mut no_items };
            none.extend((input.ty == ValueTy::Pointer).then_some(0));
        }
        let items = op.outputs.iter().skip(usize::from(shape.flag));
        no_items.extend(items.take(1).filter(|output| output.ty == ValueTy::Pointer).map(|_| 0));
        if shape.items > 0 && !shape.flag {
            no_items.extend(shape.empty.defined());
        }
        own_scores |= shape.role == Role::Insert && shape.inputs == 1;
    }
    if own_scores {
        no_keys.extend(&no_items);
        no_items.clone_from(&no_keys);
    }
    for none in [&mut no_keys, &mut no_items] {
        none.sort_unstable();
        none.dedup();
    }
    (no_keys, no_items)
}

/// The value of this number when those in `none`, which is sorted, are skipped.
fn spare(none: &[u64], number: u64) -> u64 {
    none.iter().fold(number, |value, &nothing| if nothing <= value { value + 1 } else { value })
}

fn role_of(op: &Operation, kind: Kind) -> Result<&'static super::role::Entry, Diagnostic> {
    kind.role_named(&op.name).or_else(|| kind.role_named(&op.function)).ok_or_else(|| {
        let roles: Vec<&str> = Role::of(kind).map(Role::name).collect();
        let name = roles[0].replace(' ', "_");
        Diagnostic::error(
            op.span,
            format!("`{}` is not known as an operation of a {}", op.function, kind.name()),
        )
        .note(format!("those are: {}", roles.join(", ")))
        .help(format!("name it after what it does, for example `op {name} = {}(…)`", op.function))
    })
}

impl Binding {
    /// Every operation of a file, each in a role of its own.
    pub fn plain(harness: &Harness) -> Binding {
        let shape = |(number, op): (usize, &Operation)| Shape {
            role: Role::Other(number as u32, op.inputs.len() as u32),
            inputs: op.inputs.len(),
            flag: false,
            items: op.outputs.len(),
            empty: Value::UNDEFINED,
        };
        let pointer = |input: &Input| input.ty == ValueTy::Pointer;
        Binding {
            kind: None,
            shapes: harness.ops.iter().enumerate().map(shape).collect(),
            no_keys: Vec::new(),
            no_items: Vec::new(),
            pointers: harness.ops.iter().map(|op| op.inputs.iter().map(pointer).collect()).collect(),
        }
    }

    /// Keeps items from being what another oracle, a reference say, gives back when there is nothing.
    pub fn spare_nothing_of<O: Oracle>(&mut self, oracle: &O) {
        let start = oracle.initial();
        let mut found = Vec::new();
        for method in self.methods() {
            let numbers = vec![Value::ZERO; method.role.arguments().len()];
            let Some(call) = self.call(method, &numbers) else { continue };
            let shape = self.shape(call.op);
            // Additions count as well: they may tell what they replaced, which is nothing at first.
            if shape.items == 0 || self.kind.is_none() {
                continue;
            }
            for outcome in oracle.outcomes(&start, &call) {
                found.extend(outcome.results.get(usize::from(shape.flag)).and_then(|item| item.defined()));
            }
        }
        let own_scores = self.shapes.iter().any(|shape| shape.role == Role::Insert && shape.inputs == 1);
        for none in [Some(&mut self.no_items), own_scores.then_some(&mut self.no_keys)].into_iter().flatten()
        {
            none.extend(&found);
            none.sort_unstable();
            none.dedup();
        }
    }

    /// The kind of collection; none if a reference says what operations do.
    pub fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// How an operation plays its role.
    pub fn shape(&self, op: OpId) -> &Shape {
        &self.shapes[op.0 as usize]
    }

    /// The operation that a method is.
    pub fn op(&self, method: Method) -> Option<OpId> {
        let mut playing = (0..).zip(&self.shapes).filter(|(_, shape)| shape.role == method.role);
        playing.nth(method.variant as usize).map(|(number, _)| OpId(number))
    }

    /// The methods that operations are: roles in the order of the interface, and of each role all operations that
    /// play it, in the order of the file.
    pub fn methods(&self) -> Vec<Method> {
        let variants = |role: Role| {
            let playing = self.shapes.iter().filter(|shape| shape.role == role).count() as u32;
            (0..playing).map(move |variant| Method { role, variant }).collect::<Vec<_>>()
        };
        match self.kind {
            Some(kind) => Role::of(kind).flat_map(variants).collect(),
            None => self.shapes.iter().map(|shape| Method::first(shape.role)).collect(),
        }
    }

    /// The call of a method with the arguments of these numbers; none if no operation is that method.
    pub fn call(&self, method: Method, numbers: &[Value]) -> Option<FixedCall> {
        let op = self.op(method)?;
        let args: Vec<Value> = numbers
            .iter()
            .enumerate()
            .map(|(place, number)| Value::new(self.value(op, place, number.bits())))
            .collect();
        Some(FixedCall { op, args: self.shape(op).give(&args) })
    }

    /// The value of a number as an argument of an operation's role.
    fn value(&self, op: OpId, place: usize, number: u64) -> u64 {
        match self.shape(op).role.arguments().get(place) {
            Some(Argument::Key) => spare(&self.no_keys, number),
            Some(Argument::Item) => spare(&self.no_items, number),
            None => {
                let pointers = self.pointers.get(op.0 as usize);
                let pointer = pointers.and_then(|pointers| pointers.get(place)).is_some_and(|is| *is);
                if pointer { spare(&[0], number) } else { number }
            }
        }
    }

    /// What of a scope the types of arguments are too small for: numbers that are equal after conversion would be
    /// taken for different ones.
    pub fn problems(&self, harness: &Harness, scope: &Scope) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for (number, op) in (0..).map(OpId).zip(&harness.ops) {
            let role = self.shape(number).role;
            let (keys, items) = scope.numbers(role);
            let places = role.arguments().len().max(op.inputs.len());
            for (place, input) in (places - op.inputs.len()..).zip(&op.inputs) {
                let count = match role.arguments().get(place) {
                    Some(Argument::Key) => keys,
                    // Where an item is its own score, the score is given.
                    Some(Argument::Item) => items,
                    None => scope.values as u64,
                };
                let most = self.value(number, place, count.saturating_sub(1));
                if !fits(input.ty, most) {
                    let what = format!("an argument of `{}` is too narrow for {most}", op.function);
                    problems.push(
                        Diagnostic::error(op.span, what)
                            .help("lower --values, --steps or --preadds, or widen its type"),
                    );
                }
            }
        }
        problems
    }
}

/// Whether a number is a value of a type.
fn fits(ty: ValueTy, number: u64) -> bool {
    match ty {
        ValueTy::Bool => number <= 1,
        ValueTy::Int(ty) => {
            let value = Value::new(number).wrap(ty);
            value.defined() == Some(number)
        }
        ValueTy::Pointer => true,
    }
}

impl Role {
    /// The roles of a kind of collection.
    pub fn of(kind: Kind) -> impl Iterator<Item = Role> {
        kind.entries().iter().map(|entry| entry.role)
    }
}
