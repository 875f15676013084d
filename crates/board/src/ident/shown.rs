//! Names that people can tell from one another by sight: [`check_shown`].
//!
//! A name that is empty to the eye, or that looks like another's, is not accepted for anything new. Older
//! versions accepted such names: what is stored under one is read, ranked, hidden and erased by it.
//!
//! Rejected are white space at either end and, anywhere, characters that show nothing or only turn the direction of
//! text: all of Unicode's `Default_Ignorable_Code_Point`, and some that are blank without that property. Accepted of
//! these are those that scripts and emoji need, where they need them:
//!
//! - joiners (U+200C, U+200D) between characters of scripts that join, and of emoji;
//! - variation selectors behind a character that may have variants, and Mongolian ones behind a Mongolian letter;
//! - tags behind a black flag: the flags of England, Scotland and Wales.
//!
//! Spaces inside a name are accepted, of any width. Letters of different scripts that look alike are not compared.

use super::{IdentError, rule};

/// Whether a name may be given to something new.
pub(super) fn check_shown(what: &'static str, text: &str) -> Result<(), IdentError> {
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    let is_padded = is_space(text.chars().next()) || is_space(text.chars().next_back());
    rule(!is_padded, what, text, "begins or ends with white space")?;
    let rule_of_all = "has a character that nobody sees, or one that turns text around";
    rule(text.is_ascii() || is_visible(text), what, text, rule_of_all)
}

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
        let is_fit = if is_joiner(c) {
            before.is_some_and(joins) && after.is_some_and(joins)
        } else if is_selector(c) {
            let is_key = before.is_some_and(|c| c.is_ascii()) && after == Some(KEYCAP);
            is_key || before.is_some_and(has_variants)
        } else if is_mongolian_selector(c) {
            before.is_some_and(|c| matches!(c, '\u{1820}'..='\u{18aa}'))
        } else if is_tag(c) {
            in_flag
        } else {
            !is_default_ignorable(c) && !is_blank(c)
        };
        if !is_fit {
            return false;
        }
        before = Some(c);
    }
    true
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

const fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

const fn is_mongolian_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}')
}

const fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

/// Whether a joiner may stand beside it. Scripts that join begin with Arabic; a selector may stand before a joiner.
const fn joins(c: char) -> bool {
    c >= '\u{600}' && !is_joiner(c)
}

/// Whether a variation selector may stand behind it: Unicode lists variants of no letter below the Myanmar ones.
const fn has_variants(c: char) -> bool {
    let is_listed = matches!(c, '©' | '®') || c >= '\u{1000}';
    is_listed && !is_joiner(c) && !is_selector(c) && !is_mongolian_selector(c)
}

/// The property `Default_Ignorable_Code_Point` of Unicode 17.0 (`DerivedCoreProperties.txt`).
const fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// What shows nothing, or breaks the line, without that property: line and paragraph separators, the braille pattern
/// without dots, annotation marks, the Khitan filler, the null notehead.
const fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{fff9}'..='\u{fffb}' | '\u{16fe4}' | '\u{1d159}'
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
            "☎\u{fe0e}",
            "©\u{fe0f}",
            "ᠠ\u{180b}ᠨ",
            "क\u{94d}\u{200d}ष",
            "⠓⠊",
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
            "é\u{200c}é",
            "é\u{fe0f}",
            "☎\u{fe0e}\u{fe0e}",
            "ᠠ\u{180b}\u{180b}",
            "é\u{180b}",
            "ᠠ\u{180e}ᠠ",
            "a\u{2800}b",
            "a\u{1d159}b",
            "a\u{16fe4}b",
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

    #[test]
    fn what_unicode_calls_ignorable_is_rejected_beside_latin_letters() {
        let ignorable: Vec<char> = ('\0'..=char::MAX)
            .filter(|c| is_default_ignorable(*c))
            .collect();
        // As `DerivedCoreProperties.txt` counts them.
        assert_eq!(ignorable.len(), 4_174);
        for c in ignorable {
            for name in [
                format!("a{c}b"),
                format!("é{c}é"),
                format!("{c}"),
                format!("a{c}"),
            ] {
                assert!(check_shown("member", &name).is_err(), "{name:?}");
            }
        }
    }
}
