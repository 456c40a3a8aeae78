//! The programs of BLENDER's Table 2 once more, by the search that proves each placement it tries: the cheapest
//! full fences, on pso and tso.

use super::blender_fences::TABLE_2;
use super::{Results, measure};
use crate::BenchArgs;
use anyhow::Result;
use serde_json::json;

/// Adds the table to the results.
pub(crate) fn run(args: &BenchArgs, results: &mut Results) -> Result<()> {
    results.say("");
    results
        .say("The same programs with `fencepost fences`: the cheapest full fences, each placement proved.");
    results.say(&format!(
        "{:<8} {:<5} {:<12} {:>6} {:>6} {:>8}  {}",
        "program", "", "ours", "fences", "tried", "seconds", "before the lines"
    ));
    for (name, file, define, _) in TABLE_2 {
        for model in ["pso", "tso"] {
            let path = args.corpus.join("blender").join(format!("{file}.c")).display().to_string();
            let timeout = args.timeout.as_secs().to_string();
            let list =
                [path.as_str(), define, "--model", model, "--fence-kinds", "full", "--timeout", &timeout];
            let measured = measure(args, "fences", &list)?;
            let result = &measured.result;
            let optimal = result["answer"] == "placements" && result["cheapest"] == true;
            let first = result["placements"].get(0).map_or_else(Vec::new, |placement| {
                placement["fences"].as_array().cloned().unwrap_or_default()
            });
            let lines: Vec<String> = first.iter().map(|fence| fence["line"].to_string()).collect();
            let word = if optimal { "optimal" } else { "no answer" };
            results.say(&format!(
                "{name:<8} {model:<5} {word:<12} {:>6} {:>6} {:>8.2}  {}",
                first.len(),
                result["statistics"]["placements_tried"].as_u64().unwrap_or(0),
                measured.wall,
                lines.join(", ")
            ));
            results.values.push(json!({
                "table": "proofs",
                "program": name,
                "model": model,
                "result": word,
                "fences": first.len(),
                "lines": lines,
                "seconds": measured.wall,
            }));
        }
    }
    Ok(())
}
