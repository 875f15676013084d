//! Which server this is to Redis, and what its calls are called.
//!
//! A call that changes something is remembered under its session and number, so that sent again it
//! is answered, not done, again.

use std::sync::atomic::{AtomicU64, Ordering};

/// One opened store.
#[derive(Debug)]
pub struct Session {
    id: u64,
    calls: AtomicU64,
}

impl Session {
    /// A session with a random name.
    pub fn new() -> Result<Self, getrandom::Error> {
        Ok(Self {
            id: getrandom::u64()?,
            calls: AtomicU64::new(0),
        })
    }

    /// 16 hexadecimal digits, drawn at random.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{:016x}", self.id)
    }

    /// A number greater than those before it.
    pub fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }
}
