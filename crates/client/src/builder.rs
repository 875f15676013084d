//! How a client is made: [`ClientBuilder`].

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
/// From the first byte sent to the last byte of the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Below the time after which servers close a connection that idles (30 s of Megaboard's own).
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(15);
/// The tops of 100 boards are 100,000 entries.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// How a client is made; from [`Client::builder`].
#[derive(Clone)]
#[must_use = "it is no client before it is built"]
pub struct ClientBuilder {
    url: String,
    key: Option<String>,
    timeout: Duration,
    connect_timeout: Duration,
    answer_bytes_max: usize,
    retry: RetryPolicy,
    root_certificates: Vec<Vec<u8>>,
}

impl ClientBuilder {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            key: None,
            timeout: REQUEST_TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            answer_bytes_max: ANSWER_BYTES_MAX,
            retry: RetryPolicy::default(),
            root_certificates: Vec::new(),
        }
    }

    /// The API key, as `megaboard key new` shows it.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How long one attempt may take, from the first byte sent to the last byte of the answer: 1 min
    /// by default. Streams have no such end.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long a connection may take to be made: 10 s by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long an answer may be: 64 MiB by default.
    pub fn answer_bytes_max(mut self, bytes: usize) -> Self {
        self.answer_bytes_max = bytes;
        self
    }

    /// How often and how long to try again.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Trusts these certificates (PEM), beside those of the system.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// The client; an error where the URL, the key or a certificate cannot be used.
    pub fn build(self) -> Result<Client, Error> {
        let url = server_url(&self.url)?;
        let authorization = self.key.as_deref().map(authorization).transpose()?;
        let is_local = is_local(&url);
        let needs_system = url.scheme() == "https" || !is_local;
        let tls = tls::config(needs_system, &self.root_certificates)?;
        let mut http = reqwest::Client::builder()
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTION_MAX)
            .redirect(Policy::none())
            // What may be sent again is decided here, not there.
            .retry(reqwest::retry::never())
            .referer(false)
            .tcp_nodelay(true)
            .http1_only()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("megaboard-client/", env!("CARGO_PKG_VERSION")));
        if is_local {
            // No proxy reaches this machine for us.
            http = http.no_proxy();
        }
        let http = http
            .build()
            .map_err(|error| Error::Unusable(format!("the HTTP client: {}", chain(&error))))?;
        Ok(Client::of(Shared {
            http,
            url: url.as_str().trim_end_matches('/').to_owned(),
            authorization,
            timeout: self.timeout,
            retry: self.retry,
            answer_bytes_max: self.answer_bytes_max,
        }))
    }
}

/// Where a server is: `http` or `https`, a host, and perhaps a path that it lies under.
fn server_url(text: &str) -> Result<Url, Error> {
    // The URL is not repeated where it may hold a password.
    let unusable = |why: &str| Error::Unusable(format!("the server's URL: {why}"));
    let url = Url::parse(text).map_err(|error| unusable(&format!("{text:?}: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable(&format!(
            "{}: is neither http nor https",
            url.scheme()
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable(
            "it takes no user and no password; give the key instead",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(unusable(&format!("{text:?} takes no `?` and no `#`")));
    }
    Ok(url)
}

fn authorization(key: &str) -> Result<HeaderValue, Error> {
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let value = is_key.then(|| HeaderValue::try_from(format!("Bearer {key}")).ok());
    // The key is not repeated.
    let mut value = value.flatten().ok_or_else(|| {
        Error::Unusable("the key: it is empty, or has characters that no key has".to_owned())
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

    fn refusal(builder: ClientBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_server_is_refused_and_no_secret_repeated() {
        for url in [
            "",
            "boards.example",
            "ftp://boards.example",
            "http://",
            "http://a.example/?x=1",
            "http://a.example/#x",
        ] {
            let told = refusal(Client::builder(url));
            assert!(told.starts_with("the server's URL: "), "{told}");
        }
        let told = refusal(Client::builder("http://me:secret@a.example"));
        assert!(!told.contains("secret"), "{told}");
        for key in ["", "mb_sec\nret", "mb sec ret", "mb_secrét"] {
            let told = refusal(Client::builder("http://a.example").key(key));
            assert!(
                told.starts_with("the key: ") && !told.contains("sec"),
                "{told}"
            );
        }
        let pem = refusal(Client::builder("http://localhost").root_certificates("none"));
        assert!(pem.starts_with("root certificate: "), "{pem}");
    }

    #[test]
    fn a_key_is_never_shown() {
        let client = Client::builder("http://localhost:1/boards/").key("mb_secret");
        let client = client.build().unwrap();
        assert_eq!(client.url(), "http://localhost:1/boards");
        assert!(!format!("{client:?}").contains("secret"));
    }

    #[test]
    fn local_servers_are_known() {
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
