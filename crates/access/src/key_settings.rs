//! The settings of a key, `[[server.keys]]`: [`KeySettings`].
//!
//! **Invariant:** errors repeat neither a value of these settings nor a name that is rejected: it may be a key.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use board::{KindName, Timestamp};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::new_key::{KeyDigest, parse_hash};
use crate::rate::RateSettings;
use crate::scope::Scope;
use crate::secret::has_secret;

/// Bytes of a key's name.
const NAME_BYTES_MAX: usize = 128;

/// One key as the configuration defines it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySettings {
    /// The name in logs and error messages.
    #[serde(deserialize_with = "name")]
    pub(crate) name: String,
    /// `sha256:` and 64 hexadecimal digits.
    #[serde(deserialize_with = "digest")]
    pub(crate) hash: KeyDigest,
    /// The operations that the key permits.
    pub(crate) scope: Scope,
    /// The kinds whose boards the key may access. Defaults to all kinds.
    #[serde(default, deserialize_with = "kinds")]
    pub(crate) kinds: Option<BTreeSet<KindName>>,
    /// Defaults to the rate of all keys.
    pub(crate) requests_per_second: Option<NonZeroU32>,
    /// The number of requests that may be made at once.
    pub(crate) burst: Option<NonZeroU32>,
    /// The time from which on the key is rejected, as RFC 3339. Defaults to never.
    #[serde(default, deserialize_with = "time")]
    pub(crate) expires_at: Option<Timestamp>,
}

impl KeySettings {
    /// Returns whether the key permits contributions to boards of this kind.
    #[must_use]
    pub fn permits_writes(&self, kind: &KindName) -> bool {
        self.scope >= Scope::Write && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
    }

    /// Returns the key's own rate, or else the rate of all keys.
    pub(crate) fn rate(&self, of_all: RateSettings) -> RateSettings {
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

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_key_name(&name).map_err(D::Error::custom)?;
    Ok(name)
}

/// Checks the name of a key. Logs and error messages contain names, so a name must not contain a secret.
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
    parse_hash(&hash).ok_or_else(|| {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::new_key::NewKey;

    /// Returns valid settings of a key in which `changes` replace fields.
    fn settings(changes: &Json) -> Result<KeySettings, serde_json::Error> {
        let hash = NewKey::generate().unwrap().hash();
        let mut all = json!({"name": "k", "hash": hash, "scope": "write"});
        let changes = changes.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(changes);
        serde_json::from_value(all)
    }

    #[test]
    fn a_key_without_its_own_rate_has_the_rate_of_all() {
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
    }

    #[test]
    fn errors_do_not_repeat_rejected_values() {
        let new_key = NewKey::generate().unwrap();
        let (key, hash) = (new_key.text(), new_key.hash());
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
    fn names_may_contain_the_prefixes_of_secrets() {
        for name in [
            "mb_",
            "mb_ingest",
            "team mb_a-2",
            "sha256:",
            "é",
            // As long as a key after the prefix, but the prefix is not at the beginning of a word.
            "thumb_generation-service-production-eu-central-1-stream",
            // Shorter than a key.
            "mb_generation-service-production-eu-central-1",
        ] {
            assert_eq!(check_key_name(name), Ok(()), "{name}");
        }
    }
}
