//! Authorization and rate limits.
//!
//! ```text
//! access, settings      what requests are checked against: keys, hosts, origins, budgets of addresses
//! authorizer, caller    checks the key or the token of a request; by what a request was authorized
//! public_kinds          the kinds whose boards are read without a key
//! new_key, key_settings the text of keys and their hashes; the settings of a key
//! key, keys, scope      one configured key, all keys, the operations that a key permits
//! key_list              the configured keys as admins see them
//! token, token_param    tokens for the streams of one board, and how they arrive
//! secret                finds keys and tokens in names
//! key_changes           what a reload of the keys changes
//! rate, client          budgets of requests; the address that a request comes from
//! hosts, cors           names of a server without keys; web pages of other origins
//! frames                sites that embed pages
//! ```
//!
//! The table of routes in `api` says what each route requires, and the gate of `api` calls this crate. This crate does
//! not know the routes or the files that it is configured by.

mod access;
pub mod audit;
mod authorizer;
mod caller;
mod client;
mod cors;
mod frames;
mod hosts;
mod key;
mod key_changes;
mod key_list;
mod key_settings;
mod keys;
mod new_key;
mod public_kinds;
mod rate;
mod scope;
mod secret;
mod settings;
mod token;
mod token_param;

pub use access::Access;
pub use authorizer::Authorizer;
pub use caller::Caller;
pub use client::address_for_limits;
pub use key::KeyError;
pub use key_changes::{KeyChanges, KeyNames};
pub use key_list::{KeyList, ListedKey};
pub use key_settings::{KeySettings, check_key_name};
pub use new_key::{KEY_PREFIX, NewKey};
pub use public_kinds::PublicKinds;
pub use rate::RateSettings;
pub use scope::Scope;
pub use settings::{AccessError, AccessSettings, TokenSecret};
pub use token::TOKEN_PREFIX;
pub use token_param::take_token;
pub use tower_http::cors::CorsLayer;
