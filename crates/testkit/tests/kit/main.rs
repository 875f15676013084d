//! The kit itself: what other tests take for granted about what they are given.

mod cluster;
mod exposition;
mod pool;
mod proxy;
mod sentinels;
mod server;
