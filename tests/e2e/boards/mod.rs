//! `/v1/boards` and the reads below it, and `POST /v1/top`.

mod codings;
mod dense_ranks;
mod names;
mod of_a_member;
mod range;
mod repeated;
mod settings_and_deletion;
mod stream;
mod target;

testkit::calls!(
    activity,
    around,
    audited,
    battles,
    caching,
    changed_settings,
    codings,
    dense_ranks,
    envelope,
    hidden,
    listing,
    lookup,
    member,
    names,
    of_a_member,
    other_servers,
    prepared,
    range,
    rank,
    settings_and_deletion,
    target,
    top,
    tops,
    unknown_parameters,
);

use serde_json::{Value, json};
use testkit::Server;

/// Starts a server with a board `gifts/a`: `m01` has 100 points, `m02` 99, and so on, all reached
/// long ago, in one window, `all`.
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

/// Returns a path below that board, in the window `all`.
fn on_a(rest: &str) -> String {
    let and = if rest.contains('?') { '&' } else { '?' };
    format!("/v1/boards/gifts/a{rest}{and}window=all")
}
