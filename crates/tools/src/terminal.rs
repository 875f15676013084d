//! Output to the terminal: escaping of control characters, and printing that tolerates a closed pipe.
//!
//! Names and messages come from servers and files. Control characters could change the terminal, and bidirectional
//! controls the appearance of a line; both are printed as escapes.

use std::borrow::Cow;
use std::io::{self, Write as _};

/// Replaces control characters and invisible characters by escapes, `\u{..}`.
///
/// Joiners (U+200C, U+200D) are kept, since Persian and emoji need them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_unprintable(char) {
            shown.extend(char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Returns true for controls, line and paragraph separators, and most format characters (category Cf of Unicode).
fn is_unprintable(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Writes one message to standard error.
pub fn report(message: &str) {
    // If standard error is closed, there is nowhere to report that.
    let _ = writeln!(io::stderr(), "megaboard: {}", printable(message));
}

/// Writes text, which must be printable, to standard output.
pub fn print(text: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        // `megaboard top ... | head -3` closes the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_and_letters_are_not() {
        assert_eq!(printable("\u{1b}[2Jx\n"), "\\u{1b}[2Jx\\u{a}");
        assert_eq!(
            printable("a\u{202e}b\u{2066}c\u{200f}"),
            "a\\u{202e}b\\u{2066}c\\u{200f}"
        );
        assert_eq!(printable("a\u{9b}b\u{7f}"), "a\\u{9b}b\\u{7f}");
        for plain in ["用户一", "é", "e\u{301}", "👩\u{200d}💻", "می\u{200c}خواهم"] {
            assert!(matches!(printable(plain), Cow::Borrowed(_)), "{plain}");
        }
    }
}
