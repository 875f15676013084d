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
use serde::de::{Deserializer, Error as _};
use sha2::{Digest as _, Sha256};

use crate::rate::{Budget, RateSettings, Wait};
use crate::scope::Scope;
use crate::secret::has_secret;
use problem::{Problem, ProblemType};

/// What a key begins with, so that one that strays is known for what it is.
pub const KEY_PREFIX: &str = "mb_";

/// What a hash begins with in the configuration.
pub(crate) const HASH_PREFIX: &str = "sha256:";

/// Random bytes of a key.
const KEY_BYTES: usize = 32;

/// Characters of a key after its prefix.
pub(crate) const KEY_CHARS: usize = (8 * KEY_BYTES).div_ceil(6);

/// Digits of a hash after its prefix.
pub(crate) const HASH_CHARS: usize = 2 * size_of::<KeyDigest>();

/// Bytes of a key's name.
const NAME_BYTES_MAX: usize = 128;

pub(crate) type KeyDigest = [u8; 32];

/// What stands for a key in stream tokens.
pub(crate) type KeyTag = [u8; 8];

/// What a tag is made for.
const TAG_PURPOSE: &[u8] = b"megaboard key tag 1\n";

pub(crate) fn digest_of(key: &str) -> KeyDigest {
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

/// A key as the configuration has it, `[[server.keys]]`. Errors of reading one repeat no value: it may be a key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySettings {
    /// What logs and problems call it.
    #[serde(deserialize_with = "name")]
    pub(crate) name: String,
    /// `sha256:` and 64 hexadecimal digits.
    #[serde(deserialize_with = "digest")]
    pub(crate) hash: KeyDigest,
    /// What it is for.
    pub(crate) scope: Scope,
    /// The kinds whose boards it may touch; all where none are named.
    #[serde(default, deserialize_with = "kinds")]
    pub(crate) kinds: Option<BTreeSet<KindName>>,
    /// How many requests it may make; as all keys unless configured otherwise.
    pub(crate) requests_per_second: Option<NonZeroU32>,
    /// How many of them at once.
    pub(crate) burst: Option<NonZeroU32>,
    /// From when on it lets nobody in any more, as RFC 3339; never unless configured.
    #[serde(default, deserialize_with = "time")]
    pub(crate) expires_at: Option<Timestamp>,
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_key_name(&name).map_err(D::Error::custom)?;
    Ok(name)
}

/// Checks what a key is to be called. Logs and problems show it, so that it may not be, or contain, a secret. Errors do
/// not repeat it.
pub fn check_key_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains(char::is_control) {
        return Err(format!(
            "it is not 1 to {NAME_BYTES_MAX} bytes without control characters"
        ));
    }
    if has_secret(name) {
        return Err(
            "an API key, a stream token or the hash of a key must not be used as a name: logs contain names".to_owned(),
        );
    }
    Ok(())
}

fn digest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<KeyDigest, D::Error> {
    let hash = String::deserialize(deserializer)?;
    digest_from(&hash).ok_or_else(|| {
        D::Error::custom(
            "it is not sha256: and 64 hexadecimal digits, as `megaboard key new` prints it",
        )
    })
}

fn kinds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BTreeSet<KindName>>, D::Error> {
    let kinds = Vec::<String>::deserialize(deserializer)?;
    if kinds.is_empty() {
        let wrong = "it is empty; omit it to give access to all kinds";
        return Err(D::Error::custom(wrong));
    }
    let kind = |(number, name): (usize, &String)| {
        let wrong = |_| D::Error::custom(format!("element {number} is not a name of a kind"));
        KindName::new(name).map_err(wrong)
    };
    let kinds = (1..).zip(&kinds).map(kind);
    kinds.collect::<Result<_, _>>().map(Some)
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = |_| D::Error::custom("it is not a time such as \"2026-12-31T00:00:00Z\"");
    Timestamp::parse_rfc3339(&text).map(Some).map_err(wrong)
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

/// Why keys cannot be used together. Repeats no hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum KeyError {
    #[error("there are {count} keys, more than {max}")]
    TooMany { count: usize, max: usize },
    #[error("two keys are named {0:?}")]
    NameTwice(String),
    #[error("keys {0:?} and {1:?} have the same hash")]
    HashTwice(String, String),
    #[error("key {name:?}: burst: requires requests_per_second")]
    BurstAlone { name: String },
}

