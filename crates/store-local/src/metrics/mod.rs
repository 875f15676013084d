//! What a store in this process counts: `held` what it holds, `snapshots` what it does in its folder.

mod held;
mod snapshots;

pub(crate) use held::{Census, Held};
pub(crate) use snapshots::SnapshotMetrics;
