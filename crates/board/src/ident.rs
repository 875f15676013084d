//! Identifiers: kinds, fields, subjects, members, boards, contribution ids, incarnations.
//!
//! Each is parsed once, at the edge, and is valid from then on. Text is kept inline up to 24 bytes,
//! so that a usual member costs no allocation. Reserved field names live here too, since what a
//! field may be called is part of what it is.

mod shown;

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;
use twox_hash::{XxHash3_64, XxHash3_128};

use crate::limits::{FIELD_BYTES_MAX, ID_BYTES_MAX, KIND_BYTES_MAX, NAME_BYTES_MAX};

/// Why a text is no identifier. Names the text (shortened) and the rule it breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {shown:?} {rule}")]
pub struct IdentError {
    what: &'static str,
    shown: String,
    rule: &'static str,
}

impl IdentError {
    fn new(what: &'static str, text: &str, rule: &'static str) -> Self {
        const SHOWN_CHARS: usize = 40;
        let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self { what, shown, rule }
    }
}

macro_rules! ident {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(CompactString);

        impl $name {
            /// Checks and takes a text.
            pub fn new(text: &str) -> Result<Self, IdentError> {
                $check(text)?;
                Ok(Self(CompactString::new(text)))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text's UTF-8 bytes.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdentError;

            fn from_str(text: &str) -> Result<Self, IdentError> {
                Self::new(text)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

ident!(
    /// A kind's name: `[a-z][a-z0-9-]{0,62}`.
    KindName,
    check_kind
);
ident!(
    /// The name of a configured server that boards are published to: `[a-z][a-z0-9-]{0,62}`.
    TargetName,
    check_target
);
ident!(
    /// A field's name: `[a-z][a-z0-9_]{0,31}`, none of the words that entries and parameters use.
    FieldName,
    check_field
);
ident!(
    /// What a board is about: 1 to 128 bytes of UTF-8 without control characters.
    Subject,
    check_subject
);
ident!(
    /// Who is ranked: 1 to 128 bytes of UTF-8 without control characters. Ordered by bytes.
    Member,
    check_member
);
ident!(
    /// A client's id of one contribution: 1 to 128 bytes without control characters.
    ContributionId,
    check_id
);

/// The words that answers and parameters use beside a kind's fields.
pub const RESERVED_FIELD_NAMES: [&str; 42] = [
    "above",
    "after",
    "around",
    "as_of",
    "at",
    "before",
    "below",
    "board",
    "boards",
    "changes",
    "count",
    "entries",
    "error",
    "final",
    "fresh",
    "from",
    "gap",
    "id",
    "index",
    "kind",
    "limit",
    "max",
    "member",
    "members",
    "min",
    "n",
    "outcome",
    "percentile",
    "position",
    "rank",
    "reached_at",
    "return",
    "set",
    "shards",
    "stale",
    "subject",
    "target",
    "to",
    "to_target",
    "values",
    "version",
    "window",
];

fn check_kind(text: &str) -> Result<(), IdentError> {
    check_label("kind", text)
}

fn check_target(text: &str) -> Result<(), IdentError> {
    check_label("target", text)
}

fn check_label(what: &'static str, text: &str) -> Result<(), IdentError> {
    let (first, rest) = first_and_rest(text);
    let ok = first.is_some_and(|b| b.is_ascii_lowercase())
        && text.len() <= KIND_BYTES_MAX
        && rest
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-');
    rule(ok, what, text, "does not match [a-z][a-z0-9-]{0,62}")
}

fn check_field(text: &str) -> Result<(), IdentError> {
    let (first, rest) = first_and_rest(text);
    let ok = first.is_some_and(|b| b.is_ascii_lowercase())
        && text.len() <= FIELD_BYTES_MAX
        && rest
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_');
    rule(ok, "field", text, "does not match [a-z][a-z0-9_]{0,31}")?;
    rule(
        !RESERVED_FIELD_NAMES.contains(&text),
        "field",
        text,
        "is a word that answers or parameters use for something else",
    )
}

fn first_and_rest(text: &str) -> (Option<u8>, &[u8]) {
    let bytes = text.as_bytes();
    (bytes.first().copied(), bytes.get(1..).unwrap_or_default())
}

fn check_subject(text: &str) -> Result<(), IdentError> {
    check_name("subject", text)
}

fn check_member(text: &str) -> Result<(), IdentError> {
    check_name("member", text)
}

fn check_name(what: &'static str, text: &str) -> Result<(), IdentError> {
    rule(!text.is_empty(), what, text, "is empty")?;
    rule(
        text.len() <= NAME_BYTES_MAX,
        what,
        text,
        "is longer than 128 bytes",
    )?;
    rule(
        !text.chars().any(char::is_control),
        what,
        text,
        "has a control character",
    )?;
    rule(
        text != "." && text != "..",
        what,
        text,
        "would be a step in a path",
    )
}

fn check_id(text: &str) -> Result<(), IdentError> {
    rule(!text.is_empty(), "id", text, "is empty")?;
    rule(
        text.len() <= ID_BYTES_MAX,
        "id",
        text,
        "is longer than 128 bytes",
    )?;
    rule(
        !text.chars().any(char::is_control),
        "id",
        text,
        "has a control character",
    )
}

fn rule(ok: bool, what: &'static str, text: &str, rule: &'static str) -> Result<(), IdentError> {
    if ok {
        Ok(())
    } else {
        Err(IdentError::new(what, text, rule))
    }
}

impl Subject {
    /// Whether a new board may be about it: an error where people could not tell it from others by sight.
    pub fn check_shown(&self) -> Result<(), IdentError> {
        shown::check_shown("subject", self.as_str())
    }
}

impl Member {
    /// Whether it may be written to: an error where people could not tell it from others by sight. What is
    /// stored under such a name is still read and taken away by it.
    pub fn check_shown(&self) -> Result<(), IdentError> {
        shown::check_shown("member", self.as_str())
    }

    /// A member whose bytes were those of a [`Member`] when they were stored.
    ///
    /// # Panics
    /// On bytes that are no UTF-8: then memory or disk is corrupt, and nothing read is to be trusted.
    #[must_use]
    pub fn from_stored(bytes: &[u8]) -> Self {
        Self(CompactString::from_utf8(bytes).expect("a stored member is UTF-8"))
    }

    /// The hash that places the member: its top bits choose the shard, and tables use it too.
    #[must_use]
    pub fn placement_hash(&self) -> u64 {
        XxHash3_64::oneshot(self.as_bytes())
    }
}

/// A board: a kind and a subject, written `gifts/room-8842`. Ordered by kind, then subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardName {
    kind: KindName,
    subject: Subject,
}

impl BoardName {
    /// A board of this kind about this subject.
    #[must_use]
    pub const fn new(kind: KindName, subject: Subject) -> Self {
        Self { kind, subject }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> &KindName {
        &self.kind
    }

    /// What it is about.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }
}

impl fmt::Display for BoardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.subject)
    }
}

impl FromStr for BoardName {
    type Err = IdentError;

    /// Reads `kind/subject`; the subject is everything behind the first slash.
    fn from_str(text: &str) -> Result<Self, IdentError> {
        let (kind, subject) = text
            .split_once('/')
            .ok_or_else(|| IdentError::new("board", text, "is not written kind/subject"))?;
        Ok(Self::new(KindName::new(kind)?, Subject::new(subject)?))
    }
}

/// One incarnation of a board, drawn at random at its creation: whatever is written, remembered or shown of a
/// board belongs to one incarnation, so that nothing of a deleted board comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Incarnation(pub u64);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What a shard remembers of a contribution's id: 128 bits of (incarnation, member, id).
///
/// At a billion ids on one shard a chance collision has odds below 10^-20. The incarnation seeds
/// it, so that nobody can prepare colliding ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdDigest(pub u128);

impl IdDigest {
    /// The digest of one member's id on one incarnation of a board.
    #[must_use]
    pub fn new(incarnation: Incarnation, member: &Member, id: &ContributionId) -> Self {
        let mut bytes = [0u8; 1 + NAME_BYTES_MAX + ID_BYTES_MAX];
        let (m, i) = (member.as_bytes(), id.as_bytes());
        bytes[0] = u8::try_from(m.len()).expect("a member has at most 128 bytes");
        bytes[1..=m.len()].copy_from_slice(m);
        bytes[1 + m.len()..1 + m.len() + i.len()].copy_from_slice(i);
        let text = &bytes[..1 + m.len() + i.len()];
        Self(XxHash3_128::oneshot_with_seed(incarnation.0, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_fields_follow_their_patterns() {
        for good in ["a", "gifts", "hot-replies", "k9", &"a".repeat(63)] {
            assert!(KindName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "9k", "Gifts", "a_b", "-a", "a b", "é", &"a".repeat(64)] {
            assert!(KindName::new(bad).is_err(), "{bad}");
        }
        for good in ["points", "last_reply", "a1"] {
            assert!(FieldName::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "_a",
            "rank",
            "member",
            "reached_at",
            "a-b",
            &"a".repeat(33),
        ] {
            assert!(FieldName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_any_printable_utf8_but_path_steps() {
        for good in ["u1", "a b", "ü/{}%", "...", "مرحبا", &"x".repeat(128)] {
            assert!(Member::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a\nb", "\u{7f}", "\u{85}", &"x".repeat(129)] {
            assert!(Member::new(bad).is_err(), "{bad:?}");
        }
        let error = Member::new(&"x".repeat(129)).unwrap_err().to_string();
        assert!(
            error.contains("longer than 128 bytes") && error.len() < 100,
            "{error}"
        );
    }

    #[test]
    fn a_board_splits_at_the_first_slash() {
        let board: BoardName = "gifts/a/b".parse().unwrap();
        assert_eq!(
            (board.kind().as_str(), board.subject().as_str()),
            ("gifts", "a/b")
        );
        assert_eq!(board.to_string(), "gifts/a/b");
        assert!("gifts".parse::<BoardName>().is_err());
    }

    #[test]
    fn digests_keep_member_and_id_apart() {
        let digest = |incarnation, member, id| {
            IdDigest::new(
                Incarnation(incarnation),
                &Member::new(member).unwrap(),
                &ContributionId::new(id).unwrap(),
            )
        };
        assert_eq!(digest(1, "ab", "c"), digest(1, "ab", "c"));
        assert_ne!(digest(1, "ab", "c"), digest(1, "a", "bc"));
        assert_ne!(digest(1, "ab", "c"), digest(2, "ab", "c"));
    }
}
