//! A key, and what the server keeps of it: its SHA-256.
//!
//! **Invariant:** a key is never shown, in no response, log or error of the configuration. The server only has its
//! hash.
//!
//! A key is 256 random bits. What makes passwords need a slow, salted hash is that they can be
//! guessed; a number of that many bits cannot, so that a plain hash is as good and costs a request
//! less than a microsecond.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use board::{KindName, Timestamp};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::rate::{Budget, RateSettings, Wait};
use super::scope::Scope;
use crate::problem::{Problem, ProblemType};

/// What a key begins with, so that one that strays is known for what it is.
const KEY_PREFIX: &str = "mb_";

/// What a hash begins with in the configuration.
const HASH_PREFIX: &str = "sha256:";

/// Random bytes of a key.
const KEY_BYTES: usize = 32;

/// Bytes of a key's name.
const NAME_BYTES_MAX: usize = 128;

pub(super) type KeyDigest = [u8; 32];

/// What stands for a key in stream tokens.
pub(super) type KeyTag = [u8; 8];

/// What a tag is made for.
const TAG_PURPOSE: &[u8] = b"megaboard key tag 1\n";

pub(super) fn digest_of(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// A key that was just drawn. Its text is nowhere else, and is not kept.
pub struct NewKey {
    text: String,
}

impl NewKey {
    /// Draws one.
    pub fn draw() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)?;
        let text = format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        Ok(Self { text })
    }

    /// The key itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the configuration names in its place.
    #[must_use]
    pub fn hash(&self) -> String {
        let digest = digest_of(&self.text).map(|byte| format!("{byte:02x}"));
        format!("{HASH_PREFIX}{}", digest.concat())
    }
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKey").finish_non_exhaustive()
    }
}

/// A key as the configuration has it, `[[server.keys]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySettings {
    /// What logs and problems call it.
    pub name: String,
    /// `sha256:` and 64 hexadecimal digits.
    pub hash: String,
    /// What it is for.
    pub scope: Scope,
    /// The kinds whose boards it may touch; all where none are named.
    pub kinds: Option<Vec<String>>,
    /// How many requests it may make; as all keys unless told otherwise.
    pub requests_per_second: Option<NonZeroU32>,
    /// How many of them at once.
    pub burst: Option<NonZeroU32>,
    /// From when on it lets nobody in any more, as RFC 3339; never unless told.
    pub expires_at: Option<String>,
}

impl KeySettings {
    /// What the key says of itself, or else what is said of all.
    fn rate(&self, of_all: RateSettings) -> RateSettings {
        match self.requests_per_second {
            None => RateSettings {
                burst: self.burst.or(of_all.burst),
                ..of_all
            },
            own => RateSettings {
                requests_per_second: own,
                burst: self.burst,
            },
        }
    }
}

/// Why there is no such key. Never repeats what stands in the place of the hash: it may be a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum KeyError {
    #[error("there are {count} keys, more than {max}")]
    TooMany { count: usize, max: usize },
    #[error("a key's name {0:?} is not 1 to {NAME_BYTES_MAX} bytes without control characters")]
    Name(String),
    #[error("two keys are named {0:?}")]
    NameTwice(String),
    #[error(
        "key {name:?}: hash: is not sha256: and 64 hexadecimal digits, as `megaboard key new` prints it"
    )]
    Hash { name: String },
    #[error("keys {0:?} and {1:?} have one hash: they are one key")]
    HashTwice(String, String),
    #[error("key {name:?}: kinds: {kind:?} is no name of a kind")]
    Kind { name: String, kind: String },
    #[error("key {name:?}: kinds: names none; left out, the key is for all")]
    NoKinds { name: String },
    #[error("key {name:?}: burst: needs requests_per_second beside it")]
    BurstAlone { name: String },
    #[error("key {name:?}: expires_at: {text:?} is no time like \"2026-12-31T00:00:00Z\"")]
    ExpiresAt { name: String, text: String },
}

/// A key that the server knows.
#[derive(Debug)]
pub(crate) struct Key {
    pub(super) name: String,
    pub(super) digest: KeyDigest,
    scope: Scope,
    kinds: Option<BTreeSet<KindName>>,
    budget: Option<Arc<Budget>>,
    expires_at: Option<Timestamp>,
}

