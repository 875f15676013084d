//! Why the nodes of a store could not be opened: [`OpenError`].

/// The nodes of a store could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// TLS cannot be set up.
    #[error("TLS: {0}")]
    Tls(String),
    /// A setting is wrong.
    #[error("{0}")]
    Setting(String),
    /// Redis does not reply.
    #[error("Redis cannot be reached: {0}")]
    Unreachable(String),
    /// It replies, but cannot be used as it is.
    #[error("{0}")]
    Refused(String),
}
