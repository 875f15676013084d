//! Keys, stream tokens and hashes of keys where they do not belong: [`without_keys`], [`has_secret`].

use crate::key::{HASH_CHARS, HASH_PREFIX, KEY_CHARS, KEY_PREFIX};
use crate::token::{TOKEN_CHARS, TOKEN_PREFIX};

/// What keys, stream tokens and hashes of keys begin with, and how many characters follow in a whole one.
const SECRETS: [(&str, usize); 3] = [
    (KEY_PREFIX, KEY_CHARS),
    (TOKEN_PREFIX, TOKEN_CHARS),
    (HASH_PREFIX, HASH_CHARS),
];

/// Characters after a prefix that may be a part of a secret.
const SECRET_CHARS_MIN: usize = 32;

/// The text with `mb_...` in the place of every API key, and alike of stream tokens and hashes of keys: someone may
/// have put one where a name belongs. Parts of one are cut, too, and so are some long words.
#[must_use]
pub fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut left = text;
    let first_end = |text: &str| {
        let ends = SECRETS
            .iter()
            .filter_map(|(prefix, _)| Some(text.find(prefix)? + prefix.len()));
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

/// Whether the text has a whole key, stream token or hash of a key in it. Unlike [`without_keys`] it lets words pass
/// that contain a prefix, such as `thumb_generation`: nothing that keys contain stands before one.
pub(crate) fn has_secret(text: &str) -> bool {
    SECRETS.iter().any(|(prefix, chars)| {
        text.match_indices(prefix).any(|(start, _)| {
            let (before, after) = (&text[..start], &text[start + prefix.len()..]);
            let follow = after.chars().take_while(|char| is_key_char(*char));
            !before.ends_with(is_key_char) && follow.count() >= *chars
        })
    })
}

/// Whether keys contain it, after their prefix.
const fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewKey;

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
