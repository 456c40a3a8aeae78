//! A counterexample: what was observed and why that is wrong, what each thread did, in which order memory saw it, and which
//! reorderings made it possible.
//!
//! Threads, calls and events are numbered. In tests with pragmas, thread 0 is initialisation; in closed programs it is
//! `main`.

pub(crate) mod build;

use fencepost_harness::result;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// An execution that is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Trace {
    /// Always true: the referee has run it.
    pub replayed: bool,
    /// What is wrong.
    pub wrong: Wrong,
    /// The threads that are stuck, if some are.
    pub waiting: Option<Vec<usize>>,
    /// What each stuck thread reads again and again.
    pub looks_at: Vec<Look>,
    /// The ids of the events that repeat, if it never ends.
    pub repeats: Option<Vec<u32>>,
    /// The rule for programs that it breaks, if it does.
    pub flagged: Option<Flagged>,
    /// Whether already a serial execution fails.
    pub serial: bool,
    /// The runtime error.
    pub fault: Option<Fault>,
    /// The calls with their values, by thread.
    pub observed: Option<Vec<String>>,
    /// Serial ones that come nearest.
    pub nearest_serial: Vec<Vec<String>>,
    /// All calls, thread by thread.
    pub calls: Vec<Call>,
    /// All events, thread by thread, in program order.
    pub events: Vec<Event>,
    /// Ids of what reads or writes memory, in an order in which memory can have seen it.
    pub memory_order: Vec<u32>,
    /// Accesses of one thread that memory saw the other way round.
    pub reorderings: Vec<Reordering>,
    /// Whether the model `sc` allows the execution.
    pub possible_on_sc: bool,
    /// The threads.
    #[serde(skip)]
    pub threads: Vec<Thread>,
    /// Whether it is of a program with `main`.
    #[serde(skip)]
    pub closed: bool,
    /// In how many values the nearest serial execution differs.
    #[serde(skip)]
    pub differs: usize,
}

/// What is wrong with an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wrong {
    /// A runtime error.
    Fault,
    /// No serial execution observes the same.
    Observation,
    /// No sequential order of its calls is right.
    Unexplained,
    /// Threads wait for ever.
    Stuck,
    /// It never ends.
    Endless,
    /// A heap object is lost before it is freed.
    Leak,
    /// It breaks a rule that the memory model has for programs: a data race.
    Flagged,
}

impl From<&result::Wrong> for Wrong {
    fn from(wrong: &result::Wrong) -> Wrong {
        match wrong {
            result::Wrong::Fault => Wrong::Fault,
            result::Wrong::Observation => Wrong::Observation,
            result::Wrong::Unexplained => Wrong::Unexplained,
            result::Wrong::Stuck(_) => Wrong::Stuck,
            result::Wrong::Endless { .. } => Wrong::Endless,
            result::Wrong::Leak(_) => Wrong::Leak,
            result::Wrong::Flagged { .. } => Wrong::Flagged,
        }
    }
}

/// A rule that a memory model has for programs, and two events that break it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Flagged {
    /// The name that the model gives it: `data-race`.
    pub rule: String,
    /// The ids of the events.
    pub events: [u32; 2],
}

/// A thread, for people.
#[derive(Debug)]
pub struct Thread {
    /// What it is called: `thread 1`.
    pub name: String,
    /// Who started it, if another thread did.
    pub started_by: Option<usize>,
    /// How far it came.
    pub end: End,
    /// The call that it is in. If it has done nothing of it that is seen, the one that comes next.
    pub under_way: Option<String>,
}

/// How far a thread came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// To its end.
    Finished,
    /// To a runtime error.
    Faulted,
    /// To a point where it waits, or where the trace has no more to say of it.
    Stopped,
}

/// What a stuck thread reads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Look {
    /// The thread.
    pub thread: usize,
    /// Where the program reads it.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What they are, if that has a name.
    pub place: Option<String>,
    /// What it reads.
    pub value: String,
    /// The place in short: `queue.c:12`.
    #[serde(skip)]
    pub short: String,
    /// The text of the line.
    #[serde(skip)]
    pub text: String,
    /// The value as a reader of C would write it.
    #[serde(skip)]
    pub content: String,
}

/// A runtime error.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fault {
    /// The thread.
    pub thread: usize,
    /// What went wrong.
    pub fault: String,
    /// Where.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The text of the line.
    #[serde(skip)]
    pub text: String,
}

/// A call that a thread made on behalf of the test.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Call {
    /// The thread.
    pub thread: usize,
    /// The operation; null for initialisation and for `main`.
    pub operation: Option<String>,
    /// What was called.
    pub function: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// What came back; null if it did not return.
    pub results: Option<Vec<String>>,
    /// The first of its events, and the one behind the last.
    pub events: [usize; 2],
    /// The call with its values, as a reader of C would write them.
    #[serde(skip)]
    pub text: String,
}

/// One step of one thread.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Event {
    /// Its number.
    pub id: u32,
    /// The thread.
    pub thread: usize,
    /// The file of the statement.
    pub file: String,
    /// Its line, from one.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// The atomic block that it is part of: equal numbers, same block.
    pub atomic: Option<u32>,
    /// What it did.
    #[serde(flatten)]
    pub action: Action,
    /// The `free` after which it finds the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freed_by: Option<u32>,
    /// The place in short: `queue.c:12`.
    #[serde(skip)]
    pub short: String,
    /// As little of the place as is clear in this trace: `line 12`.
    #[serde(skip)]
    pub within: String,
    /// Whether it accesses a local variable that no other thread does.
    #[serde(skip)]
    pub private: bool,
}

/// What an event did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Action {
    /// A load.
    Load {
        /// What it read.
        #[serde(flatten)]
        access: Access,
        /// Ids of the stores that it read from; null for the initial content.
        from: Vec<Option<u32>>,
    },
    /// A store.
    Store(Access),
    /// A fence.
    Fence {
        /// Its kind.
        fence: String,
    },
    /// A new object.
    Alloc {
        /// Its address.
        address: u64,
        /// Its size.
        bytes: u64,
        /// Its name.
        #[serde(skip)]
        place: String,
        /// Whether it is a local variable.
        #[serde(skip)]
        local: bool,
    },
    /// The end of a heap object.
    Free {
        /// Its address.
        address: u64,
        /// Its name.
        #[serde(skip)]
        place: String,
    },
    /// A nondeterministic choice.
    Choose {
        /// What was chosen.
        value: String,
    },
    /// The start of another thread.
    Spawn {
        /// That thread.
        started: usize,
    },
}

/// A load or a store.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Access {
    /// What it accesses, by object.
    pub place: String,
    /// The same as the program got there, if that differs.
    pub expression: Option<String>,
    /// The address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The memory order.
    pub order: String,
    /// The value of the bytes; null for a load of freed memory.
    pub value: Option<String>,
    /// The values of bit-fields by name, if the access is to such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bit_fields: Option<BTreeMap<String, String>>,
    /// The value as a reader of C would write it.
    #[serde(skip)]
    pub content: String,
}

/// Two accesses of one thread that memory saw the other way round.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reordering {
    /// The access that the thread makes first.
    pub first: u32,
    /// The access that overtook it.
    pub overtaken_by: u32,
}
