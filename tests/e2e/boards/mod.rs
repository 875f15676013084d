//! `/v1/boards` and all below it that reads, and `POST /v1/top`.

mod activity;
mod around;
mod caching;
mod envelope;
mod hidden;
mod listing;
mod lookup;
mod names;
mod place;
mod range;
mod rank;
mod settings_and_end;
mod stream;
mod target;
mod top;
mod tops;
mod wrong;

use serde_json::{Value, json};
use testkit::Server;

/// A board `gifts/a` of so many members: `m01` has 100 points, `m02` 99, and so on, all reached long
/// ago, and one window, `all`.
fn ladder(members: u32) -> Server {
    let server = Server::start();
    let item = |n: u32| {
        json!({"board": "gifts/a", "member": format!("m{n:02}"), "points": 101 - i64::from(n),
               "at": 1_700_000_000_000_i64})
    };
    let items: Vec<Value> = (1..=members).map(item).collect();
    assert_eq!(server.contribute(&items.into()).ok()["applied"], members);
    server
}

/// A path of that board, in the window without bounds.
fn on_a(rest: &str) -> String {
    let and = if rest.contains('?') { '&' } else { '?' };
    format!("/v1/boards/gifts/a{rest}{and}window=all")
}

fn members(entries: &[Value]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap())
        .collect()
}
