//! `megaboard completions`: a script that has a shell complete commands and flags.

use std::error::Error;
use std::process::ExitCode;
use std::string::FromUtf8Error;

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};
use tools::terminal;

use crate::cli::Cli;

/// Prints a script with which a shell completes commands and flags.
///
/// For bash, in ~/.bashrc: source <(megaboard completions bash). For zsh, into a folder of $fpath:
/// megaboard completions zsh >_megaboard. For fish, into ~/.config/fish/completions/megaboard.fish.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode, Box<dyn Error>> {
    terminal::print(script(args.shell)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Made whole first: a reader that goes away is then an error, where clap's own writer would panic.
fn script(shell: Shell) -> Result<String, FromUtf8Error> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "megaboard", &mut script);
    String::from_utf8(script)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_shells_script_knows_every_command() {
        for shell in Shell::value_variants() {
            let script = script(*shell).unwrap();
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell}: {name}");
            }
            assert!(script.contains("token-secret"), "{shell}");
        }
    }
}
