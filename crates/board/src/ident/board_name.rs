//! [`BoardName`]: a kind and a subject.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{IdentError, KindName, Subject};

/// A board: a kind and a subject, written `gifts/room-8842`. Ordered by kind, then subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct BoardName {
    kind: KindName,
    subject: Subject,
}

impl BoardName {
    /// Creates the name of a board of this kind about this subject.
    #[must_use]
    pub const fn new(kind: KindName, subject: Subject) -> Self {
        Self { kind, subject }
    }

    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> &KindName {
        &self.kind
    }

    /// Returns the subject.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns whether this text is how the name is written.
    #[must_use]
    pub fn is_written(&self, text: &str) -> bool {
        let subject = text.strip_prefix(self.kind.as_str());
        let subject = subject.and_then(|rest| rest.strip_prefix('/'));
        subject == Some(self.subject.as_str())
    }
}

impl fmt::Display for BoardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.subject)
    }
}

impl FromStr for BoardName {
    type Err = IdentError;

    /// Parses `kind/subject`; the subject is everything after the first slash.
    fn from_str(text: &str) -> Result<Self, IdentError> {
        let (kind, subject) = text
            .split_once('/')
            .ok_or_else(|| IdentError::new("board", text, "is not written kind/subject"))?;
        Ok(Self::new(KindName::new(kind)?, Subject::new(subject)?))
    }
}
