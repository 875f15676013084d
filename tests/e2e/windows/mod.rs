//! Windows and clocks: which windows a contribution counts in, how they are named, when they close
//! and expire.

mod closing;
mod zones;

testkit::calls!(closing, lifetimes, moments, periods, selectors, zones);

use testkit::{Response, Server, encoded};

fn top(server: &Server, board: &str, window: &str) -> Response {
    server.get(format!(
        "/v1/boards/{board}/top?fresh=true&window={}",
        encoded(window)
    ))
}

/// Starts a server with a kind `k` in this time zone that keeps all windows.
fn keeping_all(zone: &str) -> Server {
    Server::with(&format!(
        "[kinds.k]\ntime_zone = \"{zone}\"\nkeep = {{ hour = \"forever\", day = \"forever\", \
         week = \"forever\", month = \"forever\" }}\n"
    ))
}
