//! An axum handler that returns fixed bytes, which the top route is compared with.
//!
//!     bare_axum --body FILE --etag TEXT [--accept-loop] [--every-ms N]
//!
//! It uses the same runtime and headers as Megaboard, without path parameters and lookups. By default it is served by
//! `axum::serve`; with `--accept-loop` by hyper as Megaboard uses it, including the header timer. With `--every-ms`
//! there is also a stream that sends the bytes repeatedly.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use clap::Parser;
use futures::StreamExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::interval;
use tokio_stream::wrappers::WatchStream;
use tower::ServiceExt as _;

#[derive(Parser)]
#[command(about = "An axum handler that returns fixed bytes")]
struct Args {
    /// File with the bytes to return.
    #[arg(long)]
    body: PathBuf,
    /// Entity tag of the response.
    #[arg(long)]
    etag: String,
    /// Accept connections as Megaboard does, instead of by `axum::serve`.
    #[arg(long)]
    accept_loop: bool,
    /// Also stream the bytes, at this interval in milliseconds.
    #[arg(long)]
    every_ms: Option<u64>,
}

fn main() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run(Args::parse()))
}

async fn run(args: Args) -> io::Result<()> {
    let body = Bytes::from(std::fs::read(&args.body)?);
    let etag = HeaderValue::from_str(&args.etag).map_err(io::Error::other)?;
    let frames = body.clone();
    let handler = move || {
        let headers = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            ),
            (header::ETAG, etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        let response = (headers, body.clone());
        async { response }
    };
    let router = Router::new().route("/v1/boards/gifts/live/top", get(handler));
    let router = match args.every_ms {
        None => router,
        Some(ms) => router.route("/v1/boards/gifts/live/stream", streamed(frames, ms)),
    };
    let listener = benches::listen::announced()?;
    if args.accept_loop {
        accept(listener, router).await
    } else {
        axum::serve(listener, router).await
    }
}

/// Returns a handler of streams. One task sends to all of them.
fn streamed(frame: Bytes, every_ms: u64) -> MethodRouter {
    let frames = watch::Sender::new(frame.clone());
    let receivers = frames.clone();
    tokio::spawn(async move {
        let mut ticks = interval(Duration::from_millis(every_ms));
        loop {
            ticks.tick().await;
            frames.send_replace(frame.clone());
        }
    });
    get(move || {
        let frames = WatchStream::new(receivers.subscribe());
        let body = Body::from_stream(frames.map(Ok::<_, Infallible>));
        async { ([(header::CONTENT_TYPE, "text/event-stream")], body) }
    })
}

/// Accepts connections as Megaboard does.
async fn accept(listener: TcpListener, router: Router) -> io::Result<()> {
    const HEADER_TIMEOUT: Duration = Duration::from_secs(75);
    const READ_BUFFER_BYTES: usize = 64 << 10;
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = router
            .clone()
            .map_request(|request: Request<Incoming>| request.map(Body::new));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(READ_BUFFER_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Each run ends with clients that close their connections.
            let _ = connection.await;
        });
    }
}
