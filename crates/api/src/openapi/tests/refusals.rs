//! Every route returns only problems that the document lists for it.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use access::{AccessSettings, KeySettings, NewKey};
use axum::body::Body;
use axum::http::{Request, request};
use http_body_util::BodyExt as _;
use serde_json::{Value as Json, json};

use super::super::document::document;
use super::{app, problems_of};
use crate::ServerLimits;
use crate::gate::Gate;

const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Queries that routes refuse, and some that they accept.
const QUERIES: [&str; 9] = [
    "",
    "?nope=1",
    "?n=x",
    "?window=all",
    "?window=year",
    "?window=day:1999-01-01",
    "?window=hour",
    "?window=all&points=1",
    "?window=all&points=99999999999999999999",
];

/// Values of a parameter of the path.
const PARTS: [&str; 4] = ["", "Not-One!", "%FF", "u%00"];

/// A media type, an encoding and a body.
const BODIES: [(&str, &str, &str); 9] = [
    ("application/json", "identity", "{}"),
    ("application/json", "identity", "["),
    ("application/json", "identity", "[{}]"),
    ("application/json", "identity", r#"{"nope": 1}"#),
    (
        "application/json",
        "identity",
        r#"{"points": 99999999999999999999}"#,
    ),
    (
        "application/json",
        "identity",
        r#"{"board": "nope/a", "member": "u", "points": 1, "boards": [], "members": ["u"], "window": "year"}"#,
    ),
    ("text/plain", "identity", "{}"),
    ("", "identity", "{}"),
    ("application/json", "gzip", "{}"),
];

struct Refusals {
    gate: Gate,
    path: String,
    method: String,
    documented: BTreeSet<(String, String)>,
    missing: BTreeSet<String>,
}

impl Refusals {
    /// Sends a request, and records a problem that the document does not list for its route.
    async fn send(&mut self, path: &str, request: request::Builder, body: Body) {
        let request = request.method(&*self.method).uri(path).body(body).unwrap();
        let response = self.gate.answer_alone(PEER, request).await;
        let status = response.status();
        if status.as_u16() < 400 {
            return;
        }
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem: Json = serde_json::from_slice(&body).unwrap();
        let word = problem["type"].as_str().unwrap().to_owned();
        let returned = (word, status.as_str().to_owned());
        if !self.documented.contains(&returned) {
            let (word, status) = returned;
            let (method, route) = (&self.method, &self.path);
            self.missing
                .insert(format!("{method} {route}: {status} {word}"));
        }
    }

    /// Returns the path with this kind, and with `part` as the parameter of this index.
    fn path_with(&self, kind: &str, index: usize, part: &str) -> String {
        let mut path = String::new();
        let mut left = &*self.path;
        for number in 0.. {
            let Some((before, after)) = left.split_once('{') else {
                break;
            };
            let (name, after) = after.split_once('}').unwrap();
            path.push_str(before);
            path.push_str(match name {
                _ if number == index => part,
                "kind" => kind,
                _ => "a",
            });
            left = after;
        }
        path + left
    }
}

/// Creates a request with the headers that every client sends.
fn plain() -> request::Builder {
    Request::builder().header("host", "localhost")
}

/// Creates the gate of a service.
async fn gate(keys: Vec<KeySettings>) -> Gate {
    let settings = AccessSettings {
        keys,
        ..AccessSettings::default()
    };
    let app = app(&settings).await;
    Gate::new(app, &ServerLimits::default(), true)
}

async fn fill(gate: &Gate) {
    let item = json!({"board": "gifts/a", "member": "a", "points": 1});
    for (method, path, body) in [
        ("PUT", "/v1/kinds/gifts", json!({"windows": ["day", "all"]})),
        ("POST", "/v1/contributions", item),
    ] {
        let request = plain().header("content-type", "application/json");
        let request = request.method(method).uri(path);
        let request = request.body(Body::from(body.to_string())).unwrap();
        let status = gate.answer_alone(PEER, request).await.status();
        assert!(status.is_success(), "{path}: {status}");
    }
}

async fn send_all(of: &mut Refusals) {
    let paths: BTreeSet<String> = ["gifts", "nope"]
        .into_iter()
        .flat_map(|kind| [of.path_with(kind, usize::MAX, "")])
        .chain((0..3).flat_map(|index| PARTS.map(|part| of.path_with("gifts", index, part))))
        .collect();
    let is_json = || plain().header("content-type", "application/json");
    for path in &paths {
        for query in QUERIES {
            let path = format!("{path}{query}");
            of.send(&path, plain(), Body::empty()).await;
            of.send(&path, is_json(), Body::from("{}")).await;
        }
        for (media_type, encoding, body) in BODIES {
            let request = plain().header("content-type", media_type);
            let request = request.header("content-encoding", encoding);
            of.send(path, request, Body::from(body)).await;
        }
        of.send(path, is_json(), Body::from(" ".repeat(20 << 20)))
            .await;
        of.send(path, Request::builder(), Body::empty()).await;
        let elsewhere = Request::builder().header("host", "evil.example");
        of.send(path, elsewhere, Body::empty()).await;
        for name in [
            "if-match",
            "if-none-match",
            "last-event-id",
            "authorization",
        ] {
            of.send(path, plain().header(name, "x"), Body::empty())
                .await;
        }
    }
}

#[tokio::test]
async fn the_document_lists_every_problem_of_every_route() {
    let document = serde_json::to_value(document()).unwrap();
    let key = NewKey::generate().unwrap();
    let reader = json!({
        "name": "reader", "hash": key.hash(), "scope": "read", "kinds": ["races"],
        "requests_per_second": 1, "burst": 3,
    });
    let reader: KeySettings = serde_json::from_value(reader).unwrap();
    let mut missing = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let mut of = Refusals {
                gate: gate(Vec::new()).await,
                path: path.clone(),
                method: method.to_uppercase(),
                documented: problems_of(&document, operation),
                missing: BTreeSet::new(),
            };
            fill(&of.gate).await;
            send_all(&mut of).await;
            of.gate = gate(vec![reader.clone()]).await;
            let bearer = format!("Bearer {}", key.text());
            let whole = of.path_with("gifts", usize::MAX, "");
            for authorization in ["Bearer mb_x", &bearer].repeat(30) {
                let request = plain().header("authorization", authorization);
                of.send(&whole, request, Body::empty()).await;
            }
            missing.append(&mut of.missing);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
