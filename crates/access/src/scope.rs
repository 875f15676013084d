//! The operations that a key permits: [`Scope`].

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// The operations that a key permits. Each scope includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reads.
    Read,
    /// Contributions, setting standings, removing members.
    Write,
    /// Managing boards and kinds.
    Admin,
}

impl Scope {
    /// Returns the name in the configuration and in error messages.
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
