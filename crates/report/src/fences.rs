//! The result of fence inference: placements, what each fence is for, and what was tried.

use crate::Position;
use crate::check::Check;
use fencepost_harness::inference::{self, Failure, Inference, Method, Placed, PlacedFence, Without};
use fencepost_harness::operation::Harness;
use schemars::JsonSchema;
use serde::Serialize;

/// A search for placements and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fences {
    /// The file.
    pub file: String,
    /// How placements were inferred.
    pub method: &'static str,
    /// What placements must make hold.
    pub questions: Vec<Question>,
    /// The kinds of fences that were offered.
    pub kinds: Vec<&'static str>,
    /// Places that were offered.
    pub places: usize,
    /// What was found.
    pub answer: Answer,
    /// Why it is inconclusive.
    pub reason: Option<Reason>,
    /// What is wrong although no fence can help.
    pub failure: Option<Box<Check>>,
    /// The placements, cheapest first; none of them contains another.
    pub placements: Vec<Placement>,
    /// Whether every other placement contains one of these.
    pub complete: Option<bool>,
    /// Whether no placement is cheaper than the first.
    pub cheapest: Option<bool>,
    /// What it cost.
    pub statistics: Statistics,
    /// Whether it was a search.
    #[serde(skip)]
    pub searched: bool,
    /// Whether the method finds what is needed, and no more.
    #[serde(skip)]
    pub exact: bool,
}

/// A test on a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Question {
    /// The test's name; `main` for a closed program, and how many schedules for a sweep.
    pub test: String,
    /// The model.
    pub model: String,
}

/// What inference found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub enum Answer {
    /// At least one placement. It has no fences if none are needed.
    #[serde(rename = "placements")]
    Placements,
    /// The program is wrong already on sc.
    #[serde(rename = "wrong on sc")]
    WrongOnSc,
    /// The program is wrong even with all fences.
    #[serde(rename = "wrong with all fences")]
    WrongWithAll,
    /// A limit was reached first.
    #[serde(rename = "inconclusive")]
    Inconclusive,
}

/// Why inference was not decided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reason {
    /// Index of the question under way, if it was one.
    pub question: Option<usize>,
    /// Why.
    pub text: String,
}

/// What inference cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FencesStatistics")]
pub struct Statistics {
    /// Placements tried.
    pub placements_tried: usize,
    /// Sets of fences found of which each placement needs one.
    pub correction_sets: usize,
    /// Repetitions beyond which a placement was taken to fail, if one was for that.
    pub loop_limit: Option<u32>,
    /// Time of all.
    pub total_seconds: f64,
}

/// Fences with which all holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Placement {
    /// What they cost together.
    pub cost: u64,
    /// The fences, by position.
    pub fences: Vec<Fence>,
    /// The files that it changes.
    pub files: Vec<Change>,
    /// What the checks of the patched program did not look at.
    pub not_explored: Vec<String>,
}

/// A file that a placement changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Change {
    /// The file.
    pub file: String,
    /// The difference, in the unified form.
    pub diff: String,
}

/// A fence of a placement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fence {
    /// Its kind.
    pub kind: &'static str,
    /// The statement that is put in; null where accesses get stronger orders instead.
    pub statement: Option<String>,
    /// Accesses that get stronger orders instead.
    pub orders: Vec<Order>,
    /// Where: in front of what stands there.
    #[serde(flatten)]
    pub at: Position,
    /// What stands there.
    pub before: String,
    /// The function around it.
    pub function: String,
    /// How many loops are around it, in the function and where that is called.
    pub loop_depth: u32,
    /// What it costs.
    pub cost: u64,
    /// Whether something fails without it. Of the first placement only.
    pub needed: Option<bool>,
    /// What fails without it.
    pub without: Option<Box<Check>>,
    /// Index of the question that fails without it.
    #[serde(skip)]
    pub question: Option<usize>,
}

/// An access that gets a stronger order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Order {
    /// Where its order is named.
    #[serde(flatten)]
    pub at: Position,
    /// The access.
    pub access: String,
    /// The order that it gets, as it is written.
    pub order: String,
}

impl Fences {
    /// What inference found.
    pub fn new(harness: &Harness, inference: &Inference) -> Fences {
        let mut report = Fences {
            file: inference.file.clone(),
            method: inference.method.name(),
            questions: inference.questions.iter().map(Question::new).collect(),
            kinds: inference.kinds.clone(),
            places: inference.places,
            answer: Answer::Placements,
            reason: None,
            failure: None,
            placements: Vec::new(),
            complete: None,
            cheapest: None,
            statistics: Statistics {
                placements_tried: inference.tried,
                correction_sets: inference.corrections,
                loop_limit: inference.loop_limit,
                total_seconds: inference.time.as_secs_f64(),
            },
            searched: inference.method == Method::Search,
            exact: inference.exact,
        };
        match &inference.answer {
            inference::Answer::Placements { placements, complete, cheapest } => {
                report.placements = placements.iter().map(|placed| Placement::new(harness, placed)).collect();
                (report.complete, report.cheapest) = (Some(*complete), Some(*cheapest));
            }
            inference::Answer::WrongOnSc(failure) => {
                (report.answer, report.failure) = (Answer::WrongOnSc, Some(failed(harness, failure)));
            }
            inference::Answer::WrongWithAll(failure) => {
                (report.answer, report.failure) = (Answer::WrongWithAll, Some(failed(harness, failure)));
            }
            inference::Answer::Inconclusive { question, reason } => {
                report.answer = Answer::Inconclusive;
                report.reason = Some(Reason { question: *question, text: reason.to_string() });
            }
        }
        report
    }
}

impl Question {
    fn new(demand: &inference::Demand) -> Question {
        Question { test: demand.name.clone(), model: demand.model.clone() }
    }
}

impl Placement {
    fn new(harness: &Harness, placed: &Placed) -> Placement {
        let mut not_explored: Vec<String> = Vec::new();
        for caveat in placed.checks.iter().flat_map(|check| &check.scope.caveats) {
            if !not_explored.contains(caveat) {
                not_explored.push(caveat.clone());
            }
        }
        let files =
            placed.files.iter().map(|file| Change { file: file.name.clone(), diff: file.diff.clone() });
        Placement {
            cost: placed.cost,
            fences: placed.fences.iter().map(|fence| Fence::new(harness, fence)).collect(),
            files: files.collect(),
            not_explored,
        }
    }
}

impl Fence {
    fn new(harness: &Harness, fence: &PlacedFence) -> Fence {
        let orders = fence.orders.iter().map(|order| Order {
            at: order.at.clone().into(),
            access: order.access.clone(),
            order: order.order.clone(),
        });
        let (needed, without) = match &fence.without {
            Without::Unknown => (None, None),
            Without::Fails(failure) => (Some(true), Some(failure)),
            Without::Holds => (Some(false), None),
        };
        Fence {
            kind: fence.kind,
            statement: fence.statement.clone(),
            orders: orders.collect(),
            at: fence.at.clone().into(),
            before: fence.line.clone(),
            function: fence.function.clone(),
            loop_depth: fence.loop_depth,
            cost: fence.cost,
            needed,
            without: without.map(|failure| failed(harness, failure)),
            question: without.map(|failure| failure.question),
        }
    }
}

fn failed(harness: &Harness, failure: &Failure) -> Box<Check> {
    Box::new(Check::new(harness, failure.test.as_ref(), &failure.result))
}
