//! Windows close and expire: late contributions count in the windows that are still open.

use serde_json::json;
use testkit::clock::{HOUR_MS, date, now_ms};
use testkit::{Server, eventually};

fn at(member: &str, at: i64) -> serde_json::Value {
    json!({"board": "k/a", "member": member, "points": 1, "at": at})
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
