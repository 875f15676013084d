//! A connection that answers repeated reads itself, compared with what hyper alone would do: every request has its
//! response, in order, however the requests are cut into pieces and however slowly the client reads.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use connection::{
    Flow, HeadTimer, Pool, RawResponse, ReadAhead, RepeatedRead, Socket, WriteTimeouts,
};
use futures::{StreamExt as _, stream};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use metering::Counter;
use testkit::dice::{Dice, Seed, runs};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;

const CONNECTIONS: usize = 20;
const CONNECTIONS_LONG: usize = 400;
const REQUESTS: usize = 60;

const TIMEOUT: Duration = Duration::from_mins(1);

/// The longest body. Together, pipelined responses exceed the buffers of the system.
const BODY_BYTES_MAX: usize = 300_000;

/// What a path asks for: a body that begins with the path, of a length that is in it.
fn body_of(path: &str) -> Bytes {
    let bytes: usize = path.rsplit('/').next().unwrap().parse().unwrap();
    let mut body = path.as_bytes().to_vec();
    body.resize(path.len() + bytes, b'x');
    body.into()
}

/// Serves a connection. Paths with `same` are prepared; others are not, and half of them are streams.
async fn serve(stream: TcpStream, answered: Arc<AtomicUsize>) {
    let raw = move |request: &Request<Empty<Bytes>>| {
        answered.fetch_add(1, Ordering::Relaxed);
        let body = body_of(request.uri().path());
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let head = head.into();
        Some(RawResponse { head, body })
    };
    let repeated = Arc::new(RepeatedRead::new(Box::new(raw)));
    let pool = Pool::up_to(1 << 20);
    let timer = HeadTimer::new(TIMEOUT);
    let socket = Socket::new(
        stream,
        Arc::<Flow>::default(),
        Arc::new(ReadAhead::new(&pool)),
        Arc::new(WriteTimeouts::new(TIMEOUT, pool, Counter::default())),
        repeated.clone(),
        timer.clone(),
    );
    let service = service_fn(move |request: Request<Incoming>| {
        repeated.begin(request.body().is_end_stream());
        let body = body_of(request.uri().path());
        let is_same = request.uri().path().starts_with("/same");
        let mut sent = None;
        if is_same && request.body().is_end_stream() {
            repeated.keep(&request, body.len() as u64);
        } else {
            sent = Some(request.into_body());
        }
        async move {
            if let Some(sent) = sent {
                // hyper closes a connection whose body is not read.
                sent.collect().await.unwrap();
            }
            if is_same {
                return Ok::<_, Infallible>(Response::new(Body::from(body)));
            }
            yield_now().await;
            if body.len().is_multiple_of(2) {
                return Ok(Response::new(Body::from(body)));
            }
            let pieces: Vec<_> = body
                .chunks(1 + body.len() / 3)
                .map(Bytes::copy_from_slice)
                .collect();
            let pieces = stream::iter(pieces).then(|piece| async {
                yield_now().await;
                Ok::<_, Infallible>(piece)
            });
            Ok(Response::new(Body::from_stream(pieces)))
        }
    });
    let served = http1::Builder::new()
        .timer(timer)
        .header_read_timeout(TIMEOUT)
        .serve_connection(TokioIo::new(socket), service);
    served.await.unwrap();
}

/// Returns the requests of a connection, each with its path. Most repeat one read.
fn requests(dice: &mut Dice, has_bodies: bool) -> Vec<(String, Vec<u8>)> {
    let same = format!("/same/{}", dice.below(2) * dice.below(BODY_BYTES_MAX));
    let request = |_| {
        let path = match dice.below(8) {
            0 => format!("/other/{}", dice.below(BODY_BYTES_MAX)),
            1 => format!("/same/{}", dice.below(10)),
            _ => same.clone(),
        };
        let text = if has_bodies && dice.below(6) == 0 {
            // The body looks like a request.
            let body = format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n");
            let bytes = body.len();
            format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {bytes}\r\n\r\n{body}")
        } else {
            format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n")
        };
        (path, text.into_bytes())
    };
    (0..REQUESTS).map(request).collect()
}

/// Sends requests: one by one or several at once, whole or in pieces. Returns the open connection: hyper does not
/// answer a client that has ended it.
async fn send(
    mut to: OwnedWriteHalf,
    mut dice: Dice,
    requests: Vec<Vec<u8>>,
    received: Arc<AtomicUsize>,
) -> OwnedWriteHalf {
    let mut sent = 0;
    for bytes in requests {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let piece = if dice.below(8) == 0 {
                1 + dice.below(rest.len())
            } else {
                rest.len()
            };
            to.write_all(&rest[..piece]).await.unwrap();
            rest = &rest[piece..];
            for _ in 0..dice.below(4) {
                yield_now().await;
            }
        }
        sent += 1;
        let ahead_max = if dice.below(6) == 0 { 5 } else { 0 };
        while sent - received.load(Ordering::Relaxed) > ahead_max {
            yield_now().await;
        }
    }
    to
}

/// Reads one response, slowly now and then, and returns its body.
async fn response(from: &mut OwnedReadHalf, read: &mut Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    loop {
        if let Some((length, body)) = parsed(read) {
            read.drain(..length);
            return body;
        }
        for _ in 0..dice.below(3) {
            yield_now().await;
        }
        let mut piece = vec![0; 1 + dice.below(100_000)];
        let bytes = from.read(&mut piece).await.unwrap();
        assert!(bytes > 0, "the connection ended");
        read.extend_from_slice(&piece[..bytes]);
    }
}

/// Returns the length and the body of the response that these bytes begin with, if it is whole.
fn parsed(bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = str::from_utf8(&bytes[..end]).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    if let Some(length) = length {
        let all = end + length.parse::<usize>().unwrap();
        return (bytes.len() >= all).then(|| (all, bytes[end..all].to_vec()));
    }
    assert!(head.contains("transfer-encoding: chunked"), "{head}");
    let (mut at, mut body) = (end, Vec::new());
    loop {
        let line = bytes[at..].windows(2).position(|two| two == b"\r\n")?;
        let size = str::from_utf8(&bytes[at..at + line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        at += line + 2;
        let chunk = bytes.get(at..at + size + 2)?;
        body.extend_from_slice(&chunk[..size]);
        at += size + 2;
        if size == 0 {
            return Some((at, body));
        }
    }
}

#[tokio::test]
async fn every_request_has_its_response_in_order() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let answered = Arc::<AtomicUsize>::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    for index in 0..runs(CONNECTIONS, CONNECTIONS_LONG) {
        let client = TcpStream::connect(address).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let server = tokio::spawn(serve(stream, answered.clone()));
        let requests = requests(&mut dice, index % 4 == 0);
        let (paths, texts): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
        let (mut from, to) = client.into_split();
        let received = Arc::<AtomicUsize>::default();
        let sender = tokio::spawn(send(to, dice.split(), texts, received.clone()));
        let mut read = Vec::new();
        for path in &paths {
            let body = response(&mut from, &mut read, &mut dice).await;
            assert!(body == body_of(path), "connection {index}: {path}");
            received.fetch_add(1, Ordering::Relaxed);
        }
        let to = sender.await.unwrap();
        assert!(read.is_empty());
        drop((from, to));
        server.await.unwrap();
    }
    // About half of the requests repeat the one before, and are sent after its response.
    let answered = answered.load(Ordering::Relaxed);
    assert!(
        answered > runs(CONNECTIONS, CONNECTIONS_LONG) * REQUESTS / 10,
        "{answered}"
    );
}
