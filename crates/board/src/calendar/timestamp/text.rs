//! Text helpers of all parsers of times: strict forms, and the excerpt of a
//! rejected text that goes into an error.

/// Characters of a rejected text that an error repeats. A client could send megabytes.
const EXCERPT_MAX_CHARS: usize = 64;

/// Returns a rejected text as an error shows it: shortened, control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars
        .by_ref()
        .take(EXCERPT_MAX_CHARS)
        .flat_map(char::escape_debug)
        .collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Returns whether a text has a form, in which `0` stands for any ASCII digit and all else for itself.
pub(crate) fn has_form(text: &str, form: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == form,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_exact() {
        assert!(has_form("2026-W47", "0000-W00"));
        for text in [
            "",
            "2026-w47",
            "2026-W4",
            "2026-W477",
            "+026-W47",
            "2026-W4٣",
            "2026-W4 ",
        ] {
            assert!(!has_form(text, "0000-W00"), "{text:?}");
        }
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("day:2026"), "day:2026");
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt(&"x".repeat(65)), format!("{}…", "x".repeat(64)));
        assert_eq!(excerpt(&"é".repeat(64)), "é".repeat(64));
    }
}
