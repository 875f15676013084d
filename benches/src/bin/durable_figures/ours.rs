//! A Megaboard server on a new folder, with a kind of one window and a kind of five.

use std::io;

use benches::home::Home;
use benches::http;

use crate::settings::{Settings, Store};

/// The board with one window.
pub(crate) const ONE: &str = "one/live";

/// The board with five windows.
pub(crate) const FIVE: &str = "five/live";

const KINDS: &str = r#"
[kinds.one]
windows = ["all"]
shards = 16
dedupe = "1h"

[kinds.five]
windows = ["hour", "day", "week", "month", "all"]
shards = 16
dedupe = "1h"
"#;

/// Starts a server on an empty folder.
pub(crate) fn start(settings: &Settings, store: Store) -> io::Result<Home> {
    let folder = tempfile::tempdir_in(&settings.folder)?;
    let url = match store {
        Store::Embedded => "embedded:data",
        Store::Memory => "memory:",
    };
    let config = format!("[server]\nstore = {url:?}\ndurability = \"always\"\n{KINDS}");
    // Information in the log would be printed between the rounds.
    Home::start(&settings.megaboard, folder, &config, "warn")
}

/// Returns the number of windows of a board that have this number of members.
pub(crate) fn windows_with(ours: &Home, board: &str, members: u64) -> io::Result<usize> {
    let request = http::get(&format!("/v1/boards/{board}"));
    let response = http::ask(ours.server.address, &request)?;
    let text = String::from_utf8_lossy(&response.body);
    let windows = text.split_once("\"windows\"").map_or("", |(_, list)| list);
    let pattern = format!("\"members\":{members}}}");
    Ok(windows.matches(&pattern).count())
}
