//! Finds keys, stream tokens and hashes of keys in other text: [`without_keys`], [`has_secret`].

use crate::new_key::{HASH_CHARS, HASH_PREFIX, KEY_CHARS, KEY_PREFIX};
use crate::token::{TOKEN_CHARS, TOKEN_PREFIX};

/// The prefixes of secrets, and the number of characters after the prefix of a complete secret.
const SECRETS: [(&str, usize); 3] = [
    (KEY_PREFIX, KEY_CHARS),
    (TOKEN_PREFIX, TOKEN_CHARS),
    (HASH_PREFIX, HASH_CHARS),
];

/// The number of characters after a prefix from which on text may be a part of a secret.
const SECRET_CHARS_MIN: usize = 32;

/// Replaces every API key by `mb_...`, and similarly stream tokens and hashes of keys: one may have been entered
/// instead of a name. Also replaces long parts of secrets, and some long words that contain a prefix.
#[must_use]
pub fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut remaining = text;
    let first_end = |text: &str| {
        let ends = SECRETS
            .iter()
            .filter_map(|(prefix, _)| Some(text.find(prefix)? + prefix.len()));
        ends.min()
    };
    while let Some(end) = first_end(remaining) {
        let (before, after) = remaining.split_at(end);
        let end = after.find(|char: char| !is_key_char(char));
        let (word, next) = after.split_at(end.unwrap_or(after.len()));
        shown.push_str(before);
        let is_secret = word.len() >= SECRET_CHARS_MIN;
        shown.push_str(if is_secret { "..." } else { word });
        remaining = next;
    }
    shown.push_str(remaining);
    shown
}

/// Returns whether the text contains a complete key, stream token or hash of a key.
///
/// Unlike [`without_keys`] it ignores a prefix inside a word, such as in `thumb_generation`.
pub(crate) fn has_secret(text: &str) -> bool {
    SECRETS.iter().any(|(prefix, chars)| {
        text.match_indices(prefix).any(|(start, _)| {
            let (before, after) = (&text[..start], &text[start + prefix.len()..]);
            let follow = after.chars().take_while(|char| is_key_char(*char));
            !before.ends_with(is_key_char) && follow.count() >= *chars
        })
    })
}

/// Returns whether keys may contain this character after their prefix.
const fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewKey;

    #[test]
    fn secrets_are_replaced_and_other_words_are_kept() {
        let key = NewKey::generate().unwrap();
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
