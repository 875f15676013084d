//! [`Acceptor`]: accepts connections that have a permit, and serves each in a task of its own.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::mem::replace;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use access::address_for_limits;
use axum::http::{Request, header};
use futures::FutureExt as _;
use futures::future::{Either, ready};
use http_server::{
    Asked, Backpressure, ConnectionPermit, ConnectionPermits, HeadTimer, OpenConnections,
    ReadAhead, ServerLimits, Socket, WriteTimeouts,
};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulConnection;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::QUEUED_MAX;
use crate::app::App;
use crate::feeds::StreamTime;
use crate::gate::{ArrivedRequest, Gate};
use crate::route::Matched;

/// The maximum length of a head, and of one read of a body.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Maximum time for the head of a request on a connection for probes alone.
const SPARE_HEADER_TIMEOUT: Duration = Duration::from_secs(1);

/// How long there may be no free permit before waiting connections are accepted for probes alone, or closed.
const CONNECTION_WAIT: Duration = Duration::from_secs(1);

/// How long a write waits for a client that does not read.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after `accept` failed, mostly for lack of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections under limits.
pub(super) struct Acceptor {
    app: Arc<App>,
    limits: ServerLimits,
    gate: Arc<Gate>,
    timeouts: Arc<WriteTimeouts>,
    permits: ConnectionPermits,
    open: OpenConnections,
}

impl Acceptor {
    /// Creates the acceptor of a service that listens on this address.
    pub(super) fn new(app: Arc<App>, limits: ServerLimits, address: SocketAddr) -> Self {
        let is_local = address.ip().to_canonical().is_loopback();
        let timeouts = WriteTimeouts::new(
            WRITE_TIMEOUT,
            app.memory.streams.clone(),
            app.metrics.connections.hang_ups.clone(),
        );
        Self {
            gate: Arc::new(Gate::new(app.clone(), &limits, is_local)),
            timeouts: Arc::new(timeouts),
            permits: ConnectionPermits::new(
                limits.connections_max,
                limits.connections_per_address_max,
                CONNECTION_WAIT,
            ),
            open: OpenConnections::default(),
            app,
            limits,
        }
    }

