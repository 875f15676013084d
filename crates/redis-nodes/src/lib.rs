//! The Redis or Valkey nodes of a store: which nodes exist, which of them has a slot, and how a
//! call to a function gets its reply.
//!
//! [`Nodes::call`] sends one function call to the node that has its keys, and repeats it until its
//! deadline if that does no harm. Nothing here depends on boards: the functions are in the
//! [`FunctionLibrary`] with which the nodes are opened.
//!
//! ```text
//! Nodes ── Topology ── Node, one for each address ── Link, one for each process
//!    │      which has a  keeps a link, and opens       functions, clock, epoch,
//!    │      slot         another when it ends          acks ── two Connections (redis-link)
//!    │                                                      └── Backlog: how much is under way
//! Attempts: redirections, retries, the deadline
//! ```
//!
//! A connection does nothing by itself: no reconnecting, no retries, no cluster routing. A node
//! that hangs delays no other node: each has its own task, two connections and two backlogs.

mod acks;
mod attempts;
mod backlog;
mod call;
mod checks;
mod cluster;
mod dial;
mod error_class;
mod identity;
mod independent;
mod info;
mod keys;
mod library;
mod link;
mod loss_detector;
pub mod lua_functions;
mod metrics;
mod node;
mod node_clock;
mod nodes;
mod open_error;
mod pace;
mod probe;
pub mod redis_link;
mod scan;
mod script_free;
mod sentinel;
mod settings;
mod slots;
mod start_lock;
mod store_clock;
mod tags;
#[cfg(test)]
mod tests;
mod topology;

pub use backlog::{Backlog, QueuedWork};
pub use call::{Call, CallError, Effect, FunctionReply, Location, Refusal, ServerId};
pub use keys::registry as registry_key;
pub use library::FunctionLibrary;
pub use nodes::Nodes;
pub use open_error::OpenError;
pub use scan::{KeyScan, ScannedKeys};
pub use settings::{RedisSettings, Writes};
pub use tags::{SLOTS, slot_of, tag_of};
