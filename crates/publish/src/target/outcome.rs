//! The outcome of an update: [`Replaced`], [`TargetError`].

/// Why an update failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    /// The server cannot be reached, or does not reply.
    #[error("{0}")]
    Unreachable(String),
    /// The server replied with an error.
    #[error("{0}")]
    Rejected(String),
}

/// Whether an update replaced the published content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// Readers see the new content.
    Yes,
    /// Another server has written since the update began. Nothing was changed.
    Overtaken,
}
