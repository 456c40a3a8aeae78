//! BLENDER's Table 1: which programs with all their fences verify under Set, FD with k = 0 and FD with k = 1, on
//! pso.
//!
//! The paper counts every instruction and every flush as a step, so its states are more than ours. Its machine
//! is an 8-CPU Xeon with 1.6 GHz and 16 GB.

use super::{Results, blender_fences, blender_proofs, measure};
use crate::BenchArgs;
use anyhow::Result;
use serde_json::json;

/// What the paper found with an abstraction: whether it proves the program, and thousands of states; none if
/// memory ran out, after a violation of the abstraction was found.
#[derive(Clone, Copy)]
struct Paper {
    proves: bool,
    thousands: Option<f64>,
}

const fn proves(thousands: f64) -> Paper {
    Paper { proves: true, thousands: Some(thousands) }
}

const fn fails(thousands: f64) -> Paper {
    Paper { proves: false, thousands: Some(thousands) }
}

const fn full() -> Paper {
    Paper { proves: false, thousands: None }
}

impl Paper {
    fn show(self) -> String {
        let states = self.thousands.map_or("memory".into(), |thousands| format!("{thousands} k"));
        format!("{} {states}", mark(self.proves))
    }
}

fn mark(proves: bool) -> &'static str {
    if proves { "●" } else { "○" }
}

const ABSTRACTIONS: [&str; 3] = ["set", "fd:0", "fd:1"];

/// Names, files, and what the paper found. Of the row of CLH2 the text says which entries lack a number.
#[rustfmt::skip]
const TABLE_1: [(&str, &str, [Paper; 3]); 6] = [
    ("Sense1", "sense-barrier", [fails(0.6), proves(1.7), proves(0.8)]),
    ("Pet2", "peterson", [fails(7.7), proves(2.4), proves(1.8)]),
    ("Dek2", "dekker", [fails(9.7), proves(4.5), proves(3.1)]),
    ("Lam2", "bakery", [fails(41.2), proves(22.2), proves(9.0)]),
    ("Fast3", "fast-mutex", [fails(22.2), fails(16.4), proves(11.1)]),
    ("CLH2", "clh", [full(), full(), proves(68.8)]),
];

pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let mut results = Results::new(args);
    results.say(
        "Table 1: verification on pso. ● proved, ○ not provable with this abstraction; states; seconds.",
    );
    results.say(&format!(
        "{:<8} {:<6} {:<18} {:<14} {:>8}  {:>9}",
        "program", "", "ours", "paper", "seconds", "memory"
    ));
    let mut differ = 0;
    for (name, file, paper) in TABLE_1 {
        for (abstraction, paper) in ABSTRACTIONS.into_iter().zip(paper) {
            let path = args.corpus.join("blender").join(format!("{file}.c")).display().to_string();
            let timeout = args.timeout.as_secs().to_string();
            let list = [path.as_str(), "--model", "pso", "--abstraction", abstraction, "--timeout", &timeout];
            let measured = measure(args, "verify", &list)?;
            let proved = measured.verdict() == "holds";
            let first = &measured.result["searches"][0];
            let states = first["states"].as_u64().unwrap_or(0);
            let bytes = measured.result["statistics"]["peak_memory_bytes"].as_u64().unwrap_or(0);
            let differs = proved != paper.proves;
            differ += differs as u32;
            let ours = format!("{} {states}", mark(proved));
            let wall = measured.wall;
            let note = if differs { "  otherwise than in the paper" } else { "" };
            results.say(&format!(
                "{name:<8} {abstraction:<6} {ours:<18} {:<14} {wall:>8.2}  {:>6} MB{note}",
                paper.show(),
                bytes >> 20
            ));
            results.values.push(json!({
                "table": 1,
                "program": name,
                "abstraction": abstraction,
                "proved": proved,
                "verdict": measured.verdict(),
                "states": states,
                "seconds": wall,
                "peak_memory_bytes": bytes,
                "paper": paper.show(),
            }));
        }
    }
    results.say(&format!("{differ} of {} entries differ from the paper's", 3 * TABLE_1.len()));
    blender_fences::run(args, &mut results)?;
    blender_proofs::run(args, &mut results)?;
    results.write(args, "blender")?;
    Ok(())
}