impl Key {
    pub(super) fn new(settings: &KeySettings, of_all: RateSettings) -> Result<Self, KeyError> {
        let name = settings.name.clone();
        if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains(char::is_control) {
            return Err(KeyError::Name(name));
        }
        let kind = |kind: &String| {
            let (name, wrong) = (name.clone(), kind.clone());
            KindName::new(kind).map_err(|_| KeyError::Kind { name, kind: wrong })
        };
        let kinds = settings.kinds.as_ref();
        let kinds: Option<BTreeSet<_>> = kinds
            .map(|kinds| kinds.iter().map(kind).collect())
            .transpose()?;
        if kinds.as_ref().is_some_and(BTreeSet::is_empty) {
            return Err(KeyError::NoKinds { name });
        }
        let expires_at = settings.expires_at.as_ref().map(|text| {
            let (name, wrong) = (name.clone(), text.clone());
            let at = Timestamp::parse_rfc3339(text);
            at.map_err(|_| KeyError::ExpiresAt { name, text: wrong })
        });
        let expires_at = expires_at.transpose()?;
        let quota = settings.rate(of_all).quota();
        let quota = quota.map_err(|_| KeyError::BurstAlone { name: name.clone() })?;
        let digest = digest_from(&settings.hash);
        Ok(Self {
            digest: digest.ok_or_else(|| KeyError::Hash { name: name.clone() })?,
            name,
            scope: settings.scope,
            kinds,
            budget: quota.map(|quota| Arc::new(Budget::new(quota))),
            expires_at,
        })
    }

    /// What stream tokens call it: its digest is not shown to their holders.
    pub(super) fn tag(&self) -> KeyTag {
        let tag = Sha256::new()
            .chain_update(TAG_PURPOSE)
            .chain_update(self.digest);
        let tag: KeyDigest = tag.finalize().into();
        std::array::from_fn(|place| tag[place])
    }

    /// 401 once it is past its time.
    pub(super) fn check_time(&self, now: Timestamp) -> Result<(), Problem> {
        let Some(end) = self.expires_at.filter(|end| now >= *end) else {
            return Ok(());
        };
        let detail = format!("authorization: key {:?} expired at {end}", self.name);
        Err(Problem::new(ProblemType::Unauthorized, detail))
    }

    /// Takes one request out of its budget, where it has one.
    pub(super) fn take(&self) -> Result<(), Wait> {
        self.budget.as_ref().map_or(Ok(()), |budget| budget.take())
    }

    /// Goes on with the budget of this key as it was configured before, if it is the same.
    pub(super) fn spend_with(&mut self, before: &Self) {
        if let (Some(own), Some(before)) = (&mut self.budget, &before.budget)
            && own.quota() == before.quota()
        {
            *own = before.clone();
        }
    }

    /// Refuses what is beyond its scope.
    pub(super) fn check_scope(&self, needed: Scope) -> Result<(), Problem> {
        if self.scope >= needed {
            return Ok(());
        }
        let (name, own) = (&self.name, self.scope);
        let detail = format!("key {name:?} has scope {own}; this needs {needed}");
        Err(Problem::new(ProblemType::Forbidden, detail))
    }

    /// Whether it may touch boards of this kind.
    pub(super) fn is_for(&self, kind: &str) -> bool {
        let Some(kinds) = &self.kinds else {
            return true;
        };
        // What is no name of a kind is none of those that it may touch.
        KindName::new(kind).is_ok_and(|kind| kinds.contains(&kind))
    }

    /// Whether it may change boards and kinds themselves.
    pub(super) fn is_admin(&self) -> bool {
        self.scope == Scope::Admin
    }

    /// Whether it may do everything, on all kinds.
    pub(super) fn is_unbounded_admin(&self) -> bool {
        self.is_admin() && self.kinds.is_none()
    }

    /// Refuses kinds whose boards it may not touch.
    pub(super) fn check_kind(&self, kind: &str) -> Result<(), Problem> {
        if self.is_for(kind) {
            return Ok(());
        }
        let detail = format!("key {:?} is not for kind {kind:?}", self.name);
        Err(Problem::new(ProblemType::Forbidden, detail))
    }
}

