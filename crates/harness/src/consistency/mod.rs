//! Consistency properties: how the calls of concurrent threads must relate to a sequential oracle
//! (COLLECT, Section 2.2).
//!
//! Each property is a partial order on the calls of a history; the history is right if the oracle accepts
//! some order of all calls that contains it. A history that ends stuck is right if *each* stuck thread has
//! such an order of the completed calls, followed by its own pending one, at which the oracle blocks.
//!
//! That definition, the paper's, forgets the pending calls of the other stuck threads, and so accepts that an `enqueue`
//! and a `dequeue` of a synchronous queue wait for each other for ever: either may wait alone. [`Waiting`] says
//! whether that is enough, or the stuck threads must also be justified together.
//!
//! [`monitor()`] decides this on the fly, for engines that explore executions. [`explain`] searches the orders
//! of one history and says why none fits; [`naive`] tries all permutations and is what both are tested by.

use crate::monitor::Monitor;
use crate::oracle::Oracle;

mod automaton;
pub mod explain;
pub mod history;
mod intern;
mod linear;
pub mod naive;
mod order;
mod quiescent;
mod sequential;
mod tracker;

/// What order of calls an explanation must keep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// Sequential consistency: the order of calls within each thread.
    Sequential,
    /// Linearizability: whatever returned before another call began comes before it.
    Linear,
    /// Quiescent consistency: what returned before a moment without pending calls comes before what began
    /// after it; even calls of one thread may change places between such moments.
    Quiescent,
}

impl Property {
    /// All properties.
    pub const ALL: [Property; 3] = [Property::Sequential, Property::Linear, Property::Quiescent];

    /// The name that COLLECT's option `-prop` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Property::Sequential => "sc",
            Property::Linear => "linear",
            Property::Quiescent => "quiescent",
        }
    }

    /// The property of this name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }
}

/// What justifies that threads are stuck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Waiting {
    /// COLLECT's Definition 2.1: for each stuck thread, an order of the completed calls after which the oracle blocks
    /// at its pending call. The pending calls of the others are left out.
    Each,
    /// That, and one order of the completed calls that justifies them all: after it the oracle blocks at each
    /// pending call, and does not accept that some of the pending calls, one or more in any order, return after it.
    ///
    /// Where blocking means to have no outcome, the last part says nothing new. Of a synchronous collection it says
    /// that those who could serve each other may not both wait. It is not asked where a call may wait although it could
    /// return alone ([`Oracle::serves`]).
    #[default]
    Together,
}

impl Waiting {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Waiting::Each => "each",
            Waiting::Together => "together",
        }
    }
}

/// A monitor that judges histories by a property and an oracle.
pub fn monitor<O>(property: Property, waiting: Waiting, oracle: O) -> Box<dyn Monitor + Send>
where
    O: Oracle + Send + 'static,
    O::State: Send + Sync,
{
    match property {
        Property::Sequential => Box::new(tracker::Tracker::<O, sequential::Sequential>::new(oracle, waiting)),
        Property::Linear => Box::new(tracker::Tracker::<O, linear::Linear>::new(oracle, waiting)),
        Property::Quiescent => Box::new(tracker::Tracker::<O, quiescent::Quiescent>::new(oracle, waiting)),
    }
}
