//! `megaboard man`: manual pages, generated from the help texts.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::{Man, generate_to};
use commands::terminal;

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

/// Runs the command, for this command line.
pub(crate) fn run(args: &ManArgs, cli: Command) -> Result<ExitCode, Box<dyn Error>> {
    match &args.out {
        Some(folder) => {
            let failed = |error| format!("{}: {error}", folder.display());
            std::fs::create_dir_all(folder).map_err(failed)?;
            generate_to(cli, folder).map_err(failed)?;
        }
        None => terminal::print(page(cli)?.trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the page of the whole program.
fn page(cli: Command) -> Result<String, Box<dyn Error>> {
    let mut page = Vec::new();
    Man::new(cli).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_listed_and_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let out = Some(folder.path().join("man1"));
        run(&ManArgs { out: out.clone() }, Cli::command()).unwrap();
        let page = page(Cli::command()).unwrap();
        for command in Cli::command().get_subcommands() {
            let name = format!("megaboard-{}", command.get_name());
            let of_it = out.as_ref().unwrap().join(format!("{name}.1"));
            let of_it = std::fs::read_to_string(of_it).unwrap();
            // Dashes are escaped.
            assert!(page.contains(&name.replace('-', "\\-")), "{name}: {page}");
            assert!(of_it.starts_with(".ie"), "{name}: {of_it}");
        }
    }
}
