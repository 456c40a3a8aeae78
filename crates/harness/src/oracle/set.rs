//! The set: `add` and `remove` say whether they changed it.

use super::collection::{Collection, Contents, Reply};
use super::role::Role;
use fencepost_lsl::value::Value;

/// Elements in order, without repetition.
pub(crate) struct Set;

impl Collection for Set {
    fn call(&self, contents: &Contents, role: Role, args: &[Value]) -> Vec<(Reply, Contents)> {
        let found = contents.binary_search(&(args[0], Value::ZERO));
        let mut next = contents.clone();
        let reply = match (role, found) {
            (Role::Add, Err(place)) => {
                next.insert(place, (args[0], Value::ZERO));
                true
            }
            (Role::Remove, Ok(place)) => {
                next.remove(place);
                true
            }
            (Role::Contains, found) => found.is_ok(),
            (Role::Add | Role::Remove, _) => false,
            _ => return Vec::new(),
        };
        vec![(Reply::Whether(reply), next)]
    }
}
