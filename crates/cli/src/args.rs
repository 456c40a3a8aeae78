//! What the command line accepts.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Tells whether lock-free C is right on relaxed memory models.
///
/// Exit code: 0 holds, 1 violated, 2 bad input or usage, 3 inconclusive.
#[derive(Parser)]
#[command(version, about, long_about, verbatim_doc_comment)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Checks the tests of a C file, or a program with `main`, on memory models.
    Check(CheckArgs),
    /// Prints a C file in the load-store language.
    Lsl(SourceArgs),
    /// Prints fencepost.h, for use with other compilers.
    Header,
    /// Runs a paper's benchmarks and prints our figures beside theirs.
    Bench(BenchArgs),
}

#[derive(Args)]
pub(crate) struct SourceArgs {
    /// The C file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
}

#[derive(Args)]
pub(crate) struct PreprocessorArgs {
    /// Defines a macro: NAME or NAME=VALUE.
    #[arg(short = 'D', value_name = "MACRO")]
    define: Vec<String>,
    /// Undefines a macro.
    #[arg(short = 'U', value_name = "MACRO")]
    undefine: Vec<String>,
    /// Adds a folder for #include.
    #[arg(short = 'I', value_name = "FOLDER")]
    folder: Vec<String>,
    /// Includes a file before the first line (also: -include).
    #[arg(long, value_name = "FILE")]
    include: Vec<String>,
}

impl PreprocessorArgs {
    /// What to hand to the preprocessor.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flag = |flag: &str, values: &[String]| -> Vec<String> {
            values.iter().map(|value| format!("{flag}{value}")).collect()
        };
        let include = self.include.iter().flat_map(|file| ["-include".to_owned(), file.clone()]);
        [flag("-D", &self.define), flag("-U", &self.undefine), flag("-I", &self.folder), include.collect()]
            .concat()
    }
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The C files.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// A memory model: serial, sc, tso, pso, rmo, relaxed, or a .cat file. May be repeated; without it,
    /// the models that the file names, or all but serial.
    #[arg(long, short, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<String>,
    /// A test of the file, or one written out as in '( e d | d e )'. May be repeated.
    #[arg(long, short, value_name = "TEST")]
    pub(crate) test: Vec<String>,
    /// Mines the specification from this implementation instead of the file itself.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// Gives up on a check after this time: 90, 90s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Gives up on a check when the process holds this much memory: 500M, 2G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Gives up on a check when a loop repeats more often than this.
    #[arg(long, value_name = "N")]
    pub(crate) max_unroll: Option<u32>,
    /// Lets malloc return memory that was freed before.
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Prints one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints every counterexample, not only the first, and the scope of every verdict.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Prints only one line for each check.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Checks just what the files have expectations for; exits with 0 if all of them are met.
    #[arg(long)]
    pub(crate) expected: bool,
    /// How orders are encoded: eager, lazy or propagating.
    #[arg(long, hide = true, default_value = "lazy", value_parser = ["eager", "lazy", "propagating"])]
    pub(crate) order: String,
    /// Takes every value of its type for possible where a thread loads from memory.
    #[arg(long, hide = true)]
    pub(crate) no_ranges: bool,
    /// Mines specifications with the solver.
    #[arg(long, hide = true)]
    pub(crate) sat_mining: bool,
}

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Which: checkfence.
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
    /// Time for each run.
    #[arg(long, default_value = "300", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// Where the corpus is.
    #[arg(long, default_value = "corpus")]
    pub(crate) corpus: PathBuf,
    /// Where to put a dated folder with the results; without it, they are only printed.
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 90, 90s or 5m".into()),
    };
    let number: f64 = number.parse().map_err(|_| "write a time such as 90, 90s or 5m".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let shift = match unit.trim_end_matches(['b', 'B', 'i']) {
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        _ => return Err("write a size such as 500M or 2G".into()),
    };
    let number: f64 = number.parse().map_err(|_| "write a size such as 500M or 2G".to_owned())?;
    Ok((number * f64::from(1u32 << shift)) as u64)
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim(), &text[end..])
}
