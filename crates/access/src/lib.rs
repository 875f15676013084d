//! Who may do what, and how often.
//!
//! ```text
//! access, settings      what requests are checked against: keys, hosts, origins, budgets of addresses
//! authorizer, caller    checks the key or the token of a request; on whose behalf a handler works
//! key, keys, scope      keys, and what each is for; secret: keys that stand where they do not belong
//! token                 tokens for the streams of one board
//! rate, client          budgets of requests; whose address a request comes from
//! hosts, cors           names that a server without keys is reached by; pages of other origins
//! ```
//!
//! What a route requires is in the table of routes of `api`, whose gate asks here. Nothing here knows a route, or where
//! all of this is configured.

mod access;
mod authorizer;
mod caller;
mod client;
mod cors;
mod hosts;
mod key;
mod keys;
mod rate;
mod scope;
mod secret;
mod settings;
mod token;

pub use access::Access;
pub use authorizer::Authorizer;
pub use caller::Caller;
pub use client::limited;
pub use key::{KEY_PREFIX, KeyError, KeySettings, NewKey, check_key_name};
pub use rate::RateSettings;
pub use scope::Scope;
pub use secret::without_keys;
pub use settings::{AccessError, AccessSettings, TokenSecret};
pub use token::TOKEN_PREFIX;
