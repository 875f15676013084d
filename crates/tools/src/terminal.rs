//! What reaches the terminal: text of others made harmless, and printing that survives a closed
//! pipe.
//!
//! Names and messages come from servers and files. A terminal obeys control characters, and bidi
//! controls make a line read as another; both are shown as escapes instead. Tables and progress
//! are the commands' own.

use std::borrow::Cow;
use std::io::{self, Write as _};

/// The text with everything invisible or obeyed by a terminal spelt as `\u{..}`.
///
/// Joiners (U+200C, U+200D) stay: Persian and emoji are spelt with them.
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

/// Controls, line and paragraph separators, and the format characters of Unicode's category Cf that
/// no spelling needs.
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
pub fn complain(message: &str) {
    // Nobody is left to hear of it when standard error itself is closed.
    let _ = writeln!(io::stderr(), "megaboard: {}", printable(message));
}

/// Writes text, already made printable, to standard output.
pub fn print(text: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        // `megaboard top ... | head -3` is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_spelt_out_and_letters_are_not() {
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
