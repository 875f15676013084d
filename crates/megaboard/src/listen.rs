//! Where the server listens: [`Listen`].

use std::io;
use std::net::SocketAddr;

use problem::shortened;
use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// Where the server listens unless it is configured.
const DEFAULT: &str = "127.0.0.1:8080";

/// Connections that the system accepts before the server does; it may have a lower limit (`net.core.somaxconn`). It
/// drops the first packet of further ones, which their clients send again a second later. The default of the runtime is
/// 128: a thousand clients that connect at once would take seconds.
const WAITING_MAX: u32 = 4096;

/// A host and a port, and the setting that has them.
#[derive(Debug)]
pub(crate) struct Listen<'a> {
    setting: &'static str,
    address: &'a str,
}

/// Why the server cannot listen on an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error(
        "{setting}: {address:?} is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080; port 0 picks a free one"
    )]
    Malformed {
        setting: &'static str,
        address: String,
    },
    #[error("{setting}: {address:?}: {error}")]
    Unusable {
        setting: &'static str,
        address: String,
        error: io::Error,
    },
}

impl<'a> Listen<'a> {
    /// Returns the address of the command line or the environment, otherwise that of the file, otherwise the default.
    pub(crate) fn chosen(
        argument: Option<&'a str>,
        of_file: Option<&'a str>,
    ) -> Result<Self, ListenError> {
        let argument = argument.map(|address| ("--listen (MEGABOARD_LISTEN)", address));
        let of_file = of_file.map(|address| ("server.listen", address));
        let (setting, address) = argument.or(of_file).unwrap_or(("server.listen", DEFAULT));
        if !is_host_and_port(address) {
            let address = shortened(address);
            return Err(ListenError::Malformed { setting, address });
        }
        Ok(Self { setting, address })
    }

    /// Returns host and port as they are configured.
    pub(crate) const fn address(&self) -> &'a str {
        self.address
    }

    /// Binds the address. A name is resolved.
    pub(crate) async fn bind(&self) -> Result<TcpListener, ListenError> {
        let bound = bind(self.address).await;
        bound.map_err(|error| ListenError::Unusable {
            setting: self.setting,
            address: shortened(self.address),
            error,
        })
    }
}

/// Binds the first address of a host that can be bound.
async fn bind(address: &str) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "the host has no address");
    for address in lookup_host(address).await? {
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // As `TcpListener::bind`: a restart need not wait for the connections of the last process.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING_MAX)
}

/// Returns whether the text can be an address. Whether a name exists is not checked.
fn is_host_and_port(address: &str) -> bool {
    let is_named = || {
        address.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && host.trim() == host && port.parse::<u16>().is_ok()
        })
    };
    address.parse::<SocketAddr>().is_ok() || is_named()
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    /// Nothing accepts them.
    #[tokio::test]
    async fn many_clients_may_connect_at_once() {
        const CLIENTS: usize = 1_000;
        let of_system = std::fs::read_to_string("/proc/sys/net/core/somaxconn");
        let of_system = of_system.ok().and_then(|text| text.trim().parse().ok());
        let clients = CLIENTS.min(of_system.unwrap_or(0));
        let listen = Listen::chosen(None, Some("127.0.0.1:0")).unwrap();
        let listener = listen.bind().await.unwrap();
        let address = listener.local_addr().unwrap();
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(5));
        let connected: Vec<_> = (0..clients).map(connect).map(Result::unwrap).collect();
        assert_eq!(connected.len(), clients);
    }

    #[test]
    fn an_error_of_the_address_names_the_setting() {
        for right in ["127.0.0.1:0", "[::1]:8080", "localhost:80", "0.0.0.0:65535"] {
            assert_eq!(Listen::chosen(None, Some(right)).unwrap().address(), right);
        }
        for wrong in [
            "",
            "8080",
            ":8080",
            "localhost",
            "localhost:",
            "localhost:http",
            "localhost:65536",
            " :80",
            "[::1]",
            "http://localhost",
        ] {
            let error = Listen::chosen(None, Some(wrong)).unwrap_err().to_string();
            let start = format!("server.listen: {wrong:?} is not HOST:PORT");
            assert!(error.starts_with(&start), "{error}");
        }
        let error = Listen::chosen(Some(""), Some("localhost:80")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("--listen (MEGABOARD_LISTEN): \"\" is")
        );
        let long = Listen::chosen(Some(&"a".repeat(10_000)), None).unwrap_err();
        assert!(long.to_string().chars().count() < 400, "{long}");
        assert_eq!(Listen::chosen(None, None).unwrap().address(), DEFAULT);
    }
}
