//! [`check_visible`] and [`check_distinct`]: reject names that people cannot distinguish by sight.
//!
//! A name that looks empty, or that looks like another name, is rejected for anything new. What is stored under such a
//! name can still be read, ranked, hidden and erased.
//!
//! Rejected are white space at either end and, anywhere, characters that are invisible or only
//! change the direction of text: all of Unicode's `Default_Ignorable_Code_Point`, and some that are
//! blank without that property. Those of them that scripts and emoji need are accepted, but only
//! where they are visible:
//!
//! - the non-joiner (U+200C) between Arabic letters that join without it, and between an Indic
//!   virama and a letter;
//! - the joiner (U+200D) after an Indic virama, before one where the spelling requires it, and
//!   between emoji;
//! - the variation selectors of emoji (U+FE0E, U+FE0F) after characters that have both styles, and
//!   U+FE0F in keycaps;
//! - Mongolian variation selectors after a Mongolian letter;
//! - tags in the flags of England, Scotland and Wales.
//!
//! All other variation selectors are rejected, including those of ideographs (U+E0100 to U+E01EF):
//! with a font that lacks the variant they are invisible, and with one that has it the variant
//! differs by a stroke.
//!
//! Names of boards and members, of which each is another one, have one form: Unicode's normalization form C, in which
//! letters with marks are composed, and single spaces (U+0020), or U+3000 beside an ideograph. A name that a
//! profile shows may have others. Look-alike letters are not compared, neither of different scripts nor in another
//! width or case, nor are joined emoji with the same emoji side by side.

mod unicode;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use self::unicode::{
    BLACK_FLAG, FLAG_TAGS, KEYCAP, has_styles, is_arabic_vowel_mark, is_blank,
    is_default_ignorable, is_emoji, is_key, is_letter_of, is_virama, joins_next, joins_previous,
    touches,
};
use super::ident_error::{IdentError, rule, shortened};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// The variation selectors for text and emoji style.
const TEXT_STYLE: char = '\u{fe0e}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// The first of the blocks of ideographs, kana and Hangul, whose width U+3000 has.
const WIDE_FROM: char = '\u{2e80}';

/// Returns whether a character is invisible, changes the direction of text, or breaks the line, in most places at
/// least: joiners and selectors are visible in some.
#[must_use]
pub const fn is_invisible(c: char) -> bool {
    is_default_ignorable(c) || is_blank(c)
}

/// Checks that a name may be given to something new, and is the only one that looks like it.
pub(super) fn check_distinct(what: &'static str, text: &str) -> Result<(), IdentError> {
    check_visible(what, text)?;
    let rule_of_spaces = "has white space other than single spaces (U+0020)";
    rule(has_plain_spaces(text), what, text, rule_of_spaces)?;
    if text.is_ascii() || is_nfc(text) {
        return Ok(());
    }
    let composed = shortened(&text.nfc().collect::<String>());
    let rule_of_form = format!("is not in Unicode's normalization form C: write {composed:?}");
    Err(IdentError::new(what, text, rule_of_form))
}

/// Returns whether all spaces within a name are single ones, of the usual width.
fn has_plain_spaces(text: &str) -> bool {
    let is_wide = |c: Option<char>| c.is_some_and(|c| c >= WIDE_FROM);
    if text.is_ascii() {
        return !text.as_bytes().windows(2).any(|pair| pair == b"  ");
    }
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        let is_fit = match c {
            ' ' => after.is_none_or(|after| !after.is_whitespace()),
            '\u{3000}' => (is_wide(before) || is_wide(after)) && after != Some(c),
            _ => !c.is_whitespace(),
        };
        if !is_fit {
            return false;
        }
        before = Some(c);
    }
    true
}

