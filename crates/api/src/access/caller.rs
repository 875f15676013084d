//! On whose behalf a handler works.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::key::Key;
use crate::problem::Problem;

/// The key that a request was let in with; none where there are no keys. The gate has held the kind
/// in the path against it; kinds that a body or a query names are for the handler to ask about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caller(Option<Arc<Key>>);

impl Caller {
    pub(super) fn of(key: Arc<Key>) -> Self {
        Self(Some(key))
    }

    /// The name of the key.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.as_ref().map(|key| key.name.as_str())
    }

    /// Whether it may touch boards of this kind.
    pub(crate) fn is_for(&self, kind: &str) -> bool {
        self.0.as_ref().is_none_or(|key| key.is_for(kind))
    }

    /// 403 for a kind whose boards it may not touch.
    pub(crate) fn check_kind(&self, kind: &str) -> Result<(), Problem> {
        self.0.as_ref().map_or(Ok(()), |key| key.check_kind(kind))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
