//! Names that people can tell from one another by sight: [`check_shown`].
//!
//! A name that is empty to the eye, or that looks like another's, is not accepted for anything new. Older
//! versions accepted such names: what is stored under one is read, ranked, hidden and erased by it.
//!
//! Rejected are white space at either end, line and paragraph separators, and characters that nobody sees:
//! zero-width spaces, soft hyphens, fillers, the controls of text direction. Joiners, variation
//! selectors and tags are accepted where scripts and emoji need them. Letters of different scripts that
//! look alike are not looked at.

use super::{IdentError, rule};

/// Whether a name may be given to something new.
pub(super) fn check_shown(what: &'static str, text: &str) -> Result<(), IdentError> {
    let is_space = |c: Option<char>| c.is_some_and(|c| c.is_whitespace() || c == BLANK_BRAILLE);
    let is_padded = is_space(text.chars().next()) || is_space(text.chars().next_back());
    rule(!is_padded, what, text, "begins or ends with white space")?;
    let rule_of_all = "has a character that nobody sees, or one that turns text around";
    rule(text.is_ascii() || is_visible(text), what, text, rule_of_all)
}

/// A pattern without dots: as good as a space.
const BLANK_BRAILLE: char = '\u{2800}';

/// The flag that tags stand behind.
const BLACK_FLAG: char = '\u{1f3f4}';

/// What makes a key of the digit before it.
const KEYCAP: char = '\u{20e3}';

fn is_visible(text: &str) -> bool {
    let mut before = None;
    let mut in_flag = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        in_flag = c == BLACK_FLAG || (in_flag && is_tag(c));
        let is_fit = match c {
            // Between what they join, as scripts and emoji have them.
            '\u{200c}' | '\u{200d}' => is_joined(before) && is_joined(after),
            // Behind what they vary.
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                let is_key = before.is_some_and(|c| c.is_ascii()) && after == Some(KEYCAP);
                is_key || before.is_some_and(|c| !c.is_ascii() && !is_mark(c))
            }
            c if is_tag(c) => in_flag,
            c => !is_unseen(c),
        };
        if !is_fit {
            return false;
        }
        before = Some(c);
    }
    true
}

/// Whether a joiner may stand beside it: no joiner is needed beside ASCII.
fn is_joined(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && !matches!(c, '\u{200c}' | '\u{200d}'))
}

/// What only says something of the character before it.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

const fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

/// What shows nothing wherever it stands, or breaks the line, or turns its direction.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_people_and_emoji_are_accepted() {
        for good in [
            "u1",
            "a b",
            "ü/{}%",
            "مرحبا",
            "می\u{200c}خواهم",
            "山田\u{3000}太郎",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "葛\u{e0100}",
            "Zoë",
            "e\u{301}",
        ] {
            assert_eq!(check_shown("member", good), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn names_that_look_empty_or_like_others_are_not() {
        for bad in [
            " ",
            "   ",
            "\u{a0}",
            "\u{3000}",
            "\u{2800}",
            " a",
            "a ",
            "\u{2003}a",
            "\u{200b}",
            "a\u{200b}b",
            "\u{feff}a",
            "a\u{2028}b",
            "a\u{2029}b",
            "a\u{ad}b",
            "a\u{202e}b",
            "a\u{2066}b\u{2069}",
            "a\u{200f}",
            "\u{61c}a",
            "\u{2060}é",
            "\u{3164}",
            "\u{200d}",
            "a\u{200d}b",
            "é\u{200c}",
            "é\u{200c}\u{200c}é",
            "a\u{fe0f}",
            "é\u{fe0f}\u{fe0f}",
            "a\u{e0041}",
            "🏴a\u{e0067}",
        ] {
            assert!(check_shown("member", bad).is_err(), "{bad:?}");
        }
        let error = check_shown("member", "a\u{202e}b").unwrap_err().to_string();
        assert_eq!(
            error,
            "member \"a\\u{202e}b\" has a character that nobody sees, or one that turns text around"
        );
    }
}