fn digest_from(hash: &str) -> Option<KeyDigest> {
    let digits = hash.strip_prefix(HASH_PREFIX)?;
    let mut digest = KeyDigest::default();
    if digits.len() != 2 * digest.len() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (place, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(hash: &str, kinds: Option<&[&str]>) -> KeySettings {
        KeySettings {
            name: "k".to_owned(),
            hash: hash.to_owned(),
            scope: Scope::Write,
            kinds: kinds.map(|kinds| kinds.iter().map(|&kind| kind.to_owned()).collect()),
            requests_per_second: None,
            burst: None,
            expires_at: None,
        }
    }

    fn new(settings: &KeySettings) -> Result<Key, KeyError> {
        Key::new(settings, RateSettings::default())
    }

    #[test]
    fn only_a_key_of_scope_admin_is_an_admin() {
        let hash = NewKey::draw().unwrap().hash();
        for (scope, is_admin) in [
            (Scope::Read, false),
            (Scope::Write, false),
            (Scope::Admin, true),
        ] {
            let key = KeySettings {
                scope,
                ..settings(&hash, Some(&["gifts"]))
            };
            assert_eq!(new(&key).unwrap().is_admin(), is_admin, "{scope}");
        }
    }

    #[test]
    fn a_key_has_the_rate_of_all_unless_it_says_its_own() {
        let rate = |requests_per_second, burst| RateSettings {
            requests_per_second: NonZeroU32::new(requests_per_second),
            burst: NonZeroU32::new(burst),
        };
        for (own, of_all, expected) in [
            (rate(0, 0), rate(0, 0), rate(0, 0)),
            (rate(0, 0), rate(5, 9), rate(5, 9)),
            (rate(2, 0), rate(5, 9), rate(2, 0)),
            (rate(2, 3), rate(5, 9), rate(2, 3)),
            (rate(0, 3), rate(5, 9), rate(5, 3)),
        ] {
            let key = KeySettings {
                requests_per_second: own.requests_per_second,
                burst: own.burst,
                ..settings("", None)
            };
            assert_eq!(key.rate(of_all), expected);
        }
        let alone = KeySettings {
            burst: NonZeroU32::new(3),
            ..settings(&NewKey::draw().unwrap().hash(), None)
        };
        assert!(matches!(new(&alone), Err(KeyError::BurstAlone { .. })));
    }

    #[test]
    fn a_new_key_is_known_by_its_hash() {
        let (one, other) = (NewKey::draw().unwrap(), NewKey::draw().unwrap());
        assert_ne!(one.text(), other.text());
        assert_eq!(one.text().len(), 46);
        let key = new(&settings(&one.hash(), None)).unwrap();
        assert_eq!(key.digest, digest_of(one.text()));
        assert_ne!(key.digest, digest_of(other.text()));
        assert!(!format!("{one:?}").contains(one.text()));
    }

    #[test]
    fn the_hash_is_plain_sha256() {
        // From `printf abc | sha256sum`.
        let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_from(hash), Some(digest_of("abc")));
    }

    #[test]
    fn a_key_in_place_of_its_hash_is_refused_and_not_repeated() {
        let drawn = NewKey::draw().unwrap();
        for wrong in [drawn.text(), "sha256:12", &drawn.hash()[7..], "sha256:ä"] {
            let error = new(&settings(wrong, None)).unwrap_err();
            assert_eq!(
                error,
                KeyError::Hash {
                    name: "k".to_owned()
                }
            );
            assert!(!error.to_string().contains(wrong), "{error}");
        }
    }

    #[test]
    fn kinds_bound_a_key_and_have_to_be_names() {
        let hash = NewKey::draw().unwrap().hash();
        let of = |kinds: Option<&[&str]>| new(&settings(&hash, kinds));
        assert!(of(None).unwrap().is_for("any"));
        let bound = of(Some(&["gifts", "races"])).unwrap();
        assert!(bound.is_for("races") && !bound.is_for("race") && !bound.is_for("Gifts"));
        assert!(bound.check_kind("x").unwrap_err().detail.contains("\"x\""));
        assert!(matches!(of(Some(&[])), Err(KeyError::NoKinds { .. })));
        assert!(matches!(of(Some(&["Gifts"])), Err(KeyError::Kind { .. })));
    }

    #[test]
    fn a_key_is_good_until_its_end() {
        let hash = NewKey::draw().unwrap().hash();
        let until = |text: &str| {
            new(&KeySettings {
                expires_at: Some(text.to_owned()),
                ..settings(&hash, None)
            })
        };
        let key = until("2026-11-20T15:00:00Z").unwrap();
        let end = Timestamp::parse_rfc3339("2026-11-20T15:00:00Z").unwrap();
        assert!(
            key.check_time(Timestamp::from_millis(end.millis() - 1))
                .is_ok()
        );
        let problem = key.check_time(end).unwrap_err();
        assert_eq!(problem.kind, ProblemType::Unauthorized);
        assert!(new(&settings(&hash, None)).unwrap().check_time(end).is_ok());
        for wrong in ["soon", "2026-11-20", ""] {
            let error = until(wrong).unwrap_err();
            assert!(matches!(error, KeyError::ExpiresAt { .. }), "{wrong}");
        }
    }

    #[test]
    fn a_scope_includes_those_before_it() {
        let key = new(&settings(&NewKey::draw().unwrap().hash(), None)).unwrap();
        assert!(key.check_scope(Scope::Read).is_ok() && key.check_scope(Scope::Write).is_ok());
        let problem = key.check_scope(Scope::Admin).unwrap_err();
        assert!(problem.detail.contains("admin"), "{problem:?}");
    }
}
