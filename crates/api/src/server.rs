//! [`serve`]: serves connections under limits, and stops without losing requests.
//!
//! A stop has steps ([`Stopping`]). HTTP/1.1 has no way to take back a connection: a client may send a request while it
//! is being closed, and cannot know whether that was executed. So the server first drains:
//!
//! 1. `/readyz` is 503, so that proxies send their requests elsewhere. Connections are still accepted, and all requests
//!    are answered. Each response closes its connection (`Connection: close`), which a client knows before it could send
//!    another request. What is idle afterwards has not been used during the whole drain.
//! 2. Clients that connect are ignored for a moment, in which the handshakes and requests of those before them arrive.
//!    Then the listener is closed.
//! 3. Streams end, idle connections are closed, and requests in progress get their responses.
//!
//! `acceptor` serves the connections.

mod acceptor;
mod stopping;

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_server::{Asked, OpenConnections, ServerLimits, refuse_handshakes};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use self::acceptor::Acceptor;
pub use self::stopping::Stopping;
use self::stopping::reached;
use crate::app::App;

/// Connections that the system should accept before the server does.
pub const QUEUED_MAX: u32 = 4096;

/// How much longer than [`ServerLimits::header_timeout`] a stop waits for heads.
const HEAD_STOP_MARGIN: Duration = Duration::from_secs(5);

/// How long streams of lines may go on while the server stops.
const STREAM_STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// How long requests in progress may take while the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// How long clients that connect at the end of a drain have for their requests to arrive.
const LAST_REQUESTS_WAIT: Duration = Duration::from_millis(250);

/// Serves until `stopping` says otherwise, and returns once connections have ended. Fails if some requests were still in
/// progress after half a minute.
///
/// Boxed, so that its callers do not compile the server again.
pub fn serve(
    listener: TcpListener,
    app: Arc<App>,
    limits: ServerLimits,
    stopping: watch::Receiver<Stopping>,
) -> BoxFuture<'static, io::Result<()>> {
    serve_until(listener, app, limits, stopping).boxed()
}

async fn serve_until(
    listener: TcpListener,
    app: Arc<App>,
    limits: ServerLimits,
    stopping: watch::Receiver<Stopping>,
) -> io::Result<()> {
    let mut acceptor = Acceptor::new(app.clone(), limits, listener.local_addr()?);
    let drained = async {
        reached(&stopping, Stopping::Drain).await;
        drain(&app, &listener, limits.drain, &stopping).await;
    };
    acceptor.run_until(&listener, drained).await;
    acceptor.close(listener).await?;
    tracing::info!("stopping: finishing requests in progress");
    app.feeds.close();
    let open = acceptor.end();
    tokio::select! {
        finished = finish(&app, &limits, &open) => finished,
        () = reached(&stopping, Stopping::Close) => {
            tracing::warn!("stopping: closing connections with requests in progress");
            open.end(Asked::Close).await;
            Ok(())
        }
    }
}

/// Has clients leave for this time, while everything is still served. At the end, nobody is connecting.
async fn drain(
    app: &App,
    listener: &TcpListener,
    time: Duration,
    stopping: &watch::Receiver<Stopping>,
) {
    if *stopping.borrow() > Stopping::Drain || time.is_zero() {
        return;
    }
    let seconds = time.as_secs_f64();
    tracing::info!(
        "draining: serving for {seconds} s more, while /readyz is 503 and each response closes its connection"
    );
    app.drain();
    until(time.saturating_sub(LAST_REQUESTS_WAIT), stopping).await;
    match refuse_handshakes(listener) {
        Ok(()) => until(time.min(LAST_REQUESTS_WAIT), stopping).await,
        Err(error) => tracing::debug!(%error, "clients that connect now may be reset"),
    }
}

/// Waits so long, unless requests in progress are to be finished now.
async fn until(time: Duration, stopping: &watch::Receiver<Stopping>) {
    // Elapsed or not, the next step begins.
    let _ = timeout(time, reached(stopping, Stopping::Finish)).await;
}

/// Waits until the requests in progress have responses.
async fn finish(app: &App, limits: &ServerLimits, open: &OpenConnections) -> io::Result<()> {
    // An incomplete head ends only by its own timeout.
    let stop_timeout = STOP_TIMEOUT.max(limits.header_timeout + HEAD_STOP_MARGIN);
    // A stream of lines may have no end: after a while it gets its receipt.
    let end_streams = async {
        sleep(STREAM_STOP_TIMEOUT).await;
        app.stop();
        pending::<()>().await;
    };
    let finished = tokio::select! {
        finished = timeout(stop_timeout, open.end(Asked::Finish)) => finished,
        () = end_streams => Ok(()),
    };
    finished.map_err(|_| {
        let seconds = stop_timeout.as_secs();
        io::Error::other(format!(
            "requests were still under way {seconds} s after the stop"
        ))
    })
}
