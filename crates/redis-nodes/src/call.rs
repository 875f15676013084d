//! A function call, and its reply or error.

use bytes::Bytes;
use tokio::time::Instant;

use crate::backlog;
use crate::overload::Overload;

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
    /// of its effect do: `read_wait` and `write_wait` of [`NodeSettings`](crate::NodeSettings).
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

/// The result of a function, by the first byte of its reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ParsedReply {
    /// `R`: a result.
    Result(Bytes),
    /// `E`: a refusal.
    Refusal(Refusal),
    /// Not a reply of our functions.
    Malformed,
}

impl ParsedReply {
    pub(crate) fn of(answer: &Bytes) -> Self {
        match answer.first() {
            Some(b'R') => Self::Result(answer.slice(1..)),
            Some(b'E') => {
                let text = answer.slice(1..);
                let space = text.iter().position(|byte| *byte == b' ');
                let end = space.unwrap_or(text.len());
                Self::Refusal(Refusal {
                    code: String::from_utf8_lossy(&text[..end]).into_owned(),
                    payload: text.slice((end + 1).min(text.len())..),
                })
            }
            _ => Self::Malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_distinguishes_results_from_refusals() {
        let said = |text: &'static [u8]| ParsedReply::of(&Bytes::from_static(text));
        assert_eq!(
            said(b"RMOVED 1 a:1"),
            ParsedReply::Result(Bytes::from_static(b"MOVED 1 a:1"))
        );
        assert_eq!(said(b"R"), ParsedReply::Result(Bytes::new()));
        let refusal = |code: &str, payload: &'static [u8]| {
            ParsedReply::Refusal(Refusal {
                code: code.to_owned(),
                payload: Bytes::from_static(payload),
            })
        };
        assert_eq!(said(b"EDEAD"), refusal("DEAD", b""));
        assert_eq!(
            said(b"EWINDOWS \x91\xff a"),
            refusal("WINDOWS", b"\x91\xff a")
        );
        assert_eq!(said(b""), ParsedReply::Malformed);
        assert_eq!(said(b"OK"), ParsedReply::Malformed);
    }
}
