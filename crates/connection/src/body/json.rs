//! Parses JSON bodies: [`from_json`].

use problem::{Problem, ProblemType};
use serde::de::IgnoredAny;
use serde_json::error::Category;
use wire::{NUMBER_OUT_OF_RANGE, Object, outside};

/// The begin of the parser's error where a value is not the string that names a word.
const VALUE_EXPECTED: &str = "expected value";

/// The length up to which a body is parsed without a check of its strings.
const UNCHECKED_BYTES_MAX: usize = 64 << 10;

/// The longest string of a larger body, in its escaped form. A name of 128 bytes with every byte escaped has less than
/// 1,000.
const STRING_BYTES_MAX: usize = 4 << 10;

/// The longest list of fields that an error about another field has.
const LISTED_BYTES_MAX: usize = 100;

/// How alike a field is, from 0 to 1, that may have been meant.
const LIKENESS_MIN: f64 = 0.6;

/// Parses a shape, which must be an object. An error has the field that is wrong.
pub fn from_json<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Result<T, Problem> {
    parse::<Object<T>>(text).map(|object| object.0)
}

fn parse<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Result<T, Problem> {
    check_strings(text)?;
    // Without the path of an error, which costs as much as the rest.
    if let Ok(value) = serde_json::from_slice(text) {
        return Ok(value);
    }
    parse_with_path(text)
}

/// Parses a text again that has an error, for the path of the field that is wrong.
fn parse_with_path<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Result<T, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| problem_of(text, &error))?;
    deserializer
        .end()
        .map_err(|error| Problem::new(ProblemType::Malformed, error.to_string()))?;
    Ok(value)
}

/// Returns the problem of a text that has no such shape.
fn problem_of(text: &[u8], error: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let (inner, path) = (error.inner(), error.path().to_string());
    let words = inner.to_string();
    let is_value = path.starts_with("points") || path.starts_with("values");
    let field = path.strip_prefix("values.").unwrap_or(&path);
    // Errors of named values begin with the name.
    let plain = words
        .strip_prefix(field)
        .and_then(|words| words.strip_prefix(": "));
    if is_value && plain.unwrap_or(&words).starts_with(NUMBER_OUT_OF_RANGE) {
        return outside(field, number_before(text, inner)).into();
    }
    // A word that is not a string is an error of the syntax to the parser.
    let is_json = || serde_json::from_slice::<IgnoredAny>(text).is_ok();
    let problem = match inner.classify() {
        Category::Data => Problem::invalid(in_words(&words)),
        _ if words.starts_with(VALUE_EXPECTED) && is_json() => {
            let token = token_at(text, inner);
            Problem::invalid(format!("{token} is not a string"))
        }
        _ => {
            let words = foreign(text).map_or(words, str::to_owned);
            return Problem::new(ProblemType::Malformed, words);
        }
    };
    if path == "." {
        problem
    } else {
        problem.at(&path)
    }
}

/// Returns why a text is no JSON that begins with a byte order mark.
fn foreign(text: &[u8]) -> Option<&'static str> {
    if text.starts_with(b"\xef\xbb\xbf") {
        return Some("it begins with a byte order mark (U+FEFF): send it without");
    }
    let is_utf_16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    is_utf_16.then_some("it is UTF-16: JSON is UTF-8, without a byte order mark")
}

