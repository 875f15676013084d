//! The command line: [`Cli`]. The arguments of a command are defined in its own module.

use clap::{Parser, Subcommand};
use commands::adopt::AdoptArgs;
use commands::board_commands::add::AddArgs;
use commands::board_commands::boards::BoardsArgs;
use commands::board_commands::kinds::KindsArgs;
use commands::board_commands::member::MemberArgs;
use commands::board_commands::top::TopArgs;
use commands::export::ExportArgs;
use commands::import::ImportArgs;
use commands::ingest::IngestArgs;
use commands::probes::{AliveArgs, ReadyArgs};
use load::LoadArgs;

use crate::generated::{CompletionsArgs, ManArgs};
use crate::key::KeyArgs;
use crate::serve::ServeArgs;
use crate::verify::VerifyArgs;

/// A sharded leaderboard service.
#[derive(Debug, Parser)]
#[command(name = "megaboard", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command of the binary. Its help text is the doc comment of its arguments: a doc comment on a variant here would
/// replace it.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Add(AddArgs),
    Top(TopArgs),
    Boards(BoardsArgs),
    Kinds(KindsArgs),
    Member(MemberArgs),
    Import(ImportArgs),
    Export(ExportArgs),
    Ingest(IngestArgs),
    Adopt(AdoptArgs),
    Key(KeyArgs),
    Load(LoadArgs),
    Verify(VerifyArgs),
    Alive(AliveArgs),
    Ready(ReadyArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_does_not_show_values_of_environment_variables_that_may_be_secrets() {
        const SHOWN: [&str; 8] = [
            "LISTEN",
            "DRAIN",
            "CONFIG",
            "DEMO",
            "AUDIT_LOG",
            "OPEN",
            "LOG_FORMAT",
            "MEMORY_LIMIT",
        ];
        let shown = SHOWN.map(|name| format!("MEGABOARD_{name}"));
        let mut hidden = 0;
        for command in Cli::command().get_subcommands() {
            for arg in command.get_arguments() {
                let Some(name) = arg.get_env().and_then(|name| name.to_str()) else {
                    continue;
                };
                if !shown.iter().any(|shown| shown == name) {
                    assert!(
                        arg.is_hide_env_values_set(),
                        "{} {name}",
                        command.get_name()
                    );
                    hidden += 1;
                }
            }
        }
        assert!(hidden >= 5, "{hidden}");
    }

    #[test]
    fn every_command_has_a_help_text() {
        let mut cli = Cli::command();
        let short = cli.render_help().to_string();
        assert!(
            short.starts_with("A sharded leaderboard service"),
            "{short}"
        );
        for command in cli.get_subcommands().filter(|it| it.get_name() != "help") {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
        let help_has = |name, what| {
            let command = Cli::command().find_subcommand_mut(name).cloned();
            let help = command.unwrap().render_long_help().to_string();
            assert!(help.contains(what), "{help}");
        };
        help_has("adopt", "time-left(ends=");
        help_has("ingest", "one field json");
        help_has("import", "Exit status");
        help_has("export", "Exit status");
    }

    #[test]
    fn errors_name_the_option_but_not_a_value_that_may_be_a_secret() {
        const TOP: &str = "top gifts/a";
        const INGEST: &str = "ingest --partitions 1 --group g";
        const ADOPT: &str = "adopt --sorted-set k --board gifts/a";
        for (command, option, value, variable) in [
            (TOP, "--key", "mb_s3cret\nmb_s3cret", "MEGABOARD_KEY"),
            (TOP, "--server", "http://u:s3cret@a", "MEGABOARD_SERVER"),
            (TOP, "--server", "http://u:s3cret@a b", "MEGABOARD_SERVER"),
            (TOP, "--server", "u:s3cret", "MEGABOARD_SERVER"),
            (INGEST, "--from", "redis://u:s3cret@h", "MEGABOARD_FROM"),
            (INGEST, "--from", "rediz://u:s3cret@h/g", "MEGABOARD_FROM"),
            (ADOPT, "--from", "redis://s3cret@h", "MEGABOARD_ADOPT_FROM"),
            (
                ADOPT,
                "--from",
                "redis://:s3cret@h/x",
                "MEGABOARD_ADOPT_FROM",
            ),
            (ADOPT, "--key", "mb_s3cret s3cret", "MEGABOARD_KEY"),
            (ADOPT, "--server", "ftp://u:s3cret@a", "MEGABOARD_SERVER"),
        ] {
            let arguments = std::iter::once("megaboard").chain(command.split(' '));
            let error = Cli::try_parse_from(arguments.chain([option, value])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{error}");
            let error = error.to_string();
            assert!(error.contains(&format!("'{option} <")), "{error}");
            assert!(error.contains(variable), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
