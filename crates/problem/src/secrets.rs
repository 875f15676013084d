//! Removes API keys from text that is shown: [`without_keys`].
//!
//! A client may send its key in the wrong place: in a path, a query, or instead of a name. It is removed wherever the
//! server repeats a caller's text: in problems ([`shown`](crate::shown())), in log lines, in the audit log and in spans.

/// The prefixes of keys, of stream tokens, and of hashes of keys, as `access` makes them.
const PREFIXES: [&str; 3] = ["mb_", "mbs_", "sha256:"];

/// The number of characters after a prefix from which on text may be a part of a secret.
const SECRET_CHARS_MIN: usize = 32;

/// Replaces every API key by `mb_...`, and similarly stream tokens and hashes of keys. Also replaces long parts of
/// secrets, and some long words that contain a prefix.
#[must_use]
pub fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut remaining = text;
    let first_end = |text: &str| {
        let ends = PREFIXES
            .iter()
            .filter_map(|prefix| Some(text.find(prefix)? + prefix.len()));
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

/// Returns whether keys may contain this character after their prefix.
#[must_use]
pub const fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}
