//! Errors of a configuration file that cannot be parsed: [`Malformed`].
//!
//! **Invariant:** an error contains no value and no line of the file, since a key or a password may be anywhere in it
//! by mistake. Types that are read from the file do not repeat a value in their own errors either.

use std::fmt;

use access::{KEY_PREFIX, TOKEN_PREFIX};

/// Maximum bytes of a name that is shown.
const NAME_BYTES_MAX: usize = 63;

/// The text before the accepted values in messages of serde.
const EXPECTED: &str = ", expected ";

/// Where the file is malformed, in which setting, and what is accepted.
#[derive(Debug)]
pub(crate) struct Malformed {
    line: usize,
    column: usize,
    /// Its path; `None` if the file as a whole is malformed.
    setting: Option<String>,
    message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(setting) = &self.setting {
            write!(f, "{setting}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Malformed {
    /// Returns the parts of an error in this text that may be shown.
    pub(super) fn new(text: &str, error: &toml::de::Error) -> Self {
        let begin = error.span().map_or(0, |span| span.start);
        let before = text.get(..begin).unwrap_or_default();
        let on_line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: 1 + before.matches('\n').count(),
            column: 1 + on_line.chars().count(),
            setting: path_of(error).or_else(|| assigned_on(on_line)),
            message: without_value(error.message()),
        }
    }
}

/// Returns the path of the value, up to a name that must not be shown.
fn path_of(error: &toml::de::Error) -> Option<String> {
    let mut error = error.clone();
    // The error has its path only if it has no source text.
    error.set_input(None);
    let shown = error.to_string();
    let path = shown.strip_prefix(error.message())?.trim();
    let path = path.strip_prefix("in `")?.strip_suffix('`')?;
    let names: Vec<&str> = path.split('.').take_while(|name| is_name(name)).collect();
    (!names.is_empty()).then(|| names.join("."))
}

/// Returns the setting at the beginning of a line, since syntax errors have no path. Accepts only lower-case letters
/// and `_`, like the names of all settings: the line may be part of a multi-line text.
fn assigned_on(line: &str) -> Option<String> {
    let (name, _) = line.split_once('=')?;
    let name = name.trim();
    let is_setting = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || b"_.".contains(&byte));
    is_setting.then(|| name.to_owned())
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

/// Returns a message of serde without the value that it repeats. Other messages repeat no value.
fn without_value(message: &str) -> String {
    // The last match: a value before it may contain the same words.
    let (wrong, expected) = match message.rsplit_once(EXPECTED) {
        Some((wrong, expected)) => (wrong, Some(in_toml(expected))),
        None => (message, None),
    };
    let wrong = if let Some(found) = wrong.strip_prefix("invalid type: ") {
        format!("invalid type: {}", type_of(found))
    } else if let Some(found) = wrong.strip_prefix("invalid value: ") {
        format!("invalid value: {}", type_of(found))
    } else if wrong.starts_with("unknown variant ") {
        "unknown value".to_owned()
    } else if let Some(name) = wrong.strip_prefix("unknown field ") {
        unknown_setting(name)
    } else {
        return message.to_owned();
    };
    match expected {
        Some(expected) => format!("{wrong}{EXPECTED}{expected}"),
        None => wrong,
    }
}

/// Returns the type in serde's description of a value, such as `string "..."`.
fn type_of(found: &str) -> &'static str {
    const TYPES: [(&str, &str); 6] = [
        ("string", "string"),
        ("integer", "integer"),
        ("floating point", "float"),
        ("boolean", "boolean"),
        ("sequence", "array"),
        ("map", "table"),
    ];
    let found = TYPES.iter().find(|(serde, _)| found.starts_with(serde));
    found.map_or("another type", |&(_, toml)| toml)
}

/// Returns what is accepted, in the terms of TOML.
fn in_toml(expected: &str) -> &str {
    match expected {
        "a sequence" => "an array",
        "a map" | "an object" => "a table",
        expected if expected.starts_with("struct ") => "a table",
        expected => expected,
    }
}

/// Returns the message about an unknown setting, whose text begins with the name in backticks.
fn unknown_setting(quoted: &str) -> String {
    let name = quoted
        .strip_prefix('`')
        .and_then(|name| name.rsplit_once('`'));
    match name {
        Some((name, _)) if is_name(name) => format!("unknown setting `{name}`"),
        _ => "unknown setting".to_owned(),
    }
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
                "server.durability: unknown value, expected `always` or `interval`",
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
            "a.toml: line 3, column 8: server.keys: invalid type: string, expected an array"
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
