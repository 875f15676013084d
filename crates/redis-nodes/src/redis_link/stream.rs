//! The stream of a connection: [`connect`], over TCP or TLS.

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::redis_link::address::Address;
use crate::redis_link::tls::Tls;

/// A stream of bytes in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to an address.
pub(crate) async fn connect(
    address: &Address,
    tls: Option<&Tls>,
) -> Result<Box<dyn Stream>, String> {
    let tcp = TcpStream::connect((address.host.as_str(), address.port)).await;
    let tcp = tcp.map_err(|error| message(&error))?;
    tcp.set_nodelay(true).map_err(|error| message(&error))?;
    let Some(tls) = tls else {
        return Ok(Box::new(tcp));
    };
    let name = ServerName::try_from(address.host.clone()).map_err(|error| error.to_string())?;
    let connected = TlsConnector::from(tls.0.clone()).connect(name, tcp).await;
    let stream = connected.map_err(|error| message(&error))?;
    Ok(Box::new(stream))
}

/// Returns the message of an error without the number of the system's error.
pub(crate) fn message(error: &std::io::Error) -> String {
    let text = error.to_string();
    if text.contains("InvalidContentType") {
        return "the server at this address does not use TLS: write redis instead of rediss"
            .to_owned();
    }
    let number = text.find(" (os error ");
    number
        .map_or(text.as_str(), |number| &text[..number])
        .to_owned()
}
