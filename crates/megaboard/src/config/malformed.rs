//! Parsing a configuration file: [`parse`], and its errors: [`Malformed`].
//!
//! **Invariant:** an error contains no value and no line of the file, since a key or a password may be anywhere in it
//! by mistake. Types that are read from the file do not repeat a value in their own errors either.

use std::fmt;

use access::{KEY_PREFIX, TOKEN_PREFIX};
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml::de::Deserializer;

/// Maximum bytes of a name that is shown.
const NAME_BYTES_MAX: usize = 63;

/// Where the file is malformed, in which setting, and what is accepted.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// The line and the column, from 1 on.
    position: (usize, usize),
    /// The names of the tables and of the setting in them.
    names: Vec<String>,
    message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position;
        write!(f, "line {line}, column {column}: ")?;
        let names = self.names.iter().map(String::as_str);
        let shown: Vec<&str> = names.take_while(|name| is_name(name)).collect();
        if !shown.is_empty() {
            write!(f, "{}: ", shown.join("."))?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Malformed {}

/// Parses the text of a file.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Malformed> {
    // The message of a syntax error repeats nothing of the text.
    let file = Deserializer::parse(text).map_err(|error| {
        let message = error.message().to_owned();
        let mut malformed = Malformed::at(text, &error, message);
        malformed.names.extend(assigned_on(before(text, &error)));
        malformed
    })?;
    serde_path_to_error::deserialize(file).map_err(|error| {
        let mut malformed = Malformed::at(text, error.inner(), redacted(error.inner().message()));
        let names = error.path().iter().filter_map(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            _ => None,
        });
        malformed.names.extend(names);
        if malformed.message.starts_with("unknown field") {
            malformed.names.pop();
        }
        malformed
    })
}

impl Malformed {
    fn at(text: &str, error: &toml::de::Error, message: String) -> Self {
        let before = before(text, error);
        let column = before.rsplit('\n').next().unwrap_or_default();
        Self {
            position: (1 + before.matches('\n').count(), 1 + column.chars().count()),
            names: Vec::new(),
            message,
        }
    }
}

/// Returns the text before an error.
fn before<'t>(text: &'t str, error: &toml::de::Error) -> &'t str {
    let begin = error.span().map_or(0, |span| span.start);
    text.get(..begin).unwrap_or_default()
}

/// Removes the value from a message of serde, which is quoted before what is expected. The name of an unknown setting
/// is kept if it can be shown.
fn redacted(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let (what, value) = found.split_once(['`', '"']).unwrap_or((found, ""));
    let name = value.trim_end_matches('`');
    let shown = if what == "unknown field " && is_name(name) {
        format!("`{name}`")
    } else {
        String::new()
    };
    let expected = match expected.strip_prefix("struct ") {
        Some(_) => "a table",
        None => expected,
    };
    let found = format!("{what}{shown}");
    format!("{}, expected {expected}", found.trim_end())
}

/// Returns the setting at the beginning of the last line, since syntax errors have no path. Accepts only lower-case
/// letters and `_`, like the names of all settings: the line may be part of a multi-line text.
fn assigned_on(text: &str) -> Option<String> {
    let line = text.rsplit('\n').next()?;
    let (name, _) = line.split_once('=')?;
    let name = name.trim();
    let is_in = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    name.bytes().all(is_in).then(|| name.to_owned())
}

