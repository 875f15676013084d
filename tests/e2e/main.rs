//! The service from outside: real processes, real connections, the contract sentence by sentence.
//!
//! Modules mirror the URL space (`contributions`, `boards`, `kinds`), beside them the command line
//! (`command`), the client for Rust (`client`), time (`windows`), what holds for every path (`service`), who may do what (`access`), the
//! stores (`durability`, `redis`), what is counted (`metrics`), streams and sorted sets read into boards (`ingest`, `adopt`), the live
//! page in a browser (`page`), the document of the contract (`contract`), the files of `deploy/` against the program (`deploy`), and one body of real data
//! through all of it (`flights`); and whole servers against a naive twin (`twin`). `audit` is what several of them
//! hold a store's trouble against. One scenario group a file, named by what it is about.

#![expect(
    clippy::unwrap_used,
    reason = "all of this binary is tests, its helpers too"
)]

mod access;
mod adopt;
mod audit;
mod boards;
mod client;
mod command;
mod contract;
mod contributions;
mod deploy;
mod durability;
mod flights;
mod ingest;
mod kinds;
mod lists;
mod metrics;
mod older;
mod packed;
mod page;
mod publish;
mod redis;
mod service;
mod twin;
mod windows;
