//! Servers against real Redis.
