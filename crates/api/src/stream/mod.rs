//! Streams of server-sent events: what a board shows, as it changes.
//!
//! A [`Feed`](feed) looks at one top, as any read does, for all who watch it, and makes each [`Frame`](frame) once. A
//! [`Reader`] is the body of one response: it holds no frame but the newest. [`Feeds`] knows which feeds there are,
//! bounds how many readers, and ends them all when the server stops. `moves` has what has moved between two frames,
//! `own_position` a member's own position. [`connection::Flow`] says whether the connection has taken what it was
//! given.
//!
//! **Invariant:** nothing waits for a reader. A feed has one slot for the newest frame (`tokio::sync::watch`); a slow
//! reader finds that one, and none of those before.
//!
//! **Invariant:** a reader has at most one frame in the server's memory: it gives none out while the connection's last
//! write waits.
//!
//! Events count in a pool (`Pools::streams`) until nobody holds them. When its reserve is touched, no further tops are
//! taken, and readers that take nothing are disconnected sooner. A feed whose next frame does not fit ends its streams.
//!
//! **Invariant:** a top that nobody watches is not looked at. A feed ends with its last reader.

mod feed;
mod feeds;
mod frame;
mod moves;
mod own_position;
mod reader;
#[cfg(test)]
mod written;

pub(crate) use feed::Watched;
pub(crate) use feeds::Feeds;
pub(crate) use own_position::OwnPosition;
#[cfg(test)]
pub(crate) use own_position::{NoPositionShape, OwnPositionShape};
pub(crate) use reader::Reader;
#[cfg(test)]
pub(crate) use written::ChangesWritten;
