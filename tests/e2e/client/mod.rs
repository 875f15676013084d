//! The client for Rust (`megaboard-client`) and a real server: every operation of the contract, and
//! that nothing counts twice, whatever the network does.

mod cut_connections;
mod operations;
mod outcomes;
mod restarts;

use std::future::Future;
use std::time::Duration;

use megaboard_client::{Client, RetryPolicy};
use testkit::Server;
use tokio::runtime::Runtime;

/// A retry policy with short pauses.
const EAGER: RetryPolicy = RetryPolicy {
    first_pause: Duration::from_millis(5),
    longest_pause: Duration::from_millis(50),
    give_up_after: Duration::from_mins(1),
};

fn run<T>(what: impl Future<Output = T>) -> T {
    Runtime::new().unwrap().block_on(what)
}

fn client(server: &Server) -> Client {
    Client::builder(server.url())
        .retry_policy(EAGER)
        .build()
        .unwrap()
}
