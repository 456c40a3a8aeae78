//! The phases of the work, on the standard error stream, for those who ask for them: what each was about, how large that was, and how long it took.
//!
//! Libraries enter a span for each phase (`tracing`); a line is written when a phase ends, with those that it is a part of before it. Nobody listens
//! otherwise, and a span costs as much as to find that out.

use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, format::FmtSpan};
use tracing_subscriber::prelude::*;

/// Says whose phases to show, as in `info`, or `fencepost_bounded=info` for those of one crate.
const VARIABLE: &str = "FENCEPOST_LOG";

/// Has phases shown if the variable says so, or all of them if `-v` was given twice.
pub(crate) fn show(verbose: u8) -> Result<()> {
    let wanted = match std::env::var(VARIABLE) {
        Ok(text) if !text.is_empty() => text.parse().with_context(|| format!("{VARIABLE}={text}"))?,
        _ if verbose > 1 => Targets::new().with_target("fencepost", LevelFilter::INFO),
        _ => return Ok(()),
    };
    // That nobody reads them is no reason to stop.
    let lines = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let lines = lines.with_timer(fmt::time::uptime()).with_target(false).with_level(false).with_ansi(false);
    tracing_subscriber::registry().with(lines.with_span_events(FmtSpan::CLOSE)).with(wanted).try_init()?;
    Ok(())
}

/// Whether any are shown: a progress line would be written over them.
pub(crate) fn shown() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}
