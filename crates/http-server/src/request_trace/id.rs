//! The id of a request: its caller's, if that can be logged safely, or a new one.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The length of a caller's id.
const ID_BYTES_MAX: usize = 128;

/// The header with the id, in requests and in responses.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Digits of this process, which very probably no other has.
static PROCESS: LazyLock<String> = LazyLock::new(|| {
    let number = getrandom::u64().expect("the system has random numbers");
    format!("{number:016x}")
});

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Returns the id of a request with these headers.
#[must_use]
pub fn request_id(headers: &HeaderMap) -> HeaderValue {
    match headers.get(REQUEST_ID) {
        Some(id) if is_valid(id.as_bytes()) => id.clone(),
        _ => new_id(),
    }
}

fn new_id() -> HeaderValue {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let id = [&PROCESS, "-", &number.to_string()].concat();
    HeaderValue::try_from(id).expect("digits fit a header")
}

/// Returns whether an id is short, and has only characters that are safe in logs and terminals.
fn is_valid(id: &[u8]) -> bool {
    (1..=ID_BYTES_MAX).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let new = [(); 2].map(|()| request_id(&HeaderMap::new()));
        assert_ne!(new[0], new[1]);
        assert!(new.iter().all(|id| is_valid(id.as_bytes())));
    }
}
