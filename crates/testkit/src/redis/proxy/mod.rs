//! A proxy before a Redis that loses the requests and replies that a test names: [`FaultProxy`].
//!
//! It reads requests and replies as RESP2 and RESP3 frame them, and gives each request its reply in turn.
//! Not for connections on which Redis answers otherwise: `MONITOR`, `SUBSCRIBE` in RESP2,
//! `CLIENT REPLY OFF`, and replication.

mod connection;
mod matching;
mod plan;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::port::Port;
use super::server::RedisServer;
use connection::Connection;
pub use matching::Matching;
use plan::{Fate, Plan};

/// A proxy on a port of its own before one server; it ends with its connections when this is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    port: Port,
    server: SocketAddr,
    url: String,
    shared: Arc<Shared>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    plan: Arc<Mutex<Plan>>,
    connections: Mutex<Connections>,
}

#[derive(Debug, Default)]
struct Connections {
    refused: bool,
    /// Some may have ended.
    open: Vec<Weak<Connection>>,
}

impl FaultProxy {
    /// Stands before this server and passes everything on.
    #[track_caller]
    pub fn before(server: &RedisServer) -> Self {
        let port = Port::reserve();
        let proxy = Self {
            url: server.url_at(port.address()),
            port,
            server: server.address(),
            shared: Arc::default(),
            accepting: Mutex::default(),
        };
        proxy.accept();
        proxy
    }

    /// Of the requests that match from now on, the nth (the first is 1) never reaches the server: the
    /// connection ends instead, after the replies to what came before it.
    pub fn lose_request(&self, matching: &Matching, nth: u64) {
        self.plan().lose(matching, nth, Fate::LoseRequest);
    }

    /// Of the requests that match from now on, the nth (the first is 1) is done by the server, but
    /// instead of its reply the connection ends. What came behind it may have been done, too.
    pub fn lose_reply_of(&self, matching: &Matching, nth: u64) {
        self.plan().lose(matching, nth, Fate::LoseReply);
    }

    /// How many losses were requested and have not happened yet.
    pub fn losses_to_come(&self) -> usize {
        self.plan().losses_to_come()
    }

    /// Passes replies to requests that match on no sooner than so long after the request came, and
    /// others behind them in turn, until [`heal`](Self::heal).
    pub fn delay_replies_of(&self, matching: &Matching, by: Duration) {
        self.plan().delay(matching, by);
    }

    /// Requests that match from now on wait here, and what comes behind them on their connections, until
    /// [`heal`](Self::heal): then they reach the server, also where nobody waits for a reply any more.
    pub fn hold(&self, matching: &Matching) {
        self.plan().hold(matching);
    }

    /// How many requests wait because of that.
    pub fn held(&self) -> usize {
        self.plan().held
    }

    /// Forgets losses that have not happened and delays, and lets go of what it holds.
    pub fn heal(&self) {
        self.plan().heal();
    }

    /// Ends all connections, and refuses new ones.
    pub fn refuse(&self) {
        let Some(accepting) = self.accepting().take() else {
            return;
        };
        self.connections().refused = true;
        // It waits for a connection, and is to see that there are to be none.
        let _ = TcpStream::connect(self.address());
        accepting.join().unwrap();
        self.end_connections();
    }

    /// Accepts connections again.
    #[track_caller]
    pub fn accept(&self) {
        let mut accepting = self.accepting();
        if accepting.is_some() {
            return;
        }
        self.connections().refused = false;
        let listener = TcpListener::bind(self.address()).unwrap();
        let (shared, server) = (Arc::clone(&self.shared), self.server);
        *accepting = Some(thread::spawn(move || shared.take_in(&listener, server)));
    }

    /// Ends all connections; new ones are welcome.
    pub fn end_connections(&self) {
        let open = std::mem::take(&mut self.connections().open);
        for connection in open.iter().filter_map(Weak::upgrade) {
            connection.end();
        }
    }

    /// How many requests of this command, in upper case, have come by so far.
    pub fn requests_of(&self, command: &str) -> u64 {
        let plan = self.plan();
        plan.requests.get(command).copied().unwrap_or_default()
    }

    /// How many calls of functions whose name contains this have come by so far.
    pub fn calls_of(&self, part: &str) -> u64 {
        let plan = self.plan();
        let calls = plan.calls.iter().filter(|(name, _)| name.contains(part));
        calls.map(|(_, count)| count).sum()
    }

    /// Commands that have come by so far, in upper case, and how often each has.
    pub fn commands(&self) -> BTreeMap<String, u64> {
        self.plan().requests.clone()
    }

    /// Functions that were called so far, and how often each was.
    pub fn functions(&self) -> BTreeMap<String, u64> {
        self.plan().calls.clone()
    }

    /// How often bytes have arrived so far: what a client writes at once arrives at once, unless it is
    /// more than a few KiB.
    pub fn arrivals(&self) -> u64 {
        self.plan().arrivals
    }

    /// How many connections were made so far.
    pub fn connections_made(&self) -> u64 {
        self.plan().connections
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Where the server listens.
    pub(super) fn server(&self) -> SocketAddr {
        self.server
    }

    /// The server's URL, with this in its place.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.shared.plan.lock().unwrap()
    }

    fn accepting(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        // It is dropped where a test has failed, too.
        self.accepting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.shared.connections()
    }
}

impl Shared {
    fn take_in(&self, listener: &TcpListener, server: SocketAddr) {
        for client in listener.incoming() {
            let mut connections = self.connections();
            if connections.refused {
                return;
            }
            self.plan.lock().unwrap().connections += 1;
            // A client that meets no server is hung up on.
            let connection = client.and_then(|client| Connection::open(client, server, &self.plan));
            connections
                .open
                .extend(connection.as_ref().map(Arc::downgrade));
        }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.refuse();
    }
}
