//! What a board's window is called where it is published: [`KeyTemplate`].

use std::fmt;
use std::str::FromStr;

use crate::ident::BoardName;
use crate::limits::KEY_TEMPLATE_BYTES_MAX;
use crate::window::Period;

/// A key with places for what a board and a window are called: `leaderboard:{subject}:{window}`.
///
/// | place | what it becomes |
/// | --- | --- |
/// | `{kind}` | the kind's name |
/// | `{subject}` | the board's subject |
/// | `{window}` | the window: `day:2026-11-20` |
/// | `{period}` | its period: `day`. Windows that follow one another share a key |
///
/// `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Kind,
    Subject,
    Window,
    Period,
}

/// Why a text is no [`KeyTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyTemplateError {
    /// It has no characters, or too many.
    #[error("a key has 1 to {KEY_TEMPLATE_BYTES_MAX} bytes, not {0}")]
    Length(usize),
    /// It has a control character.
    #[error("{0:?} has a control character")]
    Control(String),
    /// A place that is not known.
    #[error("{{{0}}} is none of {{subject}}, {{kind}}, {{window}} and {{period}}")]
    Unknown(String),
    /// A brace on its own.
    #[error("{0:?} has a brace without another: a brace itself is written twice")]
    Brace(String),
}

impl KeyTemplate {
    /// The key of a board's window, which has this name.
    #[must_use]
    pub fn key(&self, board: &BoardName, period: Period, window: &str) -> String {
        let mut key = String::with_capacity(self.text.len() + window.len());
        for part in &self.parts {
            key.push_str(match part {
                Part::Text(text) => text,
                Part::Kind => board.kind().as_str(),
                Part::Subject => board.subject().as_str(),
                Part::Window => window,
                Part::Period => period.as_str(),
            });
        }
        key
    }

    /// Whether boards of one kind have keys of their own.
    #[must_use]
    pub fn names_subject(&self) -> bool {
        self.parts.contains(&Part::Subject)
    }

    /// Whether periods have keys of their own.
    #[must_use]
    pub fn names_window(&self) -> bool {
        self.parts.contains(&Part::Window) || self.parts.contains(&Part::Period)
    }

    /// Whether windows of one period follow each other under one key.
    #[must_use]
    pub fn is_shared_by_windows(&self) -> bool {
        !self.parts.contains(&Part::Window)
    }
}

impl FromStr for KeyTemplate {
    type Err = KeyTemplateError;

    fn from_str(text: &str) -> Result<Self, KeyTemplateError> {
        if text.is_empty() || text.len() > KEY_TEMPLATE_BYTES_MAX {
            return Err(KeyTemplateError::Length(text.len()));
        }
        if text.chars().any(char::is_control) {
            return Err(KeyTemplateError::Control(text.to_owned()));
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            let place = rest.split_once('}').filter(|_| brace == "{");
            let (place, behind) = place.ok_or_else(|| KeyTemplateError::Brace(text.to_owned()))?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(place_of(place)?);
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        let text = text.to_owned();
        Ok(Self { text, parts })
    }
}

fn place_of(name: &str) -> Result<Part, KeyTemplateError> {
    match name {
        "kind" => Ok(Part::Kind),
        "subject" => Ok(Part::Subject),
        "window" => Ok(Part::Window),
        "period" => Ok(Part::Period),
        other => Err(KeyTemplateError::Unknown(other.to_owned())),
    }
}

/// As it was written.
impl fmt::Display for KeyTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(template: &str) -> String {
        let board = "gifts/room-1".parse().unwrap();
        let template: KeyTemplate = template.parse().unwrap();
        template.key(&board, Period::Day, "day:2026-11-20")
    }

    #[test]
    fn places_are_filled() {
        for (template, filled) in [
            ("{subject}", "room-1"),
            ("lb:{kind}:{subject}:{period}", "lb:gifts:room-1:day"),
            ("{subject}/{window}", "room-1/day:2026-11-20"),
            ("lb:{{{subject}}}:{window}", "lb:{room-1}:day:2026-11-20"),
            ("{{}}{subject}", "{}room-1"),
            ("plain", "plain"),
        ] {
            assert_eq!(key(template), filled, "{template}");
        }
    }

    #[test]
    fn what_is_no_template_is_told() {
        let long = "x".repeat(KEY_TEMPLATE_BYTES_MAX + 1);
        for (template, part) in [
            ("", "0"),
            (long.as_str(), "257"),
            ("a\n{subject}", "control"),
            ("{room}", "{room}"),
            ("{subject", "brace"),
            ("subject}", "brace"),
            ("{}", "{}"),
        ] {
            let error = template.parse::<KeyTemplate>().unwrap_err().to_string();
            assert!(error.contains(part), "{template:?}: {error}");
        }
    }
}
