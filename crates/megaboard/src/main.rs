//! The binary: parses the command line, runs one command, and exits with its status.
//!
//! Each command has a module. Exit status 2 is clap's, for an invalid command line.

mod cli;
mod completions;
mod config;
mod demo;
mod key;
mod listen;
mod logs;
mod man;
mod memory;
mod open_files;
mod reload;
mod serve;
mod store;
mod traces;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use tools::{adopt, export, import, ingest, member, probes, terminal, top};

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(args) => serve::run(&args),
        Command::Adopt(args) => adopt::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Ingest(args) => ingest::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Alive(args) => probes::alive(&args),
        Command::Ready(args) => probes::ready(&args),
        Command::Key(args) => key::run(&args),
        Command::Member(args) => member::run(&args),
        Command::Top(args) => top::run(&args),
        Command::Load(args) => load::run(&args),
        Command::Verify(args) => verify::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        terminal::report(&access::without_keys(&error.to_string()));
        ExitCode::FAILURE
    })
}
