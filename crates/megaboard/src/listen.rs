//! Where the server listens: [`Listen`].

use std::borrow::Cow;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use api::QUEUED_MAX;
use tokio::net::{TcpListener, TcpSocket, lookup_host};
use wire::problem::shown;

/// Where the server listens unless it is configured.
const DEFAULT: &str = "127.0.0.1:8080";

/// A host and a port, and the setting that has them.
#[derive(Debug)]
pub(crate) struct Listen<'a> {
    setting: &'static str,
    address: Cow<'a, str>,
}

impl<'a> Listen<'a> {
    /// Returns the address of the command line or the environment, otherwise that of the file, otherwise the default.
    /// A port alone is one of this machine's loopback address.
    pub(crate) fn chosen(
        argument: Option<&'a str>,
        of_file: Option<&'a str>,
    ) -> Result<Self, String> {
        let argument = argument.map(|address| ("--listen (MEGABOARD_LISTEN)", address));
        let of_file = of_file.map(|address| ("server.listen", address));
        let (setting, address) = argument.or(of_file).unwrap_or(("server.listen", DEFAULT));
        if !is_address(address) {
            let address = shown(address);
            return Err(format!(
                "{setting}: {address:?} is not an address: write PORT or HOST:PORT, such as 8080 (this machine only), \
                 0.0.0.0:8080 (all addresses of this machine) or [::1]:8080; port 0 picks a free one"
            ));
        }
        let address = match address.parse::<u16>() {
            Ok(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST).into(),
            Err(_) => address.into(),
        };
        Ok(Self { setting, address })
    }

    /// Returns host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Binds the address. A name is resolved.
    pub(crate) async fn bind(&self) -> Result<TcpListener, String> {
        let bound = bind(&self.address).await;
        bound.map_err(|error| {
            let (setting, address) = (self.setting, shown(&*self.address));
            format!(
                "{setting}: cannot listen on {address:?}: {}",
                explained(&error)
            )
        })
    }
}

/// Binds the first address of a host that can be bound.
async fn bind(address: &str) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    let addresses = lookup_host(address).await;
    for address in addresses.map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))? {
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
    // The system may have a lower limit (`net.core.somaxconn`). It drops the first packet of further connections, which
    // their clients send again a second later. The default of the runtime is 128: a thousand clients that connect at
    // once would take seconds.
    socket.listen(QUEUED_MAX)
}

/// Describes an error, and what to do about it.
fn explained(error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens there: stop it, or choose another port, such as --listen 8081"
        }
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 require privileges: choose another port, such as --listen 8080"
        }
        io::ErrorKind::AddrNotAvailable => {
            "this machine does not have that address: 0.0.0.0 stands for all that it has"
        }
        io::ErrorKind::NotFound => {
            return format!("the host cannot be resolved: {error}");
        }
        _ => return error.to_string(),
    };
    advice.to_owned()
}

/// Returns whether the text can be a port or an address. Whether a name exists is not checked.
fn is_address(text: &str) -> bool {
    let is_host = |host: &str| !host.is_empty() && host.trim() == host && !host.contains('/');
    let is_named = || {
        let parts = text.rsplit_once(':');
        parts.is_some_and(|(host, port)| is_host(host) && is_port(port))
    };
    is_port(text) || text.parse::<SocketAddr>().is_ok() || is_named()
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
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
            "65536",
            ":8080",
            "localhost",
            "localhost:",
            "localhost:http",
            "localhost:65536",
            " :80",
            "[::1]",
            "http://localhost",
            "http://localhost:80",
        ] {
            let error = Listen::chosen(None, Some(wrong)).unwrap_err();
            let start = format!("server.listen: {wrong:?} is not an address: ");
            assert!(error.starts_with(&start), "{error}");
        }
        let error = Listen::chosen(Some(""), Some("localhost:80")).unwrap_err();
        assert!(error.starts_with("--listen (MEGABOARD_LISTEN): \"\" is"));
        let long = Listen::chosen(Some(&"a".repeat(10_000)), None).unwrap_err();
        assert!(long.chars().count() < 400, "{long}");
        assert_eq!(Listen::chosen(None, None).unwrap().address(), DEFAULT);
    }

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for (port, address) in [("8080", "127.0.0.1:8080"), ("0", "127.0.0.1:0")] {
            let listen = Listen::chosen(Some(port), None).unwrap();
            assert_eq!(listen.address(), address);
        }
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_used_is_explained() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port().to_string();
        for (address, advice) in [
            (&*port, "another program listens there"),
            ("192.0.2.1:8080", "this machine does not have that address"),
            ("nowhere.invalid:80", "the host cannot be resolved"),
        ] {
            let listen = Listen::chosen(Some(address), None).unwrap();
            let error = listen.bind().await.unwrap_err();
            assert!(
                error.starts_with("--listen (MEGABOARD_LISTEN): cannot listen on"),
                "{error}"
            );
            assert!(error.contains(advice), "{error}");
        }
    }
}
