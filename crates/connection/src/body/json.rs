//! Parses JSON bodies: [`from_json`].

use problem::{Problem, ProblemType};
use wire::Object;

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
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let kind = match error.inner().classify() {
            serde_json::error::Category::Data => ProblemType::Invalid,
            _ => ProblemType::Malformed,
        };
        let problem = Problem::new(kind, error.inner().to_string());
        if path == "." || kind == ProblemType::Malformed {
            problem
        } else {
            problem.at(&path)
        }
    })?;
    deserializer
        .end()
        .map_err(|error| Problem::new(ProblemType::Malformed, error.to_string()))?;
    Ok(value)
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
