//! The result of fence inference, as text and as JSON.

use crate::text::{BAD, BOLD, FAINT, GOOD, RESET, UNSURE, count, reason, seconds};
use crate::trace::Renderer;
use crate::{json, text};
use fencepost_harness::inference::{
    Answer, Demand, Failure, Inference, Method, Placed, PlacedFence, StrongerOrder, Without,
};
use fencepost_harness::operation::Harness;
use fencepost_harness::result::{Property, Verdict};
use fencepost_lsl::source::Position;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The result as text; `explain` asks for whole counterexamples.
pub fn text(harness: &Harness, inference: &Inference, explain: bool) -> String {
    let mut out = String::new();
    match &inference.answer {
        Answer::Placements { placements, complete, cheapest } => {
            placed(harness, inference, placements, explain, &mut out);
            let _ = write!(out, "\n{}", closing(inference, placements, *complete, *cheapest));
        }
        Answer::WrongOnSc(failure) => {
            let _ = writeln!(out, "{BAD}no fence can help{RESET}: {} is wrong on sc", inference.file);
            out.push_str(&whole(harness, failure));
        }
        Answer::WrongWithAll(failure) => {
            let _ = writeln!(
                out,
                "{BAD}no fence can help{RESET}: {} is wrong with {} at every place",
                inference.file,
                inference.kinds.join(", ")
            );
            out.push_str(&whole(harness, failure));
        }
        Answer::Inconclusive { question, reason } => {
            let about = question.and_then(|index| inference.questions.get(index));
            let about = about.map_or(String::new(), |question| format!(" for {}", name(question)));
            let _ = writeln!(out, "{UNSURE}inconclusive{RESET}{about}: {reason}");
        }
    }
    out
}

fn name(question: &Demand) -> String {
    format!("{} on {}", question.name, question.model)
}

