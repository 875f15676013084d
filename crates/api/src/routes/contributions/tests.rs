//! Responses to contributions while unread responses of other clients fill the share.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use access::{Access, AccessSettings};
use axum::body::Body;
use axum::http::Request;
use board::limits::{FIELD_BYTES_MAX, FIELDS_MAX, NAME_BYTES_MAX, VALUE_MAX};
use board::{Member, Timestamp};
use http_body_util::BodyExt as _;
use http_server::{
    MemoryBudget, MemorySettings, ResponseReservation, SMALL_BYTES_MAX, ServerLimits,
};
use merger::{Merger, Settings};
use serde_json::{Value as Json, json};
use shard_router::Router;
use shard_store::Clock;
use store_local::LocalStore;
use wire::BOARDS_MAX;

use super::standings::{Asked, AskedStandings, Return};
use crate::app::App;
use crate::gate::Gate;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// Maximum bytes of all unread responses.
const ANSWER_BYTES: usize = 8 << 20;

/// Contributions of one request that are valid, and those of an unknown kind.
const VALID: usize = 10;
const INVALID: usize = 990;

const CONTRIBUTE: &str = "/v1/contributions";

struct Service {
    app: Arc<App>,
    gate: Gate,
}

impl Service {
    async fn new() -> Self {
        let store = Arc::new(LocalStore::in_memory().unwrap());
        let writes = Arc::new(Router::open(store).await.unwrap());
        let clock: Clock = Arc::new(|| NOW);
        let settings = Settings {
            clock: clock.clone(),
            renderer: Arc::new(wire::render),
            renderer_format: wire::RENDERER_FORMAT,
            cache_bytes_max: 1 << 20,
        };
        let merger = Arc::new(Merger::new(writes.clone(), settings));
        let access = Access::new(&AccessSettings::default()).unwrap();
        let memory = MemoryBudget::new(MemorySettings {
            responses: Some(ANSWER_BYTES),
            responses_per_address: Some(ANSWER_BYTES),
            ..MemorySettings::default()
        });
        let app = Arc::new(App::new(writes, merger, clock, access, memory));
        let gate = Gate::new(app.clone(), &ServerLimits::default(), true);
        let service = Self { app, gate };
        let kind = json!({"windows": ["all"]});
        let (status, _) = service.send("PUT", "/v1/kinds/gifts", &kind).await;
        assert_eq!(status, 201);
        service
    }

    /// Sends a request, and reads the response.
    async fn send(&self, method: &str, path: &str, body: &Json) -> (u16, String) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("host", "localhost");
        let request = request.header("content-type", "application/json");
        let body = match method {
            "GET" => Body::empty(),
            _ => Body::from(body.to_string()),
        };
        let request = request.body(body).unwrap();
        let response = self.gate.answer_alone(HERE, request).await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn get(&self, path: &str) -> (u16, String) {
        self.send("GET", path, &Json::Null).await
    }

