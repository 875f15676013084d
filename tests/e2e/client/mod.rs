//! The client for Rust (`megaboard-client`) against the real server: every operation of the contract,
//! and that nothing counts twice, whatever the wire does.

mod cuts;
mod once;
mod operations;
mod restarts;

use std::future::Future;
use std::time::Duration;

use megaboard_client::{Client, RetryPolicy};
use testkit::Server;
use tokio::runtime::Runtime;

/// Not slow to try again.
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
