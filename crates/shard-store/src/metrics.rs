//! What stores count of themselves, and what it is called in `GET /metrics`: the one place for names.
//!
//! A new metric is a field of the struct that counts it, made and registered here. `calls` is what
//! every store has; `folder` is of the embedded store, `held` of what is held in this process, `nodes`
//! of the store on Redis. All names get the prefix `megaboard_`, counters end in `_total`.

mod calls;
mod folder;
mod held;
mod nodes;

pub(crate) use calls::Calls;
pub(crate) use folder::{JournalMetrics, SnapshotMetrics};
pub(crate) use held::{Census, Held};
pub(crate) use nodes::{CallEnd, NodeMetrics, ToldNode, encode_nodes};
