//! Replies.

use rmp::decode;

/// A reply that no function of ours returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reply of a function is malformed: {0}")]
pub struct Garbled(
    /// What was expected or found.
    pub &'static str,
);

/// A reply that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Unpack<'a> {
    left: &'a [u8],
}

impl<'a> Unpack<'a> {
    /// Begins to read these bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    /// The length of the array that begins here. Lua's empty table is an empty array or map.
    pub fn array(&mut self) -> Result<usize, Garbled> {
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
    pub fn int(&mut self) -> Result<i64, Garbled> {
        decode::read_int(&mut self.left).map_err(|_| Garbled("no integer"))
    }

    /// Reads an integer that is not negative.
    pub fn count(&mut self) -> Result<u64, Garbled> {
        decode::read_int(&mut self.left).map_err(|_| Garbled("no count"))
    }

    /// Reads a byte string.
    pub fn raw(&mut self) -> Result<&'a [u8], Garbled> {
        let len = decode::read_str_len(&mut self.left).map_err(|_| Garbled("no text"))?;
        let len = usize::try_from(len).map_err(|_| Garbled("too long a text"))?;
        let (raw, left) = self.left.split_at_checked(len).ok_or(Garbled("cut off"))?;
        self.left = left;
        Ok(raw)
    }

    /// Reads a byte string as UTF-8.
    pub fn text(&mut self) -> Result<&'a str, Garbled> {
        std::str::from_utf8(self.raw()?).map_err(|_| Garbled("no UTF-8"))
    }

    /// Checks that everything was read.
    pub fn end(&self) -> Result<(), Garbled> {
        if self.left.is_empty() {
            Ok(())
        } else {
            Err(Garbled("more than was expected"))
        }
    }
}
