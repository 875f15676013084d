//! Texts of callers, cut to what an error may repeat: [`shortened`].

/// Characters of a detail, and of any other text of a caller that an answer repeats.
pub(crate) const SHOWN_CHARS_MAX: usize = 200;

/// Of them those of the end of a longer text, where a detail says what is accepted.
const SHOWN_END_CHARS: usize = 60;

/// Returns a text, with its middle left out where it has more characters than a detail may have.
#[must_use]
pub fn shortened(text: impl Into<String>) -> String {
    let text = text.into();
    // No text has more characters than bytes.
    if text.len() <= SHOWN_CHARS_MAX || text.chars().nth(SHOWN_CHARS_MAX).is_none() {
        return text;
    }
    let start = text.chars().take(SHOWN_CHARS_MAX - SHOWN_END_CHARS - 1);
    let mut shown: String = start.chain(['…']).collect();
    let end = text.char_indices().rev().nth(SHOWN_END_CHARS - 1);
    shown.push_str(end.map_or("", |(begin, _)| &text[begin..]));
    shown
}
