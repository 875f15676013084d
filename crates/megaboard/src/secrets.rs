//! Keeps keys and passwords out of error texts: [`SecretParser`], [`without_keys`].

use std::ffi::OsStr;

use api::{HASH_PREFIX, KEY_PREFIX, TOKEN_PREFIX};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// What keys, stream tokens and hashes of keys begin with.
const PREFIXES: [&str; 3] = [KEY_PREFIX, TOKEN_PREFIX, HASH_PREFIX];

/// Characters after a prefix that make a word a secret; a whole key has 43.
const SECRET_CHARS_MIN: usize = 32;

/// Parses a value of the command line or the environment that may be, or contain, a secret.
///
/// clap repeats a value that its own parsers reject. Errors of this one name the option and its variable alone.
/// The inner parser must not repeat the value either.
#[derive(Clone)]
pub(crate) struct SecretParser<F>(pub(crate) F);

impl<F, T> TypedValueParser for SecretParser<F>
where
    F: Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parsed = match value.to_str() {
            Some(text) => (self.0)(text),
            None => Err("it is not UTF-8".to_owned()),
        };
        parsed.map_err(|why| {
            let option = arg.map_or_else(|| "...".to_owned(), ToString::to_string);
            let variable = arg.and_then(Arg::get_env).map_or_else(String::new, |name| {
                format!(" [env: {}]", name.to_string_lossy())
            });
            let message = format!("invalid value for '{option}'{variable}: {why}");
            clap::Error::raw(ErrorKind::ValueValidation, message).format(&mut cmd.clone())
        })
    }
}

/// The text with `mb_...` in the place of every API key, and alike of stream tokens and hashes of keys: someone may
/// have put one where a name belongs.
pub(crate) fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut left = text;
    let first_end = |text: &str| {
        let ends = PREFIXES
            .iter()
            .filter_map(|prefix| Some(text.find(prefix)? + prefix.len()));
        ends.min()
    };
    while let Some(end) = first_end(left) {
        let (before, after) = left.split_at(end);
        let end = after.find(|char: char| !is_key_char(char));
        let (word, next) = after.split_at(end.unwrap_or(after.len()));
        shown.push_str(before);
        let is_secret = word.len() >= SECRET_CHARS_MIN;
        shown.push_str(if is_secret { "..." } else { word });
        left = next;
    }
    shown.push_str(left);
    shown
}

/// Whether keys contain it, after their prefix.
const fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_and_other_words_stay() {
        let key = api::NewKey::draw().unwrap();
        let (key, hash) = (key.text(), key.hash());
        for (text, shown) in [
            (key.to_owned(), "mb_..."),
            (
                format!("kinds: \"{key}\" and {key}."),
                "kinds: \"mb_...\" and mb_....",
            ),
            (format!("é{key}é"), "émb_...é"),
            ("a mb_ and mb_short".to_owned(), "a mb_ and mb_short"),
            (
                format!("mbs_{}.{}", "A".repeat(40), "x".repeat(9)),
                "mbs_....xxxxxxxxx",
            ),
            (
                format!("{} mb_short mbs_short {}", key.replace("mb_", "mbs_"), hash),
                "mbs_... mb_short mbs_short sha256:...",
            ),
            (String::new(), ""),
        ] {
            assert_eq!(without_keys(&text), shown);
        }
    }
}
