//! Keys, stream tokens and hashes of keys where they do not belong: [`without_keys`].

use super::key::{HASH_PREFIX, KEY_PREFIX};
use super::token::TOKEN_PREFIX;

/// What keys, stream tokens and hashes of keys begin with.
const PREFIXES: [&str; 3] = [KEY_PREFIX, TOKEN_PREFIX, HASH_PREFIX];

/// Characters after a prefix that make a word a secret; a whole key has 43.
const SECRET_CHARS_MIN: usize = 32;

/// The text with `mb_...` in the place of every API key, and alike of stream tokens and hashes of keys: someone may
/// have put one where a name belongs.
#[must_use]
pub fn without_keys(text: &str) -> String {
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
    use crate::access::NewKey;

    #[test]
    fn keys_are_cut_and_other_words_stay() {
        let key = NewKey::draw().unwrap();
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
