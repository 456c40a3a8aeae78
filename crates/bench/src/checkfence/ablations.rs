//! What single decisions are worth: each row again with one of them made otherwise.
//!
//! The paper's are range analysis (Figure 11c), mining from a reference implementation (Figure 11a), and
//! the memory model (Section 4.4). The order encodings are ours; `eager` has the shape of the paper's
//! formula, so it shows what today's solver alone would give.

use super::paper::Row;
use super::{Measured, charts, check, entry};
use crate::BenchArgs;
use crate::Results;
use anyhow::Result;

/// One decision made otherwise.
struct Variant {
    name: &'static str,
    arguments: Vec<String>,
}

impl Variant {
    fn new(name: &'static str, arguments: &[&str]) -> Variant {
        Variant { name, arguments: arguments.iter().map(|&argument| argument.to_owned()).collect() }
    }
}

/// A comparison: what is compared, by which figure.
struct Ablation<'a> {
    title: &'a str,
    file: &'a str,
    statistic: &'a str,
    usual: &'a str,
    variants: &'a dyn Fn(&Row) -> Vec<Variant>,
}

/// Runs all of them.
pub(super) fn run(args: &BenchArgs, rows: &[&Row], usual: &[Measured], results: &mut Results) -> Result<()> {
    let reference = |row: &Row| {
        let file = args.corpus.join("checkfence").join(row.reference()).display().to_string();
        vec![Variant::new("reference", &["--reference", &file]), Variant::new("by solver", &["--sat-mining"])]
    };
    let ablations = [
        Ablation {
            title: "Order encodings, seconds. eager: a variable for each pair of accesses and clauses for transitivity, as in\n\
                    the paper. lazy: reads-from and coherence, cycles found while the solver runs. propagating: as lazy, and\n\
                    edges that would close a cycle are ruled out.",
            file: "orders",
            statistic: "total_seconds",
            usual: "lazy",
            variants: &|_| {
                vec![
                    Variant::new("eager", &["--order", "eager"]),
                    Variant::new("propagating", &["--order", "propagating"]),
                ]
            },
        },
        Ablation {
            title: "Range analysis, seconds. off: every value of its type is possible wherever a thread loads.",
            file: "ranges",
            statistic: "total_seconds",
            usual: "on",
            variants: &|_| vec![Variant::new("off", &["--no-ranges"])],
        },
        Ablation {
            title: "Memory model, seconds.",
            file: "models",
            statistic: "total_seconds",
            usual: "relaxed",
            variants: &|_| vec![Variant::new("sc", &["--model", "sc"])],
        },
        Ablation {
            title: "Mining, seconds. own: by running the implementation. reference: by running a sequential one.\n\
                    by solver: serial executions enumerated with the solver, as in the paper.",
            file: "mining",
            statistic: "mine_seconds",
            usual: "own",
            variants: &reference,
        },
    ];
    for ablation in &ablations {
        compare(args, ablation, rows, usual, results)?;
    }
    Ok(())
}

fn compare(
    args: &BenchArgs,
    ablation: &Ablation,
    rows: &[&Row],
    usual: &[Measured],
    results: &mut Results,
) -> Result<()> {
    results.say(&format!("{}\n", ablation.title));
    let names: Vec<&str> =
        rows.first().map_or(Vec::new(), |row| (ablation.variants)(row).iter().map(|v| v.name).collect());
    let head: String = names.iter().map(|name| format!(" | {name:>11}  ratio")).collect();
    results.say(&format!("{:<15} | {:>8}{head}", "test", ablation.usual));
    // Per variant, pairs of usual and other figure, of rows that ended.
    let mut pairs: Vec<Vec<(f64, f64)>> = vec![Vec::new(); names.len()];
    let mut unfinished = vec![0; names.len()];
    for (row, usual) in rows.iter().zip(usual) {
        let base = usual.statistic(ablation.statistic);
        let mut line = format!("{:<15} | {base:>8.3}", row.name());
        for (index, variant) in (ablation.variants)(row).iter().enumerate() {
            let extra: Vec<&str> = variant.arguments.iter().map(String::as_str).collect();
            let measured = check(args, &row.file(), row.test, &extra, 1)?;
            let figure = measured.statistic(ablation.statistic);
            if measured.verdict() == usual.verdict() {
                line += &format!(" | {figure:>11.3} {:>6.2}", figure / base);
                pairs[index].push((base, figure));
            } else {
                line += &format!(" | {:>11} {:>6}", format!(">{}", args.timeout.as_secs()), "");
                unfinished[index] += 1;
            }
            results.values.push(entry(&row.name(), variant.name, &measured));
        }
        results.say(&line);
    }
    results.say("");
    for (index, name) in names.iter().enumerate() {
        let (usual, other) = pairs[index].iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
        let mut ratios: Vec<f64> = pairs[index].iter().map(|(a, b)| b / a).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
        results.say(&format!(
            "{name}: {other:.1} s where {} takes {usual:.1} s, median ratio {middle:.2}; {} of {} rows did not end",
            ablation.usual,
            unfinished[index],
            rows.len()
        ));
    }
    results.say("");
    results.add_chart(ablation.file, &charts::comparison(ablation.file, ablation.usual, &names, &pairs));
    Ok(())
}
