//! Framing of the Redis protocol, RESP2 and RESP3, for requests and replies.

use std::io::{self, BufRead, Read as _};

/// Reads one complete value and appends its bytes to `frame`. Returns false if the input ends
/// before the first byte. Streamed values (`$?`), which Redis never sends, are errors.
pub(crate) fn read_frame(input: &mut impl BufRead, frame: &mut Vec<u8>) -> io::Result<bool> {
    let mut values_left = 1_u64;
    let mut begun = false;
    while values_left > 0 {
        let start = frame.len();
        if input.read_until(b'\n', frame)? == 0 && !begun {
            return Ok(false);
        }
        begun = true;
        let line = frame[start..].strip_suffix(b"\r\n");
        let (kind, rest) = line.and_then(<[u8]>::split_first).ok_or_else(cut)?;
        values_left -= 1;
        match kind {
            b'$' | b'=' | b'!' => {
                let length = length(rest)?;
                read_bulk(length, input, frame)?;
            }
            b'*' | b'~' | b'>' => values_left += length(rest)?.unwrap_or(0),
            b'%' => values_left += 2 * length(rest)?.unwrap_or(0),
            // Attributes precede the value that they belong to.
            b'|' => values_left += 2 * length(rest)?.unwrap_or(0) + 1,
            b'+' | b'-' | b':' | b'_' | b'#' | b',' | b'(' => {}
            other => return Err(io::Error::other(format!("type byte {other}"))),
        }
    }
    Ok(true)
}

/// Reads one complete request: an array of strings, or an inline command such as `HELLO 3`.
pub(crate) fn read_request(input: &mut impl BufRead, frame: &mut Vec<u8>) -> io::Result<bool> {
    match input.fill_buf()?.first() {
        None => Ok(false),
        Some(b'*') => read_frame(input, frame),
        Some(_) => {
            input.read_until(b'\n', frame)?;
            Ok(true)
        }
    }
}

/// Reads the bytes of a string and its terminator; a null has neither.
fn read_bulk(length: Option<u64>, input: &mut impl BufRead, frame: &mut Vec<u8>) -> io::Result<()> {
    let Some(length) = length else {
        return Ok(());
    };
    let with_end = length + 2;
    if input.take(with_end).read_to_end(frame)? as u64 != with_end {
        return Err(cut());
    }
    Ok(())
}

/// Parses the length in a header; `None` for -1, the null of RESP2.
pub(crate) fn length(text: &[u8]) -> io::Result<Option<u64>> {
    if text == b"-1" {
        return Ok(None);
    }
    let text = str::from_utf8(text).map_err(io::Error::other)?;
    text.parse().map(Some).map_err(io::Error::other)
}

fn cut() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [&str; 12] = [
        "+OK\r\n",
        "-ERR no\r\n",
        ":-3\r\n",
        "$5\r\na\r\nbc\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "*2\r\n*1\r\n$1\r\na\r\n:1\r\n",
        "%1\r\n+a\r\n*2\r\n:1\r\n:2\r\n",
        "~2\r\n#t\r\n,1.5\r\n",
        ">2\r\n+message\r\n_\r\n",
        "|1\r\n+ttl\r\n:1\r\n=6\r\ntxt:ab\r\n",
    ];

    #[test]
    fn each_value_is_read_to_its_end() {
        let all = VALUES.concat();
        let mut input = all.as_bytes();
        for value in VALUES {
            let mut frame = Vec::new();
            assert!(read_frame(&mut input, &mut frame).unwrap());
            assert_eq!(str::from_utf8(&frame).unwrap(), value);
        }
        assert!(!read_frame(&mut input, &mut Vec::new()).unwrap());
    }

    #[test]
    fn a_truncated_value_is_an_error() {
        for value in VALUES {
            for end in 1..value.len() {
                let mut input = &value.as_bytes()[..end];
                let read = read_frame(&mut input, &mut Vec::new());
                assert!(read.is_err(), "{value:?} up to {end}");
            }
        }
    }
}
