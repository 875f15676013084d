//! The time as HTTP writes it, formatted once a second: [`now`].

use std::cell::Cell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The length of a time.
const DATE_BYTES: usize = 29;

thread_local! {
    /// The second of the last call, and its text.
    static LAST: Cell<(u64, [u8; DATE_BYTES])> = const { Cell::new((u64::MAX, [0; DATE_BYTES])) };
}

/// Returns the time: `Thu, 26 Nov 2026 04:20:00 GMT`.
pub(crate) fn now() -> [u8; DATE_BYTES] {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    at(since.unwrap_or_default().as_secs())
}

fn at(second: u64) -> [u8; DATE_BYTES] {
    let (last, text) = LAST.get();
    if last == second {
        return text;
    }
    let time = UNIX_EPOCH + Duration::from_secs(second);
    let mut text = [0; DATE_BYTES];
    text.copy_from_slice(httpdate::fmt_http_date(time).as_bytes());
    LAST.set((second, text));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_its_own_text() {
        for (second, text) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] {
            assert_eq!(at(second), text.as_bytes());
        }
    }
}
