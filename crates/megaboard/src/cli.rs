//! The command line: [`Cli`], and what several commands take alike.
//!
//! What one command alone takes stands beside that command.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::adopt::AdoptArgs;
use crate::completions::CompletionsArgs;
use crate::export::ExportArgs;
use crate::import::ImportArgs;
use crate::ingest::IngestArgs;
use crate::key::KeyArgs;
use crate::load::LoadArgs;
use crate::man::ManArgs;
use crate::member::MemberArgs;
use crate::probes::{AliveArgs, ReadyArgs};
use crate::secrets::SecretParser;
use crate::serve::ServeArgs;
use crate::top::TopArgs;
use crate::verify::VerifyArgs;

/// A sharded leaderboard service.
#[derive(Debug, Parser)]
#[command(name = "megaboard", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One command of the binary. What its help says stands at its arguments: a word here would take the
/// place of all of that.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Import(ImportArgs),
    Export(ExportArgs),
    Ingest(IngestArgs),
    Adopt(AdoptArgs),
    Key(KeyArgs),
    Member(MemberArgs),
    Top(TopArgs),
    Load(LoadArgs),
    Verify(VerifyArgs),
    Alive(AliveArgs),
    Ready(ReadyArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Which server a command speaks to, and as whom.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServerArgs {
    /// Where the server listens.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_SERVER",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080",
        value_parser = SecretParser(server_url)
    )]
    pub(crate) server: String,

    /// API key, where the server asks for one; better given in the environment, which `ps` does not
    /// show to others. White space at its end is ignored.
    #[arg(
        long,
        value_name = "KEY",
        env = "MEGABOARD_KEY",
        hide_env_values = true,
        value_parser = SecretParser(api_key)
    )]
    pub(crate) key: Option<String>,
}

/// Ends the process as clap does for a command line it refuses by itself.
pub(crate) fn usage_error(kind: ErrorKind, message: &str) -> ! {
    Cli::command().error(kind, message).exit()
}

/// The URL without a slash at its end, so that paths are appended alike to every one. Errors do not repeat the
/// text, since a password may be in it.
pub(crate) fn server_url(text: &str) -> Result<String, String> {
    let uri: ureq::http::Uri = text.parse().map_err(|error| format!("no URL: {error}"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
        return Err("it has to look like http://HOST:PORT or https://HOST".to_owned());
    }
    if text.contains(['?', '#', '@']) {
        return Err("no query, fragment or user name belongs here".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// A key has to fit an HTTP header. A file that it comes from may end with a newline.
pub(crate) fn api_key(text: &str) -> Result<String, String> {
    let key = text.trim_ascii_end();
    if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key.to_owned())
    } else {
        Err("a key is made of visible ASCII characters".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_shows_no_value_of_the_environment_that_may_be_a_secret() {
        const SHOWN: [&str; 7] = [
            "LISTEN",
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
    fn help_says_what_a_command_does() {
        let mut cli = Cli::command();
        let short = cli.render_help().to_string();
        assert!(
            short.starts_with("A sharded leaderboard service"),
            "{short}"
        );
        for command in cli.get_subcommands().filter(|it| it.get_name() != "help") {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
        let told = |name, what| {
            let command = Cli::command().find_subcommand_mut(name).cloned();
            let said = command.unwrap().render_long_help().to_string();
            assert!(said.contains(what), "{said}");
        };
        told("adopt", "time-left(ends=");
        told("ingest", "one field json");
        told("import", "Exit status");
        told("export", "Exit status");
    }

    #[test]
    fn server_urls_are_checked_and_lose_their_last_slash() {
        assert_eq!(server_url("http://a:1/").as_deref(), Ok("http://a:1"));
        assert_eq!(
            server_url("https://a/boards/").as_deref(),
            Ok("https://a/boards")
        );
        for wrong in [
            "127.0.0.1:8080",
            "ftp://a",
            "http://",
            "http://a?b",
            "http://u:p@a",
            "",
        ] {
            assert!(server_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_fit_a_header() {
        assert!(api_key("mb_abc-123").is_ok());
        assert!(api_key("a b").is_err());
        assert!(api_key("a\nb").is_err());
        assert_eq!(api_key("mb_abc-123\r\n").as_deref(), Ok("mb_abc-123"));
    }

    #[test]
    fn errors_name_the_option_and_not_a_value_that_may_be_a_secret() {
        const TOP: &str = "top gifts/a";
        const INGEST: &str = "ingest --partitions 1 --group g";
        const ADOPT: &str = "adopt --key k --board gifts/a";
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
            (ADOPT, "--api-key", "mb_s3cret s3cret", "MEGABOARD_KEY"),
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