/// Checks that a name may be shown.
pub(crate) fn check_visible(what: &'static str, text: &str) -> Result<(), IdentError> {
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    let is_padded = is_space(text.chars().next()) || is_space(text.chars().next_back());
    rule(!is_padded, what, text, "begins or ends with white space")?;
    let rule_of_all = "has an invisible character, or one that changes the direction of text";
    rule(text.is_ascii() || is_visible(text), what, text, rule_of_all)
}

fn is_visible(text: &str) -> bool {
    // The previous character, and the last one that is not an Arabic vowel mark.
    let (mut before, mut base) = (None, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let rest = chars.as_str();
        let after = rest.chars().next();
        let is_fit = match (c, before) {
            (NON_JOINER, Some(before)) => {
                let letter = base.unwrap_or(before);
                after.is_some_and(|after| separates(letter, before, after))
            }
            (JOINER, Some(before)) => joins(before, after),
            (TEXT_STYLE | EMOJI_STYLE, Some(before)) => {
                let is_keycap = c == EMOJI_STYLE && is_key(before) && after == Some(KEYCAP);
                has_styles(before) || is_keycap
            }
            ('\u{180b}'..='\u{180d}' | '\u{180f}', Some('\u{1820}'..='\u{18aa}')) => true,
            _ => !is_default_ignorable(c) && !is_blank(c),
        };
        if !is_fit {
            return false;
        }
        let mut flags = FLAG_TAGS.iter();
        if c == BLACK_FLAG
            && let Some(rest) = flags.find_map(|tags| rest.strip_prefix(*tags))
        {
            chars = rest.chars();
        }
        before = Some(c);
        if !is_arabic_vowel_mark(c) {
            base = before;
        }
    }
    true
}

/// Returns whether a non-joiner is visible here (RFC 5892, A.1). `letter` is the base of the marks
/// in `before`.
fn separates(letter: char, before: char, after: char) -> bool {
    let is_joined = joins_next(letter) && joins_previous(after);
    is_joined || (is_virama(before) && is_letter_of(before, after))
}

