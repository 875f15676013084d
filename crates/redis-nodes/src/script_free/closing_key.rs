//! A key that expires when something closes: [`ClosingKey`].
//!
//! A transaction may reach Redis long after it was sent, and cannot read the clock there. But it
//! may watch a key, and Redis aborts a transaction of which a watched key has expired since. In
//! this order:
//!
//! ```text
//! SET key NX PXAT closing, WATCH key, TIME ─► ... ─► MULTI, writes, EXEC
//! ```
//!
//! If TIME is not past the deadline, the key existed when it was watched. Calls with the same
//! closing share one, so that it is written once.

use crate::redis_link::{CommandError, Value};
use bytes::Bytes;

use crate::call::Call;
use crate::keys;

/// Closings are rounded up to this, in milliseconds: readings of a node's clock vary by less. It is
/// a part of the tolerance before something is final on stores on Redis.
const STEP_MS: u64 = 100;

/// A key that expires when a call must not be applied any more.
#[derive(Debug)]
pub(crate) struct ClosingKey {
    key: Bytes,
    ends_ms: u64,
}

impl ClosingKey {
    /// Returns the key of a call for which something closes, if anything does. Its deadline, by
    /// the node's clock, is the first of these arguments.
    pub(crate) fn of(call: &Call, args: &[Bytes]) -> Option<Result<Self, CommandError>> {
        let later = call.closes?.saturating_duration_since(call.until);
        let closing_key = || {
            let deadline = std::str::from_utf8(args.first()?).ok()?;
            let closes_ms =
                deadline.parse::<u64>().ok()? + u64::try_from(later.as_millis()).ok()?;
            let ends_ms = closes_ms.div_ceil(STEP_MS) * STEP_MS;
            let key = keys::until(call.keys.first()?, ends_ms)?;
            Some(Self { key, ends_ms })
        };
        Some(
            closing_key().ok_or_else(|| {
                CommandError::NotSent("a call without a deadline or a key".to_owned())
            }),
        )
    }

    pub(crate) fn key(&self) -> &Bytes {
        &self.key
    }

    /// Returns the command that creates it, unless it exists.
    pub(crate) fn set(&self) -> (&'static str, Vec<Value>) {
        let end = Bytes::from(self.ends_ms.to_string());
        let words = [b"1".as_slice(), b"NX", b"PXAT"].map(Bytes::from_static);
        let words = std::iter::once(self.key.clone()).chain(words).chain([end]);
        ("SET", words.map(Value::Bytes).collect())
    }
}
