//! The result of fence inference: placements, what each fence is for, and what was tried.

use crate::result::CheckResult;
use crate::test::Test;
use crate::verdict::Reason;
use fencepost_lsl::source::Position;
use std::time::Duration;

/// A test on a model: what a placement must make hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The test's name; `main` for a closed program.
    pub name: String,
    /// The test, unless it is a closed program.
    pub test: Option<Test>,
    /// The model's name.
    pub model: String,
}

/// A check that fails.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// Index of what was asked; none for a check on sc.
    pub question: usize,
    /// The result: violated, or a loop without bound.
    pub result: CheckResult,
}

/// A fence of a placement.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedFence {
    /// Its kind.
    pub kind: &'static str,
    /// The statement that is put in.
    pub statement: String,
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
    /// What goes wrong without it and with all others; known of the first placement only.
    pub without: Option<Failure>,
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
    /// What placements were asked.
    pub questions: Vec<Question>,
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
    /// Repetitions of a loop beyond which a placement was taken to fail, if one was for that: then others may be
    /// right that were not found.
    pub loop_limit: Option<u32>,
    /// Time of the whole search.
    pub time: Duration,
}