/// Rewords an error of a value: types have the names of JSON, a word that is not accepted is named with those that are,
/// and the position is left out, since the field is named.
fn in_words(words: &str) -> String {
    let words = words
        .rsplit_once(" at line ")
        .map_or(words, |(words, _)| words);
    if let Some((wrong, accepted)) = words.split_once(", expected ") {
        let names: Vec<&str> = accepted.split('`').skip(1).step_by(2).collect();
        if let Some(word) = wrong.strip_prefix("unknown variant ") {
            return format!(
                "{:?} is not one of {}",
                word.trim_matches('`'),
                names.join(", ")
            );
        }
        if let Some(name) = wrong.strip_prefix("unknown field ") {
            return unknown_field(name.trim_matches('`'), &names);
        }
    }
    let mut words = words.to_owned();
    for (name, meaning) in [
        ("expected u64", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected u16", "expected a whole number"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
    ] {
        words = words.replace(name, meaning);
    }
    words
}

/// Returns the error of a field that an object does not have: with those that it has, or, if they are many, with the
/// one that was likely meant.
fn unknown_field(name: &str, accepted: &[&str]) -> String {
    let list = accepted.join(", ");
    if list.len() <= LISTED_BYTES_MAX {
        return format!("unknown field {name:?}; accepted: {list}");
    }
    let likeness = |other: &&str| strsim::normalized_damerau_levenshtein(name, other);
    let nearest = accepted
        .iter()
        .copied()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) >= LIKENESS_MIN) {
        Some(nearest) => format!("unknown field {name:?}; did you mean {nearest:?}?"),
        None => format!("unknown field {name:?}; /docs of the server lists the fields"),
    }
}

/// Returns the position of an error in a text.
fn position(text: &[u8], error: &serde_json::Error) -> usize {
    let before = text.split(|byte| *byte == b'\n').take(error.line() - 1);
    let lines: usize = before.map(|line| line.len() + 1).sum();
    (lines + error.column()).min(text.len())
}

/// Returns the number that ends where the error is.
fn number_before<'t>(text: &'t [u8], error: &serde_json::Error) -> &'t str {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let at = position(text, error);
    // The parser may have stopped before the end of the number.
    let more = text[at..].iter().take_while(|byte| is_part(byte)).count();
    let number = &text[..at + more];
    let begin = number.iter().rposition(|byte| !is_part(byte));
    str::from_utf8(&number[begin.map_or(0, |begin| begin + 1)..]).unwrap_or_default()
}

/// Returns what begins where the error is: a number, `true`, `false`, `null`, or in words a list or an object.
fn token_at<'t>(text: &'t [u8], error: &serde_json::Error) -> &'t str {
    let token = &text[position(text, error).saturating_sub(1)..];
    match token.first() {
        Some(b'[') => return "a list",
        Some(b'{') => return "an object",
        _ => {}
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b",}]".contains(byte);
    let end = token.iter().position(ends).unwrap_or(token.len());
    str::from_utf8(&token[..end]).unwrap_or_default()
}

/// Rejects strings that are longer than any valid one: an error about one would repeat it, escaped, more than once.
/// Small bodies are not searched.
fn check_strings(text: &[u8]) -> Result<(), Problem> {
    if text.len() <= UNCHECKED_BYTES_MAX {
        return Ok(());
    }
    match strings(text).max() {
        Some(bytes) if bytes > STRING_BYTES_MAX => Err(Problem::invalid(format!(
            "a string of {bytes} bytes: no string has more than {STRING_BYTES_MAX}"
        ))),
        _ => Ok(()),
    }
}

