//! The command line.

mod args;
mod commands;
mod output;
mod phases;
mod progress;

use anyhow::{Context, Result};
use args::{Cli, Command};
use clap::Parser;
use commands::{check, fences, litmus, sweep, verify};
use output::{errln, out, outln};
use std::io::Write;
use std::process::ExitCode;

/// Stack for the work: programs nest deeper than the system's default allows for.
const STACK: usize = 1 << 29;

fn main() -> ExitCode {
    // GCC's spelling of an option that has only a long form here.
    let arguments = std::env::args_os().map(|argument| match argument.to_str() {
        Some("-include") => "--include".into(),
        _ => argument,
    });
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        // Help and the version are told in this way, too.
        Err(error) => {
            let told = error.print().and_then(|()| std::io::stdout().flush());
            let code = told.map_or_else(
                |failure| output::failed(&failure),
                |()| u8::try_from(error.exit_code()).unwrap_or(2),
            );
            return ExitCode::from(code);
        }
    };
    let work = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&cli));
    match work {
        Ok(thread) => ExitCode::from(ended(thread.join())),
        Err(error) => ExitCode::from(ended(Ok(Err(error.into())))),
    }
}

/// The exit code, after a word about what went wrong.
fn ended(result: std::thread::Result<Result<u8>>) -> u8 {
    match result {
        Ok(Ok(code)) => output::flush().map_or_else(|failed| failed, |()| code),
        Ok(Err(error)) => {
            errln!("error: {error:#}");
            check::BAD_INPUT
        }
        // Nothing was decided.
        Err(_) => {
            anstream::eprintln!("error: internal error, please report it (the message above says where)");
            check::UNDECIDED
        }
    }
}

fn run(cli: &Cli) -> Result<u8> {
    phases::show(match &cli.command {
        Command::Check(options) => options.verbose,
        Command::Verify(options) => options.verbose,
        _ => 0,
    })?;
    match &cli.command {
        Command::Check(options) => check::run(options),
        Command::Fences(options) => fences::run(options),
        Command::Sweep(options) => sweep::run(options),
        Command::Litmus(options) => litmus::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Lsl(options) => check::print_lsl(options),
        Command::Header => {
            let header = fencepost_c::headers::shipped("<fencepost.h>");
            let header = header.context("internal error, please report it: the header does not ship")?;
            out!("{header}");
            Ok(0)
        }
        Command::Schema => {
            outln!("{}", fencepost_report::json::schema());
            Ok(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic is no bad input: nothing was decided.
    #[test]
    fn exit_codes() {
        assert_eq!(ended(Ok(Ok(1))), 1);
        assert_eq!(ended(Ok(Err(anyhow::anyhow!("no such file")))), 2);
        assert_eq!(ended(Err(Box::new("on purpose"))), 3);
    }
}
