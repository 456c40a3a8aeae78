//! The result of fence inference: placements, what each fence is for, and what was tried.

use crate::result::CheckResult;
use crate::test::Test;
use crate::verdict::Reason;
use fencepost_lsl::source::Position;
use std::time::Duration;

/// A test on a model: what a placement must make hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Demand {
    /// The test's name; `main` for a closed program, and how many schedules for a sweep.
    pub name: String,
    /// The model's name.
    pub model: String,
}

/// A check that fails.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// Index of what was asked.
    pub question: usize,
    /// The test that fails, unless it is a closed program. Of a sweep, it is one of its schedules.
    pub test: Option<Test>,
    /// The result: violated, or a loop without bound.
    pub result: CheckResult,
}

/// A fence of a placement.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedFence {
    /// Its kind.
    pub kind: &'static str,
    /// The statement that is put in; none if orders of accesses are stronger instead.
    pub statement: Option<String>,
    /// Accesses that get stronger orders instead.
    pub orders: Vec<StrongerOrder>,
    /// Where: in front of what stands there.
    pub at: Position,
    /// What stands there.
    pub line: String,
    /// The function around it.
    pub function: String,
    /// How many loops are around it, in the function and where that is called.
    pub loop_depth: u32,
    /// What it costs.
    pub cost: u64,
    /// What is known of the program without it and with all others.
    pub without: Without,
}

/// An access that gets a stronger order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrongerOrder {
    /// Where its order is named.
    pub at: Position,
    /// The access.
    pub access: String,
    /// The order that it gets, as it is written.
    pub order: String,
}

/// What becomes of a program without one of its fences.
#[derive(Clone, PartialEq, Debug)]
pub enum Without {
    /// It was not tried: it is for the first placement only.
    Unknown,
    /// A check fails.
    Fails(Box<Failure>),
    /// All checks hold: the method asks for more than is needed.
    Holds,
}

/// A file that a placement changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedFile {
    /// Its name.
    pub name: String,
    /// Its new text.
    pub text: String,
    /// The difference to its old text, in the unified form.
    pub diff: String,
}

/// A placement that was put into the source text and checked there.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// Its fences, by position.
    pub fences: Vec<PlacedFence>,
    /// What they cost together.
    pub cost: u64,
    /// The files it changes.
    pub files: Vec<ChangedFile>,
    /// The checks of the patched program, all of which hold.
    pub checks: Vec<CheckResult>,
}

/// How placements are inferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// By a search that counterexamples guide.
    #[default]
    Search,
    /// From all states of a closed program with abstract store buffers (BLENDER).
    StoreBuffers,
    /// From all states of clients with execution buffers (FENDER).
    Rlx,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Search, Method::StoreBuffers, Method::Rlx];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Search => "search",
            Method::StoreBuffers => "store-buffers",
            Method::Rlx => "rlx",
        }
    }
}

/// What inference found.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Placements, cheapest first; none of them contains another.
    Placements {
        /// At least one. It has no fences if none are needed.
        placements: Vec<Placed>,
        /// Whether every other placement contains one of these.
        complete: bool,
        /// Whether no placement is cheaper than the first.
        cheapest: bool,
    },
    /// The program is wrong already on sc.
    WrongOnSc(Failure),
    /// The program is wrong even with all fences.
    WrongWithAll(Failure),
    /// A limit was reached first.
    Inconclusive {
        /// The check under way, if it was one.
        question: Option<usize>,
        /// Why.
        reason: Reason,
    },
}

/// A search for placements and its result.
#[derive(Clone, PartialEq, Debug)]
pub struct Inference {
    /// The file.
    pub file: String,
    /// How placements were inferred.
    pub method: Method,
    /// Whether this method finds what is needed, and no more.
    pub exact: bool,
    /// What placements were asked.
    pub questions: Vec<Demand>,
    /// The kinds of fences that were offered.
    pub kinds: Vec<&'static str>,
    /// Places that were offered.
    pub places: usize,
    /// What was found.
    pub answer: Answer,
    /// Placements tried.
    pub tried: usize,
    /// Sets of fences found of which each placement needs one.
    pub corrections: usize,
    /// If placements were taken to fail because a loop can repeat more often than this, that limit: placements that
    /// are right may then have been missed.
    pub loop_limit: Option<u32>,
    /// Time of the whole search.
    pub time: Duration,
}
