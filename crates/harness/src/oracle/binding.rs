//! Binding: which operations of a file play which roles of a collection.
//!
//! The name that the pragma gives an operation decides, if it names a role; otherwise the C function's does.
//! Whatever does not fit is reported, all of it at once.

use super::role::Role;
use super::shape::{Shape, fit};
use super::{Kind, Protocol};
use crate::client::FixedCall;
use crate::operation::{Harness, OpId, Operation};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::value::Value;

/// The operations of a file as those of a collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// None if a reference says what operations do.
    kind: Option<Kind>,
    /// By operation.
    shapes: Vec<Shape>,
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
    if errors.is_empty() { Ok(Binding { kind: Some(kind), shapes }) } else { Err(errors) }
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
        Binding { kind: None, shapes: harness.ops.iter().enumerate().map(shape).collect() }
    }

    /// The kind of collection; none if a reference says what operations do.
    pub fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// How an operation plays its role.
    pub fn shape(&self, op: OpId) -> &Shape {
        &self.shapes[op.0 as usize]
    }

    /// The first operation that plays a role.
    pub fn op(&self, role: Role) -> Option<OpId> {
        self.shapes.iter().position(|shape| shape.role == role).map(|i| OpId(i as u32))
    }

    /// The roles that operations play, in the order of the interface.
    pub fn roles(&self) -> Vec<Role> {
        match self.kind {
            Some(kind) => Role::of(kind).filter(|&role| self.op(role).is_some()).collect(),
            None => self.shapes.iter().map(|shape| shape.role).collect(),
        }
    }

    /// The call of a role with the role's arguments; none if no operation plays it.
    pub fn call(&self, role: Role, args: &[Value]) -> Option<FixedCall> {
        let op = self.op(role)?;
        Some(FixedCall { op, args: self.shape(op).give(args) })
    }
}

impl Role {
    /// The roles of a kind of collection.
    pub fn of(kind: Kind) -> impl Iterator<Item = Role> {
        kind.entries().iter().map(|entry| entry.role)
    }
}