/// Returns whether a name can be shown: it is neither a key nor a URL.
fn is_name(text: &str) -> bool {
    let is_key = text.starts_with(KEY_PREFIX) || text.starts_with(TOKEN_PREFIX);
    !is_key
        && (1..=NAME_BYTES_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn error(text: &str) -> String {
        Config::parse("a.toml", text).unwrap_err()
    }

    #[test]
    fn errors_show_the_setting_but_no_value() {
        for (text, part) in [
            ("[server]\nkeys = [\"mb_s3cret\"]", "server.keys: "),
            ("[server]\nkeys = \"mb_s3cret\"", "server.keys: "),
            (
                "[[server.keys]]\nname = \"a\"\nscope = \"mb_s3cret\"",
                "server.keys.scope: unknown variant, expected one of `read`, `write`",
            ),
            (
                "[server]\nkeys = [{ name = \"a\", scope = \"mb_s3cret\" }]",
                "server.keys.scope: ",
            ),
            (
                "[[server.keys]]\nname = \"a\"\nhash = \"mb_s3cret\"\nscope = \"read\"",
                "line 3, column 8: server.keys.hash: it is not sha256: and 64 hexadecimal digits",
            ),
            (
                "[[server.keys]]\nname = \"\\nmb_s3cret\"\nscope = \"read\"",
                "line 2, column 8: server.keys.name: it is not 1 to 128 bytes",
            ),
            (
                "[[server.keys]]\nname = \"a\"\nkinds = [\"gifts\", \"mb_s3cret!\"]",
                "line 3, column 9: server.keys.kinds: element 2 is not",
            ),
            (
                "[[server.keys]]\nname = \"a\"\nexpires_at = \"mb_s3cret\"",
                "line 3, column 14: server.keys.expires_at: it is not a time",
            ),
            ("[server]\ntoken_secret = 77123456", "server.token_secret: "),
            ("[server]\ntoken_secret = 77.5", "server.token_secret: "),
            (
                "[publish.targets.a]\npassword = 77123456",
                "publish.targets.a.password: ",
            ),
            (
                "[publish.targets.a]\npasword = \"s3cret\"",
                "publish.targets.a: unknown field `pasword`, expected one of `url`",
            ),
            (
                "[publish.targets.\"redis://u:a.s3cret.b@h\"]\nport = 1",
                "publish.targets: unknown field `port`",
            ),
            ("[server]\nmb_s3cret = 1", "server: unknown field, expected"),
            ("\"redis://u:s3cret@h\" = 1", ": unknown field, expected"),
            ("[server]\nstore = [\"redis://u:s3cret@h\"]", "server.store"),
            (
                "[server]\ndurability = \"a, expected s3cret\"",
                "server.durability: unknown variant, expected `always` or `interval`",
            ),
            (
                "[server]\nmemory_limit = \"mb_s3cret\"",
                "server.memory_limit: it is not a number of bytes",
            ),
            (
                "[redis]\nread_deadline = \"s3cret\"",
                "redis.read_deadline: ",
            ),
            (
                "[embedded]\nclock_pause = \"s3cret\"",
                "embedded.clock_pause: ",
            ),
            ("[kinds.gifts]\nties = \"s3cret\"", "kinds.gifts.ties: "),
            ("[server]\ntoken_secret = s3cret", "token_secret: "),
            ("[server]\nstore = \"redis://:s3cret@h\" x", "store: "),
            ("[server]\ntoken_secret = \"s3cret", "line 2"),
            (
                "[server]\ntoken_secret = \"\"\"\ns3cret = \nUPPER=1",
                "line ",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(part), "{text}: {error}");
            for secret in ["s3cret", "mb_", "77", "UPPER"] {
                assert!(!error.contains(secret), "{text}: {error}");
            }
        }
    }

    #[test]
    fn errors_show_line_column_and_what_is_accepted() {
        assert_eq!(
            error("# é\n[server]\nkeys = \"mb_x\"\n"),
            "a.toml: line 3, column 8: server.keys: invalid type: string, expected a sequence"
        );
        assert_eq!(
            error("[server]\nkeys = [\"é\", \"mb_x\"]\n"),
            "a.toml: line 2, column 9: server.keys: invalid type: string, expected a table"
        );
        let missing = error("[[server.keys]]\nname = \"a\"");
        assert!(missing.contains("missing field `hash`"), "{missing}");
        let acks = error("[redis]\nacks = -1");
        assert!(acks.ends_with("invalid value: integer, expected u32"));
    }
}
