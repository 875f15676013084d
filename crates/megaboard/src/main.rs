//! The binary: parses the command line, runs one command, and exits with its status.
//!
//! Each command has a module. Exit status 2 is clap's, for an invalid command line.

mod cli;
mod config;
mod demo;
mod generated;
mod greeting;
mod key;
mod listen;
mod logs;
mod memory;
mod open_files;
mod reload;
mod serve;
mod store;
mod traces;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use commands::board_commands::{add, boards, kinds, member, top};
use commands::server::advice;
use commands::{Halt, INTERRUPTED, adopt, export, import, ingest, probes, terminal};

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(args) => serve::run(&args),
        Command::Add(args) => add::run(&args),
        Command::Boards(args) => boards::run(&args),
        Command::Kinds(args) => kinds::run(&args),
        Command::Adopt(args) => adopt::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Ingest(args) => ingest::run(&args),
        Command::Completions(args) => generated::completions(&args, Cli::command()),
        Command::Man(args) => generated::man(&args, Cli::command()),
        Command::Alive(args) => probes::alive(&args),
        Command::Ready(args) => probes::ready(&args),
        Command::Key(args) => key::run(&args),
        Command::Member(args) => member::run(&args),
        Command::Top(args) => top::run(&args),
        Command::Load(args) => load::run(&args),
        Command::Verify(args) => verify::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        if let Some(Halt::Interrupted) = error.downcast_ref() {
            return ExitCode::from(INTERRUPTED);
        }
        let advice = error.downcast_ref().map_or("", advice);
        let message = format!("{error}{advice}");
        terminal::report(&wire::problem::without_keys(&message));
        ExitCode::FAILURE
    })
}
