//! A caller's text as responses repeat it: [`shown`].

use crate::problem::secrets::without_keys;

/// The maximum characters of a detail, and of any other text of a caller that a response repeats.
pub(crate) const SHOWN_CHARS_MAX: usize = 200;

/// The characters that are kept at the end of a longer text, where a detail says what is accepted.
const SHOWN_END_CHARS: usize = 60;

/// Returns a text without keys, and without its middle if it is longer than a detail may be.
#[must_use]
pub fn shown(text: impl Into<String>) -> String {
    let text = without_keys(&text.into());
    // A text has at most as many characters as bytes.
    if text.len() <= SHOWN_CHARS_MAX || text.chars().nth(SHOWN_CHARS_MAX).is_none() {
        return text;
    }
    let start = text.chars().take(SHOWN_CHARS_MAX - SHOWN_END_CHARS - 1);
    let mut shown: String = start.chain(['…']).collect();
    let end = text.char_indices().rev().nth(SHOWN_END_CHARS - 1);
    shown.push_str(end.map_or("", |(begin, _)| &text[begin..]));
    shown
}
