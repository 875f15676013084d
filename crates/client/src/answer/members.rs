//! Answers about one member on every board: [`Hidden`], [`HiddenIn`], [`Erased`].

use serde::Deserialize;

/// Whom a kind hides.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Hidden {
    /// The kind.
    pub kind: String,
    /// Them, by name.
    pub hidden: Vec<String>,
}

/// In which kinds a member is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct HiddenIn {
    /// Who.
    pub member: String,
    /// Of the kinds that were asked about.
    pub hidden_in: Vec<String>,
}

/// How far a member is erased.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Erased {
    /// Boards that were looked at.
    pub boards: u64,
    /// Those of them that it stood on.
    pub erased: u64,
    /// The board to go on after; none at the end.
    pub next: Option<String>,
}
