//! Streams of server-sent events: what a board shows, as it changes.
//!
//! A [`Feed`](feed) looks at one top for all who watch it, and makes each [`Frame`](frame) once. A [`Reader`]
//! is one of them: it holds no frame but the newest, so that whoever reads slowly skips those between.
//! [`Feeds`] knows which feeds there are, bounds how many readers, and ends them all when the server
//! stops. What has moved between two frames is told in `moves`, a member's own place in `own_place`.

mod feed;
mod feeds;
mod frame;
mod moves;
mod own_place;
mod reader;
mod written;

pub(crate) use feed::Watched;
pub(crate) use feeds::Feeds;
pub(crate) use own_place::OwnPlace;
#[cfg(test)]
pub(crate) use own_place::{NoPlaceShape, OwnPlaceShape};
pub(crate) use reader::Reader;
#[cfg(test)]
pub(crate) use written::ChangesWritten;
