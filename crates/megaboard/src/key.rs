//! `megaboard key new`: generates a key and prints the lines for the server's configuration ([`KeySettings`]).
//!
//! The key itself is shown once and stored nowhere: the server only needs its hash.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use access::{NewKey, Scope, check_key_name};
use board::KindName;
use clap::{Args, Subcommand};
use commands::result_args::ResultArgs;
use commands::secrets::SecretParser;
use serde::Serialize;

/// Digits of the hash in the default name.
const NAME_DIGITS: usize = 8;

/// Creates API keys.
#[derive(Args, Debug)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    New(NewArgs),
}

/// Generates a key and prints it, once, before the lines for the configuration of the server.
///
/// The lines go into megaboard.toml. A running server reloads its keys when the file changes, or at SIGHUP.
#[derive(Args, Debug)]
struct NewArgs {
    /// Scope: read, write (includes read) or admin (includes everything).
    #[arg(long, value_name = "SCOPE", default_value = "read")]
    scope: Scope,

    /// A kind whose boards the key gives access to; may be repeated. [default: all kinds]
    #[arg(long = "kind", value_name = "KIND", value_parser = kind_name)]
    kinds: Vec<KindName>,

    /// How long the key is valid, such as 90d. [default: it does not expire]
    #[arg(long, value_name = "TIME", value_parser = expiry)]
    expires_after: Option<Duration>,

    /// Name of the key in logs and errors. [default: key- and the first digits of its hash]
    #[arg(long, value_name = "TEXT", value_parser = SecretParser(key_name))]
    name: Option<String>,

    #[command(flatten)]
    result: ResultArgs,
}

/// The maximum validity of a key: years have four digits.
const EXPIRY_MAX: Duration = Duration::from_hours(1_000 * 8_766);

fn expiry(text: &str) -> Result<Duration, String> {
    let span = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if span > EXPIRY_MAX {
        return Err(
            "more than 1000 years; omit the option for a key that does not expire".to_owned(),
        );
    }
    Ok(span)
}

fn key_name(text: &str) -> Result<String, String> {
    check_key_name(text).map(|()| text.to_owned())
}

fn kind_name(text: &str) -> Result<KindName, String> {
    KindName::new(text).map_err(|error| error.to_string())
}

