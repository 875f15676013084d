//! The id of a request: its caller's, if that can be logged safely, or a new one.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The length of a caller's id.
const ID_BYTES_MAX: usize = 128;

/// Hexadecimal digits of a number.
const DIGITS: usize = 16;

/// The header with the id, in requests and in responses.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The prefix of the ids of this process.
static PROCESS: LazyLock<Prefix> =
    LazyLock::new(|| prefix(getrandom::u64().expect("the system has random numbers")));

/// A number and a dash.
type Prefix = [u8; DIGITS + 1];

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Returns the id of a request with these headers.
#[must_use]
pub fn request_id(headers: &HeaderMap) -> HeaderValue {
    match headers.get(REQUEST_ID) {
        Some(id) if is_valid(id.as_bytes()) => id.clone(),
        _ => new_id(),
    }
}

/// Returns a new id.
#[must_use]
pub fn new_id() -> HeaderValue {
    new(&PROCESS, COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Returns whether an id is short, and has only characters that are safe in logs and terminals.
fn is_valid(id: &[u8]) -> bool {
    (1..=ID_BYTES_MAX).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// Returns an id that is unique in this process, and very probably among all processes.
fn new(process: &Prefix, number: u64) -> HeaderValue {
    let mut text = [0; 2 * DIGITS + 1];
    text[..=DIGITS].copy_from_slice(process);
    // Without leading zeros.
    let digits = (DIGITS - number.leading_zeros() as usize / 4).max(1);
    let text = &mut text[..=DIGITS + digits];
    hex(number, &mut text[DIGITS + 1..]);
    HeaderValue::from_bytes(text).expect("digits fit a header")
}

fn prefix(process: u64) -> Prefix {
    let mut text = [b'-'; DIGITS + 1];
    hex(process, &mut text[..DIGITS]);
    text
}

fn hex(mut number: u64, into: &mut [u8]) {
    for digit in into.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_process_and_count() {
        for (process, number) in [
            (0, 0),
            (0xab, 0xf),
            (u64::MAX, 0x10),
            (1, 0x0123_4567),
            (7, u64::MAX),
        ] {
            let id = new(&prefix(process), number);
            assert_eq!(id, format!("{process:016x}-{number:x}"));
            assert!(is_valid(id.as_bytes()));
        }
    }

    #[test]
    fn a_valid_id_of_a_caller_is_kept() {
        let kept = |id: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(id).unwrap());
            request_id(&headers).as_bytes() == id
        };
        let longest = [b'a'; ID_BYTES_MAX];
        let too_long = [b'a'; ID_BYTES_MAX + 1];
        for valid in [b"a".as_slice(), b"a-1/b:~{\"}", &longest] {
            assert!(kept(valid), "{valid:?}");
        }
        for invalid in [b"".as_slice(), b"a b", b"a\tb", &[0xc3, 0xa9], &too_long] {
            assert!(!kept(invalid), "{invalid:?}");
        }
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }
}
