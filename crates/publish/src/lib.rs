//! Merged boards written out to another server, for readers that look there.
//!
//! [`Publisher`] is the router's [`Watcher`](shard_router::Watcher): it is notified which windows of which boards a
//! request has changed, once that is known. Each target has a `lane`, so that one that is away holds up no other, and
//! `marks` has what waits there. `publication` publishes one window: it looks at what is published, has a fresh merge
//! made through the merger's cache, and switches. `target` is how it is written (a sorted set and one JSON string) so
//! that no reader sees half of it. `walk` finds what no notification came for (changes before the start, under
//! another setting, while the target was away or there was no room) by going through all boards of a kind.
//!
//! **Invariant:** what is published never goes back: see `target`.
//!
//! **Invariant:** only configured targets are written to. A kind refers to one by its name (`PublishAt`), which
//! [`PublishTargets`](board::PublishTargets) resolves. Keys of a store (`megaboard:…`) and nodes of the service's own
//! store ([`ShardStore::may_be_node`](shard_store::ShardStore::may_be_node)) are never written to.
//!
//! **Invariant:** nothing waits for a target. A write adds a mark and goes on; a lane has its own connections, and
//! what it holds has a limit.
//!
//! **Invariant:** the service reads back nothing that it has published. What a target loses is published again as soon
//! as that is noticed: when it was away, when it is another process, or when the board is looked at.

mod content;
mod credentials;
mod ends;
mod lane;
mod marks;
mod metrics;
mod names;
mod outage;
mod publication;
mod publisher;
mod spread;
mod target;
mod walk;

pub use credentials::{Credentials, Login};
pub use publisher::{Publisher, Settings};
