//! CheckFence's Figure 10, and our order encodings side by side.

use super::paper::{FIGURE_10, Row};
use super::{Measured, folder, machine, measure};
use crate::args::BenchArgs;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &BenchArgs) -> Result<u8> {
    let rows: Vec<&Row> = FIGURE_10.iter().filter(|row| row.quick || !args.quick).collect();
    let mut text = format!("{}runs: median of {}\n\n", machine::describe(), args.runs);
    let mut values = Vec::new();
    table(args, &rows, &mut text, &mut values)?;
    if args.orders {
        orders(args, &rows, &mut text, &mut values)?;
    }
    if let Some(root) = &args.out {
        let folder = folder(root, "checkfence")?;
        std::fs::write(folder.join("results.txt"), &text)?;
        std::fs::write(folder.join("results.json"), serde_json::to_string_pretty(&json!(values))?)?;
        anstream::eprintln!("written to {}", folder.display());
    }
    Ok(0)
}

fn arguments(args: &BenchArgs, row: &Row, order: &str) -> Vec<String> {
    let file = args.corpus.join("checkfence").join(format!("{}.c", row.implementation));
    let list =
        [file.display().to_string().as_str(), "--model", "relaxed", "--test", row.test, "--order", order]
            .map(str::to_owned);
    let timeout = args.timeout.as_secs().to_string();
    [list.to_vec(), vec!["--timeout".into(), timeout]].concat()
}

/// Adds a line to the results and shows it at once.
fn say(text: &mut String, line: &str) {
    anstream::println!("{line}");
    let _ = writeln!(text, "{line}");
}

fn table(args: &BenchArgs, rows: &[&Row], text: &mut String, values: &mut Vec<Value>) -> Result<()> {
    say(
        text,
        "Figure 10: fenced implementations on relaxed. Ours includes mining, all rounds of unrolling, and replay;",
    );
    say(text, "the paper's times are for the last inclusion check alone, on a 3 GHz Pentium 4.\n");
    say(
        text,
        "            |                          ours                               |                    paper                      |",
    );
    say(
        text,
        "test        | instr loads stores   vars  clauses  enc s  solve s  total s  MB | instr loads stores   vars   clauses   total s  MB | ratio",
    );
    let (mut ours, mut theirs) = (0.0, 0.0);
    for row in rows {
        let measured = measure(&arguments(args, row, "lazy"), args.runs)?;
        let get = |name: &str| measured.statistic(name);
        let verdict = measured.result["verdict"].as_str().unwrap_or("?").to_owned();
        let total = get("total_seconds");
        let note = if verdict == "holds" { String::new() } else { format!("  {verdict}") };
        ours += total;
        theirs += row.total;
        let name = format!("{} {}", row.implementation, row.test);
        say(
            text,
            &format!(
                "{name:<11} | {:>5} {:>5} {:>6} {:>6} {:>8} {:>6.2} {:>8.2} {:>8.2} {:>3} | {:>5} {:>5} {:>6} {:>6} {:>9} {:>9.1} {:>3} | {:>5.0}{note}",
                get("instructions"),
                get("loads"),
                get("stores"),
                get("variables"),
                get("clauses"),
                get("encode_seconds"),
                get("solve_seconds"),
                total,
                (get("peak_memory_bytes") / 1048576.0).round(),
                row.instructions,
                row.loads,
                row.stores,
                row.variables,
                row.clauses,
                row.total,
                row.memory,
                row.total / total,
            ),
        );
        values.push(entry(row, "lazy", &measured));
    }
    say(
        text,
        &format!("\nall rows: {ours:.1} s, the paper's {theirs:.0} s: {:.0} times faster\n", theirs / ours),
    );
    Ok(())
}

fn entry(row: &Row, order: &str, measured: &Measured) -> Value {
    json!({
        "implementation": row.implementation,
        "test": row.test,
        "order": order,
        "verdict": measured.result["verdict"],
        "wall_seconds": measured.wall,
        "statistics": measured.result["statistics"],
        "paper": {
            "instructions": row.instructions,
            "loads": row.loads,
            "stores": row.stores,
            "encode_seconds": row.encode,
            "variables": row.variables,
            "clauses": row.clauses,
            "memory_mb": row.memory,
            "solve_seconds": row.solve,
            "total_seconds": row.total,
        },
    })
}

/// The same checks with each way to encode orders.
fn orders(args: &BenchArgs, rows: &[&Row], text: &mut String, values: &mut Vec<Value>) -> Result<()> {
    say(text, "Order encodings: seconds in all, and conflicts of the solver.");
    say(text, "  eager: a variable for each pair of accesses and clauses for transitivity, as in the paper");
    say(text, "  lazy: reads-from and coherence, cycles found while the solver runs");
    say(text, "  propagating: as lazy, and edges that would close a cycle are ruled out\n");
    say(text, "test        |    eager  conflicts |     lazy  conflicts | propagating  conflicts");
    for row in rows {
        let mut line = format!("{:<11} |", format!("{} {}", row.implementation, row.test));
        for order in ["eager", "lazy", "propagating"] {
            let measured = measure(&arguments(args, row, order), args.runs)?;
            let seconds = match measured.result["verdict"].as_str() {
                Some("holds") => format!("{:.2}", measured.statistic("total_seconds")),
                _ => format!(">{}", args.timeout.as_secs()),
            };
            let width = if order == "propagating" { 11 } else { 8 };
            let bar = if order == "propagating" { "" } else { " |" };
            let _ = write!(line, " {seconds:>width$}  {:>9}{bar}", measured.statistic("conflicts"));
            values.push(entry(row, order, &measured));
        }
        say(text, &line);
    }
    Ok(())
}