/// Runs the command.
pub(crate) fn run(args: &KeyArgs) -> Result<ExitCode, Box<dyn Error>> {
    let KeyCommand::New(args) = &args.command;
    let key = NewKey::generate()?;
    let settings = KeySettings::of(&key, args, SystemTime::now());
    let lines = settings.lines()?;
    args.result.print(&settings.with_key(&key), |_| {
        format!("{}\n\n{}", key.text(), lines.trim_end())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The settings of a key in the configuration.
#[derive(Serialize)]
struct KeySettings {
    name: String,
    hash: String,
    scope: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct KeyAndSettings<'a> {
    key: &'a str,
    #[serde(flatten)]
    settings: &'a KeySettings,
}

impl KeySettings {
    fn of(key: &NewKey, args: &NewArgs, now: SystemTime) -> Self {
        let hash = key.hash();
        let digits = hash.rsplit(':').next().unwrap_or_default();
        let name = args.name.clone();
        let end = args.expires_after.and_then(|span| now.checked_add(span));
        Self {
            name: name.unwrap_or_else(|| format!("key-{}", &digits[..NAME_DIGITS])),
            hash,
            scope: args.scope.as_str(),
            kinds: args.kinds.iter().map(ToString::to_string).collect(),
            expires_at: end.map(|end| humantime::format_rfc3339_seconds(end).to_string()),
        }
    }

    fn with_key<'a>(&'a self, key: &'a NewKey) -> KeyAndSettings<'a> {
        KeyAndSettings {
            key: key.text(),
            settings: self,
        }
    }

    /// Returns the lines of the configuration.
    fn lines(&self) -> Result<String, toml::ser::Error> {
        Ok(format!(
            "# The key above is shown only once. Add its hash to the server's megaboard.toml:\n[[server.keys]]\n{}",
            toml::to_string(self)?
        ))
    }
}

#[cfg(test)]
mod tests {
    use access::{Access, AccessSettings};
    use clap::Parser as _;
    use serde::Deserialize;

    use super::*;
    use crate::cli::Cli;

    #[derive(Deserialize)]
    struct File {
        server: Section,
    }

    #[derive(Deserialize)]
    struct Section {
        keys: Vec<access::KeySettings>,
    }

    #[test]
    fn the_printed_lines_are_valid_configuration() {
        let key = NewKey::generate().unwrap();
        let args = NewArgs {
            scope: Scope::Write,
            kinds: vec![kind_name("gifts").unwrap(), kind_name("races").unwrap()],
            expires_after: Some(Duration::from_hours(24)),
            name: Some("a \"name\" \\".to_owned()),
            result: ResultArgs::default(),
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(500_000);
        let settings = super::KeySettings::of(&key, &args, now);
        let text = settings.lines().unwrap();
        let json = serde_json::to_value(settings.with_key(&key)).unwrap();
        let read: toml::Table = toml::from_str(&text).unwrap();
        let mut written = serde_json::to_value(&read["server"]["keys"][0]).unwrap();
        written["key"] = key.text().into();
        assert_eq!(json, written, "the settings are the same as JSON");
        assert!(!text.contains(key.text()));
        let written: toml::Table = toml::from_str(&text).unwrap();
        let written = &written["server"]["keys"][0];
        let text_of = |field: &str| written[field].as_str().unwrap().to_owned();
        assert_eq!(text_of("name"), "a \"name\" \\");
        assert_eq!(
            (text_of("hash"), text_of("scope")),
            (key.hash(), "write".to_owned())
        );
        assert_eq!(text_of("expires_at"), "2027-01-16T08:00:00Z");
        let kinds: Vec<String> = written["kinds"].clone().try_into().unwrap();
        assert_eq!(kinds, ["gifts", "races"]);
        let File { server } = toml::from_str(&text).unwrap();
        let settings = AccessSettings {
            keys: server.keys,
            ..AccessSettings::default()
        };
        assert!(Access::new(&settings).is_ok());
    }

    #[test]
    fn the_validity_of_a_key_is_at_most_1000_years() {
        assert_eq!(expiry("90d"), Ok(Duration::from_hours(24 * 90)));
        assert!(expiry("1000years").is_ok());
        for text in ["3000000d", "365251d", "soon"] {
            assert!(expiry(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_is_rejected_as_a_name_and_not_repeated() {
        let key = NewKey::generate().unwrap();
        for (name, why) in [
            (key.text(), "must not be used as a name"),
            (&*key.hash(), "must not be used as a name"),
            (&*format!("{}\n", key.text()), "1 to 128 bytes"),
            ("", "1 to 128 bytes"),
        ] {
            let line = ["megaboard", "key", "new", "--name", name];
            let error = Cli::try_parse_from(line).unwrap_err().to_string();
            assert!(error.contains("'--name <TEXT>'"), "{error}");
            assert!(error.contains(why), "{error}");
            assert!(name.is_empty() || !error.contains(name.trim()), "{error}");
        }
        assert!(Cli::try_parse_from(["megaboard", "key", "new", "--name", "mb_ingest"]).is_ok());
    }

    #[test]
    fn the_default_name_of_a_key_is_the_beginning_of_its_hash() {
        let key = NewKey::generate().unwrap();
        let args = NewArgs {
            scope: Scope::Read,
            kinds: vec![],
            expires_after: None,
            name: None,
            result: ResultArgs::default(),
        };
        let name = format!("name = \"key-{}\"", &key.hash()[7..15]);
        let text = super::KeySettings::of(&key, &args, SystemTime::UNIX_EPOCH).lines();
        let text = text.unwrap();
        assert!(text.contains(&name), "{text}");
        assert!(
            !text.contains("kinds") && !text.contains("expires"),
            "{text}"
        );
    }
}
