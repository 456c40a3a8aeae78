//! What the command line accepts.

mod fences;
mod litmus;

pub(crate) use fences::FencesArgs;
pub(crate) use litmus::LitmusArgs;

use crate::commands::check::termination;
use clap::{ArgAction, Args, Parser, Subcommand};
use fencepost_driver::clients::Clients;
use fencepost_explore::Reductions;
use fencepost_harness::consistency::Waiting;
use std::ops::RangeInclusive;
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
    Check(Box<CheckArgs>),
    /// Finds the cheapest fences with which the tests of a C file, or a program with `main`, hold.
    Fences(Box<FencesArgs>),
    /// Verifies a program with `main`, loops and store buffers of any length.
    Verify(VerifyArgs),
    /// Generates all clients of a collection within a scope and checks each against an oracle.
    Sweep(Box<SweepArgs>),
    /// Runs litmus tests of the herd tools on memory models.
    ///
    /// Exit code: 0 if all tests ran, whatever they found; 2 if a file could not be read, 3 if a test was inconclusive.
    Litmus(LitmusArgs),
    /// Prints a C file in the load-store language.
    Lsl(SourceArgs),
    /// Prints fencepost.h, for use with other compilers.
    Header,
    /// Prints the JSON Schema of what --json prints.
    Schema,
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
    /// Lets `fp_hash` be any function from that many values to that many: nd:3:2.
    #[arg(long, value_name = "nd:DOMAIN:RANGE", value_parser = hash_function)]
    pub(crate) hash: Option<(u32, u32)>,
}

/// Reads `nd:3:2`.
fn hash_function(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.strip_prefix("nd:").and_then(|rest| rest.split_once(':'));
    let numbers = numbers.and_then(|(domain, range)| Some((domain.parse().ok()?, range.parse().ok()?)));
    match numbers {
        Some((domain @ 1..=64, range @ 1..=8)) => Ok((domain, range)),
        _ => Err("write nd:DOMAIN:RANGE, with at most 64 and at most 8 values".into()),
    }
}

impl PreprocessorArgs {
    /// What to hand to the preprocessor.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flag = |flag: &str, values: &[String]| -> Vec<String> {
            values.iter().map(|value| format!("{flag}{value}")).collect()
        };
        let include = self.include.iter().flat_map(|file| ["-include".to_owned(), file.clone()]);
        let hash = self.hash.map_or(Vec::new(), |(domain, range)| {
            vec![format!("-DFP_HASH_DOMAIN={domain}"), format!("-DFP_HASH_RANGE={range}")]
        });
        let defined = [flag("-D", &self.define), flag("-U", &self.undefine), hash];
        [defined.concat(), flag("-I", &self.folder), include.collect()].concat()
    }
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The C files.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// A memory model: rc11, x86, armv8, riscv, power, serial, sc, tso, pso, rmo, relaxed, or a .cat file. May be repeated;
    /// without it, the models that the file names; else rc11 and the machines if it includes <stdatomic.h>, and sc to
    /// relaxed if not.
    #[arg(long, short, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<String>,
    /// How orders of C are compiled to the machine: for armv8 exclusives, lse or rcpc; for power leading or trailing; for
    /// riscv fences [default: the first].
    #[arg(long, value_name = "MAPPING")]
    pub(crate) mapping: Option<String>,
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
    /// Prints every counterexample, not only the first, and the scope of every verdict. Twice: also what the time goes
    /// into, on the standard error stream.
    #[arg(long, short, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Prints no counterexample: a line for each check, and one for each thing that a check which holds leaves open.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Checks just what the files have expectations for; exits with 0 if all of them are met.
    #[arg(long)]
    pub(crate) expected: bool,
    /// What decides: bounded (a solver, on every model) or explicit (exploration of states on sc, tso or pso,
    /// which runs loops to their end).
    #[arg(long, value_name = "ENGINE", default_value = "bounded", value_parser = ["bounded", "explicit"])]
    pub(crate) engine: String,
    #[command(flatten)]
    pub(crate) exploring: ExploringArgs,
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

/// Options of the explicit engine.
#[derive(Args)]
pub(crate) struct ExploringArgs {
    /// Explicit engine: looks for a counterexample with as few steps as can be.
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Explicit engine: threads that wait for ever are violations.
    #[arg(long)]
    pub(crate) stuck: bool,
    /// Explicit engine: which endless executions are violations: fair ones, in which no thread is left out that could
    /// always go on, and no store that could always reach memory; strong ones, in which no thread is left out that
    /// could go on again and again, so that a mutex starves nobody; unfair ones, too; or none (ignore).
    #[arg(long, value_name = "WHICH", default_value = "ignore", value_parser = ["fair", "strong", "unfair", "ignore"])]
    pub(crate) endless: String,
    /// Explicit engine: heap objects that are not freed and that no global leads to any more are violations.
    #[arg(long)]
    pub(crate) leaks: bool,
    /// Explicit engine: switches of threads that could have gone on, at most; or none, for no bound.
    #[arg(long, value_name = "K", value_parser = preemptions)]
    pub(crate) preemptions: Option<Preemptions>,
}

