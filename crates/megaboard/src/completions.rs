//! `megaboard completions`: prints a completion script for a shell.

use std::error::Error;
use std::process::ExitCode;
use std::string::FromUtf8Error;

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use commands::terminal;

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

/// Runs the command, for this command line.
pub(crate) fn run(args: &CompletionsArgs, cli: Command) -> Result<ExitCode, Box<dyn Error>> {
    terminal::print(script(args.shell, cli)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Generates the script in memory first: clap panics if writing fails, here a closed pipe is an error.
fn script(shell: Shell, mut cli: Command) -> Result<String, FromUtf8Error> {
    let mut script = Vec::new();
    generate(shell, &mut cli, "megaboard", &mut script);
    String::from_utf8(script)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, ValueEnum as _};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_script_of_every_shell_has_every_command() {
        for shell in Shell::value_variants() {
            let script = script(*shell, Cli::command()).unwrap();
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell}: {name}");
            }
            assert!(script.contains("token-secret"), "{shell}");
        }
    }
}
