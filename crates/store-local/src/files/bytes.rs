//! Numbers, names and windows as bytes, shared by the journal's records and by snapshots.
//!
//! Writing appends to a `Vec<u8>`; reading is [`Bytes`], whose errors name what was being read.
//! Numbers are little endian. Those that are mostly small are varints (LEB128: 7 bits per byte, the
//! low ones first, the top bit of each byte means that more follow); those that are mostly near 0
//! on either side are zigzag varints. The formats that these make up are not here.

use std::time::Duration;

use board::{Activity, Period, Profile, Timestamp, Window};

use shard_store::kind_text::KindTextError;

/// Maximum bytes of a varint.
pub(crate) const VARINT_BYTES_MAX: usize = 10;

/// Maximum bytes of a window: its period, and its start unless it has no bounds.
pub(crate) const WINDOW_BYTES_MAX: usize = 1 + VARINT_BYTES_MAX;

/// Maximum bytes of a board's activity: its bits, two moments, a span.
pub(crate) const ACTIVITY_BYTES_MAX: usize = 1 + 8 + 8 + VARINT_BYTES_MAX;

/// The bits that say which fields of an activity are present.
const STARTS: u8 = 1;
const ENDS: u8 = 1 << 1;
const EXPIRES: u8 = 1 << 2;
const IDLE: u8 = 1 << 3;

/// Why bytes are not a valid record, or part of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// They are too short.
    #[error("ends within {0}")]
    Short(&'static str),
    /// They are too long.
    #[error("has {0} bytes after its end")]
    Trailing(usize),
    /// A number is out of range.
    #[error("{0} cannot be {1}")]
    OutOfRange(&'static str, u64),
    /// Something is invalid.
    #[error("{0}")]
    Wrong(&'static str),
    /// A name, a kind or a text is invalid.
    #[error("{0}: {1}")]
    Invalid(&'static str, String),
}

impl From<KindTextError> for Malformed {
    fn from(KindTextError(why): KindTextError) -> Self {
        Self::Invalid("a kind", why)
    }
}

pub(crate) fn put_u16(out: &mut Vec<u8>, number: u16) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_time(out: &mut Vec<u8>, at: Timestamp) {
    put_u64(out, at.micros().cast_unsigned());
}

pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(low_byte(number) | 0x80);
        number >>= 7;
    }
    out.push(low_byte(number));
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "only the low byte is needed"
)]
const fn low_byte(number: u64) -> u8 {
    number as u8
}

pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// Writes a time relative to another. The difference wraps around, so that any two times work.
pub(crate) fn put_time_near(out: &mut Vec<u8>, at: Timestamp, near: Timestamp) {
    put_signed(out, at.micros().wrapping_sub(near.micros()));
}

/// Writes a name of 1 to 255 bytes after its length.
pub(crate) fn put_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(u8::try_from(name.len()).expect("no name has more than 128 bytes"));
    out.extend_from_slice(name);
}

/// Writes a profile, its JSON after its length.
pub(super) fn put_profile(out: &mut Vec<u8>, profile: &Profile) {
    let json = profile.as_json();
    put_u16(
        out,
        u16::try_from(json.len()).expect("no profile has 64 KiB"),
    );
    out.extend_from_slice(json.as_bytes());
}

