//! Windows close and expire: late contributions count in the windows that are still open.

use serde_json::json;
use testkit::clock::{DAY_MS, HOUR_MS, date, now_ms, rfc3339};
use testkit::{Server, eventually};

use super::top;

fn at(member: &str, at: i64) -> serde_json::Value {
    json!({"board": "k/a", "member": member, "points": 1, "at": at})
}

#[test]
fn a_contribution_late_for_one_window_counts_in_the_others() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"day\", \"month\", \"all\"]\nclose = { day = \"1h\" }\n\
         keep = { month = \"forever\" }\n",
    );
    let late = now_ms() - 3 * DAY_MS;
    assert_eq!(server.contribute(&at("u", late)).ok()["applied"], 1);
    let day = format!("day:{}", date(late));
    let shown = top(&server, "k/a", &day).ok();
    assert_eq!(
        (&shown["members"], &shown["final"]),
        (&json!(0), &json!(true))
    );
    for window in [format!("month:{}", &date(late)[..7]), "all".to_owned()] {
        let shown = top(&server, "k/a", &window).ok();
        assert_eq!(
            (&shown["members"], shown.get("final")),
            (&json!(1), None),
            "{window}"
        );
    }
    let current = top(&server, "k/a", "day").ok();
    assert_eq!(current.get("final"), None);
}

#[test]
fn a_contribution_without_an_open_window_is_rejected() {
    let server = Server::with("[kinds.k]\nwindows = [\"hour\", \"day\"]\n");
    server.give("k/a", &[("now", 1)]);
    let version = server.versions("k/a");
    let late = now_ms() - 40 * DAY_MS;
    server
        .contribute(&at("u", late))
        .problem(422, "window-closed", &["at"]);
    let receipt = server
        .contribute(&json!([at("u", late), at("v", now_ms())]))
        .ok();
    assert_eq!(receipt["applied"], 1);
    assert_eq!(receipt["rejected"][0]["type"], "window-closed");
    assert_eq!(receipt["rejected"][0]["board"], "k/a");
    assert_ne!(server.versions("k/a"), version);
    // The day is within its retention, its hour is not.
    let older = now_ms() - 4 * DAY_MS;
    assert_eq!(server.contribute(&at("w", older)).ok()["applied"], 1);
    assert_eq!(server.order("k/a", &format!("day:{}", date(older))), ["w"]);
}

#[test]
fn final_is_in_every_response_and_changes_the_etag() {
    let server = Server::with("[kinds.k]\nwindows = [\"day\"]\n");
    let past = now_ms() - 2 * DAY_MS;
    server
        .contribute(&json!([at("u", past), at("v", past + HOUR_MS / 60)]))
        .ok();
    let day = format!("day:{}", date(past));
    let path = format!("/v1/boards/k/a/top?fresh=true&window={day}");
    let open = server.get(&path);
    assert_eq!(open.ok().get("final"), None);
    let mut shape = server.get("/v1/kinds/k").ok();
    shape["close"] = json!({"day": "1h"});
    server.put("/v1/kinds/k", &shape).ok();
    // The entries are the same, but the response is not.
    let closed = server.get_with(&path, &[("if-none-match", open.header("etag"))]);
    assert_eq!(closed.ok()["final"], true);
    assert_eq!(closed.ok()["entries"], open.ok()["entries"]);
    for rest in [
        "?",
        "/range?from=1&to=5&",
        "/range?min=0&",
        "/count?",
        "/members/u?",
        "/members/u/around?",
        "/rank?points=1&",
    ] {
        let shown = server.get(format!("/v1/boards/k/a{rest}window={day}"));
        assert_eq!(shown.ok()["final"], true, "{rest}");
    }
    let many = json!({"boards": ["k/a"], "window": day});
    assert_eq!(
        server.post("/v1/top", &many).ok()["boards"][0]["final"],
        true
    );
    server
        .contribute(&at("w", past))
        .problem(422, "window-closed", &["at"]);
}

#[test]
fn final_responses_of_named_windows_may_be_cached_for_a_minute() {
    let server = Server::with("[kinds.k]\nwindows = [\"day\"]\n");
    let past = now_ms() - 2 * DAY_MS;
    server
        .contribute(&json!([at("u", past), at("v", past)]))
        .ok();
    let day = format!("day:{}", date(past));
    let control = |rest: &str, window: &str| {
        let shown = server.get(format!("/v1/boards/k/a{rest}window={window}"));
        let known = ("if-none-match", shown.header("etag"));
        let again = server.get_with(&format!("/v1/boards/k/a{rest}window={window}"), &[known]);
        assert_eq!(again.status, 304, "{rest}");
        let control = shown.header("cache-control").to_owned();
        assert_eq!(again.header("cache-control"), control, "{rest}");
        control
    };
    let cached = [
        "/top?",
        "/range?from=1&to=5&",
        "/range?min=0&",
        "/count?",
        "/members/u?",
        "/members/u/around?",
    ];
    for rest in cached {
        assert_eq!(control(rest, &day), "no-cache", "{rest}");
    }
    let mut shape = server.get("/v1/kinds/k").ok();
    shape["close"] = json!({"day": "1h"});
    server.put("/v1/kinds/k", &shape).ok();
    for rest in cached {
        // The cached top is merged again.
        assert_eq!(control(rest, &day), "public, max-age=60", "{rest}");
    }
    // These depend on the time, or on other windows, too, or must show what was removed just now.
    for rest in [
        "/rank?points=1&",
        "/members/u?target=1&",
        "?",
        "/top?fresh=true&",
        "/count?fresh=true&",
    ] {
        assert_eq!(control(rest, &day), "no-cache", "{rest}");
    }
    // A board that has ended is final, but the window that `day` selects is another one tomorrow.
    let now = now_ms();
    let ended = json!({"ends_at": rfc3339(now - HOUR_MS)});
    server.put("/v1/boards/k/b", &ended).ok();
    for (window, expected) in [("day", "no-cache"), (&*day, "public, max-age=60")] {
        let shown = server.get(format!("/v1/boards/k/b/top?window={window}"));
        assert_eq!(shown.ok()["final"], true);
        assert_eq!(shown.header("cache-control"), expected, "{window}");
    }
}

