//! All keys that the server knows, found by what a request brings.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq as _;

use crate::key::{Key, KeyDigest, KeyError, KeySettings, KeyTag, digest_of};
use crate::rate::RateSettings;
use problem::{Problem, ProblemType};

/// Keys of one server.
const KEYS_MAX: usize = 10_000;

/// How much of a digest keys are found by; all of it decides.
const FOUND_BY_BYTES: usize = 8;

/// Keys by the beginning of their digest.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    by_digest: HashMap<[u8; FOUND_BY_BYTES], Arc<Key>>,
    by_tag: HashMap<KeyTag, Arc<Key>>,
}

impl Keys {
    /// Keys of these settings. Those that were there `before` share what is left of their budgets.
    pub(crate) fn new(
        settings: &[KeySettings],
        of_all: RateSettings,
        before: &Self,
    ) -> Result<Self, KeyError> {
        let count = settings.len();
        if count > KEYS_MAX {
            let max = KEYS_MAX;
            return Err(KeyError::TooMany { count, max });
        }
        let mut names = HashSet::new();
        let mut by_digest: HashMap<_, Arc<Key>> = HashMap::with_capacity(count);
        for settings in settings {
            let mut key = Key::new(settings, of_all)?;
            if let Some(before) = before.of_digest(&key.digest) {
                key.spend_with(before);
            }
            if !names.insert(&settings.name) {
                return Err(KeyError::NameTwice(key.name));
            }
            // Of two different keys 64 bits are alike about never.
            if let Some(other) = by_digest.get(&found_by(&key.digest)) {
                return Err(KeyError::HashTwice(other.name.clone(), key.name));
            }
            by_digest.insert(found_by(&key.digest), Arc::new(key));
        }
        let by_tag = by_digest.values().map(|key| (key.tag(), key.clone()));
        Ok(Self {
            by_tag: by_tag.collect(),
            by_digest,
        })
    }

    /// Whether everybody may do everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_digest.is_empty()
    }

    /// The key of this text. How long it takes reveals at most how a digest begins, from which
    /// nobody finds a key.
    pub(crate) fn find(&self, text: &str) -> Option<&Arc<Key>> {
        self.of_digest(&digest_of(text))
    }

    /// The key of this digest, as it is configured now.
    pub(crate) fn of_digest(&self, digest: &KeyDigest) -> Option<&Arc<Key>> {
        let found = self.by_digest.get(&found_by(digest))?;
        bool::from(found.digest.ct_eq(digest)).then_some(found)
    }

    /// The key that a stream token was made with.
    pub(crate) fn of_tag(&self, tag: KeyTag) -> Option<&Arc<Key>> {
        self.by_tag.get(&tag)
    }
}

fn found_by(digest: &KeyDigest) -> [u8; FOUND_BY_BYTES] {
    std::array::from_fn(|place| digest[place])
}

/// What a request's `Authorization` brings, which may be no key; 401 where it brings nothing.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(unauthorized(
            "authorization: is missing; this request requires Bearer and a key",
        ));
    };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    let parts = text.and_then(|text| text.split_once(' '));
    let key = parts.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // Not repeated: it may be somebody's password.
    let key = key.map(|(_, key)| key.trim()).filter(|key| !key.is_empty());
    key.ok_or_else(|| unauthorized("authorization: must be a single Bearer and a key"))
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(ProblemType::Unauthorized, detail)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::key::NewKey;
    use crate::scope::Scope;

    fn settings(name: &str, key: &NewKey) -> KeySettings {
        KeySettings {
            name: name.to_owned(),
            hash: digest_of(key.text()),
            scope: Scope::Read,
            kinds: None,
            requests_per_second: None,
            burst: None,
            expires_at: None,
        }
    }

    fn new(settings: &[KeySettings]) -> Result<Keys, KeyError> {
        Keys::new(settings, RateSettings::default(), &Keys::default())
    }

    #[test]
    fn keys_that_stay_keep_what_they_spent() {
        let (one, other) = (NewKey::draw().unwrap(), NewKey::draw().unwrap());
        let limited = |name: &str, key: &NewKey, burst| KeySettings {
            requests_per_second: NonZeroU32::new(1),
            burst: NonZeroU32::new(burst),
            ..settings(name, key)
        };
        let after = |settings: &[KeySettings], before: &Keys| {
            Keys::new(settings, RateSettings::default(), before).unwrap()
        };
        let spent = |keys: &Keys, key: &NewKey| keys.find(key.text()).unwrap().take().is_err();
        let first = after(&[limited("a", &one, 1)], &Keys::default());
        assert!(!spent(&first, &one));
        // Under another name, beside another key.
        let second = after(&[limited("b", &one, 1), limited("c", &other, 1)], &first);
        assert!(spent(&second, &one));
        assert!(!spent(&second, &other));
        // Requests under way by the old keys spend the same budget.
        assert!(spent(&first, &one));
        // Another budget begins anew.
        let third = after(&[limited("b", &one, 2)], &second);
        assert!(!spent(&third, &one));
    }

    #[test]
    fn a_key_is_found_and_no_other() {
        let drawn: Vec<NewKey> = (0..100).map(|_| NewKey::draw().unwrap()).collect();
        let all = drawn.iter().enumerate();
        let all: Vec<_> = all.map(|(n, key)| settings(&n.to_string(), key)).collect();
        let keys = new(&all).unwrap();
        for (number, key) in drawn.iter().enumerate() {
            assert_eq!(keys.find(key.text()).unwrap().name, number.to_string());
            assert!(keys.find(&key.text()[1..]).is_none());
            assert!(keys.find(&key.hash()).is_none());
        }
        assert!(keys.find(NewKey::draw().unwrap().text()).is_none());
        assert!(keys.find("").is_none());
    }

    #[test]
    fn names_and_hashes_stand_once() {
        let (one, other) = (NewKey::draw().unwrap(), NewKey::draw().unwrap());
        let twice = new(&[settings("a", &one), settings("a", &other)]);
        assert_eq!(twice.unwrap_err(), KeyError::NameTwice("a".to_owned()));
        let twice = new(&[settings("a", &one), settings("b", &one)]);
        assert!(matches!(twice, Err(KeyError::HashTwice(..))));
        let many = vec![settings("a", &one); KEYS_MAX + 1];
        assert!(matches!(new(&many), Err(KeyError::TooMany { .. })));
    }

    #[test]
    fn only_one_bearer_brings_a_key() {
        let brought = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(brought(&["Bearer mb_a"]).unwrap(), "mb_a");
        assert_eq!(brought(&["bearer  mb_a "]).unwrap(), "mb_a");
        for wrong in [
            &["Basic mb_a"][..],
            &["mb_a"],
            &["Bearer "],
            &["Bearer a", "Bearer b"],
        ] {
            let problem = brought(wrong).unwrap_err();
            assert_eq!(problem.kind, ProblemType::Unauthorized);
            assert!(!problem.detail.contains("mb_a"), "{problem:?}");
        }
        assert!(brought(&[]).unwrap_err().detail.contains("is missing"));
    }
}
