//! What a key is for.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// What a key is for; each one includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Whatever changes nothing.
    Read,
    /// Contributions, standings set outright, members taken off.
    Write,
    /// Boards and kinds themselves.
    Admin,
}

impl Scope {
    /// The word that configuration and problems have for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Read, Self::Write, Self::Admin];
        let found = all.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or_else(|| format!("{text:?} is not a scope; expected one of: read, write, admin"))
    }
}