impl ExploringArgs {
    /// The options that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            (self.shortest, "--shortest"),
            (self.stuck, "--stuck"),
            (self.endless != "ignore", "--endless"),
            (self.leaks, "--leaks"),
            (self.preemptions.is_some(), "--preemptions"),
        ];
        all.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
    }
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// The C file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// A memory model: sc, tso or pso. May be repeated; without it, all three.
    #[arg(long, short, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<String>,
    /// How store buffers are represented: none, set, fd:K, pd:K, or auto, which refines until it knows.
    #[arg(long, short, value_name = "ABSTRACTION", default_value = "auto")]
    pub(crate) abstraction: String,
    /// Gives up on a model after this time: 90, 90s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Gives up on a model when the process holds this much memory: 500M, 2G.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "8G")]
    pub(crate) memory: Option<u64>,
    /// Prints one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints every counterexample, not only the first, and the scope of every verdict. Twice: also what the time goes
    /// into, on the standard error stream.
    #[arg(long, short, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Prints no counterexample: a line for each model, and one for each thing that is left open.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

/// Which clients a sweep makes, and what it holds them to.
#[derive(Args)]
pub(crate) struct ClientsArgs {
    /// What the operations should do: set, queue, stack, deque, pqueue or map; with a protocol, as in
    /// queue,bounded:2 or queue,synchronous. Without it, what the file says.
    #[arg(long, value_name = "ORACLE")]
    pub(crate) oracle: Option<String>,
    /// The operations of the collection, by name; without it, those that the file says, or all.
    #[arg(long, value_name = "NAMES", requires = "oracle")]
    pub(crate) operations: Option<String>,
    /// What order of calls an explanation must keep: sc, linear or quiescent; or linear-fenced, for clients that make a
    /// fence after each call.
    #[arg(long, value_name = "PROPERTY", default_value = "linear")]
    pub(crate) property: String,
    /// The scope of a configuration of COLLECT's case study: A to E (C with --hash nd:3:2). Other options change parts of it.
    #[arg(long, value_name = "NAME")]
    pub(crate) configuration: Option<String>,
    /// How many threads: 2, or 1..3.
    #[arg(long, value_name = "RANGE", value_parser = range)]
    pub(crate) threads: Option<RangeInclusive<usize>>,
    /// How many calls all threads make together.
    #[arg(long, value_name = "RANGE", value_parser = range)]
    pub(crate) steps: Option<RangeInclusive<usize>>,
    /// How many calls fill the collection before the threads start.
    #[arg(long, value_name = "RANGE", value_parser = range)]
    pub(crate) preadds: Option<RangeInclusive<usize>>,
    /// Arguments are less than this.
    #[arg(long, value_name = "N")]
    pub(crate) values: Option<usize>,
    /// Numbers items as they are added instead of trying all. Misses what depends on equal items.
    #[arg(long)]
    pub(crate) generic_values: bool,
    /// Only schedules in which all scores differ.
    #[arg(long)]
    pub(crate) distinct_priorities: bool,
    /// Only schedules that remove no more often than they add.
    #[arg(long)]
    pub(crate) adds_dominate: bool,
    /// Of schedules that differ only in the order of threads, one.
    #[arg(long)]
    pub(crate) thread_symmetry: bool,
    /// Switches of threads that could have gone on, at most; or none, for no bound. Misses executions with more.
    #[arg(long, value_name = "K", value_parser = preemptions)]
    pub(crate) preemptions: Option<Preemptions>,
    /// What justifies that threads wait for ever: the oracle waits at the pending calls of all of them together, or at
    /// each without the others, which is COLLECT's definition.
    #[arg(long, value_name = "HOW", default_value = "together", value_parser = ["together", "each"])]
    pub(crate) stuck: String,
    /// Which endless executions are violations: fair ones, in which no thread is left out that could always go on, and
    /// no store that could always reach memory; strong ones, in which no thread is left out that could go on again and
    /// again, so that a mutex starves nobody; unfair ones, too; or none (ignore).
    #[arg(long, value_name = "WHICH", default_value = "fair", value_parser = ["fair", "strong", "unfair", "ignore"])]
    pub(crate) endless: String,
    /// The same as --endless fair.
    #[arg(long, conflicts_with = "endless")]
    pub(crate) fair: bool,
    /// Heap objects that are not freed and that no global leads to any more are violations.
    #[arg(long)]
    pub(crate) leaks: bool,
    /// Switches reductions on: rename, symmetry.
    #[arg(long, hide = true, value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// Switches reductions off: private, footprint, sole, collect, remember.
    #[arg(long, hide = true, value_delimiter = ',')]
    pub(crate) without: Vec<String>,
}

