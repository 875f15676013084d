//! Final responses do not change: after SIGKILL, and if the clock is set forward under load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::clock::{WrongClock, now_ms, rfc3339};
use testkit::dice::runs;
use testkit::{Launch, Server, eventually};

const KIND: &str = "[kinds.battles]\nwindows = [\"all\"]\nshards = 4\n";

const WRITERS: usize = 16;

/// Contributions of a request.
const BATCH: usize = 20;

/// How far the clock is set forward: less than a jump.
const STEP_MS: i64 = 19_000;

/// Creates a board that ends after this time. Returns its name.
fn battle(server: &Server, round: usize, ends_in_ms: i64) -> String {
    let board = format!("battles/{round}");
    let settings = json!({"ends_at": rfc3339(now_ms() + ends_in_ms)});
    server.put(format!("/v1/boards/{board}"), &settings).ok();
    board
}

fn range(server: &Server, board: &str) -> Value {
    server
        .get(format!("/v1/boards/{board}/range?from=1&to=500"))
        .ok()
}

/// Waits for a final range of a board. Returns it.
fn final_range(server: &Server, board: &str) -> Value {
    eventually("the range is final", || {
        let range = range(server, board);
        (range["final"] == true).then(|| range["entries"].clone())
    })
}

/// Runs `then` while writers contribute to a board until it has ended or the server is gone.
fn while_written<T>(server: &Server, board: &str, then: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let is_over = &is_over;
            scope.spawn(move || {
                let items: Vec<Value> = (0..BATCH)
                    .map(|n| json!({"board": board, "member": format!("u{writer}-{n}"), "points": 1}))
                    .collect();
                let body = Value::from(items).to_string();
                let headers = [("content-type", "application/json")];
                while !is_over.load(Ordering::Relaxed) {
                    let response = server.try_send("POST", "/v1/contributions", &headers, body.clone());
                    match response {
                        Ok(response) if response.value()["applied"] == BATCH => {}
                        _ => return,
                    }
                }
            });
        }
        let seen = then();
        is_over.store(true, Ordering::Relaxed);
        seen
    })
}

#[test]
fn a_final_range_is_the_same_after_a_kill() {
    let mut server = Server::durable(KIND);
    for round in 0..runs(4, 40) {
        let board = battle(&server, round, 300);
        let before = while_written(&server, &board, || {
            let seen = final_range(&server, &board);
            server.signal("KILL");
            seen
        });
        assert_ne!(before, json!([]), "no contribution was in time");
        server = server.kill().start();
        let after = range(&server, &board);
        assert_eq!(
            (&after["final"], &after["entries"]),
            (&json!(true), &before),
            "round {round}"
        );
    }
}

#[test]
fn nothing_is_added_to_a_range_made_final_by_a_clock_set_forward() {
    let clock = WrongClock::off_by("+0");
    for round in 0..runs(2, 20) {
        clock.set("+0");
        let server = clock.apply_to(Launch::on_a_free_port(KIND)).start();
        let board = battle(&server, round, STEP_MS);
        let before = while_written(&server, &board, || {
            eventually("a contribution is applied", || {
                (range(&server, &board)["members"] != 0).then_some(())
            });
            clock.set(&format!("+{}s", STEP_MS / 1000));
            final_range(&server, &board)
        });
        // By now every writer has its response.
        assert_eq!(range(&server, &board)["entries"], before, "round {round}");
    }
}
