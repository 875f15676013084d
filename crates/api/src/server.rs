//! The accept loop: connections under limits, and an end that loses nothing.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use access::address_for_limits;
use axum::http::{Request, header};
use connection::{
    BODIES_BYTES_MAX, BODY_BYTES_MAX, ConnectionPermit, ConnectionPermits, Flow, HEAD_BYTES_MAX,
    READ_AHEAD_BYTES_MAX, RECEIPT_BYTES_MAX, RESPONSE_BYTES_MAX, ReadAhead, STREAM_BYTES_MAX,
    Socket, WriteTimeouts,
};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::gate::Gate;
use crate::observed::ObservedRequest;
use crate::route::Matched;
use crate::unread_body;

/// Limits of the accept loop.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Connections open at once; further ones wait for a permit.
    pub connections_max: usize,
    /// Of them those of one address that is no trusted proxy.
    pub connections_per_address_max: usize,
    /// Event streams of one address that are open at once.
    pub streams_per_address_max: usize,
    /// How long none may be free before connections that wait for one are kept for probes alone, or ended.
    pub connection_wait: Duration,
    /// Requests under way at once; further ones are refused.
    pub requests_max: usize,
    /// Bytes of a JSON body.
    pub body_bytes_max: usize,
    /// Bytes of all bodies that are held at once: JSON, what is parsed of it, and lines that are not complete.
    pub bodies_bytes_max: usize,
    /// Bytes of all long heads, and of what connections have read that no request has taken.
    pub read_ahead_bytes_max: usize,
    /// Bytes of details of all contributions that receipts list as not applied.
    pub receipt_bytes_max: usize,
    /// Bytes of the events of all streams.
    pub stream_bytes_max: usize,
    /// Bytes of all large answers that clients have not taken yet. Reads leave a quarter of it to writes.
    pub answer_bytes_max: usize,
    /// Of them those of one address; by default a quarter.
    pub answer_bytes_per_address_max: Option<usize>,
    /// How long a connection may take to send the head of a request; idle ones end then, too.
    pub header_timeout: Duration,
    /// How long a write may wait for a client that takes nothing.
    pub write_timeout: Duration,
    /// How long streams of lines may go on once the server stops.
    pub stream_timeout: Duration,
    /// How long requests under way may take once the server stops.
    pub stop_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections_max: 16_384,
            connections_per_address_max: 4_096,
            streams_per_address_max: 4_096,
            connection_wait: Duration::from_secs(1),
            requests_max: 8_192,
            body_bytes_max: BODY_BYTES_MAX,
            bodies_bytes_max: BODIES_BYTES_MAX,
            read_ahead_bytes_max: READ_AHEAD_BYTES_MAX,
            receipt_bytes_max: RECEIPT_BYTES_MAX,
            stream_bytes_max: STREAM_BYTES_MAX,
            answer_bytes_max: RESPONSE_BYTES_MAX,
            answer_bytes_per_address_max: None,
            header_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            stream_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(30),
        }
    }
}

/// Bytes that are read at once: a whole head, or a piece of a body.
const READ_BUFFER_BYTES: usize = HEAD_BYTES_MAX;

/// What a stop waits for heads longer than they may take.
const HEAD_STOP_MARGIN: Duration = Duration::from_secs(5);

/// How long a connection that is for probes alone may take to send the head of a request.
const SPARE_HEADER_TIMEOUT: Duration = Duration::from_secs(1);