/// A key that the server knows.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) digest: KeyDigest,
    scope: Scope,
    kinds: Option<BTreeSet<KindName>>,
    budget: Option<Arc<Budget>>,
    expires_at: Option<Timestamp>,
}

impl Key {
    pub(crate) fn new(settings: &KeySettings, of_all: RateSettings) -> Result<Self, KeyError> {
        let name = settings.name.clone();
        let quota = settings.rate(of_all).quota();
        let quota = quota.map_err(|_| KeyError::BurstAlone { name: name.clone() })?;
        Ok(Self {
            digest: settings.hash,
            name,
            scope: settings.scope,
            kinds: settings.kinds.clone(),
            budget: quota.map(|quota| Arc::new(Budget::new(quota))),
            expires_at: settings.expires_at,
        })
    }

    /// What stream tokens call it: its digest is not shown to their holders.
    pub(crate) fn tag(&self) -> KeyTag {
        let tag = Sha256::new()
            .chain_update(TAG_PURPOSE)
            .chain_update(self.digest);
        let tag: KeyDigest = tag.finalize().into();
        std::array::from_fn(|place| tag[place])
    }

    /// 401 once it is past its time.
    pub(crate) fn check_time(&self, now: Timestamp) -> Result<(), Problem> {
        let Some(end) = self.expires_at.filter(|end| now >= *end) else {
            return Ok(());
        };
        let detail = format!("authorization: key {:?} expired at {end}", self.name);
        Err(Problem::new(ProblemType::Unauthorized, detail))
    }

    /// Takes one request out of its budget, where it has one.
    pub(crate) fn take(&self) -> Result<(), Wait> {
        self.budget.as_ref().map_or(Ok(()), |budget| budget.take())
    }

    /// Goes on with the budget of this key as it was configured before, if it is the same.
    pub(crate) fn spend_with(&mut self, before: &Self) {
        if let (Some(own), Some(before)) = (&mut self.budget, &before.budget)
            && own.quota() == before.quota()
        {
            *own = before.clone();
        }
    }

    /// Refuses what is beyond its scope.
    pub(crate) fn check_scope(&self, needed: Scope) -> Result<(), Problem> {
        if self.scope >= needed {
            return Ok(());
        }
        let (name, own) = (&self.name, self.scope);
        let detail = format!("key {name:?} has scope {own}; this request requires {needed}");
        Err(Problem::new(ProblemType::Forbidden, detail))
    }

    /// Whether it may touch boards of this kind.
    pub(crate) fn is_for(&self, kind: &str) -> bool {
        let Some(kinds) = &self.kinds else {
            return true;
        };
        // A text that is not a name of a kind is not one of them.
        KindName::new(kind).is_ok_and(|kind| kinds.contains(&kind))
    }

    /// Whether it may change boards and kinds themselves.
    pub(crate) fn is_admin(&self) -> bool {
        self.scope == Scope::Admin
    }

    /// Whether it may do everything, on all kinds.
    pub(crate) fn is_unbounded_admin(&self) -> bool {
        self.is_admin() && self.kinds.is_none()
    }

    /// Refuses kinds whose boards it may not touch.
    pub(crate) fn check_kind(&self, kind: &str) -> Result<(), Problem> {
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
    use serde_json::{Value as Json, json};

    use super::*;

    /// A key's settings, with these in the place of others.
    fn settings(more: &Json) -> Result<KeySettings, serde_json::Error> {
        let mut all =
            json!({"name": "k", "hash": NewKey::draw().unwrap().hash(), "scope": "write"});
        let more = more.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(more);
        serde_json::from_value(all)
    }

    fn new(more: &Json) -> Result<Key, KeyError> {
        Key::new(&settings(more).unwrap(), RateSettings::default())
    }

    #[test]
    fn only_a_key_of_scope_admin_is_an_admin() {
        for (scope, is_admin) in [("read", false), ("write", false), ("admin", true)] {
            let key = new(&json!({"scope": scope, "kinds": ["gifts"]})).unwrap();
            assert_eq!(key.is_admin(), is_admin, "{scope}");
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
                ..settings(&json!({})).unwrap()
            };
            assert_eq!(key.rate(of_all), expected);
        }
        let alone = new(&json!({"burst": 3}));
        assert!(matches!(alone, Err(KeyError::BurstAlone { .. })));
    }

