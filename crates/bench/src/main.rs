//! The papers' tables, ours beside theirs, kept in a dated folder: `cargo run --release -p fencepost-bench -- checkfence`.
//!
//! Each row runs in a process of its own, so that its memory is its own and a crash costs only that row.
//! Times are medians of several runs on one core.

mod blender;
mod blender_fences;
mod blender_proofs;
mod chart;
mod checkfence;
mod collect;
mod machine;

use anyhow::{Context, Result, bail};
use clap::Parser;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Runs a paper's benchmarks and prints our figures beside theirs.
#[derive(Parser)]
#[command(version, about)]
pub(crate) struct BenchArgs {
    /// Which: checkfence, blender or collect.
    pub(crate) suite: String,
    /// Only the small rows.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Also runs every row with one decision made otherwise: order encodings, range analysis, memory
    /// model, mining.
    #[arg(long)]
    pub(crate) ablations: bool,
    /// Runs of each row, of which the median counts.
    #[arg(long, default_value_t = 3)]
    pub(crate) runs: u32,
    /// Seconds for each run.
    #[arg(long, default_value = "300", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Where the corpus is.
    #[arg(long, default_value = "corpus")]
    pub(crate) corpus: PathBuf,
    /// Where to put a dated folder with the results; without it, they are only printed.
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// The program to measure; without it, the one that was built beside this.
    #[arg(long)]
    pub(crate) program: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_secs).map_err(|_| "write a number of seconds".into())
}

impl BenchArgs {
    /// The program to measure.
    fn program(&self) -> Result<PathBuf> {
        let beside = || Ok(std::env::current_exe()?.with_file_name("fencepost"));
        let program = self.program.clone().map_or_else(beside, anyhow::Ok)?;
        if !program.exists() {
            bail!("there is no {}: build it first, with `cargo build --release`", program.display());
        }
        Ok(program)
    }
}

fn main() -> Result<()> {
    let args = &BenchArgs::parse();
    match args.suite.as_str() {
        "checkfence" => checkfence::run(args),
        "blender" => blender::run(args),
        "collect" => collect::run(args),
        other => bail!("unknown benchmark `{other}`: there are `checkfence`, `blender` and `collect`"),
    }
}

/// What one check cost: the median of several runs.
pub(crate) struct Measured {
    /// The result of the median run, as `check --json` prints it.
    pub(crate) result: Value,
    /// Seconds of the whole process, median.
    pub(crate) wall: f64,
}

impl Measured {
    fn statistic(&self, name: &str) -> f64 {
        self.result["statistics"][name].as_f64().unwrap_or(0.0)
    }

    fn verdict(&self) -> &str {
        self.result["verdict"].as_str().unwrap_or("?")
    }
}

/// What a suite found, as it goes into the dated folder.
pub(crate) struct Results {
    text: String,
    values: Vec<Value>,
    /// Names and documents.
    charts: Vec<(String, String)>,
}

impl Results {
    fn new(args: &BenchArgs) -> Results {
        let text = format!("{}runs: median of {}\n\n", machine::describe(), args.runs);
        Results { text, values: Vec::new(), charts: Vec::new() }
    }

    /// Adds a line and shows it at once.
    fn say(&mut self, line: &str) {
        println!("{line}");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn add_chart(&mut self, name: &str, svg: &str) {
        self.charts.push((name.to_owned(), svg.to_owned()));
    }

    /// Writes the dated folder, if one is wanted.
    fn write(&self, args: &BenchArgs, suite: &str) -> Result<()> {
        let Some(root) = &args.out else { return Ok(()) };
        let folder = root.join(format!("{}-{suite}", machine::today()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        std::fs::write(folder.join("results.txt"), &self.text)?;
        std::fs::write(folder.join("results.json"), serde_json::to_string_pretty(&self.values)?)?;
        for (name, svg) in &self.charts {
            std::fs::write(folder.join(format!("{name}.svg")), svg)?;
        }
        eprintln!("written to {}", folder.display());
        Ok(())
    }
}

/// Runs a command some times in processes of their own.
pub(crate) fn measure(args: &BenchArgs, command: &str, arguments: &[&str]) -> Result<Measured> {
    measure_times(args, command, arguments, args.runs)
}

/// Runs a command so many times in processes of their own.
pub(crate) fn measure_times(
    args: &BenchArgs,
    command: &str,
    arguments: &[&str],
    runs: u32,
) -> Result<Measured> {
    let program = args.program()?;
    let mut all = Vec::new();
    for _ in 0..runs {
        let start = std::time::Instant::now();
        let output = Command::new(&program)
            .arg(command)
            .args(arguments)
            .arg("--json")
            .output()
            .context("cannot run the checker")?;
        let wall = start.elapsed().as_secs_f64();
        // An expectation that is not met, by a run that was cut short say, is a result all the same.
        let document: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        let Some(result) = document.and_then(|document| document["results"].get(0).cloned()) else {
            bail!("{command} {} failed:\n{}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        };
        all.push(Measured { result, wall });
    }
    all.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    let middle = all.len() / 2;
    Ok(all.swap_remove(middle))
}
