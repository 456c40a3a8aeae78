//! CheckFence's study: the rows of Figure 10, larger tests than it could do, and its ablations.

mod ablations;
mod charts;
mod paper;
mod table;

use super::{Measured, Results, measure_times};
use crate::BenchArgs;
use anyhow::Result;
use paper::{FIGURE_10, Row};
use serde_json::{Value, json};

pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let rows: Vec<&Row> = FIGURE_10.iter().filter(|row| row.quick || !args.quick).collect();
    let mut results = Results::new(args);
    let measured = table::figure_10(args, &rows, &mut results)?;
    results.add_chart("figure-10", &charts::figure_10(&rows, &measured));
    if !args.quick {
        table::larger(args, &mut results)?;
    }
    if args.ablations {
        ablations::run(args, &rows, &measured, &mut results)?;
    }
    results.write(args, "checkfence")?;
    Ok(())
}

/// Checks one test of a file of the corpus, `extra` being further arguments.
fn check(args: &BenchArgs, file: &str, test: &str, extra: &[&str], runs: u32) -> Result<Measured> {
    let file = args.corpus.join("checkfence").join(file).display().to_string();
    let timeout = args.timeout.as_secs().to_string();
    let mut list = vec![file.as_str(), "--test", test, "--timeout", &timeout];
    if !extra.contains(&"--model") {
        list.extend(["--model", "relaxed"]);
    }
    list.extend(extra);
    measure_times(args, "check", &list, runs)
}

/// What goes into the results of a check.
fn entry(name: &str, variant: &str, measured: &Measured) -> Value {
    json!({
        "row": name,
        "variant": variant,
        "verdict": measured.result["verdict"],
        "observations": measured.result["scope"]["observations"],
        "wall_seconds": measured.wall,
        "statistics": measured.result["statistics"],
    })
}
