//! Arguments.

use std::time::Duration;

use bytes::Bytes;

/// An argument that is being written.
#[derive(Debug, Default)]
pub struct Pack {
    bytes: Vec<u8>,
}

/// Writing to memory does not fail.
const WRITTEN: &str = "memory takes what is written";

impl Pack {
    /// Begins an array of `len` values.
    pub fn array(&mut self, len: usize) -> &mut Self {
        let len = u32::try_from(len).expect("batches have fewer items than that");
        rmp::encode::write_array_len(&mut self.bytes, len).expect(WRITTEN);
        self
    }

    /// Adds an integer.
    pub fn int(&mut self, number: i64) -> &mut Self {
        rmp::encode::write_sint(&mut self.bytes, number).expect(WRITTEN);
        self
    }

    /// Adds a truth value.
    pub fn bool(&mut self, truth: bool) -> &mut Self {
        rmp::encode::write_bool(&mut self.bytes, truth).expect(WRITTEN);
        self
    }

    /// Adds text or bytes: Lua has one type for both.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        let len = u32::try_from(bytes.len()).expect("names have fewer bytes than that");
        rmp::encode::write_str_len(&mut self.bytes, len).expect(WRITTEN);
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Returns the argument.
    #[must_use]
    pub fn done(self) -> Bytes {
        self.bytes.into()
    }
}

/// Returns a duration in whole milliseconds, as text: an argument of its own.
pub(crate) fn millis(span: Duration) -> Bytes {
    span.as_millis().to_string().into()
}
