//! Identifiers: kinds, fields, subjects, members, boards, contribution ids, incarnations.
//!
//! Each is parsed once, at the edge, and is valid from then on. Text up to 24 bytes is stored
//! inline, so that a typical member costs no allocation. The reserved field names are here because
//! they restrict what a field may be called.

mod board_name;
mod ident_error;
mod incarnation;
mod visible;

use std::fmt;
use std::str::FromStr;

pub use board_name::BoardName;
pub use ident_error::IdentError;
pub use incarnation::{IdDigest, Incarnation};
pub(crate) use visible::check_visible;
pub use visible::is_invisible;

use compact_str::CompactString;
use twox_hash::XxHash3_64;

use crate::limits::{FIELD_BYTES_MAX, KIND_BYTES_MAX, NAME_BYTES_MAX};
use ident_error::rule;

macro_rules! ident {
    ($(#[$doc:meta])* $name:ident, $what:literal, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(CompactString);

        impl $name {
            /// Validates a text.
            pub fn new(text: &str) -> Result<Self, IdentError> {
                $check($what, text)?;
                Ok(Self(CompactString::new(text)))
            }

            /// Returns the text.
            #[inline]
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns the text's UTF-8 bytes.
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

        crate::text_form::text_form!($name, as_str);

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
    "kind",
    check_label
);
ident!(
    /// The name of a configured server that boards are published to: `[a-z][a-z0-9-]{0,62}`.
    TargetName,
    "target",
    check_label
);
ident!(
    /// A field's name: `[a-z][a-z0-9_]{0,31}`, except the names that entries and parameters
    /// reserve.
    FieldName,
    "field",
    check_field
);
ident!(
    /// What a board is about: 1 to 128 bytes of UTF-8 without control characters.
    Subject,
    "subject",
    check_name
);
ident!(
    /// A ranked member: 1 to 128 bytes of UTF-8 without control characters. Ordered by bytes.
    Member,
    "member",
    check_name
);
ident!(
    /// A client's id of one contribution: 1 to 128 bytes without control characters.
    ContributionId,
    "id",
    check_text
);

/// The names that responses and parameters use beside a kind's fields.
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

fn check_label(what: &'static str, text: &str) -> Result<(), IdentError> {
    let ok = is_label(text, KIND_BYTES_MAX, b'-');
    rule(ok, what, text, "does not match [a-z][a-z0-9-]{0,62}")
}

fn check_field(what: &'static str, text: &str) -> Result<(), IdentError> {
    let ok = is_label(text, FIELD_BYTES_MAX, b'_');
    rule(ok, what, text, "does not match [a-z][a-z0-9_]{0,31}")?;
    let ok = !RESERVED_FIELD_NAMES.contains(&text);
    rule(
        ok,
        what,
        text,
        "is a reserved name in responses or parameters",
    )
}

/// Whether a text begins with a small letter, and goes on with more of them, digits and joints.
fn is_label(text: &str, bytes_max: usize, joint: u8) -> bool {
    let goes_on = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == joint;
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= bytes_max
        && text.bytes().all(goes_on)
}

fn check_name(what: &'static str, text: &str) -> Result<(), IdentError> {
    check_text(what, text)?;
    let ok = text != "." && text != "..";
    rule(ok, what, text, "is a relative path segment")
}

fn check_text(what: &'static str, text: &str) -> Result<(), IdentError> {
    rule(!text.is_empty(), what, text, "is empty")?;
    let ok = text.len() <= NAME_BYTES_MAX;
    rule(ok, what, text, "is longer than 128 bytes")?;
    let ok = !text.chars().any(char::is_control);
    rule(ok, what, text, "has a control character")
}

impl Subject {
    /// Checks that a new board may have this subject: rejects text that people could not
    /// distinguish by sight.
    pub fn check_visible(&self) -> Result<(), IdentError> {
        visible::check_distinct("subject", self.as_str())
    }
}

impl Member {
    /// Checks that this member may be written to: rejects text that people could not distinguish by
    /// sight. Standings stored under such a name can still be read and removed by it.
    pub fn check_visible(&self) -> Result<(), IdentError> {
        visible::check_distinct("member", self.as_str())
    }

    /// Creates a member from bytes that were those of a [`Member`] when they were stored.
    ///
    /// Short names are checked in a block, filled up with zeros: `from_utf8` looks at blocks of
    /// ASCII as words, at anything shorter byte by byte.
    ///
    /// # Panics
    /// Panics if the bytes are not UTF-8: memory or disk is corrupt, and nothing read can be
    /// trusted.
    #[must_use]
    pub fn from_stored(bytes: &[u8]) -> Self {
        /// A multiple of what `from_utf8` reads at once.
        const BLOCK_BYTES: usize = 16;
        #[repr(align(8))]
        struct Block([u8; BLOCK_BYTES]);

        if bytes.len() > BLOCK_BYTES {
            return Self(CompactString::from_utf8(bytes).expect("a stored member is UTF-8"));
        }
        let mut block = Block([0; BLOCK_BYTES]);
        block.0[..bytes.len()].copy_from_slice(bytes);
        let text = str::from_utf8(&block.0).expect("a stored member is UTF-8");
        Self(CompactString::new(&text[..bytes.len()]))
    }

    /// Returns the hash that places the member: its top bits choose the shard, and hash tables use
    /// it.
    #[must_use]
    pub fn placement_hash(&self) -> u64 {
        XxHash3_64::oneshot(self.as_bytes())
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
    fn names_are_any_printable_utf8_except_path_segments() {
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
    fn stored_members_are_read_as_they_were() {
        for piece in ["u", "ü", "漢", "😀", "\u{7f}"] {
            for length in 1..=40 {
                let name = piece.repeat(length);
                assert_eq!(Member::from_stored(name.as_bytes()).as_str(), name);
                let cut = name.as_bytes()[..name.len() - 1].to_vec();
                let read = std::panic::catch_unwind(|| Member::from_stored(&cut));
                let text = str::from_utf8(&cut).ok();
                assert_eq!(read.ok().as_ref().map(Member::as_str), text);
            }
        }
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
