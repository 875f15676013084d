//! Requests to the whole service, which runs in this process on one thread.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

use access::{Access, AccessSettings};
use api::{App, MemoryBudget, ServerLimits, Stopping};
use board::Timestamp;
use merger::{Merger, Settings};
use serde_json::Value;
use shard_router::Router;
use shard_store::{Clock, ShardStore};
use store_local::LocalStore;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use wire::KindShape;

/// Paths with every set of parameters.
const PATHS: [&str; 12] = [
    "/v1/boards?",
    "/v1/kinds?",
    "/v1/members/anna?",
    "/v1/boards/gifts/a?",
    "/v1/boards/gifts/a/top?",
    "/v1/boards/gifts/a/range?",
    "/v1/boards/gifts/a/count?",
    "/v1/boards/gifts/a/members/anna?",
    "/v1/boards/gifts/a/members/anna/around?",
    "/v1/boards/gifts/a/rank?",
    "/v1/hidden?",
    "/v1/audit?",
];

/// 2026-11-20T18:00:00Z.
const NOW_MS: i64 = 1_795_197_600_000;

/// A kind with each sort of window.
const KIND: &str = r#"{"windows":["all","day","week"],"fields":[{"name":"points"},{"name":"wins"}],"dedupe":"1h"}"#;

/// Contributions of any bytes: no line has two outcomes, none has none if the request succeeds.
pub(crate) fn contributions(data: &[u8]) {
    let head = format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: fuzz\r\ncontent-type: application/x-ndjson\r\ncontent-length: {}\r\n\r\n",
        data.len()
    );
    let (status, body) = respond(&[head.as_bytes(), data].concat());
    assert!(status < 500, "{status}: {body}");
    let lines = data.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    let counts = ["applied", "duplicates", "failed_count", "rejected_count"];
    let outcomes = counts.iter().filter_map(|name| body[name].as_u64());
    let outcomes = usize::try_from(outcomes.sum::<u64>()).expect("a small number");
    match status {
        200 => assert_eq!(outcomes, lines, "{body}"),
        _ => assert!(outcomes <= lines, "{body}"),
    }
}

/// Parameters of any bytes: the first one selects a path.
pub(crate) fn parameters(data: &[u8]) {
    let Some((first, query)) = data.split_first() else {
        return;
    };
    let mut target = PATHS[usize::from(*first) % PATHS.len()].to_owned();
    for byte in query {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?%".contains(byte) {
            target.push(char::from(*byte));
        } else {
            write!(target, "%{byte:02x}").expect("memory");
        }
    }
    let (status, body) = respond(format!("GET {target} HTTP/1.1\r\nhost: fuzz\r\n\r\n").as_bytes());
    assert!(status < 500, "{target}: {status}: {body}");
}

/// Returns the status and the body of the response to a request.
fn respond(request: &[u8]) -> (u16, Value) {
    thread_local! {
        static SERVICE: RefCell<Service> = RefCell::new(Service::start());
    }
    SERVICE.with_borrow_mut(|service| service.respond(request))
}

struct Service {
    runtime: Runtime,
    connection: BufReader<TcpStream>,
}

impl Service {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has threads and timers");
        let connection = runtime.block_on(serve());
        Self {
            runtime,
            connection,
        }
    }

    fn respond(&mut self, request: &[u8]) -> (u16, Value) {
        self.runtime.block_on(async {
            let connection = &mut self.connection;
            connection
                .write_all(request)
                .await
                .expect("the service reads");
            let (mut status, mut length) = (0, 0);
            loop {
                let mut line = String::new();
                connection
                    .read_line(&mut line)
                    .await
                    .expect("the service responds");
                let line = line.trim_ascii_end();
                if let Some(text) = line.strip_prefix("HTTP/1.1 ") {
                    status = text[..3].parse().expect("a status");
                } else if let Some(digits) = line.strip_prefix("content-length: ") {
                    length = digits.parse().expect("a length");
                } else if line.is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            connection
                .read_exact(&mut body)
                .await
                .expect("the whole body");
            let body = serde_json::from_slice(&body).expect("JSON");
            (status, body)
        })
    }
}

async fn serve() -> BufReader<TcpStream> {
    let store: Arc<dyn ShardStore> = Arc::new(LocalStore::in_memory().expect("random numbers"));
    let router = Arc::new(Router::open(store).await.expect("the store opens"));
    let clock: Clock = Arc::new(|| Timestamp::from_millis(NOW_MS));
    let shape: KindShape = serde_json::from_str(KIND).expect("the JSON of a kind");
    let kind = shape.into_kind("gifts").expect("a valid kind");
    let put = router.catalogue().put(kind, clock()).await;
    put.expect("a first kind is accepted");
    let settings = Settings {
        clock: clock.clone(),
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: 1 << 20,
    };
    let merger = Arc::new(Merger::new(router.clone(), settings));
    let access = Access::new(&AccessSettings::default()).expect("the defaults are valid");
    let memory = MemoryBudget::default();
    let app = Arc::new(App::new(router, merger, clock, access, memory));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener");
    // Without a sender it never stops.
    let (_, never) = watch::channel(Stopping::No);
    tokio::spawn(api::serve(listener, app, ServerLimits::default(), never));
    BufReader::new(
        TcpStream::connect(address)
            .await
            .expect("the service listens"),
    )
}
