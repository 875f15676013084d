//! [`Service`]: the whole service in this process, on one thread, and a client of it on the same thread.

use std::cell::Cell;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use access::{Access, AccessSettings};
use api::{App, MemoryBudget, ServerLimits, Stopping};
use board::{BoardName, Member, Timestamp, Value, Values};
use merger::{Merger, Settings};
use shard_router::{KnownKind, Router, Write, WriteOutcome};
use shard_store::{Change, Clock, ShardStore};
use store_local::{LocalDisk, LocalSettings, LocalStore};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use wire::KindShape;

/// 2026-11-20T18:00:00Z: a fixed time, so that no window ends during a count.
const BEGIN_MS: i64 = 1_795_197_600_000;

/// Coprime to all numbers of members: steps of this length reach every member once, in a practically random order.
const STRIDE: u64 = 7_654_321;

/// The maximum points of a contribution.
const POINTS_MAX: u64 = 100;

/// The number of contributions of a batch.
pub(crate) const BATCH: u64 = 1_000;

/// The index of the status in a response.
const STATUS_AT: usize = "HTTP/1.1 ".len();

/// The end of an event in a chunk.
const EVENT_END: &str = "\n\n\r\n";

/// The size of the read buffer.
const READ_BYTES: usize = 64 << 10;

/// A running service with one board, `gifts/live`.
pub(crate) struct Service {
    runtime: Runtime,
    router: Arc<Router>,
    known: KnownKind,
    board: Arc<BoardName>,
    members: u64,
    clock: Arc<AtomicI64>,
    random: Cell<u64>,
    address: SocketAddr,
}

impl Service {
    /// Starts a service in memory, or in this folder, with one contribution of each member. `kind` is the kind as JSON.
    pub(crate) fn start(kind: &str, members: u64, folder: Option<&Path>) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has threads and timers");
        let clock = Arc::new(AtomicI64::new(BEGIN_MS));
        let (router, known, address) = runtime.block_on(serve(kind, folder, clock.clone()));
        let service = Self {
            runtime,
            router,
            known,
            board: Arc::new("gifts/live".parse().expect("a valid name")),
            members,
            clock,
            random: Cell::new(1),
            address,
        };
        let mut next = 0;
        while next < members {
            let end = members.min(next + BATCH);
            service.write((next..end).map(|index| index * STRIDE % members));
            next = end;
        }
        service
    }

    /// Runs a future together with the service.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Connects to the service.
    pub(crate) fn connect(&self) -> Client {
        let stream = self.run(async {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            io::Result::Ok(stream)
        });
        Client {
            stream: stream.expect("the service listens"),
            buffer: vec![0; READ_BYTES],
        }
    }

    /// Writes one contribution of each of these members through the router.
    pub(crate) fn write(&self, members: impl Iterator<Item = u64>) {
        let batch = self.batch(members);
        self.apply(batch);
    }

    /// Returns one contribution of each of these members.
    pub(crate) fn batch(&self, members: impl Iterator<Item = u64>) -> Vec<Write> {
        let writes = members.map(|number| {
            let points = i64::try_from(self.points()).expect("a small number");
            Write {
                board: self.board.clone(),
                kind: self.known.clone(),
                member: member(number),
                change: Change::Fold(Values::from(Value::new(points).expect("a small number"))),
                at: self.now(),
                id: None,
                only: None,
            }
        });
        writes.collect()
    }

    /// Writes a batch through the router.
    pub(crate) fn apply(&self, batch: Vec<Write>) {
        let batches: shard_router::BoardBatches = batch.into_iter().collect();
        let now = self.now();
        let outcomes = self.run(self.router.write(batches, now, false));
        let is_applied = |outcome: &WriteOutcome| matches!(outcome, WriteOutcome::Applied(_));
        assert!(outcomes.iter().all(is_applied));
    }

    /// Advances the clock by a millisecond, and returns the time.
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the number of a random member.
    pub(crate) fn random_member(&self) -> u64 {
        self.below(self.members)
    }

    /// Returns the points of a contribution.
    pub(crate) fn points(&self) -> u64 {
        1 + self.below(POINTS_MAX)
    }

    /// Returns a random number below `end`: the same ones in every run.
    pub(crate) fn below(&self, end: u64) -> u64 {
        let state = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(state);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}

