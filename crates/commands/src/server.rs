//! The options for the server and the key, which all commands have: [`ServerArgs`].

use std::time::Duration;

use clap::Args;
use megaboard_client::{BoardName, Client, Error, Kind, ProblemType, RetryPolicy};

use crate::secrets::SecretParser;

/// The server of a command, and the key.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// URL of the server.
    #[arg(
        long,
        value_name = "URL",
        env = "MEGABOARD_SERVER",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080",
        value_parser = SecretParser(server_url)
    )]
    pub server: String,

    /// API key, if the server requires one. Prefer the environment: `ps` shows the command line to others. Trailing
    /// white space is ignored.
    #[arg(
        long,
        value_name = "KEY",
        env = "MEGABOARD_KEY",
        hide_env_values = true,
        value_parser = SecretParser(api_key)
    )]
    pub key: Option<String>,
}

impl ServerArgs {
    /// Returns a client of this server.
    pub fn client(&self) -> Result<Client, Error> {
        self.client_with(RetryPolicy::default())
    }

    /// Returns a client of this server with a retry policy.
    pub fn client_with(&self, retry: RetryPolicy) -> Result<Client, Error> {
        let mut client = Client::builder(&self.server).retry_policy(retry);
        // An empty environment variable is ignored.
        if let Some(key) = self.key.as_deref().filter(|key| !key.is_empty()) {
            client = client.key(key);
        }
        client.build()
    }
}

/// Returns what to do about an error that only a command line can solve, as the end of its message.
#[must_use]
pub fn advice(error: &Error) -> &'static str {
    match error {
        Error::Unreached { .. } => {
            "; `megaboard serve` starts a server, --server or MEGABOARD_SERVER has the URL of another one"
        }
        error if error.is(&ProblemType::Unauthorized) => "; set MEGABOARD_KEY or pass --key",
        _ => "",
    }
}

/// Parses the URL of a server, and removes a trailing slash. Errors do not repeat the text, since it may contain a
/// password.
pub fn server_url(text: &str) -> Result<String, String> {
    let url = megaboard_client::server_url(text)?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Returns how long a kind remembers ids.
pub(crate) fn dedupe_of(kind: &Kind) -> Option<Duration> {
    humantime::parse_duration(kind.text("dedupe")?).ok()
}

/// Parses the name of a board, `KIND/SUBJECT`.
pub(crate) fn board_name(text: &str) -> Result<BoardName, String> {
    let name = text.parse().ok();
    let name = name.filter(|it: &BoardName| !it.kind().is_empty() && !it.subject().is_empty());
    name.ok_or_else(|| "a board has the form KIND/SUBJECT, such as gifts/room-8842".to_owned())
}

/// Parses a key, which must fit into an HTTP header. Trailing white space, such as the newline of a file, is ignored.
fn api_key(text: &str) -> Result<String, String> {
    let key = text.trim_ascii_end();
    if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key.to_owned())
    } else {
        Err("a key consists of visible ASCII characters".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_urls_are_validated_and_a_trailing_slash_is_removed() {
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
    fn a_board_has_a_kind_and_a_subject() {
        assert_eq!(board_name("gifts/a/b").unwrap().subject(), "a/b");
        for wrong in ["gifts", "/a", "gifts/", ""] {
            assert!(board_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_must_fit_into_a_header() {
        assert!(api_key("mb_abc-123").is_ok());
        assert!(api_key("a b").is_err());
        assert!(api_key("a\nb").is_err());
        assert_eq!(api_key("mb_abc-123\r\n").as_deref(), Ok("mb_abc-123"));
    }
}
