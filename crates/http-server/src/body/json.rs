//! Parses JSON bodies: [`from_json`].

use std::collections::HashMap;

use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};
use wire::problem::{Problem, ProblemType};
use wire::{Object, beginning};

/// The length up to which a body is parsed without a check of its strings.
const UNCHECKED_BYTES_MAX: usize = 64 << 10;

/// The longest string of a larger body, in its escaped form. A name of 128 bytes with every byte escaped has less than
/// 1,000.
const STRING_BYTES_MAX: usize = 4 << 10;

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
    let (why, path) = (error.inner(), error.path());
    let problem = match (why.classify(), value_at(text, path)) {
        (Category::Data, _) => Problem::invalid(why.to_string()),
        // To the parser, a number that is no double and a value that is no word are errors of the syntax.
        (_, Some(value)) => Problem::invalid(format!("{value} is not accepted: {why}")),
        (_, None) => {
            let why = foreign(text).map_or_else(|| why.to_string(), str::to_owned);
            return Problem::new(ProblemType::Malformed, why);
        }
    };
    if path.iter().next().is_none() {
        problem
    } else {
        problem.at(&path.to_string())
    }
}

/// Returns the beginning of the value at a path; `None` if the text is no JSON.
fn value_at<'t>(text: &'t [u8], path: &Path) -> Option<&'t str> {
    let mut value: &RawValue = serde_json::from_slice(text).ok()?;
    for segment in path {
        let inner = match segment {
            Segment::Map { key } => {
                let members: Option<HashMap<String, &RawValue>> = parsed(value);
                members.and_then(|mut members| members.remove(key))
            }
            Segment::Seq { index } => {
                let items: Option<Vec<&RawValue>> = parsed(value);
                items.and_then(|items| items.get(*index).copied())
            }
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        let Some(inner) = inner else { break };
        value = inner;
    }
    Some(beginning(value.get()))
}

fn parsed<'t, T: serde::Deserialize<'t>>(value: &'t RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// Returns why a text is no JSON that begins with a byte order mark.
fn foreign(text: &[u8]) -> Option<&'static str> {
    if text.starts_with(b"\xef\xbb\xbf") {
        return Some("it begins with a byte order mark (U+FEFF): send it without");
    }
    let is_utf_16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    is_utf_16.then_some("it is UTF-16: JSON is UTF-8, without a byte order mark")
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
    #[serde(deny_unknown_fields)]
    struct Shape {
        #[serde(rename = "day")]
        _day: Option<Day>,
        #[serde(rename = "days", default)]
        _days: Vec<Day>,
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
            let problem = from_json::<serde_json::Value>(text).unwrap_err();
            assert_eq!(problem.kind, ProblemType::Malformed);
            assert!(problem.detail.contains(part), "{}", problem.detail);
        }
    }

    #[test]
    fn a_value_that_is_not_accepted_is_reported_with_its_field() {
        for (text, begin) in [
            ("{\"day\":3}", "day: 3 is not accepted: "),
            (
                "{\"days\":[\"monday\", true]}",
                "days[1]: true is not accepted: ",
            ),
            ("{\"day\": [1]}", "day: [1] is not accepted: "),
            ("{\"top\": 1e400}", "top: 1e400 is not accepted: "),
            (
                "{\"top\": \"x\"}",
                "top: invalid type: string \"x\", expected u16",
            ),
            (
                "{\"top\": 70000}",
                "top: invalid value: integer `70000`, expected u16",
            ),
            (
                "{\"day\": \"Monday\"}",
                "day: unknown variant `Monday`, expected `monday`",
            ),
            (
                "{\"dya\": 1}",
                "dya: unknown field `dya`, expected one of `day`, `days`, `top`",
            ),
            ("[]", "invalid type: sequence, expected an object"),
        ] {
            let (kind, detail) = refused(text);
            assert_eq!(kind, ProblemType::Invalid, "{text}: {detail}");
            assert!(detail.starts_with(begin), "{text}: {detail}");
        }
        for text in ["{\"day\":nul}", "{\"day\"", "", "{} x"] {
            let (kind, detail) = refused(text);
            assert_eq!(kind, ProblemType::Malformed, "{detail}");
            assert!(detail.contains(" at line 1 column "), "{detail}");
        }
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
