//! [`IdentError`]: why a text is not an identifier.

use std::borrow::Cow;

/// Why a text is not a valid identifier. Names the text (shortened) and the violated rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {shown:?} {rule}")]
pub struct IdentError {
    what: &'static str,
    shown: String,
    rule: Cow<'static, str>,
}

impl IdentError {
    pub(super) fn new(what: &'static str, text: &str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self {
            what,
            shown: shortened(text),
            rule: rule.into(),
        }
    }
}

/// Returns the beginning of a text.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN_CHARS: usize = 40;
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Checks a rule of identifiers.
pub(super) fn rule(
    ok: bool,
    what: &'static str,
    text: &str,
    rule: &'static str,
) -> Result<(), IdentError> {
    if ok {
        Ok(())
    } else {
        Err(IdentError::new(what, text, rule))
    }
}
