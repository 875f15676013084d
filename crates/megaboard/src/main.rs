//! The binary: reads the command line, runs one command, turns its outcome into an exit status.
//!
//! What the commands do stands in a module each; 2 is clap's status for a command line it refuses.

mod cli;
mod client;
mod import;
mod terminal;
mod top;

#[cfg(test)]
mod test_server;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Import(args) => import::run(&args),
        Command::Top(args) => top::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        terminal::complain(&error.to_string());
        ExitCode::FAILURE
    })
}
