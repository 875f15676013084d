//! The caller of a request: [`Caller`].

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use board::Timestamp;
use problem::{Problem, ProblemType};

use crate::access::Access;
use crate::key::Key;
use crate::new_key::KeyTag;
use crate::scope::Scope;

/// The key that authorized a request; none if no keys are configured.
///
/// The gate has checked the kind in the path. A handler checks the kinds in a body or a query itself.
#[derive(Debug, Clone, Default)]
pub struct Caller(Option<Arc<Key>>);

impl Caller {
    pub(crate) fn of(key: Arc<Key>) -> Self {
        Self(Some(key))
    }

    /// Returns the name of the key.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref().map(|key| key.name.as_str())
    }

    /// Returns whether the caller may access boards of this kind.
    #[must_use]
    pub fn is_for(&self, kind: &str) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_for(kind))
    }

    /// Returns whether the caller may manage boards and kinds. Without configured keys every caller may.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_admin())
    }

    /// Returns whether every operation on all kinds is permitted. Without configured keys it is.
    #[must_use]
    pub fn is_unbounded_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_unbounded_admin())
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

    /// Returns the tag for stream tokens; zeros if no keys are configured.
    pub(crate) fn tag(&self) -> KeyTag {
        self.0.as_ref().map(|key| key.tag()).unwrap_or_default()
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
        let gone = |detail: &str| Problem::new(ProblemType::Unauthorized, detail);
        let Some(key) = &self.0 else {
            return Err(gone("authorization: the server now requires a key"));
        };
        let Some(key) = keys.of_digest(&key.digest) else {
            return Err(gone("authorization: the key was removed"));
        };
        key.check_time(now)?;
        key.check_scope(scope)
    }

    /// Does what [`check_still`](Self::check_still) does for reads, and checks the kind.
    pub fn check_still_for(
        &self,
        access: &Access,
        kind: &str,
        now: Timestamp,
    ) -> Result<(), Problem> {
        self.check_still(access, Scope::Read, now)?;
        self.check_kind_still(access, kind)
    }

    /// Checks the kind again during a long request: returns 403 if the key may no longer access its boards. A removed
    /// key keeps its kinds; [`check_still`](Self::check_still) rejects it.
    pub fn check_kind_still(&self, access: &Access, kind: &str) -> Result<(), Problem> {
        let keys = access.keys();
        let Some(key) = self.0.as_ref().filter(|_| !keys.is_empty()) else {
            return Ok(());
        };
        let key = keys.of_digest(&key.digest).unwrap_or(key);
        key.check_kind(kind)
    }

    /// Returns 403 unless the caller may access boards of this kind.
    pub fn check_kind(&self, kind: &str) -> Result<(), Problem> {
        self.0.as_ref().map_or(Ok(()), |key| key.check_kind(kind))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
