//! Queue, stack and deque: a sequence, of which each uses some ends.

use super::collection::{Collection, Contents, Reply};
use super::role::Role;
use fencepost_lsl::value::Value;

/// Items from left to right.
pub(crate) struct Sequence;

impl Collection for Sequence {
    fn call(&self, contents: &Contents, role: Role, args: &[Value]) -> Vec<(Reply, Contents)> {
        let mut next = contents.clone();
        let reply = match role {
            Role::PushLeft => {
                next.insert(0, (Value::ZERO, args[0]));
                Reply::Whether(true)
            }
            Role::Enqueue | Role::Push | Role::PushRight => {
                next.push((Value::ZERO, args[0]));
                Reply::Whether(true)
            }
            Role::Dequeue | Role::PopLeft if !next.is_empty() => Reply::Items(vec![next.remove(0).1]),
            Role::Pop | Role::PopRight if !next.is_empty() => {
                Reply::Items(next.pop().map(|i| i.1).into_iter().collect())
            }
            Role::Dequeue | Role::PopLeft | Role::Pop | Role::PopRight => Reply::Nothing,
            _ => return Vec::new(),
        };
        vec![(reply, next)]
    }
}
