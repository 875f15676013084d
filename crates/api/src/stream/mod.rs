//! Streams of server-sent events: a top as it changes.
//!
//! A [`Feed`](feed) reads one top for all streams of it, and makes each [`Frame`](crate::feeds::frame) once. A
//! [`Reader`] is the body of one response: it holds no frame but the newest. [`Feeds`](crate::feeds::Feeds) is the list
//! of running feeds; it limits the number of readers, and ends them all when the server stops. `own_position` has a
//! member's own position. [`http_server::Backpressure`] says whether the connection has taken what it was given.
//!
//! **Invariant:** nothing waits for a reader. A feed has one slot for the newest frame (`tokio::sync::watch`); a slow
//! reader finds that one, and none of those before.
//!
//! **Invariant:** a reader has at most one frame in the server's memory: it sends none while the connection's last
//! write waits.
//!
//! Events count in their share of the memory budget until they are dropped. When the share is down to its reserve, no
//! further tops are accepted, and readers that do not read are disconnected sooner. A feed whose next frame does not
//! fit ends its streams.
//!
//! **Invariant:** a top without readers is not read. A feed ends with its last reader.

mod feed;
mod own_position;
mod reader;

#[cfg(test)]
pub(crate) use own_position::NoPositionShape;
pub(crate) use own_position::OwnPosition;
pub(crate) use reader::Reader;
