//! The result of fence inference as text.

use super::{BAD, BOLD, FAINT, GOOD, RESET, UNSURE, count, detail, reason, seconds, trace, whole};
use crate::check::Check;
use crate::fences::{Answer, Fence, Fences, Order, Placement, Question};
use fencepost_harness::result::Property;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The result; `explain` asks for whole counterexamples.
pub(super) fn render(fences: &Fences, explain: bool) -> String {
    let mut out = String::new();
    match fences.answer {
        Answer::Placements => {
            placed(fences, explain, &mut out);
            let _ = write!(out, "\n{}", closing(fences));
        }
        Answer::WrongOnSc => {
            let _ = writeln!(out, "{BAD}no fence can help{RESET}: {} is wrong on sc", fences.file);
        }
        Answer::WrongWithAll => {
            let kinds = fences.kinds.join(", ");
            let _ = writeln!(
                out,
                "{BAD}no fence can help{RESET}: {} is wrong with {kinds} at every place",
                fences.file
            );
        }
        Answer::Inconclusive => {}
    }
    out.extend(fences.failure.as_deref().map(whole));
    if let Some(reason) = &fences.reason {
        let about = reason.question.and_then(|index| fences.questions.get(index));
        let about = about.map_or(String::new(), |question| format!(" for {}", name(question)));
        let _ = writeln!(out, "{UNSURE}inconclusive{RESET}{about}: {}", reason.text);
    }
    out.truncate(out.trim_end().len());
    out
}

fn name(question: &Question) -> String {
    format!("{} on {}", question.test, question.model)
}

/// What placements must make hold: `T0, T1 on rmo; T0 on tso`.
fn questions(fences: &Fences) -> String {
    let mut models: Vec<(&str, Vec<&str>)> = Vec::new();
    for question in &fences.questions {
        match models.iter_mut().find(|(model, _)| *model == question.model) {
            Some((_, tests)) => tests.push(&question.test),
            None => models.push((&question.model, vec![&question.test])),
        }
    }
    let parts = models.iter().map(|(model, tests)| format!("{} on {model}", tests.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}

fn placed(fences: &Fences, explain: bool, out: &mut String) {
    let placements = &fences.placements;
    let Some(first) = placements.first() else { return };
    if first.fences.is_empty() {
        let _ = writeln!(out, "{GOOD}no fence is needed{RESET}: {}", fences.file);
        return;
    }
    for (number, placement) in placements.iter().enumerate() {
        let statements = placement.fences.iter().filter(|fence| fence.statement.is_some()).count();
        let what = match (statements, orders(placement)) {
            (fences, 0) => count(fences, "fence"),
            (0, orders) => count(orders, "stronger order"),
            (fences, orders) => format!("{}, {}", count(fences, "fence"), count(orders, "stronger order")),
        };
        let which = if placements.len() > 1 { format!("placement {}: ", number + 1) } else { String::new() };
        let _ = writeln!(out, "{which}{GOOD}{what}{RESET}, cost {}", placement.cost);
        for fence in &placement.fences {
            describe(fences, fence, explain, out);
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
fn orders(placement: &Placement) -> usize {
    let all = placement.fences.iter().flat_map(|fence| &fence.orders).map(|order| &order.at);
    all.collect::<BTreeSet<_>>().len()
}

fn describe(fences: &Fences, fence: &Fence, explain: bool, out: &mut String) {
    let Fence { kind, at, before, function, .. } = fence;
    let loops = match fence.loop_depth {
        0 => String::new(),
        1 => ", in a loop".into(),
        depth => format!(", in {depth} loops"),
    };
    if fence.statement.is_some() {
        let place = at.short();
        let _ = writeln!(
            out,
            "  {BOLD}{kind}{RESET}  {place}, in {function}{loops}, before  {FAINT}{before}{RESET}"
        );
    } else {
        for Order { at, access, order } in &fence.orders {
            let place = at.short();
            let _ = writeln!(
                out,
                "  {BOLD}{order}{RESET}  {place}, in {function}{loops}, for  {FAINT}{access}{RESET}"
            );
        }
    }
    if fence.needed == Some(false) {
        let _ = writeln!(out, "    without it: holds; the method asks for more than is needed");
    }
    if let (Some(check), Some(question)) = (&fence.without, fence.question) {
        without(check, &name(&fences.questions[question]), explain, out);
    }
}

/// What fails without a fence.
fn without(check: &Check, question: &str, explain: bool, out: &mut String) {
    if let Some(reason) = &check.reason {
        let _ = writeln!(out, "    without it: {question} is not decided: {reason}");
    }
    let Some(trace) = &check.trace else { return };
    let what = match check.property {
        Property::Schedules => &format!("{} on {}", check.notation, check.model),
        _ => question,
    };
    let _ = writeln!(out, "    without it: {what} fails: {}", reason(trace));
    if explain {
        out.push_str(&detail(check));
        return;
    }
    for line in trace::overtakings(trace) {
        let _ = writeln!(out, "      {line}");
    }
}

/// What is known of the placements, and what it took.
fn closing(fences: &Fences) -> String {
    let mut out = String::new();
    let placements = &fences.placements;
    let empty = placements.first().is_none_or(|first| first.fences.is_empty());
    let patched = if empty { "holds" } else { "the patched program holds" };
    let _ = writeln!(out, "{patched}: {}", questions(fences));
    if !empty {
        let _ = writeln!(out, "{}", least(fences));
    }
    if let Some(limit) = fences.statistics.loop_limit {
        let _ = writeln!(
            out,
            "placements with which a loop can repeat more than {limit} times were taken to fail; --max-unroll looks further"
        );
    }
    let mut told = BTreeSet::new();
    for caveat in placements.iter().flat_map(|placement| &placement.not_explored) {
        if told.insert(caveat) {
            let _ = writeln!(out, "not explored: {caveat}");
        }
    }
    let work = match fences.searched {
        true => format!("{} tried", count(fences.statistics.placements_tried, "placement")),
        false => format!("by {}", fences.method),
    };
    let (places, kinds) = (count(fences.places, "place"), count(fences.kinds.len(), "kind"));
    let time = seconds(fences.statistics.total_seconds);
    let _ = write!(out, "{FAINT}{places}, {kinds} each, {work}, {time}{RESET}");
    out
}

/// What is known of other placements.
fn least(fences: &Fences) -> String {
    let placements = &fences.placements;
    let spare = placements[0].fences.iter().any(|fence| fence.needed == Some(false));
    match (fences.cheapest == Some(true), fences.complete == Some(true), placements.len()) {
        (false, ..) if spare => "another method, or a finer abstraction, may find cheaper placements".into(),
        (false, ..) if !fences.exact => {
            let other = if fences.searched { "--abstraction auto" } else { "--method search" };
            format!("each fence is needed; {other} may find cheaper placements")
        }
        (false, ..) => "the model lets fences allow executions: there may be cheaper placements".into(),
        (true, _, 1) if orders(&placements[0]) > 0 => {
            "no placement of fences is cheaper; orders replace fences where they are enough".into()
        }
        (true, false, 1) => "no placement is cheaper".into(),
        (true, false, number) => format!("these are the {number} cheapest of the minimal placements"),
        (true, true, 1) => "every other placement contains this one".into(),
        (true, true, _) => "every other placement contains one of these".into(),
    }
}
