//! Text helpers of all parsers of times: strict decimal fields, and the excerpt of a
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

/// Parses ASCII digits. No sign, no blanks; `None` if empty.
pub(crate) fn number(digits: &[u8]) -> Option<i64> {
    let (first, rest) = digits.split_first()?;
    rest.iter().try_fold(digit(*first)?, |value, byte| {
        value.checked_mul(10)?.checked_add(digit(*byte)?)
    })
}

fn digit(byte: u8) -> Option<i64> {
    byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_only() {
        assert_eq!(number(b"0042"), Some(42));
        for text in [
            "",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1e3",
            "٣",
            "99999999999999999999",
        ] {
            assert_eq!(number(text.as_bytes()), None, "{text:?}");
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