impl ClientsArgs {
    /// What they say.
    pub(crate) fn clients(&self) -> Clients {
        let off = |name: &str| self.without.iter().any(|without| without == name);
        let on = |name: &str| self.with.iter().any(|with| with == name);
        Clients {
            oracle: self.oracle.clone(),
            operations: self.operations.clone(),
            property: self.property.clone(),
            configuration: self.configuration.clone(),
            threads: self.threads.clone(),
            steps: self.steps.clone(),
            pre_adds: self.preadds.clone(),
            values: self.values,
            generic_values: self.generic_values,
            distinct_priorities: self.distinct_priorities,
            adds_dominate: self.adds_dominate,
            thread_symmetry: self.thread_symmetry,
            preemptions: self.preemptions.map(|given| given.0),
            waiting: if self.stuck == "each" { Waiting::Each } else { Waiting::Together },
            termination: termination(&self.endless),
            leaks: self.leaks,
            reductions: Reductions {
                private: !off("private"),
                footprint: !off("footprint"),
                sole: !off("sole"),
                collect: !off("collect"),
                remember: !off("remember"),
                rename: on("rename"),
                symmetry: on("symmetry"),
            },
        }
    }

    /// The options that were given, as far as they are not as they are without.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            (self.oracle.is_some(), "--oracle"),
            (self.property != "linear", "--property"),
            (self.configuration.is_some(), "--configuration"),
            (self.threads.is_some(), "--threads"),
            (self.steps.is_some(), "--steps"),
            (self.preadds.is_some(), "--preadds"),
            (self.values.is_some(), "--values"),
            (self.generic_values, "--generic-values"),
            (self.distinct_priorities, "--distinct-priorities"),
            (self.adds_dominate, "--adds-dominate"),
            (self.thread_symmetry, "--thread-symmetry"),
            (self.preemptions.is_some(), "--preemptions"),
            (self.stuck != "together", "--stuck"),
            (self.endless != "fair", "--endless"),
            (self.fair, "--fair"),
            (self.leaks, "--leaks"),
        ];
        all.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
    }
}

#[derive(Args)]
pub(crate) struct SweepArgs {
    /// The C file.
    #[arg(required_unless_present = "merge")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// A C file whose operations, run one after the other, say what those of the same names should do.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// The memory model: sc, tso or pso.
    #[arg(long, short, value_name = "MODEL", default_value = "sc")]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) clients: ClientsArgs,
    /// Threads that explore; without it, as many as there are cores.
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Lets malloc return memory that was freed before; on sc.
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Goes on after a violation.
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Prints how many schedules there are and the first of them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A share of the schedules: 1/4 to 4/4.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(u64, u64)>,
    /// Goes on where the sweep that wrote this log ended, and adds to the log unless --out names another.
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Writes a line of JSON for each schedule. A log that exists stays as it is, unless --force is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Lets --out overwrite a log.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Explores nothing: gives the verdict of a sweep from the logs of its shares, or says what is missing.
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = [
        "file", "reference", "model", "jobs", "reuse", "keep_going", "dry_run", "shard", "resume", "out", "timeout", "memory",
    ])]
    pub(crate) merge: Vec<PathBuf>,
    /// Gives up after this time: 90, 90s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Gives up on a schedule when its states take this much memory, divided by the number of jobs: 500M, 2G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Prints one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints no counterexample: what was swept, the verdict, and what it leaves open.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A bound on preemptions, or none.
#[derive(Clone, Copy)]
pub(crate) struct Preemptions(pub(crate) Option<u32>);

fn preemptions(text: &str) -> Result<Preemptions, String> {
    match text {
        "none" => Ok(Preemptions(None)),
        _ => text.parse().map(|bound| Preemptions(Some(bound))).map_err(|_| "write a number, or none".into()),
    }
}

/// `2`, `1..3`, both ends included.
fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number =
        |text: &str| text.trim().parse().map_err(|_| "write a number or a range such as 1..3".to_owned());
    match text.split_once("..") {
        Some((low, high)) => Ok(number(low)?..=number(high.trim_start_matches('='))?),
        None => number(text).map(|only| only..=only),
    }
}

/// `2/4`, the second of four shares, as its index from zero and their number.
fn shard(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "write a share such as 1/4, from 1/4 to 4/4".to_owned();
    let (index, count) = text.split_once('/').ok_or_else(wrong)?;
    let parse = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let (index, count) = (parse(index)?, parse(count)?);
    if index == 0 || index > count { Err(wrong()) } else { Ok((index - 1, count)) }
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
