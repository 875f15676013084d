//! [`KindError`]: why settings are not a valid kind.

/// Why a spec is not a valid kind. Names the setting and the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct KindError {
    setting: String,
    reason: String,
}

impl KindError {
    pub(crate) fn new(setting: &str, reason: impl Into<String>) -> Self {
        Self {
            setting: setting.to_owned(),
            reason: reason.into(),
        }
    }

    /// Refuses a setting, unless it is valid.
    pub(crate) fn unless(
        is_valid: bool,
        setting: &str,
        reason: impl Into<String>,
    ) -> Result<(), Self> {
        is_valid
            .then_some(())
            .ok_or_else(|| Self::new(setting, reason))
    }

    /// Returns the setting at fault, as configuration writes it: `keep.day`.
    #[must_use]
    pub fn setting(&self) -> &str {
        &self.setting
    }
}
