//! Removes API keys from text that is shown: [`without_keys`].
//!
//! A client may send its key in the wrong place: in a path, a query, or instead of a name. It is removed wherever the
//! server repeats a caller's text: in problems ([`shown`](crate::problem::shown())), in log lines, in the audit log and in spans.

/// The prefixes of keys, of stream tokens, and of hashes of keys, as `access` makes them.
const PREFIXES: [&str; 3] = ["mb_", "mbs_", "sha256:"];

/// The last characters of the prefixes.
const PREFIX_ENDS: [char; 2] = ['_', ':'];

/// The number of characters after a prefix from which on text may be a part of a secret.
const SECRET_CHARS_MIN: usize = 32;

/// Replaces every API key by `mb_...`, and similarly stream tokens and hashes of keys. Also replaces long parts of
/// secrets, and some long words that contain a prefix.
#[must_use]
pub fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    // Up to where the text is copied, and up to where it has been searched.
    let (mut copied, mut searched) = (0, 0);
    for (last, _) in text.match_indices(PREFIX_ENDS) {
        let end = last + 1;
        let is_prefix = PREFIXES.iter().any(|prefix| text[..end].ends_with(prefix));
        if end < searched || !is_prefix {
            continue;
        }
        let word = &text[end..];
        let length = word.find(|char: char| !is_key_char(char));
        searched = end + length.unwrap_or(word.len());
        if searched - end >= SECRET_CHARS_MIN {
            shown.push_str(&text[copied..end]);
            shown.push_str("...");
            copied = searched;
        }
    }
    shown.push_str(&text[copied..]);
    shown
}

/// Returns whether keys may contain this character after their prefix.
#[must_use]
pub const fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}