/// Returns whether a joiner is visible here (RFC 5892, A.2; Unicode Technical Standard 51, 2.3).
fn joins(before: char, after: Option<char>) -> bool {
    let is_emoji_before = before == EMOJI_STYLE || is_emoji(before);
    is_virama(before)
        || after.is_some_and(|c| touches(before, c) || (is_emoji_before && is_emoji(c)))
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
            "کتابِ\u{200c}من",
            "山田\u{3000}太郎",
            "👩\u{200d}👩\u{200d}👧",
            "🧑🏽\u{200d}🚀",
            "🏴\u{200d}☠\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
            "⭐\u{fe0f}Anna⭐\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 1",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            "🏴",
            "☎\u{fe0e}",
            "©\u{fe0f}",
            "ᠠ\u{180b}ᠨ",
            "क\u{94d}\u{200d}ष",
            "क\u{94d}\u{200c}ष",
            "র\u{200d}\u{9cd}যাব",
            "අවන\u{dca}\u{200d}ය",
            "അവന\u{d4d}\u{200d}",
            "⠓⠊",
            "Zoë",
            "José A",
            "山田 太郎",
        ] {
            assert_eq!(check_distinct("member", good), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn names_that_look_empty_or_like_others_are_rejected() {
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
            "🏴\u{e0067}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}",
            "🏴\u{e0066}\u{e0072}\u{e0062}\u{e0072}\u{e0065}\u{e007f}",
            "کار\u{200c}ها",
            "ی\u{200c}",
            "ی\u{200c}\u{200c}ی",
            "ی\u{200c}a",
            "ی\u{200d}ی",
            "क\u{200d}ष",
            "क\u{94d}\u{200c}",
            "क\u{94d}\u{200c}a",
            "क\u{94d}\u{200c}ক",
            "🔥\u{200c}🔥",
            "🔥\u{200d}",
            "🔥\u{200d}a",
            "葛\u{e0100}",
            "葛\u{fe00}",
            "1\u{fe0f}",
            "a\u{fe0f}\u{20e3}",
            "1\u{fe0e}\u{20e3}",
            "🔥\u{fe0f}",
            "∩\u{fe00}",
        ] {
            assert!(check_visible("member", bad).is_err(), "{bad:?}");
        }
        let error = check_visible("member", "a\u{202e}b")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "member \"a\\u{202e}b\" has an invisible character, or one that changes the direction of text"
        );
    }

    #[test]
    fn of_names_that_look_alike_one_is_accepted() {
        for (bad, part) in [
            (
                "Jose\u{301} A",
                "is not in Unicode's normalization form C: write \"José A\"",
            ),
            ("José\u{a0}A", "other than single spaces"),
            ("José\u{2009}A", "other than single spaces"),
            ("José\u{3000}A", "other than single spaces"),
            ("José  A", "other than single spaces"),
            ("Jose  A", "other than single spaces"),
            ("山\u{3000}\u{3000}田", "other than single spaces"),
            ("山 \u{3000}田", "other than single spaces"),
            ("\u{212b}", "write \"Å\""),
            ("\u{1112}\u{1161}\u{11ab}", "write \"한\""),
            ("\u{958}", "form C"),
            ("\u{f900}", "form C"),
        ] {
            let error = check_distinct("member", bad).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert_eq!(
                check_visible("name", bad),
                Ok(()),
                "a name that a profile shows"
            );
        }
    }

    #[test]
    fn default_ignorable_characters_are_rejected_beside_latin_letters() {
        let ignorable: Vec<char> = ('\0'..=char::MAX)
            .filter(|c| is_default_ignorable(*c))
            .collect();
        // The count in `DerivedCoreProperties.txt`.
        assert_eq!(ignorable.len(), 4_174);
        for c in ignorable {
            for name in [
                format!("a{c}b"),
                format!("é{c}é"),
                format!("{c}"),
                format!("a{c}"),
            ] {
                assert!(check_visible("member", &name).is_err(), "{name:?}");
            }
        }
    }

    /// Returns the characters after which `hidden` is accepted, before the same character or before
    /// a letter.
    fn accepted(hidden: char, is_doubled: bool) -> Vec<char> {
        let is_accepted = |c: &char| {
            let after = if is_doubled { *c } else { 'a' };
            check_visible("member", &format!("{c}{hidden}{after}")).is_ok()
        };
        // Beyond this range are tags, selectors and private use.
        ('\0'..='\u{3ffff}').filter(is_accepted).collect()
    }

    #[test]
    fn joiners_and_selectors_are_accepted_only_where_they_are_visible() {
        // The count of type D in `DerivedJoiningType.txt`, in the blocks of Arabic.
        let joining = accepted(NON_JOINER, true);
        assert_eq!(joining.len(), 174);
        assert!(joining.iter().all(|c| ('\u{620}'..'\u{900}').contains(c)));
        assert!(accepted(NON_JOINER, false).is_empty());
        let joined = accepted(JOINER, true);
        assert!(joined.iter().all(|c| is_virama(*c) || is_emoji(*c)));
        assert!(accepted(JOINER, false).into_iter().all(is_virama));
        // The count in `emoji-variation-sequences.txt`, without the 12 keys of keycaps.
        for style in [TEXT_STYLE, EMOJI_STYLE] {
            assert_eq!(accepted(style, false).len(), 371 - 12);
        }
        for variant in ['\u{fe00}', '\u{fe0d}', '\u{e0100}'] {
            assert!(accepted(variant, false).is_empty(), "{variant:?}");
        }
        // Ideographs, kana, Hangul, full-width forms.
        for c in "葛㐀𠀀あア가ᄀＡｱ、".chars() {
            for hidden in [NON_JOINER, JOINER, TEXT_STYLE, EMOJI_STYLE, '\u{e0100}'] {
                let name = format!("{c}{hidden}{c}");
                assert!(check_visible("member", &name).is_err(), "{name:?}");
            }
        }
    }
}