/// What placements must make hold: `T0, T1 on rmo; T0 on tso`.
fn questions(inference: &Inference) -> String {
    let mut models: Vec<(&str, Vec<&str>)> = Vec::new();
    for question in &inference.questions {
        match models.iter_mut().find(|(model, _)| *model == question.model) {
            Some((_, tests)) => tests.push(&question.name),
            None => models.push((&question.model, vec![&question.name])),
        }
    }
    let parts = models.iter().map(|(model, tests)| format!("{} on {model}", tests.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}

fn placed(harness: &Harness, inference: &Inference, placements: &[Placed], explain: bool, out: &mut String) {
    let Some(first) = placements.first() else { return };
    if first.fences.is_empty() {
        let _ = writeln!(out, "{GOOD}no fence is needed{RESET}: {}", inference.file);
        return;
    }
    for (number, placement) in placements.iter().enumerate() {
        let fences = placement.fences.iter().filter(|fence| fence.statement.is_some()).count();
        let fences = match (fences, orders(placement)) {
            (fences, 0) => count(fences, "fence"),
            (0, orders) => count(orders, "stronger order"),
            (fences, orders) => format!("{}, {}", count(fences, "fence"), count(orders, "stronger order")),
        };
        let which = if placements.len() > 1 { format!("placement {}: ", number + 1) } else { String::new() };
        let _ = writeln!(out, "{which}{GOOD}{fences}{RESET}, cost {}", placement.cost);
        for fence in &placement.fences {
            describe(harness, inference, fence, explain, out);
        }
        // One text that can be applied; of the others the places say enough.
        if number == 0 {
            out.push('\n');
            placement.files.iter().for_each(|file| out.push_str(&file.diff));
            if placements.len() > 1 {
                out.push('\n');
            }
        }
    }
}

/// How many accesses get stronger orders.
fn orders(placement: &Placed) -> usize {
    let all: BTreeSet<&Position> =
        placement.fences.iter().flat_map(|fence| &fence.orders).map(|order| &order.at).collect();
    all.len()
}

fn describe(harness: &Harness, inference: &Inference, fence: &PlacedFence, explain: bool, out: &mut String) {
    let PlacedFence { kind, at, line, function, loop_depth, .. } = fence;
    let file = at.file.rsplit('/').next().unwrap_or(&at.file);
    let loops = match loop_depth {
        0 => String::new(),
        1 => ", in a loop".into(),
        depth => format!(", in {depth} loops"),
    };
    let place = format!("{file}:{}", at.line);
    match &fence.statement {
        Some(_) => {
            let _ = writeln!(
                out,
                "  {BOLD}{kind}{RESET}  {place}, in {function}{loops}, before  {FAINT}{line}{RESET}"
            );
        }
        None => {
            for StrongerOrder { at, access, order } in &fence.orders {
                let file = at.file.rsplit('/').next().unwrap_or(&at.file);
                let _ = writeln!(
                    out,
                    "  {BOLD}{order}{RESET}  {file}:{}, in {function}{loops}, for  {FAINT}{access}{RESET}",
                    at.line
                );
            }
        }
    }
    let failure = match &fence.without {
        Without::Unknown => return,
        Without::Holds => {
            let _ = writeln!(out, "    without it: holds; the method asks for more than is needed");
            return;
        }
        Without::Fails(failure) => failure,
    };
    let Failure { question, test, result } = &**failure;
    let question = &inference.questions[*question];
    match &result.verdict {
        Verdict::Violated(example) => {
            let what = match result.property {
                Property::Schedules => format!("{} on {}", result.notation, result.model),
                _ => name(question),
            };
            let _ = writeln!(out, "    without it: {what} fails: {}", reason(example));
            let test = test.as_ref();
            if explain {
                out.push_str(&text::detail(harness, test, result));
                return;
            }
            let renderer = Renderer { harness, test, example, model: &result.model, brief: true };
            for line in renderer.overtakings() {
                let _ = writeln!(out, "      {line}");
            }
        }
        Verdict::Inconclusive(reason) => {
            let _ = writeln!(out, "    without it: {} is not decided: {reason}", name(question));
        }
        Verdict::Holds => {}
    }
}

/// What is known of the placements, and what it took.
fn closing(inference: &Inference, placements: &[Placed], complete: bool, cheapest: bool) -> String {
    let mut out = String::new();
    let empty = placements.first().is_none_or(|first| first.fences.is_empty());
    let patched = if empty { "holds" } else { "the patched program holds" };
    let _ = writeln!(out, "{patched}: {}", questions(inference));
    if !empty {
        let least = match (cheapest, complete, placements.len()) {
            (false, ..) if has_spare(placements) => {
                "another method, or a finer abstraction, may find cheaper placements".into()
            }
            (false, ..) if !inference.exact => match inference.method {
                Method::Search => {
                    "each fence is needed; --abstraction auto may find cheaper placements".into()
                }
                _ => "each fence is needed; --method search may find cheaper placements".into(),
            },
            (false, ..) => "the model lets fences allow executions: there may be cheaper placements".into(),
            (true, _, 1) if orders(&placements[0]) > 0 => {
                "no placement of fences is cheaper; orders replace fences where they are enough".into()
            }
            (true, false, 1) => "no placement is cheaper".to_owned(),
            (true, false, number) => format!("these are the {number} cheapest of the minimal placements"),
            (true, true, 1) => "every other placement contains this one".into(),
            (true, true, _) => "every other placement contains one of these".into(),
        };
        let _ = writeln!(out, "{least}");
    }
    if let Some(limit) = inference.loop_limit {
        let _ = writeln!(
            out,
            "placements with which a loop can repeat more than {limit} times were taken to fail; --max-unroll looks further"
        );
    }
    for caveat in caveats(placements) {
        let _ = writeln!(out, "not explored: {caveat}");
    }
    let work = match inference.method {
        Method::Search => format!("{} tried", count(inference.tried, "placement")),
        method => format!("by {}", method.name()),
    };
    let _ = write!(
        out,
        "{FAINT}{}, {} each, {work}, {}{RESET}",
        count(inference.places, "place"),
        count(inference.kinds.len(), "kind"),
        seconds(inference.time)
    );
    out
}

/// Whether the first placement has a fence that is not needed.
fn has_spare(placements: &[Placed]) -> bool {
    let first = placements.first().into_iter().flat_map(|placed| &placed.fences);
    first.into_iter().any(|fence| fence.without == Without::Holds)
}

/// What the checks of patched programs did not look at.
fn caveats(placements: &[Placed]) -> Vec<&str> {
    let mut caveats: Vec<&str> = Vec::new();
    for caveat in placements.iter().flat_map(|p| &p.checks).flat_map(|check| &check.scope.caveats) {
        if !caveats.contains(&caveat.as_str()) {
            caveats.push(caveat);
        }
    }
    caveats
}

fn whole(harness: &Harness, failure: &Failure) -> String {
    format!(
        "{}\n{}",
        text::line(harness, &failure.result),
        text::detail(harness, failure.test.as_ref(), &failure.result)
    )
}

/// The result as JSON.
pub fn value(harness: &Harness, inference: &Inference) -> Value {
    let mut document = json!({
        "file": inference.file,
        "method": inference.method.name(),
        "questions": inference.questions.iter()
            .map(|question| json!({ "test": question.name, "model": question.model }))
            .collect::<Vec<_>>(),
        "kinds": inference.kinds,
        "places": inference.places,
        "answer": Value::Null,
        "reason": Value::Null,
        "failure": Value::Null,
        "placements": [],
        "complete": Value::Null,
        "cheapest": Value::Null,
        "statistics": {
            "placements_tried": inference.tried,
            "correction_sets": inference.corrections,
            "loop_limit": inference.loop_limit,
            "total_seconds": inference.time.as_secs_f64(),
        },
    });
    let failed = |failure: &Failure| json::result(harness, failure.test.as_ref(), &failure.result);
    match &inference.answer {
        Answer::Placements { placements, complete, cheapest } => {
            document["answer"] = json!("placements");
            document["complete"] = json!(complete);
            document["cheapest"] = json!(cheapest);
            let all = placements.iter().map(|placement| placement_value(harness, placement));
            document["placements"] = all.collect();
        }
        Answer::WrongOnSc(failure) => {
            document["answer"] = json!("wrong on sc");
            document["failure"] = failed(failure);
        }
        Answer::WrongWithAll(failure) => {
            document["answer"] = json!("wrong with all fences");
            document["failure"] = failed(failure);
        }
        Answer::Inconclusive { question, reason } => {
            document["answer"] = json!("inconclusive");
            document["reason"] = json!({ "question": question, "text": reason.to_string() });
        }
    }
    document
}

fn placement_value(harness: &Harness, placement: &Placed) -> Value {
    let order = |order: &StrongerOrder| {
        let Position { file, line, column } = &order.at;
        json!({ "file": file, "line": line, "column": column, "access": order.access, "order": order.order })
    };
    let fence = |fence: &PlacedFence| {
        let Position { file, line, column } = &fence.at;
        let without = match &fence.without {
            Without::Fails(failure) => Some(json::result(harness, failure.test.as_ref(), &failure.result)),
            Without::Unknown | Without::Holds => None,
        };
        json!({
            "kind": fence.kind,
            "statement": fence.statement,
            "orders": fence.orders.iter().map(order).collect::<Vec<_>>(),
            "file": file,
            "line": line,
            "column": column,
            "before": fence.line,
            "function": fence.function,
            "loop_depth": fence.loop_depth,
            "cost": fence.cost,
            "needed": match &fence.without {
                Without::Unknown => Value::Null,
                Without::Fails(_) => true.into(),
                Without::Holds => false.into(),
            },
            "without": without,
        })
    };
    json!({
        "cost": placement.cost,
        "fences": placement.fences.iter().map(fence).collect::<Vec<_>>(),
        "files": placement.files.iter()
            .map(|file| json!({ "file": file.name, "diff": file.diff }))
            .collect::<Vec<_>>(),
        "not_explored": caveats(std::slice::from_ref(placement)),
    })
}
