//! The settings that a name keeps after its board ends are there after SIGKILL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::clock::{HOUR_MS, now_ms, rfc3339};
use testkit::dice::{Dice, runs};
use testkit::{Server, eventually};

/// No id fits, so a contribution with one creates its board, is `unavailable`, and the creation is
/// withdrawn. The board ends, and its name keeps the settings.
const CONFIG: &str =
    "[server.limits]\nremembered_id_bytes = 1\n[kinds.battles]\nwindows = [\"all\"]\nshards = 4\n";

const WRITERS: usize = 4;

/// Boards of a writer, all in one request: they end at the same time.
const BOARDS: usize = 50;

/// The maximum number of requests before a kill.
const REQUESTS_MAX: usize = 40;

/// The maximum delay of the kill after them.
const PAUSE_MICROS_MAX: usize = 3_000;

fn names(writer: usize) -> impl Iterator<Item = String> {
    (0..BOARDS).map(move |n| format!("battles/{writer}-{n}"))
}

/// Runs `then` after this number of requests has ended all their boards, while others continue
/// until the server is gone.
fn while_boards_end(server: &Server, requests: usize, then: impl FnOnce()) {
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let answered = &answered;
            scope.spawn(move || {
                let items: Vec<Value> = names(writer)
                    .map(|board| json!({"board": board, "member": "u", "points": 1, "id": "i"}))
                    .collect();
                let body = Value::from(items).to_string();
                let headers = [("content-type", "application/json")];
                let send = || server.try_send("POST", "/v1/contributions", &headers, body.clone());
                while let Ok(response) = send() {
                    assert_eq!(response.status, 503, "{}", response.body);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        eventually("boards have ended", || {
            (answered.load(Ordering::Relaxed) >= requests).then_some(())
        });
        then();
    });
}

#[test]
fn a_name_keeps_its_settings_after_a_kill_while_its_boards_end() {
    let mut dice = Dice::of_this_run();
    let mut server = Server::durable(CONFIG);
    let starts_at = rfc3339(now_ms() - HOUR_MS);
    let settings = json!({"shards": 2, "starts_at": starts_at});
    for name in (0..WRITERS).flat_map(names) {
        server.put(format!("/v1/boards/{name}"), &settings).ok();
    }
    for round in 0..runs(4, 60) {
        let requests = 1 + dice.below(REQUESTS_MAX);
        let pause = u64::try_from(dice.below(PAUSE_MICROS_MAX)).unwrap();
        while_boards_end(&server, requests, || {
            // Not directly after a response, but at any moment.
            thread::sleep(Duration::from_micros(pause));
            server.signal("KILL");
        });
        server = server.kill().start();
        for name in (0..WRITERS).flat_map(names) {
            let shown = server.get(format!("/v1/boards/{name}")).ok();
            assert_eq!(
                (&shown["shards"], &shown["starts_at"]),
                (&json!(2), &json!(starts_at)),
                "{name} in round {round}"
            );
        }
    }
    // Still closed to events from before the start.
    let late =
        json!({"board": "battles/0-0", "member": "u", "points": 1, "at": now_ms() - 2 * HOUR_MS});
    server
        .contribute(&late)
        .problem(422, "not-open", &["at: ", &starts_at]);
}
