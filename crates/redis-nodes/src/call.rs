//! A function call, and its reply or error.

use bytes::Bytes;
use tokio::time::Instant;

use crate::backlog;
use shard_store::{Overload, StoreError};

/// The identity that one of several independent servers stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerId(pub u64);

/// 16 hexadecimal digits, as it is stored.
impl std::fmt::Display for ServerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The location of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// Their slot.
    pub slot: u16,
    /// The independent server; `None` on other topologies.
    pub server: Option<ServerId>,
}

/// Whether a call may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It may write, and has no additional effect when it is sent again. Its first argument is its
    /// deadline.
    Write,
    /// Like a write, of data that may be lost at any time: it waits for no replica.
    Volatile,
}

/// One function call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function's short name: `apply`.
    pub function: &'static str,
    /// All keys that it uses, in one slot, unless [`takes_any_slot`](crate::Nodes::takes_any_slot).
    pub keys: Vec<Bytes>,
    /// Its arguments.
    pub args: Vec<Bytes>,
    /// Its effect.
    pub effect: Effect,
    /// Its deadline.
    pub until: Instant,
    /// Until when the call waits, in any case, for a node without a connection. Beyond that it waits as long as others
    /// of its effect do: `read_wait` and `write_wait` of [`RedisSettings`](crate::RedisSettings).
    pub waits_until: Option<Instant>,
    /// When something closes after which the call must not be applied; at or after `until`. Then
    /// nothing of it is applied, however late it arrives. Functions check `until` alone.
    pub closes: Option<Instant>,
}

impl Call {
    /// Returns a call that waits for an unavailable node as long as others of its effect do, and for which nothing
    /// closes.
    #[must_use]
    pub const fn new(
        function: &'static str,
        effect: Effect,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
        until: Instant,
    ) -> Self {
        Self {
            function,
            keys,
            args,
            effect,
            until,
            waits_until: None,
            closes: None,
        }
    }

    /// Returns the weight of the call in a [`Backlog`](crate::backlog::Backlog).
    pub(crate) fn weight(&self) -> u64 {
        let args = match self.effect {
            Effect::Read | Effect::Write => self.args.as_slice(),
            // Storing bytes costs little, compared with what a read of a few bytes may request.
            Effect::Volatile => &[],
        };
        let bytes = self.keys.iter().chain(args).map(Bytes::len).sum();
        backlog::call_weight(bytes)
    }
}

/// The result of a function.
#[derive(Debug, Clone)]
pub struct FunctionReply {
    /// Without its type byte.
    pub payload: Bytes,
    /// Identifies the history of the process that replied: it changes when data may have been lost.
    pub epoch: u64,
}

/// A refusal by a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, such as `DEAD`.
    pub code: String,
    /// Data that belongs to the reason.
    pub payload: Bytes,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The function refused the call, and changed nothing.
    #[error("refused: {}", .0.code)]
    Refused(Refusal),
    /// Definitely not applied: more work waits than can be done in time.
    #[error(transparent)]
    Overloaded(Overload),
    /// Definitely not applied.
    #[error("{0}")]
    Unavailable(String),
    /// It may have been applied.
    #[error("{0}")]
    Unknown(String),
}

/// Reads the reply of a function by its first byte: a result (`R`), or a refusal (`E`). `None`: it is not one of our
/// functions.
pub(crate) fn parse_reply(answer: &Bytes) -> Option<Result<Bytes, Refusal>> {
    let text = answer.slice(1.min(answer.len())..);
    match answer.first() {
        Some(b'R') => Some(Ok(text)),
        Some(b'E') => {
            let space = text.iter().position(|byte| *byte == b' ');
            let end = space.unwrap_or(text.len());
            Some(Err(Refusal {
                code: String::from_utf8_lossy(&text[..end]).into_owned(),
                payload: text.slice((end + 1).min(text.len())..),
            }))
        }
        _ => None,
    }
}

impl From<CallError> for StoreError {
    /// Converts the error of a call for which no refusal is expected.
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => {
                Self::Unavailable(format!("Redis refused: {}", refusal.code))
            }
            CallError::Overloaded(overload) => Self::Overloaded(overload),
            CallError::Unavailable(why) => Self::Unavailable(why),
            CallError::Unknown(why) => Self::Unknown(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_distinguishes_results_from_refusals() {
        let said = |text: &'static [u8]| parse_reply(&Bytes::from_static(text));
        let result = |text: &'static [u8]| Some(Ok(Bytes::from_static(text)));
        let refusal = |code: &str, payload: &'static [u8]| {
            let (code, payload) = (code.to_owned(), Bytes::from_static(payload));
            Some(Err(Refusal { code, payload }))
        };
        assert_eq!(said(b"RMOVED 1 a:1"), result(b"MOVED 1 a:1"));
        assert_eq!(said(b"R"), result(b""));
        assert_eq!(said(b"EDEAD"), refusal("DEAD", b""));
        let windows = refusal("WINDOWS", b"\x91\xff a");
        assert_eq!(said(b"EWINDOWS \x91\xff a"), windows);
        assert_eq!((said(b""), said(b"OK")), (None, None));
    }
}
