//! Metrics of a local store: `contents` of what it holds, `snapshots` of its folder.

mod contents;
mod snapshots;

pub(crate) use contents::{Census, ContentsMetrics};
pub(crate) use snapshots::SnapshotMetrics;
