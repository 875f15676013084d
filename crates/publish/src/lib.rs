//! Writes merged boards to other servers (Redis or memcached), for readers that read there.
//!
//! [`Publisher`] is the router's [`Watcher`](shard_router::Watcher): the router notifies it of the windows that a
//! request has changed. Each target has a `lane` of its own, so that an unreachable target delays no other. `pending`
//! holds the windows that wait to be published there, `schedule` those that are to be published when they end.
//! `publication` publishes one window: it reads what is published, has the merger merge the board, and replaces it.
//! `target` writes a sorted set and a JSON string so that no reader sees a part of them. `scan` goes through all boards
//! of a kind, and so finds changes without a notification: those before the start, under other settings, while the
//! target was unreachable, or when too many windows were pending.
//!
//! ```text
//! publisher ─► scan ─► lanes ─► lane ─► publication, windows ─► context, target
//! metrics ───────────────┘
//! ```
//!
//! **Invariant:** a published board is never replaced by an older one: see `target`.
//!
//! **Invariant:** only configured targets are written to. A kind refers to a target by its name, which
//! [`PublishTargets`](board::PublishTargets) resolves. Keys of a store (`megaboard:…`) and nodes of the service's own
//! store ([`StoreServers::may_include`](shard_store::StoreServers::may_include)) are never written to.
//!
//! **Invariant:** nothing waits for a target. A write adds a pending item and continues. A lane has its own
//! connections, and its pending items are limited.
//!
//! **Invariant:** the service never reads back a board that it has published. Data that a target loses is published
//! again as soon as the loss is noticed: when the target was unreachable, when it is another process, or when the board
//! is checked.

mod content;
mod context;
mod credentials;
mod item;
mod lane;
mod lanes;
mod metrics;
mod names;
mod outage;
mod outcome;
mod pending;
mod publication;
mod publisher;
mod scan;
mod scan_queue;
mod schedule;
mod target;
mod windows;

pub use credentials::{Credentials, Login};
pub use publisher::{Publisher, Settings};
