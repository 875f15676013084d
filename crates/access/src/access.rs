//! What requests are checked against: [`Access`].

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use axum::http::{HeaderMap, Request};
use board::Timestamp;
use metering::Counter;
use problem::{Problem, ProblemType, shortened};
use tower_http::cors::CorsLayer;

use crate::caller::Caller;
use crate::client::Proxies;
use crate::cors;
use crate::hosts::{self, BadHost, Hosts};
use crate::key::{KeyError, KeySettings};
use crate::keys::Keys;
use crate::rate::{Budgets, Guesses, RateSettings};
use crate::settings::{AccessError, AccessSettings};
use crate::token::Tokens;

/// The settings of access, checked. The keys may change while the server runs.
#[derive(Debug)]
pub struct Access {
    keys: ArcSwap<Keys>,
    metrics_open: bool,
    tokens: Tokens,
    /// How much a key may ask that says nothing of its own.
    key_rate: RateSettings,
    addresses: Option<Budgets>,
    guesses: Guesses,
    proxies: Proxies,
    /// Of whose `traceparent` is believed that it is sampled, beside the proxies.
    traced: Proxies,
    hosts: Hosts,
    cors: Option<CorsLayer>,
}

impl Access {
    /// Checks the settings.
    pub fn new(settings: &AccessSettings) -> Result<Self, AccessError> {
        let tokens = match &settings.token_secret {
            None => Tokens::drawn()?,
            Some(secret) => Tokens::under(secret.bytes()).ok_or(AccessError::TokenSecret)?,
        };
        let burst_alone = |section| move |_| AccessError::BurstAlone(section);
        let of_keys = settings.key_rate.quota();
        of_keys.map_err(burst_alone("limits"))?;
        let of_addresses = settings.address_rate.quota();
        let of_addresses = of_addresses.map_err(burst_alone("limits.address"))?;
        Ok(Self {
            keys: ArcSwap::from_pointee(Keys::new(
                &settings.keys,
                settings.key_rate,
                &Keys::default(),
            )?),
            metrics_open: settings.metrics_open,
            tokens,
            key_rate: settings.key_rate,
            addresses: of_addresses.map(Budgets::new),
            guesses: Guesses::default(),
            proxies: Proxies::new(&settings.trusted_proxies)
                .map_err(|text| AccessError::Proxy(shown(&text)))?,
            traced: Proxies::new(&settings.trusted_tracers)
                .map_err(|text| AccessError::Tracer(shown(&text)))?,
            hosts: Hosts::new(&settings.hosts).map_err(|text| AccessError::Host(shown(&text)))?,
            cors: cors::layer(&settings.cors_origins)
                .map_err(|text| AccessError::Origin(shown(&text)))?,
        })
    }

    /// Whether a key is asked for.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        !self.keys.load().is_empty()
    }

    /// Replaces all keys; those that stay keep what they have spent. An error leaves all as they are.
    pub fn set_keys(&self, keys: &[KeySettings]) -> Result<(), KeyError> {
        let keys = Keys::new(keys, self.key_rate, &self.keys.load())?;
        self.keys.store(keys.into());
        Ok(())
    }

    /// Whether this peer is a trusted proxy: it names the addresses of clients.
    #[must_use]
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(peer.to_canonical())
    }

    /// Whether this peer decides which of its requests are traced.
    #[must_use]
    pub fn is_tracer(&self, peer: IpAddr) -> bool {
        self.traced.contains(peer.to_canonical()) || self.is_proxy(peer)
    }

    /// Returns the client's address as limits count it: the peer's, or what a trusted proxy says of it.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.client(peer, headers)
    }

    /// Returns the client's whole address.
    #[must_use]
    pub fn address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.address(peer, headers)
    }

    /// Returns what answers pages of other origins, where any are configured.
    #[must_use]
    pub const fn cors(&self) -> Option<&CorsLayer> {
        self.cors.as_ref()
    }

    /// Whether `/metrics` requires no key.
    #[must_use]
    pub const fn metrics_open(&self) -> bool {
        self.metrics_open
    }

    /// Takes a request out of the budget of an address; an error is how long it has to wait.
    pub fn take_request(&self, client: IpAddr) -> Result<(), Duration> {
        let budgets = self.addresses.as_ref();
        budgets.map_or(Ok(()), |budgets| budgets.take(client))
    }

    /// Refuses a request that is for no host, or, without keys, for one that may be somebody else's. `is_any`: it may
    /// use any name. `is_local`: the server listens on its own machine alone.
    pub fn check_host<B>(
        &self,
        request: &Request<B>,
        is_any: bool,
        is_local: bool,
    ) -> Result<(), Problem> {
        let host = hosts::host_of(request.uri(), request.headers(), request.version());
        let host = host.map_err(|bad| {
            Problem::invalid(match bad {
                BadHost::Missing => "host: is missing",
                BadHost::Several => "host: is present more than once",
                BadHost::Malformed => "host: is not a name or an address, with or without a port",
            })
        })?;
        match host {
            Some(host) if !self.has_keys() && !is_any && !self.hosts.serves(&host, is_local) => {
                let detail = format!(
                    "host: {host:?} is not a name of this server: without keys it answers to those of \
                     server.hosts"
                );
                Err(Problem::new(ProblemType::UnknownHost, detail))
            }
            _ => Ok(()),
        }
    }

    /// Returns a token for the streams of a board, `kind/subject`, until this moment. It ends with the key of the
    /// caller, too.
    #[must_use]
    pub fn issue_token(&self, board: &str, caller: &Caller, end: Timestamp) -> String {
        self.tokens.issue(board, caller.tag(), end)
    }

    /// Returns the counter of requests with a wrong key whose address had sent too many.
    #[must_use]
    pub const fn guesses_refused(&self) -> &Counter {
        self.guesses.refused()
    }

    pub(crate) fn keys(&self) -> Guard<Arc<Keys>> {
        self.keys.load()
    }

    pub(crate) const fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    pub(crate) const fn guesses(&self) -> &Guesses {
        &self.guesses
    }
}

/// A value as an error repeats it: no more than its first characters, and no password of a URL.
fn shown(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => shortened(format!("...@{host}")),
        None => shortened(text),
    }
}
