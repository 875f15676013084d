//! A reader that runs during writes: each read has all contributions that were applied before it
//! began.

use std::thread;

use serde_json::{Value, json};
use testkit::Server;
use testkit::dice::Dice;

use super::item::{BOARDS, DAY_WINDOWS};
use super::load::READ_PAUSE;
use super::tally::Tally;

/// Members of a lookup.
const MEMBERS_MAX: usize = 200;

/// Looks members up until the run ends or the server is gone.
pub(super) fn read(server: &Server, tally: &Tally, dice: &mut Dice) {
    while !tally.has_ended() {
        thread::sleep(READ_PAUSE);
        let (board, day) = (dice.below(BOARDS.len()), dice.below(DAY_WINDOWS.len()));
        // Taken before the request.
        let floor = tally.applied(board, day, MEMBERS_MAX);
        let path = format!(
            "/v1/boards/{}/lookup?window={}",
            BOARDS[board], DAY_WINDOWS[day]
        );
        let body = json!({"members": floor.keys().collect::<Vec<_>>()}).to_string();
        let headers = [("content-type", "application/json")];
        let Ok(response) = server.try_send("POST", &path, &headers, body) else {
            return;
        };
        if response.status == 503 {
            tally.record_refused_read();
            continue;
        }
        if tally.expects_losses() {
            continue;
        }
        for entry in response.entries() {
            let member = entry["member"].as_str().unwrap();
            // A member without a standing has no points.
            let points = Value::as_i64(&entry["points"]).unwrap_or_default();
            assert!(
                points >= floor[member],
                "{path}: {member} had {} before: {entry}",
                floor[member]
            );
        }
        tally.record_read();
    }
}
