//! The caller of a request: [`Caller`].

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use board::Timestamp;

use crate::access::Access;
use crate::key::{Key, KeyTag};
use crate::scope::Scope;
use problem::{Problem, ProblemType};

/// The key that a request was let in with; none where there are no keys. The gate has held the kind
/// in the path against it; kinds that a body or a query names are for the handler to ask about.
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

    /// Whether it may touch boards of this kind.
    #[must_use]
    pub fn is_for(&self, kind: &str) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_for(kind))
    }

    /// Whether it may change boards and kinds themselves: so may everybody where there are no keys.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_admin())
    }

    /// Whether it may do everything, on all kinds: so may everybody where there are no keys.
    #[must_use]
    pub fn is_unbounded_admin(&self) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_unbounded_admin())
    }

    /// What its stream tokens say of it; zeros where there are no keys.
    pub(crate) fn tag(&self) -> KeyTag {
        self.0.as_ref().map(|key| key.tag()).unwrap_or_default()
    }

    /// Whether it would still be let in, with this scope: of what goes on for long. Keys may have changed
    /// since, and end.
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

    /// The same, for boards of a kind.
    pub fn check_still_for(
        &self,
        access: &Access,
        kind: &str,
        now: Timestamp,
    ) -> Result<(), Problem> {
        self.check_still(access, Scope::Read, now)?;
        self.check_kind_still(access, kind)
    }

    /// 403 for a kind whose boards it may not touch any more: of what goes on for long. A key that was taken away
    /// counts as it was: [`check_still`](Self::check_still) is what ends with it.
    pub fn check_kind_still(&self, access: &Access, kind: &str) -> Result<(), Problem> {
        let keys = access.keys();
        let Some(key) = self.0.as_ref().filter(|_| !keys.is_empty()) else {
            return Ok(());
        };
        let key = keys.of_digest(&key.digest).unwrap_or(key);
        key.check_kind(kind)
    }

    /// 403 for a kind whose boards it may not touch.
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
