//! The caller of a request: [`Caller`].

use std::sync::Arc;

use board::Timestamp;
use wire::problem::{Problem, ProblemType};

use crate::access::Access;
use crate::key::Key;
use crate::keys::{no_key, unauthorized};
use crate::new_key::KeyTag;
use crate::public_kinds::PublicKinds;
use crate::scope::Scope;

/// By what a request was authorized.
///
/// The gate has checked the kind in the path. A handler checks the kinds in a body or a query itself.
#[derive(Debug, Clone, Default)]
pub struct Caller(Identity);

#[derive(Debug, Clone, Default)]
enum Identity {
    /// No keys are configured: everything is permitted.
    #[default]
    Anybody,
    /// A key.
    Key(Arc<Key>),
    /// Keys are configured, and the request has none: it may read what is public.
    Keyless,
}

impl Caller {
    pub(crate) const fn of(key: Arc<Key>) -> Self {
        Self(Identity::Key(key))
    }

    pub(crate) const fn keyless() -> Self {
        Self(Identity::Keyless)
    }

    const fn key(&self) -> Option<&Arc<Key>> {
        match &self.0 {
            Identity::Key(key) => Some(key),
            Identity::Anybody | Identity::Keyless => None,
        }
    }

    /// Returns whether the key permits something. Without configured keys everything is permitted, and without a key
    /// nothing of what keys permit.
    fn permits(&self, of_key: impl FnOnce(&Key) -> bool) -> bool {
        match &self.0 {
            Identity::Anybody => true,
            Identity::Key(key) => of_key(key),
            Identity::Keyless => false,
        }
    }

    /// Returns the name of the key.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.key().map(|key| key.name.as_str())
    }

    /// Returns whether the request has no key, though keys are configured.
    #[must_use]
    pub const fn is_keyless(&self) -> bool {
        matches!(self.0, Identity::Keyless)
    }

    /// Returns whether the caller may access boards of this kind.
    #[must_use]
    pub fn is_for(&self, kind: &str) -> bool {
        self.permits(|key| key.is_for(kind))
    }

    /// Returns whether the caller may manage boards and kinds. Without configured keys every caller may.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.permits(Key::is_admin)
    }

    /// Returns whether every operation on all kinds is permitted. Without configured keys it is.
    #[must_use]
    pub fn is_unbounded_admin(&self) -> bool {
        self.permits(Key::is_unbounded_admin)
    }

    /// Returns 403 unless every operation on all kinds is permitted.
    pub fn check_unbounded_admin(&self) -> Result<(), Problem> {
        if self.is_unbounded_admin() {
            return Ok(());
        }
        let name = self.name().unwrap_or_default();
        let detail = format!(
            "key {name:?} is limited to kinds; this request requires an admin key for all kinds"
        );
        Err(Problem::new(ProblemType::Forbidden, detail))
    }

    /// Returns a digest of the key, if there is one.
    #[must_use]
    pub fn digest(&self) -> Option<u64> {
        self.key().map(|key| u64::from_be_bytes(key.tag()))
    }

    /// Counts what a request cost beside itself.
    pub(crate) fn owe(&self, requests: u32) {
        if let Some(key) = self.key() {
            key.owe(requests);
        }
    }

    /// Returns the tag for stream tokens; zeros if no keys are configured.
    pub(crate) fn tag(&self) -> KeyTag {
        self.key().map(|key| key.tag()).unwrap_or_default()
    }

    /// Checks the key again during a long request: returns 401 if it was removed or has expired since, 403 if it no
    /// longer has this scope.
    pub fn check_still(
        &self,
        access: &Access,
        scope: Scope,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let keys = access.keys();
        if keys.is_empty() {
            return Ok(());
        }
        let key = match &self.0 {
            Identity::Anybody => {
                return Err(unauthorized("authorization: the server now requires a key"));
            }
            Identity::Keyless => return Err(no_key()),
            Identity::Key(key) => key,
        };
        let Some(key) = keys.of_digest(&key.digest) else {
            return Err(unauthorized("authorization: the key was removed"));
        };
        key.check_time(now)?;
        key.check_scope(scope)
    }

    /// Does what [`check_still`](Self::check_still) does for reads, and checks the kind.
    pub fn check_still_for(
        &self,
        access: &Access,
        kind: &str,
        public: &dyn PublicKinds,
        now: Timestamp,
    ) -> Result<(), Problem> {
        if self.key().is_none() && public.contains(kind) {
            return Ok(());
        }
        self.check_still(access, Scope::Read, now)?;
        let checked = self.check_kind_still(access, kind);
        unless_public(checked, kind, public)
    }

    /// Checks the kind again during a long request: returns 403 if the key may no longer access its boards. A removed
    /// key keeps its kinds; [`check_still`](Self::check_still) rejects it.
    pub fn check_kind_still(&self, access: &Access, kind: &str) -> Result<(), Problem> {
        let keys = access.keys();
        if keys.is_empty() {
            return Ok(());
        }
        let Some(key) = self.key() else {
            return self.check_kind(kind);
        };
        let key = keys.of_digest(&key.digest).unwrap_or(key);
        key.check_kind(kind)
    }

    /// Returns 403, or 401 without a key, unless the caller may access boards of this kind.
    pub fn check_kind(&self, kind: &str) -> Result<(), Problem> {
        match &self.0 {
            Identity::Anybody => Ok(()),
            Identity::Key(key) => key.check_kind(kind),
            Identity::Keyless => Err(no_key()),
        }
    }

    /// Does what [`check_kind`](Self::check_kind) does for reads: everybody may read boards of public kinds.
    pub fn check_read(&self, kind: &str, public: &dyn PublicKinds) -> Result<(), Problem> {
        unless_public(self.check_kind(kind), kind, public)
    }
}

/// Accepts a kind that was rejected if it is public.
pub(crate) fn unless_public(
    checked: Result<(), Problem>,
    kind: &str,
    public: &dyn PublicKinds,
) -> Result<(), Problem> {
    checked.or_else(|problem| {
        if public.contains(kind) {
            Ok(())
        } else {
            Err(problem)
        }
    })
}
