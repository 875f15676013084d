//! End-to-end tests: real processes and real connections, the contract sentence by sentence.
//!
//! Modules follow the URL space (`contributions`, `boards`, `kinds`). Others are about the command
//! line (`command`), the client for Rust (`client`), time (`windows`), all paths (`service`),
//! access control and limits (`access`), stores (`durability`, `redis`), metrics (`metrics`),
//! streams and sorted sets read into boards (`ingest`, `adopt`), publications (`publish`), the live
//! page in a browser (`page`), the `OpenAPI` document (`contract`), the files of `deploy/`
//! (`deploy`), and the pages of the documentation (`docs`). `flights` imports one real data set,
//! `twin` compares whole servers with a naive model, and `audit` accounts for every contribution
//! around a failure. Each file is about one subject.

#![expect(clippy::unwrap_used, reason = "this binary consists of tests")]

mod access;
mod adopt;
mod audit;
mod boards;
mod client;
mod command;
mod contract;
mod contributions;
mod deploy;
mod docs;
mod durability;
mod flights;
mod ingest;
mod kinds;
mod lists;
mod metrics;
mod packed;
mod page;
mod profiles;
mod publish;
mod redis;
mod service;
mod twin;
mod windows;

testkit::calls!(lists, packed);
