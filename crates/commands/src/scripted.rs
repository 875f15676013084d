//! A server for tests that sends scripted replies and records requests: [`TestServer`].
//!
//! It supports as much of HTTP as the client uses: one request per connection, with `Content-Length`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::server::ServerArgs;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The request line, and the headers in lower case.
    pub(crate) head: Vec<String>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.body.lines().collect()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .iter()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// The reply to a request.
pub(crate) enum Reply {
    /// A response: status, further headers (each ending in a line break) and body.
    Answer(u16, &'static str, String),
    /// The connection is closed after the request was read.
    Cut,
}

impl Reply {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, "", body.into())
    }
}

/// A server on a free port. It runs until the test process ends.
pub(crate) struct TestServer {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl TestServer {
    /// Starts a server. `reply` gets the number of earlier requests and the request.
    pub(crate) fn start(reply: impl FnMut(usize, &Request) -> Reply + Send + 'static) -> Self {
        Self::serve_with(reply, false)
    }

    /// Starts a server that responds to requests with `Expect: 100-continue` without reading their bodies.
    pub(crate) fn start_refusing(
        reply: impl FnMut(usize, &Request) -> Reply + Send + 'static,
    ) -> Self {
        Self::serve_with(reply, true)
    }

    fn serve_with(
        mut reply: impl FnMut(usize, &Request) -> Reply + Send + 'static,
        refuses: bool,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = serve(&stream.unwrap(), &seen, &mut reply, refuses);
            }
        });
        Self { url, requests }
    }

    pub(crate) fn args(&self) -> ServerArgs {
        ServerArgs {
            server: self.url.clone(),
            key: None,
        }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: &TcpStream,
    seen: &Mutex<Vec<Request>>,
    reply: &mut dyn FnMut(usize, &Request) -> Reply,
    refuses: bool,
) -> Option<()> {
    let mut input = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end() {
            "" => break,
            line if head.is_empty() => head.push(line.to_owned()),
            line => head.push(line.to_ascii_lowercase()),
        }
    }
    let mut request = Request {
        head,
        body: String::new(),
    };
    let asks_first = request.header("expect").is_some();
    if !(asks_first && refuses) {
        if asks_first {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
        }
        let length = request
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        input.read_exact(&mut body).ok()?;
        request.body = String::from_utf8(body).unwrap();
    }
    let mut requests = seen.lock().unwrap();
    let before = requests.len();
    requests.push(request.clone());
    drop(requests);
    match reply(before, &request) {
        Reply::Answer(status, headers, body) => answer(stream, status, headers, &body),
        Reply::Cut => stream.shutdown(Shutdown::Both).ok(),
    }
}

fn answer(mut stream: &TcpStream, status: u16, headers: &str, body: &str) -> Option<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Status\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n\
         {body}"
    )
    .ok()
}
