//! Finds keys, stream tokens and hashes of keys in other text: [`has_secret`].

use wire::problem::is_key_char;

use crate::new_key::{HASH_CHARS, HASH_PREFIX, KEY_CHARS, KEY_PREFIX};
use crate::token::{TOKEN_CHARS, TOKEN_PREFIX};

/// The prefixes of secrets, and the number of characters after the prefix of a complete secret.
const SECRETS: [(&str, usize); 3] = [
    (KEY_PREFIX, KEY_CHARS),
    (TOKEN_PREFIX, TOKEN_CHARS),
    (HASH_PREFIX, HASH_CHARS),
];

/// Returns whether the text contains a complete key, stream token or hash of a key.
///
/// Unlike [`without_keys`](wire::problem::without_keys) it ignores a prefix inside a word, such as in `thumb_generation`.
pub(crate) fn has_secret(text: &str) -> bool {
    SECRETS.iter().any(|(prefix, chars)| {
        text.match_indices(prefix).any(|(start, _)| {
            let (before, after) = (&text[..start], &text[start + prefix.len()..]);
            let follow = after.chars().take_while(|char| is_key_char(*char));
            !before.ends_with(is_key_char) && follow.count() >= *chars
        })
    })
}

#[cfg(test)]
mod tests {
    use wire::problem::without_keys;

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
            (format!("mb_{key}"), "mb_..."),
            (format!("mb_{hash}."), "mb_sha256:...."),
            (format!("{hash}{hash}"), "sha256:...:..."),
            (String::new(), ""),
        ] {
            assert_eq!(without_keys(&text), shown);
        }
    }
}
