//! Boards published to a Redis, a cluster or a memcached: what readers see there, and when.
//!
//! `fixtures` has the configuration of a published kind, and reads what is published.

mod boards;
mod bounds;
mod clusters;
mod fixtures;
mod kinds;
mod memcached;
mod outages;
mod readers;
mod restarts;
mod windows;

testkit::calls!(bounds, kinds, published);
