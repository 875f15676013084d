//! The peer of the top route: an axum handler that returns fixed bytes.
//!
//!     bare_axum --body FILE --etag TEXT [--accept-loop]
//!
//! The same runtime, the same headers, no path parameters, nothing looked up. By default served by
//! `axum::serve`; with `--accept-loop` by hyper as our own server uses it, header timer included.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::routing::get;
use bytes::Bytes;
use clap::Parser;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

#[derive(Parser)]
#[command(about = "An axum handler that returns fixed bytes")]
struct Args {
    /// What to return.
    #[arg(long)]
    body: PathBuf,
    /// Its entity tag.
    #[arg(long)]
    etag: String,
    /// Accept connections as our server does, in place of `axum::serve`.
    #[arg(long)]
    accept_loop: bool,
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
    let handler = move || {
        let headers = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            ),
            (header::ETAG, etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        let answer = (headers, body.clone());
        async { answer }
    };
    let router = Router::new().route("/v1/boards/gifts/live/top", get(handler));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut stdout = io::stdout();
    writeln!(stdout, "listening on http://{}", listener.local_addr()?)?;
    stdout.flush()?;
    if args.accept_loop {
        accept(listener, router).await
    } else {
        axum::serve(listener, router).await
    }
}

/// Connections as our server takes them.
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
            // A client that goes away is how every run ends.
            let _ = connection.await;
        });
    }
}
