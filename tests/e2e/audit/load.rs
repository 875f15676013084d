//! How much the writers and readers of a run send: [`Load`].

use std::time::Duration;

/// The sizes of a writer's requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// The maximum number of contributions with ids in a batch.
    pub(crate) batch_max: usize,
    /// The number of a writer's own members, and the maximum number of contributions without ids
    /// in a batch.
    pub(crate) own_members: usize,
    /// The length of a member's name.
    pub(crate) member_bytes: usize,
}

/// Short requests, so that many are answered.
pub(crate) const LIGHT: Load = Load {
    batch_max: 50,
    own_members: 30,
    member_bytes: 0,
};

pub(super) const WRITERS: usize = 4;

/// Requests that a writer sends without a pause. A server that is killed rarely gets more. In
/// longer runs, such as a failover, the further requests are [`REQUEST_PAUSE`] apart, since the
/// ledger sends each of them once more.
pub(super) const EAGER: usize = 200;

/// The pause between the further requests of a writer.
pub(super) const REQUEST_PAUSE: Duration = Duration::from_millis(10);

/// The pause between the reads of a reader, which would otherwise occupy a processor.
pub(super) const READ_PAUSE: Duration = Duration::from_millis(2);
