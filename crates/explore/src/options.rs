//! What an exploration may do and how long.

use crate::judge::cycles::Fairness;
use crate::state::buffer::Abstraction;
use fencepost_harness::budget::Budget;
use fencepost_models::Buffering;

/// In which order states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Search {
    /// The newest first.
    #[default]
    Depth,
    /// The nearest first: counterexamples are as short as can be.
    Breadth,
}

/// Which executions that never end are violations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Termination {
    /// None.
    #[default]
    Ignore,
    /// Those that leave out no thread that could always go on, and no store that could always reach memory: weak
    /// fairness. A thread may be left out for ever that waits for a lock which others take again and again.
    Fair,
    /// Those that leave out no thread that could go on again and again, either: strong fairness. A mutex starves
    /// nobody; a thread whose attempts fail again and again goes on, and may do so for ever.
    Strong,
    /// All.
    Unfair,
}

impl Termination {
    /// Which circles are looked for, if any.
    pub(crate) fn wants(self) -> Option<Fairness> {
        match self {
            Termination::Ignore => None,
            Termination::Fair => Some(Fairness::Weak),
            Termination::Strong => Some(Fairness::Strong),
            Termination::Unfair => Some(Fairness::None),
        }
    }
}

/// Reductions. Switching one off changes how many states there are, never a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Accesses to memory that only one thread can reach are no scheduling points.
    pub private: bool,
    /// Nor are accesses to cells for which no other thread competes, as far as the exploration shows.
    pub footprint: bool,
    /// A thread that runs alone runs on.
    pub sole: bool,
    /// Objects that nothing refers to are dropped.
    pub collect: bool,
    /// States that differ only in the addresses of objects are one. Off unless asked for: on queues and lists
    /// it saves up to a sixth of the states, and a state takes up to two thirds longer.
    pub rename: bool,
    /// A step that was made before in the same circumstances is looked up.
    pub remember: bool,
    /// Threads of a client that make the same calls start in the order of their numbers. Off unless asked for:
    /// where there are such threads it saves up to a fifth of the states, and a sweep takes as long.
    pub symmetry: bool,
}

impl Reductions {
    /// None of them.
    pub const NONE: Reductions = Reductions {
        private: false,
        footprint: false,
        sole: false,
        collect: false,
        rename: false,
        remember: false,
        symmetry: false,
    };
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            private: true,
            footprint: true,
            sole: true,
            collect: true,
            rename: false,
            remember: true,
            symmetry: false,
        }
    }
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// The machine.
    pub buffering: Buffering,
    /// The order of the search.
    pub search: Search,
    /// Which endless executions are violations.
    pub termination: Termination,
    /// Whether it is a violation, if no monitor decides, that threads wait for ever for each other.
    pub stuck: bool,
    /// Switches of threads that could have gone on, at most. Executions with more are not looked at.
    pub preemptions: Option<u32>,
    /// Whether heap objects are violations that are not freed in the end and that no global leads to.
    pub leaks: bool,
    /// Whether `malloc` may return what was freed before; only on sc.
    pub reuse: bool,
    /// Stores that a thread may have under way. An exploration that would need more is inconclusive.
    pub buffer: usize,
    /// Whether a thread that has so many under way waits instead. Misses executions with more.
    pub waits_when_full: bool,
    /// How store buffers are represented.
    pub abstraction: Abstraction,
    /// Whether stores in abstract buffers carry the instruction that made them, and every access is a
    /// scheduling point: for the inference of fences.
    pub labelled: bool,
    /// Reductions.
    pub reductions: Reductions,
    /// When to stop.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            buffering: Buffering::Sc,
            search: Search::Depth,
            termination: Termination::Ignore,
            stuck: false,
            preemptions: None,
            leaks: false,
            reuse: false,
            buffer: 32,
            waits_when_full: false,
            abstraction: Abstraction::Exact,
            labelled: false,
            reductions: Reductions::default(),
            budget: Budget::default(),
        }
    }
}
