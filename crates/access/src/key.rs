//! A key that the server accepts: [`Key`].
//!
//! **Invariant:** no response, log or configuration error shows a key. The server only has its SHA-256.

use std::collections::BTreeSet;
use std::sync::Arc;

use board::{KindName, Timestamp};
use wire::problem::{Problem, ProblemType};

use crate::key_settings::KeySettings;
use crate::new_key::{KeyDigest, KeyTag, tag_of};
use crate::rate::{Budget, RateSettings, Wait};
use crate::scope::Scope;

/// Why keys cannot be used together. The messages contain no hash.
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

/// A configured key.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) digest: KeyDigest,
    pub(crate) scope: Scope,
    pub(crate) kinds: Option<BTreeSet<KindName>>,
    /// The limit of the budget.
    pub(crate) rate: RateSettings,
    budget: Option<Arc<Budget>>,
    pub(crate) expires_at: Option<Timestamp>,
}

impl Key {
    /// Creates a key. Keys without a rate of their own have the rate `of_all`.
    pub(crate) fn new(settings: &KeySettings, of_all: RateSettings) -> Result<Self, KeyError> {
        let name = settings.name.clone();
        let rate = settings.rate(of_all);
        let quota = rate.quota();
        let quota = quota.map_err(|_| KeyError::BurstAlone { name: name.clone() })?;
        Ok(Self {
            digest: settings.hash,
            name,
            scope: settings.scope,
            kinds: settings.kinds.clone(),
            rate,
            budget: quota.map(|quota| Arc::new(Budget::new(quota))),
            expires_at: settings.expires_at,
        })
    }

    /// Returns the tag that identifies the key in stream tokens.
    pub(crate) fn tag(&self) -> KeyTag {
        tag_of(&self.digest)
    }

    /// Returns 401 if the key has expired.
    pub(crate) fn check_time(&self, now: Timestamp) -> Result<(), Problem> {
        let Some(end) = self.expires_at.filter(|end| now >= *end) else {
            return Ok(());
        };
        let detail = format!("authorization: key {:?} expired at {end}", self.name);
        Err(Problem::new(ProblemType::Unauthorized, detail))
    }

    /// Takes one request from the key's budget, if it has one.
    pub(crate) fn take(&self) -> Result<(), Wait> {
        self.budget.as_ref().map_or(Ok(()), |budget| budget.take())
    }

    /// Counts what a request cost beside itself.
    pub(crate) fn owe(&self, requests: u32) {
        if let Some(budget) = &self.budget {
            budget.owe(requests);
        }
    }

    /// Shares the budget with `before`, the same key in the previous configuration, if the quota did not change.
    pub(crate) fn share_budget(&mut self, before: &Self) {
        if let (Some(own), Some(before)) = (&mut self.budget, &before.budget)
            && own.quota() == before.quota()
        {
            *own = before.clone();
        }
    }

    /// Returns 403 unless the key's scope includes this scope.
    pub(crate) fn check_scope(&self, needed: Scope) -> Result<(), Problem> {
        if self.scope >= needed {
            return Ok(());
        }
        let (name, own) = (&self.name, self.scope);
        let detail = format!("key {name:?} has scope {own}; this request requires {needed}");
        Err(Problem::new(ProblemType::Forbidden, detail))
    }

    /// Returns whether the key may access boards of this kind.
    pub(crate) fn is_for(&self, kind: &str) -> bool {
        let Some(kinds) = &self.kinds else {
            return true;
        };
        // Text that is not a valid name of a kind is not in the set.
        KindName::new(kind).is_ok_and(|kind| kinds.contains(&kind))
    }

    /// Returns whether the key may manage boards and kinds.
    pub(crate) fn is_admin(&self) -> bool {
        self.scope == Scope::Admin
    }

    /// Returns whether the key permits every operation on all kinds.
    pub(crate) fn is_unbounded_admin(&self) -> bool {
        self.is_admin() && self.kinds.is_none()
    }

    /// Returns 403 unless the key may access boards of this kind.
    pub(crate) fn check_kind(&self, kind: &str) -> Result<(), Problem> {
        if self.is_for(kind) {
            return Ok(());
        }
        let detail = format!("key {:?} is not for kind {kind:?}", self.name);
        Err(Problem::new(ProblemType::Forbidden, detail))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::new_key::{NewKey, digest_of};

    /// Creates a key from valid settings in which `changes` replace fields.
    fn new(changes: &Json) -> Result<Key, KeyError> {
        let hash = NewKey::generate().unwrap().hash();
        let mut settings = json!({"name": "k", "hash": hash, "scope": "write"});
        let changes = changes.as_object().unwrap().clone();
        settings.as_object_mut().unwrap().extend(changes);
        let settings = serde_json::from_value(settings).unwrap();
        Key::new(&settings, RateSettings::default())
    }

    #[test]
    fn a_burst_requires_a_rate() {
        let alone = new(&json!({"burst": 3}));
        assert!(matches!(alone, Err(KeyError::BurstAlone { .. })));
    }

    #[test]
    fn a_new_key_is_known_by_its_hash() {
        let (one, other) = (NewKey::generate().unwrap(), NewKey::generate().unwrap());
        let key = new(&json!({"hash": one.hash()})).unwrap();
        assert_eq!(key.digest, digest_of(one.text()));
        assert_ne!(key.digest, digest_of(other.text()));
    }

    #[test]
    fn only_a_key_of_scope_admin_is_an_admin() {
        for (scope, is_admin) in [("read", false), ("write", false), ("admin", true)] {
            let key = new(&json!({"scope": scope, "kinds": ["gifts"]})).unwrap();
            assert_eq!(key.is_admin(), is_admin, "{scope}");
        }
    }

    #[test]
    fn a_key_may_be_limited_to_kinds() {
        assert!(new(&json!({})).unwrap().is_for("any"));
        let bound = new(&json!({"kinds": ["gifts", "races"]})).unwrap();
        assert!(bound.is_for("races") && !bound.is_for("race") && !bound.is_for("Gifts"));
        assert!(bound.check_kind("x").unwrap_err().detail.contains("\"x\""));
    }

    #[test]
    fn a_key_is_valid_until_it_expires() {
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
