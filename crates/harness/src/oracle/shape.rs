//! Shapes: how the inputs and outputs of an operation carry what its role takes and tells.
//!
//! C has several ways to say that a queue was empty: `bool dequeue(queue *, int *out)`, or `int dequeue(queue
//! *)` with a value that stands for nothing. The types of the outputs say which it is.

use super::collection::Reply;
use super::role::{Entry, Role, Tells};
use crate::operation::{Operation, ValueTy};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::value::Value;

/// How an operation plays its role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The role.
    pub role: Role,
    /// How many arguments it has: as many as the role takes, or one where items are their own scores.
    pub inputs: usize,
    /// Whether its first output says if the call did or found something.
    pub flag: bool,
    /// How many outputs carry items, after the flag.
    pub items: usize,
    /// What the first item is when there is none and no flag says so.
    pub empty: Value,
}

impl Shape {
    /// The arguments that the role takes.
    pub fn take(&self, args: &[Value]) -> Vec<Value> {
        let mut args = args.to_vec();
        if let Some(&last) = args.last() {
            args.resize(self.role.entry().inputs, last);
        }
        args
    }

    /// The arguments of the operation, from those that the role takes; of an item and its score, the score.
    pub fn give(&self, args: &[Value]) -> Vec<Value> {
        args[args.len() - self.inputs.min(args.len())..].to_vec()
    }

    /// The results of the operation.
    pub fn results(&self, reply: &Reply) -> Vec<Value> {
        let (flag, items): (bool, &[Value]) = match reply {
            Reply::Whether(flag) => (*flag, &[]),
            Reply::Items(items) => (true, items),
            Reply::Nothing => (false, &[]),
        };
        let mut results = Vec::new();
        if self.flag {
            // Whether a key is new is the opposite of whether it had a value.
            let new = self.role == Role::Put && self.items == 0;
            results.push(Value::from_bool(flag != new));
        }
        let nothing = |index| if index == 0 && !self.flag { self.empty } else { Value::UNDEFINED };
        results.extend((0..self.items).map(|index| items.get(index).copied().unwrap_or(nothing(index))));
        results
    }
}

/// Finds how an operation plays a role. `empty` is what stands for nothing; `None` means -1, or `NULL`.
pub(crate) fn fit(op: &Operation, entry: &Entry, empty: Option<Value>) -> Result<Shape, Diagnostic> {
    let misfit = |what: String, help: String| {
        Err(Diagnostic::error(
            op.span,
            format!("`{}` cannot be `{}`: {what}", op.function, entry.role.name()),
        )
        .help(help))
    };
    let inputs = op.inputs.len();
    let own_score = entry.role == Role::Insert && inputs == 1;
    if inputs != entry.inputs && !own_score {
        let (is, takes) = (count(inputs, "open argument"), count(entry.inputs, "argument"));
        let help = match entry.inputs {
            0 => "leave none of its arguments open".into(),
            n => format!("write its {} as `any(…)`", count(n, "argument")),
        };
        return misfit(format!("it has {is}, but `{}` takes {takes}", entry.role.name()), help);
    }
    let returned = op.outputs.first().filter(|output| output.name.is_empty());
    let says_whether = |ty| match (entry.tells, ty) {
        (_, ValueTy::Bool) => true,
        (_, ValueTy::Pointer) => false,
        (Tells::Items(_), ValueTy::Int(_)) => op.outputs.len() > 1,
        (Tells::Whether | Tells::Truth, ValueTy::Int(_)) => true,
    };
    let flag = returned.is_some_and(|output| says_whether(output.ty));
    let items = op.outputs.len() - flag as usize;
    let most = if let Tells::Items(most) = entry.tells { most } else { 0 };
    if items > most {
        let has = count(items, "value");
        return match most {
            0 => misfit(
                format!("it gives back {has}, but the role tells only whether"),
                "let it return `bool` or `void`".into(),
            ),
            _ => misfit(
                format!("it gives back {has}, but the role tells at most {}", count(most, "item")),
                "let it give back `bool` and the item through `out`, or the item alone".into(),
            ),
        };
    }
    if entry.tells == Tells::Truth && !flag {
        return misfit("it does not give back whether".into(), "let it return `bool`".into());
    }
    let first_item = op.outputs.get(flag as usize).map(|output| output.ty);
    let nothing = match first_item {
        Some(ValueTy::Int(ty)) => Value::new(u64::MAX).wrap(ty),
        _ => Value::ZERO,
    };
    Ok(Shape { role: entry.role, inputs, flag, items, empty: empty.unwrap_or(nothing) })
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}"),
        1 => format!("one {what}"),
        n => format!("{n} {what}s"),
    }
}
