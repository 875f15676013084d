//! `megaboard completions`: prints a completion script for a shell.

use std::error::Error;
use std::process::ExitCode;
use std::string::FromUtf8Error;

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};
use tools::terminal;

use crate::cli::Cli;

/// Prints a completion script for a shell.
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

/// Generates the script in memory first: clap panics if writing fails, here a closed pipe is an error.
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
    fn the_script_of_every_shell_has_every_command() {
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
