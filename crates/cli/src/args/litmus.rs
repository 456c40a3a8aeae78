//! What `fencepost litmus` accepts.

use super::duration;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct LitmusArgs {
    /// The tests.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A memory model, or a .cat file. May be repeated; without it, the model of the test's architecture.
    #[arg(long, short, value_name = "MODEL", value_delimiter = ',')]
    pub(crate) model: Vec<String>,
    /// Prints all final states, also of several tests.
    #[arg(long)]
    pub(crate) states: bool,
    /// Prints a JSON object in a line of its own for each test and model.
    #[arg(long)]
    pub(crate) json: bool,
    /// Threads that run tests; without it, as many as there are cores.
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Gives up on a test after this time: 90, 90s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
}
