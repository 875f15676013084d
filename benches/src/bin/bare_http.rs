//! Fixed bytes from hyper alone, or from a TCP loop, which the top route is compared with.
//!
//!     bare_http --body FILE --etag TEXT (--hyper | --tcp)
//!
//! Both use the runtime of Megaboard, and send the headers of `bare_axum`. `--hyper` serves with the defaults of hyper:
//! no router, no header timer, no graceful stop. `--tcp` reads until an empty line and writes one slice; it parses
//! nothing.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;

use axum::http::{HeaderValue, Request, Response, header};
use bytes::Bytes;
use clap::Parser;
use futures::future::ready;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The size of the read buffer of the TCP loop.
const READ_BYTES: usize = 8 << 10;

/// The end of a head.
const HEAD_END: &[u8] = b"\r\n\r\n";

#[derive(Parser)]
#[command(about = "Fixed bytes from hyper alone, or from a TCP loop")]
struct Args {
    /// File with the bytes to return.
    #[arg(long)]
    body: PathBuf,
    /// Entity tag of the response.
    #[arg(long)]
    etag: String,
    /// Serve with hyper.
    #[arg(long, conflicts_with = "tcp", required_unless_present = "tcp")]
    hyper: bool,
    /// Serve with a loop of reads and writes.
    #[arg(long)]
    tcp: bool,
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
    let listener = benches::listen::announced()?;
    let whole = Bytes::from(whole(&args.etag, &body));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // Each run ends with clients that close their connections, so errors are ignored.
        if args.tcp {
            let whole = whole.clone();
            tokio::spawn(async move {
                let _ = serve_tcp(stream, &whole).await;
            });
        } else {
            let (body, etag) = (body.clone(), etag.clone());
            tokio::spawn(async move {
                let _ = serve_hyper(stream, body, etag).await;
            });
        }
    }
}

async fn serve_hyper(stream: TcpStream, body: Bytes, etag: HeaderValue) -> hyper::Result<()> {
    let service = service_fn(move |_: Request<Incoming>| {
        let mut response = Response::new(Full::new(body.clone()));
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::ETAG, etag.clone());
        let no_cache = HeaderValue::from_static("no-cache");
        headers.insert(header::CACHE_CONTROL, no_cache);
        ready(Ok::<_, Infallible>(response))
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    connection.await
}

async fn serve_tcp(mut stream: TcpStream, response: &[u8]) -> io::Result<()> {
    let mut buffer = [0; READ_BYTES];
    let mut read = 0;
    loop {
        match stream.read(&mut buffer[read..]).await? {
            0 => return Ok(()),
            more => read += more,
        }
        if buffer[..read].ends_with(HEAD_END) {
            read = 0;
            stream.write_all(response).await?;
        }
    }
}

/// Returns a response as hyper sends it.
fn whole(etag: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: {etag}\r\ncache-control: no-cache\r\n\
         content-length: {length}\r\ndate: Fri, 20 Nov 2026 14:52:23 GMT\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}
