//! The keys, hosts, origins and budgets that requests are checked against: [`Access`].

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use axum::http::{HeaderMap, Request};
use board::Timestamp;
use metering::Counter;
use tower_http::cors::CorsLayer;
use wire::problem::{Problem, ProblemType};

use crate::caller::Caller;
use crate::client::Proxies;
use crate::cors;
use crate::frames::{self, BadFrames};
use crate::hosts::{self, BadHost, Hosts};
use crate::key::KeyError;
use crate::key_changes::KeyChanges;
use crate::key_settings::KeySettings;
use crate::keys::Keys;
use crate::public_kinds::PublicKinds;
use crate::rate::{Budgets, Guesses, RateSettings};
use crate::scope::Scope;
use crate::settings::{AccessError, AccessSettings};
use crate::token::Tokens;

/// The validated settings of access. The keys may be replaced while the server runs.
#[derive(Debug)]
pub struct Access {
    keys: ArcSwap<Keys>,
    metrics_open: bool,
    tokens: Tokens,
    /// The rate of keys without a rate of their own.
    key_rate: RateSettings,
    addresses: Option<Budgets>,
    guesses: Guesses,
    proxies: Proxies,
    /// The peers, besides the proxies, whose `traceparent` decides whether a request is traced.
    tracers: Proxies,
    hosts: Hosts,
    cors: Option<CorsLayer>,
    frame_ancestors: Option<String>,
}

impl Access {
    /// Validates the settings.
    pub fn new(settings: &AccessSettings) -> Result<Self, AccessError> {
        let tokens = match &settings.token_secret {
            None => Tokens::with_random_secret()?,
            Some(secret) => Tokens::with_secret(secret.bytes()).ok_or(AccessError::TokenSecret)?,
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
            tracers: Proxies::new(&settings.trusted_tracers)
                .map_err(|text| AccessError::Tracer(shown(&text)))?,
            hosts: Hosts::new(&settings.hosts).map_err(|text| AccessError::Host(shown(&text)))?,
            cors: cors::layer(&settings.cors_origins)
                .map_err(|text| AccessError::Origin(shown(&text)))?,
            frame_ancestors: frames::ancestors(&settings.frame_ancestors).map_err(
                |bad| match bad {
                    BadFrames::TooMany(count) => AccessError::FrameAncestors(count),
                    BadFrames::Site(text) => AccessError::FrameAncestor(shown(&text)),
                },
            )?,
        })
    }

    /// Returns whether requests need a key.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        !self.keys.load().is_empty()
    }

    /// Replaces all keys, and returns what has changed. Keys that remain keep the state of their budgets. An error changes
    /// nothing.
    pub fn set_keys(&self, keys: &[KeySettings]) -> Result<KeyChanges, KeyError> {
        let before = self.keys.load();
        let keys = Keys::new(keys, self.key_rate, &before)?;
        let changes = KeyChanges::between(&before, &keys);
        self.keys.store(keys.into());
        Ok(changes)
    }

    /// Returns whether this peer is a trusted proxy, which reports the addresses of clients.
    #[must_use]
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(peer.to_canonical())
    }

    /// Returns whether this peer decides which of its requests are traced.
    #[must_use]
    pub fn is_tracer(&self, peer: IpAddr) -> bool {
        self.tracers.contains(peer.to_canonical()) || self.is_proxy(peer)
    }

    /// Returns the client's address for limits: the peer's, or the one that a trusted proxy reports.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.client(peer, headers)
    }

    /// Returns the client's full address.
    #[must_use]
    pub fn address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.address(peer, headers)
    }

    /// Returns the layer that adds CORS headers, if any origins are configured.
    #[must_use]
    pub const fn cors(&self) -> Option<&CorsLayer> {
        self.cors.as_ref()
    }

    /// Returns the sites that may embed pages of the server, as a policy has them behind `frame-ancestors`, if any are
    /// configured.
    #[must_use]
    pub fn frame_ancestors(&self) -> Option<&str> {
        self.frame_ancestors.as_deref()
    }

    /// Returns whether `/metrics` is served without a key.
    #[must_use]
    pub const fn metrics_open(&self) -> bool {
        self.metrics_open
    }

    /// Takes one request from the budget of an address. An error is the time to wait.
    pub fn take_request(&self, client: IpAddr) -> Result<(), Duration> {
        let budgets = self.addresses.as_ref();
        budgets.map_or(Ok(()), |budgets| budgets.take(client))
    }

    /// Counts what a request cost beside itself against the rates of its key and its address.
    pub fn owe(&self, caller: &Caller, client: IpAddr, requests: u32) {
        caller.owe(requests);
        if let Some(budgets) = &self.addresses {
            budgets.owe(client, requests);
        }
    }

    /// Takes a request from the budgets if it is permitted like an earlier one, which differed at most in headers that
    /// the host check ignores. `false`: it has to be checked in full, and nothing was taken.
    ///
    /// It reads boards of this kind. `had_keys`: keys were configured for the earlier one. Without
    /// keys only some hosts are served, and a response may be for everybody. Boards of kinds that are `public` are read
    /// without a key.
    pub fn permits_again(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        clock: &dyn Fn() -> Timestamp,
        kind: &str,
        had_keys: bool,
        public: &dyn PublicKinds,
    ) -> bool {
        let take = || self.take_request(self.client(peer, headers)).is_ok();
        match self.authorizer(headers, peer, clock) {
            None => !had_keys && take(),
            Some(authorizer) if authorizer.is_keyless() => {
                had_keys && public.contains(kind) && take()
            }
            // Two budgets are taken from in full checks alone, which know what to do if only one of them is spent.
            Some(authorizer) => {
                had_keys && self.addresses.is_none() && authorizer.permits(Scope::Read, kind)
            }
        }
    }

    /// Rejects a request without a valid host, and, without keys, one for a host that an attacker may control.
    ///
    /// `is_any` allows every host. `is_local`: the server listens on loopback addresses only.
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
                    "host: {host:?} is not a name of this server: add it to server.hosts, or create keys"
                );
                Err(Problem::new(ProblemType::UnknownHost, detail))
            }
            _ => Ok(()),
        }
    }

    /// Returns the counter of requests that were rejected because their address had sent too many wrong keys.
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

/// Shortens a value for an error message, and removes the user and the password of a URL.
fn shown(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => wire::problem::shown(format!("...@{host}")),
        None => wire::problem::shown(text),
    }
}
