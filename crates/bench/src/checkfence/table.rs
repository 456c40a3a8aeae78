//! Figure 10, ours beside the paper's, and rows of our own.

use super::paper::Row;
use super::{Measured, check, entry};
use crate::BenchArgs;
use crate::Results;
use anyhow::Result;
use serde_json::json;

/// Tests that are larger than those of the paper, by name, file, and notation.
const LARGER: [(&str, &str, &str); 4] = [
    ("msn Tpc8", "msn.c", "( e e e e e e e e | d d d d d d d d )"),
    ("harris Sarr", "harris.c", "Sarr"),
    ("harris S1", "harris.c", "S1"),
    ("harris Saacr", "harris.c", "Saacr"),
];

const NUMBERS: &str = " instr loads stores   vars  clauses  mine s   enc s solve s total s   MB";

fn numbers(measured: &Measured) -> String {
    let get = |name: &str| measured.statistic(name);
    format!(
        " {:>5} {:>5} {:>6} {:>6} {:>8} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>4}",
        get("instructions"),
        get("loads"),
        get("stores"),
        get("variables"),
        get("clauses"),
        get("mine_seconds"),
        get("encode_seconds"),
        get("solve_seconds"),
        get("total_seconds"),
        (get("peak_memory_bytes") / 1_048_576.0).round(),
    )
}

/// Runs the rows of Figure 10.
pub(super) fn figure_10(args: &BenchArgs, rows: &[&Row], results: &mut Results) -> Result<Vec<Measured>> {
    results.say("Figure 10: fenced implementations on relaxed. Ours is the whole check: mining, all rounds of unrolling,");
    results.say("encoding, solving, and replay of a witness. The paper's is the last inclusion check alone, on a 3 GHz");
    results.say("Pentium 4 with zChaff.\n");
    results.say(&format!(
        "{:<15} |{NUMBERS} | paper: instr loads stores   vars   clauses  MB  total s | ratio",
        "test"
    ));
    let (mut ours, mut theirs, mut slowest) = (0.0, 0.0, 0.0_f64);
    let mut all = Vec::new();
    for row in rows {
        let measured = check(args, &row.file(), row.test, &[], args.runs)?;
        let total = measured.statistic("total_seconds");
        ours += total;
        theirs += row.total;
        slowest = slowest.max(total);
        let note = if measured.verdict() == "holds" { "" } else { measured.verdict() };
        results.say(&format!(
            "{:<15} |{} | {:>12} {:>5} {:>6} {:>6} {:>9} {:>3} {:>8.1} | {:>5.0} {note}",
            row.name(),
            numbers(&measured),
            row.instructions,
            row.loads,
            row.stores,
            row.variables,
            row.clauses,
            row.memory,
            row.total,
            row.total / total,
        ));
        let mut value = entry(&row.name(), "", &measured);
        value["paper"] = json!({
            "instructions": row.instructions, "loads": row.loads, "stores": row.stores,
            "encode_seconds": row.encode, "variables": row.variables, "clauses": row.clauses,
            "memory_mb": row.memory, "solve_seconds": row.solve, "total_seconds": row.total,
        });
        results.values.push(value);
        all.push(measured);
    }
    results.say(&format!(
        "\nall {} rows: {ours:.1} s, the slowest {slowest:.1} s; the paper's {theirs:.0} s: {:.0} times faster\n",
        rows.len(),
        theirs / ours
    ));
    Ok(all)
}

/// Runs tests that the paper does not have.
pub(super) fn larger(args: &BenchArgs, results: &mut Results) -> Result<()> {
    results.say("Larger than the paper's, on relaxed.\n");
    results.say(&format!("{:<15} |{NUMBERS} | verdict", "test"));
    for (name, file, test) in LARGER {
        let measured = check(args, file, test, &[], args.runs)?;
        results.say(&format!("{name:<15} |{} | {}", numbers(&measured), measured.verdict()));
        results.values.push(entry(name, "", &measured));
    }
    results.say("");
    Ok(())
}
