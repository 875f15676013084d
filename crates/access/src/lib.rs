//! Authorization and rate limits.
//!
//! ```text
//! access, settings      what requests are checked against: keys, hosts, origins, budgets of addresses
//! authorizer, caller    checks the key or the token of a request; the key that a request was authorized by
//! new_key, key_settings the text of keys and their hashes; the settings of a key
//! key, keys, scope      one configured key, all keys, the operations that a key permits
//! key_list              the configured keys as admins see them
//! token                 tokens for the streams of one board
//! secret                finds keys and tokens in other text, such as log lines
//! rate, client          budgets of requests; the address that a request comes from
//! hosts, cors           names of a server without keys; web pages of other origins
//! ```
//!
//! The table of routes in `api` says what each route requires, and the gate of `api` calls this crate. This crate does
//! not know the routes or the files that it is configured by.

mod access;
mod authorizer;
mod caller;
mod client;
mod cors;
mod hosts;
mod key;
mod key_list;
mod key_settings;
mod keys;
mod new_key;
mod rate;
mod scope;
mod secret;
mod settings;
mod token;

pub use access::Access;
pub use authorizer::Authorizer;
pub use caller::Caller;
pub use client::address_for_limits;
pub use key::KeyError;
pub use key_list::{KeyList, ListedKey};
pub use key_settings::{KeySettings, check_key_name};
pub use new_key::{KEY_PREFIX, NewKey};
pub use rate::RateSettings;
pub use scope::Scope;
pub use secret::without_keys;
pub use settings::{AccessError, AccessSettings, TokenSecret};
pub use token::TOKEN_PREFIX;
pub use tower_http::cors::CorsLayer;
