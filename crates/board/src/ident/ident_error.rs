//! [`IdentError`]: why a text is not an identifier.

/// Why a text is not a valid identifier. Names the text (shortened) and the violated rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {shown:?} {rule}")]
pub struct IdentError {
    what: &'static str,
    shown: String,
    rule: &'static str,
}

impl IdentError {
    pub(super) fn new(what: &'static str, text: &str, rule: &'static str) -> Self {
        const SHOWN_CHARS: usize = 40;
        let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self { what, shown, rule }
    }
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
