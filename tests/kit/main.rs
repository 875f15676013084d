//! The kit itself: what other tests take for granted about the Redis they are given.

mod cluster;
mod proxy;
mod sentinels;
mod server;
