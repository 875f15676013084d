//! The events of a stream that are put together from rendered entries have the shape that the document has.

use access::AccessSettings;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value as Json, json};

use super::app;
use crate::ServerLimits;
use crate::gate::Gate;

const PEER: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

async fn send(gate: &Gate, method: &str, path: &str, body: &Json) -> Body {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("host", "localhost");
    let request = request.header("content-type", "application/json");
    let request = request.body(match method {
        "GET" => Body::empty(),
        _ => Body::from(body.to_string()),
    });
    let response = gate.answer_alone(PEER, request.unwrap()).await;
    assert!(response.status().is_success(), "{path}: {response:?}");
    response.into_body()
}

fn keys(json: &Json) -> Vec<&str> {
    json.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn events_of_streams_have_their_shape() {
    let app = app(&AccessSettings::default()).await;
    let gate = Gate::new(app, &ServerLimits::default(), true);
    let close = json!({"close": {"day": "10m"}});
    _ = send(&gate, "PUT", "/v1/kinds/gifts", &close).await;
    let span = json!({"starts_at": "2026-11-20T14:00:00Z", "ends_at": "2026-11-20T15:00:00Z"});
    _ = send(&gate, "PUT", "/v1/boards/gifts/pk", &span).await;
    for (member, points) in ["u1", "u2", "u3", "u4"].iter().zip(1..) {
        let item = json!({"board": "gifts/pk", "member": member, "points": points});
        _ = send(&gate, "POST", "/v1/contributions", &item).await;
    }
    let path = "/v1/boards/gifts/pk/stream?n=3&changes=true";
    let mut events = send(&gate, "GET", path, &Json::Null).await;
    let mut text = String::new();
    let mut moved = false;
    while !text.contains("event: changes") || !text.ends_with("\n\n") {
        let frame = events.frame().await.unwrap().unwrap();
        text += str::from_utf8(frame.data_ref().unwrap()).unwrap();
        if text.contains("event: board") && !moved {
            moved = true;
            let won = json!({"board": "gifts/pk", "member": "u1", "points": 9});
            _ = send(&gate, "POST", "/v1/contributions", &won).await;
        }
    }
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let [board, changes]: [Json; 2] =
        std::array::from_fn(|_| serde_json::from_str(events.next().unwrap()).unwrap());
    let of_both = [
        "as_of",
        "board",
        "ends_at",
        "members",
        "starts_at",
        "version",
        "window",
    ];
    let mut of_board = [&of_both[..], &["entries"]].concat();
    of_board.sort_unstable();
    assert_eq!(keys(&board), of_board);
    let of_moves = ["changed", "down", "entered", "left", "up"];
    let mut of_changes = [&of_both[..], &of_moves[..]].concat();
    of_changes.sort_unstable();
    assert_eq!(keys(&changes), of_changes);
    let expected = ["member", "points", "position", "rank", "reached_at"];
    assert_eq!(keys(&changes["entered"][0]), expected);
    assert_eq!(changes["entered"][0]["member"], "u1");
    assert_eq!(
        keys(&board["entries"][0]),
        ["member", "points", "rank", "reached_at"]
    );
}
