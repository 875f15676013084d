//! Windows and clocks: which windows an event counts in, how they are named, when they close and go.

mod closing;
mod moments;
mod selectors;
mod zones;

use testkit::{Answer, Server, encoded};

fn top(server: &Server, board: &str, window: &str) -> Answer {
    server.get(format!(
        "/v1/boards/{board}/top?fresh=true&window={}",
        encoded(window)
    ))
}

/// A kind `k` in this zone, that keeps everything.
fn keeping_all(zone: &str) -> Server {
    Server::with(&format!(
        "[kinds.k]\ntime_zone = \"{zone}\"\nkeep = {{ hour = \"forever\", day = \"forever\", \
         week = \"forever\", month = \"forever\" }}\n"
    ))
}