    /// Serves connections until then. Whatever was accepted is served.
    pub(super) async fn run_until(
        &mut self,
        listener: &TcpListener,
        end: impl Future<Output = ()>,
    ) {
        let mut end = pin!(end);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut end => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.admit(stream, peer).await,
                Err(error) => {
                    tracing::warn!(%error, "no connection could be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Closes the listener. Connections that it has accepted for us are served: their clients may have sent requests.
    pub(super) async fn close(&mut self, listener: TcpListener) -> io::Result<()> {
        let listener = listener.into_std()?;
        for _ in 0..QUEUED_MAX {
            let Ok((stream, peer)) = listener.accept() else {
                break;
            };
            stream.set_nonblocking(true)?;
            self.admit(TcpStream::from_std(stream)?, peer).await;
        }
        Ok(())
    }

    /// Ends the connections, and returns them.
    pub(super) fn end(self) -> OpenConnections {
        self.timeouts.stop();
        self.open
    }

    /// Serves a connection once it has a permit. Without one it is closed.
    async fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        let address = peer.ip().to_canonical();
        // Connections of a proxy do not count for its address: its clients count by their requests.
        let counted = (!self.app.access.is_proxy(address)).then(|| address_for_limits(address));
        let permit = self.permits.permit(counted).await;
        if permit.as_ref().is_none_or(ConnectionPermit::is_spare) {
            self.app.metrics.connections.refused.inc();
        }
        if let Some(permit) = permit {
            self.serve(stream, peer.ip(), permit);
        }
    }

    fn serve(&self, stream: TcpStream, peer: IpAddr, permit: ConnectionPermit) {
        // Responses are written whole: waiting to fill a packet would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection ended as it was accepted");
            return;
        }
        let (app, gate) = (self.app.clone(), self.gate.clone());
        let flow = Arc::new(Backpressure::default());
        let ahead = Arc::new(ReadAhead::new(&app.memory.read_ahead));
        let permit = Arc::new(permit);
        let is_spare = permit.is_spare();
        let header_timeout = header_timeout(&self.limits, is_spare);
        let head_timer = HeadTimer::default();
        let socket = Socket::new(stream, flow.clone(), ahead.clone(), self.timeouts.clone());
        let (of_service, of_connection) = (permit.clone(), flow.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            // A client that does not read its responses gets no further ones.
            let may_repeat = !is_spare && flow.blocked_since().is_none();
            if may_repeat && let Some(response) = gate.repeat(peer, &request) {
                ahead.head_answered();
                return Either::Left(ready(Ok::<_, Infallible>(response)));
            }
            // A connection without a probe may be closed for one, even while its unread body is read.
            let matched = Matched::of(request.method(), request.uri().path());
            if matched.is_for_spare() {
                of_service.head_arrived();
            }
            // Now: bytes that are read from now on are not part of the head.
            let mut reading = ahead.begin();
            let (gate, flow) = (gate.clone(), flow.clone());
            let arrived = Box::new(ArrivedRequest {
                request,
                matched,
                peer,
                is_spare,
            });
            let answered = async move {
                let response = gate.answer_arrived(arrived, &flow).await;
                if response.headers().contains_key(header::CONNECTION) {
                    reading.is_last();
                }
                Ok(response)
            };
            // Boxed, so that the connection moves few bytes for a repeated read.
            Either::Right(answered.boxed())
        });
        let connection = http(head_timer, header_timeout);
        let connection = connection.serve_connection(TokioIo::new(socket), service);
        let open = self.open.add(&of_connection);
        let open = (open, app.metrics.connections.open());
        tokio::spawn(async move {
            let connections = &app.metrics.connections;
            let connection = pin!(connection);
            tokio::select! {
                biased;
                ended = until_asked(connection, &of_connection, &app.feeds.time) => match ended {
                    Some(Ok(())) => {}
                    Some(Err(error)) => {
                        connections.count_ended_early(&error);
                        tracing::debug!(%error, "a connection ended early");
                    }
                    None => {
                        connections.hang_ups.inc();
                    }
                },
                () = permit.withdrawn() => connections.count_displaced(),
            }
            drop((permit, open));
        });
    }
}

/// Returns the settings of a connection.
fn http(head_timer: HeadTimer, header_timeout: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(head_timer)
        .header_read_timeout(header_timeout)
        .max_buf_size(HEAD_BYTES_MAX)
        // The buffer limit alone would accept a longer head that arrives in one read.
        .max_header_size(HEAD_BYTES_MAX);
    http
}

/// Returns the maximum time for the head of a request.
fn header_timeout(limits: &ServerLimits, is_spare: bool) -> Duration {
    if is_spare {
        limits.header_timeout.min(SPARE_HEADER_TIMEOUT)
    } else {
        limits.header_timeout
    }
}

/// Serves a connection until it ends, also as it is asked to; `None` if it has to be closed.
///
/// Unlike futures that are selected, what is asked costs one atomic operation in each poll.
async fn until_asked<C: GracefulConnection>(
    mut connection: Pin<&mut C>,
    flow: &Backpressure,
    stream_time: &StreamTime,
) -> Option<C::Output> {
    let mut is_finishing = false;
    poll_fn(|context| {
        match flow.poll_asked(context) {
            Asked::Nothing => {}
            Asked::Finish => {
                if !replace(&mut is_finishing, true) {
                    // A request that has arrived is answered: an idle connection is closed at once.
                    if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                        return Poll::Ready(Some(ended));
                    }
                    connection.as_mut().graceful_shutdown();
                }
            }
            Asked::Close => return Poll::Ready(None),
        }
        let polled = if flow.is_stream() {
            stream_time.measured(|| connection.as_mut().poll(context))
        } else {
            connection.as_mut().poll(context)
        };
        polled.map(Some)
    })
    .await
}