/// Returns the member with this number, of ten characters.
pub(crate) fn member(number: u64) -> Member {
    Member::new(&format!("u{number:09}")).expect("ten characters")
}

async fn serve(
    kind: &str,
    folder: Option<&Path>,
    time: Arc<AtomicI64>,
) -> (Arc<Router>, KnownKind, SocketAddr) {
    let store: Arc<dyn ShardStore> = match folder {
        None => Arc::new(LocalStore::in_memory().expect("the system has random numbers")),
        Some(folder) => {
            let disk = Arc::new(LocalDisk::open(folder).expect("an empty folder"));
            let store = LocalStore::open(disk, &LocalSettings::default());
            Arc::new(store.expect("an empty folder"))
        }
    };
    let router = Arc::new(Router::open(store).await.expect("the store opens"));
    let clock: Clock =
        Arc::new(move || Timestamp::from_millis(time.fetch_add(1, Ordering::Relaxed)));
    let shape: KindShape = serde_json::from_str(kind).expect("the JSON of a kind");
    let wanted = shape.into_kind("gifts").expect("a valid kind");
    let put = router.catalogue().put(wanted, clock()).await;
    let (known, _) = put.expect("a first kind is accepted");
    let settings = Settings {
        clock: clock.clone(),
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: 64 << 20,
    };
    let merger = Arc::new(Merger::new(router.clone(), settings));
    let access = Access::new(&AccessSettings::default()).expect("the defaults are valid");
    let memory = MemoryBudget::default();
    let app = Arc::new(App::new(router.clone(), merger, clock, access, memory));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener");
    // Without a sender it never stops.
    let (_, never) = watch::channel(Stopping::No);
    tokio::spawn(api::serve(listener, app, ServerLimits::default(), never));
    (router, known, address)
}

/// A connection to the service. It does little, since its instructions are counted too.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Sends a request, and reads its whole response, which must have this status.
    pub(crate) async fn ask(&mut self, request: &str, status: &str) {
        self.send(request).await;
        let is_whole = |text: &str| {
            assert!(text[STATUS_AT..].starts_with(status), "{text}");
            response_length(text).is_some_and(|length| length <= text.len())
        };
        self.read_until(is_whole).await;
    }

    /// Sends a request without waiting for a response.
    pub(crate) async fn send(&mut self, request: &str) {
        let mut bytes = request.as_bytes();
        while !bytes.is_empty() {
            self.stream.writable().await.expect("the service reads");
            match self.stream.try_write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
            }
        }
    }

    /// Reads until the end of an event that has this text.
    pub(crate) async fn event(&mut self, text: &str) {
        let is_whole = |received: &str| received.contains(text) && received.ends_with(EVENT_END);
        self.read_until(is_whole).await;
    }

    async fn read_until(&mut self, is_whole: impl Fn(&str) -> bool) {
        let mut read = 0;
        loop {
            self.stream.readable().await.expect("the service responds");
            match self.stream.try_read(&mut self.buffer[read..]) {
                Ok(0) => panic!("the service closed the connection"),
                Ok(more) => read += more,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
                    continue;
                }
            }
            if is_whole(std::str::from_utf8(&self.buffer[..read]).expect("ASCII")) {
                return;
            }
        }
    }
}

/// Returns the length of a response, once its head is complete.
fn response_length(text: &str) -> Option<usize> {
    let (head, _) = text.split_once("\r\n\r\n")?;
    let end = head.len() + 4;
    let Some((_, after)) = head.split_once("content-length: ") else {
        return Some(end);
    };
    let digits = after.split('\r').next()?;
    Some(end + digits.parse::<usize>().ok()?)
}