    /// Sends a request, and returns the body of its 200.
    async fn receipt(&self, path: &str, body: &Json) -> Json {
        let (status, body) = self.send("POST", path, body).await;
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Fills the share of responses, like a client that does not read them.
    fn fill(&self) -> ResponseReservation {
        let mut reservation = self.app.responses.to(THERE).reservation();
        reservation.resize(ANSWER_BYTES).unwrap();
        reservation
    }

    /// Returns how many members are ranked on the board.
    async fn members(&self) -> Json {
        let (_, body) = self.get("/v1/boards/gifts/a?fresh=true").await;
        let shown: Json = serde_json::from_str(&body).unwrap();
        shown["members"].clone()
    }
}

fn contributions(count: usize) -> impl Iterator<Item = Json> {
    (0..count).map(|n| json!({"board": "gifts/a", "member": format!("m{n}"), "points": 1}))
}

#[tokio::test]
async fn a_receipt_that_does_not_fit_is_short_and_has_all_counts() {
    let service = Service::new().await;
    let wrong = json!({"board": format!("nope/{}", "x".repeat(100)), "member": "u", "points": 1});
    let items: Json = contributions(VALID)
        .chain(std::iter::repeat_n(wrong, INVALID))
        .collect();
    let listed = async || {
        let receipt = service.receipt(CONTRIBUTE, &items).await;
        assert_eq!(receipt["applied"], VALID, "{receipt}");
        assert_eq!(receipt["rejected_count"], INVALID);
        receipt["rejected"].as_array().unwrap().len()
    };
    assert_eq!(listed().await, INVALID);
    let others = service.fill();
    let short = listed().await;
    assert!((1..INVALID).contains(&short), "{short}");
    assert_eq!(service.app.memory.responses.bytes(), ANSWER_BYTES);
    drop(others);
    assert_eq!(listed().await, INVALID);
    assert_eq!(service.app.memory.responses.bytes(), 0);
}

#[tokio::test]
async fn standings_that_do_not_fit_are_refused_before_anything_is_applied() {
    let service = Service::new().await;
    let items: Json = contributions(super::STANDINGS_MAX).collect();
    let path = format!("{CONTRIBUTE}?return=standings");
    let others = service.fill();
    let (status, body) = service.send("POST", &path, &items).await;
    assert_eq!(status, 503);
    assert!(body.contains("\"overloaded\""), "{body}");
    assert_eq!(service.members().await, 0);
    // Without standings the request is applied.
    let receipt = service.receipt(CONTRIBUTE, &items).await;
    assert_eq!(receipt["applied"], super::STANDINGS_MAX);
    drop(others);
    let receipt = service.receipt(&path, &items).await;
    let standings = receipt["standings"].as_array().unwrap();
    assert_eq!(standings.len(), super::STANDINGS_MAX);
    assert_eq!(service.app.memory.responses.bytes(), 0);
}

#[tokio::test]
async fn files_probes_and_scrapes_are_served_while_all_other_memory_is_in_use() {
    const LARGE: &str = "/v1/boards/gifts/a/top?n=1000&fresh=true";
    let service = Service::new().await;
    let items: Json = contributions(1_000).collect();
    service.receipt(CONTRIBUTE, &items).await;
    let memory = &service.app.memory;
    let shares = [
        &memory.bodies,
        &memory.writes,
        &memory.streams,
        &memory.read_ahead,
        &memory.receipts,
        &memory.prepared,
    ];
    let others = shares.map(|share| {
        let mut held = share.hold();
        assert!(held.resize(share.bytes_max()));
        held
    });
    let others = (others, service.fill());
    let (status, body) = service.get(LARGE).await;
    assert_eq!(status, 503, "{body}");
    let files = ["/", "/docs", "/openapi.json", "/page/rows.js"];
    let small = [
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/boards/gifts/a/top?n=10",
    ];
    for path in files.into_iter().chain(small) {
        assert_eq!(service.get(path).await.0, 200, "{path}");
    }
    let (_, metrics) = service.get("/metrics").await;
    assert!(metrics.len() > SMALL_BYTES_MAX);
    let overloaded = "megaboard_http_problems_total{type=\"overloaded\"} 1\n";
    assert!(metrics.contains(overloaded), "{metrics}");
    drop(others);
    assert_eq!(service.get(LARGE).await.0, 200);
}

#[tokio::test]
async fn standings_fit_their_reservation() {
    let service = Service::new().await;
    let letters = "a".repeat(FIELD_BYTES_MAX - 1);
    let fields: Vec<String> = (0..FIELDS_MAX).map(|n| format!("{letters}{n}")).collect();
    let kind = json!({
        "fields": fields.iter().map(|name| json!({"name": name})).collect::<Json>(),
        "windows": ["hour", "day", "week", "month", "all"],
    });
    let (status, body) = service.send("PUT", "/v1/kinds/wide", &kind).await;
    assert_eq!(status, 201, "{body}");
    // Quotes are escaped.
    let member = "\"".repeat(NAME_BYTES_MAX);
    let board = |n: usize| format!("wide/{n:02}{}", &member[2..]);
    let boards: Vec<String> = (0..BOARDS_MAX).map(board).collect();
    let values = fields.iter().map(|name| (name.clone(), json!(-VALUE_MAX)));
    let values = Json::Object(values.collect());
    let item = json!({"boards": boards, "member": member, "id": "evt", "values": values});
    let path = format!("{CONTRIBUTE}?return=ranks&previous_rank=true");
    let receipt = service.receipt(&path, &item).await;
    assert_eq!(receipt["applied"], BOARDS_MAX, "{receipt}");
    let known = service.app.kind("wide").await.unwrap();
    let mut asked = AskedStandings::new(Return::Ranks { previous: true });
    for board in &boards {
        asked.push(Asked {
            index: 0,
            board: Arc::new(board.parse().unwrap()),
            kind: known.kind.clone(),
            member: Member::new(&member).unwrap(),
            at: service.app.now(),
            only: None,
        });
    }
    let standings = receipt["standings"].to_string().len();
    let reserved = asked.bytes_max();
    let expected = SMALL_BYTES_MAX..reserved;
    assert!(expected.contains(&standings), "{standings} of {reserved}");
}
