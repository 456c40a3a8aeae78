//! The priority queue: `remove min` may return any entry of the least score.

use super::collection::{Collection, Contents, Reply};
use super::role::Role;
use fencepost_lsl::value::Value;

/// A multiset of scores and items, in the order of signed scores, then of items.
pub(crate) struct PriorityQueue;

/// Scores are C numbers: negative ones come first.
fn order(entry: &(Value, Value)) -> (i64, Value, Value) {
    (entry.0.bits() as i64, entry.0, entry.1)
}

impl Collection for PriorityQueue {
    fn call(&self, contents: &Contents, role: Role, args: &[Value]) -> Vec<(Reply, Contents)> {
        match role {
            Role::Insert => {
                let mut next = contents.clone();
                let entry = (args[1], args[0]);
                next.insert(next.partition_point(|other| order(other) <= order(&entry)), entry);
                vec![(Reply::Whether(true), next)]
            }
            Role::RemoveMin if contents.is_empty() => vec![(Reply::Nothing, Contents::new())],
            Role::RemoveMin => {
                let least = contents.iter().take_while(|entry| entry.0 == contents[0].0).count();
                let without = |place: usize| {
                    let mut next = contents.clone();
                    let (score, item) = next.remove(place);
                    (Reply::Items(vec![item, score]), next)
                };
                (0..least).map(without).collect()
            }
            _ => Vec::new(),
        }
    }
}
