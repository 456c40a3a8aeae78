//! The map: at most one value for each key.

use super::collection::{Collection, Contents, Reply};
use super::role::Role;
use fencepost_lsl::value::Value;

/// Keys with their values, in the order of keys.
pub(crate) struct Map;

impl Collection for Map {
    fn call(&self, contents: &Contents, role: Role, args: &[Value]) -> Vec<(Reply, Contents)> {
        let place = contents.partition_point(|entry| entry.0 < args[0]);
        let old = contents.get(place).filter(|entry| entry.0 == args[0]).map(|entry| entry.1);
        let item = |old: Option<Value>| old.map_or(Reply::Nothing, |value| Reply::Items(vec![value]));
        let mut next = contents.clone();
        let reply = match (role, old) {
            (Role::Put, _) => {
                next.splice(place..place + old.is_some() as usize, [(args[0], args[1])]);
                item(old)
            }
            (Role::PutIfAbsent, None) => {
                next.insert(place, (args[0], args[1]));
                Reply::Whether(true)
            }
            (Role::PutIfAbsent, Some(_)) => Reply::Whether(false),
            (Role::Get, _) => item(old),
            (Role::RemoveKey, _) => {
                next.drain(place..place + old.is_some() as usize);
                item(old)
            }
            (Role::ContainsKey, _) => Reply::Whether(old.is_some()),
            _ => return Vec::new(),
        };
        vec![(reply, next)]
    }
}
