//! [`NameOrder`]: which of two members ranks higher where all words of their keys are equal.

use std::borrow::Cow;
use std::cmp::Ordering;

/// Which of two members ranks higher where all words of their keys are equal. Members compare by
/// bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameOrder {
    /// The greater one, like a Redis sorted set read in reverse.
    #[default]
    Higher,
    /// The lesser one, like a Redis sorted set read forward.
    Lower,
}

/// Terminates a complemented name, above all of its bytes: no name contains a byte 0.
const NAME_END: u8 = u8::MAX;

impl NameOrder {
    /// Compares two names: greater is better.
    #[must_use]
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Higher => a.cmp(b),
            Self::Lower => b.cmp(a),
        }
    }

    /// Returns the bytes of a name in a key: they compare like the names, greater is better.
    #[must_use]
    pub fn key_bytes(self, name: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Higher => Cow::Borrowed(name),
            Self::Lower => name.iter().map(|byte| !byte).chain([NAME_END]).collect(),
        }
    }

    /// Returns the name that these bytes of a key encode, `None` if the terminator is missing.
    #[must_use]
    pub fn name_of(self, bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Higher => Some(Cow::Borrowed(bytes)),
            Self::Lower => {
                let (end, name) = bytes.split_last()?;
                (*end == NAME_END).then(|| name.iter().map(|byte| !byte).collect())
            }
        }
    }
}