/// Writes a board's activity: bits for which of start, end, retention and idle span are present, then these.
pub(crate) fn put_activity(out: &mut Vec<u8>, activity: &Activity) {
    let (starts_at, ends_at) = (activity.starts_at(), activity.ends_at());
    let expires_after = activity.expires_after();
    let bit = |there: bool, bit: u8| if there { bit } else { 0 };
    out.push(
        bit(starts_at.is_some(), STARTS)
            | bit(ends_at.is_some(), ENDS)
            | bit(expires_after.is_some(), EXPIRES)
            | bit(activity.idle().is_some(), IDLE),
    );
    for at in [starts_at, ends_at].into_iter().flatten() {
        put_time(out, at);
    }
    for span in [expires_after, activity.idle()].into_iter().flatten() {
        put_varint(out, u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
    }
}

pub(crate) fn put_window(out: &mut Vec<u8>, window: Window, near: Timestamp) {
    let period = window.period();
    out.push(period_byte(period));
    if period != Period::All {
        put_time_near(out, window.start(), near);
    }
}

/// 0 for the window without bounds.
fn period_byte(period: Period) -> u8 {
    period.number().map_or(0, |number| number + 1)
}

/// Bytes that are being read. Every call names what it reads, for [`Malformed`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns how many bytes are left.
    pub(crate) const fn len(&self) -> usize {
        self.rest.len()
    }

    /// Returns all bytes that are left.
    pub(crate) const fn take_rest(&mut self) -> &'a [u8] {
        let rest = self.rest;
        self.rest = &[];
        rest
    }

    pub(crate) fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(Malformed::Short(what))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(Malformed::Short(what))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self, what: &'static str) -> Result<u8, Malformed> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    /// Reads a byte that is 0 or 1.
    pub(crate) fn flag(&mut self, what: &'static str) -> Result<bool, Malformed> {
        match self.byte(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Malformed::OutOfRange(what, u64::from(other))),
        }
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Malformed> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Malformed> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Malformed> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(crate) fn time(&mut self, what: &'static str) -> Result<Timestamp, Malformed> {
        let us = self.u64(what)?.cast_signed();
        Ok(Timestamp::from_micros(us))
    }

    pub(crate) fn varint(&mut self, what: &'static str) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte(what)?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && byte > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed::Invalid(
            what,
            "a number of more than 64 bits".to_owned(),
        ))
    }

    pub(crate) fn signed(&mut self, what: &'static str) -> Result<i64, Malformed> {
        let number = self.varint(what)?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(crate) fn time_near(
        &mut self,
        near: Timestamp,
        what: &'static str,
    ) -> Result<Timestamp, Malformed> {
        let us = self.signed(what)?.wrapping_add(near.micros());
        Ok(Timestamp::from_micros(us))
    }

    /// Reads the text of a name; the caller checks its length.
    pub(crate) fn name(&mut self, what: &'static str) -> Result<&'a str, Malformed> {
        let len = self.byte(what)?;
        let bytes = self.take(usize::from(len), what)?;
        str::from_utf8(bytes).map_err(|error| Malformed::Invalid(what, error.to_string()))
    }

    /// Reads a board's activity.
    pub(crate) fn activity(&mut self) -> Result<Activity, Malformed> {
        const WHAT: &str = "the time of a board";
        let bits = self.byte(WHAT)?;
        if bits > STARTS | ENDS | EXPIRES | IDLE {
            return Err(Malformed::OutOfRange(WHAT, u64::from(bits)));
        }
        let has = |bit| bits & bit != 0;
        let starts_at = has(STARTS).then(|| self.time(WHAT)).transpose()?;
        let ends_at = has(ENDS).then(|| self.time(WHAT)).transpose()?;
        let expires_after = has(EXPIRES).then(|| self.varint(WHAT)).transpose()?;
        let expires_after = expires_after.map(Duration::from_millis);
        let idle = has(IDLE).then(|| self.varint(WHAT)).transpose()?;
        Activity::new(starts_at, ends_at, expires_after)
            .and_then(|activity| activity.with_idle(idle.map(Duration::from_millis)))
            .map_err(|error| Malformed::Invalid(WHAT, error.to_string()))
    }

    pub(crate) fn window(&mut self, near: Timestamp) -> Result<Window, Malformed> {
        const WHAT: &str = "a window's period";
        let byte = self.byte(WHAT)?;
        let found = Period::ALL_PERIODS
            .into_iter()
            .find(|period| period_byte(*period) == byte);
        match found {
            None => Err(Malformed::OutOfRange(WHAT, u64::from(byte))),
            Some(Period::All) => Ok(Window::ALL_TIME),
            Some(period) => {
                let start = self.time_near(near, "a window's start")?;
                Ok(Window::starting_at(period, start))
            }
        }
    }

    /// Reads a profile.
    pub(super) fn profile(&mut self) -> Result<Profile, Malformed> {
        const WHAT: &str = "a profile";
        let len = self.u16(WHAT)?;
        let text = str::from_utf8(self.take(usize::from(len), WHAT)?);
        let text = text.map_err(|error| Malformed::Invalid(WHAT, error.to_string()))?;
        Profile::new(text).map_err(|error| Malformed::Invalid(WHAT, error.to_string()))
    }

    /// Checks that no bytes are left.
    pub(crate) fn end(self) -> Result<(), Malformed> {
        match self.len() {
            0 => Ok(()),
            bytes => Err(Malformed::Trailing(bytes)),
        }
    }
}

/// Converts an error about a name.
pub(crate) fn invalid(what: &'static str) -> impl FnOnce(board::IdentError) -> Malformed {
    move |error| Malformed::Invalid(what, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_varint_length_are_read_back() {
        for shift in 0..64 {
            for number in [1_u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut out = Vec::new();
                put_varint(&mut out, number);
                put_signed(&mut out, number.cast_signed());
                put_signed(&mut out, number.cast_signed().wrapping_neg());
                let mut bytes = Bytes::new(&out);
                assert_eq!(bytes.varint("one"), Ok(number));
                assert_eq!(bytes.signed("two"), Ok(number.cast_signed()));
                let negative = number.cast_signed().wrapping_neg();
                assert_eq!(bytes.signed("three"), Ok(negative));
                assert_eq!(bytes.end(), Ok(()));
            }
        }
    }

    #[test]
    fn a_varint_of_more_than_64_bits_is_rejected() {
        let mut longest = [0xFF; VARINT_BYTES_MAX];
        longest[9] = 1;
        assert_eq!(Bytes::new(&longest).varint("it"), Ok(u64::MAX));
        for (last, rest) in [(2, false), (0x80, true), (0x81, true)] {
            longest[9] = last;
            let mut bytes = longest.to_vec();
            bytes.extend(rest.then_some(0));
            let refused = Bytes::new(&bytes).varint("it");
            assert!(matches!(refused, Err(Malformed::Invalid("it", _))));
        }
        assert_eq!(
            Bytes::new(&[0x80]).varint("it"),
            Err(Malformed::Short("it"))
        );
    }

    #[test]
    fn any_two_times_can_be_relative() {
        let times =
            [i64::MIN, -1, 0, 1, 1_700_000_000_000_000, i64::MAX].map(Timestamp::from_micros);
        for at in times {
            for near in times {
                let mut out = Vec::new();
                put_time_near(&mut out, at, near);
                assert_eq!(Bytes::new(&out).time_near(near, "a time"), Ok(at));
            }
        }
    }
}
