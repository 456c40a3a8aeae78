//! What `fencepost fences` accepts.

use super::{ClientsArgs, PreprocessorArgs, duration, size};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct FencesArgs {
    /// The C file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// A memory model: tso, pso, rmo, relaxed, or a .cat file. May be repeated: fences must serve all of
    /// them. Without it, the models that the file names.
    #[arg(long, short, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<String>,
    /// A test of the file, or one written out as in '( e d | d e )'. May be repeated. Without it, the tests
    /// that the file has expectations of on these models, or all.
    #[arg(long, short, value_name = "TEST")]
    pub(crate) test: Vec<String>,
    /// Generates all clients of a collection within a scope, as `sweep` does, on tso or pso; fences must make all
    /// of them hold.
    #[arg(long)]
    pub(crate) sweep: bool,
    /// How placements are found: by counterexamples (search), or from all states of a closed program with abstract
    /// store buffers, or of clients with execution buffers (rlx).
    #[arg(long, value_name = "METHOD", default_value = "search", value_parser = ["search", "store-buffers", "rlx"])]
    pub(crate) method: String,
    /// How store buffers are represented for closed programs: none, set, fd:K, pd:K, or auto, which refines until it knows.
    #[arg(long, short, value_name = "ABSTRACTION", default_value = "auto")]
    pub(crate) abstraction: String,
    /// The kinds of fences to use: `typed` (load-load, load-store, store-store, store-load, full), `full`,
    /// `c11` (acquire, release, acq_rel, seq_cst), `orders` (stronger orders of accesses where they are enough, c11 elsewhere),
    /// or a list of kinds. Without it, orders for files that include <stdatomic.h> and typed for others.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) fence_kinds: Vec<String>,
    /// Puts fences only into the function or file of this name. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) within: Vec<String>,
    /// What fences cost, in a file of lines such as `store-load = 4`.
    #[arg(long, value_name = "FILE")]
    pub(crate) costs: Option<PathBuf>,
    /// Finds all minimal placements, cheapest first, but at most so many.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20")]
    pub(crate) all: Option<usize>,
    /// Writes the fences of the first placement into the files.
    #[arg(long)]
    pub(crate) apply: bool,
    /// Prints the whole counterexample that appears without each fence.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Mines the specification from this implementation instead of the file itself.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// Gives up after this time: 90, 90s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Gives up when the process holds this much memory: 500M, 2G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Repetitions of a loop beyond which it counts as one without bound; 6 if not given.
    #[arg(long, value_name = "N")]
    pub(crate) max_unroll: Option<u32>,
    /// Lets malloc return memory that was freed before.
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Prints one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "Clients of --sweep")]
    pub(crate) clients: ClientsArgs,
    /// Threads that explore schedules; without it, as many as there are cores.
    #[arg(long, short, value_name = "N", requires = "sweep")]
    pub(crate) jobs: Option<usize>,
}