#[test]
fn an_idle_board_is_deleted_and_can_be_created_again() {
    let server =
        Server::with("[kinds.k]\nwindows = [\"all\"]\nkeep = { all = { idle = \"1s\" } }\n");
    server.give("k/a", &[("u", 1)]);
    testkit::eventually("the idle board is deleted", || {
        server.order("k/a", "all").is_empty().then_some(())
    });
    server.give("k/a", &[("v", 2)]);
    assert_eq!(server.order("k/a", "all"), ["v"]);
}

/// Cached before the closing; a later contribution is shown when the window is final.
#[test]
fn a_top_cached_before_the_end_is_not_final() {
    for length_ms in [1_500, 6_000, 24_000] {
        let now = now_ms();
        let hour_start = now - now % HOUR_MS;
        let late = hour_start - 1;
        let closes_at = now + length_ms;
        let server = Server::with(&format!(
            "[kinds.k]\nwindows = [\"hour\"]\nmax_staleness = \"1h\"\nclose = {{ hour = \"{}ms\" }}\n",
            closes_at - hour_start,
        ));
        let window = format!("hour:{}T{:02}Z", date(late), late / HOUR_MS % 24);
        let path = format!("/v1/boards/k/a/top?window={window}");
        let first = server.contribute(&at("ann", late));
        let cached = server.get(&path).ok();
        let second = server.contribute(&at("ben", late - 1));
        // On a slow machine the window may have ended already.
        if [first.status, second.status] != [200, 200] || cached["final"] == true {
            continue;
        }
        let last = eventually("the window closes", || {
            let top = server.get(&path).ok();
            (top["final"] == true).then_some(top)
        });
        assert!(now_ms() >= closes_at);
        assert_eq!(last["members"], 2, "{last}");
        assert_eq!(last["entries"][0]["member"], "ben");
        return;
    }
    panic!("no window was open long enough");
}

/// Requests with a thousand boards are under way when the hour closes, the first of their windows: final
/// responses never change.
#[test]
fn final_responses_never_change() {
    let lengths_ms = [4_000, 16_000, 64_000];
    let was_open = lengths_ms.into_iter().any(final_responses_stay);
    assert!(was_open, "nothing was applied before a closing");
}

/// Does it with an hour that closes so long from now on. Returns whether anything was applied to the hour before.
fn final_responses_stay(length_ms: i64) -> bool {
    const BOARDS: usize = 1000;
    let now = now_ms();
    let hour_start = now - now % HOUR_MS;
    let late = hour_start - 1;
    let closes_at = now + length_ms;
    let server = Server::with(&format!(
        "[kinds.k]\nwindows = [\"day\", \"hour\"]\nmax_staleness = \"0s\"\n\
         close = {{ day = \"48h\", hour = \"{}ms\" }}\n",
        closes_at - hour_start,
    ));
    let window = format!("hour:{}T{:02}Z", date(late), late / HOUR_MS % 24);
    let chunk: Vec<_> = (0..BOARDS)
        .map(|n| json!({"board": format!("k/{n}"), "member": "u", "points": 1, "at": late}))
        .collect();
    let chunk = json!(chunk);
    let tops = |range: std::ops::Range<usize>| -> Vec<serde_json::Value> {
        let boards: Vec<String> = range.map(|n| format!("k/{n}")).collect();
        let many = json!({"boards": boards, "window": window, "n": 1});
        let response = server.post("/v1/top", &many).ok();
        response["boards"].as_array().unwrap().clone()
    };
    let shown = |top: &serde_json::Value| (top["members"].clone(), top["version"].clone());
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut in_the_hour = 0;
                    while now_ms() < closes_at + 100 {
                        let receipt = server.contribute(&chunk).ok();
                        assert_eq!(receipt["applied"], BOARDS, "{receipt}");
                        let partial = receipt["partial_count"].as_u64().unwrap_or(0);
                        in_the_hour += BOARDS as u64 - partial;
                    }
                    in_the_hour
                })
            })
            .collect();
        // The last contributions of a batch are applied last.
        let last = BOARDS - 100..BOARDS;
        let finals = eventually("the window closes", || {
            let tops = tops(last.clone());
            tops.iter().all(|top| top["final"] == true).then_some(tops)
        });
        let in_the_hour: u64 = writers.into_iter().map(|it| it.join().unwrap()).sum();
        for (before, after) in finals.iter().zip(tops(last)) {
            assert_eq!(after["final"], true);
            assert_eq!(shown(before), shown(&after), "{before} became {after}");
        }
        in_the_hour > 0
    })
}
