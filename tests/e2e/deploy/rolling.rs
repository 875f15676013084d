//! Servers that are restarted one after the other lose no request: behind the proxies of
//! `docs/deploy.md`, as that page configures them, and with clients that keep their connections.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use testkit::redis::{Port, RedisServer};
use testkit::{Launch, ReverseProxy, Server, Wire, eventually};

/// The addresses of servers on the page.
const SERVERS: [&str; 2] = ["10.0.0.1:8080", "10.0.0.2:8080"];

/// The number of clients.
const CLIENTS: u64 = 8;

/// Returns the configuration that follows this line of the page.
fn example(after: &str) -> String {
    let page = std::fs::read_to_string(super::path("../docs/deploy.md")).unwrap();
    let (_, text) = page.split_once(after).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("    "));
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    joined(lines)
}

/// Returns lines as the text of a file.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Two servers with the default `drain`, on ports that they have again after a restart.
struct Servers {
    ports: [Port; 2],
    running: [Option<Server>; 2],
    _redis: RedisServer,
}

impl Servers {
    #[track_caller]
    fn start(drain: &str) -> Self {
        let redis = RedisServer::plain();
        let ports = [(); 2].map(|()| Port::reserve());
        let running = ports.each_ref().map(|port| {
            let flags = format!("--listen {} --store {}", port.address(), redis.url());
            let launch = Launch::new().file("megaboard.toml", "[kinds.k]\nwindows = [\"all\"]\n");
            Some(launch.args(&flags).env("MEGABOARD_DRAIN", drain).start())
        });
        Self {
            ports,
            running,
            _redis: redis,
        }
    }

    fn addresses(&self) -> [String; 2] {
        self.ports.each_ref().map(|port| port.address().to_string())
    }

    /// Replaces the addresses of the page.
    fn here(&self, example: &str) -> String {
        let addresses = self.addresses();
        let pairs = SERVERS.iter().zip(&addresses);
        pairs.fold(example.to_owned(), |text, (shown, address)| {
            text.replace(shown, address)
        })
    }

    /// Restarts each server, once the other one answers requests of the clients.
    #[track_caller]
    fn restart_each(&mut self, clients: &Clients) {
        for index in 0..2 {
            for server in self.running.iter().flatten() {
                let before = answered(server);
                eventually("the clients reach both servers", || {
                    clients.check();
                    (answered(server) > before).then_some(())
                });
            }
            let launch = self.running[index].take().unwrap().stop();
            self.running[index] = Some(launch.start());
        }
    }
}

/// Returns the number of contributions that a server has answered.
fn answered(server: &Server) -> u64 {
    let metrics = server.get("/metrics").body;
    let name = "megaboard_contributions_total{outcome=\"applied\"} ";
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |count| count.parse().unwrap())
}

/// What the clients have seen.
#[derive(Default)]
struct Clients {
    applied: AtomicU64,
    failures: Mutex<Vec<String>>,
    have_ended: AtomicBool,
}

impl Clients {
    /// Sends requests to these addresses until the end of `during`.
    #[track_caller]
    fn run(addresses: &[String], during: impl FnOnce(&Self)) -> Self {
        let clients = Self::default();
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                let clients = &clients;
                scope.spawn(move || clients.send(client, addresses));
            }
            let end = End(&clients.have_ended);
            during(&clients);
            drop(end);
        });
        clients.check();
        clients
    }

    /// Panics if a request has failed.
    #[track_caller]
    fn check(&self) {
        let failures = self.failures.lock().unwrap().clone();
        assert!(failures.is_empty(), "{failures:?}");
    }

    /// Sends requests on one connection after the other. A connection that is refused is opened to
    /// the next address; every request on an open connection has to be answered.
    fn send(&self, client: u64, addresses: &[String]) {
        let mut next_address = addresses.iter().cycle().skip(usize::from(client % 2 == 1));
        let mut connection: Option<Wire> = None;
        for number in 0.. {
            if self.have_ended.load(Ordering::Relaxed) {
                return;
            }
            let mut wire = connection.take().unwrap_or_else(|| {
                eventually("a server accepts connections", || {
                    Wire::try_to(next_address.next().unwrap()).ok()
                })
            });
            let (request, is_write) = request(client, number);
            let response = wire.try_write(&request).then(|| wire.try_response());
            match response.flatten() {
                Some(response) if response.status == 200 => {
                    if is_write {
                        let applied = response.value()["applied"].as_u64().unwrap();
                        self.applied.fetch_add(applied, Ordering::Relaxed);
                    }
                    // Now and then another one, so that servers are used again after a restart.
                    if response.header("connection") != "close" && number % 100 != 99 {
                        connection = Some(wire);
                    }
                }
                failed => {
                    let about = format!("client {client}, request {number}: {failed:?}");
                    self.failures.lock().unwrap().push(about);
                }
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Ends the clients, also if the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns a contribution or a read, and whether it is a contribution.
fn request(client: u64, number: u64) -> (String, bool) {
    // Servers without keys accept no other names.
    let head = "host: localhost\r\n";
    if number % 2 == 1 {
        return (
            format!("GET /v1/boards/k/a/top HTTP/1.1\r\n{head}\r\n"),
            false,
        );
    }
    let body = json!({"board": "k/a", "member": format!("m{client}"), "points": 1}).to_string();
    let length = body.len();
    let head = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n");
    (
        format!("POST /v1/contributions HTTP/1.1\r\n{head}\r\n{body}"),
        true,
    )
}

#[track_caller]
fn test_rolling_restart(drain: &str, proxy: impl FnOnce(&Servers) -> Option<ReverseProxy>) {
    let mut servers = Servers::start(drain);
    let proxy = proxy(&servers);
    let direct = servers.addresses();
    let addresses = proxy
        .as_ref()
        .map_or(direct.to_vec(), |proxy| vec![proxy.address()]);
    let clients = Clients::run(&addresses, |clients| servers.restart_each(clients));
    // What was answered was applied once.
    let top = servers.running[0]
        .as_ref()
        .unwrap()
        .get("/v1/boards/k/a/top?fresh=true");
    let points = top
        .entries()
        .into_iter()
        .map(|entry| entry["points"].as_u64().unwrap());
    assert_eq!(points.sum::<u64>(), clients.applied.into_inner());
}

#[test]
fn behind_nginx_a_rolling_restart_fails_no_request() {
    testkit::sampled!(behind_nginx_a_rolling_restart_fails_no_request);
    test_rolling_restart("5s", |servers| {
        let example = servers.here(&example("With nginx:"));
        let lines = example.lines();
        let lines = lines.filter(|line| !line.trim().starts_with("ssl_"));
        let lines = lines.map(|line| {
            let listens = line.trim().starts_with("listen ");
            if listens { "listen LISTEN;" } else { line }
        });
        Some(ReverseProxy::nginx(&joined(lines)))
    });
}

#[test]
fn behind_haproxy_a_rolling_restart_fails_no_request() {
    testkit::sampled!(behind_haproxy_a_rolling_restart_fails_no_request);
    test_rolling_restart("5s", |servers| {
        let example = servers.here(&example("With HAProxy:"));
        let lines = example.lines().map(|line| {
            let binds = line.trim().starts_with("bind ");
            if binds { "    bind LISTEN" } else { line }
        });
        Some(ReverseProxy::haproxy(&joined(lines)))
    });
}

#[test]
fn clients_that_keep_their_connections_lose_no_request_in_a_rolling_restart() {
    test_rolling_restart("1s", |_| None);
}
