//! How connections to a target are made: [`TargetAccess`], and their limits.

use std::sync::Arc;
use std::time::Duration;

use shard_store::ShardStore;

use crate::credentials::{Credentials, Login};

/// The timeout of a connection attempt, including TLS and the login.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The timeout of one round trip.
pub(super) const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of idle connections that are kept.
pub(super) const IDLE_CONNECTIONS_MAX: usize = 8;

/// What connections to a target require.
pub(crate) struct TargetAccess<'a> {
    pub(crate) credentials: &'a Credentials,
    pub(crate) login: Login,
    /// The store of the service. Its nodes are never targets.
    pub(crate) store: &'a Arc<dyn ShardStore>,
}
