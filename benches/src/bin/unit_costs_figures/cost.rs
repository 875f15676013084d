//! [`Cost`]: CPU and bytes of a Redis between two moments.

use std::io;
use std::ops::{Add, Sub};

use benches::redis::Redis;

/// CPU and bytes of a Redis, as it reports them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) us: f64,
    pub(crate) bytes_in: f64,
    pub(crate) bytes_out: f64,
    pub(crate) calls: f64,
}

impl Cost {
    fn now(redis: &mut Redis) -> io::Result<Self> {
        let calls = redis.function_calls()?;
        let (bytes_in, bytes_out) = redis.network_in_out()?;
        Ok(Self {
            us: redis.cpu_us()?,
            bytes_in,
            bytes_out,
            calls,
        })
    }

    /// Returns the cost of one of `times` runs, without that of measuring.
    pub(crate) fn of(
        redis: &mut Redis,
        times: f64,
        mut run: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Self> {
        let first = Self::now(redis)?;
        let before = Self::now(redis)?;
        run()?;
        let after = Self::now(redis)?;
        let whole = after - before + (first - before);
        Ok(Self {
            us: whole.us / times,
            bytes_in: whole.bytes_in / times,
            bytes_out: whole.bytes_out / times,
            calls: whole.calls / times,
        })
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            us: self.us + other.us,
            bytes_in: self.bytes_in + other.bytes_in,
            bytes_out: self.bytes_out + other.bytes_out,
            calls: self.calls + other.calls,
        }
    }
}

impl Sub for Cost {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            us: self.us - other.us,
            bytes_in: self.bytes_in - other.bytes_in,
            bytes_out: self.bytes_out - other.bytes_out,
            calls: self.calls - other.calls,
        }
    }
}