/// Returns the length of each string in its escaped form. A string without an end is malformed, and omitted.
fn strings(text: &[u8]) -> impl Iterator<Item = usize> {
    let mut remaining = text;
    std::iter::from_fn(move || {
        let open = remaining.iter().position(|byte| *byte == b'"')? + 1;
        remaining = &remaining[open..];
        let mut bytes = 0;
        loop {
            let step = remaining[bytes..]
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\'))?;
            bytes += step;
            if remaining[bytes] == b'"' {
                break;
            }
            // An escaped character does not end the string.
            bytes += 2;
            if bytes > remaining.len() {
                return None;
            }
        }
        remaining = &remaining[bytes + 1..];
        Some(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Day {
        Monday,
    }

    #[derive(Debug, serde::Deserialize)]
    struct Shape {
        #[serde(default)]
        _day: Option<wire::Integer>,
        #[serde(rename = "day")]
        _word: Day,
        points: Option<wire::Integer>,
        #[serde(rename = "top")]
        _top: Option<u16>,
    }

    fn refused(text: &str) -> (ProblemType, String) {
        let problem = from_json::<Shape>(text.as_bytes()).unwrap_err();
        (problem.kind, problem.detail)
    }

    #[test]
    fn a_byte_order_mark_is_named() {
        for (text, part) in [
            (&b"\xef\xbb\xbf{}"[..], "byte order mark"),
            (b"\xff\xfe{\0}\0", "UTF-16"),
        ] {
            let problem = from_json::<IgnoredAny>(text).unwrap_err();
            assert_eq!(problem.kind, ProblemType::Malformed);
            assert!(problem.detail.contains(part), "{}", problem.detail);
        }
    }

    #[test]
    fn numbers_out_of_range_are_reported_as_they_were_sent() {
        for number in [
            "9007199254740993.0",
            "-9007199254740993.50",
            "123456789012345678901234567890",
            "1e300",
            "1E400",
            "-1.5e+400",
        ] {
            let text = format!("{{\n \"points\": {number},\n \"day\": \"monday\"}}");
            let detail = format!("points: {number} is outside ±9007199254740991");
            assert_eq!(refused(&text), (ProblemType::OutOfRange, detail));
        }
        let exact = from_json::<Shape>(br#"{"day": "monday", "points": 5e1}"#).unwrap();
        assert_eq!(serde_json::from_str("50").ok(), exact.points);
    }

    #[test]
    fn a_value_that_is_not_the_word_of_a_field_is_reported_with_the_field() {
        for token in ["null", "3", "true", "-1.5"] {
            for text in [
                format!("{{\"day\":{token}}}"),
                format!("{{\n\"day\" : {token} ,\n\"top\":1}}"),
            ] {
                let detail = format!("day: {token} is not a string");
                assert_eq!(refused(&text), (ProblemType::Invalid, detail), "{text}");
            }
        }
        for (text, what) in [
            ("{\"day\":[\"monday\"]}", "a list"),
            ("{\"day\": [1]}", "a list"),
        ] {
            let detail = format!("day: {what} is not a string");
            assert_eq!(refused(text), (ProblemType::Invalid, detail), "{text}");
        }
        let (kind, detail) = refused("{\"day\":nul}");
        assert_eq!(kind, ProblemType::Malformed, "{detail}");
    }

    #[test]
    fn errors_of_types_use_the_words_of_json() {
        let (kind, detail) = refused(r#"{"top": "x"}"#);
        assert_eq!(kind, ProblemType::Invalid);
        assert_eq!(
            detail,
            "top: invalid type: string \"x\", expected a whole number"
        );
        let (_, detail) = refused(r#"{"day": "Monday"}"#);
        assert_eq!(detail, "day: \"Monday\" is not one of monday");
    }

    #[test]
    fn a_field_that_does_not_exist_is_reported_with_those_that_do() {
        let few = unknown_field("colour", &["color", "size"]);
        assert_eq!(few, "unknown field \"colour\"; accepted: color, size");
        let many: Vec<String> = (0..30).map(|n| format!("setting_{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let near = unknown_field("seting_7", &many);
        assert_eq!(
            near,
            "unknown field \"seting_7\"; did you mean \"setting_7\"?"
        );
        let far = unknown_field("x", &many);
        assert_eq!(
            far,
            "unknown field \"x\"; /docs of the server lists the fields"
        );
    }

    #[test]
    fn an_error_about_a_long_string_has_its_length() {
        let long = "\u{7f}\\\"x".repeat(1 << 20);
        let bytes = long.len();
        for text in [
            format!("{{\"member\":\"{long}\"}}"),
            format!("{{\"{long}\":1}}"),
            format!("\"{long}\""),
        ] {
            let problem = from_json::<serde_json::Value>(text.as_bytes()).unwrap_err();
            let detail = format!("a string of {bytes} bytes: no string has more than 4096");
            assert_eq!(
                (problem.kind, problem.detail),
                (ProblemType::Invalid, detail)
            );
        }
        let short = format!("{{\"a\":[\"\\\\\",\"{}\"]}}", "\",\"".repeat(50_000));
        assert!(from_json::<serde_json::Value>(short.as_bytes()).is_ok());
        for cut in [&b"\"a"[..], b"\"a\\", b"\"a\\\""] {
            assert_eq!(strings(cut).count(), 0, "{cut:?}");
        }
    }
}
