//! What is generated from the command line: `megaboard completions`, a script for a shell, and `megaboard man`, manual
//! pages from the help texts.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};
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

/// Prints the manual page, or writes the manual pages of all commands to a folder.
///
/// To read it: megaboard man | man -l -. With --out there are megaboard.1, megaboard-serve.1 and so on,
/// for /usr/local/share/man/man1.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder, which is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `megaboard completions`, for this command line.
pub(crate) fn completions(
    args: &CompletionsArgs,
    cli: Command,
) -> Result<ExitCode, Box<dyn Error>> {
    print(&script(args.shell, cli))
}

/// Runs `megaboard man`, for this command line.
pub(crate) fn man(args: &ManArgs, cli: Command) -> Result<ExitCode, Box<dyn Error>> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(cli).render(&mut page)?;
        return print(&page);
    };
    let failed = |error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    generate_to(cli, folder).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Generates the script in memory: clap panics if writing fails, and here a closed pipe is no error.
fn script(shell: Shell, mut cli: Command) -> Vec<u8> {
    let mut script = Vec::new();
    generate(shell, &mut cli, "megaboard", &mut script);
    script
}

fn print(text: &[u8]) -> Result<ExitCode, Box<dyn Error>> {
    terminal::print(str::from_utf8(text)?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, ValueEnum as _};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_script_of_every_shell_has_every_command() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell, Cli::command())).unwrap();
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell}: {name}");
            }
            assert!(script.contains("token-secret"), "{shell}");
        }
    }
}
