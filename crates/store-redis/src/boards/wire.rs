//! Arguments of functions and their replies, as msgpack: Lua reads and writes it in C.
//!
//! [`Pack`] writes an argument, [`Unpack`] reads a reply value by value. A reply without the shape
//! that the function returns is [`Garbled`]: another program's, or damaged.

use std::time::Duration;

use bytes::Bytes;
use rmp::decode;
use shard_store::StoreError;

/// An argument that is being written.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    bytes: Vec<u8>,
}

/// Writing to memory does not fail.
const WRITTEN: &str = "memory takes what is written";

impl Pack {
    /// Begins an array of `len` values.
    pub(crate) fn array(&mut self, len: usize) -> &mut Self {
        let len = u32::try_from(len).expect("batches have fewer items than that");
        rmp::encode::write_array_len(&mut self.bytes, len).expect(WRITTEN);
        self
    }

    /// Adds an integer.
    pub(crate) fn int(&mut self, number: i64) -> &mut Self {
        rmp::encode::write_sint(&mut self.bytes, number).expect(WRITTEN);
        self
    }

    /// Adds a truth value.
    pub(crate) fn bool(&mut self, truth: bool) -> &mut Self {
        rmp::encode::write_bool(&mut self.bytes, truth).expect(WRITTEN);
        self
    }

    /// Adds text or bytes: Lua has one type for both.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        let len = u32::try_from(bytes.len()).expect("names have fewer bytes than that");
        rmp::encode::write_str_len(&mut self.bytes, len).expect(WRITTEN);
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Returns the argument.
    pub(crate) fn done(self) -> Bytes {
        self.bytes.into()
    }
}

/// Returns a duration in whole milliseconds, as text: an argument of its own.
pub(crate) fn millis(span: Duration) -> Bytes {
    span.as_millis().to_string().into()
}

/// A reply that no function of ours returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reply of a function is malformed: {0}")]
pub(crate) struct Garbled(
    /// What was expected or found.
    pub(crate) &'static str,
);

/// Of a call that changes nothing. `in_doubt` is for others.
impl From<Garbled> for StoreError {
    fn from(error: Garbled) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl Garbled {
    /// Returns the error of a call that may have changed something.
    pub(crate) fn in_doubt(self) -> StoreError {
        StoreError::Unknown(self.to_string())
    }
}

/// A reply that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unpack<'a> {
    left: &'a [u8],
}

impl<'a> Unpack<'a> {
    /// Begins to read these bytes.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    /// The length of the array that begins here. Lua's empty table is an empty array or map.
    pub(crate) fn array(&mut self) -> Result<usize, Garbled> {
        let len = match self.left.first() {
            Some(0x80) => {
                self.left = &self.left[1..];
                0
            }
            _ => decode::read_array_len(&mut self.left).map_err(|_| Garbled("no array"))?,
        };
        usize::try_from(len).map_err(|_| Garbled("too long an array"))
    }

    /// Reads an integer.
    pub(crate) fn int(&mut self) -> Result<i64, Garbled> {
        decode::read_int(&mut self.left).map_err(|_| Garbled("no integer"))
    }

    /// Reads an integer that is not negative.
    pub(crate) fn count(&mut self) -> Result<u64, Garbled> {
        decode::read_int(&mut self.left).map_err(|_| Garbled("no count"))
    }

    /// Reads a byte string.
    pub(crate) fn raw(&mut self) -> Result<&'a [u8], Garbled> {
        let len = decode::read_str_len(&mut self.left).map_err(|_| Garbled("no text"))?;
        let len = usize::try_from(len).map_err(|_| Garbled("too long a text"))?;
        let (raw, left) = self.left.split_at_checked(len).ok_or(Garbled("cut off"))?;
        self.left = left;
        Ok(raw)
    }

    /// Reads a byte string as UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'a str, Garbled> {
        std::str::from_utf8(self.raw()?).map_err(|_| Garbled("no UTF-8"))
    }

    /// Checks that everything was read.
    pub(crate) fn end(&self) -> Result<(), Garbled> {
        if self.left.is_empty() {
            Ok(())
        } else {
            Err(Garbled("more than was expected"))
        }
    }
}
