//! Boards written out to a Redis, a cluster or a memcached: what readers there see, and when.
//!
//! `stage` has a kind that is published, and what stands there of a board.

mod boards;
mod bounds;
mod clusters;
mod encodings;
mod kinds;
mod memcached;
mod outages;
mod readers;
mod restarts;
mod stage;
mod windows;
