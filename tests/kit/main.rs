//! The kit itself: what other tests take for granted about the Redis they are given.

#![expect(
    clippy::unwrap_used,
    reason = "all of this binary is tests, its helpers too"
)]

mod cluster;
mod proxy;
mod sentinels;
mod server;
