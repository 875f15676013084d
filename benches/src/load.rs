//! The one client loop that asks every server, whatever it speaks.
//!
//! One thread, non-blocking sockets, one request under way a connection, the next sent when its
//! response has come whole: nothing is pipelined. What it costs is alike for both protocols, and little enough
//! that the server is what is measured.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::figures::number;
use crate::process::{cpu_of, own_cpu};

/// How long a server is asked before anything is counted.
const WARM_UP: Duration = Duration::from_millis(500);

/// Without any response for so long, a server has gone.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;

/// What is asked of whom.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The server.
    pub address: SocketAddr,
    /// Its process.
    pub pid: u32,
    /// The requests, as they are sent: in turn, and from the first again.
    pub requests: &'a [String],
    /// How a response begins that is what was asked for. Any other ends the load as an error.
    pub begins: &'a str,
    /// The length of the response that these bytes begin, once they tell.
    pub response_length: fn(&[u8]) -> Option<usize>,
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Responses.
    pub responses: u64,
    /// Requests in all, with those that were not counted.
    pub sent: u64,
    /// Bytes of them all.
    pub bytes: u64,
    /// Time that passed.
    pub elapsed: Duration,
    /// CPU time of the server.
    pub server_cpu: Duration,
    /// CPU time of this process.
    pub client_cpu: Duration,
    /// How long responses took.
    pub latency: Latency,
}

/// From the sending of a request until its response is whole.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// Half of them took no longer.
    pub median: Duration,
    /// One in a hundred took longer.
    pub p99: Duration,
    /// The slowest.
    pub max: Duration,
}

impl Latency {
    fn of(taken: &mut [Duration]) -> Self {
        taken.sort_unstable();
        let last = taken.len().saturating_sub(1);
        let at = |part| taken.get(last * part / 100).copied().unwrap_or_default();
        Self {
            median: at(50),
            p99: at(99),
            max: at(100),
        }
    }
}

impl Load {
    /// Responses a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        number(self.responses) / self.elapsed.as_secs_f64()
    }

    /// Microseconds of the server's CPU a response.
    #[must_use]
    pub fn cpu_us(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / number(self.responses)
    }

    /// Microseconds of the client's CPU a response.
    #[must_use]
    pub fn client_us(&self) -> f64 {
        self.client_cpu.as_secs_f64() * 1e6 / number(self.responses)
    }

    /// Bytes a response, heads included.
    #[must_use]
    pub fn bytes_each(&self) -> u64 {
        self.bytes / self.responses.max(1)
    }
}

/// Asks over so many connections for so long.
pub fn load(target: Target<'_>, connections: usize, duration: Duration) -> io::Result<Load> {
    let mut client = Client::open(target, connections)?;
    client.ask_for(WARM_UP)?;
    client.taken.clear();
    let bytes = client.bytes;
    let (begun, cpu, own) = (Instant::now(), cpu_of(target.pid)?, own_cpu());
    client.ask_for(duration)?;
    Ok(Load {
        elapsed: begun.elapsed(),
        server_cpu: cpu_of(target.pid)?.saturating_sub(cpu),
        client_cpu: own_cpu().saturating_sub(own),
        responses: client.taken.len() as u64,
        sent: client.next as u64,
        bytes: client.bytes - bytes,
        latency: Latency::of(&mut client.taken),
    })
}

struct Client<'a> {
    target: Target<'a>,
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    /// The request that is sent next.
    next: usize,
    /// How long each response took.
    taken: Vec<Duration>,
    bytes: u64,
}

struct Connection {
    stream: TcpStream,
    sent: Instant,
    /// What came of a response whose length is not yet known.
    head: Vec<u8>,
    /// How much of a response whose length is known is still to come.
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
            stream.write_all(target.requests[number % target.requests.len()].as_bytes())?;
            Ok(Connection {
                stream,
                sent: Instant::now(),
                head: Vec::new(),
                left: 0,
            })
        });
        let connections = connections.collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            target,
            events: Events::with_capacity(connections.len()),
            connections,
            poll,
            buffer: vec![0; READ_BYTES],
            next,
            taken: Vec::new(),
            bytes: 0,
        })
    }

    fn ask_for(&mut self, duration: Duration) -> io::Result<()> {
        let end = Instant::now() + duration;
        while Instant::now() < end {
            self.poll.poll(&mut self.events, Some(SILENCE_MAX))?;
            if self.events.is_empty() {
                return Err(io::Error::other("the server has gone silent"));
            }
            for event in &self.events {
                let connection = &mut self.connections[event.token().0];
                while let Some(read) = connection.read(&mut self.buffer)? {
                    self.bytes += read as u64;
                    if connection.take(&self.buffer[..read], &self.target)? {
                        let request = &self.target.requests[self.next % self.target.requests.len()];
                        self.next += 1;
                        self.taken.push(connection.sent.elapsed());
                        connection.send(request)?;
                        // Nothing can have come yet: the system tells when it has.
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

    /// Reads what is there; `None` when that is nothing.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.stream.read(buffer) {
            Ok(0) => Err(io::Error::other("the server closed a connection")),
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes what came; true when a response is whole with it.
    fn take(&mut self, bytes: &[u8], target: &Target<'_>) -> io::Result<bool> {
        if self.left == 0 {
            // As a rule a head comes in one piece, and need not be kept.
            let head = if self.head.is_empty() {
                bytes
            } else {
                self.head.extend_from_slice(bytes);
                &self.head
            };
            if !target.begins.bytes().zip(head).all(|(a, b)| a == *b) {
                let head = String::from_utf8_lossy(head);
                return Err(io::Error::other(format!("the server answered {head}")));
            }
            let Some(length) = (target.response_length)(head) else {
                if self.head.is_empty() {
                    self.head.extend_from_slice(bytes);
                }
                return Ok(false);
            };
            self.left = length.checked_sub(head.len()).ok_or_else(more)?;
            self.head.clear();
        } else {
            self.left = self.left.checked_sub(bytes.len()).ok_or_else(more)?;
        }
        Ok(self.left == 0)
    }
}

fn more() -> io::Error {
    io::Error::other("more came than was asked for")
}
