//! [`PATHS`]: the hot paths whose instructions are counted.

use std::fmt::Write as _;

use tempfile::TempDir;

use crate::service::{BATCH, Client, Service};

/// The members of the boards that are read.
const MEMBERS: u64 = 50_000;

/// The members of the boards that are written.
const WRITTEN_MEMBERS: u64 = 20_000;

/// The entries of a page.
const PAGE: u64 = 100;

/// A path.
pub(crate) struct Path {
    /// Its name in the file of counts.
    pub(crate) name: &'static str,
    /// How often it is run while instructions are counted; a tenth of that before.
    pub(crate) times: u32,
    /// Prepares it.
    prepare: fn() -> Box<dyn Prepared>,
}

impl Path {
    /// Prepares the path, and runs it until caches are warm.
    pub(crate) fn prepared(&self) -> Box<dyn Prepared> {
        let mut prepared = (self.prepare)();
        prepared.run(self.times / 10 + 1);
        prepared
    }
}

/// A path that is ready to run.
pub(crate) trait Prepared {
    /// Runs it this number of times.
    fn run(&mut self, times: u32);
}

/// The paths, in the order of the file of counts.
pub(crate) const PATHS: [Path; 13] = [
    path("apply_1000", 20, || batches(r#"["all"]"#)),
    path("apply_1000_five_windows", 10, || {
        batches(r#"["hour", "day", "week", "month", "all"]"#)
    }),
    path("lines_1000", 10, lines),
    path("contribution_durable", 500, singles),
    path("top_100_cached", 2_000, || top("200", "")),
    path("top_100_unchanged", 2_000, || {
        top("304", "if-none-match: *\r\n")
    }),
    path("merge_1000_of_16_shards", 50, merges),
    path("member_of_16_shards", 300, || members_of(16)),
    path("member_of_1_shard", 500, || members_of(1)),
    path("page_of_16_shards", 100, || pages(16)),
    path("page_of_1_shard", 200, || pages(1)),
    path("stream_event", 100, events),
    path("stream_event_100", 20, frames),
];

const fn path(name: &'static str, times: u32, prepare: fn() -> Box<dyn Prepared>) -> Path {
    Path {
        name,
        times,
        prepare,
    }
}

/// Returns a kind as JSON. Tops stay cached unless a read is fresh.
fn kind(windows: &str, shards: u64) -> String {
    format!(
        r#"{{"windows": {windows}, "shards": {shards}, "top": 1000, "max_staleness": "1h",
            "fields": [{{"name": "points"}}], "ties": "earliest"}}"#
    )
}

fn filled(shards: u64) -> Service {
    Service::start(&kind(r#"["all"]"#, shards), MEMBERS, None)
}

fn get(path: &str, headers: &str) -> String {
    format!("GET /v1/boards/gifts/live/{path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")
}

fn post(media_type: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\n\
         content-type: {media_type}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Applies 1,000 contributions through the router.
struct Batches(Service);

fn batches(windows: &str) -> Box<dyn Prepared> {
    Box::new(Batches(Service::start(
        &kind(windows, 16),
        WRITTEN_MEMBERS,
        None,
    )))
}

impl Prepared for Batches {
    fn run(&mut self, times: u32) {
        for _ in 0..times {
            self.0.write((0..BATCH).map(|_| self.0.random_member()));
        }
    }
}

/// Sends one request after the other. Each is made by a function.
struct Requests<R> {
    client: Client,
    status: &'static str,
    request: R,
    service: Service,
    _folder: Option<TempDir>,
}

impl<R: FnMut(&Service) -> String> Prepared for Requests<R> {
    fn run(&mut self, times: u32) {
        let Self {
            client,
            status,
            request,
            service,
            ..
        } = self;
        service.run(async {
            for _ in 0..times {
                client.ask(&request(service), status).await;
            }
        });
    }
}

fn requests(
    service: Service,
    status: &'static str,
    request: impl FnMut(&Service) -> String + 'static,
) -> Box<dyn Prepared> {
    Box::new(Requests {
        client: service.connect(),
        status,
        request,
        service,
        _folder: None,
    })
}

fn contribution(service: &Service) -> String {
    let (member, points) = (service.random_member(), service.points());
    format!(r#"{{"board":"gifts/live","member":"u{member:09}","points":{points}}}"#)
}

/// A request with 1,000 lines, each of a contribution.
fn lines() -> Box<dyn Prepared> {
    let service = Service::start(&kind(r#"["all"]"#, 16), WRITTEN_MEMBERS, None);
    requests(service, "200", |service| {
        let mut body = String::new();
        for _ in 0..BATCH {
            writeln!(body, "{}", contribution(service)).expect("memory takes any text");
        }
        post("application/x-ndjson", &body)
    })
}

/// A request with one contribution, written to a journal and synced.
fn singles() -> Box<dyn Prepared> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let service = Service::start(
        &kind(r#"["all"]"#, 16),
        WRITTEN_MEMBERS,
        Some(folder.path()),
    );
    Box::new(Requests {
        client: service.connect(),
        status: "200",
        request: |service: &Service| post("application/json", &contribution(service)),
        service,
        _folder: Some(folder),
    })
}

fn top(status: &'static str, headers: &str) -> Box<dyn Prepared> {
    let request = get("top?n=100", headers);
    requests(filled(16), status, move |_| request.clone())
}

/// The top of 1,000, merged anew after a contribution to each shard or nearly so.
fn merges() -> Box<dyn Prepared> {
    struct Merges(Client, Service);
    impl Prepared for Merges {
        fn run(&mut self, times: u32) {
            let request = get("top?n=100&fresh=true", "");
            for _ in 0..times {
                self.1.write((0..50).map(|_| self.1.random_member()));
                let Self(client, service) = self;
                service.run(client.ask(&request, "200"));
            }
        }
    }
    let service = filled(16);
    Box::new(Merges(service.connect(), service))
}

fn members_of(shards: u64) -> Box<dyn Prepared> {
    requests(filled(shards), "200", |service| {
        get(&format!("members/u{:09}", service.random_member()), "")
    })
}

fn pages(shards: u64) -> Box<dyn Prepared> {
    requests(filled(shards), "200", |service| {
        let from = 1 + service.below(MEMBERS - PAGE);
        let path = format!("range?from={from}&to={}", from + PAGE - 1);
        get(&path, "")
    })
}

/// A change of the board, and the event of it: a contribution, a merge, and what changed, to one stream.
fn events() -> Box<dyn Prepared> {
    streams(1, "&changes=true", "event: changes")
}

/// A change of the board, and the event of it: a contribution, a merge, and the whole top, to 100 streams.
fn frames() -> Box<dyn Prepared> {
    streams(100, "", "event: board")
}

fn streams(count: usize, form: &str, event: &'static str) -> Box<dyn Prepared> {
    struct Streams(Vec<Client>, Service, &'static str);
    impl Prepared for Streams {
        fn run(&mut self, times: u32) {
            let Self(clients, service, event) = self;
            for _ in 0..times {
                service.write(std::iter::once(service.random_member()));
                for client in &mut *clients {
                    service.run(client.event(event));
                }
            }
        }
    }
    let kind = kind(r#"["all"]"#, 16).replace(r#""1h""#, r#""20ms""#);
    let service = Service::start(&kind, 1_000, None);
    let mut clients: Vec<Client> = (0..count).map(|_| service.connect()).collect();
    let request = get(&format!("stream?n=10{form}"), "");
    for client in &mut clients {
        service.run(async {
            client.send(&request).await;
            client.event("event: board").await;
        });
    }
    Box::new(Streams(clients, service, event))
}
