//! Results as text, in the words of herd, and as JSON.

use crate::batch::{Answer, Outcome};
use crate::read::Litmus;
use crate::run::Found;
use serde_json::{Value, json};
use std::fmt::Write;

/// All that herd prints of a test. Witnesses are states here, not executions.
pub fn herd(litmus: &Litmus, found: &Found) -> String {
    let Found { states, positive, negative, ok } = found;
    let mut text =
        format!("Test {} {}\nStates {}\n", litmus.name, litmus.condition.quantifier.word(), states.len());
    text.push_str(&listed(litmus, found));
    let word = if *ok { "Ok" } else { "No" };
    let _ = write!(
        text,
        "{word}\nWitnesses\nPositive: {positive} Negative: {negative}\nCondition {}\nObservation {} {} {positive} {negative}\n",
        condition(litmus),
        litmus.name,
        found.verdict().word(),
    );
    text
}

/// The final states, a line each.
pub fn listed(litmus: &Litmus, found: &Found) -> String {
    let mut text = String::new();
    for state in &found.states {
        let values = litmus.places.iter().zip(state).map(|(place, value)| format!("{place}={value};"));
        let _ = writeln!(text, "{}", values.collect::<Vec<_>>().join(" "));
    }
    text
}

/// What the test asks, on one line.
fn condition(litmus: &Litmus) -> String {
    let quantifier = match litmus.condition.quantifier {
        crate::condition::Quantifier::Exists => "exists",
        crate::condition::Quantifier::NotExists => "~exists",
        crate::condition::Quantifier::Forall => "forall",
    };
    format!("{quantifier} {}", litmus.condition.text)
}

/// One object for a test on a model.
pub fn json(outcome: &Outcome) -> Value {
    let seconds = outcome.time.as_secs_f64();
    let mut object = json!({ "file": outcome.file, "seconds": seconds });
    match &outcome.answer {
        Answer::Unread(unread) => {
            let messages: Vec<Value> = (unread.diagnostics.iter())
                .map(|diagnostic| {
                    let at = diagnostic.primary.as_ref().map(|(span, _)| unread.sources.position(*span));
                    let place = at.map(|at| json!({ "line": at.line, "column": at.column }));
                    json!({ "message": diagnostic.message, "at": place })
                })
                .collect();
            object["errors"] = messages.into();
        }
        Answer::Ran { litmus, model, found } => {
            object["test"] = litmus.name.clone().into();
            object["arch"] = litmus.arch.name().into();
            object["model"] = model.clone().into();
            object["condition"] = condition(litmus).into();
            match found {
                Err(reason) => object["inconclusive"] = reason.to_string().into(),
                Ok(found) => {
                    object["verdict"] = found.verdict().word().into();
                    object["ok"] = found.ok.into();
                    object["positive"] = found.positive.into();
                    object["negative"] = found.negative.into();
                    object["states"] = found.states.iter().map(|state| state_object(litmus, state)).collect();
                }
            }
        }
    }
    object
}

fn state_object(litmus: &Litmus, state: &[crate::condition::Constant]) -> Value {
    let value = |value: &crate::condition::Constant| match value {
        crate::condition::Constant::Number(number) => Value::from(*number),
        crate::condition::Constant::Address(name) => Value::from(name.clone()),
    };
    litmus.places.iter().zip(state).map(|(place, found)| (place.to_string(), value(found))).collect()
}
