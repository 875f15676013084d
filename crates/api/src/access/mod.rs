//! Who may do what: keys, their scopes, and the one place where a request is let in or not.
//!
//! [`Gate`] stands before the routes: whatever it refuses, no handler sees. What a route asks of its
//! callers is in one table, `routes`. A handler that learns its boards from the body or the query
//! asks its [`Caller`]. Nothing here knows where keys are configured.

mod caller;
mod gate;
mod key;
mod keys;
mod routes;
mod scope;

use arc_swap::ArcSwap;

pub(crate) use caller::Caller;
pub(crate) use gate::Gate;
pub use key::{KeyError, KeySettings, NewKey};
use keys::Keys;
pub use scope::Scope;

/// What the gate goes by.
#[derive(Debug, Clone, Default)]
pub struct AccessSettings {
    /// Without any, everybody may do everything.
    pub keys: Vec<KeySettings>,
    /// Whether `/metrics` asks for no key.
    pub metrics_open: bool,
}

/// What the gate goes by, checked; the keys may change while it serves.
#[derive(Debug, Default)]
pub struct Access {
    keys: ArcSwap<Keys>,
    metrics_open: bool,
}

impl Access {
    /// Checks the settings.
    pub fn new(settings: &AccessSettings) -> Result<Self, KeyError> {
        Ok(Self {
            keys: ArcSwap::from_pointee(Keys::new(&settings.keys)?),
            metrics_open: settings.metrics_open,
        })
    }

    /// Puts other keys in the place of all there were. An error leaves those as they are.
    pub fn set_keys(&self, keys: &[KeySettings]) -> Result<(), KeyError> {
        self.keys.store(Keys::new(keys)?.into());
        Ok(())
    }
}
