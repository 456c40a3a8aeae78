//! Collections as oracles: contents, roles, and the protocol by which calls wait.

use super::binding::Binding;
use super::map::Map;
use super::priority_queue::PriorityQueue;
use super::role::Role;
use super::sequence::Sequence;
use super::set::Set;
use super::{Kind, Oracle, Outcome, Protocol};
use crate::client::FixedCall;
use fencepost_lsl::value::Value;

/// What a collection holds: pairs of a key and a value, in the collection's canonical order.
///
/// The key is an element of a set, the score of an item, the key of a map; elsewhere it is zero.
pub type Contents = Vec<(Value, Value)>;

/// What a call tells its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Whether it did something, or something is so.
    Whether(bool),
    /// An item, perhaps with more about it.
    Items(Vec<Value>),
    /// There was no item.
    Nothing,
}

/// A collection whose calls all return.
pub trait Collection {
    /// All ways in which a call may go. A role that is not of this collection has none.
    fn call(&self, contents: &Contents, role: Role, args: &[Value]) -> Vec<(Reply, Contents)>;
}

/// A collection with a protocol, as the oracle of the operations of a file.
pub struct Specification {
    collection: Box<dyn Collection + Send + Sync>,
    protocol: Protocol,
    binding: Binding,
}

impl Specification {
    /// The oracle of the operations of `binding`; none if they are not those of a collection, or it cannot follow
    /// the protocol.
    pub fn new(binding: Binding, protocol: Protocol) -> Option<Specification> {
        let kind = binding.kind()?;
        let collection: Box<dyn Collection + Send + Sync> = match kind {
            Kind::Set => Box::new(Set),
            Kind::Queue | Kind::Stack | Kind::Deque => Box::new(Sequence),
            Kind::PriorityQueue => Box::new(PriorityQueue),
            Kind::Map => Box::new(Map),
        };
        protocol.suits(kind).then_some(Specification { collection, protocol, binding })
    }

    /// Whether a call finds the collection full or empty, so that the protocol decides.
    fn hindered(&self, contents: &Contents, role: Role) -> bool {
        match self.protocol {
            Protocol::NonBlocking => false,
            Protocol::Limited(capacity) => role.adds() && contents.len() >= capacity,
            Protocol::Bounded(capacity) => {
                (role.adds() && contents.len() >= capacity) || (role.removes() && contents.is_empty())
            }
            // An item lies in the collection between the sequential `enqueue` and its `dequeue`.
            Protocol::Synchronous => role.adds() != contents.is_empty(),
        }
    }
}

impl Oracle for Specification {
    type State = Contents;

    fn initial(&self) -> Contents {
        Contents::new()
    }

    fn outcomes(&self, contents: &Contents, call: &FixedCall) -> Vec<Outcome<Contents>> {
        let shape = self.binding.shape(call.op);
        let ways = match (self.hindered(contents, shape.role), self.protocol) {
            (true, Protocol::Limited(_)) => vec![(Reply::Whether(false), contents.clone())],
            (true, _) => Vec::new(),
            (false, _) => self.collection.call(contents, shape.role, &shape.take(&call.args)),
        };
        let mut outcomes: Vec<Outcome<Contents>> =
            ways.into_iter().map(|(reply, next)| Outcome { results: shape.results(&reply), next }).collect();
        outcomes.sort();
        outcomes.dedup();
        outcomes
    }

    fn blocks(&self, contents: &Contents, call: &FixedCall) -> bool {
        match self.protocol {
            // After equal numbers of `enqueue` and `dequeue`, either may wait for ever.
            Protocol::Synchronous => contents.is_empty(),
            Protocol::Bounded(_) => self.hindered(contents, self.binding.shape(call.op).role),
            Protocol::NonBlocking | Protocol::Limited(_) => false,
        }
    }

    fn accepts(&self, contents: &Contents) -> bool {
        self.protocol != Protocol::Synchronous || contents.is_empty()
    }
}
