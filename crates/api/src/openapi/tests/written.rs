//! Responses that are written by hand have the shape of their twins: parsed into them and serialized again, they are
//! the same.

use std::sync::Arc;

use access::AccessSettings;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use wire::{
    EntryWritten, LookedUpWritten, MemberWritten, StandingWritten, TopWritten, TopsWritten,
};

use super::app;
use crate::app::App;
use crate::dispatch::dispatch;
use crate::feeds::written::ChangesWritten;
use crate::route::Matched;

/// A service with a board of points, one of several fields, and one that ranks only its best.
struct Service(Arc<App>);

impl Service {
    async fn start() -> Self {
        let service = Self(app(&AccessSettings::default()).await);
        service.fill().await;
        service
    }

    async fn fill(&self) {
        let fields = json!([{"name": "laps", "op": "max"}, {"name": "seconds", "op": "last"}]);
        let retain = json!({"keep": 2, "trim_at": 4, "approximate": true});
        for (kind, settings) in [
            ("gifts", json!({"close": {"day": "10m"}})),
            ("races", json!({"fields": fields, "windows": ["all"]})),
            ("best", json!({"windows": ["all"], "retain": retain})),
        ] {
            self.ask("PUT", &format!("/v1/kinds/{kind}"), &settings)
                .await;
        }
        let span = json!({"starts_at": "2026-11-20T14:00:00Z", "ends_at": "2026-11-20T15:00:00Z"});
        self.ask("PUT", "/v1/boards/gifts/pk", &span).await;
        for board in ["gifts/pk", "gifts/room", "best/room"] {
            let members = ["u1", "u2", "u3", "u4"].iter().zip(1..);
            let item =
                |(member, points)| json!({"board": board, "member": member, "points": points});
            let items: Vec<_> = members.map(item).collect();
            self.ask("POST", "/v1/contributions", &items.into()).await;
        }
        let laps = json!({"board": "races/a", "member": "u1", "values": {"laps": 3}});
        self.ask("POST", "/v1/contributions", &laps).await;
    }

    async fn ask(&self, method: &str, path: &str, body: &Json) -> Json {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let matched = Matched::of(request.uri().path());
        let response = dispatch(&self.0, &matched, request).await;
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(
            status.is_success(),
            "{path}: {}",
            String::from_utf8_lossy(&body)
        );
        serde_json::from_slice(&body).unwrap()
    }

    async fn get(&self, path: &str) -> Json {
        self.ask("GET", &format!("/v1/boards/{path}"), &Json::Null)
            .await
    }
}

/// Asserts that the twin parses this, and serializes the same.
#[track_caller]
fn assert_written_as<T: DeserializeOwned + Serialize>(answer: &Json) {
    let read: T =
        serde_json::from_value(answer.clone()).unwrap_or_else(|e| panic!("{e}: {answer}"));
    assert_eq!(&serde_json::to_value(read).unwrap(), answer);
}

#[tokio::test]
async fn tops_have_their_shape() {
    let service = Service::start().await;
    for board in [
        "gifts/pk",
        "gifts/room",
        "best/room",
        "races/a",
        "gifts/nobody",
    ] {
        assert_written_as::<TopWritten>(&service.get(&format!("{board}/top?fresh=true")).await);
    }
    let past = service.get("gifts/room/top?window=day:2026-11-18").await;
    assert_eq!(past["final"], true);
    assert_written_as::<TopWritten>(&past);
    let wanted = json!({"boards": ["gifts/pk", "races/a"]});
    assert_written_as::<TopsWritten>(&service.ask("POST", "/v1/top", &wanted).await);
}

#[tokio::test]
async fn entries_have_their_shape() {
    let service = Service::start().await;
    for board in ["gifts/room", "races/a"] {
        let range = service.get(&format!("{board}/range?from=1&to=4")).await;
        for entry in range["entries"].as_array().unwrap() {
            assert_written_as::<EntryWritten>(entry);
        }
    }
    let wanted = json!({"members": ["u1", "u4", "nobody"]});
    for board in ["gifts/room", "best/room", "races/a"] {
        let path = format!("/v1/boards/{board}/lookup");
        let found = service.ask("POST", &path, &wanted).await;
        for entry in found["entries"].as_array().unwrap() {
            assert_written_as::<LookedUpWritten>(entry);
        }
    }
}

#[tokio::test]
async fn members_have_their_shape() {
    let service = Service::start().await;
    // Ranked, first and alone, not listed; with a target that can be reached, and one that cannot.
    for (path, target) in [
        ("gifts/room/members/u2", None),
        ("gifts/room/members/u2?target=1", Some(json!(3))),
        ("races/a/members/u1", None),
        ("best/room/members/u1", None),
    ] {
        let mut member = service.get(path).await;
        assert_eq!(member.get("to_target"), target.as_ref(), "{member}");
        let member = member.as_object_mut().unwrap();
        for of_the_envelope in ["board", "window", "version", "as_of", "members", "listed"] {
            member.remove(of_the_envelope);
        }
        assert_written_as::<MemberWritten>(&Json::Object(member.clone()));
    }
}

#[tokio::test]
async fn standings_of_receipts_have_their_shape() {
    let service = Service::start().await;
    for asked in ["standings", "ranks"] {
        let path = format!("/v1/contributions?return={asked}");
        let laps = json!({"board": "races/a", "member": "u2", "values": {"laps": 2}});
        let receipt = service.ask("POST", &path, &laps).await;
        let windows = receipt["standings"][0]["windows"].as_array().unwrap();
        assert_eq!(
            windows[0].get("rank").is_some(),
            asked == "ranks",
            "{receipt}"
        );
        windows
            .iter()
            .for_each(assert_written_as::<StandingWritten>);
    }
}

#[tokio::test]
async fn changes_have_their_shape() {
    let service = Service::start().await;
    let request = Request::get("/v1/boards/gifts/pk/stream?n=3&changes=true");
    let request = request.body(Body::empty()).unwrap();
    let matched = Matched::of(request.uri().path());
    let response = dispatch(&service.0, &matched, request).await;
    let mut events = response.into_body();
    let mut text = String::new();
    let mut moved = false;
    while !text.contains("event: changes") || !text.ends_with("\n\n") {
        let frame = events.frame().await.unwrap().unwrap();
        text += str::from_utf8(frame.data_ref().unwrap()).unwrap();
        if text.contains("event: board") && !moved {
            moved = true;
            let won = json!({"board": "gifts/pk", "member": "u1", "points": 9});
            service.ask("POST", "/v1/contributions", &won).await;
        }
    }
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let [board, changes] = std::array::from_fn(|_| {
        let json: Json = serde_json::from_str(events.next().unwrap()).unwrap();
        json
    });
    assert_written_as::<TopWritten>(&board);
    assert_eq!(changes["entered"][0]["member"], "u1", "{changes}");
    assert_written_as::<ChangesWritten>(&changes);
}
