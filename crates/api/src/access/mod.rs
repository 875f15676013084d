//! Who may do what, and how often: keys, their scopes, limits, and the one place where a request is let in or not.
//!
//! [`Gate`] is before the routes: what it refuses, no handler sees. It finds the route of a request in the one table
//! ([`crate::route`]), which says what the route requires of its callers, and checks the key and the kind in the path against
//! it. A handler whose boards are in the body or the query (`contributions`, `tops`, `boards`, `kinds`) asks its
//! [`Caller`]. `rate` has the budgets of requests, `client` determines whose address a request comes from, `cors`
//! answers for other origins. Nothing here knows where all of that is configured.

mod caller;
mod client;
mod cors;
mod gate;
mod hosts;
mod key;
mod keys;
mod rate;
mod refusal;
mod scope;
mod secret;
mod settings;
mod token;
mod under_way;

use std::net::IpAddr;

use arc_swap::ArcSwap;
use tower_http::cors::CorsLayer;

pub(crate) use caller::Caller;
use client::Proxies;
pub(crate) use client::limited;
pub(crate) use gate::Gate;
use hosts::Hosts;
pub use key::{KEY_PREFIX, KeyError, KeySettings, NewKey, check_key_name};
use keys::Keys;
pub use rate::RateSettings;
use rate::{Budgets, Guesses};
pub use scope::Scope;
pub use secret::without_keys;
pub use settings::{AccessError, AccessSettings, TokenSecret};
pub use token::TOKEN_PREFIX;
use token::Tokens;

use crate::problem::shortened;

/// What the gate goes by, checked; the keys may change while it serves.
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

    /// Puts other keys in the place of all there were; those that stay keep what they have spent. An
    /// error leaves all as they are.
    pub fn set_keys(&self, keys: &[KeySettings]) -> Result<(), KeyError> {
        let keys = Keys::new(keys, self.key_rate, &self.keys.load())?;
        self.keys.store(keys.into());
        Ok(())
    }

    /// Whether what this peer says of other clients, or their number, is taken for theirs.
    pub(crate) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.knows(peer.to_canonical())
    }

    /// Whether this peer decides which of its requests are traced.
    pub(crate) fn is_tracer(&self, peer: IpAddr) -> bool {
        self.traced.knows(peer.to_canonical()) || self.is_proxy(peer)
    }

    pub(crate) const fn tokens(&self) -> &Tokens {
        &self.tokens
    }
}

/// A value as an error repeats it: no more than its first characters, and no password of a URL.
fn shown(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => shortened(format!("...@{host}")),
        None => shortened(text),
    }
}
