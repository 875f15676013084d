//! Configuring and building a client: [`Client::builder`], [`ClientBuilder`].

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;

use crate::client::{Client, Shared};
use crate::error::{Error, chain};
use crate::retry::RetryPolicy;
use crate::tls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first byte sent to the last byte of the response.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Shorter than the idle timeout of servers (30 s in Megaboard), so that no request meets a connection being closed.
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(15);
/// The tops of 100 boards are 100,000 entries.
const RESPONSE_BYTES_MAX: usize = 64 << 20;

/// Configures a [`Client`]; returned by [`Client::builder`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    url: String,
    key: Option<String>,
    timeout: Duration,
    connect_timeout: Duration,
    response_bytes_max: usize,
    retry: RetryPolicy,
    root_certificates: Vec<Vec<u8>>,
}

impl Client {
    /// Creates a client of the server at this URL, with the default settings.
    pub fn new(url: impl Into<String>) -> Result<Self, Error> {
        Self::builder(url).build()
    }

    /// Configures a client of the server at this URL, `http` or `https`. Proxies are read from the
    /// environment (`HTTPS_PROXY` and similar), except for servers on the same machine. Redirects are
    /// not followed, so that the key is sent to this server only.
    pub fn builder(url: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            url: url.into(),
            key: None,
            timeout: REQUEST_TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            response_bytes_max: RESPONSE_BYTES_MAX,
            retry: RetryPolicy::default(),
            root_certificates: Vec::new(),
        }
    }
}

impl ClientBuilder {
    /// Sets the API key, as printed by `megaboard key new`.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the timeout of one attempt, from the first byte sent to the last byte of the response: 1 min
    /// by default. It does not limit streams.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the timeout of a connection attempt: 10 s by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the maximum size of a response: 64 MiB by default.
    pub fn response_bytes_max(mut self, bytes: usize) -> Self {
        self.response_bytes_max = bytes;
        self
    }

    /// Sets how often and how long failed requests are retried.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Trusts these certificates (PEM) in addition to those of the system.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Builds the client. Returns an error if the URL, the key or a certificate is invalid.
    pub fn build(self) -> Result<Client, Error> {
        let url = server_url(&self.url)
            .map_err(|why| Error::Unusable(format!("the server's URL: {why}")))?;
        let authorization = self.key.as_deref().map(authorization).transpose()?;
        let is_local = is_local(&url);
        let needs_system = url.scheme() == "https" || !is_local;
        let tls = tls::config(needs_system, &self.root_certificates)?;
        let mut http = reqwest::Client::builder()
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTION_MAX)
            .redirect(Policy::none())
            // This crate decides what may be retried.
            .retry(reqwest::retry::never())
            .referer(false)
            .tcp_nodelay(true)
            .http1_only()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("megaboard-client/", env!("CARGO_PKG_VERSION")));
        if is_local {
            // A proxy cannot reach this machine's loopback addresses.
            http = http.no_proxy();
        }
        let http = http
            .build()
            .map_err(|error| Error::Unusable(format!("the HTTP client: {}", chain(&error))))?;
        Ok(Client::of(Shared {
            http,
            url,
            authorization,
            timeout: self.timeout,
            retry: self.retry,
            response_bytes_max: self.response_bytes_max,
        }))
    }
}

/// Parses the URL of a server: `http` or `https`, a host, and optionally a base path. The error does not repeat the
/// text, which may contain a password.
pub fn server_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it must look like http://HOST:PORT or https://HOST".to_owned());
    }
    if text.contains(['?', '#', '@']) {
        return Err("it must not have a query, a fragment or a user name".to_owned());
    }
    Ok(url)
}

fn authorization(key: &str) -> Result<HeaderValue, Error> {
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let value = is_key.then(|| HeaderValue::try_from(format!("Bearer {key}")).ok());
    // The error does not repeat the key.
    let mut value = value.flatten().ok_or_else(|| {
        Error::Unusable("the key: it is empty, or has invalid characters".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_error(builder: ClientBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn invalid_settings_are_refused_without_repeating_secrets() {
        for url in [
            "",
            "boards.example",
            "ftp://boards.example",
            "http://",
            "http://a.example/?x=1",
            "http://a.example/#x",
        ] {
            let error = build_error(Client::builder(url));
            assert!(error.starts_with("the server's URL: "), "{error}");
        }
        let error = build_error(Client::builder("http://me:secret@a.example"));
        assert!(!error.contains("secret"), "{error}");
        for key in ["", "mb_sec\nret", "mb sec ret", "mb_secrét"] {
            let error = build_error(Client::builder("http://a.example").key(key));
            assert!(
                error.starts_with("the key: ") && !error.contains("sec"),
                "{error}"
            );
        }
        let error = build_error(Client::builder("http://localhost").root_certificates("none"));
        assert!(error.starts_with("root certificate: "), "{error}");
    }

    #[test]
    fn debug_output_does_not_contain_the_key() {
        let client = Client::builder("http://localhost:1/boards/").key("mb_secret");
        let client = client.build().unwrap();
        assert_eq!(client.url(), "http://localhost:1/boards");
        assert!(!format!("{client:?}").contains("secret"));
    }

    #[test]
    fn loopback_addresses_are_local() {
        for (url, local) in [
            ("http://127.0.0.1:1", true),
            ("http://localhost", true),
            ("http://[::1]:8080", true),
            ("https://boards.example", false),
        ] {
            assert_eq!(is_local(&Url::parse(url).unwrap()), local, "{url}");
        }
    }
}
