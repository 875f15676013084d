//! The client loop for all servers, over HTTP and Redis's protocol.
//!
//! It has one thread, non-blocking sockets, and one request in flight per connection, without pipelining. It costs the
//! same for both protocols, and little compared with the server.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::child::Server;
use crate::figures::number;
use crate::http;
use crate::process::{cpu_of, own_cpu};

/// How long requests are sent before anything is counted.
const WARM_UP: Duration = Duration::from_millis(500);

/// The maximum time without any response.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// The size of the read buffer.
const READ_BYTES: usize = 64 << 10;

/// A server and the requests to it.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The address of the server.
    pub address: SocketAddr,
    /// The process id of the server.
    pub pid: u32,
    /// The requests, which are sent in turn and repeatedly.
    pub requests: &'a [String],
    /// The beginning of a successful response. Any other response is an error.
    pub begins: &'a str,
    /// Returns the length of the response that begins with these bytes, once it is known.
    pub response_length: fn(&[u8]) -> Option<usize>,
}

impl<'a> Target<'a> {
    /// Requests over HTTP.
    #[must_use]
    pub fn http(server: &Server, requests: &'a [String]) -> Self {
        Self {
            address: server.address,
            pid: server.pid(),
            requests,
            begins: http::OK,
            response_length: http::response_length,
        }
    }
}

/// The result of a load.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// The number of responses.
    pub responses: u64,
    /// The number of requests, including those of the warm-up.
    pub sent: u64,
    /// The number of bytes of all responses.
    pub bytes: u64,
    /// The elapsed time.
    pub elapsed: Duration,
    /// The CPU time of the server.
    pub server_cpu: Duration,
    /// The CPU time of this process.
    pub client_cpu: Duration,
    /// The latency of responses.
    pub latency: Latency,
}

/// The time from sending a request to the end of its response.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// The 50th percentile.
    pub median: Duration,
    /// The 99th percentile.
    pub p99: Duration,
    /// The maximum.
    pub max: Duration,
}

impl Latency {
    fn of(times: &mut [Duration]) -> Self {
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        let at = |part| times.get(last * part / 100).copied().unwrap_or_default();
        Self {
            median: at(50),
            p99: at(99),
            max: at(100),
        }
    }
}

impl Load {
    /// Returns the number of responses per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        number(self.responses) / self.elapsed.as_secs_f64()
    }

    /// Returns the server's CPU time per response, in microseconds.
    #[must_use]
    pub fn cpu_us(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / number(self.responses)
    }

    /// Returns the client's CPU time per response, in microseconds.
    #[must_use]
    pub fn client_us(&self) -> f64 {
        self.client_cpu.as_secs_f64() * 1e6 / number(self.responses)
    }

    /// Returns the number of bytes per response, including heads.
    #[must_use]
    pub fn bytes_each(&self) -> u64 {
        self.bytes / self.responses.max(1)
    }
}

/// Sends requests over this number of connections for this time, after a warm-up.
pub fn load(target: Target<'_>, connections: usize, duration: Duration) -> io::Result<Load> {
    let mut client = Client::open(target, connections)?;
    client.run(WARM_UP)?;
    client.times.clear();
    let bytes = client.bytes;
    let (begun, cpu, own) = (Instant::now(), cpu_of(target.pid)?, own_cpu());
    client.run(duration)?;
    Ok(Load {
        elapsed: begun.elapsed(),
        server_cpu: cpu_of(target.pid)?.saturating_sub(cpu),
        client_cpu: own_cpu().saturating_sub(own),
        responses: client.times.len() as u64,
        sent: client.next as u64,
        bytes: client.bytes - bytes,
        latency: Latency::of(&mut client.times),
    })
}

struct Client<'a> {
    target: Target<'a>,
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    /// The number of the next request.
    next: usize,
    /// The time of each response.
    times: Vec<Duration>,
    bytes: u64,
}

struct Connection {
    stream: TcpStream,
    sent: Instant,
    /// The beginning of a response whose length is not yet known.
    head: Vec<u8>,
    /// The number of unread bytes of a response whose length is known.
    left: usize,
}

impl<'a> Client<'a> {
    fn open(target: Target<'a>, connections: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        let next = connections;
        let connections = (0..connections).map(|number| {
            let stream = std::net::TcpStream::connect(target.address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry()
                .register(&mut stream, Token(number), Interest::READABLE)?;
            Ok(Connection {
                stream,
                sent: Instant::now(),
                head: Vec::new(),
                left: 0,
            })
        });
        let mut connections = connections.collect::<io::Result<Vec<_>>>()?;
        // Only now, so that the first responses do not wait until all are connected: a server may end such connections.
        for (connection, request) in connections.iter_mut().zip(target.requests.iter().cycle()) {
            connection.send(request)?;
        }
        Ok(Self {
            target,
            events: Events::with_capacity(connections.len()),
            connections,
            poll,
            buffer: vec![0; READ_BYTES],
            next,
            times: Vec::new(),
            bytes: 0,
        })
    }

    fn run(&mut self, duration: Duration) -> io::Result<()> {
        let end = Instant::now() + duration;
        while Instant::now() < end {
            self.poll.poll(&mut self.events, Some(SILENCE_MAX))?;
            if self.events.is_empty() {
                return Err(io::Error::other("the server does not respond"));
            }
            for event in &self.events {
                let connection = &mut self.connections[event.token().0];
                while let Some(read) = connection.read(&mut self.buffer)? {
                    self.bytes += read as u64;
                    if connection.receive(&self.buffer[..read], &self.target)? {
                        let request = &self.target.requests[self.next % self.target.requests.len()];
                        self.next += 1;
                        self.times.push(connection.sent.elapsed());
                        connection.send(request)?;
                        // The next response cannot have arrived yet; there will be another event.
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Connection {
    fn send(&mut self, request: &str) -> io::Result<()> {
        self.sent = Instant::now();
        self.stream.write_all(request.as_bytes())
    }

    /// Reads available bytes. Returns `None` if there are none.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.stream.read(buffer) {
            Ok(0) => Err(io::Error::other("the server closed a connection")),
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Processes received bytes. Returns whether they complete a response.
    fn receive(&mut self, bytes: &[u8], target: &Target<'_>) -> io::Result<bool> {
        if self.left == 0 {
            // Usually a head arrives in one piece and need not be stored.
            let head = if self.head.is_empty() {
                bytes
            } else {
                self.head.extend_from_slice(bytes);
                &self.head
            };
            if !target.begins.bytes().zip(head).all(|(a, b)| a == *b) {
                let head = String::from_utf8_lossy(head);
                return Err(io::Error::other(format!("unexpected response: {head}")));
            }
            let Some(length) = (target.response_length)(head) else {
                if self.head.is_empty() {
                    self.head.extend_from_slice(bytes);
                }
                return Ok(false);
            };
            self.left = length.checked_sub(head.len()).ok_or_else(too_long)?;
            self.head.clear();
        } else {
            self.left = self.left.checked_sub(bytes.len()).ok_or_else(too_long)?;
        }
        Ok(self.left == 0)
    }
}

fn too_long() -> io::Error {
    io::Error::other("the response is longer than expected")
}
