//! Names of this server and of its calls in Redis.
//!
//! A call that changes something is remembered under its session and number. If it is sent again,
//! it is answered, not applied again.

use std::sync::atomic::{AtomicU64, Ordering};

/// The session of one opened store.
#[derive(Debug)]
pub(crate) struct Session {
    id: u64,
    calls: AtomicU64,
}

impl Session {
    /// Creates a session with a random name.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self {
            id: getrandom::u64()?,
            calls: AtomicU64::new(0),
        })
    }

    /// Returns a second session: its calls may overlap those of this one.
    pub(crate) fn other(&self) -> Self {
        Self {
            // Another server has this name with the same probability as any.
            id: !self.id,
            calls: AtomicU64::new(0),
        }
    }

    /// Returns the name: 16 random hexadecimal digits.
    pub(crate) fn name(&self) -> String {
        format!("{:016x}", self.id)
    }

    /// Returns a name that no other call has: that of the session, a separator, and the next number.
    pub(crate) fn next_name(&self, separator: char) -> String {
        format!("{}{separator}{}", self.name(), self.next_call())
    }

    /// Returns a number greater than those before it.
    pub(crate) fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }
}
