//! The command line.

mod args;
mod bench;
mod check;
mod clients;
mod fences_command;
mod output;
mod progress;
mod sweep_command;
mod verify_command;

use anyhow::Result;
use args::{Cli, Command};
use clap::Parser;
use output::{errln, out};
use std::io::Write;
use std::process::ExitCode;

/// Stack for the work: programs nest deeper than the system's default allows for.
const STACK: usize = 1 << 29;

/// The exit code if nothing could be decided.
const INCONCLUSIVE: u8 = 3;

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
    let result = match work.map(|thread| thread.join()) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            anstream::eprintln!("error: internal error, please report it (the message above says where)");
            return ExitCode::from(INCONCLUSIVE);
        }
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(code) => ExitCode::from(output::flush().map_or_else(|failed| failed, |()| code)),
        Err(error) => {
            errln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<u8> {
    match &cli.command {
        Command::Check(options) => check::run(options),
        Command::Fences(options) => fences_command::run(options),
        Command::Sweep(options) => sweep_command::run(options),
        Command::Verify(options) => verify_command::run(options),
        Command::Bench(options) => bench::run(options),
        Command::Lsl(options) => check::print_lsl(options),
        Command::Header => {
            let header = fencepost_c::headers::shipped("<fencepost.h>").unwrap_or_default();
            out!("{header}");
            Ok(0)
        }
    }
}
