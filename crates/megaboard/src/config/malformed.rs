//! Errors of a configuration file that cannot be parsed: [`Malformed`].
//!
//! **Invariant:** an error contains no value and no line of the file, since a key or a password may be anywhere in it
//! by mistake. Types that are read from the file do not repeat a value in their own errors either.

use std::fmt::{self, Display};
use std::ops::Range;

use access::{KEY_PREFIX, TOKEN_PREFIX};
use serde::de::{Error, Expected, Unexpected};

/// Maximum bytes of a name that is shown.
const NAME_BYTES_MAX: usize = 63;

/// Where the file is malformed, in which setting, and what is accepted.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// The offset of what is wrong, once it is known.
    begin: Option<usize>,
    /// Its line and column, from 1 on, once the text is known.
    position: (usize, usize),
    /// The names of the setting and of the tables around it, the innermost first.
    names: Vec<String>,
    message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position;
        write!(f, "line {line}, column {column}: ")?;
        let names = self.names.iter().rev().map(String::as_str);
        let shown: Vec<&str> = names.take_while(|name| is_name(name)).collect();
        if !shown.is_empty() {
            write!(f, "{}: ", shown.join("."))?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    /// Returns the error of a text that is not TOML. Its message repeats nothing of the text.
    pub(super) fn not_toml(text: &str, error: &toml::de::Error) -> Self {
        let mut malformed = Self::custom(error.message());
        malformed.begin = error.span().map(|span| span.start);
        malformed.names = assigned_on(malformed.on_line(text)).into_iter().collect();
        malformed.in_text(text)
    }

    /// Sets where the error is, unless that is known.
    pub(super) fn at(mut self, span: Range<usize>) -> Self {
        self.begin.get_or_insert(span.start);
        self
    }

    /// Adds the name of the setting, or of a table around it.
    pub(super) fn within(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// Finds the line and the column in the text.
    pub(super) fn in_text(mut self, text: &str) -> Self {
        let column = 1 + self.on_line(text).chars().count();
        self.position = (1 + self.before(text).matches('\n').count(), column);
        self
    }

    fn before<'t>(&self, text: &'t str) -> &'t str {
        text.get(..self.begin.unwrap_or(0)).unwrap_or_default()
    }

    /// Returns what is before the error on its line.
    fn on_line<'t>(&self, text: &'t str) -> &'t str {
        self.before(text).rsplit('\n').next().unwrap_or_default()
    }
}

impl Error for Malformed {
    fn custom<T: Display>(message: T) -> Self {
        Self {
            begin: None,
            position: (1, 1),
            names: Vec::new(),
            message: message.to_string(),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = type_of(&found);
        Self::custom(format!("invalid type: {found}, expected {expected}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = type_of(&found);
        Self::custom(format!("invalid value: {found}, expected {expected}"))
    }

    fn unknown_variant(_: &str, accepted: &'static [&'static str]) -> Self {
        Self::custom(format!("unknown value{}", one_of(accepted)))
    }

    fn unknown_field(name: &str, accepted: &'static [&'static str]) -> Self {
        let shown = Some(name).filter(|name| is_name(name));
        let shown = shown.map_or_else(String::new, |name| format!(" `{name}`"));
        Self::custom(format!("unknown setting{shown}{}", one_of(accepted)))
    }
}

fn one_of(accepted: &[&str]) -> String {
    format!(", expected one of `{}`", accepted.join("`, `"))
}

/// Returns the type of a value, in the terms of TOML.
const fn type_of(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Str(_) => "string",
        Unexpected::Signed(_) | Unexpected::Unsigned(_) => "integer",
        Unexpected::Float(_) => "float",
        Unexpected::Bool(_) => "boolean",
        Unexpected::Seq => "array",
        Unexpected::Map => "table",
        _ => "another type",
    }
}

/// Returns the setting at the beginning of a line, since syntax errors have no path. Accepts only lower-case letters
/// and `_`, like the names of all settings: the line may be part of a multi-line text.
fn assigned_on(line: &str) -> Option<String> {
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
        Config::parse("a.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn errors_show_the_setting_but_no_value() {
        for (text, part) in [
            ("[server]\nkeys = [\"mb_s3cret\"]", "server.keys: "),
            ("[server]\nkeys = \"mb_s3cret\"", "server.keys: "),
            (
                "[[server.keys]]\nname = \"a\"\nscope = \"mb_s3cret\"",
                "server.keys.scope: unknown value, expected one of `read`, `write`",
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
                "publish.targets.a: unknown setting `pasword`, expected one of `url`",
            ),
            (
                "[publish.targets.\"redis://u:a.s3cret.b@h\"]\nport = 1",
                "publish.targets: unknown setting `port`",
            ),
            (
                "[server]\nmb_s3cret = 1",
                "server: unknown setting, expected",
            ),
            ("\"redis://u:s3cret@h\" = 1", ": unknown setting, expected"),
            ("[server]\nstore = [\"redis://u:s3cret@h\"]", "server.store"),
            (
                "[server]\ndurability = \"a, expected s3cret\"",
                "server.durability: unknown value, expected one of `always`, `interval`",
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
