//! [`decoded`] and [`check`]: percent-encoding of parameters, in paths and in queries.
//!
//! Libraries guess what an invalid encoding means: they keep a `%` without digits, and replace invalid UTF-8 by U+FFFD.
//! Then two texts would name the same thing. So invalid encodings are refused here.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use wire::problem::Problem;

/// Digits after a `%`.
const DIGITS: usize = 2;

/// Decodes a parameter; `None` if it is not percent-encoded UTF-8.
#[must_use]
pub fn decoded(text: &str) -> Option<Cow<'_, str>> {
    // Nearly all parameters have none.
    if !text.contains('%') {
        return Some(text.into());
    }
    let is_encoded = |after: &str| {
        let digits = after.as_bytes().get(..DIGITS);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_encoded) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok()
}

/// Decodes a parameter. One that is not percent-encoded UTF-8 is refused by its name.
pub fn check<'t>(name: &str, text: &'t str) -> Result<Cow<'t, str>, Problem> {
    decoded(text).ok_or_else(|| {
        let detail = format!("{name}: {text:?} is not percent-encoded UTF-8; % itself is %25");
        Problem::invalid(detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_encodings_are_refused_by_name() {
        for (text, said) in [
            ("", ""),
            ("room-1", "room-1"),
            ("100%25", "100%"),
            ("%2525", "%25"),
            ("%e6%88%bf%E9%97%B4", "房间"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(said), "{text}");
            assert_eq!(check("subject", text).as_deref(), Ok(said));
        }
        for wrong in [
            "%", "%%", "%2", "100%", "%zz", "%%25", "%+1", "%é", "%ff", "%e6%88",
        ] {
            assert_eq!(decoded(wrong), None, "{wrong}");
            let problem = check("subject", wrong).unwrap_err();
            let begin = format!("subject: {wrong:?} is not");
            assert!(problem.detail.starts_with(&begin), "{problem:?}");
        }
    }
}