    #[test]
    fn a_new_key_is_known_by_its_hash() {
        let (one, other) = (NewKey::draw().unwrap(), NewKey::draw().unwrap());
        assert_ne!(one.text(), other.text());
        assert_eq!(one.text().len(), KEY_PREFIX.len() + KEY_CHARS);
        assert_eq!(one.hash().len(), HASH_PREFIX.len() + HASH_CHARS);
        let key = new(&json!({"hash": one.hash()})).unwrap();
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
    fn what_is_refused_is_not_repeated() {
        let drawn = NewKey::draw().unwrap();
        let (key, hash) = (drawn.text(), drawn.hash());
        for (field, wrong, accepted) in [
            ("hash", json!(key), "64 hexadecimal digits"),
            ("hash", json!("sha256:12"), "64 hexadecimal digits"),
            ("hash", json!(hash[7..]), "64 hexadecimal digits"),
            ("hash", json!("sha256:ä"), "64 hexadecimal digits"),
            ("name", json!(""), "1 to 128 bytes"),
            ("name", json!(format!("{key}\n")), "1 to 128 bytes"),
            ("name", json!(key.repeat(3)), "1 to 128 bytes"),
            ("name", json!(key), "must not be used as a name"),
            (
                "name",
                json!(format!("of {key} ")),
                "must not be used as a name",
            ),
            (
                "name",
                json!(format!("mb_ {key}")),
                "must not be used as a name",
            ),
            (
                "name",
                json!(format!("mbs_{}", "A".repeat(64))),
                "must not be used as a name",
            ),
            ("name", json!(hash), "must not be used as a name"),
            (
                "kinds",
                json!(["gifts", key]),
                "element 2 is not a name of a kind",
            ),
            ("kinds", json!([]), "it is empty"),
            ("expires_at", json!(key), "2026-12-31T00:00:00Z"),
            ("expires_at", json!("2026-11-20"), "2026-12-31T00:00:00Z"),
        ] {
            let error = settings(&json!({field: wrong})).unwrap_err().to_string();
            assert!(error.contains(accepted), "{error}");
            for secret in ["mb_", &hash[7..]] {
                assert!(!error.contains(secret), "{error}");
            }
        }
    }

    #[test]
    fn names_may_have_in_them_what_keys_begin_with() {
        for name in [
            "mb_",
            "mb_ingest",
            "team mb_a-2",
            "sha256:",
            "é",
            // As long as a key behind its prefix, which does not begin a word; and shorter.
            "thumb_generation-service-production-eu-central-1-stream",
            "mb_generation-service-production-eu-central-1",
        ] {
            assert_eq!(check_key_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn kinds_bound_a_key() {
        assert!(new(&json!({})).unwrap().is_for("any"));
        let bound = new(&json!({"kinds": ["gifts", "races"]})).unwrap();
        assert!(bound.is_for("races") && !bound.is_for("race") && !bound.is_for("Gifts"));
        assert!(bound.check_kind("x").unwrap_err().detail.contains("\"x\""));
    }

    #[test]
    fn a_key_is_good_until_its_end() {
        let key = new(&json!({"expires_at": "2026-11-20T15:00:00Z"})).unwrap();
        let end = Timestamp::parse_rfc3339("2026-11-20T15:00:00Z").unwrap();
        assert!(
            key.check_time(Timestamp::from_millis(end.millis() - 1))
                .is_ok()
        );
        let problem = key.check_time(end).unwrap_err();
        assert_eq!(problem.kind, ProblemType::Unauthorized);
        assert!(new(&json!({})).unwrap().check_time(end).is_ok());
    }

    #[test]
    fn a_scope_includes_those_before_it() {
        let key = new(&json!({})).unwrap();
        assert!(key.check_scope(Scope::Read).is_ok() && key.check_scope(Scope::Write).is_ok());
        let problem = key.check_scope(Scope::Admin).unwrap_err();
        assert!(problem.detail.contains("admin"), "{problem:?}");
    }
}