/// Pause after the system had no more connections to give, file handles mostly.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop` is ready; then takes no more requests, finishes those under way, and returns.
/// An error says that some were still under way when the time to stop was over.
///
/// Boxed, so that its callers do not compile the server again.
pub fn serve(
    listener: TcpListener,
    app: Arc<App>,
    limits: ServerLimits,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, io::Result<()>> {
    serve_until(listener, app, limits, stop).boxed()
}

async fn serve_until(
    listener: TcpListener,
    app: Arc<App>,
    limits: ServerLimits,
    mut stop: BoxFuture<'static, ()>,
) -> io::Result<()> {
    let gate = Arc::new(Gate::new(
        app.clone(),
        &limits,
        listener.local_addr()?.ip().to_canonical().is_loopback(),
    ));
    let timeouts = Arc::new(WriteTimeouts::new(
        limits.write_timeout,
        app.pools.streams.clone(),
        app.metrics.connections.hang_ups.clone(),
    ));
    let graceful = GracefulShutdown::new();
    let mut permits = ConnectionPermits::new(
        limits.connections_max,
        limits.connections_per_address_max,
        limits.connection_wait,
    );
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &mut permits, &app) => accepted,
        };
        let (stream, peer, permit) = accepted;
        // Answers are written whole: waiting to fill a packet only delays them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection ended as it was accepted");
            continue;
        }
        let gate = gate.clone();
        let flow = Arc::new(Flow::default());
        let ahead = Arc::new(ReadAhead::new(&app.pools.read_ahead));
        let socket = Socket::new(stream, flow.clone(), ahead.clone(), timeouts.clone());
        let permit = Arc::new(permit);
        let is_spare = permit.is_spare();
        let header_timeout = if is_spare {
            limits.header_timeout.min(SPARE_HEADER_TIMEOUT)
        } else {
            limits.header_timeout
        };
        let (of_service, of_connection) = (permit.clone(), flow.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            // What is no probe makes way for one, also while what is left of its body is read.
            let matched = Matched::of(request.uri().path());
            if unread_body::is_for_spare(&matched) {
                of_service.head_arrived();
            }
            let (gate, flow) = (gate.clone(), flow.clone());
            // At once: what is read from now on is no head.
            let mut reading = ahead.begin();
            async move {
                // A client that does not take its answers is given no further ones.
                flow.freed().await;
                let observed = ObservedRequest::new(&request, &matched, peer, &gate);
                let answer = unread_body::answer(&gate, peer, request, &matched, &flow, is_spare);
                let answer = pin!(answer);
                let response = observed.answered(answer).await;
                if response.headers().contains_key(header::CONNECTION) {
                    reading.is_last();
                }
                drop(reading);
                Ok::<_, Infallible>(response)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_timeout)
            .max_buf_size(READ_BUFFER_BYTES)
            // The buffer alone would let a longer head pass that comes whole with one read.
            .max_header_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(socket), service);
        let connection = graceful.watch(connection);
        let (app, open) = (app.clone(), app.metrics.connections.open());
        tokio::spawn(async move {
            let early_ends = &app.metrics.connections.early_ends;
            tokio::select! {
                ended = connection => if let Err(error) = ended {
                    early_ends.count(&error);
                    tracing::debug!(%error, "a connection ended early");
                },
                () = permit.withdrawn() => early_ends.count_displaced(),
                () = of_connection.displaced() => {
                    app.metrics.connections.hang_ups.inc();
                }
            }
            drop((permit, open));
        });
    }
    drop(listener);
    app.feeds.close();
    timeouts.stop();
    finish(&app, &limits, graceful).await
}

/// Waits until what is under way has been answered.
async fn finish(app: &App, limits: &ServerLimits, graceful: GracefulShutdown) -> io::Result<()> {
    // Half a head ends only when its own time is over.
    let stop_timeout = limits
        .stop_timeout
        .max(limits.header_timeout + HEAD_STOP_MARGIN);
    // A stream of lines may have no end: it is given time for one, then it gets its receipt.
    let end_streams = async {
        sleep(limits.stream_timeout).await;
        app.stop();
        std::future::pending::<()>().await;
    };
    let finished = tokio::select! {
        finished = timeout(stop_timeout, graceful.shutdown()) => finished,
        () = end_streams => Ok(()),
    };
    finished.map_err(|_| {
        let seconds = stop_timeout.as_secs();
        io::Error::other(format!(
            "requests were still under way {seconds} s after the stop"
        ))
    })
}

/// Returns the next connection that there is a permit for.
async fn accept(
    listener: &TcpListener,
    permits: &mut ConnectionPermits,
    app: &App,
) -> (TcpStream, IpAddr, ConnectionPermit) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let address = peer.ip().to_canonical();
                // Clients behind a proxy are counted by their requests, not by the connection.
                let counted = (!app.access.is_proxy(address)).then(|| address_for_limits(address));
                let permit = permits.permit(counted).await;
                if permit.as_ref().is_none_or(ConnectionPermit::is_spare) {
                    app.metrics.connections.refused.inc();
                }
                // Without a permit it ends here.
                if let Some(permit) = permit {
                    return (stream, peer.ip(), permit);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
