//! All configured keys, and the lookup of a request's key: [`Keys`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq as _;
use wire::problem::{Problem, ProblemType};

use crate::key::{Key, KeyError};
use crate::key_settings::KeySettings;
use crate::new_key::{KeyDigest, KeyTag, digest_of};
use crate::rate::RateSettings;

/// The number of keys of one server.
const KEYS_MAX: usize = 10_000;

/// The bytes of a digest that keys are indexed by.
const INDEX_BYTES: usize = 8;

/// Keys by the first bytes of their digest. A lookup compares the whole digest.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    by_digest: HashMap<[u8; INDEX_BYTES], Arc<Key>>,
    by_tag: HashMap<KeyTag, Arc<Key>>,
}

impl Keys {
    /// Creates keys from settings. Keys that also exist in `before` share their budgets with it.
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
                key.share_budget(before);
            }
            if !names.insert(&settings.name) {
                return Err(KeyError::NameTwice(key.name));
            }
            // Two different keys practically never have the same 64 bits.
            if let Some(other) = by_digest.get(&index_of(&key.digest)) {
                return Err(KeyError::HashTwice(other.name.clone(), key.name));
            }
            by_digest.insert(index_of(&key.digest), Arc::new(key));
        }
        let by_tag = by_digest.values().map(|key| (key.tag(), key.clone()));
        Ok(Self {
            by_tag: by_tag.collect(),
            by_digest,
        })
    }

    /// Returns all keys, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Key> {
        self.by_digest.values().map(|key| &**key)
    }

    /// Returns whether no keys are configured. Then every request is permitted.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_digest.is_empty()
    }

    /// Returns the key with this text. The time that it takes reveals at most the first bytes of a digest, from which
    /// no key can be derived.
    pub(crate) fn find(&self, text: &str) -> Option<&Arc<Key>> {
        self.of_digest(&digest_of(text))
    }

    /// Returns the key with this digest.
    pub(crate) fn of_digest(&self, digest: &KeyDigest) -> Option<&Arc<Key>> {
        let key = self.by_digest.get(&index_of(digest))?;
        bool::from(key.digest.ct_eq(digest)).then_some(key)
    }

    /// Returns the key with this tag, which stream tokens contain.
    pub(crate) fn of_tag(&self, tag: KeyTag) -> Option<&Arc<Key>> {
        self.by_tag.get(&tag)
    }
}

fn index_of(digest: &KeyDigest) -> [u8; INDEX_BYTES] {
    std::array::from_fn(|index| digest[index])
}

/// Returns the bearer token of a request's `Authorization`, or 401.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(no_key());
    };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    let parts = text.and_then(|text| text.split_once(' '));
    let key = parts.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // The error does not repeat the value: it may be a password.
    let key = key.map(|(_, key)| key.trim()).filter(|key| !key.is_empty());
    key.ok_or_else(|| unauthorized("authorization: must be a single Bearer and a key"))
}

/// Creates a 401: the request has no key.
pub(crate) fn no_key() -> Problem {
    unauthorized("authorization: is missing; this request requires Bearer and a key")
}

pub(crate) fn unauthorized(detail: &str) -> Problem {
    Problem::new(ProblemType::Unauthorized, detail)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::new_key::NewKey;
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
    fn remaining_keys_keep_the_state_of_their_budgets() {
        let (one, other) = (NewKey::generate().unwrap(), NewKey::generate().unwrap());
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
        // The same key has another name, and there is a second key.
        let second = after(&[limited("b", &one, 1), limited("c", &other, 1)], &first);
        assert!(spent(&second, &one));
        assert!(!spent(&second, &other));
        // Requests that still use the previous keys spend the same budget.
        assert!(spent(&first, &one));
        // A changed budget starts full.
        let third = after(&[limited("b", &one, 2)], &second);
        assert!(!spent(&third, &one));
    }

    #[test]
    fn only_the_matching_key_is_found() {
        let new_keys: Vec<NewKey> = (0..100).map(|_| NewKey::generate().unwrap()).collect();
        let all = new_keys.iter().enumerate();
        let all: Vec<_> = all.map(|(n, key)| settings(&n.to_string(), key)).collect();
        let keys = new(&all).unwrap();
        for (number, key) in new_keys.iter().enumerate() {
            assert_eq!(keys.find(key.text()).unwrap().name, number.to_string());
            assert!(keys.find(&key.text()[1..]).is_none());
            assert!(keys.find(&key.hash()).is_none());
        }
        assert!(keys.find(NewKey::generate().unwrap().text()).is_none());
        assert!(keys.find("").is_none());
    }

    #[test]
    fn names_and_hashes_are_unique() {
        let (one, other) = (NewKey::generate().unwrap(), NewKey::generate().unwrap());
        let twice = new(&[settings("a", &one), settings("a", &other)]);
        assert_eq!(twice.unwrap_err(), KeyError::NameTwice("a".to_owned()));
        let twice = new(&[settings("a", &one), settings("b", &one)]);
        assert!(matches!(twice, Err(KeyError::HashTwice(..))));
        let many = vec![settings("a", &one); KEYS_MAX + 1];
        assert!(matches!(new(&many), Err(KeyError::TooMany { .. })));
    }

    #[test]
    fn exactly_one_bearer_token_is_accepted() {
        let bearer_of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(bearer_of(&["Bearer mb_a"]).unwrap(), "mb_a");
        assert_eq!(bearer_of(&["bearer  mb_a "]).unwrap(), "mb_a");
        for wrong in [
            &["Basic mb_a"][..],
            &["mb_a"],
            &["Bearer "],
            &["Bearer a", "Bearer b"],
        ] {
            let problem = bearer_of(wrong).unwrap_err();
            assert_eq!(problem.kind, ProblemType::Unauthorized);
            assert!(!problem.detail.contains("mb_a"), "{problem:?}");
        }
        assert!(bearer_of(&[]).unwrap_err().detail.contains("is missing"));
    }
}
