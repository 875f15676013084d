//! A proxy that drops, delays or holds the requests and replies that a test selects:
//! [`FaultProxy`].
//!
//! It reads requests and replies as RESP2 and RESP3 frame them, and relies on one reply per
//! request, in order. Not for connections on which Redis replies otherwise: `MONITOR`, `SUBSCRIBE`
//! in RESP2, `CLIENT REPLY OFF`, and replication.

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

/// A proxy on its own port for one server. Its connections are closed on drop.
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
    /// May include connections that have ended.
    open: Vec<Weak<Connection>>,
}

impl FaultProxy {
    /// Starts a proxy for this server, which passes everything on.
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

    /// Drops the nth request (counted from 1) that matches from now on: it never reaches the
    /// server, and the connection ends after the replies to earlier requests.
    pub fn lose_request(&self, matching: &Matching, nth: u64) {
        self.plan().lose(matching, nth, Fate::LoseRequest);
    }

    /// Drops the reply to the nth request (counted from 1) that matches from now on: the server
    /// executes the request, and the connection ends instead of the reply. Later requests on it may
    /// have been executed too.
    pub fn lose_reply_of(&self, matching: &Matching, nth: u64) {
        self.plan().lose(matching, nth, Fate::LoseReply);
    }

    /// Returns how many planned losses have not happened yet.
    pub fn losses_to_come(&self) -> usize {
        self.plan().losses_to_come()
    }

    /// Delays replies to requests that match, and those behind them, until this time after the
    /// request arrived. Ends with [`heal`](Self::heal).
    pub fn delay_replies_of(&self, matching: &Matching, by: Duration) {
        self.plan().delay(matching, by);
    }

    /// Holds requests that match from now on, and those behind them on their connections, until
    /// [`heal`](Self::heal). They then reach the server, even if the client has disconnected.
    pub fn hold(&self, matching: &Matching) {
        self.plan().hold(matching);
    }

    /// Returns how many requests are held.
    pub fn held(&self) -> usize {
        self.plan().held
    }

    /// Cancels planned losses and delays, and releases held requests.
    pub fn heal(&self) {
        self.plan().heal();
    }

    /// Closes all connections and refuses new ones.
    pub fn refuse(&self) {
        let Some(accepting) = self.accepting().take() else {
            return;
        };
        self.connections().refused = true;
        // The thread waits for a connection; this one wakes it up.
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

    /// Closes all connections; new ones are accepted.
    pub fn end_connections(&self) {
        let open = std::mem::take(&mut self.connections().open);
        for connection in open.iter().filter_map(Weak::upgrade) {
            connection.end();
        }
    }

    /// Returns how many requests had this command, given in upper case.
    pub fn requests_of(&self, command: &str) -> u64 {
        let plan = self.plan();
        plan.requests.get(command).copied().unwrap_or_default()
    }

    /// Returns how many calls were of functions whose name contains `part`.
    pub fn calls_of(&self, part: &str) -> u64 {
        let plan = self.plan();
        let calls = plan.calls.iter().filter(|(name, _)| name.contains(part));
        calls.map(|(_, count)| count).sum()
    }

    /// Returns how often each command, in upper case, was requested.
    pub fn commands(&self) -> BTreeMap<String, u64> {
        self.plan().requests.clone()
    }

    /// Returns how often each function was called.
    pub fn functions(&self) -> BTreeMap<String, u64> {
        self.plan().calls.clone()
    }

    /// Returns how often bytes have arrived. What a client writes at once arrives at once, up to a
    /// few KiB.
    pub fn arrivals(&self) -> u64 {
        self.plan().arrivals
    }

    /// Returns how many connections were made.
    pub fn connections_made(&self) -> u64 {
        self.plan().connections
    }

    /// Returns the proxy's address.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Returns the server's address.
    pub(super) fn server(&self) -> SocketAddr {
        self.server
    }

    /// Returns the server's URL with the proxy's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.shared.plan.lock().unwrap()
    }

    fn accepting(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        // Called in `drop`, also after a test has failed.
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
            // If the server cannot be reached the client's connection is closed.
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
