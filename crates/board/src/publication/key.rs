//! [`KeyTemplate`]: the key under which a board's window is published.

use std::fmt;
use std::str::FromStr;

use crate::calendar::Period;
use crate::ident::BoardName;
use crate::limits::KEY_TEMPLATE_BYTES_MAX;

/// A key with placeholders for the names of a board and a window: `leaderboard:{subject}:{window}`.
///
/// | placeholder | replaced by |
/// | --- | --- |
/// | `{kind}` | the kind's name |
/// | `{subject}` | the board's subject |
/// | `{window}` | the window: `day:2026-11-20` |
/// | `{period}` | its period: `day`. Successive windows share a key |
///
/// `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    text: String,
    parts: Vec<KeyPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyPart {
    Text(String),
    Kind,
    Subject,
    Window,
    Period,
}

/// Why a text is not a [`KeyTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyTemplateError {
    /// Empty, or too long.
    #[error("a key has 1 to {KEY_TEMPLATE_BYTES_MAX} bytes, not {0}")]
    Length(usize),
    /// Contains a control character.
    #[error("{0:?} has a control character")]
    Control(String),
    /// An unknown placeholder.
    #[error("{{{0}}} is not one of {{subject}}, {{kind}}, {{window}} and {{period}}")]
    Unknown(String),
    /// An unmatched brace.
    #[error("{0:?} has an unmatched brace: a literal brace is written twice")]
    Brace(String),
}

impl KeyTemplate {
    /// Returns the key of a board's window with the name `window`.
    #[must_use]
    pub fn key(&self, board: &BoardName, period: Period, window: &str) -> String {
        let mut key = String::with_capacity(self.text.len() + window.len());
        for part in &self.parts {
            key.push_str(match part {
                KeyPart::Text(text) => text,
                KeyPart::Kind => board.kind().as_str(),
                KeyPart::Subject => board.subject().as_str(),
                KeyPart::Window => window,
                KeyPart::Period => period.as_str(),
            });
        }
        key
    }

    /// Returns whether each board of a kind has its own key.
    #[must_use]
    pub fn names_subject(&self) -> bool {
        self.parts.contains(&KeyPart::Subject)
    }

    /// Returns whether each period has its own key.
    #[must_use]
    pub fn names_window(&self) -> bool {
        self.parts.contains(&KeyPart::Window) || self.parts.contains(&KeyPart::Period)
    }

    /// Returns whether successive windows of one period share a key.
    #[must_use]
    pub fn is_shared_by_windows(&self) -> bool {
        !self.parts.contains(&KeyPart::Window)
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
                parts.push(KeyPart::Text(std::mem::take(&mut plain)));
            }
            parts.push(placeholder(place)?);
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(KeyPart::Text(plain));
        }
        let text = text.to_owned();
        Ok(Self { text, parts })
    }
}

crate::text_form::text_form!(KeyTemplate);

fn placeholder(name: &str) -> Result<KeyPart, KeyTemplateError> {
    match name {
        "kind" => Ok(KeyPart::Kind),
        "subject" => Ok(KeyPart::Subject),
        "window" => Ok(KeyPart::Window),
        "period" => Ok(KeyPart::Period),
        other => Err(KeyTemplateError::Unknown(other.to_owned())),
    }
}

/// Writes the template as it was given.
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
    fn placeholders_are_replaced() {
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
    fn invalid_templates_are_rejected_with_a_reason() {
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
