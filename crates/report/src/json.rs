//! Results as JSON: one document with the facts that the text gives, under stable names.
//!
//! docs/json.md describes the document.

use crate::values;
use fencepost_harness::consistency::history::Event;
use fencepost_harness::observation;
use fencepost_harness::operation::Harness;
use fencepost_harness::result::{CheckResult, Counterexample, Verdict, Wrong};
use fencepost_harness::sweep;
use fencepost_harness::test::Test;
use fencepost_harness::trace::{Action, EventId, Source};
use serde_json::{Value, json};
use std::time::Duration;

/// The version of the document's form.
pub(crate) const FORMAT: u32 = 1;

/// The document for some results.
pub fn document(results: Vec<Value>) -> Value {
    json!({ "format": FORMAT, "tool": "fencepost", "version": env!("CARGO_PKG_VERSION"), "results": results })
}

/// A result.
pub fn result(harness: &Harness, test: Option<&Test>, result: &CheckResult) -> Value {
    let (reason, trace) = match &result.verdict {
        Verdict::Holds => (Value::Null, Value::Null),
        Verdict::Inconclusive(reason) => (json!(reason.to_string()), Value::Null),
        Verdict::Violated(example) => (Value::Null, counterexample(harness, test, example)),
    };
    let position = |span| {
        let at = harness.program.sources.position(span);
        json!({ "file": at.file, "line": at.line, "column": at.column })
    };
    let loops: Vec<Value> = result
        .scope
        .loops
        .iter()
        .map(|info| {
            json!({
                "at": position(info.span),
                "instances": info.instances,
                "bound": info.bound,
                "waits": info.spin,
                "recursion": info.recursion,
            })
        })
        .collect();
    let statistics = &result.statistics;
    json!({
        "file": result.file,
        "test": result.test,
        "notation": result.notation,
        "model": result.model,
        "property": result.property.name(),
        "verdict": result.verdict.kind().to_string(),
        "reason": reason,
        "scope": {
            "threads": result.scope.threads,
            "calls": result.scope.calls,
            "inputs": result.scope.inputs,
            "loops": loops,
            "abstraction": result.scope.visited.as_ref().map(|visited| visited.abstraction.clone()),
            "states": result.scope.visited.as_ref().map(|visited| visited.states),
            "transitions": result.scope.visited.as_ref().map(|visited| visited.transitions),
            "preemptions": result.scope.visited.as_ref().and_then(|visited| visited.preemptions),
            "not_explored": result.scope.caveats,
            "race": result.scope.race.as_ref().map(|race| json!({
                "place": race.place,
                "at": race.at.map(position),
            })),
        },
        "observations": result.scope.observations,
        "trace": trace,
        "statistics": {
            "rounds": statistics.rounds,
            "instructions": statistics.instructions,
            "loads": statistics.loads,
            "stores": statistics.stores,
            "variables": statistics.variables,
            "clauses": statistics.clauses,
            "conflicts": statistics.conflicts,
            "mine_seconds": seconds(statistics.mine_time),
            "encode_seconds": seconds(statistics.encode_time),
            "solve_seconds": seconds(statistics.solve_time),
            "total_seconds": seconds(statistics.total_time),
            "peak_memory_bytes": statistics.peak_memory,
        },
    })
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

fn counterexample(harness: &Harness, test: Option<&Test>, example: &Counterexample) -> Value {
    let sources = &harness.program.sources;
    let trace = &example.trace;
    let events: Vec<Value> =
        (0..trace.events.len() as u32).map(|id| event(harness, example, EventId(id))).collect();
    let calls: Vec<Value> = trace
        .threads
        .iter()
        .enumerate()
        .flat_map(|(index, thread)| thread.calls.iter().map(move |call| (index, call)))
        .map(|(thread, call)| {
            let operation = call.op.map(|(op, _)| harness.op(op).name.clone());
            json!({
                "thread": thread,
                "operation": operation,
                "function": harness.program.proc(call.proc).name,
                "arguments": call.args.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "results": call.results.as_ref().map(|r| r.iter().map(ToString::to_string).collect::<Vec<_>>()),
                "events": [call.events.start, call.events.end],
            })
        })
        .collect();
    let fault = trace.fault().map(|(thread, fault, span)| {
        let at = sources.position(span);
        json!({ "thread": thread, "fault": fault.to_string(), "file": at.file, "line": at.line })
    });
    let shown = |values: &observation::Observation, serial: bool| {
        test.map(|test| observation::show(harness, test, values, serial))
    };
    let observed = trace.observation(harness).and_then(|observed| shown(&observed, false));
    let nearest: Vec<Value> = example.nearest.iter().take(3).map(|(o, _)| json!(shown(o, true))).collect();
    let (waiting, repeats) = match &example.wrong {
        Wrong::Stuck(threads) => (json!(threads), Value::Null),
        Wrong::Endless { repeats, .. } => {
            (Value::Null, json!(repeats.iter().map(|id| id.0).collect::<Vec<_>>()))
        }
        _ => (Value::Null, Value::Null),
    };
    let mut looks: Vec<Value> = Vec::new();
    if let Wrong::Stuck(threads) = &example.wrong {
        for &thread in threads {
            for look in &example.explanation.looks[thread] {
                let at = sources.position(look.span);
                looks.push(json!({
                    "thread": thread,
                    "file": at.file,
                    "line": at.line,
                    "address": look.addr,
                    "bytes": look.bytes,
                    "place": values::part(look.addr, look.bytes, harness, &example.explanation),
                    "value": look.value.to_string(),
                }));
            }
        }
    }
    json!({
        "replayed": true,
        "wrong": example.wrong.name(),
        "waiting": waiting,
        "looks_at": looks,
        "repeats": repeats,
        "serial": example.serial,
        "fault": fault,
        "observed": observed,
        "nearest_serial": nearest,
        "calls": calls,
        "events": events,
        "memory_order": example.explanation.order.iter().map(|id| id.0).collect::<Vec<_>>(),
        "reorderings": example.explanation.reorderings.iter()
            .map(|pair| json!({ "first": pair.first.0, "overtaken_by": pair.overtook.0 }))
            .collect::<Vec<_>>(),
        "possible_on_sc": example.explanation.on_sc,
    })
}

/// A counterexample of a client, as that of a test, with its history and the explanations that fail.
pub fn client_counterexample(harness: &Harness, found: &sweep::Counterexample) -> Value {
    let example = Counterexample {
        wrong: found.wrong.clone(),
        trace: found.trace.clone(),
        explanation: found.explanation.clone(),
        nearest: Vec::new(),
        serial: false,
    };
    let mut value = counterexample(harness, None, &example);
    let shown = |values: &[fencepost_lsl::value::Value]| {
        values.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let history = found.history.as_ref().map(|history| {
        let events: Vec<Value> = history
            .events
            .iter()
            .map(|event| match event {
                Event::Invoke(thread, call) => json!({ "thread": thread + 1, "call": call.show(harness) }),
                Event::Respond(thread, results) => json!({ "thread": thread + 1, "results": shown(results) }),
            })
            .collect();
        json!(events)
    });
    let attempts: Vec<Value> = found
        .attempts
        .iter()
        .map(|attempt| {
            let stuck: Vec<usize> = attempt.stuck.iter().map(|thread| thread + 1).collect();
            json!({ "order": attempt.order, "stuck": stuck.first(), "stuck_threads": stuck })
        })
        .collect();
    let more = json!({
        "schedule": found.number,
        "notation": found.client.show(harness),
        "history": history,
        "attempts": attempts,
    });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

fn event(harness: &Harness, example: &Counterexample, id: EventId) -> Value {
    let explanation = &example.explanation;
    let event = example.trace.event(id);
    let span = explanation.spans[id.index()];
    let at = harness.program.sources.position(span);
    let mut value = json!({
        "id": id.0,
        "thread": event.thread,
        "file": at.file,
        "line": at.line,
        "text": harness.program.sources.line(span),
        "atomic": event.atomic,
    });
    let more = match &event.action {
        Action::Load { addr, ty, order, value, from } => json!({
            "kind": "load",
            "address": addr,
            "bytes": ty.bytes(),
            "order": order.to_string(),
            "value": value.to_string(),
            "from": from.iter().map(|part| match part.source {
                Source::Initial => Value::Null,
                Source::Event(id) => json!(id.0),
            }).collect::<Vec<_>>(),
        }),
        Action::Store { addr, ty, order, value } => json!({
            "kind": "store",
            "address": addr,
            "bytes": ty.bytes(),
            "order": order.to_string(),
            "value": value.to_string(),
        }),
        Action::Fence(fence) => json!({ "kind": "fence", "fence": fence.to_string() }),
        Action::Alloc { addr, size, .. } => json!({ "kind": "alloc", "address": addr, "bytes": size }),
        Action::Free { addr } => json!({ "kind": "free", "address": addr }),
        Action::Choose { value } => json!({ "kind": "choose", "value": value.to_string() }),
        Action::Spawn { thread } => json!({ "kind": "spawn", "started": thread }),
    };
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
        if let Some(Source::Event(free)) = event.life
            && matches!(example.trace.event(free).action, Action::Free { .. })
        {
            // What freed memory holds is no value that anybody stored.
            value.insert("freed_by".into(), json!(free.0));
            if matches!(event.action, Action::Load { .. }) {
                value.insert("value".into(), Value::Null);
                value.insert("from".into(), json!([]));
            }
        }
        if event.action.access().is_some() {
            value.insert("place".into(), json!(explanation.places[id.index()]));
            value.insert("expression".into(), json!(explanation.ways[id.index()]));
            if let Action::Load { addr, ty, value: content, .. }
            | Action::Store { addr, ty, value: content, .. } = &event.action
            {
                // The value is that of the bytes; these are what it says.
                let fields = values::bit_fields(*addr, ty.bytes(), *content, harness, explanation);
                if !fields.is_empty() && value.get("value") != Some(&Value::Null) {
                    let shown = |(name, value): (&str, fencepost_lsl::value::Value)| {
                        (name.to_owned(), json!(value.to_string()))
                    };
                    value.insert("bit_fields".into(), fields.into_iter().map(shown).collect());
                }
            }
        }
        if let (Some(_), Some(Source::Event(free))) = (example.trace.finds_freed(event), event.life) {
            value.insert("freed_by".into(), json!(free.0));
        }
    }
    value
}
