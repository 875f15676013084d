//! `/v1/boards` and all below it that reads, and `POST /v1/top`.

mod around;
mod caching;
mod envelope;
mod life;
mod listing;
mod lookup;
mod names;
mod place;
mod range;
mod rank;
mod target;
mod top;
mod tops;
mod wrong;

use end_to_end::Server;

/// A board `gifts/a` of so many members: `m01` has 100 points, `m02` 99, and so on.
fn ladder(members: i64) -> Server {
    let server = Server::start();
    let points: Vec<(String, i64)> = (1..=members)
        .map(|n| (format!("m{n:02}"), 101 - n))
        .collect();
    let points: Vec<(&str, i64)> = points.iter().map(|(m, p)| (m.as_str(), *p)).collect();
    server.give("gifts/a", &points);
    server
}

/// A path of that board, in the window without bounds.
fn on_a(rest: &str) -> String {
    let and = if rest.contains('?') { '&' } else { '?' };
    format!("/v1/boards/gifts/a{rest}{and}window=all")
}

fn members(entries: &[serde_json::Value]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap())
        .collect()
}
